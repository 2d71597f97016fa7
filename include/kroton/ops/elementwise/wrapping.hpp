// The operators + - * << >> ~ on element types with NumPy's semantics: integers wrap, bools are
// logical.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/element.hpp>
#include <kroton/math/functions.hpp>

#include <type_traits>

namespace kroton::ops {

// Unsigned arithmetic wraps without undefined behaviour; narrow types would be promoted to int
// first.
template <class R>
struct unsigned_for {
  using type = std::conditional_t<(sizeof(R) < sizeof(unsigned)), unsigned, unsigned long long>;
};

template <class R>
KROTON_FN R plus(R a, R b) {
  if constexpr (std::is_same_v<R, bool>) return a || b;
  else if constexpr (std::is_integral_v<R>) {
    using U = typename unsigned_for<R>::type;
    return static_cast<R>(static_cast<U>(a) + static_cast<U>(b));
  } else return a + b;
}
template <class R>
KROTON_FN R minus(R a, R b) {
  if constexpr (std::is_same_v<R, bool>) return a != b;
  else if constexpr (std::is_integral_v<R>) {
    using U = typename unsigned_for<R>::type;
    return static_cast<R>(static_cast<U>(a) - static_cast<U>(b));
  } else return a - b;
}
template <class R>
KROTON_FN R times(R a, R b) {
  if constexpr (std::is_same_v<R, bool>) return a && b;
  else if constexpr (std::is_integral_v<R>) {
    using U = typename unsigned_for<R>::type;
    return static_cast<R>(static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (is_complex_number<R>) {
    // The formula as written: the built-in operator tests for NaN and computes again.
    return R(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  } else return a * b;
}
template <class R>
KROTON_FN R negative(R a) {
  if constexpr (std::is_integral_v<R>) return minus(R(0), a);
  else if constexpr (is_complex_number<R>) return -a;
  else return math::neg(a);
}
template <class R>
KROTON_FN R complement(R a) {
  if constexpr (std::is_integral_v<R> && !std::is_same_v<R, bool>) return static_cast<R>(~a);
  else return !a;
}
// A shift by the width or more moves every bit out; C++ leaves it undefined.
template <class R>
KROTON_FN R left(R a, R bits) {
  using U = typename unsigned_for<R>::type;
  if (bits < R(0) || bits >= R(8 * sizeof(R))) return R(0);
  return static_cast<R>(static_cast<U>(a) << bits);
}
template <class R>
KROTON_FN R right(R a, R bits) {
  if (bits < R(0) || bits >= R(8 * sizeof(R))) return a < R(0) ? static_cast<R>(-1) : R(0);
  return static_cast<R>(a >> bits);
}

}  // namespace kroton::ops
