// Tiles of matrices copied to dense rows, transposed in registers where columns are what lies
// densely.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/config.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

/// Copies elements that stand so many bytes apart, four at a time.
template <class Word>
KROTON_INLINE void copy_line(std::byte* to, std::ptrdiff_t to_step, std::byte const* from,
                             std::ptrdiff_t from_step, std::ptrdiff_t n) {
  std::ptrdiff_t i = 0;
  for (; i + 4 <= n; i += 4, to += 4 * to_step, from += 4 * from_step) {
    std::memcpy(to, from, sizeof(Word));
    std::memcpy(to + to_step, from + from_step, sizeof(Word));
    std::memcpy(to + 2 * to_step, from + 2 * from_step, sizeof(Word));
    std::memcpy(to + 3 * to_step, from + 3 * from_step, sizeof(Word));
  }
  for (; i < n; ++i, to += to_step, from += from_step) std::memcpy(to, from, sizeof(Word));
}

/// Copies a tile to dense rows. Strides are in elements.
template <class Word>
void copy_tile(std::byte* to, std::byte const* from, std::ptrdiff_t rows, std::ptrdiff_t columns,
               std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) {
  constexpr std::ptrdiff_t size = sizeof(Word);
  if (column_stride == 1) {
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      std::memcpy(to + r * columns * size, from + r * row_stride * size,
                  static_cast<std::size_t>(columns * size));
    return;
  }
#if defined(__SSE2__) && !defined(__CUDACC__)
  if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) {
    // The last squares overlap those before.
    constexpr std::ptrdiff_t side = square<Word>::side;
    if (row_stride == 1 && std::abs(column_stride) > 1 && rows >= side && columns >= side) {
      for (std::ptrdiff_t j = 0; j < columns; j += side)
        for (std::ptrdiff_t i = 0; i < rows; i += side) {
          std::ptrdiff_t const r = i + side <= rows ? i : rows - side,
                               c = j + side <= columns ? j : columns - side;
          square<Word>::transpose(to + (r * columns + c) * size, columns * size,
                                  from + (r + c * column_stride) * size, column_stride * size);
        }
      return;
    }
  }
#endif
  if (rows <= columns || std::abs(column_stride) <= std::abs(row_stride)) {
    for (std::ptrdiff_t r = 0; r < rows; ++r)
      copy_line<Word>(to + r * columns * size, size, from + r * row_stride * size,
                      column_stride * size, columns);
  } else {
    for (std::ptrdiff_t c = 0; c < columns; ++c)
      copy_line<Word>(to + c * size, columns * size, from + c * column_stride * size,
                      row_stride * size, rows);
  }
}
/// The same for elements of so many bytes.
inline void copy_tile(std::byte* to, std::byte const* from, int bytes, std::ptrdiff_t rows,
                      std::ptrdiff_t columns, std::ptrdiff_t row_stride,
                      std::ptrdiff_t column_stride) {
  auto const copy = bytes == 16  ? &copy_tile<std::complex<double>>
                    : bytes == 8 ? &copy_tile<std::uint64_t>
                    : bytes == 4 ? &copy_tile<std::uint32_t>
                    : bytes == 2 ? &copy_tile<std::uint16_t>
                                 : &copy_tile<std::uint8_t>;
  copy(to, from, rows, columns, row_stride, column_stride);
}

/// A tile of elements that are made from their positions, of which `index` is the first.
inline void make_tile(std::byte* to, indirect_array const& from, std::byte const* index,
                      std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row_stride,
                      std::ptrdiff_t column_stride) {
  std::ptrdiff_t const first = (index - from.index.data) / from.bytes;
  if (column_stride == 1 && (rows == 1 || row_stride == columns))
    return from.make(from.from, to, first, rows * columns);
  std::ptrdiff_t const run = column_stride == 1 ? columns : 1;
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    for (std::ptrdiff_t c = 0; c < columns; c += run, to += run * from.bytes)
      from.make(from.from, to, first + r * row_stride + c * column_stride, run);
}

/// A tile of elements that indices select. Strides are those of the indices.
inline void gather_tile(std::byte* to, indirect_array const& from, std::byte const* index,
                        std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t row_stride,
                        std::ptrdiff_t column_stride) {
  if (from.make != nullptr)
    return make_tile(to, from, index, rows, columns, row_stride, column_stride);
  // Copies, which what is written cannot change
  std::byte const* const data = from.data;
  std::ptrdiff_t const extent = from.extent, step = from.step;
  with_bytes(from.bytes, [=]<int Bytes>(std::integral_constant<int, Bytes>) {
    auto const* line = reinterpret_cast<std::int64_t const*>(index);
    std::byte* next = to;
    auto const gather = [&](auto apart, auto between) {
      for (std::ptrdiff_t c = 0; c < columns; ++c) {
        std::int64_t const i = line[c * apart];
        std::memcpy(next + c * Bytes, data + (i < 0 ? i + extent : i) * between, Bytes);
      }
    };
    using one = std::integral_constant<std::ptrdiff_t, 1>;
    using whole = std::integral_constant<std::ptrdiff_t, Bytes>;
    for (std::ptrdiff_t r = 0; r < rows; ++r, line += row_stride, next += columns * Bytes) {
      if (column_stride == 1 && step == Bytes) gather(one{}, whole{});
      else gather(column_stride, step);
    }
  });
}

/// Calls f with the number of bytes of a row, as a constant where it is one of few.
template <class F>
void with_short_row(std::ptrdiff_t bytes, F f) {
  switch (bytes) {
    case 8: return f(std::integral_constant<std::ptrdiff_t, 8>{});
    case 12: return f(std::integral_constant<std::ptrdiff_t, 12>{});
    case 16: return f(std::integral_constant<std::ptrdiff_t, 16>{});
    case 24: return f(std::integral_constant<std::ptrdiff_t, 24>{});
    case 32: return f(std::integral_constant<std::ptrdiff_t, 32>{});
    case 64: return f(std::integral_constant<std::ptrdiff_t, 64>{});
    case 128: return f(std::integral_constant<std::ptrdiff_t, 128>{});
    default: return f(bytes);
  }
}

/// The rows that indices select, so many elements of them from `first` on, copied to dense ones.
/// Strides are those of the indices, and along a row.
inline void gather_rows(std::byte* to, indirect_array const& from, std::byte const* index,
                        std::ptrdiff_t rows, std::ptrdiff_t row_stride, std::ptrdiff_t first,
                        std::ptrdiff_t columns, std::ptrdiff_t column_stride) {
  std::byte const* const data = from.data + first * from.bytes;
  std::ptrdiff_t const extent = from.extent, step = from.step;
  auto const* const line = reinterpret_cast<std::int64_t const*>(index);
  auto const row = [=](std::ptrdiff_t r) {
    std::int64_t const i = line[r * row_stride];
    return data + (i < 0 ? i + extent : i) * step;
  };
  if (column_stride == 1)
    return with_short_row(columns * from.bytes, [=](auto bytes) {
      for (std::ptrdiff_t r = 0; r < rows; ++r)
        std::memcpy(to + r * bytes, row(r), static_cast<std::size_t>(bytes));
    });
  with_bytes(from.bytes, [=]<int Bytes>(std::integral_constant<int, Bytes>) {
    for (std::ptrdiff_t r = 0; r < rows; ++r) {
      std::byte const* const one = row(r);
      for (std::ptrdiff_t c = 0; c < columns; ++c)
        std::memcpy(to + (r * columns + c) * Bytes, one + c * column_stride * Bytes, Bytes);
    }
  });
}

}  // namespace kroton::cpu
