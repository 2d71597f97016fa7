// The programs of docs/gradients.md, in their order; each checks what the page says.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void check(bool holds, char const* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) std::exit(1);
}

// cut: pullback
// The sign, with the gradient of the identity where |x| <= 1 ("straight through").
constexpr auto binarize =
    kt::with_pullback([](auto x) { return where(x > 0, 1., -1.); },
                      [](auto g, auto, auto x) { return where(abs(x) <= 1, g, 0); });
// end cut

// cut: checkpointed
constexpr auto two_layers = [](auto x, auto w) { return tanh(dot(tanh(dot(x, w)), w)); };
constexpr auto block = kt::checkpointed(two_layers);
// end cut

int main() {
  // cut: straight
  auto straight = kt::function([](kt::dvector x, kt::dvector w) {
    auto const y = binarize(x * w);
    return std::tuple(y, grad(sum(y), w));
  });
  auto [y, g] = straight(vector{0.5, -2, 3}, vector{1, 1, -0.1});  // {1, -1, -1}, {0.5, 0, 3}
  // end cut
  check(y == vector{1, -1, -1} && g == vector{0.5, 0, 3}, "straight through");

  // cut: blocks
  auto gradient = kt::function(
      [](kt::dmatrix x, kt::dmatrix w) { return grad(sum(sqr(block(block(x, w), w))), w); });
  // end cut
  auto plain = kt::function([](kt::dmatrix x, kt::dmatrix w) {
    return grad(sum(sqr(two_layers(two_layers(x, w), w))), w);
  });
  matrix const x{{1, 2}, {3, -4}}, w{{0.1, 0.2}, {-0.3, 0.4}};
  check(xt::allclose(gradient(x, w), plain(x, w), 1e-13), "checkpoints");

  // cut: clip
  auto clipped = kt::function([](kt::dvector x) {
    return std::tuple(grad(sum(exp(grad_clip(x, -1, 1))), x),  // at most 1
                      grad(sum(exp(grad_scale(x, -1))), x));   // -exp(x)
  });
  auto [at_most_one, reversed] = clipped(vector{-1, 0, 5});
  // end cut
  check(at_most_one(2) == 1 && std::abs(at_most_one(0) - std::exp(-1)) < 1e-15 && reversed(1) == -1,
        "clipped");
}
