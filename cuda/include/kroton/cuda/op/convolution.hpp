// Convolutions on a device, and their gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/op/patches.hpp>
#include <kroton/cuda/op/planes.hpp>
#include <kroton/ops/signal/convolution_at.hpp>

namespace kroton::cuda {

/// The operands of a convolution that say its shape, from number `first` on.
template <class Device>
cpu::convolution_shape shape_of_call(device_call<Device> const& call,
                                     cpu::convolution_arrays const& of, int first) {
  return cpu::shape_of(
      of, call.integer(first),
      [&](int i) { return static_cast<std::ptrdiff_t>(call.attribute(i)); },
      [&](int d) {
        return call.integer(first + ops::first_border_operand - ops::groups_operand + d);
      });
}
/// Computes the tensor of `Op` from the two others.
template <class Op, class T, class Device>
void convolve_on(device_frame<Device>& f, cpu::convolution_shape const& s,
                 cpu::convolution_arrays const& of, core::array_ref const& result) {
  if (result.size() == 0) return;
  if (of.images.size() == 0 || of.filters.size() == 0 || of.outputs.size() == 0)
    return Device::set_zero(result.data, static_cast<std::size_t>(result.size() * result.bytes));
  device_convolution<T, Device> by(f, s);
  if constexpr (std::is_same_v<Op, op::convolution>) by.outputs(of);
  else if constexpr (std::is_same_v<Op, op::convolution_images>) by.images(of);
  else by.filters(of);
}

template <class Op>
struct convolution_kernel : device_kernel {
  template <class T>
  static constexpr bool takes = std::is_floating_point_v<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    cpu::convolution_arrays const of =
        cpu::arrays_of<Op>(call.operand(0), call.operand(1), call.result());
    convolve_on<Op, T>(call.frame(), shape_of_call(call, of, ops::groups_operand), of,
                       call.result());
  }
};
template <>
struct kernel<op::convolution> : convolution_kernel<op::convolution> {};
template <>
struct kernel<op::convolution_images> : convolution_kernel<op::convolution_images> {};
template <>
struct kernel<op::convolution_filters> : convolution_kernel<op::convolution_filters> {};

/// All outputs, of which few are not zero, and then as for any outputs.
template <class All>
struct convolution_at_kernel : device_kernel {
  template <class T>
  static constexpr bool takes = std::is_floating_point_v<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const &given = call.operand(0), &at = call.operand(1);
    int const axes = given.rank - 2;
    core::array_ref outputs = given;
    for (int d = 0; d < axes; ++d)
      outputs.extents[2 + d] = call.integer(ops::first_border_operand + 1 + 2 * axes + d);
    outputs.make_contiguous_strides();
    if (outputs.size() > 0) {
      outputs.data = call.extra(static_cast<std::size_t>(outputs.size() * outputs.bytes));
      add_in_planes_on<T>(call.frame(), outputs, given, at,
                          outputs.extents[0] * outputs.extents[1]);
    }
    constexpr bool is_of_images = std::is_same_v<All, op::convolution_images>;
    core::array_ref const &other = call.operand(2), &result = call.result();
    cpu::convolution_arrays const of = is_of_images
                                           ? cpu::convolution_arrays{result, other, outputs}
                                           : cpu::convolution_arrays{other, result, outputs};
    convolve_on<All, T>(call.frame(), shape_of_call(call, of, ops::groups_operand + 1), of, result);
  }
};
template <>
struct kernel<op::convolution_images_at> : convolution_at_kernel<op::convolution_images> {};
template <>
struct kernel<op::convolution_filters_at> : convolution_at_kernel<op::convolution_filters> {};

}  // namespace kroton::cuda
