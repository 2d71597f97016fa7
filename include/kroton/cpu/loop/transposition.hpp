// Matrices transposed in registers, and copies of arrays that do so.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/copy.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

#if defined(__SSE2__) && !defined(__CUDACC__)
/// How many elements fill a register.
template <class Word>
inline constexpr std::size_t largest_side =
    xsimd::batch<std::conditional_t<sizeof(Word) == 8, double, float>>::size;

/// Transposes squares that fill registers. Strides are in bytes.
template <class Word, std::size_t Side = largest_side<Word>>
struct square {
  static constexpr std::size_t side = Side;
  typedef Word row __attribute__((vector_size(side * sizeof(Word))));

  static KROTON_INLINE void transpose(std::byte* to, std::ptrdiff_t to_stride,
                                      std::byte const* from, std::ptrdiff_t from_stride) {
    row x[side];
    for (std::size_t i = 0; i < side; ++i)
      std::memcpy(&x[i], from + static_cast<std::ptrdiff_t>(i) * from_stride, sizeof(row));
    for (std::size_t n = side; n > 1; n /= 2) interleave(x);
    for (std::size_t i = 0; i < side; ++i)
      std::memcpy(to + static_cast<std::ptrdiff_t>(i) * to_stride, &x[i], sizeof(row));
  }

 private:
  /// Every row of the first half with that of the second; as often as a side can be halved, rows
  /// become columns.
  static KROTON_INLINE void interleave(row (&x)[side]) {
    row y[side];
    for (std::size_t i = 0; i < side / 2; ++i) {
      interleave<0>(y[2 * i], x[i], x[i + side / 2], std::make_index_sequence<side>());
      interleave<side / 2>(y[2 * i + 1], x[i], x[i + side / 2], std::make_index_sequence<side>());
    }
    for (std::size_t i = 0; i < side; ++i) x[i] = y[i];
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
      if (bytes == 8 && try_sides<std::uint64_t>(to, from, row, column)) return;
      if (bytes == 4 && try_sides<std::uint32_t>(to, from, row, column)) return;
    }
#endif
    core::transposition::run(to, from, bytes, row, column);
  }

#if defined(__SSE2__) && !defined(__CUDACC__)
 private:
  /// False where the matrix is narrower than every square.
  template <class Word, std::size_t Side = largest_side<Word>>
  static bool try_sides(std::byte* to, std::byte const* from, copied_axis const& row,
                        copied_axis const& column) {
    constexpr auto side = static_cast<std::ptrdiff_t>(Side);
    if (row.extent >= side && column.extent >= side) {
      squares<Word, Side>(to, from, row, column);
      return true;
    }
    if constexpr (Side > 2) return try_sides<Word, Side / 2>(to, from, row, column);
    else return false;
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
#endif
};

/// core::copy, with matrices transposed in registers.
inline void copy_array(array_ref const& to, array_ref const& from) {
  core::copy_with<transposition_in_registers>(to, from);
}

}  // namespace kroton::cpu
