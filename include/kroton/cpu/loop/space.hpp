// The space of a loop at run time: operands and results with strides, axes merged, rows visited one
// by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/cpu/machine.hpp>

#include <bit>
#include <utility>
#include <vector>

namespace kroton::cpu {

class space_parts;

/// What a loop has to know about a result before it runs. Functions by address: a table costs the
/// compiler less than code that is instantiated for each expression.
struct result_fact {
  bool reduction = false;
  bool along_rows = false;  // reduced over the last axis
  bool widened = false;     // of float or complex64, accumulated in double
  long long axes = 0;       // as bits, counted from the last
  void (*start)(std::byte* to) = nullptr;
  // So many elements with others
  void (*combine)(std::byte* to, std::byte const* with, std::ptrdiff_t count) = nullptr;
};
/// The tables of a loop: one entry for each operand, or each result.
struct loop_facts {
  bool const* spans_rows = nullptr;
  result_fact const* result = nullptr;
  int costly = 0;                       // ops that are more work than to move an element
  bool only_reduces = false;  // all results along rows, or all of them over rows, in batches
  bool reduces_both = false;  // some along rows, the others over rows, see reduce_both.hpp
  // The longest rows for which one long row is worth copies of operands
  std::ptrdiff_t max_joined_row = machine::max_joined_row;
};

/// The arrays of a compiled loop, in room for `Most` of them: loops of few arrays share the code
/// that runs them.
template <int Most>
struct compiled_arrays {
  // Whether the kind of a row, which operands it spans and what accumulates along it, is compiled
  // into the loop; such a loop goes from row to row itself.
  static constexpr bool fixed_rows = true;
  static constexpr bool may_share = true;  // with other threads
  static constexpr int max_arrays = Most;
  /// One of something for each array.
  template <class T> using per_array = T[static_cast<std::size_t>(Most)];
  /// Makes such a list one of n elements, where it is not by its type.
  template <class List>
  static void fit(List&, int) {}
  int operands = 0, results = 0, count = 0;
};

/// Fills a row with its first element.
inline void repeat_element(std::byte* row, std::ptrdiff_t count, int bytes_each) {
  with_bytes(bytes_each, [=]<int Bytes>(std::integral_constant<int, Bytes>) {
    std::byte first[static_cast<std::size_t>(Bytes)];
    std::memcpy(first, row, Bytes);
    for (std::ptrdiff_t i = 1; i < count; ++i) std::memcpy(row + i * Bytes, first, Bytes);
  });
}

/// The operands and results of a loop over its space: addresses, and strides in elements along each
/// axis of the space, 0 where an operand is repeated or a result accumulates.
template <class Arrays>
struct basic_space : Arrays {
  using Arrays::count;
  using Arrays::operands;
  using Arrays::results;
  int rank = 0;
  int band_axis = 0;                // along which a band goes
  int turned = 0;                   // the last axis was so many before
  bool streams = false;             // results bypass the caches
  bool whole_rows = true;  // rows of this space are not parts of longer ones, or several of them
  // Whether these rows are the first ones of what is reduced over rows, and the last
  bool begins = true, ends = true;
  bool adds_few = false;  // whether sums of floats are of so few that they need not be widened
  bool writes_sums = false;  // whether rows that are added write their sum, and nothing else does
  std::vector<double>* gathered = nullptr;  // where sums of floats wait for further rows
  // Of each operand, what it reads through indices, which are then its array here; none: nothing
  indirect_array const* const* indirect = nullptr;
  space_parts const* parts = nullptr;  // through which it goes one after the other; none: as one
  bool continues = false;              // whether its results have been started by others
  int behind = 0;  // the last axes go along rows that indices select, along which these do not move
  std::ptrdiff_t extents[max_rank + 1]{};
  // Of the axes and arrays that there are
  typename Arrays::template per_array<std::ptrdiff_t> strides[max_rank + 1];
  typename Arrays::template per_array<std::byte*> data{};
  typename Arrays::template per_array<int> bytes{};

  std::ptrdiff_t size() const {
    std::ptrdiff_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extents[d];
    return n;
  }
  bool empty() const { return size() == 0; }
  /// Whether a result accumulates over the axis along which a band goes. (Before axes are merged.)
  bool gathers(result_fact const& fact) const {
    return fact.reduction && (fact.axes >> (rank - 1 - band_axis) & 1) != 0;
  }
  void add(int k, array_ref const& array, int space_rank) {
    data[k] = array.data;
    bytes[k] = array.bytes;
    for (int d = 0; d < space_rank; ++d) {
      int const own = d - (space_rank - array.rank);
      strides[d][k] = own < 0 || array.extents[own] == 1 ? 0 : array.strides[own];
    }
  }
  void add_result(int k, array_ref const& array, result_fact const& fact) {
    if (fact.reduction) add_reduced(k, array, fact.axes);
    else add(k, array, rank);
  }

  /// Merges adjacent axes that all agree on, and drops axes of one element. What a row is was
  /// decided by the types, so a last axis of one element stays where the axis before it would be
  /// another kind of row.
  void merge_axes(loop_facts const& facts) {
    merge_axes(rank > 1 && extents[rank - 1] == 1 && !rows_may_move(facts));
  }
  void merge_axes(bool keep_last = false) {
    if (rank == 1 && extents[0] != 1) return;
    int const end = keep_last ? rank - 1 : rank, first_behind = rank - behind;
    int kept = 0, before = 0;
    for (int d = 0; d < end; ++d) {
      if (extents[d] == 1) continue;
      bool merge = kept > 0 && (d < first_behind || kept > before);
      for (int k = 0; merge && k < count; ++k)
        merge = strides[kept - 1][k] == strides[d][k] * extents[d];
      if (merge) extents[kept - 1] *= extents[d];
      else extents[kept++] = extents[d];
      if (d < first_behind) before = kept;
      if (kept - 1 == d) continue;
      for (int k = 0; k < count; ++k) strides[kept - 1][k] = strides[d][k];
    }
    if (kept == 0 || keep_last) {
      extents[kept] = 1;
      for (int k = 0; k < count; ++k) strides[kept][k] = 0;
      ++kept;
    }
    if (behind > 0) behind = kept - before;
    rank = kept;
  }

  /// Exchanges the last axis with the one so many before it. (Before axes are merged.)
  void turn(int before) {
    int const last = rank - 1, other = last - before;
    std::swap(extents[last], extents[other]);
    for (int k = 0; k < count; ++k) std::swap(strides[last][k], strides[other][k]);
    if (other == band_axis) band_axis = last;
    turned = before;
  }
  /// Which axis one was before that.
  int before_turn(int d) const {
    int const last = rank - 1, other = last - turned;
    return d == last ? other : d == other ? last : d;
  }

  /// Whether a loop goes along the axis before that of rows itself, too: all rows of a sum belong
  /// together, and to begin with them takes longer than to add a few.
  bool takes_matrices() const { return Arrays::fixed_rows && writes_sums && rank > 2; }

  /// Calls a rows_function for all rows.
  void for_rows(void (*rows)(basic_space const&, std::byte* const*, std::ptrdiff_t)) const {
    if (rank == 1) return rows(*this, data, 1);
    int const outer = !Arrays::fixed_rows ? rank - 1 : takes_matrices() ? rank - 3 : rank - 2;
    std::ptrdiff_t const run = Arrays::fixed_rows ? extents[rank - 2] : 1;
    std::ptrdiff_t index[max_rank + 1]{};
    typename Arrays::template per_array<std::byte*> at;
    Arrays::fit(at, count);
    for (int k = 0; k < count; ++k) at[k] = data[k];
    for (;;) {
      rows(*this, at, run);
      int d = outer - 1;
      for (; d >= 0; --d) {
        for (int k = 0; k < count; ++k) at[k] += strides[d][k] * bytes[k];
        if (++index[d] < extents[d]) break;
        for (int k = 0; k < count; ++k) at[k] -= extents[d] * strides[d][k] * bytes[k];
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }

  /// Writes the neutral elements that the result accumulates on.
  void start(int k, result_fact const& fact) const {
    std::ptrdiff_t n[max_rank + 1]{}, index[max_rank + 1]{};
    for (int d = 0; d < rank; ++d) n[d] = strides[d][k] == 0 ? 1 : extents[d];
    for (int d = 0; d < rank; ++d)
      if (n[d] == 0) return;
    std::byte* at = data[k];
    if (std::ptrdiff_t const all = size_if_dense(k, n); all > 0) {
      start_element(at, k, fact);
      return repeat_element(at, all, bytes[k]);
    }
    int last = rank - 1;
    while (last > 0 && n[last] == 1) --last;
    bool const dense = last >= 0 && n[last] > 1 && strides[last][k] == 1;
    for (;;) {
      start_element(at, k, fact);
      if (dense) repeat_element(at, n[last], bytes[k]);
      int d = dense ? last - 1 : last;
      for (; d >= 0; --d) {
        at += strides[d][k] * bytes[k];
        if (++index[d] < n[d]) break;
        at -= n[d] * strides[d][k] * bytes[k];
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }

 private:
  /// How many elements a result has of these extents, if they lie without gaps, in any order of its
  /// axes; 0 where there are gaps.
  std::ptrdiff_t size_if_dense(int k, std::ptrdiff_t const* n) const {
    std::ptrdiff_t size = 1, span = 1;
    for (int d = 0; d < rank; ++d) {
      if (strides[d][k] < 0) return 0;
      size *= n[d];
      span += (n[d] - 1) * strides[d][k];
    }
    return size == span ? size : 0;
  }
  void start_element(std::byte* at, int k, result_fact const& fact) const {
    if (!adds_few || !fact.widened) return fact.start(at);
    double wide[2];
    fact.start(reinterpret_cast<std::byte*>(wide));
    for (int i = 0; i < bytes[k] / static_cast<int>(sizeof(float)); ++i)
      reinterpret_cast<float*>(at)[i] = static_cast<float>(wide[i]);
  }
  // A reduction's result has strides on the axes that it keeps.
  void add_reduced(int k, array_ref const& array, long long reduced) {
    data[k] = array.data;
    bytes[k] = array.bytes;
    bool const keeps = array.rank == rank;
    for (int d = 0, position = 0; d < rank; ++d) {
      bool const gone = (reduced >> (rank - 1 - d) & 1) != 0;
      strides[d][k] = gone || extents[d] == 1 ? 0 : array.strides[keeps ? d : position];
      if (!gone) ++position;
    }
  }
  bool rows_may_move(loop_facts const& facts) const {
    if (!Arrays::fixed_rows) return true;
    int d = rank - 1;
    while (d > 0 && extents[d] == 1) --d;
    if (extents[d] == 1) return true;
    for (int k = 0; k < operands; ++k)
      if (!facts.spans_rows[k] && strides[d][k] != 0) return false;
    for (int k = 0; k < results; ++k)
      if (facts.result[k].reduction &&
          facts.result[k].along_rows != (strides[d][operands + k] == 0))
        return false;
    return true;
  }
  /// Whether both go over the same elements of the same arrays.
  friend bool operator==(basic_space const& a, basic_space const& b) {
    if (a.rank != b.rank || a.count != b.count) return false;
    for (int d = 0; d < a.rank; ++d) {
      if (a.extents[d] != b.extents[d]) return false;
      for (int k = 0; k < a.count; ++k)
        if (a.strides[d][k] != b.strides[d][k]) return false;
    }
    for (int k = 0; k < a.count; ++k)
      if (a.data[k] != b.data[k]) return false;
    return true;
  }
};
/// Computes rows from these addresses on; the last argument is how many follow each other along the
/// axis before the last one.
template <class Space>
using rows_function = void (*)(Space const&, std::byte* const*, std::ptrdiff_t);

/// The space of a compiled loop over so many arrays.
template <int Count>
using loop_space = basic_space<compiled_arrays<
    Count <= 8 ? 8 : static_cast<int>(std::bit_ceil(static_cast<unsigned>(Count)))>>;

}  // namespace kroton::cpu
