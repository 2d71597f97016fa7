// Direct calls: simple programs of small dense arrays as straight-line code on locals. What is not
// simple is left to the frame.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/direct/binding.hpp>
#include <kroton/cpu/call/direct/limits.hpp>
#include <kroton/cpu/call/direct/placement.hpp>
#include <kroton/cpu/call/direct/program.hpp>
#include <kroton/cpu/call/direct/prologue.hpp>
#include <kroton/cpu/call/direct/results.hpp>
#include <kroton/cpu/call/direct/steps.hpp>

namespace kroton::cpu {

/// The call of a program that is_direct_program. Nothing is written before it is known that the
/// call is simple.
template <class Program>
class direct_call {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using steps = direct_steps<Program>;
  using band = direct_band<Program>;
  using binding = direct_binding<Program>;
  using limits = direct_limits<Program>;
  using placement = direct_placement<Program>;
  using results = direct_results<Program>;
  using prologue = direct_prologue<Program>;
  using expand = int[];
  using all_values = std::make_integer_sequence<int, tables::value_count>;
  using all_extents = std::make_integer_sequence<int, tables::extent_count>;
  using all_steps = std::make_integer_sequence<int, tables::step_count>;

 public:
  using memory_type = direct_memory<Program>;

  /// False, with nothing done, where the frame has to take the call.
  template <class Targets, class SharedTuple, class... A>
  static bool run(memory_type& memory, Targets& targets, SharedTuple& shared,
                  A const&... arguments) {
    using all_outputs = std::make_index_sequence<Program::outputs.size()>;
    using all_updates = std::make_index_sequence<Program::updates.size()>;
    state s;
    if (!binding::bind(s, shared, std::index_sequence_for<A...>{},
                       std::make_index_sequence<std::tuple_size_v<SharedTuple>>{}, arguments...))
      return false;
    if (!find_extents(s, memory)) return false;
    std::ptrdiff_t const together = limits::rows_together(s);
    if (together < 0 ||
        !limits::is_simple(s, shared, targets, all_values{}, all_outputs{}, all_updates{}) ||
        !limits::is_small(s, together, all_steps{}))
      return false;
    placement::place(s, memory.arena, targets, together, all_values{}, all_outputs{});
    take_all(s, memory.scratch, together, all_steps{});
    results::store_outputs(s, targets, all_outputs{});
    results::store_updates(s, shared, all_updates{});
    return true;
  }
  /// The calls that the steps of a loop are, whose parameters have the same extents in all of them.
  /// Begins the first, whose parameters are bound. Returns how many rows of a band go together;
  /// negative, with nothing done, where the frame has to take the calls.
  static std::ptrdiff_t begin_calls(state& s, memory_type& memory) {
    if (!find_extents(s, memory)) return -1;
    std::ptrdiff_t const together = limits::rows_together(s);
    if (together < 0 || !limits::template arrays_fit<prologue::after>(s, all_values{}) ||
        !limits::is_small(s, together, all_steps{}))
      return -1;
    placement::place_in_slots(s, memory.arena, together, all_values{});
    return together;
  }
  /// Takes one of them, for which parameters and outputs have been given their addresses.
  static KROTON_INLINE void take_call(state& s, memory_type& memory, std::ptrdiff_t together) {
    placement::place_others(s, all_values{});
    take_all(s, memory.scratch, together, all_steps{});
  }
  /// What keeps a call of these extents in the frame, which has laid it out; nothing where it is
  /// small.
  static std::string needs_frame(frame& f) { return limits::needs_frame(f); }
  /// How many rows of a band go together in a small call of these extents; 0 without one.
  static std::ptrdiff_t rows_together(frame& f) { return limits::rows_together(f); }

 private:
  /// False where the prologue cannot compute them.
  static KROTON_INLINE bool find_extents(state& s, memory_type& memory) {
    binding::read_literals(s, all_values{});
    binding::read_extents(s, all_extents{});
    if (!take_prologue(s, memory, all_steps{})) return false;
    binding::template read_computed_extents<prologue::after>(s, all_extents{});
    return true;
  }
  template <int... S>
  static KROTON_INLINE bool take_prologue(state& s, memory_type& memory,
                                          std::integer_sequence<int, S...>) {
    return (take_early_step<S>(s, memory) && ...);
  }
  template <int S>
  static KROTON_INLINE bool take_early_step([[maybe_unused]] state& s,
                                            [[maybe_unused]] memory_type& memory) {
    if constexpr (prologue::is_stage(S)) {
      binding::template read_computed_extents<S>(s, all_extents{});
      if (!limits::template arrays_fit<S>(s, all_values{}) ||
          !limits::template is_small_stage<S>(s))
        return false;
      placement::template place_early<S>(s, memory);
    }
    if constexpr (tables::step(S).prologue)
      if (steps::template guards_hold<S>(s)) steps::template take<S>(s, memory.scratch);
    return true;
  }
  template <int S>
  static KROTON_INLINE void take_step(state& s, memory_block& scratch) {
    if constexpr (!tables::step(S).prologue)
      if (steps::template guards_hold<S>(s)) steps::template take<S>(s, scratch);
  }
  template <int... S>
  static KROTON_INLINE void take_all(state& s, memory_block& scratch,
                                     [[maybe_unused]] std::ptrdiff_t together,
                                     std::integer_sequence<int, S...> all) {
    if constexpr (band::exists)
      (void)expand{0, (S == band::first        ? take_band(s, scratch, together, all)
                       : band::is_inside(S) ? void()
                                               : take_step<S>(s, scratch),
                       0)...};
    else
      (void)expand{0, (take_step<S>(s, scratch), 0)...};
  }
  /// The steps of a band for some rows after the other.
  template <int... S>
  static KROTON_INLINE void take_band(state& s, memory_block& scratch, std::ptrdiff_t together,
                                      std::integer_sequence<int, S...>) {
    std::ptrdiff_t const rows = s.extents[band::rows];
    std::ptrdiff_t begin = 0;
    if (rows > together) s.all_rows = rows;
    (void)expand{0, (steps::template start<S>(s, scratch), 0)...};
    for (;;) {
      s.extents[band::rows] = rows - begin < together ? rows - begin : together;
      s.first_row = begin;
      (void)expand{0, (take_inside<S>(s, scratch), 0)...};
      if (rows - begin <= together) break;
      band::move(s, together);
      begin += together;
    }
    band::move(s, -begin);
    s.extents[band::rows] = rows;
    s.all_rows = -1;
    (void)expand{0, (look_again<S>(s, scratch), 0)...};
  }
  /// A view that was taken of some rows, for the steps behind the band.
  template <int S>
  static KROTON_INLINE void look_again(state& s, memory_block& scratch) {
    if constexpr (band::is_inside(S) && is_view(tables::step(S).kind))
      take_step<S>(s, scratch);
  }
  template <int S>
  static KROTON_INLINE void take_inside(state& s, memory_block& scratch) {
    if constexpr (band::is_inside(S)) take_step<S>(s, scratch);
  }
};

}  // namespace kroton::cpu
