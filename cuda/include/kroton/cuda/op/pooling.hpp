// Pooling on a device, and its gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/pooling.hpp>
#include <kroton/cuda/kernel/pooling.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

/// Launches one thread for each element of the result, windows or images.
template <template <class> class Thread, class T, class Device>
void launch_pooling(device_call<Device>& call, bool gives_images, bool averages) {
  core::invocation const geometry = call.geometry();
  core::array_ref const &from = geometry.operand(0), &to = geometry.result();
  if (to.size() == 0) return;
  cpu::pooled_planes const p(geometry, gives_images ? to : from, gives_images ? from : to,
                             averages);
  pooling_arguments<T> a;
  auto const memory = scratch_parts<Device, 1>(call.frame(), {bytes_to_pack(from)});
  a.from = reinterpret_cast<T const*>(packed_on<Device>(from, memory[0]));
  a.to = reinterpret_cast<T*>(to.data);
  a.count = to.size();
  a.counts_image_only = p.counts_image_only;
  for (int d = 0; d < 3; ++d)
    a.axes[d] = {p.axes[d].image,  p.axes[d].windows, p.axes[d].window,
                 p.axes[d].stride, p.axes[d].before,  p.axes[d].after};
  if constexpr (std::is_same_v<Thread<T>, largest_thread<T>>)
    a.positions = reinterpret_cast<std::int64_t*>(geometry.result(1).data);
  Device::template launch<Thread<T>>(a);
}

struct pooling_kernel : device_kernel {
  template <class T>
  static constexpr bool takes = std::is_floating_point_v<T>;
};
template <>
struct kernel<op::max_pool> : pooling_kernel {
  template <class T>
  static constexpr bool takes = std::is_arithmetic_v<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    launch_pooling<largest_thread, T>(call, false, false);
  }
};
template <>
struct kernel<op::avg_pool> : pooling_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    launch_pooling<average_thread, T>(call, false, true);
  }
};
template <>
struct kernel<op::spread_windows> : pooling_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    launch_pooling<share_thread, T>(call, true, true);
  }
};

}  // namespace kroton::cuda
