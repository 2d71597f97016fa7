// Products and powers of matrices and vectors beyond dot.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/refused/operators.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/rearranging.hpp>

namespace kroton {

/// The Kronecker product of two matrices: each element of the first one times the second one.
/// (numpy.kron)
template <typed A, typed B>
constexpr auto kron(A const& a, B const& b) {
  constexpr bool are_matrices = rank_of<A> == 2 && rank_of<B> == 2;
  static_assert(are_matrices, "kt::kron: takes two matrices");
  if constexpr (are_matrices) {
    auto const blocks = dimshuffle<0, 'x', 1, 'x'>(a) * dimshuffle<'x', 0, 'x', 1>(b);
    return reshape<2>(blocks, a.shape(0) * b.shape(0), a.shape(1) * b.shape(1));
  } else {
    a.of->fail(ops::said_above);
    return variable<value_type_of<result_of<op::mul, A, B>>, 2>(term(a));
  }
}
/// The n-th power of a square matrix, by repeated squaring; of a negative n, that of the inverse;
/// of 0, the identity. (numpy.linalg.matrix_power)
template <typed X>
constexpr auto matrix_power(X const& x, int n) {
  constexpr bool is_matrix = rank_of<X> == 2;
  static_assert(is_matrix, "kt::matrix_power: takes a square matrix");
  using result = ops::linear_variable<2, X>;
  int const conditions = x.of->constraints().size();
  x.of->constraints().push_back(core::extent_constraint{ops::extent(x, 0).id, ops::extent(x, 1).id,
                                                        core::identity<op::dot>()});
  result square = cast<value_type_of<result>>(x);
  if (n < 0) square = result(matrix_inverse(square));
  result power = identity_like(square);
  bool has_power = false;
  for (unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
       left != 0;) {
    if (left % 2 == 1) {
      power = has_power ? result(dot(power, square)) : square;
      has_power = true;
    }
    left /= 2;
    if (left != 0) square = result(dot(square, square));
  }
  ops::take_conditions(power, conditions);
  return power;
}
/// The cross products of vectors of three elements, which lie along the last axes; the other axes
/// broadcast, so that `cross(m, v)` crosses each row of a matrix with v. (numpy.cross)
template <typed A, typed B>
constexpr auto cross(A const& a, B const& b) {
  constexpr bool are_arrays = rank_of<A> >= 1 && rank_of<B> >= 1;
  static_assert(are_arrays, "kt::cross: takes two arrays of vectors, along their last axes");
  using core::list;
  graph& g = *a.of;
  int const conditions = g.constraints().size();
  // Where the extent is a number, the arrays can be taken apart into their elements.
  for (term x : {term(a), term(b)})
    g.constraints().push_back(core::extent_constraint{ops::extent(x, x.rank() - 1).id,
                                                      g.literal(3, element::int64),
                                                      core::identity<op::cross>()});
  auto const part = [&](term x, int k) {
    return ops::axis_range(x, x.rank() - 1, ops::integer(g, k), ops::integer(g, 1), 1);
  };
  auto const component = [&](int i, int j) {
    return part(a, i) * part(b, j) - part(a, j) * part(b, i);
  };
  list<term> components;
  components.push_back(component(1, 2));
  components.push_back(component(2, 0));
  components.push_back(component(0, 1));
  using result = result_of<op::mul, A, B>;
  result const product(ops::join(components, rank_of<result> - 1));
  ops::take_conditions(product, conditions);
  return product;
}
/// The sum of the products of all elements, those of the first array conjugated. (numpy.vdot)
template <symbolic A, symbolic B>
  requires operands<A, B>
constexpr auto vdot(A const& a, B const& b) {
  return sum(conj(a) * b);
}

}  // namespace kroton
