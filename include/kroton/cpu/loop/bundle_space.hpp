// The space of a bundle at run time: its arrays, taken some elements of a row at a time, so that
// what lies otherwise than batches read it is copied once for all rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/bundle.hpp>
#include <kroton/cpu/loop/transposition.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
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
  result_fact const* fact = nullptr;  // of a total
  // Of a total: its memory and the strides in it, of elements that may be wider
  int total_bytes = 0;
  std::ptrdiff_t total_axis = 0, total_outer[max_rank]{}, total_begin = 0, total_size = 0;
  // For the elements that are current
  std::ptrdiff_t buffer = -1;  // where its copy begins, in bytes
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
      bundle_array const& a = arrays[k];
      step_[k] = a.place == bundle_array::total ? a.total_axis * a.total_bytes
                 : a.buffer < 0                 ? a.axis * a.bytes
                 : a.has_axis                   ? apart(room * a.bytes)
                                                : 0;
    }
    std::ptrdiff_t index[max_rank]{};
    for (bool first = true;; first = false) {
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        bundle_array const& a = arrays[k];
        if (a.place == bundle_array::total) {
          std::ptrdiff_t const offset =
              a.total_begin +
              (offset_of(a.total_outer, index) + (a.spans_rows ? begin : 0)) * a.total_bytes;
          at_[k] = memory + offset;
          continue;
        }
        if (a.place == bundle_array::local) {
          at_[k] = memory + a.buffer;
          continue;
        }
        std::byte* const from = a.data + (offset_of(a.outer, index) + begin * a.row) * a.bytes;
        at_[k] = a.buffer < 0 ? from : memory + a.buffer;
        if (a.buffer >= 0 && !a.is_result && (first || varies(a))) fill(a, at_[k], from, n, room);
      }
      kernel({at_.data(), step_.data(), of_loops.data(), length, n});
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        bundle_array const& a = arrays[k];
        if (a.place != bundle_array::outside || !a.is_result || a.buffer < 0) continue;
        array_ref const to = part_of(a,
                                     a.data + (offset_of(a.outer, index) + begin * a.row) * a.bytes,
                                     n, a.axis, a.row),
                        from = part_of(a, at_[k], n, apart(room * a.bytes) / a.bytes, 1);
        copy_array(to, from);
      }
      int d = outer_rank - 1;
      for (; d >= 0; --d) {
        if (++index[d] < outer[d]) break;
        index[d] = 0;
      }
      if (d < 0) return;
    }
  }
  bool varies(bundle_array const& a) const {
    for (int d = 0; d < outer_rank; ++d)
      if (a.outer[d] != 0) return true;
    return false;
  }
  std::ptrdiff_t offset_of(std::ptrdiff_t const* strides, std::ptrdiff_t const* index) const {
    std::ptrdiff_t offset = 0;
    for (int d = 0; d < outer_rank; ++d) offset += strides[d] * index[d];
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
  /// Copies some elements of a row to a buffer, and the last one to the rest of a batch.
  void fill(bundle_array const& a, std::byte* to, std::byte* from, std::ptrdiff_t n,
            std::ptrdiff_t room) const {
    std::ptrdiff_t const axis = apart(room * a.bytes);
    copy_array(part_of(a, to, n, axis / a.bytes, 1), part_of(a, from, n, a.axis, a.row));
    for (std::ptrdiff_t e = 0; room == width_ && e < (a.has_axis ? length : 1); ++e) {
      std::byte* const rest = to + e * axis + n * a.bytes;
      for (std::ptrdiff_t i = n; i < room; ++i)
        std::memcpy(rest + (i - n) * a.bytes, rest - a.bytes, static_cast<std::size_t>(a.bytes));
    }
  }

  // ---- what accumulates
  /// Returns the end of the room for it.
  std::ptrdiff_t lay_totals() {
    std::ptrdiff_t bytes = 0;
    for (bundle_array& a : arrays) {
      if (a.place != bundle_array::total) continue;
      a.total_bytes = a.fact->widened ? static_cast<int>(sizeof(double)) : a.bytes;
      std::ptrdiff_t size =
          a.spans_rows ? apart((row + width_ - 1) / width_ * width_ * a.total_bytes) / a.total_bytes
                       : 1;
      a.total_axis = a.has_axis ? size : 0;
      size *= a.has_axis ? length : 1;
      for (int d = outer_rank - 1; d >= 0; --d) {
        a.total_outer[d] = a.outer[d] != 0 ? size : 0;
        size *= a.outer[d] != 0 ? outer[d] : 1;
      }
      a.total_begin = bytes;
      a.total_size = size;
      bytes += a.spans_rows ? size * a.total_bytes : apart(size * a.total_bytes);
    }
    return bytes;
  }
  void begin_totals() const {
    for (bundle_array const& a : arrays) {
      if (a.place != bundle_array::total) continue;
      std::byte* const to = aligned() + a.total_begin;
      a.fact->start(to);
      core::with_bytes(a.total_bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
        std::byte first[static_cast<std::size_t>(Bytes)];
        std::memcpy(first, to, Bytes);
        for (std::ptrdiff_t i = 1; i < a.total_size; ++i) std::memcpy(to + i * Bytes, first, Bytes);
      });
    }
  }
  void store_totals() const {
    for (bundle_array const& a : arrays) {
      if (a.place != bundle_array::total) continue;
      std::ptrdiff_t index[max_rank]{};
      for (;;) {
        std::byte* const to = a.data + offset_of(a.outer, index) * a.bytes;
        std::byte const* const from =
            aligned() + a.total_begin + offset_of(a.total_outer, index) * a.total_bytes;
        for (std::ptrdiff_t e = 0; e < (a.has_axis ? length : 1); ++e)
          store_row(a, to + e * a.axis * a.bytes, from + e * a.total_axis * a.total_bytes);
        int d = outer_rank - 1;
        for (; d >= 0; --d) {
          if (a.total_outer[d] == 0) continue;
          if (++index[d] < outer[d]) break;
          index[d] = 0;
        }
        if (d < 0) break;
      }
    }
  }
  void store_row(bundle_array const& a, std::byte* to, std::byte const* from) const {
    std::ptrdiff_t const n = a.spans_rows ? row : 1;
    if (!a.fact->widened) return core::copy_row(to, a.row, from, 1, n, a.bytes);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      double wide;
      std::memcpy(&wide, from + i * a.total_bytes, sizeof(wide));
      auto const narrow = static_cast<float>(wide);
      std::memcpy(to + i * a.row * a.bytes, &narrow, sizeof(narrow));
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
