// Products whose extents the compiler knows, a few of each, written out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/small_products.hpp>
#include <kroton/cpu/simd/short_vectors.hpp>

namespace kroton::cpu::small {

/// alpha * sums + beta * old, or the sums alone.
template <class T>
struct scaled_sums {
  scaling<T> by;
  template <int W>
  KROTON_INLINE short_vector<T, W> of(short_vector<T, W> const& sums, T const* old) const {
    using V = short_vector<T, W>;
    V const scaled = V(by.alpha) * sums;
    return by.beta == T(0) ? scaled : V::sum_of(V(by.beta), V::load(old), scaled);
  }
};
struct plain_sums {
  template <class T, int W>
  KROTON_INLINE short_vector<T, W> of(short_vector<T, W> const& sums, T const*) const {
    return sums;
  }
};

/// Calls a function with the numbers from 0 to N - 1 as constants: compilers may leave a loop over
/// registers as it is.
template <int N, class Each>
KROTON_INLINE void for_each_of(Each const& each) {
  [&]<int... I>(std::integer_sequence<int, I...>) KROTON_INLINE_LAMBDA {
    (each(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, N>{});
}

/// The columns from J on of rows of K factors times a matrix of K rows, whose columns lie side by
/// side: sums of scaled rows, some columns at a time. Rows of the result lie side by side.
template <int Rows, int K, int Columns, int J = 0, class T, class Scaled>
KROTON_INLINE void written_rows(T const* a, std::ptrdiff_t to_next_row, std::ptrdiff_t to_next,
                                T const* b, std::ptrdiff_t to_next_row_of_b, Scaled const& scaled,
                                T const* old, T* out) {
  constexpr int width = lanes_of_next<T>(Columns - J);
  using V = short_vector<T, width>;
  V rows[static_cast<std::size_t>(K)];
  for_each_of<K>([&](auto k) KROTON_INLINE_LAMBDA {
    rows[k] = V::load(b + k * to_next_row_of_b + J);
  });
  for_each_of<Rows>([&](auto i) KROTON_INLINE_LAMBDA {
    T const* const factors = a + i * to_next_row;
    V sum = V(factors[0]) * rows[0];
    for_each_of<K - 1>([&](auto k) KROTON_INLINE_LAMBDA {
      sum = V::sum_of(V(factors[(k + 1) * to_next]), rows[k + 1], sum);
    });
    scaled.of(sum, old + i * Columns + J).store(out + i * Columns + J);
  });
  if constexpr (J + width < Columns)
    written_rows<Rows, K, Columns, J + width>(a, to_next_row, to_next, b, to_next_row_of_b, scaled,
                                              old, out);
}

/// The inner products of R dense rows with a vector, of their elements from At on.
template <int R, int K, int At, class T>
KROTON_INLINE short_vector<T, R> written_sums(T const* a, std::ptrdiff_t to_next_row, T const* x) {
  constexpr int width = lanes_of_next<T>(K - At), count = (K - At) / width,
                next = At + count * width;
  using V = short_vector<T, width>;
  V products[static_cast<std::size_t>(R)];
  for_each_of<count>([&](auto c) KROTON_INLINE_LAMBDA {
    constexpr int begin = At + c * width;
    V const factor = V::load(x + begin);
    for_each_of<R>([&](auto r) KROTON_INLINE_LAMBDA {
      V const row = V::load(a + r * to_next_row + begin);
      if constexpr (c == 0) products[r] = row * factor;
      else products[r] = V::sum_of(row, factor, products[r]);
    });
  });
  if constexpr (next == K) return sums_of_lanes<R>(products);
  else return sums_of_lanes<R>(products) + written_sums<R, K, next>(a, to_next_row, x);
}
/// The rows from I on of a matrix, each of K elements that lie dense, times a vector.
template <int Rows, int K, int I = 0, class T, class Scaled>
KROTON_INLINE void written_columns(T const* a, std::ptrdiff_t to_next_row, T const* x,
                                   Scaled const& scaled, T const* old, T* out) {
  // No more than a batch: g++ warns of vectors that the instructions do not have.
  constexpr int batch = lanes_of_next<T>(Rows - I), together = batch < 4 ? batch : 4;
  scaled.of(written_sums<together, K, 0>(a + I * to_next_row, to_next_row, x), old + I)
      .store(out + I);
  if constexpr (I + together < Rows)
    written_columns<Rows, K, I + together>(a, to_next_row, x, scaled, old, out);
}

}  // namespace kroton::cpu::small
