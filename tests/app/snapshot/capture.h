// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "formats/torch_pickle.h"

#include <QFileInfo>
#include <QString>

#include <cstdio>
#include <memory>
#include <utility>

namespace plimsoll {

/// A snapshot from a file; null where it is not there, or cannot be read.
inline std::unique_ptr<MemorySnapshot> capture(const QString &path)
{
    if (!QFileInfo::exists(path))
        return nullptr;
    auto source = openBytes(path.toStdString());
    if (!source)
        return nullptr;
    auto snapshot = readTorchPickle(**source);
    if (!snapshot) {
        std::fprintf(stderr, "%s\n", snapshot.error().detail.c_str());
        return nullptr;
    }
    return std::make_unique<MemorySnapshot>(std::move(*snapshot));
}

} // namespace plimsoll
