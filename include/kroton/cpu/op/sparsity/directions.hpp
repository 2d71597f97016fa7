// The directions that determine a Jacobian, and where its elements are among the products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparsity/coloring.hpp>
#include <kroton/ops/sparse/sparsity.hpp>

namespace kroton::cpu::sparsity {

/// A pattern, and for each element its place among the products: those with directions of columns,
/// each as long as there are rows, then those with directions of rows.
struct directions {
  index_sets rows{};
  count column_count = 0;
  coloring of_columns{}, of_rows{};
  std::vector<std::int64_t> places{};

  directions(index_sets const& pattern, count columns, ops::sparsity_kind kind)
      : rows(pattern), column_count(columns) {
    by_columns_ = turned(rows, columns);
    if (kind == ops::sparsity_kind::symmetric) find_symmetric();
    else find_general();
    by_columns_ = {};
  }

 private:
  static count longest(index_sets const& sets, std::vector<bool> const& counts) {
    count most = 0;
    for (count i = 0; i < sets.size(); ++i)
      if (counts[as_size(i)]) most = std::max(most, sets.size(i));
    return most;
  }
  // The most elements that a column has in the given rows.
  count tallest(std::vector<bool> const& in_rows) const {
    count most = 0;
    for (count j = 0; j < column_count; ++j) {
      count n = 0;
      for (auto i = by_columns_.begin(j); i < by_columns_.end(j); ++i)
        n += in_rows[static_cast<std::size_t>(*i)];
      most = std::max(most, n);
    }
    return most;
  }

  // Rows of more elements than a bound are left to pullbacks. No coloring has fewer colors than the
  // longest of the other rows and the tallest column of these have elements, so bounds that cannot
  // do better than the best one yet are not tried.
  void find_general() {
    std::vector<bool> const all_rows(as_size(rows.size()), true);
    count const most = longest(rows, all_rows);
    struct choice {
      count least, bound;
    };
    std::vector<choice> choices;
    for (count bound = most;; bound /= 2) {
      std::vector<bool> const is_long = longer_than(bound);
      std::vector<bool> is_short = is_long;
      is_short.flip();
      choices.push_back({longest(rows, is_short) + tallest(is_long), bound});
      if (bound == 0) break;
    }
    std::sort(choices.begin(), choices.end(), [](choice const& a, choice const& b) {
      return a.least != b.least ? a.least < b.least : a.bound > b.bound;
    });
    count best = -1;
    for (choice const& c : choices) {
      if (best >= 0 && c.least >= best) break;
      std::vector<bool> const is_long = longer_than(c.bound);
      std::vector<bool> is_short = is_long;
      is_short.flip();
      std::vector<bool> const all_columns(as_size(column_count), true);
      coloring columns = color(by_columns_, rows, all_columns, is_short, longest(rows, is_short)),
               lines = color(rows, by_columns_, is_long, all_columns, tallest(is_long));
      if (best >= 0 && columns.colors + lines.colors >= best) continue;
      best = columns.colors + lines.colors;
      of_columns = std::move(columns);
      of_rows = std::move(lines);
    }
    for (count i = 0; i < rows.size(); ++i)
      for (auto j = rows.begin(i); j < rows.end(i); ++j) places.push_back(place(i, *j));
  }
  std::vector<bool> longer_than(count bound) const {
    std::vector<bool> found(as_size(rows.size()));
    for (count i = 0; i < rows.size(); ++i) found[as_size(i)] = rows.size(i) > bound;
    return found;
  }
  std::int64_t place(count i, count j) const {
    if (std::int32_t const c = of_rows.of[as_size(i)]; c >= 0)
      return of_columns.colors * rows.size() + c * column_count + j;
    return of_columns.of[as_size(j)] * rows.size() + i;
  }

  // An element above the diagonal has its place in its own row, if its column is the only one of
  // its color there, or else in the row of the mirrored one, which has the same place.
  void find_symmetric() {
    index_sets both;
    for (count i = 0; i < rows.size(); ++i) {
      append_union(both.index, rows.begin(i), rows.end(i), by_columns_.begin(i),
                   by_columns_.end(i));
      both.close();
    }
    rows = std::move(both);
    of_columns = star_coloring(rows);
    of_rows.of.assign(as_size(rows.size()), -1);
    std::vector<count> of_color(as_size(of_columns.colors));
    auto const color_of = [&](count j) { return of_columns.of[as_size(j)]; };
    for (count i = 0; i < rows.size(); ++i) {
      for (auto j = rows.begin(i); j < rows.end(i); ++j) ++of_color[as_size(color_of(*j))];
      for (auto j = rows.begin(i); j < rows.end(i); ++j) {
        bool const is_alone = of_color[as_size(color_of(*j))] == 1;
        places.push_back(*j < i     ? places[as_size(number_of(*j, i))]
                         : is_alone ? color_of(*j) * rows.size() + i
                                    : color_of(i) * rows.size() + *j);
      }
      for (auto j = rows.begin(i); j < rows.end(i); ++j) of_color[as_size(color_of(*j))] = 0;
    }
  }
  // The number of element (i, j) in the pattern.
  count number_of(count i, count j) const {
    return std::lower_bound(rows.begin(i), rows.end(i), j) - rows.index.data();
  }

  index_sets by_columns_{};
};

}  // namespace kroton::cpu::sparsity
