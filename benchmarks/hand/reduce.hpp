// The limit's reductions: several vectors of partial sums, and passes by rows that stay in the first-level cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "vector_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace hand {

/// Which lanes are below a number.
template <class T>
auto below(std::size_t n) {
  alignas(64) static constexpr T number[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return batch<T>::load_aligned(number) < batch<T>(static_cast<T>(n));
}
/// The lanes of x below a number, or from it on; 0 in the others.
template <class T>
batch<T> lanes_below(batch<T> x, std::size_t n) {
  return xsimd::select(below<T>(n), x, batch<T>(T(0)));
}
template <class T>
batch<T> lanes_from(batch<T> x, std::size_t n) {
  return xsimd::select(below<T>(n), batch<T>(T(0)), x);
}

/// The sum over n elements at x, by add(partial sums, i), which takes the batch of elements from i on; `one` gives a single
/// term. The ends are batches that overlap the others; of long arrays all loads between them are aligned.
template <class T, class F, class G>
T sum_of(T const* x, std::size_t n, F add, G one) {
  constexpr std::size_t width = batch<T>::size, parts = 4;
  T total = 0;
  if (n < 2 * width) {
    for (std::size_t i = 0; i < n; ++i) total += one(i);
    return total;
  }
  batch<T> const zero(T(0));
  std::array<batch<T>, parts> s{zero, zero, zero, zero};
  std::size_t i = 0;
  if (n >= 32 * width) {
    i = (sizeof(batch<T>) - reinterpret_cast<std::uintptr_t>(x) % sizeof(batch<T>)) / sizeof(T);
    s[0] = lanes_below(add(zero, 0), i);
  }
  for (; i + parts * width <= n; i += parts * width)
    for (std::size_t k = 0; k < parts; ++k) s[k] = add(s[k], i + k * width);
  for (std::size_t k = 1; i + width <= n; i += width, ++k) s[k] = add(s[k], i);
  if (i < n) s[0] += lanes_from(add(zero, n - width), width - (n - i));
  return xsimd::hadd((s[0] + s[1]) + (s[2] + s[3]));
}

/// The sum of `add` over n elements, a multiple of two batches, and as many that begin `gap` behind them: two streams from memory are faster
/// than one.
template <class T, class F>
T sum_of_two(std::size_t n, std::size_t gap, F add) {
  constexpr std::size_t width = batch<T>::size;
  batch<T> const zero(T(0));
  std::array<batch<T>, 4> s{zero, zero, zero, zero};
  for (std::size_t i = 0; i < n; i += 2 * width) {
    s[0] = add(s[0], i);
    s[1] = add(s[1], i + width);
    s[2] = add(s[2], i + gap);
    s[3] = add(s[3], i + gap + width);
  }
  return xsimd::hadd((s[0] + s[1]) + (s[2] + s[3]));
}

template <class T>
T sum_part(T const* x, std::size_t n) {
  return sum_of(
      x, n, [=](batch<T> s, std::size_t i) { return s + batch<T>::load_unaligned(x + i); },
      [=](std::size_t i) { return x[i]; });
}
template <class T>
T dot_part(T const* x, T const* y, std::size_t n) {
  return sum_of(
      x, n,
      [=](batch<T> s, std::size_t i) {
        return xsimd::fma(batch<T>::load_unaligned(x + i), batch<T>::load_unaligned(y + i), s);
      },
      [=](std::size_t i) { return x[i] * y[i]; });
}

/// Sums of blocks in double, so that those of floats are as good as they would be in pairs; of more than the caches hold, of two blocks
/// at once. `part` gives the sum of so many elements, `add` adds a batch.
template <class T, class F, class G>
double in_blocks(std::size_t n, F part, G add) {
  constexpr std::size_t block = 4096, beyond_caches = (std::size_t{22} << 20) / sizeof(T);
  std::size_t const half = n < beyond_caches ? 0 : n / 2 / block * block;
  double total = 0;
  for (std::size_t i = 0; i < half; i += block)
    total += static_cast<double>(sum_of_two<T>(block, half, [=](batch<T> s, std::size_t j) { return add(s, i + j); }));
  for (std::size_t i = 2 * half; i < n; i += block) total += static_cast<double>(part(i, std::min(block, n - i)));
  return total;
}

template <class T>
T sum(T const* x, std::size_t n) {
  return static_cast<T>(in_blocks<T>(
      n, [=](std::size_t i, std::size_t m) { return sum_part(x + i, m); },
      [=](batch<T> s, std::size_t i) { return s + batch<T>::load_unaligned(x + i); }));
}
template <class T>
T dot(T const* x, T const* y, std::size_t n) {
  return static_cast<T>(in_blocks<T>(
      n, [=](std::size_t i, std::size_t m) { return dot_part(x + i, y + i, m); },
      [=](batch<T> s, std::size_t i) { return xsimd::fma(batch<T>::load_unaligned(x + i), batch<T>::load_unaligned(y + i), s); }));
}

/// The sum of squared distances from a mean.
template <class T>
T squares_from(T const* x, T mean, std::size_t n) {
  return sum_of(
      x, n,
      [=](batch<T> s, std::size_t i) {
        batch<T> const d = batch<T>::load_unaligned(x + i) - mean;
        return xsimd::fma(d, d, s);
      },
      [=](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
}

/// The variance, reading x once: mean and squares of a block while it is in the cache, joined as by Chan, Golub and LeVeque.
template <class T>
T variance(T const* x, std::size_t n) {
  constexpr std::size_t block = 2048;
  double mean = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < n; i += block) {
    std::size_t const m = std::min(block, n - i);
    T const here = sum_part(x + i, m) / static_cast<T>(m);
    double const k = static_cast<double>(m), d = static_cast<double>(here) - mean;
    squares += static_cast<double>(squares_from(x + i, here, m)) + d * d * count * k / (count + k);
    mean += d * k / (count + k);
    count += k;
  }
  return static_cast<T>(squares / count);
}

template <class T>
void row_sums(T* y, T const* x, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i) y[i] = sum_part(x + i * columns, columns);
}
/// Some rows at a time, so that the sums are read and written less often than x is read.
template <class T>
void column_sums(T* y, T const* x, std::size_t rows, std::size_t columns) {
  constexpr std::size_t width = batch<T>::size, together = 8;
  std::fill(y, y + columns, T(0));
  for (std::size_t i = 0; i < rows; i += together) {
    std::size_t const n = std::min(together, rows - i);
    std::size_t j = 0;
    for (; n == together && j + width <= columns; j += width) {
      batch<T> s = batch<T>::load_unaligned(y + j);
      for (std::size_t k = 0; k < together; ++k) s += batch<T>::load_unaligned(x + (i + k) * columns + j);
      s.store_unaligned(y + j);
    }
    for (; j < columns; ++j)
      for (std::size_t k = 0; k < n; ++k) y[j] += x[(i + k) * columns + j];
  }
}

template <class T>
T largest(T const* x, std::size_t n) {
  constexpr std::size_t width = batch<T>::size;
  if (n < 4 * width) return *std::max_element(x, x + n);
  std::array<batch<T>, 4> m;
  for (std::size_t k = 0; k < 4; ++k) m[k] = batch<T>::load_unaligned(x + k * width);
  std::size_t i = 4 * width;
  for (; i + 4 * width <= n; i += 4 * width)
    for (std::size_t k = 0; k < 4; ++k) m[k] = xsimd::max(m[k], batch<T>::load_unaligned(x + i + k * width));
  for (; i + width <= n; i += width) m[0] = xsimd::max(m[0], batch<T>::load_unaligned(x + i));
  T lanes[width], most = x[n - 1];
  xsimd::max(xsimd::max(m[0], m[1]), xsimd::max(m[2], m[3])).store_unaligned(lanes);
  for (T lane : lanes) most = std::max(most, lane);
  for (; i < n; ++i) most = std::max(most, x[i]);
  return most;
}

/// y = f(x) of a row; `f` on batches, the last elements in one that is filled up with zeros.
template <class T, class F>
void map_row(T* y, T const* x, std::size_t n, F f) {
  constexpr std::size_t width = batch<T>::size;
  std::size_t i = 0;
  for (; i + width <= n; i += width) f(batch<T>::load_unaligned(x + i), i).store_unaligned(y + i);
  if (i == n) return;
  T rest[width] = {};
  std::copy(x + i, x + n, rest);
  f(batch<T>::load_unaligned(rest), i).store_unaligned(rest);
  std::copy(rest, rest + (n - i), y + i);
}

/// e^(x - largest) of a row into y; their sum.
template <class T>
T exponentials(T* y, T const* x, std::size_t n, T most) {
  map_row(y, x, n, [=](batch<T> v, std::size_t) { return exp(v - most); });
  return sum_part(y, n);
}
template <class T>
void softmax(T* y, T const* x, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i, x += columns, y += columns) {
    T const scale = 1 / exponentials(y, x, columns, largest(x, columns));
    map_row(y, y, columns, [=](batch<T> v, std::size_t) { return v * scale; });
  }
}
/// The sum of e^(x - largest) of a row, which need not be kept.
template <class T>
T sum_of_exponentials(T const* x, std::size_t n, T most) {
  constexpr std::size_t width = batch<T>::size;
  auto at = [=](std::size_t i) { return exp(batch<T>::load_unaligned(x + i) - most); };
  batch<T> a(T(0)), b(T(0));
  if (n < width) {
    T row[width] = {};
    std::copy(x, x + n, row);
    return xsimd::hadd(lanes_below(exp(batch<T>::load_unaligned(row) - most), n));
  }
  std::size_t i = 0;
  for (; i + 2 * width <= n; i += 2 * width) {
    a += at(i);
    b += at(i + width);
  }
  if (i + width <= n) {
    a += at(i);
    i += width;
  }
  if (i < n) b += lanes_from(at(n - width), width - (n - i));
  return xsimd::hadd(a + b);
}
template <class T>
void log_softmax(T* y, T const* x, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i, x += columns, y += columns) {
    T const most = largest(x, columns);
    T const all = sum_of_exponentials(x, columns, most), shift = most + std::log(all);
    map_row(y, x, columns, [=](batch<T> v, std::size_t) { return v - shift; });
  }
}
/// The mean cross-entropy of rows and labels, and its gradient.
template <class T>
T cross_entropy(T* gradient, T const* x, std::int64_t const* labels, std::size_t rows, std::size_t columns) {
  T total = 0;
  T const share = T(1) / static_cast<T>(rows);
  for (std::size_t i = 0; i < rows; ++i, x += columns, gradient += columns) {
    T const most = largest(x, columns), all = exponentials(gradient, x, columns, most), scale = share / all;
    map_row(gradient, gradient, columns, [=](batch<T> v, std::size_t) { return v * scale; });
    total += std::log(all) - (x[labels[i]] - most);
    gradient[labels[i]] -= share;
  }
  return total * share;
}
/// Rows less their mean, over the square root of their variance, times a scale plus a shift by column; columns fill batches.
template <class T>
void layer_norm(T* y, T const* x, T const* scale, T const* shift, std::size_t rows, std::size_t columns) {
  for (std::size_t i = 0; i < rows; ++i, x += columns, y += columns) {
    T const mean = sum_part(x, columns) / static_cast<T>(columns);
    T const inverse = 1 / std::sqrt(squares_from(x, mean, columns) / static_cast<T>(columns) + T(1e-5));
    map_row(y, x, columns, [=](batch<T> v, std::size_t j) {
      return xsimd::fma((v - mean) * inverse, batch<T>::load_unaligned(scale + j), batch<T>::load_unaligned(shift + j));
    });
  }
}

}  // namespace hand
