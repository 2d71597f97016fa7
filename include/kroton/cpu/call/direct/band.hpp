// Bands in direct calls: steps that go through the rows of matrices together, so few at a time that
// these stay in the first-level cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/arrays.hpp>
#include <kroton/cpu/call/direct/loop.hpp>

#include <algorithm>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::cpu {

/// The band of a program, if it has one whose rows a direct call can take in parts: of several
/// bands the one of most steps. The others take all their rows.
template <class Program>
class direct_band {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;

 public:
  static constexpr int number = tables::longest_band;
  static constexpr plan::band_info info = [] {
    if constexpr (number < 0) return plan::band_info{-1, -2, -1};
    else return Program::bands[static_cast<std::size_t>(number)];
  }();
  static constexpr int rows = info.rows, first = info.first, last = info.last;

  /// Whether its steps select by indices, which a call checks before the first rows: it takes all
  /// rows then.
  static constexpr bool has_indices = [] {
    for (int s = 0; s < tables::step_count; ++s)
      if (tables::step(s).checks) return Program::updates.size() == 0;
    return false;
  }();

  static constexpr bool is_inside(int s) { return first <= s && s <= last; }
  static constexpr bool is_local(int v) {
    for (planned_slice const& slice : Program::slices)
      if (slice.band == number && slice.value == v && slice.local) return true;
    return false;
  }
  /// How many axes of a value have the extent that is taken in parts.
  static constexpr int parted_axes(int v) {
    int axes = 0;
    for (int d = 0; d < tables::value(v).rank; ++d)
      axes += tables::value(v).extents[d] == rows ? 1 : 0;
    return axes;
  }
  /// Whether a value is read or computed by a step outside the band.
  static constexpr bool is_seen_outside(int v) {
    for (int s = 0; s < tables::step_count; ++s)
      for (int k = 0; !is_inside(s) && !is_view(tables::step(s).kind) && k < arrays_of(s); ++k)
        if (tables::operand(s, k) == v) return true;
    return false;
  }

 private:
  static constexpr int arrays_of(int s) {
    return tables::step(s).operand_count + tables::step(s).result_count;
  }
  static constexpr int slice_count = [] {
    int count = 0;
    for (planned_slice const& slice : Program::slices) count += slice.band == number ? 1 : 0;
    return count;
  }();
  using all_slices = std::make_integer_sequence<int, slice_count>;
  static constexpr planned_slice slice(int i) {
    for (planned_slice const& slice : Program::slices)
      if (slice.band == number && i-- == 0) return slice;
    return {};
  }
  static constexpr bool has_slice(int v) {
    for (planned_slice const& slice : Program::slices)
      if (slice.band == number && slice.value == v) return true;
    return false;
  }
  /// Whether strides do not depend on the number of rows, which is that of a part while it runs:
  /// those of what is read through a transposed view do.
  static constexpr bool keeps_strides(int v) {
    while (tables::value(v).where == storage::view) v = tables::operand(tables::step_of(v), 0);
    for (int d = 1; d < tables::value(v).rank; ++d)
      if (tables::value(v).extents[d] == rows) return false;
    return true;
  }
  static constexpr bool slices_are_rows() {
    for (planned_slice const& slice : Program::slices)
      if (slice.band == number &&
          (slice.axis != 0 || parted_axes(slice.value) != 1 || !keeps_strides(slice.value)))
        return false;
    return true;
  }
  /// Whether a step takes nothing that lies over the rows but their slices, and views of them.
  static constexpr bool takes_slices(int s) {
    step_info const& step = tables::step(s);
    if (step.checks) return false;
    if (traits_of(step.kind).is_product) return false;
    for (int d = 1; d < step.space_rank; ++d)
      if (tables::space(s, d) == rows) return false;
    int const written = tables::adds_to_part(s) ? tables::result(s, 0) : -1;
    for (int d = 1; written >= 0 && d < tables::value(written).rank; ++d)
      if (tables::value(written).extents[d] == rows) return false;
    for (int k = written >= 0 ? 1 : 0; k < arrays_of(s); ++k) {
      int v = tables::operand(s, k);
      if (v < 0 || v == written) continue;  // a result that nobody asks for, or of more rows
      while (tables::value(v).where == storage::view && is_inside(tables::step_of(v)))
        v = tables::operand(tables::step_of(v), 0);
      if (parted_axes(v) > 0 && !has_slice(v)) return false;
    }
    return true;
  }
  /// Whether what a step gathers from all rows are totals: no columns of sums.
  template <int S>
  static constexpr bool gathers_totals() {
    if constexpr (tables::step(S).kind == step_kind::loop && tables::step(S).gathers)
      for (int k = 0; k < tables::step(S).result_count; ++k)
        if (direct_loop<Program, S>::kind_of(k) == direct_result::one_a_column) return false;
    return true;
  }
  template <std::size_t... S>
  static constexpr bool can_be_parted(std::index_sequence<S...>) {
    return ((!is_inside(S) || (takes_slices(S) && gathers_totals<S>())) && ...);
  }

 public:
  static constexpr bool exists = [] {
    if constexpr (rows < 0 || Program::updates.size() > 0) return false;
    else if constexpr (Program::extents[static_cast<std::size_t>(rows)].from ==
                       planned_extent::number)
      return false;
    else
      return slices_are_rows() && can_be_parted(std::make_index_sequence<Program::steps.size()>{});
  }();
  /// Whether a loop adds to what the rows before gave.
  static constexpr bool gathers(int s) {
    return exists && is_inside(s) && tables::step(s).gathers && !tables::adds_to_part(s);
  }
  /// Whether a step adds rows to a part of an array, or writes them there.
  static constexpr bool adds_to_part(int s) {
    return exists && is_inside(s) && tables::adds_to_part(s);
  }

  /// How many rows go together: all of them where the cache holds them.
  static KROTON_INLINE std::ptrdiff_t rows_together(state const& s) {
    std::ptrdiff_t const all = s.extents[rows], bytes = bytes_of_rows(s, all_slices{}),
                         cached = machine::small_band_bytes();
    if (bytes <= cached || all == 0) return all;
    std::ptrdiff_t const fit = cached * all / bytes, few = machine::min_small_band_rows;
    std::ptrdiff_t const together = std::max(fit / 3, std::min(fit, few));
    return together > 8 ? together - together % 8 : together > 1 ? together : 1;
  }
  /// Whether the frame lets matrices of so many narrow rows lie by columns, which takes less.
  static KROTON_INLINE bool goes_by_columns(state const& s) {
    if constexpr (rows < 0) return false;
    else
      return info.by_columns && s.extents[rows] >= machine::min_rows_by_columns &&
             have_narrow_rows(s, all_slices{});
  }
  /// Whether rows of several bands are added to parts, of which one does not fit into the first
  /// cache.
  static KROTON_INLINE bool has_many_rows_to_add(state const& s) {
    if constexpr (Program::bands.size() < 2 || Program::updates.size() > 0) return false;
    else
      return written_bytes(s, std::make_integer_sequence<int, tables::step_count>{}) >
             machine::small_band_bytes();
  }
  static bool is_for_one_thread() {
#ifdef _OPENMP
    return omp_get_max_threads() == 1;
#else
    return true;
#endif
  }
  /// Lets all slices lie some rows further on.
  static KROTON_INLINE void move(state& s, std::ptrdiff_t by) { move(s, by, all_slices{}); }

 private:
  static constexpr bool has_memory(int v) {
    return tables::value(v).where != storage::view && tables::value(v).companion < 0;
  }
  template <int... I>
  static KROTON_INLINE std::ptrdiff_t bytes_of_rows(state const& s,
                                                    std::integer_sequence<int, I...>) {
    return (written_bytes(s, std::make_integer_sequence<int, tables::step_count>{}) + ... +
            (has_memory(slice(I).value)
                 ? s.template size<slice(I).value>() * bytes_of(tables::value(slice(I).value).type)
                 : 0));
  }
  /// The largest of the parts to which rows are added.
  template <int... S>
  static KROTON_INLINE std::ptrdiff_t written_bytes(state const& s,
                                                    std::integer_sequence<int, S...>) {
    return std::max({std::ptrdiff_t{0}, bytes_of_part<S>(s)...});
  }
  template <int S>
  static KROTON_INLINE std::ptrdiff_t bytes_of_part([[maybe_unused]] state const& s) {
    if constexpr (!tables::adds_to_part(S)) return 0;
    else {
      constexpr int part = tables::operand(S, 1);
      return s.template size<part>() * bytes_of(tables::value(part).type);
    }
  }
  template <int... I>
  static KROTON_INLINE bool have_narrow_rows(state const& s, std::integer_sequence<int, I...>) {
    bool const all = (has_one_column<slice(I).value>(s) && ...),
               any = (has_one_column<slice(I).value>(s) || ...);
    return !all && any && (has_narrow_rows<slice(I).value>(s) && ...);
  }
  template <int V>
  static KROTON_INLINE bool has_one_column([[maybe_unused]] state const& s) {
    if constexpr (tables::value(V).rank < 2) return true;
    else return s.extents[tables::value(V).extents[1]] == 1;
  }
  template <int V>
  static KROTON_INLINE bool has_narrow_rows(state const& s) {
    if constexpr (tables::value(V).rank < 2) return true;
    else
      return has_one_column<V>(s) ||
             cpu::has_narrow_rows(tables::value(V), s.extents[tables::value(V).extents[1]]);
  }
  template <int... I>
  static KROTON_INLINE void move(state& s, std::ptrdiff_t by, std::integer_sequence<int, I...>) {
    using expand = int[];
    (void)expand{0, (move_slice<slice(I).value, slice(I).local>(s, by), 0)...};
  }
  template <int V, bool Local>
  static KROTON_INLINE void move_slice(state& s, std::ptrdiff_t by) {
    if constexpr (!Local)
      s.data[V] += by * s.template stride<V, 0>() * bytes_of(tables::value(V).type);
  }
};

}  // namespace kroton::cpu
