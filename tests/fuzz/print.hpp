// Programs as C++ that can be pasted into a test.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

namespace fuzz {

/// A lambda over kt variables, its arguments as xtensor literals, and a call. Names are x0, x1 ... for arguments, t<n> for calls.
std::string as_cpp(program const& p);

/// The lambda alone. What follows the first `outputs` results are new values of the parameters `updated`.
std::string as_lambda(program const& p, std::size_t outputs, std::vector<int> const& updated);

}  // namespace fuzz
