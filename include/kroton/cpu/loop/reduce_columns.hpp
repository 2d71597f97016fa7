// Loops that do nothing but reduce along other axes than rows: several rows at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/columns.hpp>
#include <kroton/cpu/loop/reduce_rows.hpp>

#include <utility>

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
      matrix_step_[k] = s.takes_matrices() ? s.strides[s.rank - 3][k] * s.bytes[k] : 0;
      matrix_[k] = first[k];
      if (k < Kernel::operands) continue;
      in_place_ = in_place_ && s.strides[s.rank - 1][k] == 1;
      together_ = together_ && step_[k] == 0;
    }
  }

  void run(std::ptrdiff_t count) {
    std::ptrdiff_t matrices = s_.takes_matrices() ? s_.extents[s_.rank - 3] : 1;
    // Rows that go to different results are matrices of one row.
    if (!together_) {
      matrices = std::exchange(count, 1);
      for (int a = 0; a < Kernel::count; ++a) matrix_step_[a] = step_[a];
    }
    if constexpr (at_once > 1)
      if (count <= at_once && in_place_) return add_few_rows(count, matrices);
    std::ptrdiff_t const beyond = in_place_    ? 0
                                  : n_ < width ? rows_read_beyond<Kernel>(s_, step_)
                                               : -1;
    bool const reads_batches = in_place_ || beyond >= 0, follow = follow_each_other(count);
    if (reads_batches && !together_) copies_.copy(s_, step_, matrix_);
    for (std::ptrdiff_t left = matrices; left > 0; --left) {
      for (int a = 0; a < Kernel::count; ++a) row_[a] = matrix_[a];
      if (reads_batches && together_) copies_.copy(s_, step_, row_);
      std::ptrdiff_t const behind = follow ? (left - 1) * count : 0;
      add_matrix(count, beyond - behind, reads_batches);
      for (int a = 0; a < Kernel::count; ++a) matrix_[a] += matrix_step_[a];
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
  // Batches for which what few rows have in common is read once
  static constexpr std::ptrdiff_t abreast = Kernel::only_extrema ? 1 : 4;

  /// What fits into the first cache goes batch by batch through all rows, of narrow rows as many as
  /// fit; wide ones go eight at a time along the batches.
  static std::ptrdiff_t rows_together(std::ptrdiff_t rows, std::ptrdiff_t elements) {
    if (rows * elements <= first_cache) return rows;
    if (elements <= 8 * width) return first_cache / elements / at_once * at_once;
    return at_once;
  }
  /// Whether the rows of the next sum lie behind those of one.
  bool follow_each_other(std::ptrdiff_t rows) const {
    bool all = true;
    for (int k = 0; k < Kernel::operands; ++k)
      all = all && (!Kernel::facts.spans_rows[k] || matrix_step_[k] == rows * step_[k]);
    return all;
  }
  /// The rows of one sum. Batches read so many rows beyond those that they add.
  void add_matrix(std::ptrdiff_t count, std::ptrdiff_t beyond, bool reads_batches) {
    std::ptrdiff_t const most = machine::max_narrow_sum / (reads_batches ? 1 : 4);
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
  void add_batches(std::ptrdiff_t rows) const {
    if constexpr (at_once > 1)
      if (rows <= at_once && in_place_) return few_rows(*this, row_, rows, writes_).add(n_);
    sums tiled[tile];
    for (std::ptrdiff_t j = 0; j < n_; j += tile * width) {
      std::ptrdiff_t const left = n_ - j < tile * width ? n_ - j : tile * width,
                           whole = left / width;
      // Where a batch overlaps the one before
      std::ptrdiff_t const last = n_ < width ? 0 : j + left - width;
      std::ptrdiff_t const batches = whole + (whole * width < left ? 1 : 0);
      std::ptrdiff_t const together = rows_together(rows, left);
      for (std::ptrdiff_t r = 0; r < rows; r += together) {
        std::ptrdiff_t const some = rows - r < together ? rows - r : together;
        if (some == at_once) add_rows<true>(tiled, batches, j < last ? j : last, last, r, some);
        else add_rows<false>(tiled, batches, j < last ? j : last, last, r, some);
      }
      if (!in_place_) return Kernel::finish_elements(tiled[0], s_, row_, 0, n_, writes_);
      typename Kernel::sum_targets const to(s_, row_, writes_);
      for (std::ptrdiff_t b = 0; b < whole; ++b)
        Kernel::finish_batch(tiled[b], to, j + b * width, window::from(0));
      if (whole * width < left)
        Kernel::finish_batch(tiled[whole], to, last, last_lanes(j + whole * width - last));
    }
  }
  // Of a batch of which so many lanes are those of the one before: these are not added again; to
  // write them again does no harm.
  window last_lanes(std::ptrdiff_t before) const { return window::from(writes_ ? 0 : before); }
  // So few rows that their sums are complete after one visit: they stay in registers. A copy that
  // does not escape, see sum_targets.
  struct few_rows {
    std::ptrdiff_t rows, step[Kernel::count];
    std::byte* row[Kernel::count];
    typename Kernel::sum_targets to;

    few_rows(column_reduction const& of, std::byte* const* first, std::ptrdiff_t count, bool writes)
        : rows(count), to(of.s_, first, writes) {
      for (int a = 0; a < Kernel::count; ++a) step[a] = of.step_[a], row[a] = first[a];
    }
    KROTON_INLINE void add(std::ptrdiff_t n) const {
      std::ptrdiff_t j = 0;
      if constexpr (abreast > 1)
        for (; j + abreast * width <= n; j += abreast * width)
          add<static_cast<std::size_t>(abreast)>(j, window::from(0));
      for (; j + width <= n; j += width) add<1>(j, window::from(0));
      if (j < n) add<1>(n - width, window::from(to.writes ? 0 : j - (n - width)));
    }
    KROTON_INLINE void move(std::ptrdiff_t const* by) {
      for (int a = 0; a < Kernel::count; ++a) row[a] += by[a];
      for (int k = 0; k < Kernel::results; ++k) to.row[k] += by[Kernel::operands + k];
    }

   private:
    template <std::size_t Abreast>
    KROTON_INLINE void add(std::ptrdiff_t at, window const& lanes) const {
      sums sum[Abreast];
      written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA { Kernel::start(sum[a]); });
      column_rows<Kernel>::add(row, step, at, rows, sum);
      written_out<Abreast>([&](int a) KROTON_INLINE_LAMBDA {
        Kernel::finish_batch(sum[a], to, at + a * width, lanes);
      });
    }
  };
  void add_few_rows(std::ptrdiff_t rows, std::ptrdiff_t matrices) const {
    few_rows those(*this, matrix_, rows, s_.writes_sums);
    for (std::ptrdiff_t m = 0; m < matrices; ++m, those.move(matrix_step_)) those.add(n_);
  }
  // Adds rows from `begin` on to the sums of so many batches, of which the last one stands at
  // `last`, or begins these.
  template <bool OneGroup>
  void add_rows(sums* tiled, std::ptrdiff_t batches, std::ptrdiff_t at, std::ptrdiff_t last,
                std::ptrdiff_t begin, std::ptrdiff_t rows) const {
    using rows_of = column_rows<Kernel>;
    std::byte* row[Kernel::count];
    std::ptrdiff_t step[Kernel::count];
    for (int a = 0; a < Kernel::count; ++a) {
      step[a] = a < Kernel::operands ? step_[a] : 0;
      row[a] = row_[a] + begin * step[a];
    }
    for (std::ptrdiff_t b = 0; b < batches; ++b, at = at + width < last ? at + width : last) {
      sums sum[1];
      if constexpr (OneGroup) {
        Kernel::start(sum[0]);
        rows_of::add(row, step, at, at_once, sum);
        if (begin != 0) Kernel::merge(sum[0], tiled[b]);
      } else if constexpr (Kernel::only_extrema) {
        if (begin == 0) Kernel::start(sum[0]);
        else sum[0] = tiled[b];
        rows_of::add(row, step, at, rows, sum);
      } else {
        if (begin == 0) Kernel::start(sum[0]);
        else sum[0] = tiled[b];
        std::byte* next[Kernel::count];
        for (int a = 0; a < Kernel::count; ++a) next[a] = row[a];
        std::ptrdiff_t r = rows;
        for (; at_once > 1 && r >= at_once; r -= at_once) {
          sums group[1];
          Kernel::start(group[0]);
          rows_of::add(next, step, at, at_once, group);
          Kernel::merge(sum[0], group[0]);
          for (int a = 0; a < Kernel::count; ++a) next[a] += at_once * step[a];
        }
        rows_of::add(next, step, at, r, sum);
      }
      tiled[b] = sum[0];
    }
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
  std::ptrdiff_t step_[Kernel::count], matrix_step_[Kernel::count];
  std::byte *row_[Kernel::count], *matrix_[Kernel::count];
  repeated_rows<Kernel> copies_;
};

}  // namespace kroton::cpu
