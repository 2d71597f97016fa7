// Functions of small arrays for all rows of large ones: their elements are arrays, so that loops go
// along the rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalar_rows.hpp"

namespace {

using namespace scalar_tests;
using vec2 = kt::fixed<double, 2>;

constexpr auto turned = [](vec3 r, vec3 p) {
  auto angle = sqrt(sum(r * r));
  auto axis = r / angle;
  return cos(angle) * p + sin(angle) * cross(axis, p) + (1 - cos(angle)) * dot(axis, p) * axis;
};

}  // namespace

TEST_CASE("rows of small arrays: rotations and their derivatives", "[scalars]") {
  auto const values = [](kt::dmatrix r, kt::dmatrix p) { return kt::vmap<0, 1>(turned)(r, p); };
  CHECK(computes_along_rows(values));
  check_rows(values, first, second);
  check_rows(
      [](kt::dmatrix r, kt::dmatrix p) {
        return kt::vmap<0, 1>([](vec3 r, vec3 p) {
          auto q = turned(r, p);
          return std::tuple(q, kt::jacobian(q, r), kt::jacobian(q, p));
        })(r, p);
      },
      first, second);
  auto const cost = [](kt::dmatrix r, kt::dmatrix p) {
    auto e = sum(sqr(kt::vmap<0, 1>(turned)(r, p)));
    return std::tuple(e, kt::grad(e, r), kt::grad(e, p));
  };
  CHECK(computes_along_rows(cost));
  check_rows(cost, first, second);
}

TEST_CASE("rows of small arrays: products, reductions, parts", "[scalars]") {
  auto const f = [](kt::tensor3<double> A, kt::dmatrix x, kt::dmatrix B) {
    return kt::vmap<0, 1>([&](mat3 a, vec3 x) {
      auto b = a(kt::slice(0, 2));
      return std::tuple(dot(a, x), dot(a, a.T()), dot(B, x), kt::outer(x, b(1)),
                        sum(a, kt::axis<0>), max(a, kt::axis<1>, kt::keepdims) - a, prod(x),
                        kt::set_subtensor(a(1), x), kt::inc_subtensor(x(kt::slice(1, 3)), sum(a)),
                        kt::concatenate(x, b(0)), where(x > 0, a, 1.0), all(x > 0), kt::trace(a));
    })(A, x);
  };
  check_rows(
      f, [](std::size_t n) { return matrices(n, 1.0); }, first,
      [](std::size_t) { return numbers(4, 3, 0.25); });
}

TEST_CASE("rows of small arrays: sums over rows, and rows that are selected", "[scalars]") {
  auto const f = [](kt::dmatrix p, vec3 c, kt::dmatrix q) {
    auto moved = kt::vmap<0>([&](vec3 a) { return cross(a, c) + a(0) * c; })(p);
    auto part = moved(kt::slice(kt::none, kt::none, 2)) * q(0);
    return std::tuple(sum(moved, kt::axis<0>), mean(moved), dot(moved.T(), moved), part,
                      max(moved, kt::axis<1>), kt::grad(sum(sqr(moved)), c),
                      kt::grad(sum(exp(moved) * c), p));
  };
  check_elements(f, first(5), x, second(2));
  check_elements(f, first(1), x, second(1));
}

TEST_CASE("rows of small arrays: pairs", "[scalars]") {
  auto const f = [](kt::dmatrix p, kt::dmatrix q) {
    auto pairs = kt::vmap([&](vec3 a) {
      return kt::vmap([&](vec3 b) {
        auto d = a - b;
        return kt::dot(d, cross(d, b)) + sum(d * d);
      })(q);
    })(p);
    auto e = sum(pairs * pairs);
    return std::tuple(pairs, kt::grad(e, p), kt::grad(e, q));
  };
  check_elements(f, first(4), second(3));
  check_elements(f, first(1), second(1));
}

TEST_CASE("rows of small arrays: float32, shared variables", "[scalars]") {
  using float2 = kt::fixed<float, 2>;
  auto const f = kt::function([](kt::fmatrix p) {
    return kt::vmap([](float2 a) { return kt::stack(a(0) * a(1), a(1) - a(0), sum(a)) * a(0); })(p);
  });
  xt::xtensor<float, 2> const p{{1, 2}, {3, -4}, {0.5f, 8}};
  CHECK((f(p) == xt::xtensor<float, 2>{{2, 1, 3}, {-36, -21, -3}, {2, 3.75f, 4.25f}}));

  kt::shared<double, 2> w(matrix{{1, 2}, {3, 4}, {5, 6}});
  auto const step = kt::function(
      [](kt::dmatrix x, kt::dmatrix w) {
        auto e = sum(sqr(kt::vmap<0, 1>(
            [](vec2 a, vec2 b) { return a(0) * b(1) - a(1) * b(0) + sum(a * b); })(x, w)));
        return kt::outputs(e).update(w, w - 0.5 * kt::grad(e, w));
      },
      w);
  // The first row: (1 * 2 - 0 * 1) + 1 = 3, with derivatives (1, 1).
  CHECK(step(matrix{{1, 0}, {0, 0}, {0, 0}}) == Approx(9));
  matrix const now = w.get_value();
  CHECK((now == matrix{{-2, -1}, {3, 4}, {5, 6}}));
}

TEST_CASE("rows of small arrays: extents known in the type beside those known at the call",
          "[scalars]") {
  auto const f = [](kt::dmatrix p, vec3 c, kt::dmatrix q) {
    auto turned = kt::vmap<0>([&](vec3 a) { return cross(a, c) * sum(a); })(q);
    return std::tuple(sum(p * c, kt::axis<1>), turned + p, where(turned > c, p, c),
                      dot(p, turned(0)), kt::concatenate<0>(p, turned));
  };
  check_elements(f, first(4), x, second(4));
  CHECK_THROWS_AS(kt::function(f)(numbers(4, 4, 0.5), x, second(4)), kt::shape_error);
}

TEST_CASE("rows of small arrays: other extents", "[scalars]") {
  auto const f =
      kt::function([](kt::dmatrix r, kt::dmatrix p) { return kt::vmap<0, 1>(turned)(r, p); });
  CHECK_THROWS_AS(f(numbers(5, 4, 0.5), second(5)), kt::shape_error);
  CHECK_THROWS_AS(f(first(5), second(4)), kt::shape_error);
}
