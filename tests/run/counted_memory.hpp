// What the program takes from operator new, every one of which is counted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

namespace counted_memory {

/// How often; how many bytes it has now, and how many it had at most since the last was set.
extern std::atomic<long> allocations, taken, most_taken;

}  // namespace counted_memory
