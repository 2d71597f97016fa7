// Products of small vectors and matrices without BLAS, whose calls cost more than they do.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/narrow_products.hpp>
#include <kroton/cpu/loop/lanes.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <cstdint>

namespace kroton::cpu::small {

/// The first lanes of a batch, at least one; the others hold the last element.
template <class T>
KROTON_INLINE xsimd::batch<T> load_first(T const* from, std::ptrdiff_t n) {
  alignas(64) std::byte buffer[64];
  load_few<static_cast<int>(sizeof(T)), static_cast<int>(xsimd::batch<T>::size)>(
      buffer, reinterpret_cast<std::byte const*>(from), n);
  return xsimd::batch<T>::load_aligned(reinterpret_cast<T const*>(buffer));
}
template <class T>
KROTON_INLINE void store_first(xsimd::batch<T> const& b, T* to, std::ptrdiff_t n) {
  alignas(64) T buffer[64 / sizeof(T)];
  b.store_aligned(buffer);
  store_few<static_cast<int>(sizeof(T)), static_cast<int>(xsimd::batch<T>::size)>(
      reinterpret_cast<std::byte*>(to), reinterpret_cast<std::byte const*>(buffer), n);
}

/// The inner product of so few elements that no batch is filled. A vector of elements that were
/// stored one by one would wait for them, and its lanes have to be added, so the compiler makes
/// none.
template <class T>
KROTON_INLINE T inner_of_few(T const* x, T const* y, std::ptrdiff_t n) {
  T sum(0);
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    i = unknown_value(i);
    sum += x[i] * y[i];
  }
  return sum;
}
template <class T>
constexpr bool are_few_elements(std::ptrdiff_t n) {
  return n <= machine::max_inner_of_elements &&
         n < static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
}
/// The inner product of a part of two vectors, in four sums, so that no addition waits for the one
/// before it. The first batch counts for so many elements as stand before aligned ones, if any do.
template <class T>
KROTON_INLINE T inner_of_part(T const* x, T const* y, std::ptrdiff_t n,
                              std::ptrdiff_t before_aligned) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  B sums[4]{B(T(0)), B(T(0)), B(T(0)), B(T(0))};
  if (before_aligned > 0)
    sums[3] = lane_window<T>::first(before_aligned)
                  .template of<op::sum>(B::load_unaligned(x) * B::load_unaligned(y));
  std::ptrdiff_t i = before_aligned;
  for (; i + 4 * width <= n; i += 4 * width)
    for (int k = 0; k < 4; ++k)
      sums[k] = xsimd::fma(B::load_unaligned(x + i + k * width),
                           B::load_unaligned(y + i + k * width), sums[k]);
  for (; i + width <= n; i += width)
    sums[0] = xsimd::fma(B::load_unaligned(x + i), B::load_unaligned(y + i), sums[0]);
  if (i < n)
    sums[1] = xsimd::select(first_lanes<T>(n - i),
                            xsimd::fma(load_first(x + i, n - i), load_first(y + i, n - i), sums[1]),
                            sums[1]);
  return horizontal<op::sum>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}
/// The inner product of two vectors. Parts that round little are added in double, those of floats
/// too. Of long ones all loads of x but the first are aligned.
template <class T>
KROTON_INLINE T inner(T const* x, T const* y, std::ptrdiff_t n) {
  constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
  constexpr std::ptrdiff_t part = 128 * width, long_vector = 32 * width;
  if (are_few_elements<T>(n)) return inner_of_few(x, y, n);
  if (n < long_vector) return inner_of_part(x, y, n, 0);
  constexpr std::size_t batch_bytes = sizeof(xsimd::batch<T>);
  std::size_t const beyond = reinterpret_cast<std::uintptr_t>(x) % batch_bytes;
  auto head = static_cast<std::ptrdiff_t>((batch_bytes - beyond) % batch_bytes / sizeof(T));
  double total = 0;
  for (std::ptrdiff_t i = 0, next; i < n; i = next, head = 0) {
    next = n - i < head + part ? n : i + head + part;
    total += static_cast<double>(inner_of_part(x + i, y + i, next - i, head));
  }
  return static_cast<T>(total);
}

/// The inner product of vectors that wait for memory, of which both halves are read at once: more
/// streams are faster than two.
template <class T>
T inner_of_halves(T const* x, T const* y, std::ptrdiff_t n) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  constexpr std::ptrdiff_t part = 64 * width;  // of each half
  std::ptrdiff_t const half = n / 2 / part * part;
  double total = 0;
  for (std::ptrdiff_t begin = 0; begin < half; begin += part) {
    B sums[4]{B(T(0)), B(T(0)), B(T(0)), B(T(0))};
    for (std::ptrdiff_t i = begin; i < begin + part; i += 2 * width)
      for (int k = 0; k < 4; ++k) {
        std::ptrdiff_t const at = i + k % 2 * width + k / 2 * half;
        sums[k] = xsimd::fma(B::load_unaligned(x + at), B::load_unaligned(y + at), sums[k]);
      }
    total += static_cast<double>(horizontal<op::sum>((sums[0] + sums[1]) + (sums[2] + sums[3])));
  }
  return static_cast<T>(total +
                        static_cast<double>(inner(x + 2 * half, y + 2 * half, n - 2 * half)));
}

/// Rows of a matrix times a vector, some rows at a time.
template <int Rows, class T>
KROTON_INLINE void rows_times_vector(T const* a, std::ptrdiff_t to_next, T const* x,
                                     std::ptrdiff_t n, scaling<T> by, T const* old, T* out) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  B sums[static_cast<std::size_t>(Rows)];
  for (auto& s : sums) s = B(T(0));
  std::ptrdiff_t i = 0;
  for (; i + width <= n; i += width) {
    B const v = B::load_unaligned(x + i);
    for (int r = 0; r < Rows; ++r)
      sums[r] = xsimd::fma(B::load_unaligned(a + r * to_next + i), v, sums[r]);
  }
  if (i < n) {
    B const v = load_first(x + i, n - i);
    for (int r = 0; r < Rows; ++r)
      sums[r] =
          xsimd::select(first_lanes<T>(n - i),
                        xsimd::fma(load_first(a + r * to_next + i, n - i), v, sums[r]), sums[r]);
  }
  for (int r = 0; r < Rows; ++r) out[r] = by.of(horizontal<op::sum>(sums[r]), old + r);
}
/// A matrix, whose rows lie `to_next` elements apart, times a vector: in a loop this waits for what
/// the step before has stored.
template <class T, bool InLoop = false>
KROTON_INLINE void matrix_times_vector(T const* a, std::ptrdiff_t to_next, std::ptrdiff_t rows,
                                       T const* x, std::ptrdiff_t n, scaling<T> by, T const* old,
                                       T* out) {
  std::ptrdiff_t i = 0;
  if (is_narrow_matrix<T>(rows, to_next, n))
    return narrow_matrix_times_vector(a, rows, x, n, by, old, out);
  std::ptrdiff_t const most = rows > machine::max_rows_of_elements ? machine::max_inner_of_many_rows
                              : InLoop ? machine::max_inner_of_elements
                                       : machine::max_inner_of_few_rows;
  if (n <= most && are_few_elements<T>(n)) {
    for (; i < rows; ++i) out[i] = by.of(inner_of_few(a + i * to_next, x, n), old + i);
    return;
  }
  for (; i + 4 <= rows; i += 4)
    rows_times_vector<4>(a + i * to_next, to_next, x, n, by, old + i, out + i);
  for (; i < rows; ++i) rows_times_vector<1>(a + i * to_next, to_next, x, n, by, old + i, out + i);
}

/// Some batches of columns of a vector times a matrix: a sum of scaled rows.
template <int Batches, class T>
KROTON_INLINE void vector_times_columns(T const* x, std::ptrdiff_t step, std::ptrdiff_t m,
                                        T const* b, std::ptrdiff_t to_next, scaling<T> by,
                                        T const* old, T* out) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  B sums[static_cast<std::size_t>(Batches)];
  for (auto& s : sums) s = B(T(0));
  for (std::ptrdiff_t i = 0; i < m; ++i) {
    B const factor(x[i * step]);
    for (int k = 0; k < Batches; ++k)
      sums[k] = xsimd::fma(B::load_unaligned(b + i * to_next + k * width), factor, sums[k]);
  }
  for (int k = 0; k < Batches; ++k) {
    B sum = B(by.alpha) * sums[k];
    if (by.beta != T(0)) sum = xsimd::fma(B(by.beta), B::load_unaligned(old + k * width), sum);
    sum.store_unaligned(out + k * width);
  }
}
/// A vector, whose elements lie `step` apart, times a matrix of n columns.
template <class T>
KROTON_INLINE void vector_times_matrix(T const* x, std::ptrdiff_t step, std::ptrdiff_t m,
                                       T const* b, std::ptrdiff_t to_next, std::ptrdiff_t n,
                                       scaling<T> by, T const* old, T* out) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  if (n == 1 && step == 1 && to_next == 1) {
    *out = by.of(inner(x, b, m), old);
    return;
  }
  if (step == 1 && is_narrow_matrix<T>(m, to_next, n))
    return vector_times_narrow_matrix(x, m, b, n, by, old, out);
  std::ptrdiff_t j = 0;
  for (; j + 4 * width <= n; j += 4 * width)
    vector_times_columns<4>(x, step, m, b + j, to_next, by, old + j, out + j);
  for (; j + width <= n; j += width)
    vector_times_columns<1>(x, step, m, b + j, to_next, by, old + j, out + j);
  if (j == n) return;
  B sum(T(0));
  for (std::ptrdiff_t i = 0; i < m; ++i)
    sum = xsimd::fma(load_first(b + i * to_next + j, n - j), B(x[i * step]), sum);
  sum = B(by.alpha) * sum;
  if (by.beta != T(0)) sum = xsimd::fma(B(by.beta), load_first(old + j, n - j), sum);
  store_first(sum, out + j, n - j);
}

}  // namespace kroton::cpu::small
