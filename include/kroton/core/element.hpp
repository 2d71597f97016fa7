// Element types: their names, their C++ types, and NumPy's promotion.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/half.hpp>
#include <kroton/core/layers.hpp>

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace kroton {

/// The element type of a tensor, in the order of NumPy's kinds.
enum class element : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  complex64,
  complex128,
  float16,
  bfloat16
};

namespace core {

/// The number of element types, and of those that ops compute with, which come first. The others
/// are only stored, and computed with as float32.
inline constexpr std::size_t element_types = static_cast<std::size_t>(element::bfloat16) + 1,
                             computed_types = static_cast<std::size_t>(element::complex128) + 1;

constexpr bool is_bool(element e) { return e == element::boolean; }
constexpr bool is_signed(element e) { return e >= element::int8 && e <= element::int64; }
constexpr bool is_unsigned(element e) { return e >= element::uint8 && e <= element::uint64; }
constexpr bool is_integer(element e) { return is_signed(e) || is_unsigned(e); }
/// The floating-point types of 16 bits.
constexpr bool is_short(element e) { return e >= element::float16; }
constexpr bool is_float(element e) {
  return e == element::float32 || e == element::float64 || is_short(e);
}
constexpr bool is_complex(element e) { return e == element::complex64 || e == element::complex128; }
/// The type that ops compute with values of a type in.
constexpr element computed_as(element e) { return is_short(e) ? element::float32 : e; }
/// Gradients flow through values of these types.
constexpr bool is_continuous(element e) { return is_float(e) || is_complex(e); }

constexpr int bytes_of(element e) {
  constexpr int bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 2, 2};
  return bytes[static_cast<int>(e)];
}

constexpr std::string_view name_of(element e) {
  constexpr std::string_view names[] = {
      "bool",   "int8",    "int16",   "int32",     "int64",      "uint8",   "uint16",  "uint32",
      "uint64", "float32", "float64", "complex64", "complex128", "float16", "bfloat16"};
  return names[static_cast<int>(e)];
}

constexpr element signed_of(int bytes) {
  return bytes == 1   ? element::int8
         : bytes == 2 ? element::int16
         : bytes == 4 ? element::int32
                      : element::int64;
}
constexpr element unsigned_of(int bytes) {
  return bytes == 1   ? element::uint8
         : bytes == 2 ? element::uint16
         : bytes == 4 ? element::uint32
                      : element::uint64;
}

/// The element type of a C++ arithmetic or complex type.
template <class T>
constexpr element element_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::same_as<U, bool>) return element::boolean;
  else if constexpr (std::same_as<U, float>) return element::float32;
  else if constexpr (std::same_as<U, double>) return element::float64;
  else if constexpr (std::same_as<U, long double>) return element::float64;
  else if constexpr (std::same_as<U, std::complex<float>>) return element::complex64;
  else if constexpr (std::same_as<U, std::complex<double>>) return element::complex128;
  else if constexpr (std::same_as<U, half>) return element::float16;
  else if constexpr (std::same_as<U, bfloat16>) return element::bfloat16;
  else if constexpr (std::signed_integral<U>) return signed_of(sizeof(U));
  else if constexpr (std::unsigned_integral<U>) return unsigned_of(sizeof(U));
  else {
    static_assert(
        std::integral<U>,
        "kt: the element type must be bool, an integer, kt::half, kt::bfloat16, float, double or a "
        "std::complex of the last two");
    return element::float64;
  }
}

template <element E> struct value_of;
template <> struct value_of<element::boolean> { using type = bool; };
template <> struct value_of<element::int8> { using type = std::int8_t; };
template <> struct value_of<element::int16> { using type = std::int16_t; };
template <> struct value_of<element::int32> { using type = std::int32_t; };
template <> struct value_of<element::int64> { using type = std::int64_t; };
template <> struct value_of<element::uint8> { using type = std::uint8_t; };
template <> struct value_of<element::uint16> { using type = std::uint16_t; };
template <> struct value_of<element::uint32> { using type = std::uint32_t; };
template <> struct value_of<element::uint64> { using type = std::uint64_t; };
template <> struct value_of<element::float32> { using type = float; };
template <> struct value_of<element::float64> { using type = double; };
template <> struct value_of<element::complex64> { using type = std::complex<float>; };
template <> struct value_of<element::complex128> { using type = std::complex<double>; };
template <> struct value_of<element::float16> { using type = half; };
template <> struct value_of<element::bfloat16> { using type = bfloat16; };
/// The C++ type of an element type.
template <element E>
using value_t = typename value_of<E>::type;

/// Whether T is one of the two complex types.
template <class T>
inline constexpr bool is_complex_number =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// A number as another type, converted as in C++; a real number becomes the real part of a complex
/// one.
template <class To, class From>
constexpr To converted(From x) {
  if constexpr (is_complex_number<To> && !is_complex_number<From>)
    return To(static_cast<typename To::value_type>(x));
  else return static_cast<To>(x);
}

/// The element type of the real and imaginary parts; for a real type, the type itself.
constexpr element real_of(element e) {
  return e == element::complex64    ? element::float32
         : e == element::complex128 ? element::float64
                                    : e;
}
/// The complex type whose parts have the given floating-point type.
constexpr element complex_of(element e) {
  return e == element::float64 ? element::complex128 : is_float(e) ? element::complex64 : e;
}

/// The result type of floating-point functions: float32 for int8, int16 and bool, float64 for wider
/// integers.
constexpr element floating(element e) {
  if (is_continuous(e)) return e;
  return bytes_of(e) <= 2 ? element::float32 : element::float64;
}

/// NumPy's promotion of two element types, with float32 where NumPy would give float16.
constexpr element promote(element a, element b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) {
    auto wide = [](element e) {
      return e == element::complex128 || floating(e) == element::float64;
    };
    return wide(a) || wide(b) ? element::complex128 : element::complex64;
  }
  if (is_short(a) || is_short(b)) {
    element const beside = is_short(a) ? b : a;
    if (is_short(beside)) return element::float32;
    bool const is_exact = is_integer(beside) && bytes_of(beside) == 1;
    return is_bool(beside) || is_exact ? (is_short(a) ? a : b) : floating(beside);
  }
  if (is_float(a) || is_float(b)) return floating(a) > floating(b) ? floating(a) : floating(b);
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_signed(a) == is_signed(b)) return bytes_of(a) > bytes_of(b) ? a : b;
  int const s = bytes_of(is_signed(a) ? a : b);
  int const u = bytes_of(is_signed(a) ? b : a);
  if (s > u) return signed_of(s);
  return u == 8 ? element::float64 : signed_of(2 * u);
}

/// Whether every value of one type is a value of another.
constexpr bool is_lossless(element from, element to) {
  if (from == to || is_bool(from)) return true;
  if (is_complex(to)) return is_lossless(real_of(from), real_of(to));
  if (is_bool(to) || is_complex(from) || (is_float(from) && !is_float(to))) return false;
  if (is_short(from) && is_short(to)) return false;  // neither has all of the other's
  auto const digits = [](element e) {
    switch (e) {
      case element::float16: return std::numeric_limits<half>::digits;
      case element::bfloat16: return std::numeric_limits<bfloat16>::digits;
      case element::float32: return std::numeric_limits<float>::digits;
      case element::float64: return std::numeric_limits<double>::digits;
      default: return 8 * bytes_of(e) - (is_signed(e) ? 1 : 0);
    }
  };
  return digits(from) <= digits(to) && (!is_unsigned(to) || is_unsigned(from));
}

/// The element type that a plain number takes next to a tensor of type `e`: a literal never widens
/// a tensor of its kind, and a complex literal makes a floating-point tensor complex without
/// changing its precision.
template <class Number>
constexpr element literal_element(element e) {
  constexpr element own = element_of<Number>();
  if (is_complex(own)) return promote(is_continuous(e) ? element::complex64 : own, e);
  if (is_float(own)) return is_continuous(e) ? e : element::float64;
  if (is_bool(own)) return e;
  return is_bool(e) ? element::int64 : e;
}

}  // namespace core

/// A plain number, which can be a literal operand next to a symbolic variable.
template <class T>
concept number =
    std::is_arithmetic_v<std::remove_cvref_t<T>> ||
    core::is_complex_number<std::remove_cvref_t<T>> || core::is_short_float<std::remove_cvref_t<T>>;

}  // namespace kroton
