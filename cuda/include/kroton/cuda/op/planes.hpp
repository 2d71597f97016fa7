// Elements of planes that positions name, on a device: taken, and added to zeros.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/pooling/pooling.hpp>
#include <kroton/cuda/kernel/planes.hpp>
#include <kroton/cuda/op/kernel.hpp>

namespace kroton::cuda {

template <>
struct kernel<op::take_in_planes> : device_kernel {
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    core::array_ref const &x = call.operand(0), &at = call.operand(1), &out = call.result();
    cpu::plane_pair const planes(call.geometry(), x, at);
    auto const memory =
        scratch_parts<Device, 2>(call.frame(), {bytes_to_pack(x), bytes_to_pack(at)});
    positions_arguments const a{
        packed_on<Device>(x, memory[0]),
        out.data,
        reinterpret_cast<std::int64_t const*>(packed_on<Device>(at, memory[1])),
        out.size(),
        planes.second,
        planes.first};
    if (a.count > 0)
      Device::template launch<positions_thread<taken_element<static_cast<int>(sizeof(T))>>>(a);
  }
};

/// Zeros in planes, `whole`, with the elements of `part` added at positions in them. Where windows
/// overlap these may be equal: sums are in the order of the threads, or, in deterministic mode, of
/// the positions.
template <class T, class Device>
void add_in_planes_on(device_frame<Device>& f, core::array_ref const& whole,
                      core::array_ref const& part, core::array_ref const& at,
                      std::ptrdiff_t planes) {
  if (whole.size() == 0) return;
  auto const bytes_for = [&](std::size_t bytes) {
    return f.is_deterministic() ? static_cast<std::size_t>(whole.size()) * bytes : 0;
  };
  std::size_t const bytes_of_firsts = bytes_for(sizeof(unsigned long long)),
                    bytes_of_counts = bytes_for(sizeof(unsigned));
  auto const memory = scratch_parts<Device, 4>(
      f, {bytes_to_pack(part), bytes_to_pack(at), bytes_of_firsts, bytes_of_counts});
  Device::set_zero(whole.data, static_cast<std::size_t>(whole.size() * whole.bytes));
  if (part.size() == 0) return;
  ordered_arguments a;
  a.whole = whole.data;
  a.part = packed_on<Device>(part, memory[0]);
  a.positions = reinterpret_cast<std::int64_t const*>(packed_on<Device>(at, memory[1]));
  a.count = part.size();
  a.of_part = part.size() / planes;
  a.of_whole = whole.size() / planes;
  if (!f.is_deterministic()) return Device::template launch<positions_thread<added_element<T>>>(a);
  a.firsts = reinterpret_cast<unsigned long long*>(memory[2]);
  a.counts = reinterpret_cast<unsigned*>(memory[3]);
  Device::set_zero(memory[2], bytes_of_firsts);
  Device::set_zero(memory[3], bytes_of_counts);
  Device::template launch<marking_thread>(a);
  Device::template launch<ordered_sum_thread<T>>(a);
}
template <>
struct kernel<op::add_in_planes> : device_kernel {
  template <class T>
  static constexpr bool takes = is_added_atomically<T>;
  template <class T, class Device>
  static void run(device_call<Device>& call) {
    cpu::plane_pair const planes(call.geometry(), call.operand(0), call.result());
    add_in_planes_on<T>(call.frame(), call.result(), call.operand(0), call.operand(1),
                        planes.count);
  }
};

}  // namespace kroton::cuda
