// Tells ops that a call has thrown, such as those that other processes wait for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/program.hpp>

namespace kroton::cpu {

/// Calls once what some of the ops declare as `abandon`: ops(k) is number k of `count`, or null.
template <class Ops>
void abandon(int count, Ops const& ops) {
  list<void (*)()> told;
  for (int k = 0; k < count; ++k) {
    op_info const* const op = ops(k);
    if (op == nullptr || !op->has_abandon || told.contains(op->abandon)) continue;
    told.push_back(op->abandon);
    op->abandon();
  }
}

/// How many calls of programs with such ops this thread is in: more than one where a user's op
/// calls another function.
inline int& depth_of_calls() {
  thread_local int depth = 0;
  return depth;
}

/// Runs a call, from its arguments to its results, and tells the ops where it throws.
template <class Ops, class Call>
void run_or_abandon(int count, Ops const& ops, Call const& call) {
  struct one_more {
    one_more() { ++depth_of_calls(); }
    ~one_more() { --depth_of_calls(); }
  } const within;
  try {
    call();
  } catch (...) {
    abandon(count, ops);
    throw;
  }
}

template <class Program>
constexpr op_info const* own_op_of_step(int s) {
  step_info const step = Program::steps[static_cast<std::size_t>(s)];
  return step.kind == step_kind::own ? Program::value.ops[step.op] : nullptr;
}
/// Whether any op of a program is told.
template <class Program>
constexpr bool has_abandon() {
  for (int s = 0; s < static_cast<int>(Program::steps.size()); ++s)
    if (Program::steps[static_cast<std::size_t>(s)].kind == step_kind::own &&
        own_op_of_step<Program>(s)->has_abandon)
      return true;
  return false;
}
/// The same for a call of a program, and at no cost where none of its ops is told.
template <class Program, class Call>
KROTON_INLINE void run_or_abandon(Call const& call) {
  if constexpr (has_abandon<Program>())
    run_or_abandon(static_cast<int>(Program::steps.size()), own_op_of_step<Program>, call);
  else call();
}

}  // namespace kroton::cpu
