// Loops on a device: the states stay there from step to step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/cuda/call/run.hpp>

#include <memory>

namespace kroton::cuda {

/// Where the frame and the arrays of a loop are. (cpu::host_side)
template <class Device>
struct device_side {
  using frame = device_frame<Device>;
  using block = memory<Device>;
  static void copy(core::array_ref const& to, core::array_ref const& from) {
    copy_on<Device>(to, from);
  }
  static void copy_bytes(std::byte* to, std::byte const* from, std::size_t bytes) {
    Device::copy_within(to, from, bytes);
  }
  static core::array_ref const& computed(frame& f, int v) { return f.at(v, side::device); }
  static bool holds(frame& f, int v) { return f.at(v, side::host).data[0] != std::byte{0}; }
};

template <class Device, class Body>
cpu::body_code code_of_body() {
  return {cpu::tables_of<Body>(),
          plan::items<int>(Body::outputs.data(), static_cast<int>(Body::outputs.size())), nullptr,
          [](cpu::frame& f, void const*) { lay_out<Body>(static_cast<device_frame<Device>&>(f)); },
          [](cpu::frame& f, void const*) {
            auto& inner = static_cast<device_frame<Device>&>(f);
            if (cpu::step_observer* const observer = f.observer())
              run_steps<Body, false>(inner, *observer);
            else run_steps<Body, false>(inner, cpu::no_observer{});
          }};
}

template <class Device, class Body>
void run_loop(cpu::step_view const& s) {
  using loop = cpu::scan_run<device_side<Device>>;
  auto& f = static_cast<device_frame<Device>&>(s.f);
  std::shared_ptr<void>& kept = f.kept(s.number()).made;
  if (!kept)
    kept = std::make_shared<loop>(s, cpu::tables_of<Body>(), placement_of<Body>.values.data(), 0,
                                  f.takes_tf32(), f.is_deterministic());
  ops::scan_layout const layout = cpu::layout_of(s);
  typename device_frame<Device>::seen_on rows(f, side::device);
  for (int i = 0; i < layout.sequences(); ++i) rows.see(s.operand(layout.sequence_operand(i)));
  for (int tape = 0; tape < layout.states(); ++tape) rows.see(s.operand(layout.tape_operand(tape)));
  for (int i = 0; i < layout.non_sequences(); ++i)
    rows.see(s.operand(layout.non_sequence_operand(i)));
  typename device_frame<Device>::seen_on count(f, side::host);
  count.see(s.operand(ops::scan_layout::steps_operand));
  static_cast<loop*>(kept.get())->run(code_of_body<Device, Body>(), s);
}

}  // namespace kroton::cuda
