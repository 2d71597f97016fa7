// Kernels: the functions that compute ops on the CPU which have one of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/own.hpp>
#include <kroton/cpu/op/choice.hpp>

#include <type_traits>

namespace kroton::cpu {

/// The function of a built-in op: `run(invocation)`, or `run<T>(invocation)`, where T is the
/// element type of the first operand; either with a `choice&` as a second argument, see
/// cpu/op/choice.hpp. Each has a specialization, of which kernels.hpp includes all.
template <class Op>
struct kernel {
  static_assert(!core::declares_own<Op>,
                "kt: the op declares a function of its own, but no cpu::kernel defines it");
};
/// What has the function of an op: a user's op has it itself.
template <class Op>
using kernel_of = std::conditional_t<core::declares_own<Op>, kernel<Op>, Op>;

/// Whether it has a choice. (nvcc finds none where a lambda asks.)
template <class Op>
inline constexpr bool has_choice = requires { typename kernel_of<Op>::choice; };

template <class Op, class T>
concept runs_on = core::runs_on<kernel_of<Op>, T>;

/// Calls the function in a step of a program. T is of no importance to a function for all types.
template <class Op, class T, class Step>
void run_kernel(core::invocation const& call, Step const& step) {
  using own = kernel_of<Op>;
  if constexpr (core::runs_by_type<Op> && has_choice<Op>)
    own::template run<T>(call, cpu::chosen<own>(step));
  else if constexpr (core::runs_by_type<Op>) own::template run<T>(call);
  else if constexpr (has_choice<Op>) own::run(call, cpu::chosen<own>(step));
  else own::run(call);
}

}  // namespace kroton::cpu
