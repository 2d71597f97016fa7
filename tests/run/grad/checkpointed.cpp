// Callables whose gradient computes them again.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <boost/hana/define_struct.hpp>
#include <cmath>

#include "run/gradients.hpp"

using namespace gradients;

namespace {

constexpr auto layer = [](auto x, auto w) { return tanh(dot(x, w)); };
constexpr auto two_layers = [](auto x, auto w) { return layer(layer(x, w), w); };
constexpr auto cost = [](kt::dmatrix x, kt::dmatrix w) {
  return sum(sqr(two_layers(two_layers(x, w), w)));
};
constexpr auto cost_again = [](kt::dmatrix x, kt::dmatrix w) {
  constexpr auto block = kt::checkpointed(two_layers);
  return sum(sqr(block(block(x, w), w)));
};
constexpr auto gradient_again = [](kt::dmatrix x, kt::dmatrix w) {
  return grad(cost_again(x, w), w);
};

struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dvector, slope), (kt::dscalar, offset));
};
constexpr auto wave = kt::checkpointed([](line const& l, kt::dvector x, kt::lscalar n) {
  auto const at = l.slope * x + l.offset;
  return std::tuple(sin(at) * n, sum(exp(at)));
});

constexpr auto total = kt::checkpointed([](auto a, auto b) { return sum(a * exp(b)); });
constexpr auto turned = kt::checkpointed([](auto x, auto s) { return sin(x * s); });
constexpr auto both = kt::checkpointed([](auto x, auto w) {
  auto const h = layer(x, w);
  return std::tuple(sum(h), h);
});

int products(kt::graph const& g) {
  int count = 0;
  for (int id = 0; id < g.size(); ++id) count += g.is<kt::op::dot>(id) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("what is checkpointed is computed again for its gradient") {
  auto const f = kt::function([](kt::dmatrix x, kt::dmatrix w) {
    auto const plain = cost(x, w), again = cost_again(x, w);
    auto const [dx, dw] = grad(plain, x, w);
    auto const [ax, aw] = grad(again, x, w);
    return std::tuple(dx, dw, ax, aw, rop(plain, w, w), rop(again, w, w));
  });
  xt::xtensor<double, 2> const x{{0.5, -1, 2}, {1, 0.25, -0.75}},
      w{{0.5, 0.1, -0.3}, {0.2, -0.6, 0.4}, {0.3, 0.3, 0.8}};
  auto const [dx, dw, ax, aw, t, at] = f(x, w);
  CHECK(mismatch(ax, [&, &a = dx](I i, I k) { return a(i, k); }, 1e-14, 1e-15) == "");
  CHECK(mismatch(aw, [&, &a = dw](I i, I k) { return a(i, k); }, 1e-14, 1e-15) == "");
  CHECK(at == Approx(t).epsilon(1e-13));
}

TEST_CASE("checkpoints show in gradients alone") {
  kt::graph const value = kt::optimize(kt::graph_of(cost_again), kt::stage::specialize),
                  plain = kt::optimize(kt::graph_of(cost), kt::stage::specialize),
                  gradient = kt::optimize(kt::graph_of(gradient_again), kt::stage::specialize);
  CHECK_FALSE(value.has<kt::op::after>());
  CHECK(products(value) == products(plain));
  CHECK(gradient.has<kt::op::after>());
}

TEST_CASE("checkpoints of structs, tuples and integers, under vmap") {
  auto const f = kt::function([](kt::dvector m, kt::dscalar b, kt::dmatrix rows, kt::lscalar n) {
    auto const one = [](kt::dvector s, kt::dscalar o, kt::dvector x, kt::lscalar count) {
      auto const [y, total] = wave(line{{}, s, o}, x, count);
      return sum(y) + total;
    };
    auto const c = sum(kt::vmap<2>(one)(m, b, rows, n));
    return grad(c, m, b, rows);
  });
  xt::xtensor<double, 2> const rows{{0.1, 0.2}, {0.3, -0.4}, {1, 0.5}};
  vec<double> const m{0.5, -2};
  auto const [gm, gb, gx] = f(m, 0.25, rows, 3);
  double slope[2] = {0, 0}, offset = 0;
  for (I i = 0; i < 3; ++i)
    for (I k = 0; k < 2; ++k) {
      double const at = m(k) * rows(i, k) + 0.25, d = 3 * std::cos(at) + std::exp(at);
      slope[k] += d * rows(i, k);
      offset += d;
      CHECK(gx(i, k) == Approx(d * m(k)));
    }
  CHECK((gm(0) == Approx(slope[0]) && gm(1) == Approx(slope[1]) && gb == Approx(offset)));
}

TEST_CASE("checkpoints of operands that coincide or depend on each other") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar s) {
    auto const chain = [&](auto block) { return sum(block(block(x, s), s)); };
    auto const plain = chain([](auto v, auto u) { return sin(v * u); });
    auto const again = chain(turned);
    auto const [px, ps] = grad(plain, x, s);
    auto const [ax, as] = grad(again, x, s);
    return std::tuple(grad(total(x, x), x), px, ps, ax, as, grad(total(s, 2 * s), s),
                      grad(total(s, s), s), grad(sum(grad(plain, x)), s), grad(sum(ax), s));
  });
  auto const [same, px, ps, ax, as, twice, once, second, second_again] =
      f(vec<double>{0.5, -1}, 0.3);
  CHECK((same(0) == Approx(1.5 * std::exp(0.5)) && same(1) == Approx(0).margin(1e-15)));
  CHECK((ax(0) == Approx(px(0)) && ax(1) == Approx(px(1)) && as == Approx(ps)));
  CHECK((twice == Approx(1.6 * std::exp(0.6)) && once == Approx(1.3 * std::exp(0.3))));
  CHECK(second_again == Approx(second));
}

TEST_CASE("a checkpoint waits for the gradients of all its results") {
  // That of the first result is a constant.
  kt::graph const g = kt::optimize(kt::graph_of([](kt::dmatrix x, kt::dmatrix w) {
                                     auto const [first, h] = both(x, w);
                                     auto const [second, out] = both(h, w);
                                     return grad(first + second + sum(sqr(out)), w);
                                   }),
                                   kt::stage::specialize);
  CHECK(g.has<kt::op::after>());
  // Nothing but scalars goes in.
  kt::graph const s = kt::optimize(kt::graph_of([](kt::dscalar a, kt::dscalar b) {
                                     auto const wide = kt::checkpointed([](auto u, auto v) {
                                       return sum(exp(u * kt::linspace(u, v, 50)));
                                     });
                                     return grad(sqr(wide(a, b)), a, b);
                                   }),
                                   kt::stage::specialize);
  CHECK(s.has<kt::op::after>());
}
