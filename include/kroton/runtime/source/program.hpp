// Programs of the run-time stage: filling the tables from a plan, and running the steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/cpu/call/step_kinds.hpp>
#include <kroton/plan/storage.hpp>
#include <kroton/runtime/profile.hpp>
#include <kroton/runtime/run.hpp>
#include <kroton/runtime/source/loop.hpp>

namespace kroton::runtime {

namespace detail {

/// The op whose kernel a step runs, once or for each slice.
inline core::op_info const& running_op(core::op_info const& op) {
  return op.has_slice ? *op.slice() : op;
}

[[noreturn]] inline void refuse_elements(core::op_info const& op, element e) {
  std::string const name(op.name);
  if (core::is_complex(e) && !op.takes_complex)
    throw value_error(name + ": " + std::string(core::no_complex_numbers));
  throw value_error(name + ": not supported for elements of type " + std::string(core::name_of(e)));
}

}  // namespace detail

KROTON_RUNTIME_INLINE program::program(kroton::graph optimized, kernel_library const& kernels,
                                       core::list<plan::parameter_info> const* of_body)
    : graph_(std::move(optimized)) {
  auto check = [&] {
    if (!graph_.error().empty()) throw value_error(std::string(graph_.error()));
  };
  check();
  for (auto& name : graph_.names()) name.name = names_.emplace_back(name.name);
  plan::planner plan(graph_);
  check();
  plan::storage_plan const memory(graph_, plan, of_body != nullptr);
  made_.emplace(graph_, plan, memory);
  made_->leave_bands();
  if (of_body != nullptr) made_->be_body(*of_body);
  for (auto const& c : made_->constraints) constraints_.push_back(plan::described(c));
  tables_ = {
      made_->values,     made_->steps, made_->pool, made_->extents, constraints_, made_->updates,
      made_->parameters, {},           {},          {},             made_->slots};
  find_code(plan, kernels);
  fixed_layout_ = cpu::has_fixed_layout(tables_);
}

KROTON_RUNTIME_INLINE void program::find_code(plan::planner const& plan,
                                              kernel_library const& kernels) {
  for (plan::planned_step const& step : plan.steps) {
    plan::step_info const& info = tables_.steps[static_cast<int>(ops_.size())];
    bool const loop = step.kind == core::step_kind::loop;
    loops_.push_back(loop ? std::make_unique<loop_code>(plan.bodies[step.body], kernels) : nullptr);
    ops_.push_back(loop ? nullptr : graph_[step.node].op);
    own_.push_back(step.kind == core::step_kind::own
                       ? kernels.step(detail::running_op(*ops_.back()), deciding_type(info))
                       : nullptr);
    bodies_.push_back(step.kind == core::step_kind::scan ? program_of_body(step.node, kernels)
                                                         : nullptr);
    std::string text;
    if (!loop) text = graph_[step.node].op->name;
    for (int id : step.nodes)
      if (loop) text += (text.empty() ? "" : " ") + std::string(graph_[id].op->name);
    texts_.push_back(text);
  }
}

KROTON_RUNTIME_INLINE std::unique_ptr<program> program::program_of_body(
    int scan, kernel_library const& kernels) const {
  auto const parameters = plan::parameters_of_body(graph_, scan, made_->parameters);
  return std::make_unique<program>(graph_.body(graph_.attribute(scan, 0)), kernels, &parameters);
}

KROTON_RUNTIME_INLINE void program::lay_out(cpu::frame& f) const {
  if (fixed_layout_ && f.is_laid_out()) return;
  find_extents(f);
  f.lay_out();
}

KROTON_RUNTIME_INLINE void program::find_extents(cpu::frame& f) const {
  f.find_extents([&](auto const& prologue) {
    for (int s = 0; s < step_count(); ++s)
      if (cpu::takes_part(tables_.steps[s], true)) prologue.step(f, s, [&] { run_step(f, s); });
  });
}

KROTON_RUNTIME_INLINE void program::run(cpu::frame& f) const {
  for (int s = 0; s < step_count(); ++s) {
    if (!cpu::takes_part(tables_.steps[s], false)) continue;
    if (f.observer() == nullptr) run_step(f, s);
    else f.observer()->step(f, s, [&] { run_step(f, s); });
  }
}

/// Runs a scan whose body is interpreted.
inline void run_scan(cpu::step_view const& s, program const& body) {
  cpu::run_scan(
      s, {body.tables(), body.outputs(), &body,
          [](cpu::frame& f, void const* self) { static_cast<program const*>(self)->lay_out(f); },
          [](cpu::frame& f, void const* self) { static_cast<program const*>(self)->run(f); }});
}

KROTON_RUNTIME_INLINE void program::run_step(cpu::frame& f, int step) const {
  plan::step_info const& info = tables_.steps[step];
  cpu::step_view const s{f, info};
  if (info.guard_count > 0 && !cpu::guards_hold(f, info)) return;
  if (info.kind == core::step_kind::loop) return loop(step)->run(s);
  if (info.kind == core::step_kind::own) {
    own_kernel const kernel = own_[static_cast<std::size_t>(step)];
    if (kernel == nullptr) detail::refuse_elements(*op(step), deciding_type(info));
    thread_list<core::array_ref> arrays(info.operand_count + info.result_count);
    core::invocation const call = s.call(arrays.data());
    if (!op(step)->has_slice) return kernel(call, s);
    thread_list<core::array_ref> results(info.result_count);
    return cpu::run_slices(call, results.data(), info.result_count,
                           [&](core::invocation const& one) { kernel(one, s); });
  }
  if (info.kind == core::step_kind::scan) return run_scan(s, *body(step));
  element const e = deciding_type(info);
  visit_element(e, [&]<class T>(std::type_identity<T>) {
    // What is stored in 16 bits is only moved.
    cpu::run_step_of<std::conditional_t<core::is_short_float<T>, std::uint16_t, T>>(s);
  });
  if (!core::traits_of(info.kind).is_product || observer::current() == nullptr) return;
  std::vector<core::array_ref> operands;
  for (int k = 0; k < info.operand_count; ++k) operands.push_back(f.value(s.operand(k)));
  observer::current()->see_whole(
      {op(step), e, f.value(s.result(0)), operands.data(), info.operand_count});
}

KROTON_RUNTIME_INLINE void run_program(program const& p, cpu::frame& f,
                                       std::vector<array>& targets) {
  p.lay_out(f);
  targets.resize(static_cast<std::size_t>(p.outputs().size()));
  std::vector<array> old;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    int const v = p.outputs()[k];
    plan::value_info const& info = p.tables().values[static_cast<std::size_t>(v)];
    auto extent = [&](std::size_t d) {
      return static_cast<std::size_t>(f.extent(info.extents[d]));
    };
    array& target = targets[k];
    bool fits = target.element_type() == info.type && target.rank() == info.rank;
    for (std::size_t d = 0; fits && d < target.shape().size(); ++d)
      fits = target.shape()[d] == extent(d);
    if (!fits || cpu::meets_parameters(f, cpu::range_of(target.ref()))) {
      std::vector<std::size_t> shape;
      for (std::size_t d = 0; d < static_cast<std::size_t>(info.rank); ++d)
        shape.push_back(extent(d));
      old.push_back(std::exchange(target, array(info.type, std::move(shape))));
    }
    if (detail::is_computed_in(p, v, k)) f.value(v).data = target.ref().data;
  }
  f.join_companions();
  p.run(f);
  for (std::size_t k = 0; k < targets.size(); ++k) {
    core::array_ref const to = targets[k].ref(), &from = f.value(p.outputs()[k]);
    if (to.data != from.data) core::copy(to, from);
  }
}

}  // namespace kroton::runtime
