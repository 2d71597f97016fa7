// Sparse matrices as structs of dense leaves: values, indices, where rows begin, and an extent.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>
#include <kroton/ops/along_axes/axes.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace op {

// Not the op of any node: it names the condition that values have the extent of those they replace.
struct with_data : core::named_condition<"with_data"> {};

}  // namespace op

namespace ops {

/// A member of a sparse matrix, in the form in which core/structure.hpp reads it.
template <text Name>
struct sparse_member_name {
  static constexpr char const* c_str() { return Name.characters; }
};
template <class M, M Pointer>
struct sparse_member_at {};
template <class Name, class Accessor>
struct sparse_member {};
template <class... Members>
struct sparse_members {};

}  // namespace ops

/// A sparse matrix: the values that are stored, line by line; for each the number of its column (of
/// its row, if lines are columns); where each line begins and the last one ends; the number of
/// columns (rows). Lines are rows in `kt::csr`, columns in `kt::csc`. Within a line, indices
/// ascend. The members are variables, so work on the values alone is an ordinary loop.
template <class Value, bool ByRows>
struct sparse_matrix : structure {
  using value_type = Value;
  using transposed = sparse_matrix<Value, !ByRows>;
  static constexpr bool by_rows = ByRows;

  vector<Value> value;
  ivector index, start;
  lscalar inner;

  struct hana_accessors_impl {
    static constexpr auto apply() {
      return ops::sparse_members<
          ops::sparse_member<
              ops::sparse_member_name<"data">,
              ops::sparse_member_at<vector<Value> sparse_matrix::*, &sparse_matrix::value>>,
          ops::sparse_member<
              ops::sparse_member_name<"indices">,
              ops::sparse_member_at<ivector sparse_matrix::*, &sparse_matrix::index>>,
          ops::sparse_member<
              ops::sparse_member_name<"indptr">,
              ops::sparse_member_at<ivector sparse_matrix::*, &sparse_matrix::start>>,
          ops::sparse_member<
              ops::sparse_member_name<"extent">,
              ops::sparse_member_at<lscalar sparse_matrix::*, &sparse_matrix::inner>>>{};
    }
  };

  /// The values that are stored, line by line.
  constexpr vector<Value> data() const { return value; }
  /// Of each value the column, or the row if lines are columns.
  constexpr ivector indices() const { return index; }
  /// Where each line begins among the values, and where the last one ends.
  constexpr ivector indptr() const { return start; }
  /// The number of rows (0) or of columns (1); negative d counts from the end.
  constexpr lscalar shape(int d) const {
    if (d < -2 || d > 1)
      value.of->fail("kt: a sparse matrix has the dimensions 0 and 1: shape(0) or shape(1)");
    bool const is_lines = (d == 0 || d == -2) == ByRows;
    return is_lines ? lines() : inner;
  }
  /// The same pattern with other values: a vector of as many, or a scalar. Others throw
  /// kt::shape_error. `a.with_data(exp(a.data()) * 2 + 1)` is one loop.
  template <typed V>
  constexpr auto with_data(V const& values) const {
    constexpr bool is_vector = rank_of<V> <= 1;
    static_assert(is_vector, "kt: the values of a sparse matrix are a vector or a scalar");
    if constexpr (is_vector) {
      term const given = ops::shaped_like(core::identity<op::with_data>(), values, value, "");
      using kept = sparse_matrix<value_type_of<V>, ByRows>;
      return kept{{}, vector<value_type_of<V>>(given), index, start, inner};
    } else {
      return *this;
    }
  }
  /// The transpose: rows become columns, and nothing is computed.
  constexpr transposed T() const { return {{}, value, index, start, inner}; }

  /// Element (i, j), a scalar, 0 where none is stored; or a sparse matrix of the lines in a slice
  /// with step 1: `a(kt::slice(2, 5))`, of a `kt::csc` `a(kt::slice(), kt::slice(2, 5))`. Negative
  /// indices and bounds count from the end.
  template <class... I>
  constexpr auto operator()(I const&... places) const;

  // See `compound`.
  constexpr vector<Value> continuous() const { return value; }
  constexpr sparse_matrix with_continuous(vector<Value> const& v) const {
    return {{}, v, index, start, inner};
  }
  /// Whether another matrix has this one's pattern, because it has the same variables for it.
  template <class Other>
  constexpr bool has_members_of(Other const& other) const {
    return Other::by_rows == ByRows && index.id == other.index.id && start.id == other.start.id &&
           inner.id == other.inner.id;
  }
  constexpr lscalar lines() const { return lscalar(ops::extent(start, 0) - 1); }
};

/// A sparse matrix of compressed rows. (scipy.sparse.csr_matrix)
template <class Value = double>
using csr = sparse_matrix<Value, true>;
/// A sparse matrix of compressed columns. (scipy.sparse.csc_matrix)
template <class Value = double>
using csc = sparse_matrix<Value, false>;

namespace ops {

template <class X>
inline constexpr bool is_sparse = false;
template <class Value, bool ByRows>
inline constexpr bool is_sparse<sparse_matrix<Value, ByRows>> = true;

}  // namespace ops

/// A `kt::csr` or a `kt::csc`.
template <class X> concept sparse = ops::is_sparse<std::remove_cvref_t<X>>;

}  // namespace kroton
