// Extents as values: single ones, and all of them as a vector, without computing the tensor.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>

namespace kt = kroton;

TEST_CASE("the shape of an expression is a vector of its extents") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector v) {
    auto y = exp(x) * v;
    return std::tuple(y.shape(), y.T().shape(), v.shape(), sum(x.shape()), y.shape(-1), x.shape() * 2, kt::cast<double>(v.shape(0)) * v);
  };
  auto const call = kt::function(f);
  xt::xtensor<double, 2> const x = xt::ones<double>({2, 3});
  xt::xtensor<double, 1> const v{1, 2, 3};
  auto const [s, t, u, total, last, doubled, scaled] = call(x, v);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(s)>, xt::xtensor<std::int64_t, 1>>);
  CHECK(s == xt::xtensor<std::int64_t, 1>{2, 3});
  CHECK(t == xt::xtensor<std::int64_t, 1>{3, 2});
  CHECK(u == xt::xtensor<std::int64_t, 1>{3});
  CHECK(total == 5);
  CHECK(last == 3);
  CHECK(doubled == xt::xtensor<std::int64_t, 1>{4, 6});
  CHECK(scaled == xt::xtensor<double, 1>{3, 6, 9});
  // Only extents are asked for, so no exponential is computed.
  auto const graph = kt::optimize(kt::graph_of([](kt::dmatrix a) { return exp(a).shape(); }), kt::stage::specialize);
  for (auto const& node : graph.toposort()) CHECK(node.name() != "exp");
}
