// Which programs bypass the frame, and the state that their calls keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct_band.hpp>
#include <kroton/cpu/call/direct_loop.hpp>
#include <kroton/cpu/call/frame.hpp>
#include <kroton/cpu/call/scalar.hpp>
#include <kroton/cpu/op/kernel.hpp>

namespace kroton::core {

template <class Program, class Steps>
inline constexpr bool steps_are_simple = false;
template <class Program, std::size_t... S>
inline constexpr bool steps_are_simple<Program, std::index_sequence<S...>> = [] {
  constexpr int most_nodes = 64;  // of all loops, since their bodies are compiled once more
  int nodes = 0;
  bool all = true;
  auto look = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if constexpr (Program::steps[I].kind == step_kind::loop) {
      using loop = direct_loop<Program, static_cast<int>(I)>;
      nodes += loop::G::all;
      all = all && loop::is_supported;
    } else if constexpr (Program::steps[I].kind == step_kind::own) {
      // The frame keeps what a step chooses for the extents of its operands.
      using op = op_at<Program::value.ops[Program::steps[I].op]>;
      all = all && !requires { typename cpu::kernel_of<op>::choice; };
    }
  };
  (look(std::integral_constant<std::size_t, S>{}), ...);
  return all && nodes <= most_nodes;
}();

/// What a function keeps for its small calls: memory between the steps, and for the time of one.
struct small_memory {
  memory_block arena, scratch;
};

/// Whether calls of a program that fit go past the frame.
template <class Program>
constexpr bool is_direct_program() {
  constexpr std::size_t most_steps = 12;  // if they are not those of a band
  if constexpr (is_scalar_program<Program>())
    return false;
  else if constexpr (!direct_tables<Program>::are_simple())
    return false;
  else if constexpr (Program::steps.size() > most_steps && !direct_band<Program>::exists)
    return false;
  else
    return steps_are_simple<Program, std::make_index_sequence<Program::steps.size()>>;
}

}  // namespace kroton::core
