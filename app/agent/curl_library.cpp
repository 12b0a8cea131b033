// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/curl_library.h"

#include <dlfcn.h>

namespace plimsoll {
namespace {

Result<CurlLibrary> loadOnce()
{
    void *handle = nullptr;
    for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
        handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle != nullptr)
            break;
    }
    if (handle == nullptr)
        return failure(Error::Code::Unsupported, "Nothing can be scraped: libcurl.so.4 is not installed.");
    CurlLibrary library;
    bool isComplete = true;
    const auto find = [&]<class Function>(const char *name, Function &into) {
        into = reinterpret_cast<Function>(::dlsym(handle, name));
        isComplete = isComplete && into != nullptr;
    };
    find("curl_global_init", library.globalInit);
    find("curl_easy_init", library.easyInit);
    find("curl_easy_setopt", library.setOption);
    find("curl_easy_getinfo", library.getInfo);
    find("curl_easy_strerror", library.describe);
    find("curl_easy_cleanup", library.easyCleanup);
    find("curl_multi_init", library.multiInit);
    find("curl_multi_add_handle", library.multiAdd);
    find("curl_multi_remove_handle", library.multiRemove);
    find("curl_multi_perform", library.multiPerform);
    find("curl_multi_poll", library.multiPoll);
    find("curl_multi_wakeup", library.multiWakeup);
    find("curl_multi_info_read", library.multiInfoRead);
    find("curl_multi_cleanup", library.multiCleanup);
    find("curl_slist_append", library.listAppend);
    find("curl_slist_free_all", library.listFree);
    if (!isComplete)
        return failure(Error::Code::Unsupported, "Nothing can be scraped: libcurl is older than 7.68.");
    library.globalInit(CURL_GLOBAL_DEFAULT);
    return library;
}

} // namespace

Result<const CurlLibrary *> CurlLibrary::load()
{
    static const Result<CurlLibrary> library = loadOnce();
    if (!library)
        return tl::make_unexpected(library.error());
    return &*library;
}

} // namespace plimsoll
