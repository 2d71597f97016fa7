// What users of JAX, autodiff and CppAD write, in Kroton.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// cut: jax
// jax.value_and_grad(loss, argnums=(0, 1)), jitted; and jax.vmap(jax.grad(loss), (None, None, 0, 0))
constexpr auto loss = [](kt::dvector w, kt::dscalar b, kt::dmatrix x, kt::dvector y) {
  return mean(sqr(dot(x, w) + b - y));
};
constexpr auto loss_of_one = [](kt::dvector w, kt::dscalar b, kt::dvector x, kt::dscalar y) {
  return sqr(dot(x, w) + b - y);
};
auto const with_gradients = kt::function(kt::value_and_grad<0, 1>(loss));
auto const each_gradient = kt::function(kt::vmap<2, 3>(kt::grad(loss_of_one)));
// end cut

// cut: products
// jax.jvp(jax.grad(f), (x,), (v,)): a product with the Hessian, which is not made
constexpr auto energy = [](auto x) { return sum(sqr(x(kt::slice(1, kt::none)) * x(kt::slice(kt::none, -1)))); };
auto const hessian_times = kt::function([](kt::dvector x, kt::dvector v) { return rop(grad(energy(x), x), x, v); });
// end cut

// cut: autodiff
// CppAD's Independent, ADFun, Forward, Reverse and SparseHessian are three lines.
constexpr auto rosenbrock = [](kt::dvector x) {
  auto const before = x(kt::slice(kt::none, -1)), behind = x(kt::slice(1, kt::none));
  return sum(100 * sqr(behind - sqr(before)) + sqr(1 - before));
};
auto const value_and_gradient = kt::function(kt::value_and_grad(rosenbrock));
auto const sparse_hessian = kt::function([](kt::dvector x) { return kt::sparse_hessian(rosenbrock(x), x); });
// end cut

// cut: branches
// if (x < 0) y = 0; else y = sqrt(x);   on a number that is recorded: both are computed, one counts
constexpr auto root_or_zero = [](auto x) { return where(x < 0, 0, sqrt(x)); };
// while (abs(x * x - a) > 1e-12) x = (x + a / x) / 2;
constexpr auto root_by_steps = [](kt::dscalar a) {
  auto const last = foldl(
      [](kt::dscalar x, kt::dscalar c) {
        auto const next = (x + c / x) / 2;
        return kt::until(abs(sqr(next) - c) < 1e-12, next);
      },
      kt::sequences(), kt::outputs_info(a), kt::non_sequences(a), kt::n_steps(100));
  return std::tuple(last, grad(last, a));
};
// end cut

void expect(bool holds, char const* what) {
  std::cout << what << (holds ? "" : ": wrong") << '\n';
  if (!holds) std::exit(1);
}

int main() {
  matrix const x{{1, 2}, {3, 4}, {5, 6}};
  vector const y{1, 0, 2}, w{0.5, -0.5};
  auto const [cost, by_w, by_b] = with_gradients(w, 0.1, x, y);
  matrix const all = each_gradient(w, 0.1, x, y);
  expect(xt::amax(xt::abs(xt::mean(all, {0}) - by_w))() < 1e-14, "gradients of each example");
  expect(std::abs(cost - 7.88 / 3) < 1e-14 && std::abs(by_b + 2.8) < 1e-14, "a cost and its gradients");

  vector const p{1, 2, 3}, v{1, 0, 0};
  expect(hessian_times(p, v) == vector({8, 8, 0}), "a product with a Hessian");

  // cut: into
  std::vector<double> start{-1.2, 1, 1}, gradient;  // or Eigen::VectorXd, or a Map
  double value = 0;
  value_and_gradient.into(std::tie(value, gradient), start);
  // end cut
  expect(std::abs(value - 24.2) < 1e-12 && std::abs(gradient[0] + 215.6) < 1e-12, "Rosenbrock");
  expect(sparse_hessian(start).data().size() == 7, "its sparse Hessian, a band");

  auto const f = kt::function([](kt::dscalar a) { return std::tuple(root_or_zero(a), grad(root_or_zero(a), a)); });
  expect(std::get<0>(f(4.0)) == 2 && std::get<1>(f(-1.0)) == 0, "branches");
  auto const [root, slope] = kt::function(root_by_steps)(2.0);
  expect(std::abs(root - std::sqrt(2)) < 1e-12 && std::abs(slope - 0.5 / std::sqrt(2)) < 1e-6, "a loop that stops");
}
