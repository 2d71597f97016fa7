// How the steps of a loop are run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/run.hpp>

#include <string>

namespace kroton::printing {

inline constexpr std::string_view in_frames = "steps in frames, since ";

/// The way of step number `I` of a program, which is a loop: `steps in frames, since …`, or how
/// they bypass them.
template <class Program, int I>
[[gnu::cold]] std::string way_of_scan() {
  using body = typename freeze::program_of_body<
      Program, Program::steps[static_cast<std::size_t>(I)].body>::type;
  if constexpr (cpu::is_scalar_program<body>()) {
    return "steps as functions of numbers";
  } else {
    constexpr cpu::frame_reason reason = cpu::steps_keep_frame<body, true>();
    return reason.empty() ? "small steps without the frame"
                          : std::string(in_frames) + cpu::text_of<body>(reason);
  }
}

/// Calls a function with the number of each step of a program that is a loop.
template <class Program, class Visit>
void for_each_scan(Visit const& visit) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    auto const look = [&]<int S>(std::integral_constant<int, S> step) {
      if constexpr (Program::steps[static_cast<std::size_t>(S)].kind == step_kind::scan)
        visit(step);
    };
    (look(std::integral_constant<int, I>{}), ...);
  }(std::make_integer_sequence<int, static_cast<int>(Program::steps.size())>{});
}

}  // namespace kroton::printing
