// Literals as 64 bits: what a number is in an element type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/convert.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kroton::core {

/// The float nearest to a number, as a double. It is infinite beyond the range of float; converting
/// it would be an error in a constant evaluation.
template <class Number>
constexpr double nearest_float(Number value) {
  if constexpr (std::is_floating_point_v<Number> && sizeof(Number) > sizeof(float)) {
    constexpr double infinity = std::numeric_limits<double>::infinity(), beyond = 0x1.ffffffp127;
    if (value >= beyond) return infinity;
    if (value <= -beyond) return -infinity;
  }
  return static_cast<double>(static_cast<float>(value));
}
/// The bits of a number that is converted to an integer type.
constexpr std::int64_t integer_bits(double value, element e) {
  switch (e) {
    case element::int8: return convert<std::int8_t>(value);
    case element::int16: return convert<std::int16_t>(value);
    case element::int32: return convert<std::int32_t>(value);
    case element::uint8: return convert<std::uint8_t>(value);
    case element::uint16: return convert<std::uint16_t>(value);
    case element::uint32: return convert<std::uint32_t>(value);
    case element::uint64: return static_cast<std::int64_t>(convert<std::uint64_t>(value));
    default: return convert<std::int64_t>(value);
  }
}

/// A scalar literal as 64 bits: doubles (and floats, widened) by their pattern, integers and bools
/// by their value. Literals of complex types are real: a number that has an imaginary part is an
/// op::complex of two literals.
template <class Number>
constexpr std::int64_t literal_bits(Number value, element e) {
  if (e >= element::float32) {
    bool const single = e == element::float32 || e == element::complex64;
    double const wide = single                   ? nearest_float(value)
                        : e == element::float16  ? convert<float>(half(value))
                        : e == element::bfloat16 ? convert<float>(bfloat16(value))
                                                 : static_cast<double>(value);
    return __builtin_bit_cast(std::int64_t, wide);
  }
  if (is_bool(e)) return value != Number{} ? 1 : 0;
  if constexpr (std::is_floating_point_v<Number>)
    return integer_bits(static_cast<double>(value), e);
  else return static_cast<std::int64_t>(value);
}
constexpr double literal_value(std::int64_t bits, element e) {
  return e >= element::float32 ? __builtin_bit_cast(double, bits) : static_cast<double>(bits);
}
/// A literal as its type stores it, in the low bytes; of a complex number the real part.
constexpr std::int64_t stored_bits(std::int64_t bits, element e) {
  if (e < element::float32) return bits;
  double const value = __builtin_bit_cast(double, bits);
  switch (e) {
    case element::float16: return half(value).bits;
    case element::bfloat16: return bfloat16(value).bits;
    case element::float32:
    case element::complex64: return __builtin_bit_cast(std::uint32_t, static_cast<float>(value));
    default: return bits;
  }
}

/// Wraps an integer to the width of `e`, as the arithmetic of that type would.
constexpr std::int64_t wrap(std::int64_t value, element e) {
  switch (e) {
    case element::boolean: return value != 0;
    case element::int8: return static_cast<std::int8_t>(value);
    case element::int16: return static_cast<std::int16_t>(value);
    case element::int32: return static_cast<std::int32_t>(value);
    case element::uint8: return static_cast<std::uint8_t>(value);
    case element::uint16: return static_cast<std::uint16_t>(value);
    case element::uint32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

/// The literal that a type stores so.
constexpr std::int64_t literal_of_stored(std::int64_t stored, element e) {
  double value = 0;
  switch (e) {
    case element::float16: value = half::of_bits(static_cast<std::uint16_t>(stored)); break;
    case element::bfloat16: value = bfloat16::of_bits(static_cast<std::uint16_t>(stored)); break;
    case element::float32:
      value = __builtin_bit_cast(float, static_cast<std::uint32_t>(stored));
      break;
    default: return wrap(stored, e);
  }
  return __builtin_bit_cast(std::int64_t, value);
}

}  // namespace kroton::core
