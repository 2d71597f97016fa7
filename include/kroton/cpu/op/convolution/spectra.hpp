// Transforms of squares of numbers whose lanes are channels, for products of spectra: forward into
// the order in which reversed digits count, and backward from it, so that nothing is reordered.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/fourier/factors.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <vector>

namespace kroton::cpu {

/// A batch of complex numbers.
template <class B>
struct complex_batch {
  B re, im;

  friend KROTON_INLINE complex_batch operator+(complex_batch const& a, complex_batch const& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend KROTON_INLINE complex_batch operator-(complex_batch const& a, complex_batch const& b) {
    return {a.re - b.re, a.im - b.im};
  }
  KROTON_INLINE complex_batch times_i() const { return {-im, re}; }
  /// The product with a number, which is conjugated where `Backward`.
  template <bool Backward, class T>
  KROTON_INLINE complex_batch rotated_by(T const (&root)[2]) const {
    B const c(root[0]), s(Backward ? -root[1] : root[1]);
    return {re * c - im * s, re * s + im * c};
  }
};

/// Transforms along lines of n elements, n a power of 2: radix 4, and 2 once. (W. M. Gentleman,
/// G. Sande: Fast Fourier Transforms for Fun and Profit, 1966)
template <class T>
class spectral_line {
  using B = xsimd::batch<T>;
  using number = complex_batch<B>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);

 public:
  /// The elements of T of a batch of complex numbers.
  static constexpr std::ptrdiff_t unit = 2 * width;

  explicit spectral_line(std::ptrdiff_t n) : n_(n), roots_(static_cast<std::size_t>(n)) {
    auto const size = static_cast<std::size_t>(n);
    for (std::size_t k = 0; k < size; ++k) {
      std::complex<double> const root = std::conj(fourier::root_of_unity(k, size));
      roots_[k].of[0] = static_cast<T>(root.real());
      roots_[k].of[1] = static_cast<T>(root.imag());
    }
  }
  /// In place; `step` elements of T from one number to the next.
  void forward(T* x, std::ptrdiff_t step) const {
    std::ptrdiff_t m = n_;
    for (; m >= 4; m /= 4)
      for (std::ptrdiff_t first = 0; first < n_; first += m)
        for (std::ptrdiff_t j = 0; j < m / 4; ++j) {
          T* const at = x + (first + j) * step;
          std::ptrdiff_t const q = m / 4 * step;
          number const a = load(at), b = load(at + q), c = load(at + 2 * q), d = load(at + 3 * q);
          number const even = a + c, odd = b + d, left = a - c, right = (b - d).times_i();
          store(at, even + odd);
          store(at + q, (even - odd).template rotated_by<false>(root(2 * j, m)));
          store(at + 2 * q, (left - right).template rotated_by<false>(root(j, m)));
          store(at + 3 * q, (left + right).template rotated_by<false>(root(3 * j, m)));
        }
    if (m == 2) pairs(x, step);
  }
  /// In place, times n.
  void backward(T* x, std::ptrdiff_t step) const {
    std::ptrdiff_t m = 1;
    while (4 * m <= n_) m *= 4;
    bool const has_pairs = m < n_;
    if (has_pairs) pairs(x, step);
    for (m = has_pairs ? 8 : 4; m <= n_; m *= 4)
      for (std::ptrdiff_t first = 0; first < n_; first += m)
        for (std::ptrdiff_t j = 0; j < m / 4; ++j) {
          T* const at = x + (first + j) * step;
          std::ptrdiff_t const q = m / 4 * step;
          number const a = load(at), b = load(at + q).template rotated_by<true>(root(2 * j, m)),
                       c = load(at + 2 * q).template rotated_by<true>(root(j, m)),
                       d = load(at + 3 * q).template rotated_by<true>(root(3 * j, m));
          number const even = a + b, odd = a - b, left = c + d, right = (c - d).times_i();
          store(at, even + left);
          store(at + q, odd + right);
          store(at + 2 * q, even - left);
          store(at + 3 * q, odd - right);
        }
  }
  static KROTON_INLINE number load(T const* at) {
    return {B::load_aligned(at), B::load_aligned(at + width)};
  }
  static KROTON_INLINE void store(T* at, number const& x) {
    x.re.store_aligned(at);
    x.im.store_aligned(at + width);
  }

 private:
  struct pair {
    T of[2];
  };
  T const (&root(std::ptrdiff_t k, std::ptrdiff_t m) const)[2] {
    return roots_[static_cast<std::size_t>(k * (n_ / m))].of;
  }
  void pairs(T* x, std::ptrdiff_t step) const {
    for (std::ptrdiff_t j = 0; j < n_; j += 2) {
      T* const at = x + j * step;
      number const a = load(at), b = load(at + step);
      store(at, a + b);
      store(at + step, a - b);
    }
  }

  std::ptrdiff_t n_;
  std::vector<pair> roots_;
};

/// Transforms of tiles of rows x columns numbers. Rows lie one number more than their length apart,
/// so that columns share no cache set.
template <class T>
class spectral_tile {
 public:
  static constexpr std::ptrdiff_t unit = spectral_line<T>::unit;

  spectral_tile(std::ptrdiff_t rows, std::ptrdiff_t columns)
      : rows_(rows), columns_(columns), along_rows_(columns), along_columns_(rows) {}

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t columns() const { return columns_; }
  std::ptrdiff_t row() const { return (columns_ + (rows_ > 1)) * unit; }
  std::ptrdiff_t size() const { return rows_ * row(); }
  /// Of which only the first rows are not zeros.
  void forward(T* x, std::ptrdiff_t some) const {
    for (std::ptrdiff_t i = 0; i < std::min(some, rows_); ++i)
      along_rows_.forward(x + i * row(), unit);
    for (std::ptrdiff_t j = 0; j < columns_ && rows_ > 1; ++j)
      along_columns_.forward(x + j * unit, row());
  }
  /// Of which only the first rows are needed; times the number of elements.
  void backward(T* x, std::ptrdiff_t some) const {
    for (std::ptrdiff_t j = 0; j < columns_ && rows_ > 1; ++j)
      along_columns_.backward(x + j * unit, row());
    for (std::ptrdiff_t i = 0; i < std::min(some, rows_); ++i)
      along_rows_.backward(x + i * row(), unit);
  }

 private:
  std::ptrdiff_t rows_, columns_;
  spectral_line<T> along_rows_, along_columns_;
};

}  // namespace kroton::cpu
