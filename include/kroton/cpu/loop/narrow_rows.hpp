// Rows of two to four elements as columns, and columns as such rows, in registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

#if defined(__SSE2__) && !defined(__CUDACC__)
/// How many elements fill a register.
template <class Word>
inline constexpr std::size_t largest_side =
    xsimd::batch<std::conditional_t<sizeof(Word) == 8, double, float>>::size;

/// Rows without gaps between them: as many registers as a row has elements hold whole rows, a
/// register for each column. Strides are in bytes.
template <class Word, int Columns>
class narrow_rows {
  static constexpr auto registers = static_cast<std::size_t>(Columns);
  using columns = std::make_integer_sequence<int, Columns>;

 public:
  static constexpr int side = largest_side<Word>;
  typedef Word line __attribute__((vector_size(side * sizeof(Word))));

  /// Calls visit(k, column) with each column of as many rows as a register has elements.
  template <class Visit>
  static KROTON_INLINE void for_columns(Word const* from, Visit const& visit) {
    line x[registers];
    std::memcpy(&x, from, sizeof x);
    visit_columns(x, visit, columns{});
  }
  /// Calls visit(k, line) with what multiplies register k of such rows, of a number for each row.
  template <class Visit>
  static KROTON_INLINE void for_repeated(Word const* from, Visit const& visit) {
    line x;
    std::memcpy(&x, from, sizeof x);
    visit_repeated(x, visit, columns{});
  }
  /// Returns how many rows are done: those that fill registers.
  static std::ptrdiff_t to_columns(std::byte* to, std::ptrdiff_t to_stride, std::byte const* from,
                                   std::ptrdiff_t n) {
    std::ptrdiff_t done = 0;
    for (; done + side <= n; done += side) {
      line x[registers];
      std::memcpy(&x, from + done * Columns * size, sizeof x);
      store_columns(to + done * size, to_stride, x, columns{});
    }
    return done;
  }
  /// The other way.
  static std::ptrdiff_t from_columns(std::byte* to, std::byte const* from,
                                     std::ptrdiff_t from_stride, std::ptrdiff_t n) {
    std::ptrdiff_t done = 0;
    for (; done + side <= n; done += side) {
      line x[registers];
      for (int k = 0; k < Columns; ++k)
        std::memcpy(&x[k], from + k * from_stride + done * size, sizeof(line));
      store_rows(to + done * Columns * size, x, columns{});
    }
    return done;
  }

 private:
  using lanes = std::make_integer_sequence<int, side>;
  static constexpr std::ptrdiff_t size = sizeof(Word);

  template <class Visit, int... K>
  static KROTON_INLINE void visit_columns(line const (&x)[registers], Visit const& visit,
                                          std::integer_sequence<int, K...>) {
    (visit(K, merged<column_of<K>>(x)), ...);
  }
  template <class Visit, int... K>
  static KROTON_INLINE void visit_repeated(line const& x, Visit const& visit,
                                           std::integer_sequence<int, K...>) {
    (visit(K, repeated<K>(x, lanes{})), ...);
  }
  template <int K, int... I>
  static KROTON_INLINE line repeated(line const& x, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, x, ((K * side + I) / Columns)...);
  }
  template <int... K>
  static KROTON_INLINE void store_columns(std::byte* to, std::ptrdiff_t stride,
                                          line const (&x)[registers],
                                          std::integer_sequence<int, K...>) {
    (store(to + K * stride, merged<column_of<K>>(x)), ...);
  }
  template <int... K>
  static KROTON_INLINE void store_rows(std::byte* to, line const (&x)[registers],
                                       std::integer_sequence<int, K...>) {
    (store(to + K * side * size, merged<rows_of<K>>(x)), ...);
  }
  static KROTON_INLINE void store(std::byte* to, line const& x) { std::memcpy(to, &x, sizeof x); }

  /// Where a lane of a result comes from.
  struct place {
    int line, lane;
  };
  /// Column K, of registers with rows.
  template <int K>
  struct column_of {
    static constexpr place at(int lane) {
      int const flat = lane * Columns + K;
      return {flat / side, flat % side};
    }
  };
  /// Register K of those with rows, of columns.
  template <int K>
  struct rows_of {
    static constexpr place at(int lane) {
      int const flat = K * side + lane;
      return {flat % Columns, flat / Columns};
    }
  };
  template <class From>
  static KROTON_INLINE line merged(line const (&x)[registers]) {
    line y = merge<From, 1>(x[0], x[1], lanes{});
    if constexpr (Columns > 2) y = merge<From, 2>(y, x[2], lanes{});
    if constexpr (Columns > 3) y = merge<From, 3>(y, x[3], lanes{});
    return y;
  }
  /// Puts the lanes that come from line L in place; those of earlier lines are there already,
  /// except that line 0 comes with line 1.
  template <class From, int L, int... I>
  static KROTON_INLINE line merge(line const& before, line const& x,
                                  std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(before, x,
                                   (From::at(I).line == L               ? side + From::at(I).lane
                                    : L == 1 && From::at(I).line == 0 ? From::at(I).lane
                                                                        : I)...);
  }
};
#endif

}  // namespace kroton::cpu
