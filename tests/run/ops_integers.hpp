// Operators on integers of one width against 128-bit arithmetic that is wrapped at the end; for the files that pick the types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

namespace ops_integers {

using namespace reference;
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

inline constexpr auto arithmetic = [](auto a, auto b) {
  return std::tuple(a + b, a - b, a * b, -a, a / b, floordiv(a, b), a % b, abs(a), sgn(a), sqr(a), minimum(a, b), maximum(a, b),
                    pow(a, b & 7), pow(a, 3), clip(a, 2, 100));
};
inline constexpr auto logic = [](auto a, auto b) {
  return std::tuple(a & b, a | b, a ^ b, ~a, a << (b & 7), a >> (b & 7), a << b, a >> b, a == b, a != b, a < b, a <= b, a > b,
                    a >= b, where(a < b, a, b));
};

inline wide floor_quotient(wide a, wide b) {
  if (b == 0) return 0;
  wide const q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
// A signed 128-bit product of two 64-bit numbers without sign would overflow.
inline wide modular_product(wide a, wide b) { return static_cast<wide>(static_cast<unsigned_wide>(a) * static_cast<unsigned_wide>(b)); }
// Wraps at every step: 128 bits do not hold powers.
template <class T>
T power(T a, unsigned n) {
  T result = 1;
  for (unsigned i = 0; i < n; ++i) result = static_cast<T>(modular_product(result, a));
  return result;
}

template <class T>
void check_arithmetic() {
  auto f = kt::function<kt::vector<T>, kt::vector<T>>(arithmetic);
  for (std::size_t n : lengths) {
    CAPTURE(n, sizeof(T), std::is_signed_v<T>);
    vec<T> const a = bits<T>(n, 1), b = bits<T>(n, 2);
    auto const r = f(a, b);
    static_assert(std::is_same_v<std::tuple_element_t<0, std::remove_const_t<decltype(r)>>, vec<T>>);
    static_assert(std::is_same_v<std::tuple_element_t<4, std::remove_const_t<decltype(r)>>, vec<double>>);
    auto x = [&](std::size_t i) { return static_cast<wide>(a(i)); };
    auto y = [&](std::size_t i) { return static_cast<wide>(b(i)); };
    auto same = [&](auto const& got, auto formula) {
      REQUIRE(got.size() == n);
      return mismatch(got, [&](std::size_t i) { return static_cast<T>(formula(x(i), y(i))); });
    };
    CHECK(same(std::get<0>(r), [](wide p, wide q) { return p + q; }) == "");
    CHECK(same(std::get<1>(r), [](wide p, wide q) { return p - q; }) == "");
    CHECK(same(std::get<2>(r), [](wide p, wide q) { return modular_product(p, q); }) == "");
    CHECK(same(std::get<3>(r), [](wide p, wide) { return -p; }) == "");
    CHECK(mismatch(std::get<4>(r), [&](std::size_t i) { return static_cast<double>(a(i)) / static_cast<double>(b(i)); }) == "");
    CHECK(same(std::get<5>(r), floor_quotient) == "");
    CHECK(same(std::get<6>(r), [](wide p, wide q) { return q == 0 ? 0 : p - floor_quotient(p, q) * q; }) == "");
    CHECK(same(std::get<7>(r), [](wide p, wide) { return p < 0 ? -p : p; }) == "");
    CHECK(same(std::get<8>(r), [](wide p, wide) { return (p > 0) - (p < 0); }) == "");
    CHECK(same(std::get<9>(r), [](wide p, wide) { return modular_product(p, p); }) == "");
    CHECK(same(std::get<10>(r), [](wide p, wide q) { return p < q ? p : q; }) == "");
    CHECK(same(std::get<11>(r), [](wide p, wide q) { return p < q ? q : p; }) == "");
    CHECK(same(std::get<12>(r), [](wide p, wide q) { return power(static_cast<T>(p), static_cast<unsigned>(q & 7)); }) == "");
    CHECK(same(std::get<13>(r), [](wide p, wide) { return power(static_cast<T>(p), 3); }) == "");
    CHECK(same(std::get<14>(r), [](wide p, wide) { return p < 2 ? 2 : p > 100 ? 100 : p; }) == "");
  }
}

template <class T>
void check_logic() {
  auto f = kt::function<kt::vector<T>, kt::vector<T>>(logic);
  constexpr wide width = 8 * sizeof(T);
  auto left = [](wide p, wide q) { return q < 0 || q >= width ? wide(0) : static_cast<wide>(static_cast<unsigned_wide>(p) << q); };
  auto right = [](wide p, wide q) { return q < 0 || q >= width ? (p < 0 ? wide(-1) : wide(0)) : p >> q; };
  for (std::size_t n : lengths) {
    CAPTURE(n, sizeof(T), std::is_signed_v<T>);
    vec<T> const a = bits<T>(n, 3), b = bits<T>(n, 4);
    auto const r = f(a, b);
    auto same = [&]<class R>(vec<R> const& got, auto formula) {
      REQUIRE(got.size() == n);
      return mismatch(got, [&](std::size_t i) { return static_cast<R>(formula(static_cast<wide>(a(i)), static_cast<wide>(b(i)))); });
    };
    CHECK(same(std::get<0>(r), [](wide p, wide q) { return p & q; }) == "");
    CHECK(same(std::get<1>(r), [](wide p, wide q) { return p | q; }) == "");
    CHECK(same(std::get<2>(r), [](wide p, wide q) { return p ^ q; }) == "");
    CHECK(same(std::get<3>(r), [](wide p, wide) { return ~p; }) == "");
    CHECK(same(std::get<4>(r), [&](wide p, wide q) { return left(p, q & 7); }) == "");
    CHECK(same(std::get<5>(r), [&](wide p, wide q) { return right(p, q & 7); }) == "");
    CHECK(same(std::get<6>(r), left) == "");
    CHECK(same(std::get<7>(r), right) == "");
    CHECK(same(std::get<8>(r), [](wide p, wide q) { return p == q; }) == "");
    CHECK(same(std::get<9>(r), [](wide p, wide q) { return p != q; }) == "");
    CHECK(same(std::get<10>(r), [](wide p, wide q) { return p < q; }) == "");
    CHECK(same(std::get<11>(r), [](wide p, wide q) { return p <= q; }) == "");
    CHECK(same(std::get<12>(r), [](wide p, wide q) { return p > q; }) == "");
    CHECK(same(std::get<13>(r), [](wide p, wide q) { return p >= q; }) == "");
    CHECK(same(std::get<14>(r), [](wide p, wide q) { return p < q ? p : q; }) == "");
  }
}

}  // namespace ops_integers
