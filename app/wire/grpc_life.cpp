// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/grpc_life.h"

#include <grpc/grpc.h>

namespace plimsoll::wire {

void keepGrpcRunning()
{
    [[maybe_unused]] static const bool isRunning = (::grpc_init(), true); // never paired with grpc_shutdown()
}

} // namespace plimsoll::wire
