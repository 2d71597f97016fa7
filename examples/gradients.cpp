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

// cut: layer
// x = tanh(w x + b): a layer of infinite depth.
constexpr auto layer = [](kt::dmatrix w, kt::dvector b) {
  return kt::fixed_point([&](auto x) { return tanh(dot(w, x) + b); }, zeros_like(b));
};
// end cut

// cut: checkpointed
constexpr auto two_layers = [](auto x, auto w) { return tanh(dot(tanh(dot(x, w)), w)); };
constexpr auto block = kt::checkpointed(two_layers);
// end cut

// cut: wave
constexpr auto wave = [](auto x) { return exp(-sqr(x)) * sin(3 * x); };
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

  // cut: layers
  auto deep = kt::function([](kt::dmatrix w, kt::dvector b) {
    auto const x = layer(w, b);
    auto const [gw, gb] = grad(sum(sqr(x)), w, b);
    return std::tuple(x, gw, gb);
  });
  auto [at, by_w, by_b] = deep(matrix{{0.1, 0.4}, {-0.3, 0.2}}, vector{0.3, -0.5});
  // end cut
  check(std::abs(at(0) - 0.082818639314859) < 1e-9 && std::abs(by_b(1) + 0.754075897565789) < 1e-9,
        "a fixed point");

  // cut: kepler
  auto kepler = kt::function([](kt::dvector mean, kt::dscalar e) {
    auto anomaly = kt::vmap<0>([](kt::dscalar m, kt::dscalar e) {
      return kt::root([&](auto x) { return x - e * sin(x) - m; }, m);
    })(mean, e);
    return std::tuple(anomaly, jacobian(anomaly, e));
  });
  auto [anomaly, by_e] = kepler(vector{0.1, 1, 3}, 0.5);
  // end cut
  check(std::abs(by_e(1) - std::sin(anomaly(1)) / (1 - 0.5 * std::cos(anomaly(1)))) < 1e-12,
        "roots in a batch");

  // cut: ridge
  auto validation = kt::function([](kt::dmatrix x, kt::dvector y, kt::dmatrix x2, kt::dvector y2,
                                    kt::dscalar penalty) {
    auto w = kt::minimizer(
        [&](auto w) { return sum(sqr(dot(x, w) - y)) + penalty * sum(sqr(w)); },
        zeros<double>(x.shape(1)));
    auto loss = sum(sqr(dot(x2, w) - y2));
    return std::tuple(loss, grad(loss, penalty));
  });
  // end cut
  {
    matrix const seen{{1, 2}, {3, 4}, {5, 7}}, unseen{{1, 1}, {0, 2}};
    auto const loss = [&](double penalty) {
      return validation(seen, vector{1, 0, 2}, unseen, vector{1, 1}, penalty);
    };
    double const quotient = (std::get<0>(loss(0.50001)) - std::get<0>(loss(0.49999))) / 2e-5;
    check(std::abs(std::get<1>(loss(0.5)) - quotient) < 1e-6, "a hyperparameter");
  }

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

  // cut: taylor
  auto series = kt::function([](kt::dvector x) { return kt::taylor<3>(wave)(x, 1); });
  auto [value, first, second, third] = series(vector{0, 0.5});
  // end cut
  check(value(0) == 0 && first(0) == 3 && second(0) == 0 && std::abs(third(0) + 45) < 1e-12,
        "derivatives of high order");

  // cut: parts
  auto by_layers = kt::function([](kt::dvector x, kt::dmatrix w, kt::dmatrix v) {
    auto const h = tanh(dot(w, x));
    auto const [gv, gh] = subgraph_grad(sum(tanh(dot(v, h))), kt::ends(h), v);
    auto const [gw, gx] = subgraph_grad(kt::known_grads(h, gh), kt::ends(x), w);
    return std::tuple(gw, gv, gx);
  });
  // end cut
  auto at_once = kt::function([](kt::dvector x, kt::dmatrix w, kt::dmatrix v) {
    return grad(sum(tanh(dot(v, tanh(dot(w, x))))), w, v, x);
  });
  auto const [gw, gv, gx] = by_layers(vector{1, 2}, w, x);
  auto const [whole_w, whole_v, whole_x] = at_once(vector{1, 2}, w, x);
  check(xt::allclose(gw, whole_w) && xt::allclose(gv, whole_v) && xt::allclose(gx, whole_x),
        "layer by layer");
}
