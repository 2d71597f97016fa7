// The space of a bundle at run time: its arrays, taken some elements of a row at a time, so that
// what lies otherwise than batches read it is copied once for all rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/bundle.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kroton::cpu {

/// An array of a bundle. Strides are in elements, 0 along axes that it lacks.
struct bundle_array {
  enum place_kind : char {
    outside,  // where the value lies
    local,    // in a buffer alone
    total     // accumulated in memory of its own, and copied to the value in the end
  } place = outside;
  int value = -1, space_rank = 0;  // whose it is, and of the loop that names it first
  bool is_result = false, spans_rows = false, has_axis = false;
  int bytes = 0;
  std::byte* data = nullptr;
  std::ptrdiff_t row = 0, axis = 0, outer[max_rank]{};
  // Of a total: what it is at first, and where its memory begins, how far it goes and its strides
  result_fact const* fact = nullptr;
  std::ptrdiff_t total_begin = 0, total_size = 0, total_axis = 0, total_outer[max_rank]{};
  // For the elements that are current: where its copy begins, in bytes, or -1, and where they lie
  std::ptrdiff_t buffer = -1;
  std::byte* now = nullptr;

  std::ptrdiff_t const* strides() const { return place == total ? total_outer : outer; }
  bool is_copied_to() const { return place == outside && buffer >= 0 && !is_result; }
  bool is_copied_from() const { return place == outside && buffer >= 0 && is_result; }
};

/// The extents of a bundle and its arrays.
class bundle_space {
 public:
  std::ptrdiff_t row = 1, length = 1;  // extents of the rows and of the short axis
  int outer_rank = 0;
  std::ptrdiff_t outer[max_rank]{};
  std::vector<bundle_array> arrays;
  std::vector<int> of_loops;  // the array of each operand and result, loop after loop

  /// That of this thread, which keeps its memory for the next bundle; without arrays.
  static bundle_space& empty() {
    static thread_local bundle_space kept;
    kept.outer_rank = 0;
    kept.arrays.clear();
    kept.of_loops.clear();
    return kept;
  }
  /// Runs a kernel of so many lanes over the whole space.
  void run(void (*kernel)(bundle_row const&), std::ptrdiff_t width) {
    width_ = width;
    std::ptrdiff_t const most = elements_at_a_time(width), totals = lay_totals();
    reserve(lay_buffers(totals, most, true));
    begin_totals();
    at_.assign(arrays.size(), nullptr);
    step_.assign(arrays.size(), 0);
    std::ptrdiff_t const whole = row - row % width;
    if (whole > 0) {
      lay_buffers(totals, most, false);
      for (std::ptrdiff_t begin = 0; begin < whole; begin += most)
        run_part(kernel, begin, std::min(most, whole - begin), most);
    }
    if (whole < row) {
      lay_buffers(totals, width, true);
      run_part(kernel, whole, row - whole, width);
    }
    store_totals();
  }

 private:
  /// How many elements of a row are taken together: what is in buffers stays in the first cache.
  std::ptrdiff_t elements_at_a_time(std::ptrdiff_t width) const {
    std::ptrdiff_t bytes = 1;
    for (bundle_array const& a : arrays)
      if (a.spans_rows) bytes += a.bytes * (a.has_axis ? length : 1);
    std::ptrdiff_t const fit = machine::first_cache_bytes / bytes / line * line,
                         all = (row + line - 1) / line * line;
    return std::max(std::min({fit, all, machine::max_bundled_elements}), std::max(line, width));
  }
  /// Finds room, from some byte on, for the copies of some elements of a row, dense ones too where
  /// a batch would go beyond the end. Returns the end of that room.
  std::ptrdiff_t lay_buffers(std::ptrdiff_t bytes, std::ptrdiff_t elements, bool partial) {
    for (bundle_array& a : arrays) {
      bool const is_copied =
          a.place == bundle_array::local ||
          (a.place == bundle_array::outside && a.spans_rows && (partial || a.row != 1));
      a.buffer = is_copied ? bytes : -1;
      if (is_copied) bytes += apart(elements * a.bytes) * (a.has_axis ? length : 1);
    }
    return bytes;
  }
  void run_part(void (*kernel)(bundle_row const&), std::ptrdiff_t begin, std::ptrdiff_t n,
                std::ptrdiff_t room) {
    std::byte* const memory = aligned();
    for (std::size_t k = 0; k < arrays.size(); ++k) {
      bundle_array& a = arrays[k];
      bool const is_total = a.place == bundle_array::total;
      std::ptrdiff_t const along = !is_total ? a.row : a.spans_rows ? 1 : 0;
      a.now = is_total                           ? memory + a.total_begin
              : a.place == bundle_array::outside ? a.data
                                                 : nullptr;
      if (a.now != nullptr) a.now += begin * along * a.bytes;
      at_[k] = a.buffer < 0 ? a.now : memory + a.buffer;
      step_[k] = a.buffer < 0 ? (is_total ? a.total_axis : a.axis) * a.bytes
                 : a.has_axis ? apart(room * a.bytes)
                              : 0;
    }
    std::ptrdiff_t index[max_rank]{};
    for (bool first = true;; first = false) {
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        bundle_array const& a = arrays[k];
        if (a.buffer < 0) at_[k] = a.now;
        else if (a.is_copied_to() && (first || varies(a))) fill(a, at_[k], n, room);
      }
      kernel({at_.data(), step_.data(), of_loops.data(), length, n});
      for (std::size_t k = 0; k < arrays.size(); ++k)
        if (bundle_array const& a = arrays[k]; a.is_copied_from())
          copy_array(part_of(a, a.now, n, a.axis, a.row),
                     part_of(a, at_[k], n, apart(room * a.bytes) / a.bytes, 1));
      int d = outer_rank - 1;
      for (; d >= 0; --d) {
        if (++index[d] < outer[d]) break;
        index[d] = 0;
      }
      if (d < 0) return;
      for (bundle_array& a : arrays)
        if (a.now != nullptr) a.now += next_along(a.strides(), d) * a.bytes;
    }
  }
  bool varies(bundle_array const& a) const {
    for (int d = 0; d < outer_rank; ++d)
      if (a.outer[d] != 0) return true;
    return false;
  }
  /// How far the next element along an outer axis is from the last ones along those behind it.
  std::ptrdiff_t next_along(std::ptrdiff_t const* strides, int d) const {
    std::ptrdiff_t offset = strides[d];
    for (int behind = d + 1; behind < outer_rank; ++behind)
      offset -= strides[behind] * (outer[behind] - 1);
    return offset;
  }
  array_ref part_of(bundle_array const& a, std::byte* data, std::ptrdiff_t n, std::ptrdiff_t axis,
                    std::ptrdiff_t along) const {
    array_ref part;
    part.data = data;
    part.bytes = a.bytes;
    if (a.has_axis) {
      part.extents[part.rank] = length;
      part.strides[part.rank++] = axis;
    }
    part.extents[part.rank] = n;
    part.strides[part.rank++] = along;
    return part;
  }
  /// Copies some elements of a row to a buffer, and the last one to the rest of its batch.
  void fill(bundle_array const& a, std::byte* to, std::ptrdiff_t n, std::ptrdiff_t room) const {
    std::ptrdiff_t const axis = apart(room * a.bytes), rest = (width_ - n % width_) % width_;
    copy_array(part_of(a, to, n, axis / a.bytes, 1), part_of(a, a.now, n, a.axis, a.row));
    for (std::ptrdiff_t e = 0; rest > 0 && e < (a.has_axis ? length : 1); ++e) {
      std::byte* const end = to + e * axis + n * a.bytes;
      core::copy_row(end, 1, end - a.bytes, 0, rest, a.bytes);
    }
  }

  // ---- what accumulates
  /// Returns the end of the room for it.
  std::ptrdiff_t lay_totals() {
    std::ptrdiff_t bytes = 0;
    for (bundle_array& a : arrays) {
      if (a.place != bundle_array::total) continue;
      std::ptrdiff_t size =
          a.spans_rows ? apart((row + width_ - 1) / width_ * width_ * a.bytes) / a.bytes : 1;
      a.total_axis = a.has_axis ? size : 0;
      size *= a.has_axis ? length : 1;
      for (int d = outer_rank - 1; d >= 0; --d) {
        a.total_outer[d] = a.outer[d] != 0 ? size : 0;
        size *= a.outer[d] != 0 ? outer[d] : 1;
      }
      a.total_begin = bytes;
      a.total_size = size;
      bytes += a.spans_rows ? size * a.bytes : apart(size * a.bytes);
    }
    return bytes;
  }
  void begin_totals() const {
    for (bundle_array const& a : arrays) {
      if (a.place != bundle_array::total) continue;
      std::byte* const to = aligned() + a.total_begin;
      a.fact->start(to);
      core::copy_row(to + a.bytes, 1, to, 0, a.total_size - 1, a.bytes);
    }
  }
  void store_totals() const {
    for (bundle_array const& a : arrays) {
      if (a.place != bundle_array::total) continue;
      array_ref to, from;
      to.bytes = from.bytes = a.bytes;
      to.data = a.data;
      from.data = aligned() + a.total_begin;
      auto const add_axis = [&](std::ptrdiff_t extent, std::ptrdiff_t stride,
                                std::ptrdiff_t of_total) {
        to.extents[to.rank] = from.extents[from.rank] = extent;
        to.strides[to.rank++] = stride;
        from.strides[from.rank++] = of_total;
      };
      for (int d = 0; d < outer_rank; ++d)
        if (a.total_outer[d] != 0) add_axis(outer[d], a.outer[d], a.total_outer[d]);
      if (a.has_axis) add_axis(length, a.axis, a.total_axis);
      add_axis(a.spans_rows ? row : 1, a.row, 1);
      copy_array(to, from);
    }
  }

  // ---- memory, aligned to lines
  static constexpr std::ptrdiff_t line = machine::line;
  /// As many bytes or some more, so that what lies behind them begins elsewhere in a page: a load
  /// waits for a store before it if the last twelve bits of both addresses are the same.
  static std::ptrdiff_t apart(std::ptrdiff_t n) {
    constexpr std::ptrdiff_t page = 4096, part = 25 * line;
    return (n + page - part - 1) / page * page + part;
  }
  void reserve(std::ptrdiff_t bytes) {
    if (memory_.size() < static_cast<std::size_t>(bytes + line))
      memory_.resize(static_cast<std::size_t>(bytes + line));
  }
  std::byte* aligned() const {
    auto* const data = const_cast<std::byte*>(memory_.data());
    auto const beyond = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(line);
    return data + (beyond == 0 ? 0 : line - static_cast<std::ptrdiff_t>(beyond));
  }

  std::vector<std::byte> memory_;
  std::vector<std::byte*> at_;
  std::vector<std::ptrdiff_t> step_;
  std::ptrdiff_t width_ = 1;
};

}  // namespace kroton::cpu
