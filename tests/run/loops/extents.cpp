// Extents of states and elements in bodies: in outputs, in what passes leave of a loop, in gradients of loops in loops.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// Only the sum in each step says that a state has three elements.
constexpr auto turned = [](kt::dscalar speed, kt::dvector start) {
  return sum(sqr(foldl(
      [&](auto p) { return p + speed * kt::stack(p(1) - p(2), p(2) - p(0), p(0) - p(1)) / norm(p); },
      kt::outputs_info(start), kt::n_steps(3))));
};
constexpr auto gradient = [](kt::dscalar speed, kt::dvector start) {
  return std::tuple(grad(turned(speed, start), speed), grad(turned(speed, start), start));
};

}  // namespace

TEST_CASE("rows of outputs whose extents follow from those of states and elements", "[loops]") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector start) {
    auto [s, joined, products] = scan(
        [](kt::dvector e, kt::dvector s) {
          return std::tuple(s + e, kt::concatenate(s(kt::slice(1, kt::none)), e), kt::map([](auto p, auto q) { return p * q; }, kt::sequences(s, e)));
        },
        kt::sequences(x), kt::outputs_info(start, kt::none, kt::none));
    return std::tuple(joined, products);
  });
  auto const [joined, products] = f(matrix{{1, 2}, {3, 4}}, vector{5, 6});
  CHECK(joined == matrix{{6, 1, 2}, {8, 3, 4}});
  CHECK(products == matrix{{5, 12}, {18, 32}});
}

TEST_CASE("a sum whose terms have its extents is taken out of the loop", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector start) {
    auto [sum, terms] = scan([](auto e, auto s) {
      auto term = kt::inc_subtensor(zeros_like(s)(0), e);
      return std::tuple(s + term, term);
    }, kt::sequences(x), kt::outputs_info(start, kt::none));
    return std::tuple(sum(-1), terms);
  });
  auto const [sum, terms] = f(vector{1, 2, 3}, vector{4, 5});
  CHECK(sum == vector{10, 5});
  CHECK(terms == matrix{{1, 0}, {2, 0}, {3, 0}});
}

TEST_CASE("a gradient that needs one output of an inner loop in a branch, and another one in each step", "[loops]") {
  CHECK(kt::verify_grad([](kt::dvector x, kt::dscalar start) {
    return scan([&](auto e, auto s) {
      auto [p, q] = foldl([&](auto d, auto p, auto q) { return std::tuple(p * d + s, sin(q) + d * s); }, kt::sequences(x), kt::outputs_info(s, s));
      return p * e + ifelse(gt(e, 0), sin(q * q), e);
    }, kt::sequences(x), kt::outputs_info(start));
  }, vector{0.5, -0.25, 0.75}, 0.3));
}

TEST_CASE("what a body requires of extents is known in its gradient", "[loops]") {
  kt::graph written = kt::graph_of(gradient).get();
  kt::ops::collect_constraints(written);
  kt::graph const g = kt::loops::optimize(written, kt::stage::specialize);
  bool writes_parts = g.has<kt::op::inc_subtensor>();
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->has_body)
      writes_parts = writes_parts || g.body(g.attribute(id, 0)).has<kt::op::inc_subtensor>();
  CHECK(!writes_parts);
  CHECK(kt::verify_grad(turned, 0.25, vector{1, 2, -1}));
  CHECK_THROWS_AS(kt::function(turned)(0.25, vector{1, 2}), kt::shape_error);
}

TEST_CASE("an inner loop that reads an element of the outer one and both of its extents", "[loops]") {
  auto const f = kt::function([](kt::dtensor3 all, kt::dvector factors) {
    return kt::scan([&](kt::dmatrix m) {
      auto const filled = [&](kt::dscalar c) { return sum(m * kt::alloc(c, m.shape(0), m.shape(1))); };
      return kt::scan(filled, kt::sequences(factors));
    }, kt::sequences(all));
  });
  xt::xtensor<double, 3> const all{{{1, 2, 3}, {4, 5, 6}}, {{0, 1, 0}, {0, 0, 2}}};
  CHECK((f(all, vector{1, -2}) == matrix{{21, -42}, {3, -6}}));
}

TEST_CASE("a state that each step gives extents that are numbers", "[loops]") {
  auto const f = kt::function([](kt::dtensor3 start, kt::dvector x) {
    return scan([](auto, auto s) { return kt::reshape<3>(s, 2, 3, 4); }, kt::sequences(x),
                kt::outputs_info(start));
  });
  using tensor = xt::xtensor<double, 3>;
  tensor const start = xt::arange(24.).reshape({2, 3, 4});
  auto const all = f(start, vector{1, 1});
  CHECK(all.shape() == std::array<std::size_t, 4>{2, 2, 3, 4});
  CHECK((xt::view(all, 1) == start));
  CHECK_THROWS_AS(f(tensor(xt::ones<double>({2, 4, 3})), vector{1, 1}), kt::shape_error);
}
