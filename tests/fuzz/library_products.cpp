// Products of tensors, linear algebra, and derivatives of tensors.
// SPDX-License-Identifier: BSD-3-Clause
#include "library_calls.hpp"

namespace fuzz {

namespace {

template <int Low, int High, class F>
kt::term pair(kt::graph& g, kt::term x, kt::term y, int most, F f) {
  if (x.rank() + y.rank() > most) return refused(g, x);
  return ranked<Low, High>(x, [&](auto a) { return ranked<Low, High>(y, [&](auto b) { return f(a, b); }); });
}
kt::term einsum(kt::graph& g, std::string_view text, kt::core::list<kt::term> const& operands) {
  auto const s = kt::ops::parse_subscripts(text);
  kt::element common = operands[0].element();
  for (int k = 0; k < operands.size(); ++k) {
    if (operands[k].rank() != s.ranks[k]) return refused(g, operands[0]);
    common = kt::core::promote(common, operands[k].element());
  }
  return kt::ops::einsum(s, operands, common);
}
bool is_matrix(kt::term x) { return x.rank() == 2 && kt::core::is_float(x.element()); }
// A positive definite matrix made of another one: x.x' + 4 I.
kt::term definite(kt::graph& g, kt::term x) {
  if (!is_matrix(x)) return refused(g, x);
  kt::term const product = kt::dot(x, kt::ops::permute(x, {1, 0}));
  return product + 4 * kt::identity_like(product);
}
// One that is far from singular, but not symmetric.
kt::term regular(kt::graph& g, kt::term x) {
  kt::term const d = definite(g, x);
  return is_matrix(x) ? kt::term(d + kt::term(ranked<2, 2>(kt::term(kt::sin(d)), [](auto m) { return kt::triu(m, 1); }))) : x;
}
kt::term solved(kt::graph& g, kt::term a, kt::term b, bool triangular, bool lower) {
  if (!is_matrix(a) || !kt::core::is_float(b.element()) || b.rank() < 1 || b.rank() > 2) return refused(g, a);
  kt::term const m = regular(g, a);
  return triangular ? kt::solve_triangular(m, b, lower ? kt::lower : kt::upper) : kt::solve(m, b);
}
bool differentiable(kt::term y, kt::term x) { return kt::core::is_float(y.element()) && kt::core::is_float(x.element()); }
kt::term jacobian(kt::graph& g, kt::term y, kt::term x) {
  if (!differentiable(y, x) || y.rank() + x.rank() > 4) return refused(g, y);
  return ranked<0, 3>(y, [&](auto a) { return ranked<0, 3>(x, [&](auto b) { return kt::jacobian(a, b, kt::disconnected::zero); }); });
}
kt::term hessian(kt::graph& g, kt::term cost, kt::term x) {
  if (!differentiable(cost, x) || cost.rank() != 0 || x.rank() > 2) return refused(g, cost);
  return ranked<0, 2>(x, [&](auto b) { return kt::hessian(kt::variable<double, 0>(cost), b); });
}

#define EINSUM1(text, low) {"einsum", "kt::einsum<\"" text "\">($0)", "n", "", low, low, CALL(einsum(g, text, {x0}))}
#define EINSUM2(text, low) {"einsum", "kt::einsum<\"" text "\">($0, $1)", "nn", "", low, low, CALL(einsum(g, text, {x0, x1}))}
#define DEFINITE "(dot($0, $0.T()) + 4 * kt::identity_like(dot($0, $0.T())))"
#define REGULAR "(" DEFINITE " + kt::triu(sin(" DEFINITE "), 1))"

}  // namespace

void add_products(std::vector<library_function>& to) {
  std::vector<library_function> const all{
      {"outer", "kt::outer($0, $1)", "nn", "", 0, 2, CALL((pair<0, 2>(g, x0, x1, 4, [](auto a, auto b) { return kt::outer(a, b); })))},
      {"dot", "kt::dot($0, $1)", "nn", "", 1, 3, CALL((pair<1, 3>(g, x0, x1, 6, [&](auto a, auto b) {
         constexpr int left = kt::rank_of<decltype(a)>, right = kt::rank_of<decltype(b)>;
         if constexpr (left > 2 || right > 2) return kt::dot(a, b);
         else return refused(g, a);
       })))},
      {"tensordot", "kt::tensordot<1>($0, $1)", "nn", "", 1, 3, CALL((pair<1, 3>(g, x0, x1, 6, [](auto a, auto b) { return kt::tensordot<1>(a, b); })))},
      {"tensordot", "kt::tensordot<2>($0, $1)", "nn", "", 2, 3, CALL((pair<2, 3>(g, x0, x1, 6, [](auto a, auto b) { return kt::tensordot<2>(a, b); })))},
      {"batched_dot", "kt::batched_dot($0, $1)", "nn", "", 1, 3, CALL((pair<1, 3>(g, x0, x1, 6, [](auto a, auto b) { return kt::batched_dot(a, b); })))},
      EINSUM1("ii->i", 2), EINSUM1("ii", 2), EINSUM1("ij->j", 2), EINSUM1("ijk->kj", 3),
      EINSUM2("ij,jk", 2), EINSUM2("ij,kj->ik", 2), EINSUM2("ij,ij->i", 2), EINSUM2("ij,ij", 2), EINSUM2("i,j", 1), EINSUM2("i,ij->j", 1),
      EINSUM2("bij,bjk->bik", 3), EINSUM2("bij,bj->bi", 3), EINSUM2("ij,k->kj", 2),
      {"einsum", "kt::einsum<\"ij,jk,kl->il\">($0, $1, $2)", "nnn", "", 2, 2, CALL(einsum(g, "ij,jk,kl->il", {x0, x1, x2}))},
      {"inverse", "kt::matrix_inverse(" REGULAR ")", "r", "", 2, 2, CALL(is_matrix(x0) ? kt::matrix_inverse(regular(g, x0)) : refused(g, x0))},
      {"det", "kt::det(" REGULAR ")", "r", "", 2, 2, CALL(is_matrix(x0) ? kt::det(regular(g, x0)) : refused(g, x0))},
      {"slogdet", "std::get<#0>(kt::slogdet(" REGULAR "))", "r", "z", 2, 2,
       CALL(!is_matrix(x0) ? refused(g, x0) : p[0] == 0 ? std::get<0>(kt::slogdet(regular(g, x0))) : std::get<1>(kt::slogdet(regular(g, x0))))},
      {"cholesky", "kt::cholesky(" DEFINITE ")", "r", "", 2, 2, CALL(is_matrix(x0) ? kt::cholesky(definite(g, x0)) : refused(g, x0))},
      {"solve", "kt::solve(" REGULAR ", $1)", "rr", "", 2, 2, CALL(solved(g, x0, x1, false, false))},
      {"solve", "kt::solve_triangular(" REGULAR ", $1, kt::lower)", "rr", "", 2, 2, CALL(solved(g, x0, x1, true, true))},
      {"solve", "kt::solve_triangular(" REGULAR ", $1, kt::upper)", "rr", "", 2, 2, CALL(solved(g, x0, x1, true, false))},
      {"lop", "kt::lop($0, $1, $2)", "rrR", "", 0, 3, CALL(differentiable(x0, x1) && x0.rank() == x2.rank() ? kt::lop(x0, x1, x2) : refused(g, x0))},
      {"jacobian", "kt::jacobian($0, $1, kt::disconnected::zero)", "rr", "", 0, 2, CALL(jacobian(g, x0, x1))},
      {"hessian", "kt::hessian($0, $1)", "rr", "", 0, 0, CALL(hessian(g, x0, x1))},
  };
  to.insert(to.end(), all.begin(), all.end());
}

}  // namespace fuzz
