// Sparse matrices: products with dense ones, their gradients, arguments and results.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>
#include "run/reference.hpp"
using namespace reference;
using I = std::size_t;
namespace {
kt::csr_array<double> pattern() {
  return {std::vector{1., 2., 3., 4., 5.}, std::vector{0, 2, 1, 0, 3}, std::vector{0, 2, 2, 3, 5}, {4, 4}};
}
}
TEST_CASE("a") {
  constexpr auto model = [](kt::csr<double> a, kt::dvector x) {
    auto y = dot(a, x);
    auto cost = sum(sqr(y));
    auto [ga, gx] = grad(cost, a, x);
    return std::tuple(y, cost, ga, gx, a.with_data(exp(a.data()) * 2 + 1));
  };
  auto f = kt::function(model);
  auto g = kt::function(model, kt::mode::debug);
  vec<double> x{1, -1, 2, 0.5};
  auto const a = pattern();
  auto dense = a.to_dense();
  auto check = [&](auto const& h) {
    auto const [y, c, ga, gx, e] = h(a, x);
    vec<double> want = xt::zeros<double>({4});
    for (I i = 0; i < 4; ++i) for (I j = 0; j < 4; ++j) want(i) += dense(i, j) * x(j);
    CHECK(mismatch(y, [&](I i) { return want(i); }, 1e-15) == "");
    auto gd = ga.to_dense();
    CHECK(mismatch(gd, [&](I i, I j) { return dense(i, j) != 0 ? 2 * want(i) * x(j) : 0.0; }, 1e-15) == "");
    CHECK(ga.size() == 5);
    CHECK(mismatch(gx, [&](I j) { double s = 0; for (I i = 0; i < 4; ++i) s += 2 * want(i) * dense(i, j); return s; }, 1e-15) == "");
    CHECK(e.data()(1) == Approx(2 * std::exp(2.) + 1));
    CHECK(e.shape(1) == 4);
  };
  check(f);
  check(g);
  CHECK_THROWS_AS(f(a, vec<double>{1, 2, 3}), kt::shape_error);
}
