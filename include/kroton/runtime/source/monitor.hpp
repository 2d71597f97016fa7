// How steps are shown to the callables of kt::mode::monitor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/step_kinds.hpp>
#include <kroton/runtime/monitor.hpp>
#include <kroton/runtime/source/step_texts.hpp>
#include <kroton/runtime/visit.hpp>

#include <concepts>

namespace kroton {

KROTON_RUNTIME_INLINE std::vector<int> monitored_step::values(bool results) const {
  plan::step_info const& info = frame_.tables().steps[number_];
  cpu::step_view const s{frame_, info};
  std::vector<int> found;
  for (int k = 0; k < (results ? info.result_count : info.operand_count); ++k)
    if (int const v = results ? s.result(k) : s.operand(k); v >= 0) found.push_back(v);
  return found;
}

KROTON_RUNTIME_INLINE runtime::array monitored_step::copy_of(std::vector<int> const& values,
                                                             int k) const {
  if (k < 0 || static_cast<std::size_t>(k) >= values.size())
    throw value_error("kt::monitored_step: the step has no operand or result " + std::to_string(k));
  int const v = values[static_cast<std::size_t>(k)];
  return runtime::array::copy_of(frame_.value(v), frame_.tables().values[v].type);
}

KROTON_RUNTIME_INLINE bool monitored_step::has_nan() const {
  bool found = false;
  for (int k = 0; k < result_count(); ++k) {
    runtime::array const a = result(k);
    runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
      if constexpr (std::floating_point<T> || core::is_complex_number<T>)
        for (std::size_t i = 0; i < a.size(); ++i)
          found = found || a.data<T>()[i] != a.data<T>()[i];
    });
  }
  return found;
}

namespace runtime {

KROTON_RUNTIME_INLINE step_monitor::step_monitor(kroton::graph const& optimized,
                                                 step_watchers watchers, int depth)
    : watchers_(watchers), depth_(depth) {
  kroton::graph planned = optimized;
  plan::planner const plan(planned);
  for (plan::planned_step const& step : plan.steps) {
    bool const is_scan = step.kind == core::step_kind::scan;
    names_.push_back(detail::joined(detail::op_texts(planned, step)));
    bodies_.push_back(is_scan
                          ? std::make_unique<step_monitor>(
                                planned.body(planned.attribute(step.node, 0)), watchers, depth + 1)
                          : nullptr);
  }
}

KROTON_RUNTIME_INLINE void step_monitor::show(cpu::frame& f, int number,
                                              step_watchers::watcher to) const {
  auto const k = static_cast<std::size_t>(number);
  plan::step_info const& info = f.tables().steps[number];
  // Its branch is not taken, or nothing has been computed there yet
  if (!cpu::guards_hold(f, info) || core::places_part(info.kind)) return;
  to(monitored_step(f, number, names_[k], depth_));
}

}  // namespace runtime
}  // namespace kroton
