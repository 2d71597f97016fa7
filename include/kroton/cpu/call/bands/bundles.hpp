// Bundles of a program at run time: which calls take their steps as one, and with which arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/loop/bundle_space.hpp>

#include <array>
#include <utility>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::cpu {

/// Takes the steps of a bundle as one, if that is better than one by one; or says whether it is.
using bundle_function = bool (*)(frame&, bool only_asks);

/// Whether the extents of a call are those for which loops go together: one axis is short, and the
/// last other one is long.
inline bool is_for_bundle(frame& f, bundle_info const& b) {
#ifdef _OPENMP
  // Threads share loops, which bundles do not know of.
  if (omp_get_max_threads() > 1) return false;
#endif
  std::ptrdiff_t const length = f.extent(b.extent);
  if (length < machine::min_short_axis || length > machine::max_short_axis) return false;
  step_view const s{f, f.tables().steps[b.first]};
  int const rank = s.info.space_rank, row = rank - 1 - (b.axis_from_last == 0 ? 1 : 0);
  std::ptrdiff_t elements = 1;
  for (int d = 0; d < rank; ++d) elements *= f.extent(s.space(d));
  return elements >= machine::min_bundled * length && elements > 0 &&
         f.extent(s.space(row)) >= machine::min_bundled_row;
}

/// Collects the arrays of a bundle.
class bundle_binding {
 public:
  bundle_binding(frame& f, bundle_info const& b, bool const* is_local)
      : f_(f), b_(b), is_local_(is_local) {
    step_view const s{f, f.tables().steps[b.first]};
    int const rank = rank_ = s.info.space_rank;
    space.length = f.extent(b.extent);
    for (int d = 0; d < rank; ++d) {
      int const e = rank - 1 - d;
      if (e == b.axis_from_last) continue;
      if (is_row(e, rank)) space.row = f.extent(s.space(d));
      else space.outer[space.outer_rank++] = f.extent(s.space(d));
    }
  }
  void add(step_view const& s, bundled_facts const& facts) {
    for (int k = 0; k < facts.operands; ++k) space.of_loops.push_back(operand(s, k, facts));
    for (int k = 0; k < facts.results; ++k) space.of_loops.push_back(result(s, k, facts));
  }
  bundle_space& space = bundle_space::empty();

 private:
  int add(bundle_array const& a) {
    space.arrays.push_back(a);
    return static_cast<int>(space.arrays.size()) - 1;
  }
  template <class Is>
  int find(Is is) const {
    for (std::size_t k = 0; k < space.arrays.size(); ++k)
      if (is(space.arrays[k])) return static_cast<int>(k);
    return -1;
  }
  /// Whether an axis of a space of that rank, counted from the last, is that of rows; or the short
  /// one, of which a loop may have one element.
  bool is_row(int from_last, int rank) const {
    return from_last == (rank == rank_ && b_.axis_from_last == 0 ? 1 : 0);
  }
  bool is_short(int from_last, int rank) const {
    return rank == rank_ && from_last == b_.axis_from_last;
  }
  int operand(step_view const& s, int k, bundled_facts const& facts) {
    int const v = s.operand(k);
    for (int base = v;; base = static_cast<int>(f_.tables().values[base].detail)) {
      int const found =
          find([&](bundle_array const& each) { return each.is_result && each.value == base; });
      if (found >= 0) return found;
      if (f_.tables().values[base].where != storage::view) break;
    }
    int const rank = s.info.space_rank;
    int const read = find([&](bundle_array const& each) {
      return !each.is_result && each.value == v && each.space_rank == rank;
    });
    if (read >= 0) return read;
    array_ref const& from = f_.value(v);
    bundle_array a;
    a.value = v;
    a.space_rank = rank;
    a.bytes = from.bytes;
    a.data = from.data;
    for (int d = 0; d < rank; ++d) {
      int const own = d - (rank - from.rank);
      set_stride(a, d, rank, own < 0 || from.extents[own] == 1 ? 0 : from.strides[own]);
    }
    a.spans_rows = facts.spans_rows[k];
    a.has_axis = a.axis != 0;
    return add(a);
  }
  int result(step_view const& s, int k, bundled_facts const& facts) {
    int const v = s.result(k), rank = s.info.space_rank;
    array_ref const& to = f_.value(v);
    bundled_result const kind = facts.kind[k];
    result_fact const& fact = facts.result[k];
    bundle_array a;
    a.value = v;
    a.space_rank = rank;
    a.is_result = true;
    a.bytes = to.bytes;
    a.data = to.data;
    a.fact = &fact;
    bool const is_total = kind == bundled_result::along || kind == bundled_result::over;
    a.place = is_total       ? bundle_array::total
              : is_local_[v] ? bundle_array::local
                             : bundle_array::outside;
    for (int d = 0, position = 0; d < rank; ++d) {
      bool const gone = (fact.axes >> from_last_turned(rank - 1 - d, facts.has_axis()) & 1) != 0;
      int const own = to.rank == rank ? d : position;
      std::ptrdiff_t const stride = gone || to.extents[own] == 1 ? 0 : to.strides[own];
      set_stride(a, d, rank, stride);
      position += gone ? 0 : 1;
    }
    a.spans_rows = kind != bundled_result::along;
    a.has_axis = facts.keeps_axis(k);
    if (!a.has_axis) a.axis = 0;
    return add(a);
  }
  /// Where an axis stands for the kernel, whose last one is that of rows.
  int from_last_turned(int e, bool has_axis) const {
    return has_axis && b_.axis_from_last == 0 && e < 2 ? 1 - e : e;
  }
  void set_stride(bundle_array& a, int d, int rank, std::ptrdiff_t stride) const {
    int const e = rank - 1 - d;
    if (is_short(e, rank)) {
      a.axis = stride;
    } else if (is_row(e, rank)) {
      a.row = stride;
    } else {
      int position = 0;
      for (int other = 0; other < d; ++other)
        position += is_short(rank - 1 - other, rank) || is_row(rank - 1 - other, rank) ? 0 : 1;
      a.outer[position] = stride;
    }
  }

  frame& f_;
  bundle_info const& b_;
  bool const* is_local_;
  int rank_ = 0;  // of the larger space
};

/// The value into which a view looks, or the value itself.
template <class Program>
constexpr std::size_t base_of_value(std::size_t v) {
  while (Program::values[v].where == storage::view)
    v = static_cast<std::size_t>(Program::values[v].detail);
  return v;
}

/// Of each step of a bundle, whether it is a loop with the short axis, and of each value of the
/// program, whether nothing outside of the bundle reads it.
template <std::size_t Steps, std::size_t Values>
struct bundle_facts {
  std::array<bool, Steps> has_axis{};
  std::array<bool, Values> is_local{};
};

/// What the tables of a program say of its bundle `Number`.
template <class Program, int Number>
struct bundle_steps {
  static constexpr bundle_info info = Program::bundles[static_cast<std::size_t>(Number)];
  static constexpr auto& steps = Program::steps;
  static constexpr auto& pool = Program::pool;
  static constexpr std::size_t first = static_cast<std::size_t>(info.first),
                               end = static_cast<std::size_t>(info.last) + 1,
                               values = Program::values.size();
  static constexpr std::size_t loops = [] {
    std::size_t count = 0;
    for (std::size_t s = first; s != end; ++s)
      if (steps[s].kind == step_kind::loop) ++count;
    return count;
  }();
  static constexpr auto loop_numbers = [] {
    std::array<std::size_t, loops> all{};
    std::size_t next = 0;
    for (std::size_t s = first; s != end; ++s)
      if (steps[s].kind == step_kind::loop) all[next++] = s;
    return all;
  }();
  static constexpr bool is_plain = [] {
    for (std::size_t s : loop_numbers)
      if (steps[s].indirect || steps[s].guard_count > 0) return false;
    return true;
  }();
  /// The value that is an operand of a step, or behind them a result.
  static constexpr std::size_t value_of(std::size_t s, int k) {
    return static_cast<std::size_t>(pool[static_cast<std::size_t>(steps[s].first + k)]);
  }
  static constexpr auto known = [] {
    bundle_facts<end - first, values + 1> facts;
    auto at = static_cast<std::size_t>(info.facts);
    for (std::size_t s : loop_numbers) {
      facts.has_axis[s - first] = pool[at++] != 0;
      for (int k = 0; k < steps[s].result_count; ++k)
        facts.is_local[value_of(s, steps[s].operand_count + k)] = pool[at++] != 0;
    }
    return facts;
  }();
  static constexpr bool has_axis(std::size_t s) { return known.has_axis[s - first]; }
};

/// Gives registers to the results of a loop that are the same for the whole short axis.
template <class Program, class Bundle, std::size_t S>
constexpr void number_registers(int* numbers, int& next) {
  using kernel = loop_of<lift_t<Program, Bundle::steps[S].body>>;
  constexpr step_info step = Bundle::steps[S];
  for (int k = 0; k < step.result_count; ++k) {
    std::size_t const v = Bundle::value_of(S, step.operand_count + k);
    bool const has_lanes = Program::values[v].type == element_of<typename kernel::lane_or_double>();
    if (Bundle::known.is_local[v] && has_lanes &&
        (!Bundle::has_axis(S) || kernel::result_facts[k].reduction))
      numbers[v] = next++;
  }
}

/// The bundle `Number` of a program, compiled.
template <class Program, int Number>
class compiled_bundle {
  using bundle = bundle_steps<Program, Number>;
  template <std::size_t I>
  static constexpr std::size_t step_of = bundle::loop_numbers[I];

  /// Of each value the number of its register; and how many there are.
  template <class Loops>
  struct registers;
  template <std::size_t... I>
  struct registers<std::index_sequence<I...>> {
    static constexpr auto all = [] {
      std::array<int, bundle::values + 1> numbers{};
      for (int& number : numbers) number = -1;
      int next = 0;
      (number_registers<Program, bundle, step_of<I>>(numbers.data(), next), ...);
      numbers[bundle::values] = next;
      return numbers;
    }();
  };
  using loop_indices = std::make_index_sequence<bundle::loops>;
  static constexpr auto& numbers = registers<loop_indices>::all;

  template <std::size_t S, class Arrays>
  struct loop_of_arrays;
  template <std::size_t S, int... K>
  struct loop_of_arrays<S, std::integer_sequence<int, K...>> {
    static constexpr step_info step = bundle::steps[S];
    using type =
        bundled_loop<lift_t<Program, step.body>,
                     bundle::has_axis(S) ? bundle::info.axis_from_last : -1,
                     numbers[base_of_value<Program>(bundle::value_of(S, K))]...>;
  };
  template <std::size_t S>
  using loop_of_step = typename loop_of_arrays<
      S, std::make_integer_sequence<int, bundle::steps[S].operand_count +
                                             bundle::steps[S].result_count>>::type;

  template <std::size_t... I>
  static bool run(frame& f, bool only_asks, std::index_sequence<I...>) {
    using kernel = bundle_kernel<numbers[bundle::values], loop_of_step<step_of<I>>...>;
    if constexpr (bundle::is_plain && kernel::is_offered) {
      if (!is_for_bundle(f, bundle::info)) return false;
      if (only_asks) return true;
      for (int s = bundle::info.first; s <= bundle::info.last; ++s)
        if (step_view const view{f, f.tables().steps[s]}; view.info.kind == step_kind::dimshuffle)
          run_dimshuffle(view);
      bundle_binding binding(f, bundle::info, bundle::known.is_local.data());
      (binding.add({f, f.tables().steps[static_cast<int>(step_of<I>)]},
                   bundled_body<loop_of_step<step_of<I>>, machine::max_short_axis>::facts),
       ...);
      binding.space.run(&kernel::run, kernel::width);
      return true;
    } else {
      return false;
    }
  }

 public:
  /// Takes the steps as one, where that is better, unless it `only_asks` whether it is.
  static bool run(frame& f, bool only_asks) { return run(f, only_asks, loop_indices()); }
};

template <class Program, int... B>
constexpr auto list_bundles(std::integer_sequence<int, B...>) {
  return std::array<bundle_function, sizeof...(B) + 1>{&compiled_bundle<Program, B>::run...,
                                                       nullptr};
}
/// The functions of the bundles of a program.
template <class Program>
inline constexpr auto listed_bundles = list_bundles<Program>(
    std::make_integer_sequence<int, static_cast<int>(Program::bundles.size())>());

template <class Program>
bool takes_bundle(frame& f, int number) {
  return listed_bundles<Program>[static_cast<std::size_t>(number)](f, true);
}

}  // namespace kroton::cpu
