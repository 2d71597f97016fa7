// Derivatives of problems, by the rules of calculus and independently of Kroton's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <optional>

namespace accuracy {

/// The derivative of a problem with respect to its first variable; nothing where an operation has
/// none everywhere, such as `floor`.
std::optional<problem> derivative(problem const& p);

}  // namespace accuracy
