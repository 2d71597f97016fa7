// What each step of a program does on a device, or, where it has no form for one, on the host
// between transfers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/products.hpp>

namespace kroton::cuda {

/// While it lives, the operands of a step from number `first` on are seen where the host has them.
template <class Device>
class host_operands : device_frame<Device>::on_host {
 public:
  host_operands(cpu::step_view const& s, int first)
      : device_frame<Device>::on_host(static_cast<device_frame<Device>&>(s.f)) {
    for (int k = first; k < s.info.operand_count; ++k) this->see(s.operand(k));
  }
};

/// Runs a step of the CPU.
template <class Device, class Program, int Step>
void run_on_host(cpu::step_view const& s) {
  {
    host_operands<Device> const operands(s, 0);
    cpu::function_of_step<Program, Step>()(s);
  }
  for (int k = 0; k < s.info.result_count; ++k)
    static_cast<device_frame<Device>&>(s.f).has_computed(s.result(k));
}

/// A view of a part: the arithmetic of addresses is the CPU's.
template <class Device, core::step_kind Kind>
void run_view(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  int const base = s.operand(0), result = s.result(0);
  bool const is_of_device = f.home(base) == side::device;
  {
    host_operands<Device> const indices(s, 1);
    if constexpr (Kind == core::step_kind::dimshuffle) {
      cpu::run_dimshuffle(s);
    } else if constexpr (Kind == core::step_kind::subtensor) {
      cpu::run_subtensor(s);
    } else if (!is_of_device || f.value(base).contiguous()) {
      cpu::run_reshape(s);
    } else {
      core::array_ref const& from = f.value(base);
      core::array_ref packed = from;
      packed.make_contiguous_strides();
      packed.data = f.device_extra(result, cpu::bytes_that_fit(from));
      copy_on<Device>(packed, from);
      core::array_ref const strided = std::exchange(f.value(base), packed);
      cpu::run_reshape(s);
      f.value(base) = strided;
    }
  }
  if (is_of_device && f.home(result) == side::host) f.bring_home(result);
}
/// A view of a whole operand: one of two, or the one that is printed or checked.
template <class Device, class Program, int Step>
void run_whole_view(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::step_traits const traits = core::traits_of(s.info.kind);
  int shown = s.operand(traits.looks_into);
  if (s.info.kind == core::step_kind::ifelse) {
    bool const holds = f.at(s.operand(0), side::host).data[0] != std::byte{0};
    if (!holds) shown = s.operand(traits.or_into);
  } else {
    host_operands<Device> const operands(s, 0);
    cpu::function_of_step<Program, Step>()(s);
  }
  int const result = s.result(0);
  f.value(result) = f.at(shown, f.home(result));
}

template <class T>
using added = expression<input<T, 0, 1>, input<T, 1, 1>, apply<op::add, 0, 1>>;

/// A copy of the first operand, with the second added to a part of it, or in place of the part.
template <class Device, core::step_kind Kind, class T>
void run_write(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::array_ref const& out = f.value(s.result(0));
  copy_on<Device>(out, core::spread(f.at(s.operand(0), side::device), out));
  core::array_ref part;
  {
    host_operands<Device> const indices(s, 2);
    int rank = 0;
    for (int d = 0; d < out.rank; ++d) rank += s.attribute(2 * d) == 1 ? 0 : 1;
    part = cpu::select(s, out, 2, rank);
  }
  core::array_ref const given = core::spread(f.at(s.operand(1), side::device), part);
  if constexpr (Kind == core::step_kind::set_subtensor) {
    copy_on<Device>(part, given);
  } else {
    group_space<added<T>> group;
    group.whole.rank = part.rank;
    for (int d = 0; d < part.rank; ++d) group.whole.extents[d] = part.extents[d];
    group.add_operand(0, part, side::device);
    group.add_operand(1, given, side::device);
    group.add_result(0, part);
    launch_group(group, f.reductions());
  }
}

/// An op that has a function on the device.
template <class Device, class Op, class T, int Arrays>
void run_own(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::array_ref arrays[static_cast<std::size_t>(Arrays)];
  for (int k = 0; k < s.info.operand_count; ++k) f.at(s.operand(k), side::device);
  core::invocation const call = s.call(arrays);
  for (int k = 0; k < s.info.operand_count; ++k) arrays[k] = f.at(s.operand(k), side::device);
  kernel<Op>::template run<Device, T>(call, f);
}

/// The function of a step.
template <class Device, class Program, int Step>
constexpr cpu::step_function function_of_step() {
  constexpr plan::step_info info = Program::steps[static_cast<std::size_t>(Step)];
  constexpr core::step_traits traits = core::traits_of(info.kind);
  using T = cpu::step_element<Program, info.first>;
  if constexpr (traits.view == core::step_traits::part) {
    return &run_view<Device, info.kind>;
  } else if constexpr (traits.view == core::step_traits::whole) {
    return &run_whole_view<Device, Program, Step>;
  } else if constexpr (placement_of<Program>.steps[static_cast<std::size_t>(Step)] == side::host) {
    return &run_on_host<Device, Program, Step>;
  } else if constexpr (info.kind == core::step_kind::loop) {
    return &launch_step<Device, freeze::lift_t<Program, info.body>>;
  } else if constexpr (traits.is_product) {
    return &run_product<Device, info.kind, T>;
  } else if constexpr (info.kind == core::step_kind::own) {
    return &run_own<Device, freeze::op_at<Program::value.ops[info.op]>, T,
                    info.operand_count + info.result_count>;
  } else {
    return &run_write<Device, info.kind, T>;
  }
}

}  // namespace kroton::cuda
