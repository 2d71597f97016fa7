// A call of an interpreted program: outputs into containers or arrays, updates into shared
// variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/abandon.hpp>
#include <kroton/cpu/call/arrays/outputs.hpp>
#include <kroton/cpu/call/run.hpp>
#include <kroton/runtime/argument.hpp>
#include <kroton/runtime/program.hpp>

#include <tuple>
#include <vector>

namespace kroton::runtime {

namespace detail {

/// The value of an output, by its position.
inline bool is_computed_in(program const& p, int v, std::size_t output) {
  return p.tables().values[static_cast<std::size_t>(v)].output == static_cast<int>(output);
}

/// Stores the new values of the shared variables that were not updated in place.
template <class SharedTuple>
void store_updates(program const& p, cpu::frame& f, SharedTuple& shared) {
  core::items<plan::planned_update> const& updates = p.tables().updates;
  std::size_t const first =
      static_cast<std::size_t>(p.tables().parameters.size()) - std::tuple_size_v<SharedTuple>;
  thread_list<cpu::memory_range> old(updates.size());
  cpu::set_updates_aside(f, old.data());
  auto store = [&](std::size_t position, auto const& variable) {
    for (auto const& u : updates)
      if (!u.in_place && static_cast<std::size_t>(u.parameter) == first + position)
        cpu::store_update(variable.storage(), f.value(u.value));
  };
  [&]<std::size_t... S>(std::index_sequence<S...>) {
    (store(S, std::get<S>(shared)), ...);
  }(std::make_index_sequence<std::tuple_size_v<SharedTuple>>{});
}

}  // namespace detail

/// Runs a call of a program, and tells the ops where it throws, see cpu/call/abandon.hpp.
template <class Call>
void run_or_abandon(program const& p, Call const& call) {
  cpu::run_or_abandon(p.step_count(), [&](int step) { return p.op(step); }, call);
}

/// Runs a program whose parameters are bound. Value is the list of output types; targets receive
/// the outputs.
template <class... Value, class... Target, class SharedTuple>
void run_program(program const& p, cpu::frame& f, std::tuple<Target...>& targets,
                 SharedTuple& shared) {
  p.lay_out(f);
  cpu::place_updates(f);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    std::tuple<cpu::output_slot<std::remove_cvref_t<Target>, Value>...> slots;
    (std::get<K>(slots).prepare(f, std::get<K>(targets), p.outputs()[K],
                                detail::is_computed_in(p, p.outputs()[K], K)),
     ...);
    f.join_companions();
    p.run(f);
    cpu::keep_from_targets(f, p.outputs(), targets);
    (std::get<K>(slots).finish(f, std::get<K>(targets), p.outputs()[K]), ...);
  }(std::index_sequence_for<Value...>{});
  detail::store_updates(p, f, shared);
}

/// The same with arrays as outputs. Arrays of the right type and shape are kept, others are
/// replaced; so is one that is also an argument, whose old value is needed until the end.
void run_program(program const& p, cpu::frame& f, std::vector<array>& targets);

}  // namespace kroton::runtime
