// A fused loop in a direct call: how it goes over the arrays of its program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct/tables.hpp>
#include <kroton/cpu/call/direct/written_row.hpp>

namespace kroton::cpu {

/// What a result of a loop is in a direct call.
enum class direct_result {
  elements,     // one for each element of the space
  total,        // one for all
  one_a_row,    // a reduction along rows
  one_a_column  // a reduction over rows
};

/// How a loop of a program is taken. `flat`: all arrays lie over the whole space, as one row.
template <class Program, int S>
struct direct_loop {
  using tables = direct_tables<Program>;
  static constexpr step_info info = tables::step(S);
  using kernel = loop_of<lift_t<Program, info.body>>;
  using G = typename kernel::G;
  static constexpr int rank = info.space_rank;
  static constexpr bool in_batches = !std::is_void_v<typename kernel::lane>;

  /// Whether operand or result number k of the values lies over axis d of the space. An extent that
  /// is not 1 is that of the space, even where it is another number of the table: the conditions of
  /// the call say so. In bands the number counts: theirs is taken in parts.
  static constexpr bool spans(int v, int d) {
    int const own = d - (rank - tables::value(v).rank);
    if (own < 0) return false;
    int const extent = tables::value(v).extents[own];
    return extent == tables::space(S, d) ||
           (Program::bands.size() == 0 && !tables::is_one(extent));
  }
  static constexpr bool spans_all(int v) {
    for (int d = 0; d < rank; ++d)
      if (!spans(v, d) && !tables::is_one(tables::space(S, d))) return false;
    return tables::value(v).rank > 0 && tables::is_dense(v);
  }
  static constexpr direct_result kind_of(int k) {
    result_fact const& fact = kernel::facts.result[k];
    if (!fact.reduction) return direct_result::elements;
    if (fact.axes == (1ll << rank) - 1) return direct_result::total;
    return fact.along_rows ? direct_result::one_a_row : direct_result::one_a_column;
  }
  static constexpr bool is_flat = [] {
    for (int k = 0; k < info.operand_count; ++k) {
      int const v = tables::operand(S, k);
      if (tables::value(v).rank > 0 && !(spans_all(v) && kernel::facts.spans_rows[k])) return false;
    }
    for (int k = 0; k < info.result_count; ++k)
      if (kind_of(k) == direct_result::elements ? !spans_all(tables::result(S, k))
                                                : kind_of(k) != direct_result::total)
        return false;
    return true;
  }();
  /// Whether some result is a reduction over rows.
  static constexpr bool adds_rows = [] {
    for (int k = 0; k < info.result_count; ++k)
      if (kind_of(k) == direct_result::one_a_column) return true;
    return false;
  }();
  /// Whether no result has an element for each of the space.
  static constexpr bool has_no_elements = [] {
    for (int k = 0; k < info.result_count; ++k)
      if (kind_of(k) == direct_result::elements) return false;
    return true;
  }();
  /// Whether some result is a reduction along rows, and none one over the whole space.
  static constexpr bool has_row_sums = [] {
    bool has = false;
    for (int k = 0; k < info.result_count; ++k) {
      if (kind_of(k) == direct_result::total) return false;
      has = has || kind_of(k) == direct_result::one_a_row;
    }
    return has && in_batches && rank == 2 && !is_flat;
  }();
  /// Whether all results are reductions over rows, each sum of which stays in a register.
  static constexpr bool only_adds_rows = [] {
    for (int k = 0; k < info.result_count; ++k)
      if (kind_of(k) != direct_result::one_a_column || kernel::facts.result[k].axes == 0)
        return false;
    return kernel::adds_rows && info.result_count > 0 && rank == 2;
  }();
  /// Whether all results are reductions along rows, of which little is computed.
  static constexpr bool reduces_rows = [] {
    for (int k = 0; k < info.result_count; ++k)
      if (kind_of(k) != direct_result::one_a_row) return false;
    return in_batches && kernel::is_short;
  }();
  /// Whether rows of some operand have gaps. Such a loop goes element by element, which is worth it
  /// where there are few.
  static constexpr bool has_gaps = [] {
    for (int k = 0; k < info.operand_count && !is_flat; ++k)
      if (kernel::facts.spans_rows[k] && tables::last_stride(tables::operand(S, k)) != 1)
        return true;
    return false;
  }();
  static constexpr bool is_supported = [] {
    // Conditions of the loops: behind a return, nvcc warns that they are not reached.
    constexpr bool is_simple = rank == 0 || is_flat, has_rows = !is_simple && rank <= 2;
    for (int k = 0; k < info.operand_count && has_rows; ++k) {
      int const v = tables::operand(S, k);
      if (tables::value(v).rank > rank) return false;
      long long const stride = tables::last_stride(v);
      bool const over_rows = kernel::facts.spans_rows[k];
      if (over_rows && (!spans(v, rank - 1) ||
                        (in_batches && stride != 1 && costly_nodes<typename G::type> > 0)))
        return false;
      if (!over_rows && tables::value(v).rank > 0 && spans(v, rank - 1) &&
          !tables::is_one(tables::space(S, rank - 1)))
        return false;
    }
    for (int k = 0; k < info.result_count && has_rows; ++k) {
      int const v = tables::result(S, k);
      if (kind_of(k) == direct_result::elements &&
          (tables::value(v).rank != rank || !spans(v, rank - 1) || !spans(v, 0)))
        return false;
      // A reduction over no axis, as that of an axis of one element in ieee mode, has a total for
      // each element; rows here have one for each column.
      if (kind_of(k) == direct_result::one_a_column &&
          (kernel::facts.result[k].axes == 0 || !in_batches ||
           (kernel::facts.result[k].widened && (!only_adds_rows || has_gaps))))
        return false;
    }
    return is_simple || has_rows;
  }();

  /// From element to element of a row of operand K.
  template <int K, class State>
  static KROTON_INLINE std::ptrdiff_t row_stride([[maybe_unused]] State const& s) {
    constexpr int v = tables::operand(S, K);
    if constexpr (!kernel::facts.spans_rows[K]) return 0;
    else if constexpr (is_flat) return 1;
    else return s.template stride<v, tables::value(v).rank - 1>();
  }
  /// From row to row of operand K, in bytes.
  template <int K, class State>
  static KROTON_INLINE std::ptrdiff_t next_row([[maybe_unused]] State const& s) {
    constexpr int v = tables::operand(S, K);
    if constexpr (tables::value(v).rank == 2 && spans(v, 0))
      return s.template stride<v, 0>() * bytes_of(tables::value(v).type);
    else return 0;
  }
};

template <class Program, int S>
constexpr long long known_row_of_direct_loop() {
  using loop = direct_loop<Program, S>;
  long long n = 1;
  for (int d = loop::is_flat ? 0 : loop::rank - 1; d < loop::rank; ++d) {
    long long const extent = loop::tables::known_extent(loop::tables::space(S, d));
    if (extent < 0 || extent > machine::max_small_elements) return -1;
    n *= extent;
  }
  return n;
}
/// How many elements the rows of a loop have where the compiler knows, else -1.
template <class Program, int S>
inline constexpr long long known_row = known_row_of_direct_loop<Program, S>();

/// A loop that is written out: it does arithmetic, reduces nothing, and its extents are small
/// numbers. Rows are those of its last axis even where all of them could be one, since products
/// read and write such rows: what is stored in pieces and read as a whole waits for the cache.
template <class Program, int S>
struct written_loop {
  using loop = direct_loop<Program, S>;
  using line = written_row_of<typename loop::G, typename loop::kernel::lane_or_double>;
  static constexpr long long extent(int d) {
    return loop::tables::known_extent(loop::tables::space(S, d));
  }
  static constexpr bool fits() {
    for (int k = 0; k < loop::info.result_count; ++k)
      if (loop::kind_of(k) != direct_result::elements) return false;
    long long count = 1;
    for (int d = 0; d < loop::rank; ++d) {
      if (extent(d) < 1 || extent(d) > machine::max_written_elements) return false;
      count *= extent(d);
    }
    return count <= machine::max_written_elements &&
           count * loop::G::all <= machine::max_written_nodes;
  }
  static constexpr bool exists = [] {
    if constexpr (!loop::in_batches) return false;
    else return loop::rank != 0 && line::exists && fits();
  }();
  /// Whether rows of any length can go so.
  static constexpr bool goes_in_pieces = [] {
    for (int k = 0; k < loop::info.result_count; ++k)
      if (loop::kind_of(k) != direct_result::elements) return false;
    if constexpr (!loop::in_batches) return false;
    else return loop::rank != 0 && line::exists && !loop::has_gaps;
  }();
  static constexpr int row = exists ? static_cast<int>(extent(loop::rank - 1)) : 0;
  static constexpr int rows = [] {
    long long count = 1;
    for (int d = 0; exists && d + 1 < loop::rank; ++d) count *= extent(d);
    return static_cast<int>(count);
  }();
};

}  // namespace kroton::cpu
