// The CPU as a target: where the arrays of a function are, and what runs its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/run.hpp>

namespace kroton::cpu {

/// What a function asks of the target that its mode names. Another one has the same members.
struct target {
  static constexpr bool is_host = true;
  /// What an output is returned in, and what binds an argument of type A to a parameter.
  template <class T, int Rank>
  using container = cpu::container_t<T, Rank>;
  template <class T, int Rank, class A>
  using argument = cpu::argument<T, Rank, A>;
  /// Whether A is an array of the target, which only it reads.
  template <class A>
  static constexpr bool has_array = false;
  /// The memory of a function, and the functions of its steps.
  template <class Program>
  using frame = cpu::program_frame<Program>;
  template <class Program, int Step>
  static constexpr cpu::step_function step() {
    return cpu::function_of_step<Program, Step>();
  }
  /// A function's mode, which may say more of the variables that it is bound to.
  template <class Mode, class... S>
  using mode_for = Mode;
  /// Rejects a program that the target cannot run, with a sentence. Another target instantiates it.
  template <class Program>
  static constexpr bool takes_program() {
    return true;
  }
  /// Rejects shared variables that are elsewhere, with a sentence.
  template <class... S>
  static constexpr bool takes_shared() {
    constexpr bool are_here = 
        ((rank_of_device_array<std::remove_cvref_t<decltype(std::declval<S>().storage())>> < 0) &&
         ...);
    static_assert(are_here,
                  "kt::function: a shared variable is on a device; it needs a kt::shared in place "
                  "of kt::cuda::shared, or the function kt::cuda::function");
    return are_here;
  }
};

}  // namespace kroton::cpu
