// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot/diff.h"

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

bool isDigit(char c) noexcept { return c >= '0' && c <= '9'; }

bool hasDrive(std::string_view path) noexcept
{
    return path.size() > 2 && path[1] == ':' && path[2] == '/'
        && ((path[0] >= 'a' && path[0] <= 'z') || (path[0] >= 'A' && path[0] <= 'Z'));
}

// Behind the folder at `from`: "/a/b/c" from b gives "c". Nothing when it is the last part.
std::optional<std::string_view> behindFolder(std::string_view path, std::size_t from) noexcept
{
    const auto slash = path.find('/', from);
    if (slash == std::string_view::npos || slash + 1 == path.size())
        return std::nullopt;
    return path.substr(slash + 1);
}

// ".../lib/python3.10/REST", ".../cpython-3.10.19-windows-x86_64-none/lib/REST"
std::optional<std::string_view> standardLibrary(std::string_view path) noexcept
{
    constexpr std::string_view kLib = "/lib/python";
    for (auto at = path.find(kLib); at != std::string_view::npos; at = path.find(kLib, at + 1))
        if (const auto number = at + kLib.size(); number < path.size() && isDigit(path[number]))
            return behindFolder(path, number);
    constexpr std::string_view kWindows = "/cpython-";
    if (const auto at = path.find(kWindows); at != std::string_view::npos)
        for (const std::string_view lib : {"/lib/", "/Lib/"})
            if (const auto from = path.find(lib, at); from != std::string_view::npos)
                return path.substr(from + lib.size());
    return std::nullopt;
}

// The interpreter's own sources: ".../python-3.10.14/Objects/call.c",
// "/croot/python-split_17…/work/build-static/Python/…"
std::optional<std::string_view> interpreterSource(std::string_view path) noexcept
{
    if (!path.ends_with(".c") && !path.ends_with(".h"))
        return std::nullopt;
    const auto at = path.find("/python-");
    if (at == std::string_view::npos)
        return std::nullopt;
    for (const std::string_view folder : {"/Objects/", "/Python/", "/Modules/", "/Include/"})
        if (const auto from = path.find(folder, at); from != std::string_view::npos)
            return path.substr(from + 1);
    return std::nullopt;
}

std::optional<std::string_view> inHome(std::string_view path) noexcept
{
    if (path.starts_with("/root/"))
        return path.substr(6);
    std::string_view rest = path;
    if (hasDrive(rest))
        rest.remove_prefix(2);
    for (const std::string_view homes : {"/home/", "/Users/", "/users/"})
        if (rest.starts_with(homes))
            return behindFolder(rest, homes.size());
    return std::nullopt;
}

} // namespace

std::string normalisedPath(std::string_view original)
{
    std::string path(original);
    std::replace(path.begin(), path.end(), '\\', '/');
    const std::string_view view = path;
    for (const std::string_view packages : {"/site-packages/", "/dist-packages/"})
        if (const auto at = view.rfind(packages); at != std::string_view::npos)
            return "site-packages/" + std::string(view.substr(at + packages.size()));
    if (const auto at = view.rfind("/ipykernel_");
        at != std::string_view::npos && at + 11 < view.size() && isDigit(view[at + 11]))
        if (const auto cell = behindFolder(view, at + 1))
            return "ipykernel/" + std::string(*cell);
    if (const auto at = view.find("/torchinductor_"); at != std::string_view::npos)
        return "torchinductor/"
            + std::string(view.substr(view.rfind('/') + 1)); // the folders are the start of the name
    if (const auto rest = standardLibrary(view))
        return "python/" + std::string(*rest);
    if (const auto rest = interpreterSource(view))
        return "cpython/" + std::string(*rest);
    if (const auto rest = inHome(view))
        return "~/" + std::string(*rest);
    if (hasDrive(view) && path[0] >= 'A' && path[0] <= 'Z')
        path[0] = static_cast<char>(path[0] - 'A' + 'a');
    return path;
}

} // namespace plimsoll
