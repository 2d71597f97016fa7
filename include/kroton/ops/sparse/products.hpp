// Products of sparse matrices with dense ones: three ops, the gradient of each of which is made of
// the other two.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/sparse/matrix.hpp>

namespace kroton {
namespace ops {

/// The number of lines, from the number of their bounds.
constexpr extent_source lines_of(int bounds) {
  return {extent_source::dimension, bounds, 0, core::affine{1, -1, 1}};
}

/// Records one of the ops below; the index vectors are of int32.
template <class Op>
constexpr term sparse_product(term first, term second, term index, term start) {
  return {first.of, first.of->apply<Op>({first.id, second.id, index.id, start.id})};
}

}  // namespace ops

namespace op {

/// Base of products of a sparse matrix, by its values, indices and bounds of lines, with a dense
/// vector or matrix. Operands: values, dense, indices, bounds, the number of what indices count.
template <text Name, bool Transposed>
struct sparse_by_dense : operation<Name, 5> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.broadcast &= ~1u;
    if (Transposed && a.of->is_literal(a.inputs[4], 1)) t.broadcast |= 1u;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    if (d == 1) return {core::extent_source::dimension, 1, 1};
    return Transposed ? core::extent_source{core::extent_source::value, 4, 0} : ops::lines_of(3);
  }
  static constexpr void constraints(core::application const&,
                                    core::list<core::extent_pair>& pairs) {
    core::extent_source const counted{core::extent_source::value, 4, 0};
    pairs.push_back(
        {{core::extent_source::dimension, 0, 0}, {core::extent_source::dimension, 2, 0}});
    pairs.push_back(
        {Transposed ? ops::lines_of(3) : counted, {core::extent_source::dimension, 1, 0}});
  }
};

/// The product of a sparse matrix whose lines are rows with a dense one: element (i, c) is the sum
/// of value(k) * dense(index(k), c) over the k of line i. An index outside the extent throws
/// kt::value_error, as do bounds of lines that do not ascend from 0 to the number of values.
struct csr_dot : sparse_by_dense<"csr_dot", false> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<5> pullback(term g, term, term values, term dense,
                                                   term index, term start, term inner);
};
/// The same for some lines that follow each other: bounds need not begin with 0, nor end with the
/// number of values. The optimizer makes it of a slice of a product, when gradients are known.
struct csr_lines_dot : sparse_by_dense<"csr_lines_dot", false> {
  static constexpr auto own = core::own_function::typed;
};
/// The product of the transpose: row index(k) of the result gets value(k) * dense(i, c) of each k
/// of line i.
struct csr_transposed_dot : sparse_by_dense<"csr_transposed_dot", true> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::gradient_list<5> pullback(term g, term, term values, term dense,
                                                   term index, term start, term inner);
};

/// Elements of the product of a dense matrix with the transpose of another one, at the places of a
/// pattern: value(k) is the sum over c of left(i, c) * right(index(k), c) for the k of line i.
/// Operands: left, right, indices, bounds. For vectors, the same without c.
struct sampling : operation<"sampling", 4> {
  static constexpr bool takes_complex = true;
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, 1, a.input(2).broadcast & 1u};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 2, 0};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    pairs.push_back({ops::lines_of(3), {core::extent_source::dimension, 0, 0}});
    if (a.input(0).rank == 2)
      pairs.push_back(
          {{core::extent_source::dimension, 0, 1}, {core::extent_source::dimension, 1, 1}});
  }
  static constexpr core::gradient_list<4> pullback(term g, term, term left, term right, term index,
                                                   term start) {
    term const inner = ops::extent(right, 0);
    graph& of = *g.of;
    return {{{&of, of.apply<csr_dot>({g.id, right.id, index.id, start.id, inner.id})},
             {&of, of.apply<csr_transposed_dot>({g.id, left.id, index.id, start.id, inner.id})},
             term{},
             term{}}};
  }
};

constexpr core::gradient_list<5> csr_dot::pullback(term g, term, term values, term dense,
                                                   term index, term start, term inner) {
  term const by_dense{
      g.of, g.of->apply<csr_transposed_dot>({values.id, g.id, index.id, start.id, inner.id})};
  return {
      {ops::sparse_product<sampling>(g, dense, index, start), by_dense, term{}, term{}, term{}}};
}
constexpr core::gradient_list<5> csr_transposed_dot::pullback(term g, term, term values, term dense,
                                                              term index, term start, term inner) {
  term const by_dense{g.of, g.of->apply<csr_dot>({values.id, g.id, index.id, start.id, inner.id})};
  return {
      {ops::sparse_product<sampling>(dense, g, index, start), by_dense, term{}, term{}, term{}}};
}

}  // namespace op

namespace ops {

/// The type in which two operands are multiplied: the promoted one; bools count as int64.
constexpr element product_element(element a, element b) {
  element const common = promote(a, b);
  return is_bool(common) ? element::int64 : common;
}
/// A dense operand of a product, or the values of a sparse one, in that type.
constexpr term product_operand(term x, element common) { return {x.of, x.of->cast(x.id, common)}; }

/// The product of a sparse matrix, or of its transpose, with a vector or a matrix.
template <bool Transposed, class Value, bool ByRows>
constexpr term times_dense(sparse_matrix<Value, ByRows> const& a, term x) {
  element const common = product_element(a.value.element(), x.element());
  int const inputs[] = {product_operand(a.value, common).id, product_operand(x, common).id,
                        a.index.id, a.start.id, a.inner.id};
  constexpr bool gathers = ByRows != Transposed;
  return {x.of, x.of->apply(gathers ? identity<op::csr_dot>() : identity<op::csr_transposed_dot>(),
                            inputs)};
}
template <class A, class B>
using sparse_product_value =
    core::value_t<product_element(core::element_of<A>(), core::element_of<B>())>;

}  // namespace ops

/// What a sparse matrix is multiplied with has rank 1 or 2.
template <class X>
concept sparse_dot_takes_a_vector_or_a_matrix = typed<X> && (rank_of<X> == 1 || rank_of<X> == 2);

/// The product of a sparse matrix with a dense vector or matrix, which is dense. Its gradient with
/// respect to the sparse matrix has the pattern of that. Extents that differ throw kt::shape_error.
/// (theano.sparse.dot)
template <sparse A, sparse_dot_takes_a_vector_or_a_matrix X>
constexpr auto dot(A const& a, X const& x) {
  using value = ops::sparse_product_value<typename A::value_type, value_type_of<X>>;
  return variable<value, rank_of<X>>(ops::times_dense<false>(a, x));
}
/// The product of a dense vector or matrix with a sparse matrix, which is dense.
template <sparse_dot_takes_a_vector_or_a_matrix X, sparse A>
constexpr auto dot(X const& x, A const& a) {
  using value = ops::sparse_product_value<typename A::value_type, value_type_of<X>>;
  if constexpr (rank_of<X> == 1) return variable<value, 1>(ops::times_dense<true>(a, x));
  else
    return variable<value, 2>(
        ops::permute(ops::times_dense<true>(a, ops::permute(x, {1, 0})), {1, 0}));
}
/// The transpose: a `kt::csr` becomes a `kt::csc` and the other way around; nothing is computed.
template <sparse A>
constexpr auto transpose(A const& a) {
  return a.T();
}

/// The elements of dot(a, b.T()) at the places of a pattern, times its values: a sparse matrix of
/// that pattern. a is (m, k) and b is (n, k), the pattern (m, n). (theano.sparse.sampling_dot)
template <typed A, typed B, sparse P>
  requires(rank_of<A> == 2 && rank_of<B> == 2)
constexpr auto sampling_dot(A const& a, B const& b, P const& pattern) {
  element const common = ops::product_element(term(a).element(), term(b).element());
  term const left = ops::product_operand(P::by_rows ? term(a) : term(b), common),
             right = ops::product_operand(P::by_rows ? term(b) : term(a), common);
  graph& g = *left.of;
  core::extent_constraint const same{ops::extent(right, 0).id, pattern.inner.id,
                                     core::identity<op::sampling>()};
  int const conditions = g.constraints().size();
  if (same.left != same.right) g.constraints().push_back(same);
  using value = ops::sparse_product_value<value_type_of<A>, value_type_of<B>>;
  term const elements =
      ops::sparse_product<op::sampling>(left, right, pattern.index, pattern.start);
  ops::take_conditions(elements, conditions);
  return pattern.with_data(pattern.data() * variable<value, 1>(elements));
}

}  // namespace kroton
