// Products of joined states and elements are sums of two products.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace {

using namespace loop_tests;

/// A network of which a step multiplies what it was and what it sees with one matrix.
constexpr auto network = [](kt::dmatrix x, kt::dvector h, kt::dmatrix w) {
  return scan([&](kt::dvector e, kt::dvector h) { return tanh(dot(concatenate(h, e), w)); }, kt::sequences(x), kt::outputs_info(h));
};
constexpr auto from_left = [](kt::dmatrix x, kt::dvector h, kt::dmatrix w) {
  return scan([&](kt::dvector e, kt::dvector h) { return tanh(dot(w.T(), concatenate(e, h, e))); }, kt::sequences(x), kt::outputs_info(h));
};
constexpr auto without = kt::mode::interpret.excluding<"scan_split_products">();

}  // namespace

TEST_CASE("scan_split_products: one product of a state is left", "[loops][passes]") {
  for (kt::graph const& g : {optimized(network), optimized(from_left)}) {
    CHECK(count(body(g), "dot") == 1);
    CHECK(count(body(g), "join") == 0);
  }
  matrix const w = 0.1 * xt::reshape_view(xt::arange<double>(8), {4, 2}), longer = 0.1 * xt::reshape_view(xt::arange<double>(12), {6, 2});
  vector const start{0.5, 0.6};
  for (matrix const& x : {X, matrix(xt::zeros<double>({0, 2}))}) {
    check_same(kt::function(network)(x, start, w), kt::function(network, without)(x, start, w));
    check_same(kt::function(from_left, kt::mode::interpret)(x, start, longer), kt::function(from_left, without)(x, start, longer));
  }
  CHECK_THROWS_AS(kt::function(network, kt::mode::interpret)(X, start, longer), kt::shape_error);
}
