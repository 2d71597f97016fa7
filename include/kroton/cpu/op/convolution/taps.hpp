// Convolutions one element of a filter at a time: of integers, and of a few numbers, for which
// nothing that is prepared pays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/convolution/geometry.hpp>
#include <kroton/ops/elementwise/wrapping.hpp>

namespace kroton::cpu {

/// Outputs of one image and one group.
template <class T>
class taps {
 public:
  taps(convolution_shape const& s, T const* image, T const* filters)
      : s_(s), image_(image), filters_(filters) {}

  void outputs(T* to) const {
    window_axis const &depth = s_.axes[0], &row = s_.axes[1], &column = s_.axes[2];
    for (std::ptrdiff_t o = 0; o < s_.outputs; ++o)
      for (std::ptrdiff_t z = 0; z < depth.positions; ++z)
        for (std::ptrdiff_t y = 0; y < row.positions; ++y, to += column.positions) {
          std::fill_n(to, column.positions, T(0));
          for (std::ptrdiff_t i = 0; i < column.positions; i += block)
            add(o, z, y, i, std::min(i + block, column.positions), to);
        }
  }

 private:
  // Of a row of outputs, as many as stay in the first cache while elements of the filter come by.
  static constexpr std::ptrdiff_t block = (8 << 10) / static_cast<std::ptrdiff_t>(sizeof(T));

  // The element of the image's axis that element k of a filter meets at a position.
  std::ptrdiff_t met(window_axis const& a, std::ptrdiff_t position, std::ptrdiff_t k) const {
    return position * a.stride + (s_.flips ? a.filter - 1 - k : k) * a.dilation - a.before;
  }
  static bool is_inside(window_axis const& a, std::ptrdiff_t i) { return i >= 0 && i < a.image; }
  void add(std::ptrdiff_t o, std::ptrdiff_t z, std::ptrdiff_t y, std::ptrdiff_t begin,
           std::ptrdiff_t end, T* to) const {
    window_axis const &depth = s_.axes[0], &row = s_.axes[1], &column = s_.axes[2];
    T const* filter = filters_ + o * s_.patch();
    for (std::ptrdiff_t c = 0; c < s_.channels; ++c)
      for (std::ptrdiff_t i = 0; i < depth.filter; ++i)
        for (std::ptrdiff_t j = 0; j < row.filter; ++j, filter += column.filter) {
          std::ptrdiff_t const at_depth = met(depth, z, i), at_row = met(row, y, j);
          if (!is_inside(depth, at_depth) || !is_inside(row, at_row)) continue;
          T const* const from =
              image_ + ((c * depth.image + at_depth) * row.image + at_row) * column.image;
          for (std::ptrdiff_t k = 0; k < column.filter; ++k)
            add_row(from, met(column, 0, k), filter[k], begin, end, to);
        }
  }
  // The first position from which on i * stride is at least n.
  static std::ptrdiff_t first_from(std::ptrdiff_t n, std::ptrdiff_t stride) {
    return n <= 0 ? 0 : stride == 1 ? n : (n + stride - 1) / stride;
  }
  void add_row(T const* from, std::ptrdiff_t shift, T weight, std::ptrdiff_t begin,
               std::ptrdiff_t end, T* __restrict to) const {
    window_axis const& column = s_.axes[2];
    std::ptrdiff_t const step = column.stride,
                         first = std::max(begin, first_from(-shift, step)),
                         last = std::min(end, first_from(column.image - shift, step));
    if (step == 1) {
      for (std::ptrdiff_t i = first; i < last; ++i)
        to[i] = ops::plus(to[i], ops::times(from[i + shift], weight));
    } else {
      for (std::ptrdiff_t i = first; i < last; ++i)
        to[i] = ops::plus(to[i], ops::times(from[i * step + shift], weight));
    }
  }

  convolution_shape const& s_;
  T const *image_, *filters_;
};

}  // namespace kroton::cpu
