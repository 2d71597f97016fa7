// The programs that are compiled: those of the fuzzer, some of numbers alone, some with updates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../program.hpp"

#include <cstdint>
#include <string>

namespace fuzz {

/// A program and how it becomes a function.
struct subject {
  std::uint64_t seed = 0;
  fuzz::program program;  // its results are the outputs, then the new values
  std::size_t outputs = 1;
  std::size_t bound = 0;     // how many of its last arguments are shared variables
  std::vector<int> updated;  // arguments that get new values: of streams, which are last, those of draws
  bool ieee = false;
  bool is_debugged = false;  // computed as written, too, and compared; not ieee
  bool by_stride = false;  // its arguments are arrays of any strides, otherwise containers
};

subject subject_of(std::uint64_t seed);

/// The subject as a function of a batch, which compiles and tries it.
std::string as_function(subject const& s);

}  // namespace fuzz
