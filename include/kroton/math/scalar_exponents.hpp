// Binary exponents and neighbours of float and double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <kroton/core/config.hpp>
#include <kroton/math/constant_bits.hpp>

namespace kroton::math {

namespace constant {

/// The neighbour of x in the direction of y: numbers of one sign are in the order of their bits.
template <class R>
constexpr R nextafter(R x, R y) {
  using integer = std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>;
  constexpr R least = std::numeric_limits<R>::denorm_min();
  if (x != x) return x;
  if (y != y || x == y) return y;
  if (x == 0) return y > 0 ? least : -least;
  const integer bits = std::bit_cast<integer>(x);
  return std::bit_cast<R>((y > x) == (x > 0) ? bits + 1 : bits - 1);
}

}  // namespace constant

template <class R>
struct scalar_exponents {
  static KROTON_FN R ldexp(R x, R n) {
    const int whole = n > R(-5000) ? n < R(5000) ? static_cast<int>(n) : 5000 : -5000;
    if (std::is_constant_evaluated()) return constant::rounded<R>(constant::scale(x, whole));
    return std::ldexp(x, whole);
  }
  static KROTON_FN R frexp_exponent(R x) {
    if (!(x - x == 0) || x == 0) return 0;
    if (std::is_constant_evaluated()) return static_cast<R>(constant::exponent(x) + 1);
    int n = 0;
    std::frexp(x, &n);
    return static_cast<R>(n);
  }
  static KROTON_FN R nextafter(R x, R y) {
    if (std::is_constant_evaluated()) return constant::nextafter(x, y);
    return std::nextafter(x, y);
  }
};

}  // namespace kroton::math
