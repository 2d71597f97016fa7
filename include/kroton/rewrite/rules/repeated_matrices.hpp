// Systems of one matrix for many right-hand sides, as maps over points write them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/each.hpp>
#include <kroton/rewrite/rules/linalg.hpp>

namespace kroton::rewrite::rules {

/// A system for each index of leading axes, along some of which the matrix is only repeated: the
/// right-hand sides along these are columns of one, so that each matrix is read and factored once.
class system_of_repeated {
 public:
  constexpr system_of_repeated(rewriter& r, int id)
      : r_(r),
        id_(id),
        axes_(static_cast<int>(r.g.attribute(id, 0))),
        matrix_(without_leading_repeats(r, r.g.input_of(id, 0))),
        right_(r.g.input_of(id, 1)) {}

  constexpr int run() {
    // Bits of the matrix and the right-hand side: both have the leading axes.
    if (r_.g.attribute(id_, 1) != 3 || r_.g.type(matrix_).rank < 2) return -1;
    int const rank = r_.g.type(right_).rank;
    for (int d = 0; d < axes_; ++d) (is_repeated(d) ? repeated_ : kept_).push_back(d);
    for (int d : repeated_)
      if (r_.g.type(right_).broadcasts(d)) return -1;
    if (repeated_.empty()) return -1;
    list<long long> forth, of_matrix;
    for (int d : kept_) {
      forth.push_back(d);
      of_matrix.push_back(d - lead());
    }
    for (int d = 2; d > 0; --d) of_matrix.push_back(r_.g.type(matrix_).rank - d);
    forth.push_back(axes_);
    for (int d : repeated_) forth.push_back(d);
    if (rank > axes_ + 1) forth.push_back(axes_ + 1);
    int const matrix = make_view(r_, matrix_, of_matrix), right = make_view(r_, right_, forth);
    return back(solved(matrix, columns(right)), right, forth);
  }

 private:
  /// What an alloc repeats along leading axes; rows and columns that are the same are a matrix.
  static constexpr int without_leading_repeats(rewriter& r, int id) {
    int const bare = r.bare(id), rank = r.g.type(bare).rank;
    bool const is_matrix = rank >= 2 && r.g.type(bare).spans(rank - 2, rank) &&
                           r.g.type(bare).spans(rank - 1, rank);
    return is_matrix ? bare : id;
  }
  /// The leading axes that the matrix lacks.
  constexpr int lead() const { return axes_ + 2 - r_.g.type(matrix_).rank; }
  constexpr bool is_repeated(int d) const {
    return d < lead() || r_.g.type(matrix_).broadcasts(d - lead());
  }
  /// Axes behind that of the rows as one of columns.
  constexpr int columns(int right) {
    int const rank = r_.g.type(right).rank, rows = kept_.size();
    if (rank == rows + 2) return right;
    int count = r_.extent(right, rows + 1);
    for (int d = rows + 2; d < rank; ++d) count = r_.make<op::mul>({count, r_.extent(right, d)});
    list<int> inputs{right};
    for (int d = 0; d <= rows; ++d) inputs.push_back(r_.extent(right, d));
    inputs.push_back(count);
    return r_.make(identity<op::reshape>(), inputs);
  }
  constexpr int solved(int matrix, int right) {
    op_info const* const op = r_.g[id_].op;
    list<long long> attributes = r_.attributes(id_);
    list<long long> const own(attributes.data() + core::each_attributes,
                              attributes.size() - core::each_attributes);
    if (kept_.empty()) return r_.make(op->slice(), list<int>{matrix, right}, own);
    attributes[0] = kept_.size();
    return r_.make(op, list<int>{matrix, right}, attributes);
  }
  /// The solution with the axes of the right-hand side where they were.
  constexpr int back(int solution, int right, list<long long> const& forth) {
    list<int> inputs{solution};
    for (int d = 0; d < forth.size(); ++d) inputs.push_back(r_.extent(right, d));
    if (r_.g.type(solution).rank < forth.size())
      solution = r_.make(identity<op::reshape>(), inputs);
    list<long long> pattern(forth.size(), 0);
    for (int d = 0; d < forth.size(); ++d) pattern[static_cast<int>(forth[d])] = d;
    return make_view(r_, solution, pattern);
  }

  rewriter& r_;
  int id_, axes_, matrix_, right_;
  list<int> kept_{}, repeated_{};
};

constexpr int solve_with_repeated(rewriter& r, int id) { return system_of_repeated(r, id).run(); }

}  // namespace kroton::rewrite::rules
