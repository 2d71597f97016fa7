// Products of a vector with a dense matrix of two to four columns: registers full of rows are taken
// apart into columns.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/scaling.hpp>
#include <kroton/cpu/loop/narrow_rows.hpp>

namespace kroton::cpu::small {

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
    for (std::size_t k = 0; k < registers; ++k) factors[k] = alpha * x[k];
    std::ptrdiff_t done = 0;
    for (; done + at_once <= count; done += at_once) {
      line sum{};
      rows::for_columns(m + done * Columns, [&](int k, line const& column) KROTON_INLINE_LAMBDA {
        sum += column * factors[k];
      });
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

/// Calls run(narrow_matrix) for a dense matrix that has one, and enough rows; false otherwise.
template <class T, class Run>
bool with_narrow_matrix(std::ptrdiff_t rows, std::ptrdiff_t to_next, std::ptrdiff_t columns,
                        Run const& run) {
  if (to_next != columns || rows < 2 * narrow_matrix<T, 2>::at_once) return false;
  if (columns == 2) return run(narrow_matrix<T, 2>{}), true;
  if (columns == 3) return run(narrow_matrix<T, 3>{}), true;
  if (columns == 4) return run(narrow_matrix<T, 4>{}), true;
  return false;
}
#else
template <class T, class Run>
bool with_narrow_matrix(std::ptrdiff_t, std::ptrdiff_t, std::ptrdiff_t, Run const&) {
  return false;
}
#endif

}  // namespace kroton::cpu::small
