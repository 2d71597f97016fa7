// A frame's information about its bands: how many rows are processed together, which ones are
// current, and what is accumulated from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/tables.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/machine.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::cpu {

/// The rows of a band that its steps compute now, all of them outside of a walk, and whether they
/// are the first or the last ones.
struct band_pass {
  static constexpr std::ptrdiff_t all = -1;
  std::ptrdiff_t rows = all, first = 0;  // and the number of the first one
  bool begins = true, ends = true;
  bool by_columns = false;  // whether loops over matrices go along their columns
  bool checks = false;      // whether steps check all their indices, and do nothing else
};

/// The bands of one frame.
class band_state {
 public:
  band_pass now;

  /// Whether fewer rows than all go together where that is worth it. True where that changes.
  bool part(bool in_parts) { return std::exchange(in_parts_, in_parts) != in_parts; }
  /// How many rows of a band go together.
  std::ptrdiff_t rows(int band) const { return rows_[static_cast<std::size_t>(band)]; }

  /// Whether the matrices of a band lie column by column while it runs, since their rows are
  /// narrow.
  bool by_columns(int band) const { return by_columns_[static_cast<std::size_t>(band)]; }

  /// Computes that from the extents of a call, which `extent` returns by number. The memory for the
  /// rows of a part fits in the second-level cache; matrices that fit there as a whole are not
  /// divided.
  template <class Extent>
  void find_rows(program_tables const& tables, Extent extent) {
    rows_.clear();
    by_columns_.clear();
    for (int b = 0; b < tables.bands.size(); ++b) {
      bool const by_columns = lies_by_columns(tables, b, extent);
      std::ptrdiff_t const all = extent(tables.bands[b].rows),
                           bytes = bytes_of_row(tables, b, extent),
                           part = share_of_threads() * bytes_together(tables, b, by_columns);
      std::ptrdiff_t fit = all;
      if (in_parts_ && bytes * all > 2 * part) fit = part > bytes ? part / bytes : 1;
      if (fit < all && fit > 8) fit -= fit % 8;  // whole batches of what has one element a row
      rows_.push_back(fit < all ? fit : all);
      by_columns_.push_back(by_columns);
    }
  }

  /// Memory in which a value lies until the end of the band that is under way, in place of where it
  /// did. A result is then copied there.
  std::byte* pack(int value, array_ref const& original, std::size_t bytes, bool is_result) {
    if (memory_.size() <= packed_.size()) memory_.emplace_back();
    std::vector<std::byte>& memory = memory_[packed_.size()];
    if (memory.size() < bytes) memory.resize(bytes);
    packed_.push_back({value, original, is_result});
    return memory.data();
  }
  /// Whether another loop of the band has done that, in the order of its axes.
  bool has_packed(int value) const {
    for (packed const& p : packed_)
      if (p.value == value) return true;
    return false;
  }
  /// Puts the values back; `value` returns the array of one.
  template <class Value>
  void unpack(Value value) {
    for (; !packed_.empty(); packed_.pop_back()) {
      packed const& p = packed_.back();
      if (p.is_result) copy_array(p.original, value(p.value));
      value(p.value) = p.original;
    }
  }

  /// Memory for so many bytes of matrices that lie otherwise for a part of the band.
  std::vector<std::byte>& layout(std::size_t bytes) {
    if (layout_.size() < bytes) layout_.resize(bytes);
    return layout_;
  }

  /// Memory of a step for sums of floats that it gathers from the parts of a band.
  std::vector<double>& gathered(std::size_t step) {
    if (gathered_.size() <= step) gathered_.resize(step + 1);
    return gathered_[step];
  }

 private:
  // Threads share the loops over a part, for which it has to be longer.
  static std::ptrdiff_t share_of_threads() {
#ifdef _OPENMP
    if (int const threads = omp_get_max_threads(); threads > 1)
      return machine::band_share_of_thread * threads;
#endif
    return 1;
  }
  template <class Extent>
  static std::ptrdiff_t bytes_of_row(program_tables const& tables, int band, Extent extent) {
    std::ptrdiff_t bytes = 0, written = 0;  // what rows are added to is in the cache, too
    for (auto const& s : tables.slices) {
      value_info const& info = tables.values[s.value];
      bool const has_memory = info.where != storage::view && info.companion < 0;
      if (s.band != band || !has_memory) continue;
      std::ptrdiff_t mine = bytes_of(info.type);
      for (int d = 0; d < info.rank; ++d) mine *= d == s.axis ? 1 : extent(info.extents[d]);
      bytes += mine;
      if (is_written(tables, tables.bands[band], s.value)) written = std::max(written, mine);
    }
    return bytes + written;
  }
  // Whether the rows of a value are added to a part of another.
  static bool is_written(program_tables const& tables, band_info const& band, int value) {
    for (int s = band.first; s <= band.last; ++s)
      if (step_info const& step = tables.steps[s];
          adds_to_part(step) && tables.pool[step.first + 1] == value)
        return true;
    return false;
  }
  static std::ptrdiff_t bytes_together(program_tables const& tables, int band, bool by_columns) {
    if (by_columns) return machine::columns_band_bytes();
    for (int s = tables.bands[band].first; s <= tables.bands[band].last; ++s)
      if (adds_to_part(tables.steps[s])) return machine::written_band_bytes();
    return machine::band_bytes;
  }

  template <class Extent>
  static bool lies_by_columns(program_tables const& tables, int band, Extent extent) {
    if (!tables.bands[band].by_columns ||
        extent(tables.bands[band].rows) < machine::min_rows_by_columns)
      return false;
    bool any = false, has_vector = false;  // rows without one become long rows in their loops
    for (auto const& s : tables.slices) {
      if (s.band != band) continue;
      value_info const& info = tables.values[s.value];
      std::ptrdiff_t const columns = info.rank < 2 ? 1 : extent(info.extents[1]);
      has_vector = has_vector || columns == 1;
      if (columns == 1) continue;
      if (!has_narrow_rows(info, columns)) return false;
      any = true;
    }
    return any && has_vector;
  }

  struct packed {
    int value;
    array_ref original;
    bool is_result;
  };

  bool in_parts_ = false;
  std::vector<std::ptrdiff_t> rows_;
  std::vector<bool> by_columns_;
  std::vector<std::byte> layout_;
  std::vector<packed> packed_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<std::vector<double>> gathered_;
};

}  // namespace kroton::cpu
