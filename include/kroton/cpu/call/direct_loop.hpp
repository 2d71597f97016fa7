// A fused loop in a direct call: how it goes over the arrays of its program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/direct_tables.hpp>

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

  /// Whether operand or result number k of the values lies over axis d of the space.
  static constexpr bool spans(int v, int d) {
    int const own = d - (rank - tables::value(v).rank);
    return own >= 0 && tables::value(v).extents[own] == tables::space(S, d);
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
    if (rank == 0 || is_flat) return true;
    if (rank > 2) return false;
    for (int k = 0; k < info.operand_count; ++k) {
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
    for (int k = 0; k < info.result_count; ++k) {
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
    return true;
  }();
};

template <class Program, int S>
constexpr long long known_row_of_direct_loop() {
  using loop = direct_loop<Program, S>;
  long long n = 1;
  for (int d = loop::is_flat ? 0 : loop::rank - 1; d < loop::rank; ++d) {
    planned_extent const& e = Program::extents[static_cast<std::size_t>(loop::tables::space(S, d))];
    if (e.from != planned_extent::number) return -1;
    n *= e.which;
  }
  return n;
}
/// How many elements the rows of a loop have where the compiler knows, else -1.
template <class Program, int S>
inline constexpr long long known_row = known_row_of_direct_loop<Program, S>();

}  // namespace kroton::cpu
