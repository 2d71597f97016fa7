// Gradients by filters, whose lanes are neighbouring columns: a tile has some channels of the
// outputs and some taps, each a sum over all positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/op/convolution/columns.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

namespace kroton::cpu {

template <class T>
class filters_correlation {
  using B = xsimd::batch<T>;
  static constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  static constexpr int max_height = vector_registers == 32 ? 4 : 3;
  static constexpr int max_taps = vector_registers == 32 ? 5 : 3;

 public:
  static constexpr bool is_divisible = true;
  /// `c`: the plan of the outputs.
  filters_correlation(correlation const& c) : c_(c), p_(c.phases[0]) {}

  /// Adds what one image and group contribute to a share of the filters: `outputs` are readable
  /// beyond the last row if rows are shorter than a batch.
  void run(share const& of, T const* field, T const* outputs, T* filters) const {
    std::ptrdiff_t const begin = of.begin(c_.outer);
    each_tile(of.end(c_.outer) - begin, max_height, [&](std::ptrdiff_t i, std::ptrdiff_t height) {
      std::ptrdiff_t const o = begin + i;
      T const* const y = outputs + o * c_.plane;
      for (std::ptrdiff_t c = 0; c < c_.inner; ++c)
        each_tile(c_.taps, max_taps, [&](std::ptrdiff_t t, std::ptrdiff_t taps) {
          T const* const x = field + c * c_.field.channel;
          T* const to = filters + o * c_.outer_step + c * c_.inner_step + t;
          switch (height) {
            case 1: with_taps<1>(taps, x, y, t, to); break;
            case 2: with_taps<2>(taps, x, y, t, to); break;
            case 3: with_taps<3>(taps, x, y, t, to); break;
            default: with_taps<max_height>(taps, x, y, t, to); break;
          }
        });
    });
  }

 private:
  // As few tiles as possible, and of sizes as equal as possible.
  template <class Visit>
  static void each_tile(std::ptrdiff_t extent, std::ptrdiff_t most, Visit visit) {
    std::ptrdiff_t const tiles = (extent + most - 1) / most;
    for (std::ptrdiff_t i = 0, first = 0; i < tiles; ++i) {
      std::ptrdiff_t const size = (extent - first + tiles - i - 1) / (tiles - i);
      visit(first, size);
      first += size;
    }
  }
  template <int Height>
  void with_taps(std::ptrdiff_t taps, T const* x, T const* y, std::ptrdiff_t t, T* to) const {
    switch (taps) {
      case 1: return tile<Height, 1>(x, y, t, to);
      case 2: return tile<Height, 2>(x, y, t, to);
      case 3: return tile<Height, 3>(x, y, t, to);
      case 4: return tile < Height, max_taps == 5 ? 4 : 1 > (x, y, t, to);
      default: return tile<Height, max_taps>(x, y, t, to);
    }
  }
  template <int Height, int Taps>
  void tile(T const* field, T const* outputs, std::ptrdiff_t t, T* to) const {
    tile_of<B, Height, Taps> sums;
    KROTON_UNROLL(8)
    for (int h = 0; h < Height; ++h) KROTON_UNROLL(8)
    for (int k = 0; k < Taps; ++k) sums[h][k] = B(T(0));
    array_of<T const*, Taps> from;
    for (int k = 0; k < Taps; ++k) from[k] = field + p_.offsets[static_cast<std::size_t>(t + k)];
    std::ptrdiff_t const whole = p_.columns / width * width, rest = p_.columns - whole;
    // The last columns of a row that is long enough are read with those before, which do not count.
    std::ptrdiff_t const last = p_.columns >= width ? p_.columns - width : 0;
    auto const counts =
        p_.columns >= width ? lane_window<T>::from(width - rest) : lane_window<T>::first(rest);
    for (correlation_phase::row const& r : p_.rows) {
      T const* const y = outputs + r.to;
      for (std::ptrdiff_t j = 0; j < whole; j += width) {
        array_of<B, Taps> x;
        KROTON_UNROLL(8)
        for (int k = 0; k < Taps; ++k) x[k] = B::load_unaligned(from[k] + r.from + j);
        KROTON_UNROLL(8)
        for (int h = 0; h < Height; ++h) {
          B const v = B::load_unaligned(y + h * c_.plane + j);
          KROTON_UNROLL(8)
          for (int k = 0; k < Taps; ++k) sums[h][k] = xsimd::fma(v, x[k], sums[h][k]);
        }
      }
      if (rest == 0) continue;
      array_of<B, Taps> x;
      KROTON_UNROLL(8)
      for (int k = 0; k < Taps; ++k)
        x[k] = counts.template of<op::sum>(B::load_unaligned(from[k] + r.from + last));
      KROTON_UNROLL(8)
      for (int h = 0; h < Height; ++h) {
        B const v = counts.template of<op::sum>(B::load_unaligned(y + h * c_.plane + last));
        KROTON_UNROLL(8)
        for (int k = 0; k < Taps; ++k) sums[h][k] = xsimd::fma(v, x[k], sums[h][k]);
      }
    }
    KROTON_UNROLL(8)
    for (int h = 0; h < Height; ++h) KROTON_UNROLL(8)
    for (int k = 0; k < Taps; ++k) to[h * c_.outer_step + k] += horizontal<op::sum>(sums[h][k]);
  }
  correlation const& c_;
  correlation_phase const& p_;
};

}  // namespace kroton::cpu
