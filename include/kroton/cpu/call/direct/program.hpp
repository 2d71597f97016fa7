// Which programs bypass the frame, and the state that their calls keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/direct/loop.hpp>
#include <kroton/cpu/call/direct/prologue.hpp>
#include <kroton/cpu/call/direct/scalars.hpp>
#include <kroton/cpu/call/direct/small_step.hpp>
#include <kroton/cpu/call/frame.hpp>
#include <kroton/cpu/op/kernel.hpp>

#include <string>

namespace kroton::cpu {

template <class Program, class Steps>
inline constexpr frame_reason steps_need_frame{};
template <class Program, std::size_t... S>
inline constexpr frame_reason steps_need_frame<Program, std::index_sequence<S...>> = [] {
  int nodes = 0, numbers = 0;
  frame_reason reason;
  auto look = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    [[maybe_unused]] constexpr int step = static_cast<int>(I);
    if constexpr (Program::steps[I].kind == step_kind::loop) {
      using loop = direct_loop<Program, step>;
      (loop::rank == 0 ? numbers : nodes) += loop::G::all;
      if (!loop::is_supported) reason = {"a loop does not go row by row", step};
    } else if constexpr (Program::steps[I].kind == step_kind::own) {
      using op = op_at<Program::value.ops[Program::steps[I].op]>;
      if (cpu::has_choice<op>) reason = {"a step keeps its choice for the extents", step};
    } else if constexpr (Program::steps[I].kind == step_kind::scan) {
      // In bodies only: a function that is one loop would be compiled twice.
      if constexpr (!is_body<Program> || !is_loop_of_scalars<Program, step>())
        reason = {"a scan keeps the memory of its steps", step};
    }
  };
  (look(std::integral_constant<std::size_t, S>{}), ...);
  constexpr int most =
      is_body<Program> ? machine::max_small_nodes_of_loop : machine::max_small_nodes;
  if (nodes > most || numbers > machine::max_small_numbers)
    reason = {"its loops compute too much"};
  return reason;
}();

/// Why every call of a program goes through the frame, wherever its outputs go; nothing where small
/// ones bypass it. What is called in each step of a loop may have more steps.
template <class Program, bool InLoop = false>
constexpr frame_reason steps_keep_frame() {
  using band = direct_band<Program>;
  constexpr int most_steps = band::exists || band::has_indices ? machine::max_small_steps_of_band
                             : InLoop ? machine::max_small_steps_of_loop
                                      : machine::max_small_steps;
  if constexpr (!direct_tables<Program>::needs_frame(most_steps).empty())
    return direct_tables<Program>::needs_frame(most_steps);
  else if constexpr (!direct_prologue<Program>::needs_frame().empty())
    return direct_prologue<Program>::needs_frame();
  else return steps_need_frame<Program, std::make_index_sequence<Program::steps.size()>>;
}
/// The same of a function, whose outputs have targets of their own.
template <class Program>
constexpr frame_reason needs_frame() {
  if constexpr (is_scalar_program<Program>()) return {};
  else if constexpr (!direct_tables<Program>::outputs_need_frame().empty())
    return {direct_tables<Program>::outputs_need_frame()};
  else return steps_keep_frame<Program>();
}
/// The reason in words, with the op of the step; nothing where there is none.
template <class Program>
[[gnu::cold]] std::string text_of(frame_reason const& reason) {
  std::string text(reason.why);
  if (reason.step < 0) return text;
  step_info const& step = Program::steps[static_cast<std::size_t>(reason.step)];
  if (step.kind == step_kind::loop) return text;
  return text + " (" + std::string(Program::value.ops[step.op]->name) + ")";
}
/// Whether calls of a program that are small enough go past the frame.
template <class Program>
constexpr bool is_direct_program() {
  return !is_scalar_program<Program>() && needs_frame<Program>().empty();
}

}  // namespace kroton::cpu
