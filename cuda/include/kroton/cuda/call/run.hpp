// Takes the steps of a program on a device in their order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/steps.hpp>

namespace kroton::cuda {

/// The functions of a program's steps: what cpu::listed_steps takes of a target.
template <class Device>
struct device_steps {
  template <class Program, int Step>
  static constexpr cpu::step_function step() {
    return function_of_step<Device, Program, Step>();
  }
};

template <class Device>
bool guards_hold(device_frame<Device>& f, plan::step_info const& info) {
  cpu::step_view const s{f, info};
  int const first = info.operand_count + info.result_count + info.space_rank + info.attribute_count;
  for (int k = 0; k < info.guard_count; ++k) {
    long long const guard = s.pool(first + k);
    std::byte const value = f.at(static_cast<int>(guard / 2), side::host).data[0];
    if ((value != std::byte{0}) != (guard % 2 != 0)) return false;
  }
  return true;
}
template <class Program, class Device>
void find_fault(device_frame<Device>& f);

template <class Program, bool Prologue, class Device, class Observer>
void take_step(device_frame<Device>& f, int s, Observer& observer) {
  auto const& functions = cpu::listed_steps<device_steps<Device>, Program, Prologue>;
  plan::step_info const& info = f.tables().steps[s];
  if (cpu::takes_part(info, Prologue))
    observer.step(f, s, [&] {
      if (guards_hold(f, info)) functions[static_cast<std::size_t>(s)]({f, info});
    });
}
template <class Program, bool Prologue, class Device, class Observer>
void run_list(device_frame<Device>& f, Observer&& observer) {
  for (int s = 0; s < f.tables().steps.size(); ++s) {
    if constexpr (Prologue || last_fault<Program> < 0) {
      take_step<Program, Prologue>(f, s, observer);
    } else {
      try {
        take_step<Program, Prologue>(f, s, observer);
      } catch (...) {
        // The host may have met what is not there, since the device refused an element before.
        if (!f.is_careful() && f.has_met_fault()) find_fault<Program>(f);
        throw;
      }
      // Before anything is written that cannot be taken back.
      if (s == last_fault<Program> && !f.is_careful() && f.has_met_fault())
        return find_fault<Program>(f);
    }
  }
}
/// Takes the steps again, so that the CPU finds the element that the device refused, and throws.
template <class Program, class Device>
void find_fault(device_frame<Device>& f) {
  if constexpr (Device::records) recorded_calls<Device>::give_up();
  f.be_careful(true);
  try {
    run_list<Program, false>(f, cpu::no_observer{});
  } catch (...) {
    f.be_careful(false);
    throw;
  }
  f.be_careful(false);
  throw error("kt::cuda::function: the device refused an element that the CPU takes");
}
template <class Program, class Device>
void lay_out(device_frame<Device>& f) {
  f.begin_call();
  constexpr bool is_fixed = cpu::has_fixed_layout(cpu::tables_storage<Program>);
  if (is_fixed && f.is_laid_out()) return;
  f.find_extents([&](auto const& prologue) { run_list<Program, true>(f, prologue); });
  f.place_all();
  f.has_been_laid_out();
}
template <class Program, bool Prologue, class Device, class Observer>
void run_steps(device_frame<Device>& f, Observer&& observer) {
  f.give_host_memory();
  run_list<Program, Prologue>(f, observer);
}

}  // namespace kroton::cuda
