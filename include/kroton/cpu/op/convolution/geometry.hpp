// The extents of a convolution, whichever of its three tensors is the result.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kept_memory.hpp>
#include <kroton/ops/signal/convolution.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace kroton::cpu {

/// One axis that the filters move along: element k of a filter at position i meets element
/// i * stride + k * dilation - before of an image.
struct window_axis {
  std::ptrdiff_t image = 1, filter = 1, positions = 1, before = 0, stride = 1, dilation = 1;

  constexpr bool operator==(window_axis const&) const = default;
  /// How many elements of the image, and around it, the filters meet.
  constexpr std::ptrdiff_t covered() const {
    return (positions - 1) * stride + (filter - 1) * dilation + 1;
  }
  /// Whether filters meet nothing but elements of the image.
  constexpr bool is_inside() const { return before == 0 && covered() <= image; }
  /// Whether there is one element of everything, so that a tensor without the axis is the same.
  constexpr bool is_trivial() const {
    return image == 1 && filter == 1 && positions == 1 && before == 0;
  }
};

/// A convolution with three axes, of which the first ones may be trivial.
struct convolution_shape {
  std::ptrdiff_t batch = -1, groups = 1;     // of no call yet
  std::ptrdiff_t channels = 1, outputs = 1;  // of one group
  window_axis axes[3];
  bool flips = false;
  bool may_transform = false;  // whether other ways than sums of products may be taken

  constexpr bool operator==(convolution_shape const&) const = default;
  constexpr std::ptrdiff_t product(std::ptrdiff_t window_axis::* extent) const {
    return axes[0].*extent * (axes[1].*extent) * (axes[2].*extent);
  }
  constexpr std::ptrdiff_t taps() const { return product(&window_axis::filter); }
  constexpr std::ptrdiff_t positions() const { return product(&window_axis::positions); }
  constexpr std::ptrdiff_t pixels() const { return product(&window_axis::image); }
  constexpr std::ptrdiff_t patch() const { return channels * taps(); }
  /// Of direct loops.
  constexpr double multiplications() const {
    return static_cast<double>(batch * groups * outputs * positions()) *
           static_cast<double>(patch());
  }
  constexpr bool is_inside() const {
    return axes[0].is_inside() && axes[1].is_inside() && axes[2].is_inside();
  }
  /// Whether every position meets the one element at it.
  constexpr bool is_product() const {
    for (window_axis const& a : axes)
      if (a.filter != 1 || a.stride != 1 || a.before != 0 || a.positions != a.image) return false;
    return true;
  }
  /// The offsets of tap t, counted as the filter's elements are stored, on the three axes.
  constexpr void tap(std::ptrdiff_t t, std::ptrdiff_t (&at)[3]) const {
    if (flips) t = taps() - 1 - t;
    for (int d = 2; d >= 0; --d) {
      at[d] = t % axes[d].filter * axes[d].dilation;
      t /= axes[d].filter;
    }
  }
};

/// The tensors of a convolution; the one that is computed is among them.
struct convolution_arrays {
  core::array_ref images, filters, outputs;
};

/// Which tensor an op computes.
template <class Op>
convolution_arrays arrays_of(core::array_ref const& a, core::array_ref const& b,
                             core::array_ref const& result) {
  if constexpr (std::is_same_v<Op, op::convolution>) return {a, b, result};
  else if constexpr (std::is_same_v<Op, op::convolution_images>) return {result, b, a};
  else return {a, result, b};
}

/// The shape of a call, from its arrays and attributes; `before(d)` is the d-th border.
template <class Attribute, class Before>
convolution_shape shape_of(convolution_arrays const& of, std::ptrdiff_t groups, Attribute attribute,
                           Before before) {
  convolution_shape s;
  int const count = of.images.rank - 2;
  s.batch = of.images.extents[0];
  s.groups = std::max<std::ptrdiff_t>(groups, 1);
  s.channels = of.filters.extents[1];
  s.outputs = of.filters.extents[0] / s.groups;
  s.flips = attribute(0) != 0;
  s.may_transform = attribute(1 + 2 * count) != 0;
  for (int d = 0; d < count; ++d)
    s.axes[3 - count + d] = {of.images.extents[2 + d],  of.filters.extents[2 + d],
                             of.outputs.extents[2 + d], before(d),
                             attribute(1 + d),          attribute(1 + count + d)};
  // Vectors go along the last axis: a column of an image is as good as a row
  for (int k = 1; k < count && s.axes[2].is_trivial(); ++k) {
    std::rotate(s.axes, s.axes + 2, s.axes + 3);
    s.axes[0] = {};
  }
  return s;
}

/// The elements of an array in row-major order: those of the array, or a copy in `memory`.
template <class T>
T const* packed(core::array_ref const& a, kept_memory& memory) {
  if (a.contiguous()) return reinterpret_cast<T const*>(a.data);
  core::array_ref copy = a;
  copy.make_contiguous_strides();
  copy.data = reinterpret_cast<std::byte*>(memory.room<T>(a.size()));
  copy_array(copy, a);
  return reinterpret_cast<T const*>(copy.data);
}

}  // namespace kroton::cpu
