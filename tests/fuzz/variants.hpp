// Variants of a program's arguments: numbers that are none, and shapes that do not fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate.hpp"

#include <limits>

namespace fuzz {

/// The program with infinities, NaN and zeros among its floating arguments.
inline program with_special_values(program p, dice& random) {
  constexpr real infinity = std::numeric_limits<real>::infinity(), nan = std::numeric_limits<real>::quiet_NaN();
  for (auto& a : p.arguments)
    for (real& x : a.data)
      if (kt::core::is_float(a.type.element) && random.one_in(4)) x = random.pick({infinity, -infinity, nan, 0.L, -0.L, 1.L});
  return p;
}
/// The program with another extent somewhere.
inline program with_other_shape(program p, dice& random) {
  argument& a = p.arguments[static_cast<std::size_t>(random.below(static_cast<int>(p.arguments.size())))];
  if (a.shape.empty() || is_stream(a.kind)) return p;
  long& extent = a.shape[static_cast<std::size_t>(random.below(static_cast<int>(a.shape.size())))];
  extent = random.pick({extent + 1, extent - 1 < 0 ? 0l : extent - 1, 1l});
  std::size_t count = 1;
  for (long e : a.shape) count *= static_cast<std::size_t>(e);
  a.data.resize(count, 1);
  if (is_sparse(a.kind)) a.stored.resize(count, 1);
  return p;
}

}  // namespace fuzz
