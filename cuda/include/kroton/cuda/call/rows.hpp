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
};
/// Some neighbouring steps of a band, from `first` to `last`, which is a loop. Their rows are what
/// lies behind the first `kept` axes.
struct row_run {
  int first = -1, last = -1, kept = 0;
  constexpr bool has(int step) const { return first <= step && step <= last && first >= 0; }
};

/// The leading axes that all reduced outputs of a group have: 0 where nothing is reduced, -1 where
/// they are reduced over other axes than the last ones, or are too many.
template <class Expression>
constexpr int kept_by_group(int rank) {
  using outputs = group_outputs<Expression>;
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
      fact.kept = kept_by_group<freeze::lift_t<Program, s.body>>(s.space_rank);
      fact.is_loop = fact.rank > 0 && fact.kept >= 0;
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
  /// The longest run that begins with a loop.
  static constexpr row_run from(int first) {
    row_run run;
    if (!fact(first).is_loop || fact(first).band < 0) return run;
    int loops = 0;
    for (int s = first; s < count && fact(s).band == fact(first).band; ++s) {
      row_fact const& f = fact(s);
      if (f.is_view) continue;
      if (!f.is_loop || (run.kept > 0 && f.kept > 0 && f.kept != run.kept)) break;
      int const kept = f.kept > 0 ? f.kept : run.kept;
      if (!fits(first, s, kept)) break;
      run.kept = kept;
      run.last = s;
      ++loops;
    }
    if (loops < 2 || run.kept == 0) return {};
    run.first = first;
    return run;
  }

 private:
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

/// Launches the loops of a run of steps when its last one is reached; those before do nothing.
template <class Device, class Program, int Last>
class row_launch {
  static constexpr row_run run = row_runs<Program>[static_cast<std::size_t>(Last)];
  static constexpr plan::step_info const& info(int step) {
    return Program::steps[static_cast<std::size_t>(step)];
  }
  template <int Step>
  using expression_of =
      freeze::lift_t<Program, Program::steps[static_cast<std::size_t>(Step)].body>;
  template <int Step>
  static constexpr long long axes_of =
      row_finder<Program>::fact(Step).kept == 0 ? 0
                                                : (1ll << (info(Step).space_rank - run.kept)) - 1;
  template <int Step>
  using step_of = row_step<expression_of<Step>, axes_of<Step>>;

  static constexpr int loops = [] {
    int n = 0;
    for (int s = run.first; s <= run.last; ++s) n += row_finder<Program>::fact(s).is_loop ? 1 : 0;
    return n;
  }();
  static constexpr auto numbers = [] {
    std::array<int, static_cast<std::size_t>(loops)> found{};
    std::size_t n = 0;
    for (int s = run.first; s <= run.last; ++s)
      if (row_finder<Program>::fact(s).is_loop) found[n++] = s;
    return found;
  }();

 public:
  static void launch(cpu::step_view const& last) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      launch_all<numbers[I]...>(static_cast<device_frame<Device>&>(last.f),
                                std::index_sequence<I...>{});
    }(std::make_index_sequence<static_cast<std::size_t>(loops)>{});
  }

 private:
  template <int... Step, std::size_t... I>
  static void launch_all(device_frame<Device>& f, std::index_sequence<I...>) {
    using steps = row_steps<step_of<Step>...>;
    auto const groups = std::tuple(
        group_of_step<Device, expression_of<Step>>(cpu::step_view{f, f.tables().steps[Step]})...);
    typename steps::arguments a;
    bool along = true;
    ((along = divide<step_of<Step>>(at<I>(a), std::get<I>(groups)) && along), ...);
    std::int64_t const rows = a.first.shape.kept;
    if (rows == 0) return;
    // Threads share the longest of the rows.
    reduction_shape longest;
    ((longest = at<I>(a).shape.reduced > longest.reduced ? at<I>(a).shape : longest), ...);
    int const pack = longest.lanes;
    reduction_shape const shape = choose_shape(rows, longest.reduced, true, pack, Device::facts());
    // A row is one block's: few long ones are shared by many blocks, loop by loop.
    if (!along || shape.splits > 1) return (launch_group(std::get<I>(groups), f.reductions()), ...);
    (take_shape(at<I>(a).shape, shape), ...);
    Device::launch_rows(steps{}, a);
  }
  template <std::size_t I, class Arguments>
  static auto& at(Arguments& a) {
    if constexpr (I == 0) return a.first;
    else return at<I - 1>(a.rest);
  }
  /// The axes of a step, the extents of its rows, and how many elements threads take at once;
  /// whether neighbours lie along the rows.
  template <class Step, class Group>
  static bool divide(typename Step::thread::arguments& a, Group const& group) {
    divide_space(group.whole, (1ll << (group.whole.rank - run.kept)) - 1, a.kept, a.reduced);
    a.scalars = group.scalars;
    a.shape.kept = size_of_merged(a.kept);
    a.shape.reduced = size_of_merged(a.reduced);
    a.in_packs = Step::thread::takes_packs(a);
    a.shape.lanes = a.in_packs ? Step::thread::packs::size : 1;
    return a.shape.reduced == 1 || lies_along_reduced(a.kept, a.reduced, Step::outputs::operands);
  }
  static void take_shape(reduction_shape& of_step, reduction_shape const& shape) {
    std::int64_t const row = of_step.reduced;
    of_step = shape;
    of_step.reduced = of_step.chunk = row;
  }
};

}  // namespace kroton::cuda
