// Vectors of a few lanes, whose number the compiler knows: for arrays that do not fill a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <cstring>
#include <utility>

namespace kroton::cpu {

#if defined(__CUDACC__)
#define KROTON_VECTORS_ARE_ARRAYS
#endif

/// W lanes, a power of two and no more than those of a batch.
template <class T, int W>
struct short_vector {
#if defined(KROTON_VECTORS_ARE_ARRAYS)
  using lanes = T[static_cast<std::size_t>(W)];
#else
  typedef T lanes __attribute__((vector_size(static_cast<std::size_t>(W) * sizeof(T))));
#endif
  lanes v;

  short_vector() = default;
  KROTON_INLINE explicit short_vector(T value) {
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < W; ++k) v[k] = value;
#else
    v = value - lanes{};  // keeps the sign of zero; of a loop g++ inserts lane after lane
#endif
  }
  static KROTON_INLINE short_vector load(T const* from) {
    short_vector x;
    std::memcpy(&x.v, from, sizeof x.v);
    return x;
  }
  /// From elements that lie `step` apart.
  static KROTON_INLINE short_vector load(T const* from, std::ptrdiff_t step) {
    if (step == 1) return load(from);
    short_vector x;
    for (int k = 0; k < W; ++k) x.v[k] = from[k * step];
    return x;
  }
  KROTON_INLINE void store(T* to) const { std::memcpy(to, &v, sizeof v); }

  /// a * b + c
  static KROTON_INLINE short_vector sum_of(short_vector const& a, short_vector const& b,
                                           short_vector const& c) {
    return each([](auto const& x, auto const& y, auto const& z) KROTON_INLINE_LAMBDA {
      return x * y + z;
    }, a, b, c);
  }
  KROTON_INLINE friend short_vector operator+(short_vector const& a, short_vector const& b) {
    return each([](auto const& x, auto const& y) KROTON_INLINE_LAMBDA { return x + y; }, a, b);
  }
  KROTON_INLINE friend short_vector operator-(short_vector const& a, short_vector const& b) {
    return each([](auto const& x, auto const& y) KROTON_INLINE_LAMBDA { return x - y; }, a, b);
  }
  KROTON_INLINE friend short_vector operator*(short_vector const& a, short_vector const& b) {
    return each([](auto const& x, auto const& y) KROTON_INLINE_LAMBDA { return x * y; }, a, b);
  }
  KROTON_INLINE friend short_vector operator/(short_vector const& a, short_vector const& b) {
    return each([](auto const& x, auto const& y) KROTON_INLINE_LAMBDA { return x / y; }, a, b);
  }
  KROTON_INLINE friend short_vector operator-(short_vector const& a) {
    return each([](auto const& x) KROTON_INLINE_LAMBDA { return -x; }, a);
  }

 private:
  template <class Op, class... V>
  static KROTON_INLINE short_vector each(Op const& op, V const&... operands) {
    short_vector x;
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < W; ++k) x.v[k] = op(operands.v[k]...);
#else
    x.v = op(operands.v...);
#endif
    return x;
  }
};
template <class T>
struct short_vector<T, 1> {
  T v;

  short_vector() = default;
  KROTON_INLINE explicit short_vector(T value) : v(value) {}
  static KROTON_INLINE short_vector load(T const* from, std::ptrdiff_t = 1) {
    return short_vector(*from);
  }
  KROTON_INLINE void store(T* to) const { *to = v; }

  static KROTON_INLINE short_vector sum_of(short_vector a, short_vector b, short_vector c) {
    return short_vector(a.v * b.v + c.v);
  }
  KROTON_INLINE friend short_vector operator+(short_vector a, short_vector b) {
    return short_vector(a.v + b.v);
  }
  KROTON_INLINE friend short_vector operator-(short_vector a, short_vector b) {
    return short_vector(a.v - b.v);
  }
  KROTON_INLINE friend short_vector operator*(short_vector a, short_vector b) {
    return short_vector(a.v * b.v);
  }
  KROTON_INLINE friend short_vector operator/(short_vector a, short_vector b) {
    return short_vector(a.v / b.v);
  }
  KROTON_INLINE friend short_vector operator-(short_vector a) { return short_vector(-a.v); }
};

/// Lanes of two vectors, those of the second counted behind those of the first.
template <int... Lane, class T, int W>
KROTON_INLINE auto picked(short_vector<T, W> const& a, short_vector<T, W> const& b) {
  short_vector<T, static_cast<int>(sizeof...(Lane))> x;
  if constexpr (sizeof...(Lane) == 1) {
    int const lane[] = {Lane...};
    x.v = lane[0] < W ? a.v[lane[0]] : b.v[lane[0] - W];
  } else if constexpr (W == 1) {
    for (int k = 0; int const lane : {Lane...}) x.v[k++] = lane == 0 ? a.v : b.v;
  } else {
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; int const lane : {Lane...}) x.v[k++] = lane < W ? a.v[lane] : b.v[lane - W];
#else
    x.v = __builtin_shufflevector(a.v, b.v, Lane...);
#endif
  }
  return x;
}
/// Two vectors one behind the other.
template <class T, int W, int... Lane>
KROTON_INLINE auto joined(short_vector<T, W> const& a, short_vector<T, W> const& b,
                          std::integer_sequence<int, Lane...>) {
  return picked<Lane...>(a, b);
}
/// The first half of a vector plus the second.
template <class T, int W, int... Lane>
KROTON_INLINE auto halves_added(short_vector<T, W> const& a, std::integer_sequence<int, Lane...>) {
  return picked<Lane...>(a, a) + picked<(Lane + W / 2)...>(a, a);
}

/// The sums of the lanes of R vectors, R one of 1, 2 and 4.
template <int R, class T, int W>
KROTON_INLINE short_vector<T, R> sums_of_lanes(short_vector<T, W> const* rows) {
  if constexpr (W > R) {
    short_vector<T, W / 2> halves[static_cast<std::size_t>(R)];
    for (int r = 0; r < R; ++r)
      halves[r] = halves_added(rows[r], std::make_integer_sequence<int, W / 2>{});
    return sums_of_lanes<R>(halves);
  } else if constexpr (R == 1) {
    return rows[0];
  } else if constexpr (W < R) {
    return joined(sums_of_lanes<R / 2>(rows), sums_of_lanes<R / 2>(rows + R / 2),
                  std::make_integer_sequence<int, R>{});
  } else if constexpr (R == 2) {
    return picked<0, 2>(rows[0], rows[1]) + picked<1, 3>(rows[0], rows[1]);
  } else {
    static_assert(R == 4);
    // Neighbours first: these do not leave a half of the vector, in which shuffles are cheap.
    auto const ab = picked<0, 4, 2, 6>(rows[0], rows[1]) + picked<1, 5, 3, 7>(rows[0], rows[1]),
               cd = picked<0, 4, 2, 6>(rows[2], rows[3]) + picked<1, 5, 3, 7>(rows[2], rows[3]);
    return picked<0, 1, 4, 5>(ab, cd) + picked<2, 3, 6, 7>(ab, cd);
  }
}

/// How many of the next n elements one vector takes: a power of two, and a batch at most.
template <class T>
constexpr int lanes_of_next(int n, int most = static_cast<int>(xsimd::batch<T>::size)) {
  while (most > n) most /= 2;
  return most;
}

}  // namespace kroton::cpu
