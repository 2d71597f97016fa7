// Gradients against differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "truth.hpp"

namespace fuzz {

/// How the gradient of a program's outputs, evaluated in extended precision, differs from their differences along a random
/// direction. Nothing where it does not, and where the outputs have a jump, a kink or no gradient.
std::optional<failure> fault_of_gradient(program const& p, long& compared);

}  // namespace fuzz
