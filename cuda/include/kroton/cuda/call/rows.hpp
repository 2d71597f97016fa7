// Loops of a band that one launch takes row by row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/launch.hpp>
#include <kroton/cuda/kernel/rows.hpp>

namespace kroton::cuda {

/// What decides whether a step can be one of several that are taken row by row.
struct row_fact {
  bool is_loop = false, is_view = false;
  int rank = 0;                     // of a loop's space
  int kept = 0;                     // axes that what is reduced has; 0 where nothing is reduced
  int band = -1, kept_by_view = 0;  // leading axes that a view leaves where they are
  std::size_t bytes = 0;            // of what a launch passes for it
};
/// The most loops of a launch: of more, the compiler makes a kernel without end.
inline constexpr int most_loops_of_rows = 16;

/// Some neighbouring steps of a band, from `first` to `last`, which is a loop. Their rows are what
/// lies behind the first `kept` axes.
struct row_run {
  int first = -1, last = -1, kept = 0;
  constexpr bool has(int step) const { return first <= step && step <= last && first >= 0; }
};

/// The leading axes that all reduced outputs of a group have: 0 where nothing is reduced, -1 where
/// they are reduced over other axes than the last ones, or where arrays are too many.
template <class Expression>
constexpr int kept_by_group(int rank) {
  using outputs = group_outputs<Expression>;
  if (outputs::arrays > most_packed_arrays) return -1;
  long long over = 0;
  for (int p = 0; p < outputs::size; ++p) {
    long long const axes = outputs::axes[static_cast<std::size_t>(p)];
    if (axes == 0) continue;
    if ((over != 0 && axes != over) || (axes & (axes + 1)) != 0) return -1;
    over = axes;
  }
  if (over == 0) return 0;
  if (outputs::count(over) > most_reduced_outputs) return -1;
  int kept = rank;
  for (; over != 0; over >>= 1) --kept;
  return kept > 0 ? kept : -1;
}

template <class Program>
class row_finder {
 public:
  template <std::size_t I>
  static constexpr row_fact fact_of() {
    constexpr plan::step_info s = Program::steps[I];
    row_fact fact;
    fact.band = s.band;
    if (s.prologue || s.guard_count > 0 || s.gathers) return fact;
    if constexpr (s.kind == core::step_kind::dimshuffle) {
      fact.is_view = true;
      int const attributes = s.first + s.operand_count + s.result_count + s.space_rank;
      while (fact.kept_by_view < s.attribute_count &&
             Program::pool[static_cast<std::size_t>(attributes + fact.kept_by_view)] ==
                 fact.kept_by_view)
        ++fact.kept_by_view;
    } else if constexpr (s.kind == core::step_kind::loop) {
      if (placement_of<Program>.steps[I] != side::device) return fact;
      fact.rank = s.space_rank;
      using group = freeze::lift_t<Program, s.body>;
      using outputs = group_outputs<group>;
      fact.kept = kept_by_group<group>(s.space_rank);
      fact.is_loop = fact.rank > 0 && fact.kept >= 0;
      fact.bytes = sizeof(row_step_arguments<outputs::operands, outputs::size>);
    }
    return fact;
  }
  static constexpr int count = static_cast<int>(Program::steps.size());
  static constexpr auto facts = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<row_fact, sizeof...(I) + 1>{fact_of<I>()...};
  }(std::make_index_sequence<Program::steps.size()>{});

  static constexpr row_fact const& fact(int step) { return facts[static_cast<std::size_t>(step)]; }
  static constexpr long long extent(int step, int d) {
    plan::step_info const& s = Program::steps[static_cast<std::size_t>(step)];
    return Program::pool[static_cast<std::size_t>(s.first + s.operand_count + s.result_count + d)];
  }
  /// The longest run that begins with a loop and that one launch takes.
  static constexpr row_run from(int first) {
    row_run run;
    if (!fact(first).is_loop || fact(first).band < 0) return run;
    int loops = 0;
    std::size_t bytes = bytes_besides_steps;
    for (int s = first; s < count && fact(s).band == fact(first).band; ++s) {
      row_fact const& f = fact(s);
      if (f.is_view) continue;
      if (!f.is_loop || (run.kept > 0 && f.kept > 0 && f.kept != run.kept)) break;
      int const kept = f.kept > 0 ? f.kept : run.kept;
      bytes += f.bytes;
      if (!fits(first, s, kept) || loops == most_loops_of_rows || bytes > most_bytes_of_arguments)
        break;
      run.kept = kept;
      run.last = s;
      ++loops;
    }
    if (loops < 2 || run.kept == 0) return {};
    run.first = first;
    return run;
  }

 private:
  static constexpr std::size_t bytes_besides_steps = sizeof(row_arguments<>) + 16;

  /// Whether all steps up to this one have these leading axes, and views leave them in place.
  static constexpr bool fits(int first, int last, int kept) {
    for (int s = first; s <= last; ++s) {
      row_fact const& f = fact(s);
      if (f.is_view ? f.kept_by_view < kept : f.rank < kept) return false;
      for (int d = 0; f.is_loop && d < kept; ++d)
        if (extent(s, d) != extent(first, d)) return false;
    }
    return true;
  }
};
/// The run of each step; see row_run::has.
template <class Program>
inline constexpr auto row_runs = [] {
  using finder = row_finder<Program>;
  std::array<row_run, Program::steps.size() + 1> runs{};
  for (int s = 0; s < finder::count;) {
    row_run const run = finder::from(s);
    if (run.first < 0) {
      ++s;
      continue;
    }
    for (; s <= run.last; ++s) runs[static_cast<std::size_t>(s)] = run;
  }
  return runs;
}();

/// The group of a step with its operands and results.
template <class Device, class Expression>
group_space<Expression> group_of_step(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  group_space<Expression> group;
  group.whole.rank = s.info.space_rank;
  for (int d = 0; d < group.whole.rank; ++d) group.whole.extents[d] = f.extent(s.space(d));
  for (int k = 0; k < s.info.operand_count; ++k) {
    int const v = s.operand(k);
    // Scalars of the host travel with the launch.
    side const on = f.home(v) == side::host && f.value(v).rank == 0 ? side::host : side::device;
    group.add_operand(k, f.at(v, on), on);
  }
  for (int k = 0; k < s.info.result_count; ++k) group.add_result(k, f.value(s.result(k)));
  return group;
}

/// Launches the group of a step.
template <class Device, class Expression>
void launch_step(cpu::step_view const& s) {
  launch_group(group_of_step<Device, Expression>(s),
               static_cast<device_frame<Device>&>(s.f).reductions());
}

}  // namespace kroton::cuda
