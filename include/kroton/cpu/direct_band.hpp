// Bands in direct calls: steps that go through the rows of matrices together, so few at a time that these stay in the first-level cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/direct_arrays.hpp>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::core {

/// The band of a program, if it has one whose rows a direct call can take in parts.
template <class Program>
struct direct_band {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  static constexpr std::ptrdiff_t cached = KROTON_BAND_BYTES / 8;
  static constexpr int slice_count = static_cast<int>(Program::slices.size());
  static constexpr int rows = Program::bands.size() == 1 ? Program::bands[0].rows : -1;
  using all_slices = std::make_integer_sequence<int, slice_count>;

  static constexpr planned_slice slice(int i) { return Program::slices[static_cast<std::size_t>(i)]; }
  static constexpr bool has_slice(int v) {
    for (int i = 0; i < slice_count; ++i)
      if (slice(i).value == v) return true;
    return false;
  }
  /// How many axes of a value have the extent that is taken in parts.
  static constexpr int parted_axes(int v) {
    int axes = 0;
    for (int d = 0; d < tables::value(v).rank; ++d) axes += tables::value(v).extents[d] == rows ? 1 : 0;
    return axes;
  }
  static constexpr int first = rows >= 0 ? Program::bands[0].first : -1, last = rows >= 0 ? Program::bands[0].last : -2;
  static constexpr bool is_inside(int s) { return first <= s && s <= last; }

  static constexpr bool exists = [] {
    if (rows < 0 || Program::updates.size() > 0) return false;
    for (int i = 0; i < slice_count; ++i)
      if (slice(i).axis != 0 || parted_axes(slice(i).value) != 1) return false;
    for (int s = 0; s < tables::step_count; ++s) {
      step_info const& step = tables::step(s);
      if (!is_inside(s)) {
        for (int k = 0; k < step.operand_count + step.result_count && !is_view(step.kind); ++k)
          if (parted_axes(tables::operand(s, k)) > 0) return false;
        continue;
      }
      if (step.gathers || !(step.kind == step_kind::loop || step.kind == step_kind::dimshuffle)) return false;
      for (int d = 1; d < step.space_rank; ++d)
        if (tables::space(s, d) == rows) return false;
      for (int k = 0; k < step.operand_count + step.result_count; ++k) {
        int v = tables::operand(s, k);
        while (tables::value(v).where == storage::view && is_inside(tables::step_of(v))) v = tables::operand(tables::step_of(v), 0);
        if (parted_axes(v) > 0 && !has_slice(v)) return false;
      }
    }
    return true;
  }();
  static constexpr bool is_local(int v) {
    for (int i = 0; i < slice_count; ++i)
      if (slice(i).value == v && slice(i).local) return true;
    return false;
  }

  /// How many rows go together: all of them where the cache holds them.
  static KROTON_INLINE std::ptrdiff_t rows_together(state const& s) {
    std::ptrdiff_t const all = s.extents[rows], bytes = bytes_of_rows(s, all_slices{});
    if (bytes <= 2 * cached || all == 0) return all;
    std::ptrdiff_t const fit = cached * all / bytes;
    return fit > 1 ? fit : 1;
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
  static constexpr bool has_memory(int v) { return tables::value(v).where != storage::view && tables::value(v).companion < 0; }
  template <int... I>
  static KROTON_INLINE std::ptrdiff_t bytes_of_rows(state const& s, std::integer_sequence<int, I...>) {
    return (std::ptrdiff_t{0} + ... +
            (has_memory(slice(I).value) ? s.template size<slice(I).value>() * bytes_of(tables::value(slice(I).value).type) : 0));
  }
  template <int... I>
  static KROTON_INLINE void move(state& s, std::ptrdiff_t by, std::integer_sequence<int, I...>) {
    using expand = int[];
    (void)expand{0, (move_slice<slice(I).value, slice(I).local>(s, by), 0)...};
  }
  template <int V, bool Local>
  static KROTON_INLINE void move_slice(state& s, std::ptrdiff_t by) {
    if constexpr (!Local) s.data[V] += by * s.template stride<V, 0>() * bytes_of(tables::value(V).type);
  }
};

}  // namespace kroton::core
