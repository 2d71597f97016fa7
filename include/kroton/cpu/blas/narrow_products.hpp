// Products of a vector with a dense matrix of two to four columns: registers full of rows are taken
// apart into columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/scaling.hpp>
#include <kroton/cpu/loop/narrow_rows.hpp>

namespace kroton::cpu::small {

/// Whether a matrix, whose rows lie `to_next` elements apart, is dense and has two to four columns.
constexpr bool is_narrow(std::ptrdiff_t to_next, std::ptrdiff_t columns) {
  return to_next == columns && columns >= 2 && columns <= 4;
}

#if defined(__SSE2__) && !defined(__CUDACC__)
template <class T, int Columns>
class narrow_matrix {
  using rows = narrow_rows<T, Columns>;
  using line = typename rows::line;
  static constexpr auto registers = static_cast<std::size_t>(Columns);

 public:
  static constexpr std::ptrdiff_t at_once = rows::side;

  /// The matrix times x. Returns how many rows are done.
  static std::ptrdiff_t times_vector(T const* m, std::ptrdiff_t count, T const* x, scaling<T> by,
                                     T const* old, T* out) {
    T const alpha = by.alpha, beta = by.beta;
    T factors[registers];
    for (std::size_t k = 0; k < registers; ++k) factors[k] = x[k];
    std::ptrdiff_t done = 0;
    for (; done + at_once <= count; done += at_once) {
      line sum{};
      rows::for_columns(m + done * Columns, [&](int k, line const& column) KROTON_INLINE_LAMBDA {
        sum += column * factors[k];
      });
      sum *= alpha;
      if (beta != T(0)) {
        line before;
        std::memcpy(&before, old + done, sizeof before);
        sum += before * beta;
      }
      std::memcpy(out + done, &sum, sizeof sum);
    }
    return done;
  }
  /// Adds x times the matrix to one sum for each column. Returns how many rows are done.
  static std::ptrdiff_t vector_times(T const* x, T const* m, std::ptrdiff_t count, T* sums) {
    line even[registers]{}, odd[registers]{};  // so that fewer additions wait for each other
    std::ptrdiff_t done = 0;
    for (; done + 2 * at_once <= count; done += 2 * at_once) {
      add(x + done, m + done * Columns, even);
      add(x + done + at_once, m + (done + at_once) * Columns, odd);
    }
    for (int k = 0; k < Columns; ++k) {
      line const sum = even[k] + odd[k];
      for (int i = 0; i < at_once; ++i) sums[(k * at_once + i) % Columns] += sum[i];
    }
    return done;
  }

 private:
  static KROTON_INLINE void add(T const* x, T const* m, line (&sums)[registers]) {
    rows::for_repeated(x, [&](int k, line const& factor) KROTON_INLINE_LAMBDA {
      line elements;
      std::memcpy(&elements, m + k * at_once, sizeof elements);
      sums[k] += factor * elements;
    });
  }
};

/// Whether a matrix is one of these and has enough rows.
template <class T>
constexpr bool is_narrow_matrix(std::ptrdiff_t rows, std::ptrdiff_t to_next,
                                std::ptrdiff_t columns) {
  return is_narrow(to_next, columns) && rows >= 2 * narrow_matrix<T, 2>::at_once;
}
/// Calls run with the matrix of so many columns.
template <class T, class Run>
KROTON_INLINE void with_narrow_matrix(std::ptrdiff_t columns, Run const& run) {
  if (columns == 2) run(narrow_matrix<T, 2>{});
  else if (columns == 3) run(narrow_matrix<T, 3>{});
  else run(narrow_matrix<T, 4>{});
}
// Not inlined, so that other small products remain short.
template <class T>
[[gnu::noinline]] void narrow_matrix_times_vector(T const* m, std::ptrdiff_t rows, T const* x,
                                                  std::ptrdiff_t columns, scaling<T> by,
                                                  T const* old, T* out) {
  std::ptrdiff_t i = 0;
  with_narrow_matrix<T>(columns,
                        [&](auto narrow) { i = narrow.times_vector(m, rows, x, by, old, out); });
  for (; i < rows; ++i) {
    T sum(0);
    for (std::ptrdiff_t k = 0; k < columns; ++k) sum += m[i * columns + k] * x[k];
    out[i] = by.of(sum, old + i);
  }
}
template <class T>
[[gnu::noinline]] void vector_times_narrow_matrix(T const* x, std::ptrdiff_t rows, T const* m,
                                                  std::ptrdiff_t columns, scaling<T> by,
                                                  T const* old, T* out) {
  T sums[4]{};
  std::ptrdiff_t i = 0;
  with_narrow_matrix<T>(columns, [&](auto narrow) { i = narrow.vector_times(x, m, rows, sums); });
  for (; i < rows; ++i)
    for (std::ptrdiff_t k = 0; k < columns; ++k) sums[k] += x[i] * m[i * columns + k];
  for (std::ptrdiff_t k = 0; k < columns; ++k) out[k] = by.of(sums[k], old + k);
}
#else
template <class T>
constexpr bool is_narrow_matrix(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t) {
  return false;
}
template <class T>
void narrow_matrix_times_vector(T const*, std::ptrdiff_t, T const*, std::ptrdiff_t, scaling<T>,
                                T const*, T*) {}
template <class T>
void vector_times_narrow_matrix(T const*, std::ptrdiff_t, T const*, std::ptrdiff_t, scaling<T>,
                                T const*, T*) {}
#endif

}  // namespace kroton::cpu::small
