// Which calls of a direct program are direct: small ones of dense arrays that do not overlap.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/conditions.hpp>
#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/direct/prologue.hpp>
#include <kroton/cpu/call/direct/steps.hpp>
#include <kroton/cpu/call/frame.hpp>

#include <algorithm>
#include <string>

namespace kroton::cpu {

/// What keeps a call in the frame. Nothing is written before all of it is checked.
template <class Program>
class direct_limits {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using steps = direct_steps<Program>;
  using band = direct_band<Program>;
  using prologue = direct_prologue<Program>;
  using expand = int[];

 public:
  template <class SharedTuple, class Targets, int... V, std::size_t... K, std::size_t... U>
  static KROTON_INLINE bool is_simple(state const& s, SharedTuple const& shared,
                                      Targets const& targets, std::integer_sequence<int, V...>,
                                      std::index_sequence<K...>, std::index_sequence<U...>) {
    return arrays_fit<prologue::after>(s, std::integer_sequence<int, V...>{}) &&
           (target_fits<K>(s, std::get<K>(targets)) && ...) && (update_fits<U>(s, shared) && ...);
  }
  /// Whether all that is computed is small, and the conditions hold, as far as extents are known at
  /// a stage and were not at an earlier one.
  template <int Stage, int... V>
  static KROTON_INLINE bool arrays_fit(state const& s, std::integer_sequence<int, V...>) {
    return extents_fit<Stage>(s, std::make_integer_sequence<int, tables::extent_count>{}) &&
           ((prologue::stage_of_value(V) != Stage || value_fits<V>(s)) && ...) &&
           conditions_hold<Stage>(s, std::make_index_sequence<Program::constraints.size()>{});
  }
  /// How many rows of a band go together, any number without one; negative where threads might
  /// share them, or the frame lets them lie by columns.
  static KROTON_INLINE std::ptrdiff_t rows_together([[maybe_unused]] state const& s) {
    if (band::goes_by_columns(s) || band::has_many_rows_to_add(s)) return -1;
    if constexpr (!band::exists) return 0;
    else if (std::ptrdiff_t const n = band::rows_together(s);
             n == s.extents[band::rows] || band::is_for_one_thread())
      return n;
    else return -1;
  }
  /// Whether every step is small, of a band for the rows that go together.
  template <int... S>
  static KROTON_INLINE bool is_small(state& s, std::ptrdiff_t together,
                                     std::integer_sequence<int, S...>) {
    return ((prologue::is_stage(S) || is_small_step<S>(s, together)) && ...);
  }
  /// The same of a step of the prologue that takes arrays.
  template <int S>
  static KROTON_INLINE bool is_small_stage(state const& s) {
    return steps::template is_small<S>(s);
  }
  /// What keeps a call of these extents in the frame, which has laid it out; nothing where it is
  /// small.
  static std::string needs_frame(frame& f) {
    state s = state_of(f);
    return needs_frame(s, std::make_integer_sequence<int, tables::value_count>{},
                       std::make_integer_sequence<int, tables::step_count>{});
  }
  /// How many rows of a band go together in a small call of these extents; 0 without one.
  static std::ptrdiff_t rows_together(frame& f) { return rows_together(state_of(f)); }

 private:
  static state state_of(frame& f) {
    state s;
    for (int p = 0; p < tables::parameter_count; ++p)
      std::copy_n(f.value(p).extents, tables::value(p).rank, s.given[p]);
    for (int e = 0; e < tables::extent_count; ++e) s.extents[e] = f.extent(e);
    return s;
  }
  template <int... V, int... S>
  static std::string needs_frame(state& s, std::integer_sequence<int, V...>,
                                 std::integer_sequence<int, S...>) {
    if (!extents_fit<all_stages>(s, std::make_integer_sequence<int, tables::extent_count>{}) ||
        !(value_fits<V>(s) && ...))
      return "an array is large";
    std::ptrdiff_t const together = rows_together(s);
    if (together < 0)
      return band::goes_by_columns(s)        ? "narrow rows lie by columns"
             : band::has_many_rows_to_add(s) ? "rows of several bands go some at a time"
                                             : "threads share the rows";
    int const small[]{is_small_step<S>(s, together)...};
    for (int i = 0; i < tables::step_count; ++i)
      if (!small[i]) return "step " + std::to_string(i + 1) + " is large";
    return {};
  }
  template <int S>
  static KROTON_INLINE bool is_small_step(state& s, [[maybe_unused]] std::ptrdiff_t together) {
    if constexpr (band::exists && band::is_inside(S)) std::swap(s.extents[band::rows], together);
    bool const small = steps::template is_small<S>(s);
    if constexpr (band::exists && band::is_inside(S)) std::swap(s.extents[band::rows], together);
    return small;
  }
  static constexpr int all_stages = -1;
  template <int Stage, int... E>
  static KROTON_INLINE bool extents_fit(state const& s, std::integer_sequence<int, E...>) {
    return ((!is_extent_of_computed(E) ||
             (Stage != all_stages && prologue::stage_of_extent(E) != Stage) ||
             static_cast<std::size_t>(s.extents[E]) <=
                 static_cast<std::size_t>(machine::max_small_elements)) &&
            ...);
  }
  /// Whether a value lies where the caller has it. It may be large: each step that reads or writes
  /// it asks how much of it that is.
  static constexpr bool is_given(int v) {
    storage const where = tables::value(v).where;
    return where == storage::parameter || where == storage::view ||
           (where == storage::buffer &&
            plan::overwritten_parameters(tables::value(v).detail).changed >= 0);
  }
  static constexpr bool is_extent_of_computed(int e) {
    bool is = band::exists && e != band::rows;
    for (int v = 0; !band::exists && v < tables::value_count; ++v)
      for (int d = 0; !is_given(v) && d < tables::value(v).rank; ++d)
        is = is || tables::value(v).extents[d] == e;
    return is;
  }
  template <int V>
  static KROTON_INLINE bool value_fits(state const& s) {
    constexpr value_info info = tables::value(V);
    if constexpr (info.where == storage::parameter && V < tables::parameter_count)
      for (int d = 0; d < info.rank; ++d)
        if (s.given[V][d] != s.extents[info.extents[d]]) return false;
    constexpr bool in_parts = band::exists && band::parted_axes(V) > 0 && !band::is_seen_outside(V);
    if constexpr (band::exists ? !in_parts : info.rank > 1 && !is_given(V))
      return s.template size<V>() <= machine::max_small_elements;
    return true;
  }
  template <int Stage, std::size_t... C>
  static KROTON_INLINE bool conditions_hold(state const& s, std::index_sequence<C...>) {
    return (condition_holds<Stage, C>(s) && ...);
  }
  static constexpr int stage_of_condition(std::size_t c) {
    bool const is_count = Program::constraints[c].kind == condition::count;
    return prologue::stage_of_condition(
        static_cast<int>(c),
        is_count ? static_cast<int>(entries_of_count(Program::constraints, c)) : 1);
  }
  template <int Stage, std::size_t C>
  static KROTON_INLINE bool condition_holds([[maybe_unused]] state const& s) {
    constexpr constraint_info c = Program::constraints[C];
    if constexpr (stage_of_condition(C) != Stage) {
      return true;
    } else if constexpr (c.kind == condition::count) {
      shape_count count;
      take_factors<C>(s, count,
                      std::make_index_sequence<entries_of_count(Program::constraints, C)>{});
      return count.fits();
    } else if constexpr (c.kind == condition::equal || c.kind == condition::index ||
                         c.kind == condition::at_least) {
      std::int64_t const left = s.template integer<c.left>(), right = s.template integer<c.right>();
      return c.kind == condition::index      ? left >= 0 && left < right
             : c.kind == condition::at_least ? left >= right
                                             : left == right;
    } else {
      return true;
    }
  }
  template <std::size_t C, std::size_t... I>
  static KROTON_INLINE void take_factors(state const& s, shape_count& count,
                                         std::index_sequence<I...>) {
    (void)expand{0, (count.take(s.template integer<Program::constraints[C + I].left>(),
                                Program::constraints[C + I].kind == condition::factor),
                     0)...};
  }
  template <std::size_t K, class Target>
  static KROTON_INLINE bool target_fits(state const& s, Target const& target) {
    constexpr int v = Program::outputs[K];
    if constexpr (tables::value(v).rank > 0) {
      constexpr int rank = tables::value(v).rank;
      if constexpr (!is_dense_target<Target, value_t<tables::value(v).type>, rank>) return false;
      else {
        std::byte* data = nullptr;
        std::ptrdiff_t given[static_cast<std::size_t>(rank)];
        if (!bind_dense<rank>(target, data, given)) return false;
        bool same = true;
        std::ptrdiff_t size = 1;
        for (int d = 0; d < rank; ++d) {
          same = same && given[d] == s.extents[tables::value(v).extents[d]];
          size *= given[d];
        }
        if (!same && !(resizable<Target> && is_row_major<Target>())) return false;
        return meets_none<v>(s, data, size * bytes_of(tables::value(v).type), same,
                             std::make_integer_sequence<int, tables::parameter_count>{});
      }
    }
    return true;
  }
  template <std::size_t U, class SharedTuple>
  static KROTON_INLINE bool update_fits(state const& s, SharedTuple const&) {
    constexpr planned_update u = Program::updates[U];
    constexpr value_info info = tables::value(u.value);
    if constexpr (info.rank > 0) {
      for (int d = 0; d < info.rank; ++d)
        if (s.given[u.parameter][d] != s.extents[info.extents[d]]) return false;
      return meets_none(s, s.data[u.parameter], s.template size<u.value>() * bytes_of(info.type),
                        u.parameter);
    }
    return true;
  }
  /// Whether a target is the memory of no parameter, or of one that the output may overwrite.
  template <int V, int... P>
  static KROTON_INLINE bool meets_none(state const& s, std::byte const* data, std::ptrdiff_t bytes,
                                       [[maybe_unused]] bool same,
                                       std::integer_sequence<int, P...>) {
    return ((tables::value(P).rank == 0 || lies_apart<P>(s, data, bytes) ||
             (gives<V>(P) && same && s.data[P] == data)) &&
            ...);
  }
  template <int V>
  static constexpr bool gives(int parameter) {
    return plan::overwritten_parameters(tables::value(V).detail).gives(parameter);
  }
  /// Whether memory is that of no parameter but one.
  static KROTON_INLINE bool meets_none(state const& s, std::byte const* data, std::ptrdiff_t bytes,
                                       int but) {
    return meets_none(s, data, bytes, but,
                      std::make_integer_sequence<int, tables::parameter_count>{});
  }
  template <int... P>
  static KROTON_INLINE bool meets_none(state const& s, std::byte const* data, std::ptrdiff_t bytes,
                                       int but, std::integer_sequence<int, P...>) {
    return ((P == but || tables::value(P).rank == 0 || lies_apart<P>(s, data, bytes)) && ...);
  }
  template <int P>
  static KROTON_INLINE bool lies_apart(state const& s, std::byte const* data,
                                       std::ptrdiff_t bytes) {
    std::ptrdiff_t const own = s.template size<P>() * bytes_of(tables::value(P).type);
    return data >= s.data[P] + own || s.data[P] >= data + bytes;
  }
};

}  // namespace kroton::cpu
