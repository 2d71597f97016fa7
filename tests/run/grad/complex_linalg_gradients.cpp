// Gradients of real costs by complex matrices through linear algebra, against differences in both directions.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/complex_linalg.hpp"

using namespace complex_linalg_tests;
using namespace std::complex_literals;

namespace {

// Something that weighs the real and the imaginary part of every element differently, so that no gradient is lost in a sum.
constexpr auto weigh = [](auto x) {
  auto const rows = cast<double>(arange(x.shape(0)));
  auto const of = [](auto const& x, auto const& first, auto const& second) {
    return sum(real(x) * sin(first + 1) * cos(2 * second)) + sum(imag(x) * cos(first + 2 * second + abs(x)));
  };
  if constexpr (kt::rank_of<decltype(x)> == 1) return of(x, rows, rows);
  else return of(x, rows(kt::slice(), kt::newaxis), cast<double>(arange(x.shape(1))));
};
constexpr auto adjoint_of = [](auto a) { return conj(a.T()); };
// A Hermitian positive definite matrix made of any.
constexpr auto square = [](auto a) { return dot(a, adjoint_of(a)) + kt::identity_like(a); };

constexpr auto solvers = [](kt::zmatrix a, kt::dmatrix b, kt::zvector v) {
  return weigh(solve(a, b)) + weigh(solve(b, v)) + weigh(solve_triangular(a, b, kt::lower)) + weigh(solve_triangular(a, v, kt::upper)) +
         weigh(solve_triangular(b, v, kt::upper, kt::unit_diagonal));
};
constexpr auto inverses = [](kt::zmatrix a) {
  auto [sign, size] = slogdet(a);
  return weigh(matrix_inverse(a)) + abs(det(a) / 10 + 1) + imag(sign * 2i) * real(sign) * size * size;
};
constexpr auto products = [](kt::zmatrix a, kt::ztensor3 b, kt::dvector v) {
  return weigh(outer(v, diag(a))) + weigh(kt::reshape<2>(tensordot<1>(a, b), a.shape(0), -1)) + weigh(sum(batched_dot(b, conj(b)), kt::axis<0>)) +
         weigh(kt::einsum<"ij,kjl,l->ik">(a, b, v)) + weigh(diag(diag(a), 1)) + abs(trace(a)) + norm(a);
};
constexpr auto factor = [](kt::zmatrix a) { return weigh(cholesky(a)); };
constexpr auto orthogonal = [](kt::zmatrix a) {
  auto [q, r] = qr(a);
  return weigh(q) + weigh(r);
};
// Vectors are unique except for their phases, on which these costs do not depend.
constexpr auto singular = [](kt::zmatrix a) {
  auto [u, s, vh] = svd(a);
  auto const rows = cast<double>(arange(u.shape(0)))(kt::slice(), kt::newaxis);
  return sum(s * s * s) + weigh(dot(u * sin(s), vh)) + sum(abs(u) * cos(rows)) + sum(abs(vh(0)) * real(diag(a)(0)));
};
constexpr auto one_side = [](kt::zmatrix a) {
  auto [u, s, vh] = svd(a);
  return weigh(dot(u * s, adjoint_of(u))) + weigh(dot(adjoint_of(vh), s(kt::slice(), kt::newaxis) * vh));
};
constexpr auto hermitian = [](kt::zmatrix a) {
  auto [w, v] = eigh(a);
  return sum(w * w * w) + weigh(dot(v * sin(w), adjoint_of(v))) + sum(abs(v(0)) * sin(w));
};
// Slice by slice.
constexpr auto of_stack = [](kt::ztensor3 a) {
  auto costs = kt::vmap<0>([](kt::zmatrix a) {
    auto const m = square(a);
    auto [w, v] = eigh(m);
    auto [q, r] = qr(a);
    return weigh(solve(a, diag(q))) + abs(det(a)) + weigh(cholesky(m)) + sum(w * w) + weigh(dot(v * w, adjoint_of(v))) + weigh(r);
  })(a);
  return sum(costs * costs);
};
// A gradient along a direction, whose own gradient is the Hessian's product with it.
constexpr auto second = [](kt::zmatrix a) {
  auto const m = square(a);
  auto [w, v] = eigh(m);
  auto const cost = weigh(cholesky(m)) + weigh(solve(m, a)) + std::get<1>(slogdet(a)) + weigh(dot(v * sin(w), adjoint_of(v)));
  return weigh(grad(cost, a));
};
constexpr auto second_of_factors = [](kt::zmatrix a) {
  auto [q, r] = qr(a);
  auto [u, s, vh] = svd(a);
  return weigh(grad(weigh(q) + weigh(r) + weigh(dot(u * sin(s), vh)), a));
};

xt::xtensor<c128, 3> stack(std::size_t n) {
  xt::xtensor<c128, 3> a(std::array<std::size_t, 3>{n, 3, 3});
  auto const z = numbers(n * 9, 8);
  std::copy(z.begin(), z.end(), a.begin());
  return a;
}

/// The largest difference, by the largest slope, of the gradient and of central differences along both axes of every element.
template <class F, class A>
double worst(F f, A x) {
  auto value = kt::function(f, kt::mode::interpret);
  auto slope = kt::function(kt::grad(f), kt::mode::interpret);
  auto const of_x = slope(x);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    auto const at = x.flat(i);
    auto along = [&](c128 step) {
      x.flat(i) = at + step;
      double const above = value(x);
      x.flat(i) = at - step;
      double const below = value(x);
      x.flat(i) = at;
      return (above - below) / (2 * std::abs(step));
    };
    c128 const numerical(along(1e-6), along(1e-6i));
    worst = std::max(worst, std::abs(numerical - of_x.flat(i)));
    largest = std::max(largest, std::abs(numerical));
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("gradients of complex decompositions", "[linalg]") {
  mat<c128> const h{{4, 1. - 1i, 0.5}, {1. + 1i, 3, 0.2i}, {0.5 + 0.5i, -0.2i, 2}};
  CHECK(worst(factor, h) < 1e-7);
  CHECK(worst(orthogonal, matrix(4, 3, 1)) < 1e-7);
  CHECK(worst(orthogonal, matrix(3, 3, 1)) < 1e-7);
  CHECK(worst(orthogonal, matrix(2, 4, 2)) < 1e-7);
  CHECK(worst(singular, matrix(4, 3, 4)) < 1e-7);
  CHECK(worst(singular, matrix(2, 3, 5)) < 1e-7);
  CHECK(worst(one_side, matrix(3, 2, 5)) < 1e-7);
  CHECK(worst(hermitian, h) < 1e-7);
  CHECK(worst(of_stack, stack(3)) < 1e-7);
}
TEST_CASE("gradients of gradients of complex linear algebra", "[linalg]") {
  CHECK(worst(second, regular(3, 1)) < 1e-6);
  CHECK(worst(second_of_factors, regular(3, 2)) < 1e-6);
}
TEST_CASE("gradients of complex linear systems, inverses, determinants and products", "[linalg]") {
  CHECK(worst(inverses, regular(3, 4)) < 1e-7);
  CHECK(kt::verify_grad(solvers, regular(3, 1), reference::matrix<double>(3, 3, 2), numbers(3, 3)));
  CHECK(kt::verify_grad(products, matrix(3, 3, 7), stack(3), reference::numbers<double>(3, 8)));
}
