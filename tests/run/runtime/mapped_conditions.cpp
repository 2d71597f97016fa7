// Conditions of functions that are mapped, in run-time graphs: calls check them for all slices.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;

TEST_CASE("run-time graphs: what a mapped function asks of its slices is checked", "[runtime]") {
  kt::runtime::graph g;
  auto const a = g.input<double, 2>("a"), b = g.input<double, 2>("b");
  auto const product = kt::vmap<0, 1>([](auto x, auto y) { return kt::cross(x, y); })(a, b);
  auto const slope =
      kt::vmap<0, 1>([](auto x, auto y) { return grad(sum(sqr(kt::cross(x, y))), x); })(a, b);
  for (auto const& result :
       {product, grad(sum(product), a), grad(sum(kt::cross(a, b)), a), slope}) {
    auto const f = g.function({a, b}, {result});
    for (std::size_t n : {0, 1, 2, 4}) {
      CAPTURE(n);
      CHECK_THROWS_WITH(f(matrix<double>(5, n), matrix<double>(5, n)),
                        Catch::StartsWith("cross: extent 1 of a is"));
    }
    CHECK_NOTHROW(f(matrix<double>(5, 3), matrix<double>(5, 3)));
    CHECK_NOTHROW(f(matrix<double>(0, 3), matrix<double>(0, 3)));
  }
}
