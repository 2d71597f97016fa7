// Loops that do nothing but reduce along other axes than rows: several rows at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/columns.hpp>
#include <kroton/cpu/loop/reduce_rows.hpp>

namespace kroton::cpu {

/// The rows of a loop that only reduces, along other axes: some of them accumulate before they are
/// added to the results.
template <class Kernel>
class column_reduction {
 public:
  column_reduction(typename Kernel::space const& s, std::byte* const* first)
      : s_(s),
        n_(s.extents[s.rank - 1]),
        buffers_(s, Kernel::facts),
        in_place_(buffers_.dense && n_ >= width) {
    for (int k = 0; k < Kernel::count; ++k) {
      step_[k] = s.rank > 1 ? s.strides[s.rank - 2][k] * s.bytes[k] : 0;
      row_[k] = first[k];
      if (k < Kernel::operands) continue;
      in_place_ = in_place_ && s.strides[s.rank - 1][k] == 1;
      together_ = together_ && step_[k] == 0;
    }
  }

  void run(std::ptrdiff_t count) {
    std::ptrdiff_t const beyond = in_place_    ? 0
                                  : n_ < width ? rows_read_beyond<Kernel>(s_, step_)
                                               : -1;
    bool const reads_batches = in_place_ || beyond >= 0;
    if (reads_batches) copies_.copy(s_, step_, row_);
    std::ptrdiff_t const most = !together_      ? 1
                                : reads_batches ? machine::max_narrow_sum
                                                : machine::max_narrow_sum / 4;
    writes_ = s_.writes_sums;
    for (std::ptrdiff_t rows; count > 0; count -= rows, writes_ = false) {
      rows = count < most ? count : most;
      bool const in_batches = reads_batches && count > beyond;
      if (in_batches && rows > count - beyond) rows = count - beyond;
      if (in_batches) add_batches(rows);
      else add_parts(rows);
      for (int a = 0; a < Kernel::count; ++a) row_[a] += rows * step_[a];
    }
  }

 private:
  using space = typename Kernel::space;
  using lane = typename Kernel::lane;
  using window = typename Kernel::window;
  using sums = row_sums<lane, Kernel::results, 1>;
  static constexpr std::ptrdiff_t width = Kernel::width;
  // Batches side by side, so that their sums stay in the first cache
  static constexpr std::ptrdiff_t tile = machine::max_sums_of_columns;
  static constexpr std::ptrdiff_t first_cache =
      machine::first_cache_bytes / sizeof(lane);  // elements
  // Rows, of which the processor fetches ahead
  static constexpr std::ptrdiff_t at_once = Kernel::is_short ? machine::rows_fetched_ahead : 1;
  // Batches for which what a row's operands have in common is read once
  static constexpr std::ptrdiff_t abreast = Kernel::is_short && !Kernel::only_extrema ? 4 : 1;

  /// What fits into the first cache goes batch by batch through all rows, of narrow rows as many as
  /// fit; wide ones go eight at a time along the batches.
  static std::ptrdiff_t rows_together(std::ptrdiff_t rows, std::ptrdiff_t elements) {
    if (rows * elements <= first_cache) return rows;
    if (elements <= 8 * width) return first_cache / elements / at_once * at_once;
    return at_once;
  }
  void add_batches(std::ptrdiff_t rows) const {
    sums tiled[tile];
    for (std::ptrdiff_t j = 0; j < n_; j += tile * width) {
      std::ptrdiff_t const left = n_ - j < tile * width ? n_ - j : tile * width;
      std::ptrdiff_t const together = rows_together(rows, left);
      for (std::ptrdiff_t r = 0; r < rows; r += together)
        add_rows(tiled, j, left,
                 {r, rows - r < together ? rows - r : together, r + together >= rows});
    }
  }
  // Some of the rows; whether they are the last ones.
  struct rows_at_once {
    std::ptrdiff_t begin, count;
    bool ends;
  };
  // Adds rows in so many columns from `j` on, where `tiled` is what the batches accumulate until
  // the last rows.
  void add_rows(sums* tiled, std::ptrdiff_t j, std::ptrdiff_t columns, rows_at_once rows) const {
    std::byte* row[Kernel::count];
    std::ptrdiff_t step[Kernel::count];
    for (int a = 0; a < Kernel::count; ++a) {
      step[a] = a < Kernel::operands ? step_[a] : 0;
      row[a] = row_[a] + rows.begin * step[a];
    }
    std::ptrdiff_t const whole = columns / width * width;
    std::ptrdiff_t done = 0;
    if constexpr (abreast > 1)
      for (; done + abreast * width <= whole; done += abreast * width)
        add_to<static_cast<std::size_t>(abreast)>(tiled + done / width, row, step, j + done, rows,
                                                  window::from(0));
    for (; done < whole; done += width)
      add_to<1>(tiled + done / width, row, step, j + done, rows, window::from(0));
    if (done == columns) return;
    // A batch that overlaps the one before: what both have is written again, or not added again.
    std::ptrdiff_t const last = n_ < width ? 0 : j + columns - width;
    add_to<1>(tiled + done / width, row, step, last, rows,
              window::from(writes_ || n_ < width ? 0 : j + done - last));
  }
  // Adds rows to so many batches side by side.
  template <std::size_t Abreast>
  KROTON_INLINE void add_to(sums* tiled, std::byte* const* row, std::ptrdiff_t const* step,
                            std::ptrdiff_t at, rows_at_once rows, window const& lanes) const {
    sums sum[Abreast];
    if (rows.begin == 0)
      written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { Kernel::start(sum[a]); });
    else written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { sum[a] = tiled[a]; });
    add_groups(row, step, at, rows.count, sum);
    if (!rows.ends) written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { tiled[a] = sum[a]; });
    else if (in_place_)
      written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA {
        Kernel::finish_batch(sum[a], s_, row_, at + a * width, lanes, writes_);
      });
    else Kernel::finish_elements(sum[0], s_, row_, 0, n_, writes_);
  }
  template <std::size_t Abreast>
  static KROTON_INLINE void add_groups(std::byte* const* row, std::ptrdiff_t const* step,
                                       std::ptrdiff_t at, std::ptrdiff_t rows,
                                       sums (&sum)[Abreast]) {
    using rows_of = column_rows<Kernel>;
    std::byte* next[Kernel::count];
    for (int a = 0; a < Kernel::count; ++a) next[a] = row[a];
    if constexpr (!Kernel::only_extrema && at_once > 1)
      for (; rows >= at_once; rows -= at_once) {
        sums group[Abreast];
        written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { Kernel::start(group[a]); });
        rows_of::add(next, step, at, at_once, group);
        written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { Kernel::merge(sum[a], group[a]); });
        for (int a = 0; a < Kernel::count; ++a) next[a] += at_once * step[a];
      }
    rows_of::add(next, step, at, rows, sum);
  }

  // Where rows are strided, or shorter than a batch.
  void add_parts(std::ptrdiff_t rows) {
    typename Kernel::values v;
    std::ptrdiff_t const* const strides = s_.strides[s_.rank - 1];
    for (std::ptrdiff_t j = 0; j < n_; j += width) {
      std::ptrdiff_t const part = n_ - j < width ? n_ - j : width;
      sums sum;
      Kernel::start(sum);
      for (std::ptrdiff_t r = 0; r < rows; ++r) {
        std::byte* p[Kernel::count];
        for (int a = 0; a < Kernel::count; ++a) p[a] = row_[a] + r * step_[a];
        Kernel::body::template load_invariants<lane>(v, p);
        for (int a = 0; a < Kernel::operands; ++a)
          p[a] += Kernel::facts.spans_rows[a] ? j * strides[a] * s_.bytes[a] : 0;
        buffers_.fill(p, part);
        Kernel::template accumulate<0>(v, p, 0, sum);
      }
      Kernel::finish_elements(sum, s_, row_, j, part, writes_);
    }
  }

  space const& s_;
  std::ptrdiff_t n_;
  part_buffers<Kernel::operands, Kernel::results, static_cast<int>(width)> buffers_;
  bool in_place_, together_ = true, writes_ = false;
  std::ptrdiff_t step_[Kernel::count];
  std::byte* row_[Kernel::count];
  repeated_rows<Kernel> copies_;
};

}  // namespace kroton::cpu
