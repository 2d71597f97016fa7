// Products of batches on a device: one product of matrices a slice.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/batched.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

template <>
struct kernel<op::batched_dot> {
  template <class T>
  static constexpr bool takes = std::is_arithmetic_v<T>;
  static constexpr bool may_fault = false, is_ordered = true;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const &a = call.operand(0), &b = call.operand(1), &c = call.result();
    for (std::ptrdiff_t i = 0; i < c.extents[0]; ++i)
      multiply_on<T>(call.frame(), cpu::slice_at(a, i), cpu::slice_at(b, i), cpu::slice_at(c, i),
                     T(1), T(0));
  }
};

}  // namespace kroton::cuda
