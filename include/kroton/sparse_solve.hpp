// Systems of equations with sparse matrices, by Eigen (Debian, Ubuntu: apt-get install
// libeigen3-dev). Not part of kroton.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/declaration.hpp>
#include <kroton/ops/sparse.hpp>
#include <kroton/sparse_solve/factorization.hpp>

#include <concepts>

namespace kroton {
namespace sparse_systems {

/// Elements that Eigen factors: float, double and complex numbers of them.
template <class T> concept factorable = std::floating_point<T> || core::is_complex_number<T>;

/// The x with dot(a, x) = b. Operands: values, b, indices, bounds of lines, the number of what
/// indices count. Attribute: 1 if lines are columns. LAPACK's linear_system for dense ones.
struct solve : operation<"sparse_solve", 5> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(1); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 1, d};
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    using from = core::extent_source;
    pairs.push_back({{from::dimension, 0, 0}, {from::dimension, 2, 0}});
    pairs.push_back({ops::lines_of(3), {from::value, 4, 0}});
    pairs.push_back({{from::value, 4, 0}, {from::dimension, 1, 0}});
  }
  static constexpr core::gradient_list<5> pullback(term g, term x, term values, term,
                                                   term index, term start, term inner) {
    bool const is_by_columns = x.of->attribute(x.id, 0) != 0;
    term const by_right{g.of, g.of->apply<solve>({values.id, g.id, index.id, start.id, inner.id},
                                                 {is_by_columns ? 0 : 1})},
        by_values = ops::sparse_product<op::sampling>(is_by_columns ? x : by_right,
                                                      is_by_columns ? by_right : x, index, start);
    return {{-by_values, by_right, term{}, term{}, term{}}};
  }
  template <factorable T>
  static void run(core::invocation const& call) {
    core::array_ref const &b = call.operand(1), &result = call.result();
    std::ptrdiff_t const n = b.extents[0], columns = b.rank == 2 ? b.extents[1] : 1;
    cpu::sparse_lines lines("sparse_solve", call.operand(2), call.operand(3), n);
    lines.check_all();
    lines.check_order();
    if (result.size() == 0) return;
    cpu::dense_vector<T> const values(call.operand(0));
    cpu::dense_rows<T> const given(b);
    factorization<T>& factors = factors_of<T>(lines, n);
    factors.factor(values.data());
    typename factorization<T>::right_sides right(n, columns);
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t c = 0; c < columns; ++c) right(i, c) = given(i)[c];
    right = factors.solution(right, call.attribute(0) == 0);
    T* to = reinterpret_cast<T*>(result.data);
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t c = 0; c < columns; ++c) *to++ = right(i, c);
  }
};

}  // namespace sparse_systems

/// The x with dot(a, x) = b for a square sparse matrix and a dense vector or matrix b: by Cholesky
/// factors if a is Hermitian and positive definite, otherwise by LU factors. A thread analyzes a
/// pattern once and keeps it; the gradient uses the same factors. Extents that differ throw
/// kt::shape_error, a singular matrix kt::linalg_error. (scipy.sparse.linalg.spsolve)
template <class Value, bool ByRows, sparse_dot_takes_a_vector_or_a_matrix B>
  requires sparse_systems::factorable<Value> && sparse_systems::factorable<value_type_of<B>>
constexpr auto solve(sparse_matrix<Value, ByRows> const& a, B const& b) {
  using value = ops::sparse_product_value<Value, value_type_of<B>>;
  element const common = core::element_of<value>();
  graph& g = *b.of;
  return variable<value, rank_of<B>>(
      {&g, g.apply<sparse_systems::solve>(
               {g.cast(a.value.id, common), g.cast(b.id, common), a.index.id, a.start.id,
                a.inner.id},
               {ByRows ? 0 : 1})});
}

}  // namespace kroton
