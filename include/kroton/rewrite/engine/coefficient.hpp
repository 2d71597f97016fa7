// Arithmetic of literals in the compiler: coefficients and exponents of the normal form, as bits of
// an element type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>
#include <kroton/math/constant_pair.hpp>

#include <limits>

namespace kroton::rewrite {

/// Sums and products of these elements have a normal form. That of complex numbers has real
/// coefficients.
constexpr bool has_normal_form(element e) { return e >= element::int8; }

/// (Infinities may be compared in a constant evaluation, but not subtracted.)
constexpr bool is_finite(double x) {
  return x >= std::numeric_limits<double>::lowest() && x <= std::numeric_limits<double>::max();
}
/// A value that literals may be folded to: an overflow would end the constant evaluation.
constexpr bool in_range(double x, element e) {
  double const limit = e == element::float32 || e == element::complex64
                           ? static_cast<double>(std::numeric_limits<float>::max())
                           : std::numeric_limits<double>::max();
  return x <= limit && x >= -limit;
}
constexpr double magnitude(double x) { return x < 0 ? -x : x; }

/// A product of two doubles, or infinity where it would not be finite.
constexpr double bounded_product(double a, double b) {
  constexpr double most = std::numeric_limits<double>::max();
  if (magnitude(a) > 1 && magnitude(b) > most / magnitude(a))
    return std::numeric_limits<double>::infinity();
  return a * b;
}

/// A number of an element type: what stands in front of a term or a product, or over a factor.
struct coefficient {
  element of;
  std::int64_t bits;

  constexpr double value() const { return literal_value(bits, of); }
  constexpr bool is(double v) const {
    return (of >= element::float32 ? __builtin_bit_cast(double, bits)
                                   : static_cast<double>(bits)) == v;
  }
  constexpr bool negative() const { return !is_unsigned(of) && value() < 0; }
  /// Infinite and NaN literals take no part in folding.
  constexpr bool foldable() const { return is_integer(of) || in_range(value(), of); }
};

constexpr coefficient number_of(element e, double value) {
  if (e == element::float64) return {e, __builtin_bit_cast(std::int64_t, value)};
  if (is_integer(e)) return {e, wrap(static_cast<std::int64_t>(value), e)};
  return {e, core::literal_bits(value, e)};
}

/// Of moderate size.
constexpr bool is_power_of_two(double c) {
  return c > 1e-30 && c < 1e30 && c == math::constant::scale(1, math::constant::exponent(c));
}
/// The root of a number, where it is a double without rounding; else 0.
constexpr double exact_root(double c) {
  if (!(c > 1e-30 && c < 1e30)) return 0;
  double const root = math::constant::sqrt(c);
  math::constant::pair const square = math::constant::product(root, root);
  return square.high == c && square.low == 0 ? root : 0;
}

inline constexpr std::int64_t negative_zero = std::numeric_limits<std::int64_t>::min();

/// Sum and product; false when the exact result leaves the range of the type, and then nothing may
/// be folded.
constexpr bool add_to(coefficient& a, coefficient b) {
  if (is_integer(a.of)) {
    a.bits = wrap(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.bits) +
                                            static_cast<std::uint64_t>(b.bits)),
                  a.of);
    return true;
  }
  if (!in_range(a.value() / 2 + b.value() / 2, a.of) ||
      magnitude(a.value() / 2 + b.value() / 2) > 8e307)
    return false;
  double const sum = a.value() + b.value();
  if (!in_range(sum, a.of)) return false;
  a.bits = core::literal_bits(sum, a.of);
  return true;
}
constexpr bool multiply(coefficient& a, coefficient b) {
  if (is_integer(a.of)) {
    a.bits = wrap(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.bits) *
                                            static_cast<std::uint64_t>(b.bits)),
                  a.of);
    return true;
  }
  double const factor = b.value();
  if (factor == 1 && in_range(a.value(), a.of) && a.bits != negative_zero) return true;
  double const product = bounded_product(a.value(), factor);
  if (!in_range(product, a.of) || (product == 0 && !a.is(0) && !b.is(0))) return false;
  // There is one zero among the coefficients.
  a.bits = product == 0 ? 0 : core::literal_bits(product, a.of);
  return true;
}

constexpr bool is_whole(double x) {
  return magnitude(x) < 1e15 && static_cast<double>(static_cast<long long>(x)) == x;
}
constexpr bool is_even(double x) { return is_whole(x) && static_cast<long long>(x) % 2 == 0; }

/// a to a whole power >= 0 by squaring; false when it leaves the range.
constexpr bool raise(coefficient& a, long long power) {
  coefficient result = number_of(a.of, 1);
  for (coefficient base = a; power > 0; power /= 2) {
    if (power % 2 != 0 && !multiply(result, base)) return false;
    if (power > 1 && !multiply(base, base)) return false;
  }
  a = result;
  return true;
}

}  // namespace kroton::rewrite
