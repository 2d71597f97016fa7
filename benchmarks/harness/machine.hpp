// The machine, and the program's place on it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

/// Starts the program again with one thread for each library, since they read their environment while they are loaded. Returns
/// where the environment is so already.
void with_one_thread(char** argv);

/// Keeps the program to one processor, negative: the last one it may use. Returns its number, or -1 where that is refused.
int keep_to(int processor);

/// Names and values: the processor, its caches, the compiler, its flags.
std::vector<std::pair<std::string, std::string>> machine();

/// Names and versions of the libraries in the contest.
std::vector<std::pair<std::string, std::string>> peers();

}  // namespace bench
