// Matrices transposed in registers, and copies of arrays that do so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/copy.hpp>
#include <kroton/cpu/loop/narrow_rows.hpp>
#include <kroton/cpu/simd/written_out.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

#if defined(__SSE2__) && !defined(__CUDACC__)
/// Transposes squares that fill registers. Strides are in bytes.
template <class Word, std::size_t Side = largest_side<Word>>
struct square {
  static constexpr std::size_t side = Side;
  typedef Word row __attribute__((vector_size(side * sizeof(Word))));

  /// Stores the first rows of the result; of the source, so many are read.
  static KROTON_INLINE void transpose(std::byte* to, std::ptrdiff_t to_stride,
                                      std::byte const* from, std::ptrdiff_t from_stride,
                                      std::ptrdiff_t rows = side, std::ptrdiff_t read = side) {
    row x[side];
    written_out<side>([&](int i) KROTON_INLINE_LAMBDA {
      x[i] = row{};
      if (i < read) std::memcpy(&x[i], from + i * from_stride, sizeof(row));
    });
    halve<side>(x);
    written_out<side>([&](int i) KROTON_INLINE_LAMBDA {
      if (i < rows) std::memcpy(to + i * to_stride, &x[i], sizeof(row));
    });
  }

 private:
  /// Every row of the first half with that of the second; as often as a side can be halved, rows
  /// become columns.
  template <std::size_t N>
  static KROTON_INLINE void halve(row (&x)[side]) {
    row y[side];
    written_out<side / 2>([&](int i) KROTON_INLINE_LAMBDA {
      interleave<0>(y[2 * i], x[i], x[i + int{side / 2}], std::make_index_sequence<side>());
      interleave<side / 2>(y[2 * i + 1], x[i], x[i + int{side / 2}],
                           std::make_index_sequence<side>());
    });
    written_out<side>([&](int i) KROTON_INLINE_LAMBDA { x[i] = y[i]; });
    if constexpr (N > 2) halve<N / 2>(x);
  }
  template <std::size_t First, std::size_t... J>
  static KROTON_INLINE void interleave(row& to, row const& a, row const& b,
                                       std::index_sequence<J...>) {
    to = __builtin_shufflevector(a, b, (First + J / 2 + J % 2 * side)...);
  }
};
#endif

/// core::transposition where elements fill registers: square by square.
struct transposition_in_registers {
  static void run(std::byte* to, std::byte const* from, int bytes, copied_axis const& row,
                  copied_axis const& column) {
#if defined(__SSE2__) && !defined(__CUDACC__)
    if (row.from == 1 && column.to == 1) {
      if (bytes == 8) return run<std::uint64_t>(to, from, row, column);
      if (bytes == 4) return run<std::uint32_t>(to, from, row, column);
    }
#endif
    core::transposition::run(to, from, bytes, row, column);
  }

#if defined(__SSE2__) && !defined(__CUDACC__)
 private:
  template <class Word>
  static void run(std::byte* to, std::byte const* from, copied_axis const& row,
                  copied_axis const& column) {
    std::ptrdiff_t done = 0;
    if (column.from == row.extent && narrows<Word>(row.extent)) {
      with_columns(row.extent, [&](auto columns) {
        done = narrow_rows<Word, columns>::to_columns(to, row.to * size<Word>, from, column.extent);
      });
      to += done * size<Word>;
      from += done * column.from * size<Word>;
      return in_squares<Word>(to, from, row, {column.extent - done, column.to, column.from});
    }
    if (row.to == column.extent && narrows<Word>(column.extent)) {
      with_columns(column.extent, [&](auto columns) {
        done = narrow_rows<Word, columns>::from_columns(to, from, column.from * size<Word>,
                                                        row.extent);
      });
      to += done * row.to * size<Word>;
      from += done * size<Word>;
      return in_squares<Word>(to, from, {row.extent - done, row.to, row.from}, column);
    }
    in_squares<Word>(to, from, row, column);
  }
  template <class Word>
  static constexpr std::ptrdiff_t size = sizeof(Word);
  template <class Word>
  static constexpr bool narrows(std::ptrdiff_t columns) {
    constexpr std::ptrdiff_t side = largest_side<Word>;
    return columns >= 2 && columns <= 4 && columns < side;
  }
  /// Calls `go` with two to four as a constant.
  template <class Go>
  static KROTON_INLINE void with_columns(std::ptrdiff_t columns, Go const& go) {
    if (columns == 2) go(std::integral_constant<int, 2>{});
    else if (columns == 3) go(std::integral_constant<int, 3>{});
    else go(std::integral_constant<int, 4>{});
  }
  template <class Word, std::size_t Side = largest_side<Word>>
  static void in_squares(std::byte* to, std::byte const* from, copied_axis const& row,
                         copied_axis const& column) {
    constexpr auto side = static_cast<std::ptrdiff_t>(Side);
    if (row.extent >= side && column.extent >= side) {
      squares<Word, Side>(to, from, row, column);
    } else if (2 * row.extent > side && column.extent >= side && column.from >= row.extent) {
      narrow_source<Word, Side>(to, from, row, column);
    } else if (2 * column.extent > side && row.extent >= side && row.to == column.extent) {
      narrow_target<Word, Side>(to, from, row, column);
    } else {
      if constexpr (Side > 2) in_squares<Word, Side / 2>(to, from, row, column);
      else core::transposition::run(to, from, sizeof(Word), row, column);
    }
  }
  /// The last squares overlap those before.
  template <class Word, std::size_t Side>
  static void squares(std::byte* to, std::byte const* from, copied_axis const& row,
                      copied_axis const& column) {
    constexpr std::ptrdiff_t side = Side, size = sizeof(Word);
    for (std::ptrdiff_t i = 0; i < row.extent; i += side)
      for (std::ptrdiff_t j = 0; j < column.extent; j += side) {
        std::ptrdiff_t const r = std::min(i, row.extent - side),
                             c = std::min(j, column.extent - side);
        square<Word, Side>::transpose(to + (r * row.to + c) * size, row.to * size,
                                      from + (r + c * column.from) * size, column.from * size);
      }
  }
  /// The source's rows are shorter than a side: what follows them is read, too, and not stored.
  template <class Word, std::size_t Side>
  static void narrow_source(std::byte* to, std::byte const* from, copied_axis const& row,
                            copied_axis const& column) {
    constexpr std::ptrdiff_t side = Side, size = sizeof(Word);
    // Behind the last rows there may be nothing to read.
    std::ptrdiff_t const rest = (side - row.extent + column.from - 1) / column.from;
    std::ptrdiff_t c = 0;
    for (; c + side + rest <= column.extent; c += side)
      square<Word, Side>::transpose(to + c * size, row.to * size, from + c * column.from * size,
                                    column.from * size, row.extent);
    core::transposition::run(to + c * size, from + c * column.from * size, sizeof(Word), row,
                             {column.extent - c, column.to, column.from});
  }
  /// The target's rows are shorter than a side and follow each other: what is stored behind one is
  /// stored again with the next ones.
  template <class Word, std::size_t Side>
  static void narrow_target(std::byte* to, std::byte const* from, copied_axis const& row,
                            copied_axis const& column) {
    constexpr std::ptrdiff_t side = Side, size = sizeof(Word);
    std::ptrdiff_t const rest = (side - column.extent + row.to - 1) / row.to;
    std::ptrdiff_t r = 0;
    for (; r + side + rest <= row.extent; r += side)
      square<Word, Side>::transpose(to + r * row.to * size, row.to * size, from + r * size,
                                    column.from * size, side, column.extent);
    core::transposition::run(to + r * row.to * size, from + r * size, sizeof(Word),
                             {row.extent - r, row.to, row.from}, column);
  }
#endif
};

/// core::copy, with matrices transposed in registers.
inline void copy_array(array_ref const& to, array_ref const& from) {
  core::copy_with<transposition_in_registers>(to, from);
}

}  // namespace kroton::cpu
