// What the run-time tests share: numbers to feed, lengths with every kind of tail, and comparisons that say what differs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace reference {

namespace kt = kroton;

inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// False where the suite is built for a mode that interprets.
inline constexpr bool runs_compiled = kt::functions::default_mode::run == kt::execution::compiled;
/// True where it is built for the mode that only interprets: numbers are computed as arrays are, and sums are less exact.
inline constexpr bool interprets = kt::functions::default_mode::run == kt::execution::interpreted;
/// False where the suite is built for a mode that computes the expression as written next to it at every call, so that what is
/// printed, counted and allocated is that of both.
inline constexpr bool runs_once =
    kt::functions::default_mode::run != kt::execution::debugged && kt::functions::default_mode::run != kt::execution::debugged_finite;

/// Lengths around the widths of batches and their multiples, and 0.
inline constexpr std::size_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 1000};

template <class T>
using vec = xt::xtensor<T, 1>;
template <class T>
using mat = xt::xtensor<T, 2>;

/// Equal up to a relative difference, and NaN equals NaN. A bound of 0 asks for the same value.
template <class A, class B>
bool close(A a, B b, double relative = 0, double absolute = 0) {
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B>) {
    return a == static_cast<A>(b);
  } else if constexpr (kt::core::is_complex_number<A>) {
    A const wanted(b);
    return std::abs(a - wanted) <= std::fmax(relative * std::abs(wanted), absolute);
  } else {
    double const x = static_cast<double>(a), y = static_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    if (x == y) return true;
    return std::fabs(x - y) <= std::fmax(relative * std::fabs(y), absolute);
  }
}

/// A number as an error shows it.
template <class T>
std::string shown(T v) {
  char text[80];
  if constexpr (kt::core::is_complex_number<T>)
    std::snprintf(text, sizeof text, "%.17g%+.17gi", static_cast<double>(v.real()), static_cast<double>(v.imag()));
  else
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(v));
  return text;
}

/// The indices of all elements of an array, in row-major order.
class indices {
 public:
  template <class Shape>
  explicit indices(Shape const& shape) : shape_(shape.begin(), shape.end()), at_(shape_.size()) {}
  std::size_t operator[](std::size_t axis) const { return at_[axis]; }
  void next() {
    for (std::size_t d = at_.size(); d-- > 0;) {
      if (++at_[d] < shape_[d]) return;
      at_[d] = 0;
    }
  }
  std::string text() const {
    std::string at;
    for (auto i : at_) at += (at.empty() ? "at " : ", ") + std::to_string(i);
    return at;
  }

 private:
  std::vector<std::size_t> shape_, at_;
};

template <class F, std::size_t... D>
auto at(F& f, indices const& i, std::index_sequence<D...>) {
  return f(i[D]...);
}

/// Walks over all elements; the text of the first that is not what `expected(indices...)` says, else "".
template <class Array, class F>
std::string mismatch(Array const& got, F expected, double relative = 0, double absolute = 0) {
  constexpr std::make_index_sequence<std::tuple_size_v<typename Array::shape_type>> axes{};
  indices index(got.shape());
  for (std::size_t rest = got.size(); rest > 0; --rest, index.next()) {
    auto const want = at(expected, index, axes);
    auto const have = at(got, index, axes);
    if (!close(have, want, relative, absolute))
      return index.text() + " of " + std::to_string(got.size()) + ": " + shown(have) + " instead of " + shown(want);
  }
  return {};
}

/// Numbers without a pattern that a wrong index would hide, in [-1, 1) scaled.
template <class T>
vec<T> numbers(std::size_t n, unsigned seed = 1, double low = -1, double high = 1) {
  vec<T> v(std::array<std::size_t, 1>{n});
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    double const unit = static_cast<double>(state >> 11) / 9007199254740992.0, x = low + (high - low) * unit;
    // Integers wrap, which a conversion from floating-point numbers does not.
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) v(i) = static_cast<T>(static_cast<std::int64_t>(x));
    else v(i) = static_cast<T>(x);
  }
  return v;
}
template <class T>
mat<T> matrix(std::size_t n, std::size_t m, unsigned seed = 1, double low = -1, double high = 1) {
  mat<T> a(std::array<std::size_t, 2>{n, m});
  vec<T> const v = numbers<T>(n * m, seed, low, high);
  for (std::size_t i = 0; i < n * m; ++i) a.data()[i] = v(i);
  return a;
}
/// All bits random, and the extreme values among the first: integers of every size.
template <class T>
vec<T> bits(std::size_t n, unsigned seed = 1) {
  vec<T> v(std::array<std::size_t, 1>{n});
  using limits = std::numeric_limits<T>;
  T const special[] = {T(0), T(1), static_cast<T>(-1), limits::min(), limits::max(), T(2), T(3)};
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ull + 1;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    v(i) = state % 3 == 0 ? special[(state >> 40) % 7] : static_cast<T>(state >> 33 >> (state >> 20) % 24);
  }
  return v;
}

/// The sentence of the error that a call throws, or nothing.
template <class Error, class F>
std::string sentence(F const& call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return {};
}

}  // namespace reference
