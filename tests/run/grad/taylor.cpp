// Derivatives of high order along a direction: closed forms, and nested forward mode.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <cmath>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

bool is_close(auto const& a, auto const& b) { return xt::allclose(a, b, 1e-9, 1e-11); }

// Up to the fourth order, by both.
template <class F>
struct both_ways {
  constexpr auto operator()(kt::dmatrix x, kt::dmatrix v) const {
    auto const y = F{}(x);
    auto const y1 = rop(y, x, v);
    auto const y2 = rop(y1, x, v);
    auto const y3 = rop(y2, x, v);
    return std::tuple_cat(kt::taylor<4>(F{})(x, v), std::tuple(y, y1, y2, y3, rop(y3, x, v)));
  }
};
template <class F>
void check_nested(F const&, matrix const& x, matrix const& v) {
  auto const [t0, t1, t2, t3, t4, n0, n1, n2, n3, n4] = kt::function(both_ways<F>{})(x, v);
  CHECK(is_close(t0, n0));
  CHECK(is_close(t1, n1));
  CHECK(is_close(t2, n2));
  CHECK(is_close(t3, n3));
  CHECK(is_close(t4, n4));
}

matrix const point{{0.3, -0.8, 1.1}, {0.6, 0.2, -0.4}, {-0.5, 0.9, 0.7}};
matrix const direction{{1, 0.5, -0.25}, {-0.75, 1, 0.3}, {0.4, -0.6, 0.8}};

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dvector, w), (kt::dscalar, b));
};

}  // namespace

TEST_CASE("derivatives of a polynomial and of elementary functions", "[taylor]") {
  auto f = kt::function([](kt::dscalar x) {
    return std::tuple_cat(kt::taylor<4>([](auto s) { return s * s * s - 2 * s; })(x, 1),
                          kt::taylor<3>([](auto s) { return exp(2 * s) / s; })(x, 1),
                          kt::taylor<3>([](auto s) { return sin(s); })(x, 2));
  });
  auto const [y, y1, y2, y3, y4, e, e1, e2, e3, s, s1, s2, s3] = f(1.5);
  CHECK(y == Approx(1.5 * 1.5 * 1.5 - 3));
  CHECK(y1 == Approx(3 * 1.5 * 1.5 - 2));
  CHECK(y2 == Approx(9));
  CHECK(y3 == Approx(6));
  CHECK(y4 == 0);
  double const x = 1.5, g = std::exp(2 * x);
  CHECK(e == Approx(g / x));
  CHECK(e1 == Approx(g * (2 / x - 1 / (x * x))));
  CHECK(e2 == Approx(g * (4 / x - 4 / (x * x) + 2 / (x * x * x))));
  CHECK(e3 == Approx(g * (8 / x - 12 / (x * x) + 12 / (x * x * x) - 6 / (x * x * x * x))));
  CHECK(s == Approx(std::sin(x)));
  CHECK(s1 == Approx(2 * std::cos(x)));
  CHECK(s2 == Approx(-4 * std::sin(x)));
  CHECK(s3 == Approx(-8 * std::cos(x)));
}

TEST_CASE("derivatives as nested forward mode gives them", "[taylor]") {
  check_nested([](auto x) { return tanh(dot(x, x.T())) * exp(-x); }, point, direction);
  check_nested([](auto x) { return log(2 + x) / sqrt(3 + sin(x)); }, point, direction);
  check_nested([](auto x) { return pow(2 + x, 2.5) + atan(x) + erf(x) + 1 / (2 + x); }, point,
               direction);
  check_nested([](auto x) { return softmax(x) * where(x > 0, x * x, exp(x)); }, point, direction);
  check_nested(
      [](auto x) {
        return x * logsumexp(sqr(x), kt::axis<0>) + prod(x) * max(x) * sort(x, kt::axis<0>);
      },
      point, direction);
  check_nested([](auto x) { return dot(matrix_inverse(x + 3 * identity_like(x)), x.T()); }, point,
               direction);
}

TEST_CASE("derivatives through a loop and through a matrix factor", "[taylor]") {
  check_nested(
      [](auto x) {
        return kt::scan([](auto row, auto state) { return tanh(row + 2 * state * row); },
                        kt::sequences(x), kt::outputs_info(zeros_like(x(0))));
      },
      point, direction);
  check_nested([](auto x) { return cholesky(dot(x, x.T()) + 2 * identity_like(x)); }, point,
               direction);
}

TEST_CASE("derivatives of the tenth order", "[taylor]") {
  auto f = kt::function(
      [](kt::dscalar x) { return kt::taylor<9>([](auto s) { return tan(s); })(x, 1); });
  auto const found = std::apply([](auto const&... one) { return vector{double{one}...}; }, f(0.));
  CHECK(xt::allclose(found, vector{0, 1, 0, 2, 0, 16, 0, 272, 0, 7936}));
}

TEST_CASE("directions of structs, of several parameters, and none", "[taylor]") {
  auto f = kt::function([](layer p, kt::dvector x, kt::lscalar n) {
    constexpr auto line = [](auto q, auto at, auto power) {
      return std::tuple(sum(q.w * sqr(at)) * q.b, at * power);
    };
    auto const [y, y1, y2] = kt::taylor<2>(line)(p, x, n, p, 1, kt::none);
    auto const [fixed, fixed1] = kt::taylor<1>(line)(p, x, n, kt::none, kt::none, kt::none);
    return std::tuple(std::get<0>(y), std::get<0>(y1), std::get<0>(y2), std::get<1>(y1),
                      std::get<1>(y2), std::get<0>(fixed1), std::get<1>(fixed));
  });
  // sum((1 + t) w (x + t)^2) (1 + t) b
  auto const [y, y1, y2, power1, power2, fixed1, fixed] =
      f(kt::values<layer>(vector{1, 2}, 2.), vector{3, -1}, 5);
  CHECK(y == Approx(22));
  CHECK(y1 == Approx(48));
  CHECK(y2 == Approx(72));
  CHECK(power1 == vector{5, 5});
  CHECK(power2 == vector{0, 0});
  CHECK(fixed1 == 0);
  CHECK(fixed == vector{15, -5});
}

TEST_CASE("derivatives along a direction in gradients, maps and of coinciding parameters",
          "[taylor]") {
  auto f = kt::function([](kt::fvector x, kt::fmatrix m, kt::fvector v) {
    constexpr auto power = [](auto s) { return sum(pow(s, 4)); };
    constexpr auto product = [](auto s, auto t) { return s * exp(t); };
    return std::tuple(grad(std::get<2>(kt::taylor<2>(power)(x, 1)), x),
                      std::get<2>(kt::vmap<0>(kt::taylor<2>(power))(m, v)),
                      std::get<2>(kt::taylor<2>(product)(x, x, 1, 2)));
  });
  using floats = xt::xtensor<float, 1>;
  auto const [slope, mapped, twice] =
      f(floats{1, 2}, xt::xtensor<float, 2>{{1, 2}, {3, 0}, {-1, 1}}, floats{1, 2});
  CHECK(xt::allclose(slope, floats{24, 48}, 1e-5));
  CHECK(xt::allclose(mapped, floats{12 + 4 * 48, 12 * 9, 12 + 48}, 1e-5));
  // (x + t) exp(x + 2 t): 2 * 2 exp(x) + 4 x exp(x)
  CHECK(xt::allclose(twice, (4 + 4 * floats{1, 2}) * xt::exp(floats{1, 2}), 1e-5));
}
