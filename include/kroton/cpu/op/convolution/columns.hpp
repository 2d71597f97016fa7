// Correlations whose lanes are neighbouring columns: a tile has some channels of the result and
// some batches of columns, wherever these lie.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/op/convolution/correlation.hpp>
#include <kroton/cpu/op/convolution/shares.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

namespace kroton::cpu {

/// The vector registers of the target.
#if defined(__AVX512F__)
inline constexpr int vector_registers = 32;
#else
inline constexpr int vector_registers = 16;
#endif

/// Arrays of the extents of tiles, which are ints.
template <class E, int N>
using array_of = E[static_cast<std::size_t>(N)];
template <class E, int M, int N>
using tile_of = E[static_cast<std::size_t>(M)][static_cast<std::size_t>(N)];

template <class T>
class columns_correlation {
  using B = xsimd::batch<T>;

 public:
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int max_height = vector_registers == 32 ? 6 : 4;

  explicit columns_correlation(correlation const& c) : c_(c) {}

  std::ptrdiff_t packed_size() const { return c_.outer * c_.inner * c_.taps; }
  /// The filters of a group, in the order in which they are read.
  void pack(T const* filters, T* to) const {
    for (correlation_phase const& p : c_.phases)
      each_tile([&](std::ptrdiff_t first, std::ptrdiff_t height) {
        c_.gather(p, filters, first, height, height, to);
        to += height * c_.inner * static_cast<std::ptrdiff_t>(p.elements.size());
      });
  }
  static constexpr bool is_divisible = true;
  static constexpr std::ptrdiff_t scratch_size() { return 0; }
  /// A share of the result for one image and group, from its field and the packed filters.
  void run(share const& of, T const* field, T const* filters, T* result, T*) const {
    for (correlation_phase const& p : c_.phases) {
      each_tile([&](std::ptrdiff_t first, std::ptrdiff_t height) {
        T* const to = result + first * c_.plane;
        switch (height) {
          case 1: tiles<1>(of, p, field, filters, to); break;
          case 2: tiles<2>(of, p, field, filters, to); break;
          case 3: tiles<3>(of, p, field, filters, to); break;
          case 4: tiles<4>(of, p, field, filters, to); break;
          case 5: tiles<max_height == 6 ? 5 : 1>(of, p, field, filters, to); break;
          default: tiles<max_height>(of, p, field, filters, to); break;
        }
        filters += height * c_.inner * static_cast<std::ptrdiff_t>(p.elements.size());
      });
    }
  }

 private:
  template <class Visit>
  void each_tile(Visit visit) const {
    std::ptrdiff_t const tiles = (c_.outer + max_height - 1) / max_height;
    for (std::ptrdiff_t i = 0, first = 0; i < tiles; ++i) {
      std::ptrdiff_t const height = (c_.outer - first + tiles - i - 1) / (tiles - i);
      visit(first, height);
      first += height;
    }
  }
  template <int Height>
  void tiles(share const& of, correlation_phase const& p, T const* field, T const* filters,
             T* to) const {
    constexpr int fit = (vector_registers - 4) / (Height + 1), most = fit < 6 ? fit : 6;
    bool const is_whole = p.step == 1 && p.columns >= width;
    auto const rows = static_cast<std::ptrdiff_t>(p.rows.size());
    if (rows == 0) return;
    std::ptrdiff_t const of_row = static_cast<std::ptrdiff_t>(p.batches.size()) / rows,
                         count = of.end(rows) * of_row;
    for (std::ptrdiff_t i = of.begin(rows) * of_row; i < count; i += most) {
      if (i + most <= count && is_whole) {
        tile<Height, most, true>(p, p.batches.data() + i, field, filters, to);
        continue;
      }
      // Fewer batches: the last one as often as it takes.
      array_of<correlation_phase::row, most> at;
      for (int k = 0; k < most; ++k)
        at[k] = p.batches[static_cast<std::size_t>(std::min(i + k, count - 1))];
      tile<Height, most, false>(p, at, field, filters, to);
    }
  }
  template <int Height, int Width, bool Whole>
  void tile(correlation_phase const& p, correlation_phase::row const* at, T const* field,
            T const* filters, T* to) const {
    array_of<T const*, Width> from;
    tile_of<B, Height, Width> sums;
    std::ptrdiff_t begin = at[0].begin, end = at[0].end;
    KROTON_UNROLL(8)
    for (int k = 0; k < Width; ++k) {
      from[k] = field + at[k].from;
      begin = std::min(begin, at[k].begin);
      end = std::max(end, at[k].end);
    }
    KROTON_UNROLL(8)
    for (int h = 0; h < Height; ++h) KROTON_UNROLL(8)
    for (int k = 0; k < Width; ++k) sums[h][k] = B(T(0));
    std::ptrdiff_t const* const offsets = p.offsets.data();
    auto const taps = static_cast<std::ptrdiff_t>(p.offsets.size());
    for (std::ptrdiff_t c = 0; c < c_.inner; ++c) {
      T const* w = filters + (c * taps + begin) * Height;
      for (std::ptrdiff_t t = begin; t < end; ++t, w += Height) {
        std::ptrdiff_t const offset = c * c_.field.channel + offsets[t];
        array_of<B, Width> x;
        KROTON_UNROLL(8)
        for (int k = 0; k < Width; ++k) x[k] = B::load_unaligned(from[k] + offset);
        KROTON_UNROLL(8)
        for (int h = 0; h < Height; ++h) {
          B const v(w[h]);
          KROTON_UNROLL(8)
          for (int k = 0; k < Width; ++k) sums[h][k] = xsimd::fma(v, x[k], sums[h][k]);
        }
      }
    }
    KROTON_UNROLL(8)
    for (int h = 0; h < Height; ++h) KROTON_UNROLL(8)
    for (int k = 0; k < Width; ++k) {
      T* const result = to + h * c_.plane + at[k].to;
      if constexpr (Whole) sums[h][k].store_unaligned(result);
      else store(p, sums[h][k], result);
    }
  }
  void store(correlation_phase const& p, B const& sums, T* to) const {
    if (p.step == 1 && p.columns >= width) return sums.store_unaligned(to);
    alignas(64) T lanes[B::size];
    sums.store_aligned(lanes);
    std::ptrdiff_t const count = std::min(p.columns, width);
    for (std::ptrdiff_t j = 0; j < count; ++j) to[j * p.step] = lanes[j];
  }

  correlation const& c_;
};

}  // namespace kroton::cpu
