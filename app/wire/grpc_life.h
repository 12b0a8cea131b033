// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace plimsoll::wire {

/// Starts gRPC and leaves it running until the process ends; any thread, as often as you like.
/// Call it before the first server or channel. Without it the last of them to go shuts gRPC
/// down, and that waits for a thread which, after a write that had to wait for its reader,
/// sleeps in a poll of ten seconds: a program that was told to stop would seem to hang.
void keepGrpcRunning();

} // namespace plimsoll::wire
