// What gdb shows with share/gdb/kroton.py, which tests/gdb/check.sh compares with the comments here:
// the name of a variable, "shows", its text.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

namespace kt = kroton;

void stop() {}

int main() {
  auto f = kt::function([](kt::dvector x, kt::dscalar s) {
    kt::named(x, "x");
    return std::tuple(exp(x) * s, sum(sqr(x)) + 2);
  });
  // f shows kt::function(x: dvector, x2: dscalar) = {x2 * exp(x), sum{0}(sqr(x)) + 2}
  auto scalar = kt::function([](kt::dscalar a, kt::lscalar n) { return sin(a) / (n + 1.5); });
  // scalar shows kt::function(dscalar, lscalar)
  kt::shared w(xt::xtensor<double, 1>{1, 2, 3});
  auto train = kt::function(
      [](kt::dmatrix x, kt::dvector w) {
        auto y = dot(x, w);
        return kt::outputs(y).update(w, w - 0.1 * w);
      },
      w);
  // train shows kt::function(x1: dmatrix, x2: dvector) = dot(x1, x2); new x2 = 0.9 * x2
  // w shows kt::shared = {value = 3: {1, 2, 3}}

  kt::runtime::graph graph;
  auto x = graph.input<kt::dvector>("x");
  auto y = exp(-x) + 1;
  auto run = graph.function({x}, sum(y));
  // y shows exp(-x) + 1 : dvector
  // run shows kt::runtime::function(x: dvector) = sum{0}(exp(-x) + 1)
  xt::xtensor<double, 2> m{{1, 2, 3}, {4, 5, 6.5}};
  // m shows 2 x 3: {1, 2, 3, 4, 5, 6.5}
  xt::xtensor<double, 0> number(2.5);
  // number shows {2.5}
  xt::xtensor<kt::half, 1> halves{kt::half(1.5f), kt::half(-2.f)};
  // halves shows 2: {1.5, -2}
  auto h = graph.input<kt::vector<kt::half>>("h");
  [[maybe_unused]] auto twice = h * 2.f;
  // twice shows cast{float16}(cast{float32}(h) * 2) : float16 vector
  auto narrow = kt::function(
      [](kt::vector<kt::half> a, kt::vector<kt::bfloat16> b) { return sum(a * b); });
  // narrow shows kt::function(x1: float16 vector, x2: bfloat16 vector) = sum{0}(cast{float32}(x1) * cast{float32}(x2))
  kt::csr_array<double> a(std::vector{1.5, 2.}, std::vector{0, 2}, std::vector{0, 1, 2}, {2, 3});
  // a shows kt::csr_array of 2 x 3 = {data = 2: {1.5, 2}, indices = 2: {0, 2}, indptr = 3: {0, 1, 2}}
  stop();
  auto const z = train(m);
  xt::xtensor<kt::bfloat16, 1> const others{kt::bfloat16(1.f), kt::bfloat16(2.f)};
  return run(z) + scalar(0., 1) + narrow(halves, others) + std::get<1>(f(z, 2.)) > 1e9 ? 1 : 0;
}
