// Runs a program: binds, checks, lays out memory, takes the steps, stores updates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/arrays/outputs.hpp>
#include <kroton/cpu/call/run_steps.hpp>
#include <kroton/cpu/call/scan/scan.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <tuple>

namespace kroton::cpu {

template <class F, class Mode, int Bound, class Parameters>
struct program_of;
template <class F, class Mode, int Bound, class... P>
struct program_of<F, Mode, Bound, std::tuple<P...>> {
  using type = program<F, Mode, Bound, P...>;
  using evaluated = evaluation<F, Mode, Bound, P...>;
};
template <class F, class Mode, int Bound, class Parameters>
using traced_program = typename program_of<F, Mode, Bound, Parameters>::type;
template <class F, class Mode, int Bound, class Parameters>
using traced_evaluation = typename program_of<F, Mode, Bound, Parameters>::evaluated;

template <class Program>
inline constexpr program_tables tables_storage{
    Program::values,  Program::steps,      Program::pool,  Program::extents, Program::constraints,
    Program::updates, Program::parameters, Program::bands, Program::slices,  Program::bundles,
    Program::places.slots};
template <class Program>
program_tables const& tables_of() {
  return tables_storage<Program>;
}

/// The frame of a function.
template <class Program>
struct program_frame : frame {
  program_frame() : frame(tables_storage<Program>) {}
};

template <class Shared>
array_ref shared_ref(Shared const& s) {
  if constexpr (Shared::rank == 0) {
    array_ref r;
    r.data = reinterpret_cast<std::byte*>(&s.storage());
    return r;
  } else {
    return ref_to(s.storage());
  }
}

/// Binds the arguments of a call, then the shared variables.
template <class Frame, class SharedTuple, class... A>
void bind_all(Frame& f, SharedTuple const& shared, A const&... arguments) {
  int next = 0;
  (f.bind(next++, arguments.ref()), ...);
  std::apply([&](auto const&... s) { (f.bind(next++, shared_ref(s)), ...); }, shared);
}

/// The container of a program's output.
template <class Program, std::size_t K>
using output_value =
    container_t<value_t<Program::values[static_cast<std::size_t>(Program::outputs[K])].type>,
                Program::values[static_cast<std::size_t>(Program::outputs[K])].rank>;

/// Lets values that are updated in place lie in their shared variables. A parameter that lies there
/// too, an argument or the same variable bound twice, is copied aside first: it keeps its old
/// value.
inline void place_updates(frame& f) {
  for (auto const& u : f.tables().updates) {
    if (!u.in_place) continue;
    memory_range const updated = range_of(f.value(u.parameter));
    f.value(u.value).data = f.value(u.parameter).data;
    for (int p = 0; p < f.tables().parameters.size(); ++p)
      if (p != u.parameter && updated.meets(range_of(f.value(p)))) set_aside(f, p);
  }
}

/// Before new values are stored one after the other: those that lie in a variable that is updated
/// are set aside, so that variables can be exchanged, and be views of themselves. `old` has room
/// for one range an update.
inline void set_updates_aside(frame& f, memory_range* old) {
  items<planned_update> const& updates = f.tables().updates;
  for (int u = 0; u < updates.size(); ++u) old[u] = range_of(f.value(updates[u].parameter));
  for (auto const& u : updates) {
    memory_range const value = range_of(f.value(u.value));
    bool meets = false;
    for (int k = 0; k < updates.size(); ++k) meets = meets || value.meets(old[k]);
    if (!u.in_place && meets) set_aside(f, u.value);
  }
}

/// Stores a new value in its shared variable.
template <class Storage>
void store_update(Storage& storage, array_ref const& value) {
  if constexpr (number<Storage>) {
    std::memcpy(&storage, value.data, sizeof(storage));
  } else {
    shape_target(storage, value.extents, static_cast<std::size_t>(value.rank));
    copy_array(ref_to(storage), value);
  }
}

/// Stores the new values of the shared variables that were not updated in place.
template <class Program, class SharedTuple>
void store_updates(frame& f, SharedTuple& shared) {
  [[maybe_unused]] constexpr std::size_t first =
      Program::parameters.size() - std::tuple_size_v<SharedTuple>;
  constexpr bool any_meets = [] {
    for (auto const& u : Program::updates)
      if (!u.in_place && may_lie_in_parameter(Program::values[static_cast<std::size_t>(u.value)]))
        return true;
    return false;
  }();
  if constexpr (any_meets) {
    memory_range old[Program::updates.size()];
    set_updates_aside(f, old);
  }
  [[maybe_unused]] auto store = [&]<std::size_t N>(std::integral_constant<std::size_t, N>) {
    constexpr planned_update u = Program::updates[N];
    if constexpr (!u.in_place)
      store_update(std::get<static_cast<std::size_t>(u.parameter) - first>(shared).storage(),
                   f.value(u.value));
  };
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (store(std::integral_constant<std::size_t, N>{}), ...);
  }(std::make_index_sequence<Program::updates.size()>{});
}

/// Checks the parameters and lays out memory, which the last call did where their extents are the
/// same.
template <class Program>
void lay_out(frame& f) {
  constexpr bool is_fixed = has_fixed_layout(tables_storage<Program>);
  if (is_fixed && f.is_laid_out()) return;
  f.find_extents([&](auto const& prologue) { run_steps<Program, true>(f, prologue); });
  f.lay_out();
}

template <class Body>
body_code code_of_body() {
  return {tables_of<Body>(),
          items<int>(Body::outputs.data(), static_cast<int>(Body::outputs.size())), nullptr,
          [](frame& f, void const*) { lay_out<Body>(f); },
          [](frame& f, void const*) {
            if (step_observer* const observer = f.observer()) run_steps<Body, false>(f, *observer);
            else run_steps<Body, false>(f);
          }};
}
template <class Body>
void run_compiled_scan(step_view const& s) {
  run_scan(s, code_of_body<Body>());
}

/// Whether any output or new value may lie in an argument or a shared variable.
template <class Program>
constexpr bool any_lie_in_parameters() {
  for (int v : Program::outputs)
    if (may_lie_in_parameter(Program::values[static_cast<std::size_t>(v)])) return true;
  for (auto const& u : Program::updates)
    if (!u.in_place && may_lie_in_parameter(Program::values[static_cast<std::size_t>(u.value)]))
      return true;
  return false;
}

/// What lives as long as a call takes its steps and stores its results: nothing on the CPU. A
/// device may record them. (cuda::recorded_calls)
struct unrecorded {
  void end() {}
};
template <class Observer>
unrecorded record(frame&, Observer const&) {
  return {};
}

/// Runs a program whose parameters are bound. The frame of another target has its own `lay_out` and
/// `run_steps`, and so on, and slots for its outputs.
template <class Program, class Frame, class Targets, class SharedTuple,
          class Observer = no_observer>
void run_program(Frame& f, Targets& targets, SharedTuple& shared, Observer&& observer = {}) {
  f.part_bands(std::is_same_v<std::remove_cvref_t<Observer>, no_observer>);
  lay_out<Program>(f);
  place_updates(f);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    std::tuple<typename Frame::template slot<std::remove_cvref_t<std::tuple_element_t<K, Targets>>,
                                             output_value<Program, K>>...>
        slots;
    (std::get<K>(slots).prepare(f, std::get<K>(targets), Program::outputs[K],
                                Program::values[Program::outputs[K]].output == static_cast<int>(K)),
     ...);
    f.join_companions();
    auto steps = record(f, observer);
    run_steps<Program, false>(f, observer);
    if constexpr (any_lie_in_parameters<Program>()) keep_from_targets(f, Program::outputs, targets);
    (std::get<K>(slots).finish(f, std::get<K>(targets), Program::outputs[K]), ...);
    store_updates<Program>(f, shared);
    steps.end();
  }(std::make_index_sequence<Program::outputs.size()>{});
}

/// Runs a program of one output inside another one, on its values.
template <class Program>
void run_detached(frame& f, array_ref const* operands, array_ref const& out) {
  for (std::size_t p = 0; p < Program::parameters.size(); ++p)
    f.bind(static_cast<int>(p), operands[p]);
  lay_out<Program>(f);
  constexpr int v = Program::outputs[0];
  if constexpr (Program::values[v].output == 0) f.value(v).data = out.data;
  f.join_companions();
  run_steps<Program, false>(f);
  if (f.value(v).data != out.data) copy_array(out, f.value(v));
}

}  // namespace kroton::cpu
