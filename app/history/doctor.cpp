// SPDX-License-Identifier: GPL-3.0-or-later
#include "history/doctor.h"

#include "history/schema.h"

#include <array>
#include <ctime>
#include <system_error>
#include <unistd.h>

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

// A whole check reads every page: up to here that is well under a second. Of a larger
// file the small tables are checked, and each blob carries its own sum anyway.
constexpr std::uintmax_t kCheckWhole = 64U << 20U;

std::string stamp(Instant now)
{
    const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    std::array<char, 32> text{};
    const auto length = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &utc);
    return {text.data(), length};
}

Result<void> check(Database &database, const fs::path &file)
{
    std::error_code ignored;
    const auto size = fs::file_size(file, ignored);
    std::vector<std::string> questions;
    if (!ignored && size <= kCheckWhole) {
        questions.emplace_back("PRAGMA quick_check(1)");
    } else {
        for (const char *table : {"meta", "agent", "grp", "series", "era", "tail"})
            questions.push_back(std::string("PRAGMA quick_check('") + table + "')");
    }
    for (const auto &question : questions) {
        const auto answer = database.text(question);
        if (answer != "ok")
            return failure(Error::Code::Corrupt, file.string() + ": " + answer);
    }
    return {};
}

bool isWritable(const fs::path &path) { return ::access(path.c_str(), W_OK) == 0; }

Result<std::unique_ptr<Database>> openWritable(const fs::path &file, bool isChecked)
{
    try {
        std::error_code ignored;
        const auto size = fs::file_size(file, ignored);
        const bool isNew = ignored || size == 0;
        auto database = std::make_unique<Database>(file, Database::Access::Write);
        prepareConnection(*database, isNew);
        if (auto done = migrate(*database); !done)
            return failure(done.error().code, file.string() + ": " + done.error().detail);
        if (!isNew && isChecked) {
            if (auto sound = check(*database, file); !sound)
                return tl::make_unexpected(sound.error());
        }
        return database;
    } catch (const SQLite::Exception &e) {
        return tl::make_unexpected(toError(e, file));
    }
}

Result<Admission> openReadOnly(const fs::path &file)
{
    // Without a log beside it and no right to make one, SQLite refuses a WAL database:
    // then nobody else can be writing it here either, and it may be taken as it is.
    for (const auto access : {Database::Access::Read, Database::Access::Immutable}) {
        try {
            auto database = std::make_unique<Database>(file, access);
            prepareConnection(*database, false);
            if (auto done = migrate(*database); !done)
                return failure(done.error().code, file.string() + ": " + done.error().detail);
            if (auto sound = check(*database, file); !sound)
                return tl::make_unexpected(sound.error());
            return Admission{std::move(database), access, {}, {}};
        } catch (const SQLite::Exception &e) {
            const auto error = toError(e, file);
            const bool isWorthAnother = error.code == Error::Code::Io || error.code == Error::Code::Full;
            if (!isWorthAnother || access == Database::Access::Immutable)
                return tl::make_unexpected(error);
        }
    }
    return failure(Error::Code::Io, file.string());
}

Result<Admission> admitReadOnly(const fs::path &file, HistoryState::Health health, std::string why)
{
    auto admission = openReadOnly(file);
    if (admission) {
        admission->health = health;
        admission->detail = std::move(why);
    }
    return admission;
}

} // namespace

Result<fs::path> setAside(const fs::path &file, Instant now)
{
    fs::path target = file;
    target += ".damaged-" + stamp(now);
    for (int n = 2; fs::exists(target); ++n) {
        target = file;
        target += ".damaged-" + stamp(now) + '-' + std::to_string(n);
    }
    for (const char *suffix : {"-wal", "-shm", ""}) {
        std::error_code error;
        const fs::path from = file.string() + suffix;
        if (!fs::exists(from, error))
            continue;
        fs::rename(from, target.string() + suffix, error);
        if (error)
            return failure(Error::Code::Io, from.string() + ": " + error.message());
    }
    return target;
}

Result<std::unique_ptr<Database>> openForWriting(const fs::path &file)
{
    return openWritable(file, false);
}

Result<Admission> admit(const fs::path &file, bool isRecording, Instant now)
{
    std::error_code error;
    const bool exists = fs::exists(file, error);
    const auto folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
    if (isRecording) {
        if (!exists)
            return failure(Error::Code::Io, file.string() + ": no such file");
        return openReadOnly(file);
    }
    using Health = HistoryState::Health;
    if (fs::is_directory(file, error))
        return failure(Error::Code::Io, file.string() + " is a folder");
    if (exists && !isWritable(file))
        return admitReadOnly(file, Health::ReadOnly, file.string() + " may not be written");
    if (!isWritable(folder)) {
        const std::string why = "the folder " + folder.string() + " may not be written";
        return exists ? admitReadOnly(file, Health::ReadOnly, why)
                      : Admission{nullptr, Database::Access::Write, Health::ReadOnly, why};
    }

    auto database = openWritable(file, true);
    if (database)
        return Admission{std::move(*database), Database::Access::Write, {}, {}};
    if (database.error().code == Error::Code::Full) {
        // What there is may still be read, and the writer tries again.
        const auto detail = database.error().detail;
        return exists ? admitReadOnly(file, Health::DiskFull, detail)
                      : Admission{nullptr, Database::Access::Write, Health::DiskFull, detail};
    }
    if (database.error().code != Error::Code::Corrupt)
        return tl::make_unexpected(database.error());

    const auto aside = setAside(file, now);
    if (!aside)
        return tl::make_unexpected(aside.error());
    auto fresh = openWritable(file, true);
    if (!fresh)
        return tl::make_unexpected(fresh.error());
    return Admission{std::move(*fresh), Database::Access::Write, Health::SetAside,
                     aside->string() + " is the damaged one (" + database.error().detail + ")"};
}

Bytes sizeOnDisk(const fs::path &file)
{
    Bytes size;
    for (const char *suffix : {"", "-wal", "-shm"}) {
        std::error_code error;
        const auto bytes = fs::file_size(file.string() + suffix, error);
        if (!error)
            size += Bytes{static_cast<std::int64_t>(bytes)};
    }
    return size;
}

} // namespace plimsoll
