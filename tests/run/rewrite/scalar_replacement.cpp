// Functions of small arrays whose extents are known: what they give, and that of the arrays only
// elements are left.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalars.hpp"

namespace {

using namespace scalar_tests;

constexpr auto rotated = [](vec3 r, vec3 p) {
  auto angle = sqrt(sum(r * r));
  auto axis = r / angle;
  return cos(angle) * p + (1 - cos(angle)) * dot(axis, p) * axis + sin(angle) * p(0) * axis;
};

constexpr auto products = [](auto A, auto x) { return dot(A, dot(A, dot(A, x))); };

}  // namespace

TEST_CASE("small arrays: slices, stacks, joins, new axes, transposes", "[scalars]") {
  auto const cross = [](vec3 a, vec3 b) {
    return kt::stack(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2),
                     a(0) * b(1) - a(1) * b(0));
  };
  check_of_numbers(cross);
  check_elements(cross, x, y);
  check_elements(
      [](mat3 A, vec3 x) {
        auto rows = A(kt::slice(1, 3));
        auto back = x(kt::slice(kt::none, kt::none, -1));
        return std::tuple(rows.T(), rows * kt::dimshuffle<'x', 0>(back), A(2, kt::slice(0, 3, 2)),
                          kt::concatenate(x, back(kt::slice(0, 2))), kt::stack<1>(x, back),
                          kt::reshape<1>(A, -1));
      },
      A, x);
}

TEST_CASE("small arrays: reductions, broadcasting, products", "[scalars]") {
  auto const f = [](mat3 A, vec3 x, vec3 y) {
    return std::tuple(dot(A, x), dot(x, A), dot(x, y), dot(A, A), kt::outer(x, y), sum(A),
                      sum(A, kt::axis<0>), max(A, kt::axis<1>, kt::keepdims), prod(x),
                      mean(A, kt::axis<1>), min(A) * A, all(x < y), any(x < y, kt::axis<0>),
                      kt::trace(A), kt::diag(A), kt::eye<double>(3, 3) * A, kt::norm(x));
  };
  CHECK(computes_with_numbers(f));
  check_elements(f, A, x, y);
}

TEST_CASE("small arrays: derivatives", "[scalars]") {
  auto const jacobians = [](vec3 r, vec3 p) {
    auto q = rotated(r, p);
    return std::tuple(q, kt::jacobian(q, r), kt::jacobian(q, p));
  };
  CHECK(computes_with_numbers(jacobians));
  check_elements(jacobians, x, y);
  check_elements(
      [](vec3 r, vec3 p) {
        auto cost = sum(sqr(rotated(r, p)) * exp(p));
        return std::tuple(kt::grad(cost, r), kt::hessian(cost, r));
      },
      x, y);
  check_elements(
      [](mat3 A, vec3 x) {
        return kt::vmap([](auto row, auto e) { return sum(row * row) * e; })(A, x);
      },
      A, x);
}

TEST_CASE("small arrays: writes to parts", "[scalars]") {
  check_elements(
      [](mat3 A, vec3 x) {
        return std::tuple(kt::set_subtensor(A(1), x), kt::inc_subtensor(A(kt::slice(0, 2), 0), 2.0),
                          kt::set_subtensor(A(kt::slice(), kt::slice(0, 3, 2)), x(0) * x(1)));
      },
      A, x);
  check_elements([](vec3 x) { return kt::grad(sum(sqr(x(kt::slice(1, 3)))) * x(0), x); }, x);
}

TEST_CASE("small arrays: element types", "[scalars]") {
  using float3 = kt::fixed<float, 3>;
  using int3 = kt::fixed<std::int32_t, 3>;
  auto const floats = kt::function([](float3 a, int3 n) {
    return std::tuple(sum(a) + a, n * n, sum(n), a > 1.0f, kt::cast<float>(n) * a);
  });
  xt::xtensor_fixed<float, xt::xshape<3>> const a{0.5f, 1.5f, 2.5f};
  xt::xtensor_fixed<std::int32_t, xt::xshape<3>> const n{3, -4, 5};
  auto const [shifted, squares, total, above, product] = floats(a, n);
  CHECK((shifted == xt::xtensor<float, 1>{5, 6, 7}));
  CHECK((squares == xt::xtensor<std::int32_t, 1>{9, 16, 25}));
  CHECK(total == 4);
  CHECK((above == xt::xtensor<bool, 1>{false, true, true}));
  CHECK((product == xt::xtensor<float, 1>{1.5f, -6, 12.5f}));
  using complex = std::complex<double>;
  auto const turned =
      kt::function([](kt::fixed<complex, 2> z) { return sum(z * kt::conj(z)) * z; });
  xt::xtensor_fixed<complex, xt::xshape<2>> const z{complex(1, 2), complex(0, -1)};
  auto const found = turned(z);
  CHECK(found(0) == complex(6, 12));
  CHECK(found(1) == complex(0, -6));
}

TEST_CASE("small arrays: writes to nothing, and new values of other extents", "[scalars]") {
  check_elements([](vec3 x) { return kt::set_subtensor(x(kt::slice(1, 1)), 2.0) * x(0); }, x);
  check_elements([](vec3 x) { return kt::inc_subtensor(x(kt::slice(2, 1)), 2.0) * x(0); }, x);
  kt::shared<double, 1> w(xt::xtensor<double, 1>{1, 2, 3});
  auto const longer = kt::function(
      [](kt::fixed<double, 4> y, vec3 w) {
        return kt::outputs(sum(w)).update(w, kt::concatenate(y, y) * 2.0);
      },
      w);
  longer(fixed_array<4>{1, 2, 3, 4});
  xt::xtensor<double, 1> const now = w.get_value();
  CHECK((now == xt::xtensor<double, 1>{2, 4, 6, 8, 2, 4, 6, 8}));
  CHECK_THROWS_AS(longer(fixed_array<4>{1, 2, 3, 4}), kt::shape_error);
}

TEST_CASE("small arrays: solutions and factors among other values", "[scalars]") {
  check_elements(
      [](mat3 A, vec3 x) {
        auto B = dot(A, A.T()) + kt::eye<double>(3, 3);
        return std::tuple(kt::solve(B, x), kt::cholesky(B) * 2, sum(kt::solve(B, x)) * x);
      },
      A, x);
}

TEST_CASE("small arrays: arguments and targets of all kinds, shared variables", "[scalars]") {
  auto const f = kt::function([](vec3 a, mat3 m) { return std::tuple(dot(m, a), sum(a) * m); });
  check_calls(f);
  auto const [u, v] = f(x, A);
  // What is allocated, what has gaps, what overlaps.
  xt::xtensor<double, 1> const dynamic = x;
  xt::xtensor<double, 2> const wide{
      {1, 9, 2, 9, -3, 9}, {0.5, 9, 4, 9, 1, 9}, {-2, 9, 0.25, 9, 3, 9}};
  auto const [from_gaps, scaled] = f(dynamic, xt::view(wide, xt::all(), xt::range(0, 6, 2)));
  CHECK((from_gaps == u));
  CHECK((scaled == v));
  fixed_array<3> own = x;
  fixed_array<3, 3> whole = A;
  f.into(std::tie(own, whole), own, whole);
  CHECK((own == u));
  CHECK((whole == v));
  xt::xtensor<double, 1> grown;
  xt::xtensor<double, 2> square;
  f.into(std::tie(grown, square), x, A);
  CHECK((grown == u));
  CHECK((square == v));
  xt::xtensor<double, 1> const longer{1, 2, 3, 4};
  CHECK_THROWS_WITH(f(longer, A), Catch::Contains("3") && Catch::Contains("4"));

  kt::shared<double, 1> w(xt::xtensor<double, 1>{1, 2, 3});
  auto const step = kt::function(
      [](vec3 a, kt::fixed<double, 3> w) {
        auto e = dot(a, w) - 1;
        return kt::outputs(e).update(w, w - 0.1 * kt::grad(sqr(e), w));
      },
      w);
  check_calls(step);
  CHECK(step(x) == Approx(0.5 - 2.5 + 6 - 1));
  xt::xtensor<double, 1> const moved = w.get_value();
  CHECK(xt::allclose(moved, xt::xtensor<double, 1>{1 - 0.3, 2 + 0.75, 3 - 1.2}));
}

TEST_CASE("small arrays: larger ones, and those of unknown extents, stay arrays", "[scalars]") {
  auto const large = [](kt::fixed<double, 8, 8> m, kt::fixed<double, 8> v) { return dot(m, v); };
  CHECK(!computes_with_numbers(large));
  auto const unknown = [](kt::dvector v, vec3 a) { return sum(v) * a; };
  CHECK(!computes_with_numbers(unknown));
}

TEST_CASE("small arrays: exponentials that overflow", "[scalars]") {
  fixed_array<3> const far{1000, 999, -1000};
  auto const sum_of = kt::function(
      [](mat3 A, vec3 x) { return log(kt::sum(exp(x))) + kt::sum(products(A, A(0))); });
  auto const shares =
      kt::function([](mat3 A, vec3 x) { return exp(x) / kt::sum(exp(x)) + products(A, A(0)); });
  auto const plain = kt::function([](mat3 A) { return products(A, A(0)); });
  xt::xtensor_fixed<double, xt::xshape<3>> const rest = plain(A);
  double const more = std::log1p(std::exp(-1.));
  CHECK(sum_of(A, far) == Approx(1000 + more + xt::sum(rest)()).epsilon(1e-14));
  fixed_array<3> const found = shares(A, far);
  CHECK(found(0) == Approx(std::exp(-more) + rest(0)).epsilon(1e-14));
  CHECK(found(1) == Approx(std::exp(-1 - more) + rest(1)).epsilon(1e-14));
  CHECK(found(2) == Approx(rest(2)).epsilon(1e-14));
}

TEST_CASE("small arrays: extents that contradict each other", "[scalars]") {
  using vec2 = kt::fixed<double, 2>;
  fixed_array<2> const a{1, 2}, b{3, 4};
  auto const sum_of =
      kt::function([](vec2 a, vec2 b, vec3 c) { return kt::concatenate(a, b) + c; });
  CHECK_THROWS_AS(sum_of(a, b, x), kt::shape_error);
  auto const product =
      kt::function([](vec2 a, vec2 b, vec3 c) { return dot(kt::concatenate(a, b), c) * c; });
  CHECK_THROWS_AS(product(a, b, x), kt::shape_error);
  using mat2 = kt::fixed<double, 2, 2>;
  auto const determinant =
      kt::function([](mat2 a, mat2 b) { return kt::det(kt::concatenate(a, b)); });
  fixed_array<2, 2> const one{{1, 0}, {0, 1}};
  CHECK_THROWS_AS(determinant(one, one), kt::shape_error);
}
