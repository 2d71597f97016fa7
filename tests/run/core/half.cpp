// Numbers of 16 bits: every pattern, and roundings to the nearest, beside the compiler's own type.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/core/element.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace kt = kroton;
using kt::half;
using kt::core::element_of;
using kt::core::promote;

namespace {

// What lies between: half the way from one number to the next is rounded to the even one.
template <class T>
void check_neighbours() {
  using limits = std::numeric_limits<T>;
  int failed = 0;
  for (std::uint32_t b = 0; b < std::bit_cast<std::uint16_t>(limits::infinity()); ++b) {
    auto const bits = static_cast<std::uint16_t>(b);
    double const low = T::of_bits(bits);
    bool const is_last = bits == limits::max().bits;
    double const next = is_last ? low + (low - T::of_bits(static_cast<std::uint16_t>(bits - 1)))
                                : T::of_bits(static_cast<std::uint16_t>(bits + 1));
    double const middle = (low + next) / 2, less = std::nextafter(middle, 0.),
                 more = std::nextafter(middle, 2 * next);
    auto const even = static_cast<std::uint16_t>(bits + bits % 2);
    auto const up = static_cast<std::uint16_t>(bits + 1);
    failed += T(low).bits != bits || T(middle).bits != even || T(less).bits != bits ||
              T(more).bits != up || T(-middle).bits != (even | 0x8000);
    auto const single = static_cast<float>(middle);  // exact
    failed += T(single).bits != even || T(std::nextafterf(single, 0.f)).bits != bits ||
              T(std::nextafterf(single, std::numeric_limits<float>::infinity())).bits != up;
  }
  CHECK(failed == 0);
  CHECK(T(std::numeric_limits<double>::infinity()).bits == limits::infinity().bits);
  CHECK(T(1e300).bits == limits::infinity().bits);
  CHECK(std::isnan(T(std::numeric_limits<double>::quiet_NaN())));
  CHECK(std::isnan(T(std::bit_cast<float>(0xffffffffu))));
  CHECK(T(-0.).bits == 0x8000);
}

}  // namespace

TEST_CASE("every number of 16 bits is a float, and that float rounds to it") {
  int failed = 0;
  for (std::uint32_t b = 0; b < 0x10000; ++b) {
    auto const bits = static_cast<std::uint16_t>(b);
    float const h = half::of_bits(bits), f = kt::bfloat16::of_bits(bits);
    if (!std::isnan(h)) failed += half(h).bits != bits;
    if (!std::isnan(f)) failed += kt::bfloat16(f).bits != bits || f != std::bit_cast<float>(b << 16);
  }
  CHECK(failed == 0);
  CHECK(half::of_bits(0x3555) == 0.333251953125f);
  CHECK(half::of_bits(0x0001) == 0x1p-24f);
  CHECK(half::of_bits(0x7bff) == 65504.f);
}

TEST_CASE("numbers are rounded to the nearest of 16 bits, of two to the even one") {
  check_neighbours<half>();
  check_neighbours<kt::bfloat16>();
}

#if defined(__FLT16_MAX__)
TEST_CASE("half rounds as the compiler's type does") {
  std::mt19937_64 random(20);
  int failed = 0;
  for (int i = 0; i < 1000000; ++i) {
    auto const bits = random();
    auto const f = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    std::uint64_t const exponent = 990 + bits % 60;
    auto const d = std::bit_cast<double>((bits & 0x800fffffffffffffu) | exponent << 52);
    failed += !std::isnan(f) && half(f).bits != std::bit_cast<std::uint16_t>(_Float16(f));
    failed += half(d).bits != std::bit_cast<std::uint16_t>(_Float16(d));
  }
  CHECK(failed == 0);
}
#endif

TEST_CASE("numbers of 16 bits have limits, and are floats in expressions") {
  using limits = std::numeric_limits<half>;
  static_assert(limits::max() == 65504.f && limits::min() == 0x1p-14f);
  static_assert(limits::epsilon() == 0x1p-10f && limits::digits == 11);
  static_assert(std::numeric_limits<kt::bfloat16>::max() == 0x1.fep127f);
  static_assert(std::numeric_limits<kt::bfloat16>::epsilon() == 0x1p-7f);
  static_assert(std::is_same_v<decltype(half(1) + half(2)), float>);
  static_assert(half(1.5f) * 2 == 3.f && half(2) > half(1));
  static_assert(std::is_trivial_v<half> && sizeof(half) == 2);
}

TEST_CASE("large integers are rounded once, and numbers of 16 bits to each other") {
  int failed = 0;
  for (int q = 54; q < 62; ++q)
    for (std::int64_t last : {-1, 0, 1}) {
      std::int64_t const middle = (std::int64_t{1} << q) + (std::int64_t{1} << (q - 8)) + last;
      float const low = std::ldexp(1.f, q), next = std::ldexp(1 + 0x1p-7f, q);
      float const wanted = last > 0 ? next : low;
      failed += kt::bfloat16(middle) != wanted || kt::bfloat16(-middle) != -wanted;
    }
  CHECK(failed == 0);
  CHECK(half(std::uint64_t{1} << 63) == std::numeric_limits<float>::infinity());
  CHECK(kt::bfloat16(half(1.5f)) == 1.5f);
  half sum(1);
  sum += half(2);
  sum *= 3;
  CHECK(sum == 9.f);
}

TEST_CASE("element types of 16 bits are promoted as NumPy's") {
  using enum kt::element;
  static_assert(element_of<half>() == float16 && element_of<kt::bfloat16>() == kt::element::bfloat16);
  static_assert(promote(float16, float16) == float16 && promote(float16, float32) == float32);
  static_assert(promote(float16, kt::element::bfloat16) == float32);
  static_assert(promote(float64, float16) == float64);
  static_assert(promote(boolean, float16) == float16 && promote(int8, float16) == float16);
  static_assert(promote(float16, uint8) == float16 && promote(float16, int16) == float32);
  static_assert(promote(float16, int32) == float64 && promote(float16, uint64) == float64);
  static_assert(promote(float16, complex64) == complex64);
}

TEST_CASE("every value of one element type is a value of another, or not") {
  using enum kt::element;
  using kt::core::is_lossless;
  static_assert(is_lossless(int8, float16) && !is_lossless(int16, float16));
  static_assert(is_lossless(uint8, kt::element::bfloat16) && is_lossless(boolean, float16));
  static_assert(is_lossless(float16, float32) && is_lossless(float16, complex64));
  static_assert(!is_lossless(float16, kt::element::bfloat16) && !is_lossless(float32, float16));
  static_assert(is_lossless(int32, float64) && !is_lossless(int32, float32));
  static_assert(!is_lossless(int64, float64) && is_lossless(uint32, int64));
  static_assert(!is_lossless(int8, uint64) && !is_lossless(complex64, float64));
}
