// What Jacobians, Hessians and vmap become: no more work than by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

/// How often Op is computed after all stages, for at least `least` axes that do not broadcast.
template <class Op, class F>
constexpr int uses(F const&, int least = 0) {
  kt::graph const g = kt::functions::without_constraints(kt::mode::fast_run.prepare(kt::functions::tracer<F, kt::core::parameters_of<F>>::run()));
  auto const live = g.live();
  int count = 0;
  for (int id = 0; id < g.size(); ++id) {
    int spanned = 0;
    for (int d = 0; d < g.type(id).rank; ++d) spanned += g.type(id).broadcasts(d) ? 0 : 1;
    if (live[id] && g.is<Op>(id) && spanned >= least) ++count;
  }
  return count;
}
template <class F>
constexpr int products(F const& f) {
  return uses<kt::op::dot>(f) + uses<kt::op::batched_dot>(f) + uses<kt::op::gemm>(f) + uses<kt::op::product_chain>(f);
}
template <class F>
constexpr int sums(F const& f) {
  return uses<kt::op::sum>(f);
}

// The Jacobian of a product is its matrix.
constexpr auto of_product = [](kt::dmatrix a, kt::dvector x) { return jacobian(dot(a, x), x); };
constexpr auto matrix_itself = [](kt::dmatrix a, kt::dvector) { return a; };
static_assert(std::is_same_v<kt::canonical<of_product>, kt::canonical<matrix_itself>>);

// Element by element: the values lie on a diagonal, and none is computed twice or off it.
constexpr auto of_exp = [](kt::dvector x) { return jacobian(exp(x) * sin(x), x); };
static_assert(uses<kt::op::exp>(of_exp, 1) == 1 && uses<kt::op::exp>(of_exp, 2) == 0 && uses<kt::op::sin>(of_exp, 2) == 0);
static_assert(uses<kt::op::where>(of_exp, 2) == 1 && products(of_exp) == 0 && sums(of_exp) == 0);
constexpr auto hessian_of_sum = [](kt::dmatrix x) { return hessian(sum(exp(x)), x); };
static_assert(uses<kt::op::exp>(hessian_of_sum, 3) == 0 && uses<kt::op::where>(hessian_of_sum, 4) == 1 && sums(hessian_of_sum) == 0);
// Rows of a matrix do not mix: their Jacobian has one product less than rows, and no sum over zeros.
constexpr auto of_layer = [](kt::dmatrix x, kt::dmatrix w) { return jacobian(tanh(dot(x, w)), x); };
static_assert(products(of_layer) == 1 && sums(of_layer) == 0 && uses<kt::op::where>(of_layer, 4) == 1);
// Two layers take one product more than their value, not one for each output.
constexpr auto of_two_layers = [](kt::dvector x, kt::dmatrix a, kt::dmatrix b) { return jacobian(dot(b, tanh(dot(a, x))), x); };
static_assert(products(of_two_layers) == 2 && sums(of_two_layers) == 0);
// By a scalar: forwards, vectors only.
constexpr auto of_scalar = [](kt::dscalar s, kt::dmatrix a, kt::dvector x) { return jacobian(dot(a, tanh(s * x)), s); };
static_assert(products(of_scalar) == 1 && uses<kt::op::mul>(of_scalar, 2) == 0);
// Least squares: a single product.
constexpr auto normal_matrix = [](kt::dmatrix a, kt::dvector x) { return hessian(sum(sqr(dot(a, x))) / 2, x); };
constexpr auto gram_matrix = [](kt::dmatrix a, kt::dvector) { return dot(a.T(), a); };
static_assert(std::is_same_v<kt::optimized<normal_matrix>, kt::optimized<gram_matrix>>);

// Products with vectors become one product with a matrix, and what is mapped over nothing else is what NumPy would broadcast.
constexpr auto times = [](kt::dvector x, kt::dmatrix w) { return dot(w, x); };
constexpr auto mapped = kt::vmap<0>(times);
constexpr auto by_hand = [](kt::dmatrix x, kt::dmatrix w) { return dot(x, w.T()); };
static_assert(std::is_same_v<kt::optimized<mapped>, kt::optimized<by_hand>>);
constexpr auto affine = kt::vmap<0>([](kt::dvector x, kt::dvector b) { return tanh(x + b) / sum(x); });
constexpr auto affine_by_hand = [](kt::dmatrix x, kt::dvector b) { return tanh(x + b) / sum(x, kt::axis<1>)(kt::slice(), kt::newaxis); };
static_assert(std::is_same_v<kt::optimized<affine>, kt::optimized<affine_by_hand>>);
constexpr auto both = kt::vmap<0, 1>([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); });
constexpr auto batched = [](kt::dtensor3 a, kt::dtensor3 b) { return batched_dot(a, b); };
static_assert(std::is_same_v<kt::optimized<both>, kt::optimized<batched>>);
// The order of nested maps is that of the axes.
constexpr auto outer = kt::vmap<0>(kt::vmap<1>([](kt::dscalar a, kt::dscalar b) { return a * b; }));
constexpr auto outer_by_hand = [](kt::dvector a, kt::dvector b) { return a(kt::slice(), kt::newaxis) * b; };
static_assert(std::is_same_v<kt::optimized<outer>, kt::optimized<outer_by_hand>>);
// Gradients for each example of a batch take two products, like the gradient of their sum.
constexpr auto loss = [](kt::dvector x, kt::dscalar y, kt::dvector w) { return log(1 + exp(-y * dot(x, w))); };
constexpr auto each = kt::vmap<0, 1>(kt::grad<2>(loss));
static_assert(products(each) == 1 && sums(each) == 0);

}  // namespace
