// Ops that only move elements, on a device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/creation.hpp>
#include <kroton/cpu/op/linear_algebra/diagonals.hpp>
#include <kroton/cuda/kernel/indexed.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

template <>
struct kernel<op::join> : device_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    cpu::join_operands(call, &copy_on<Device>);
  }
};

/// A vector of scalars, behind the one that says how many they are.
template <>
struct kernel<op::make_vector> : device_kernel {
  static constexpr read_operands reads = read_operands::all;
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
struct kernel<op::diagonal> : device_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    if (call.result().size() > 0)
      copy_on<Device>(call.result(),
                      cpu::diagonal_of(call.operand(0), call.result(), call.geometry()));
  }
};
template <>
struct kernel<op::from_diagonal> : device_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    if (out.size() == 0) return;
    Device::set_zero(out.data, static_cast<std::size_t>(out.size() * out.bytes));
    copy_on<Device>(cpu::diagonal_of(out, call.operand(0), call.geometry()), call.operand(0));
  }
};

template <>
struct kernel<op::iota> : device_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const& out = call.result();
    counting_thread::arguments const a{reinterpret_cast<std::int64_t*>(out.data), out.extents[0]};
    if (a.count > 0) Device::template launch<counting_thread>(a);
  }
};

}  // namespace kroton::cuda
