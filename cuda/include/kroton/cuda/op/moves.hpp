// Ops that only move elements, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/diagonals.hpp>
#include <kroton/cuda/kernel/indexed.hpp>
#include <kroton/cuda/op/kernel.hpp>
#include <kroton/ops/creation.hpp>
#include <kroton/ops/joining.hpp>

namespace kroton::cuda {

/// What these kernels have in common.
struct moving_kernel {
  template <class T>
  static constexpr bool takes = true;
  static constexpr bool may_fault = false, is_ordered = true;
};

template <>
struct kernel<op::join> : moving_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    auto const axis = static_cast<int>(call.attribute(0));
    core::array_ref const& out = call.result();
    if (out.size() == 0) return;
    core::array_ref part = out;
    for (std::ptrdiff_t begin = 0, k = 1; begin < out.extents[axis];
         begin += part.extents[axis], ++k) {
      core::array_ref const& from = call.operand(static_cast<int>(k));
      part.extents[axis] = from.extents[axis];
      part.data = out.data + begin * out.strides[axis] * out.bytes;
      if (from.data != part.data) copy_on<Device>(part, from);  // computed there
    }
  }
};

/// A vector of scalars, behind the one that says how many they are.
template <>
struct kernel<op::make_vector> : moving_kernel {
  static constexpr bool reads_scalars = true;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    core::array_ref one = out;
    one.rank = 0;
    for (std::ptrdiff_t i = 0; i < out.extents[0]; ++i, one.data += out.bytes)
      copy_on<Device>(one, call.operand(static_cast<int>(i) + 1));
  }
};

template <>
struct kernel<op::diagonal> : moving_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    if (call.result().size() > 0)
      copy_on<Device>(call.result(),
                      cpu::diagonal_of(call.operand(0), call.result(), call.geometry()));
  }
};
template <>
struct kernel<op::from_diagonal> : moving_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    if (out.size() == 0) return;
    Device::set_zero(out.data, static_cast<std::size_t>(out.size() * out.bytes));
    copy_on<Device>(cpu::diagonal_of(out, call.operand(0), call.geometry()), call.operand(0));
  }
};

template <>
struct kernel<op::iota> : moving_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    counting_thread::arguments const a{reinterpret_cast<std::int64_t*>(out.data), out.extents[0]};
    if (a.count > 0) Device::template launch<counting_thread>(a);
  }
};

}  // namespace kroton::cuda
