// Numbers of 16 bits, which are stored; formulas compute with them in float.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace kroton {

struct half;
struct bfloat16;

namespace core {

/// Where the bits of a format stand: a sign, the exponent, the mantissa.
template <int MantissaBits>
struct short_format {
  static constexpr int mantissa_bits = MantissaBits, exponent_bits = 15 - MantissaBits;
  /// The bits of a float that have no place.
  static constexpr int dropped = 23 - mantissa_bits;
  /// Of a float: the least exponent of a normal number of the format, and infinity.
  static constexpr std::uint32_t least_normal = (128u - (1u << (exponent_bits - 1)) + 1) << 23,
                                 infinity = 0xffu << 23;
  /// Of the format: infinity.
  static constexpr std::uint32_t infinite = ((1u << exponent_bits) - 1) << mantissa_bits;
  /// 2 to the difference of the exponents' biases, which shifts an exponent by a multiplication.
  static constexpr float scale =
      std::bit_cast<float>((127u + 128u - (1u << (exponent_bits - 1))) << 23);
};

template <class T>
struct format_of;
template <>
struct format_of<half> : short_format<10> {};
template <>
struct format_of<bfloat16> : short_format<7> {};

template <class Format>
inline constexpr bool has_floats_exponents = Format::exponent_bits == 8;

/// One of two, by a condition or by a mask of lanes. The functions here take a number, as uint32_t
/// and float, or a vector of them.
template <class Mask, class U>
KROTON_FN U either(Mask const& mask, U const& yes, U const& no) {
  if constexpr (std::same_as<Mask, bool>) return mask ? yes : no;
  else return ((U)mask & yes) | (~(U)mask & no);
}

/// A float rounded to a format: to the nearest, of two nearest to the even one; what is too large
/// is infinite. In the low bits of U.
template <class Format, class U, class F>
KROTON_FN U shortened(F const& x) {
  U const bits = __builtin_bit_cast(U, x), size = bits & 0x7fffffffu;
  U const odd = (size >> Format::dropped) & 1u;
  constexpr std::uint32_t below_half_unit = (1u << (Format::dropped - 1)) - 1,
                          quiet = Format::infinite | 1u << (Format::mantissa_bits - 1);
  if constexpr (has_floats_exponents<Format>) {
    U const rounded = (bits + below_half_unit + odd) >> Format::dropped;
    return either(size > Format::infinity, (bits >> Format::dropped) | quiet, rounded);
  } else {
    constexpr std::uint32_t bias = Format::least_normal - (1u << 23);
    U rounded = (size - bias + below_half_unit + odd) >> Format::dropped;
    rounded = either(rounded > Format::infinite, U{} + Format::infinite, rounded);
    rounded = either(size > Format::infinity, U{} + quiet, rounded);
    // Below the normal numbers the last bits of a sum with a large number are those of the format.
    constexpr std::uint32_t large = Format::least_normal + (std::uint32_t{Format::dropped} << 23);
    F const sum = __builtin_bit_cast(F, size) + std::bit_cast<float>(large);
    rounded = either(size < Format::least_normal, __builtin_bit_cast(U, sum) - large, rounded);
    return rounded | ((bits >> 16) & 0x8000u);
  }
}

/// A number of a format, in the low bits of U, as a float, which is exact.
template <class Format, class F, class U>
KROTON_FN F lengthened(U const& x) {
  if constexpr (has_floats_exponents<Format>) {
    U const bits = x << Format::dropped;
    return __builtin_bit_cast(F, bits);
  } else {
    U const size = x & 0x7fffu, shifted = size << Format::dropped;
    F const scaled = __builtin_bit_cast(F, shifted) * Format::scale;
    U const special = either(size >= Format::infinite, U{} + Format::infinity, U{});
    U const bits = __builtin_bit_cast(U, scaled) | special | ((x & 0x8000u) << 16);
    return __builtin_bit_cast(F, bits);
  }
}

/// A double as a float that a second rounding, to a format, does not round twice: cut off, with its
/// last bit set where something is lost. (Round to odd: S. Boldo and G. Melquiond, 2008)
KROTON_FN float rounded_to_odd(double x) {
  constexpr double highest = std::numeric_limits<float>::max();
  if (x > highest || x < -highest || x != x)
    return x > highest    ? std::numeric_limits<float>::max()
           : x < -highest ? -std::numeric_limits<float>::max()
                          : std::numeric_limits<float>::quiet_NaN();
  float const nearest = static_cast<float>(x);
  double const again = static_cast<double>(nearest);
  if (again == x) return nearest;
  std::uint32_t const bits = __builtin_bit_cast(std::uint32_t, nearest);
  bool const is_beyond = x < 0 ? again < x : again > x;
  return __builtin_bit_cast(float, (bits - (is_beyond ? 1u : 0u)) | 1u);
}

/// What half and bfloat16 have in common.
template <class Own>
struct short_float {
  std::uint16_t bits;

  short_float() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || requires { T::bits; })
  KROTON_FN explicit short_float(T x)
      : bits(static_cast<std::uint16_t>(shortened<format_of<Own>, std::uint32_t>(as_float(x)))) {}
  KROTON_FN operator float() const {
    return lengthened<format_of<Own>, float>(static_cast<std::uint32_t>(bits));
  }
  // Sums and products are computed as float, and rounded.
  template <class T>
  friend constexpr Own& operator+=(Own& a, T b) {
    return a = Own(a + b);
  }
  template <class T>
  friend constexpr Own& operator-=(Own& a, T b) {
    return a = Own(a - b);
  }
  template <class T>
  friend constexpr Own& operator*=(Own& a, T b) {
    return a = Own(a * b);
  }
  template <class T>
  friend constexpr Own& operator/=(Own& a, T b) {
    return a = Own(a / b);
  }

  static constexpr Own of_bits(std::uint16_t bits) {
    Own x(0.f);
    x.bits = bits;
    return x;
  }

 private:
  template <class T>
  static KROTON_FN float as_float(T x) {
    if constexpr (std::same_as<T, float> || requires { T::bits; }) return x;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) return of_integer(x);
    else return rounded_to_odd(static_cast<double>(x));
  }
  // A double has 53 of 64 bits: the last one says whether anything is lost.
  template <class T>
  static KROTON_FN float of_integer(T x) {
    bool const is_negative = std::cmp_less(x, 0);
    auto const bits = static_cast<std::uint64_t>(x);
    std::uint64_t size = is_negative ? -bits : bits;
    constexpr std::uint64_t lost = 0x7ff;
    if (size >> 53 != 0) size = (size & ~lost) | ((size & lost) != 0 ? lost + 1 : 0);
    double const rounded = static_cast<double>(size);
    return rounded_to_odd(is_negative ? -rounded : rounded);
  }
};

}  // namespace core

/// A number of 16 bits with 10 of mantissa: IEEE 754's binary16, NumPy's float16. 1/1024 between 1
/// and the next, 65504 at most. Converts to float, which computes; from numbers explicitly, rounded
/// to the nearest.
struct half : core::short_float<half> {
  half() = default;
  using core::short_float<half>::short_float;
};

/// A number of 16 bits with the exponent of float and 7 bits of mantissa. 1/128 between 1 and the
/// next. Converts to float, which computes; from numbers explicitly, rounded to the nearest.
struct bfloat16 : core::short_float<bfloat16> {
  bfloat16() = default;
  using core::short_float<bfloat16>::short_float;
};

namespace core {

/// Whether T is one of the types that are stored but not computed with.
template <class T>
inline constexpr bool is_short_float = std::same_as<T, half> || std::same_as<T, bfloat16>;

template <class T, class Format = format_of<T>>
struct short_float_limits : std::numeric_limits<float> {
  static constexpr int digits = Format::mantissa_bits + 1, digits10 = (digits - 1) * 30103 / 100000,
                       max_digits10 = digits * 30103 / 100000 + 2,
                       max_exponent = 1 << (Format::exponent_bits - 1),
                       min_exponent = 3 - max_exponent,
                       max_exponent10 = (max_exponent - 1) * 30103 / 100000,
                       min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr T bits(std::uint32_t b) { return T::of_bits(static_cast<std::uint16_t>(b)); }
  static constexpr T max() noexcept { return bits(Format::infinite - 1); }
  static constexpr T lowest() noexcept { return bits(0x8000u | (Format::infinite - 1)); }
  static constexpr T min() noexcept { return bits(1u << Format::mantissa_bits); }
  static constexpr T denorm_min() noexcept { return bits(1); }
  static constexpr T infinity() noexcept { return bits(Format::infinite); }
  static constexpr T quiet_NaN() noexcept {
    return bits(Format::infinite | 1u << (Format::mantissa_bits - 1));
  }
  static constexpr T signaling_NaN() noexcept { return bits(Format::infinite | 1u); }
  static constexpr T epsilon() noexcept {
    return T(std::bit_cast<float>((127u - Format::mantissa_bits) << 23));
  }
  static constexpr T round_error() noexcept { return T(.5f); }
};

}  // namespace core
}  // namespace kroton

template <>
struct std::numeric_limits<kroton::half> : kroton::core::short_float_limits<kroton::half> {};
template <>
struct std::numeric_limits<kroton::bfloat16> : kroton::core::short_float_limits<kroton::bfloat16> {
};
