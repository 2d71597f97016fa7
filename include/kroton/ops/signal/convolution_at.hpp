// Gradients of convolutions whose outputs have a gradient at few positions, as those behind maxima
// of windows. Only the optimizer records them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/signal/convolution.hpp>

namespace kroton {
namespace op {

/// Base of both: the gradient of the outputs is given by elements and their positions in the planes
/// of the outputs, counted in row-major order; elsewhere it is 0. Where elements meet, they add up.
/// Operands: the elements and their positions, the images or the filters, then those of the ops in
/// convolution.hpp that follow the two tensors, and the extents of the planes. Attributes are
/// those of a convolution.
template <text Name>
struct any_convolution_at : operation<Name, -1> {
  static constexpr bool takes_complex = true, keeps_choice = true;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, a.input(0).rank, 0};
  }

 protected:
  static constexpr core::extent_source extent_from(core::application const& a, int axis, int d) {
    if (axis == 0 && a.input(0).broadcasts(d)) return {};
    if (axis == 0) return {core::extent_source::dimension, 0, d};
    if (axis == 1) return {core::extent_source::value, ops::channels_operand + 1};
    return {core::extent_source::value,
            ops::first_border_operand + 1 + ops::window_axes(a) + axis - 2};
  }
};

/// convolution_images of such outputs.
struct convolution_images_at : any_convolution_at<"convolution_images_at"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return extent_from(a, d, 0);
  }
};
/// convolution_filters of such outputs.
struct convolution_filters_at : any_convolution_at<"convolution_filters_at"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return extent_from(a, d, 1);
  }
};

}  // namespace op
}  // namespace kroton
