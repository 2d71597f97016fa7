// What each step of a program does on a device, or, where it has no form for one, on the host
// between transfers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/products.hpp>
#include <kroton/cuda/call/row_launch.hpp>
#include <kroton/cuda/op/kernels.hpp>

#include <bit>

namespace kroton::cuda {

/// While it lives, the operands of a step from number `first` on are seen where the host has them.
template <class Device>
class host_operands : device_frame<Device>::seen_on {
 public:
  host_operands(cpu::step_view const& s, int first)
      : device_frame<Device>::seen_on(static_cast<device_frame<Device>&>(s.f), side::host) {
    for (int k = first; k < s.info.operand_count; ++k) this->see(s.operand(k));
  }
};

/// Runs a step of the CPU.
template <class Device, class Program, int Step>
void run_on_host(cpu::step_view const& s) {
  {
    host_operands<Device> const operands(s, 0);
    cpu::function_of_step<Program, Step, false>()(s);
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
    } else if constexpr (core::is_selection(Kind)) {
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
/// Where a part is computed: inside of the whole if that is on the same side, otherwise apart.
template <class Device, core::step_kind Kind>
void run_part(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  int const whole = s.operand(0), result = s.result(0);
  {
    host_operands<Device> const indices(s, 1);
    if constexpr (Kind == core::step_kind::written_part) cpu::run_subtensor(s);
    else cpu::run_joined_part(s);
  }
  if (f.home(whole) == f.home(result)) return;
  core::array_ref& part = f.value(result);
  part.make_contiguous_strides();
  std::size_t const bytes = cpu::bytes_that_fit(part);
  bool const is_of_device = f.home(result) == side::device;
  part.data = is_of_device ? f.device_extra(result, bytes) : f.extra(result, bytes);
}
/// A view of a whole operand: one of two, or the one that is printed, checked, or waits.
template <class Device, class Program, int Step>
void run_whole_view(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::step_traits const traits = core::traits_of(s.info.kind);
  int shown = s.operand(traits.looks_into);
  if (s.info.kind == core::step_kind::ifelse) {
    bool const holds = f.at(s.operand(0), side::host).data[0] != std::byte{0};
    if (!holds) shown = s.operand(traits.or_into);
  } else if (traits.reads != 0) {
    // Of an assertion, the condition and not what it is about.
    host_operands<Device> const operands(s, std::countr_zero(traits.reads));
    cpu::function_of_step<Program, Step, false>()(s);
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
  core::array_ref const old = core::spread(f.at(s.operand(0), side::device), out);
  auto const copy = [](core::array_ref const& to, core::array_ref const& from) {
    copy_on<Device>(to, from);
  };
  core::array_ref part;
  {
    host_operands<Device> const indices(s, 2);
    part = cpu::written_part(s);
    if constexpr (Kind == core::step_kind::set_subtensor)
      if (cpu::lies_in_part(f.at(s.operand(1), side::device), part))
        return cpu::copy_around_part(s, old, copy);
  }
  copy(out, old);
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

/// Lets the CPU's function of a step look at its operands, for what it refuses; what it computes
/// is not used.
template <class Device, class Program, int Step>
void look_on_host(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  host_operands<Device> const operands(s, 0);
  core::array_ref const result = f.value(s.result(0));
  std::vector<std::byte> unused(cpu::bytes_that_fit(result) + 64);
  f.value(s.result(0)).data = unused.data();
  try {
    cpu::function_of_step<Program, Step, false>()(s);
  } catch (...) {
    f.value(s.result(0)) = result;  // calls of the same extents are not laid out again
    throw;
  }
  f.value(s.result(0)) = result;
}
/// An op that has a function on the device.
template <class Device, class Program, int Step>
void run_own(cpu::step_view const& s) {
  constexpr plan::step_info info = Program::steps[static_cast<std::size_t>(Step)];
  using own = kernel<freeze::op_at<Program::value.ops[info.op]>>;
  if constexpr (own::may_fault) {
    auto& f = static_cast<device_frame<Device>&>(s.f);
    // What is written into a shared variable cannot be taken back.
    if (f.is_careful() || f.tables().values[s.result(0)].where == plan::storage::parameter)
      look_on_host<Device, Program, Step>(s);
  }
  device_call<Device> call(s);
  own::template run<cpu::step_element<Program, info.first>>(call);
}
/// Whether a step may set the frame's fault word.
template <class Program, std::size_t Step>
constexpr bool may_fault() {
  constexpr plan::step_info info = Program::steps[Step];
  if constexpr (info.kind == core::step_kind::own &&
                placement_of<Program>.steps[Step] == side::device)
    return kernel<freeze::op_at<Program::value.ops[info.op]>>::may_fault;
  else return false;
}
/// The last step of a program that may; -1 if none does.
template <class Program>
inline constexpr int last_fault = []<std::size_t... I>(std::index_sequence<I...>) {
  int last = -1;
  ((last = may_fault<Program, I>() ? static_cast<int>(I) : last), ...);
  return last;
}(std::make_index_sequence<Program::steps.size()>{});

/// Runs the body of a loop, step by step; see call/loops.hpp.
template <class Device, class Body>
void run_loop(cpu::step_view const& s);

/// The function of a step.
template <class Device, class Program, int Step>
constexpr cpu::step_function function_of_step() {
  constexpr plan::step_info info = Program::steps[static_cast<std::size_t>(Step)];
  constexpr core::step_traits traits = core::traits_of(info.kind);
  using T = cpu::step_element<Program, info.first>;
  if constexpr (traits.view == core::step_traits::part) {
    if constexpr (core::places_part(info.kind)) return &run_part<Device, info.kind>;
    else return &run_view<Device, info.kind>;
  } else if constexpr (traits.view == core::step_traits::whole) {
    return &run_whole_view<Device, Program, Step>;
  } else if constexpr (placement_of<Program>.steps[static_cast<std::size_t>(Step)] == side::host) {
    return &run_on_host<Device, Program, Step>;
  } else if constexpr (info.kind == core::step_kind::loop) {
    constexpr row_run run = row_runs<Program>[static_cast<std::size_t>(Step)];
    if constexpr (run.last == Step) return &row_launch<Device, Program, Step>::launch;
    else if constexpr (run.has(Step)) return [](cpu::step_view const&) {};
    else return &launch_step<Device, freeze::lift_t<Program, info.body>>;
  } else if constexpr (traits.is_product) {
    return &run_product<Device, info.kind, T>;
  } else if constexpr (info.kind == core::step_kind::scan) {
    return &run_loop<Device, body_of_step<Program, static_cast<std::size_t>(Step)>>;
  } else if constexpr (info.kind == core::step_kind::own) {
    return &run_own<Device, Program, Step>;
  } else if constexpr (info.kind == core::step_kind::first_equal) {
    return &run_first_equal<Device, T>;
  } else {
    return &run_write<Device, info.kind, T>;
  }
}

}  // namespace kroton::cuda
