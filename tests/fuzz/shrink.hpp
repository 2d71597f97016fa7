// Failing programs made small, and the rule that is to blame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "check.hpp"

namespace fuzz {

/// The smallest program found, by leaving out and simplifying parts, that fails in the same way.
program shrunk(program p, failure const& f, check_options options);

/// Calls of a loop that do less.
std::vector<call> simpler_loops(call const& c);

/// The rule or pass without which the program is right: the first one of those that fired. Empty where none alone is to blame.
std::string blamed(program const& p, failure const& f, check_options options);

/// A failure in words: its seed, what is wrong, the rule to blame, and the shrunk program as C++.
std::string report(program const& p, failure const& f, check_options const& options, unsigned long long seed);

}  // namespace fuzz
