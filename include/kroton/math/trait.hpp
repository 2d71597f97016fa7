// The customisation point of all scalar functions: what a number type R can compute.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

namespace kroton::math {

/// Static members exp, log, select, ... of the number type `R`; the public functions of this
/// namespace forward here. The primary template (math/scalar.hpp) serves C++ scalars; a SIMD batch
/// has a partial specialization. A trait, not overloads, because a qualified call in a template
/// finds only overloads declared before it, and batches come later.
template <class R>
struct functions;

/// A coefficient as a number of type `R`, rounded to its precision.
template <class R>
KROTON_FN R coefficient(double value) {
  if constexpr (requires { typename R::value_type; })
    return R(static_cast<typename R::value_type>(value));
  else return static_cast<R>(value);
}

}  // namespace kroton::math
