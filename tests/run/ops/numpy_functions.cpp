// Functions made of others, as NumPy 1.24 and SciPy 1.10 have them; expected values are theirs.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using values = std::vector<double>;

namespace {

template <class X>
std::string differs(X const& got, values const& expected, double bound = 1e-14) {
  if (got.size() != expected.size()) return "another size";
  I i = 0;
  for (auto const& x : got) {
    double const want = expected[i++];
    if (!close(static_cast<double>(x), want, bound, bound * 1e-3))
      return "element " + std::to_string(i - 1) + ": " + std::to_string(static_cast<double>(x));
  }
  return "";
}

vec<double> const x{0, 0.5, -1, 2}, y{0, 0.25, 0.5, 0.75}, edges{0, 1.5, 4, 9};
mat<double> const m{{1, 2, 4}, {0, 5, 9}};

}  // namespace

TEST_CASE("products with logarithms, entropies and the normal distribution") {
  constexpr auto f = [](kt::dvector x, kt::dvector y) {
    return std::tuple(xlogy(x, y), xlog1py(x, y), logit(y), entr(x), rel_entr(x, y), ndtr(4 * x),
                      log_ndtr(20 * x), sinc(x), heaviside(x, 0.5), grad(sum(xlogy(x, y)), x),
                      grad(sum(entr(y)), y), grad(sum(log_ndtr(20 * x)), x), rad2deg(deg2rad(x)));
  };
  auto const check = [](auto const& found) {
    auto const& [products, with_one, odds, entropy, relative, normal, log_normal, sines, steps,
                 by_x, of_entropy, of_normal, degrees] = found;
    CHECK(differs(products, {0.0, -0.6931471805599453, 0.6931471805599453, -0.5753641449035618}) ==
          "");
    CHECK(differs(with_one, {0.0, 0.11157177565710488, -0.4054651081081644, 1.1192315758708453}) ==
          "");
    CHECK(differs(odds, {-infinity, -1.0986122886681098, 0.0, 1.0986122886681098}) == "");
    CHECK(differs(entropy, {0.0, 0.34657359027997264, -infinity, -1.3862943611198906}) == "");
    CHECK(differs(relative, {0.0, 0.34657359027997264, infinity, 1.9616585060234524}) == "");
    CHECK(differs(normal, {0.5, 0.9772498680518208, 3.167124183311986e-05, 0.9999999999999993}) ==
          "");
    CHECK(differs(log_normal,
                  {-0.6931471805599453, -7.619853024160473e-24, -203.9171553710973, 0}) == "");
    // At integers NumPy's is what is left of a rounded pi.
    CHECK(differs(sines, {1, 0.6366197723675814, 0, 0}) == "");
    CHECK(differs(steps, {0.5, 1, 0, 1}) == "");
    CHECK(differs(by_x, {0, std::log(0.25), std::log(0.5), std::log(0.75)}) == "");
    CHECK(differs(of_entropy, {0, -1 - std::log(0.25), -1 - std::log(0.5), -1 - std::log(0.75)}) ==
          "");
    CHECK(differs(vec<double>(of_normal / 20),
                  {0.7978845608028654, 7.69459862670642e-23, 20.049753068528293, 0}, 1e-12) == "");
    CHECK(differs(degrees, {0, 0.5, -1, 2}) == "");
  };
  check(kt::function(f)(x, y));
  check(kt::function(f, kt::mode::interpret)(x, y));
  // Where x is 0, the logarithm still is the derivative of xlogy, and one of numbers is a number.
  auto const smooth = kt::function(
      [](kt::dvector x, kt::dvector y) {
        auto const by_x = grad(sum(xlogy(x, y) + xlog1py(x, y)), x);
        return std::tuple(by_x, grad(sum(by_x), y), xlogy(2, y), rel_entr(x, 0.5));
      },
      kt::mode::interpret);
  auto const [by_x, mixed, doubled, halves] =
      smooth(values{0, 0, 0, 3}, values{2, infinity, -1, 1});
  CHECK(differs(by_x, {std::log(6.0), 0, 0, std::log(2.0)}) == "");
  CHECK(differs(mixed, {0.5 + 1.0 / 3, 0, 0, 1.5}) == "");
  CHECK(doubled(0) == Approx(2 * std::log(2)));
  CHECK(differs(halves, {0, 0, 0, 3 * std::log(6.0)}) == "");
  // sinc is smooth at 0.
  auto curvature = kt::function(
      [](kt::dscalar t) { return std::tuple(grad(sinc(t), t), grad(grad(sinc(t), t), t)); },
      kt::mode::interpret);
  CHECK(std::get<1>(curvature(0)) == Approx(-9.869604401089358 / 3));
  CHECK(std::get<0>(curvature(1e-8)) == Approx(-3.289868133696453e-08));
  CHECK(std::get<0>(curvature(0.0031)) == Approx(-0.0101985).epsilon(1e-4));
}

TEST_CASE("extrema of integers that leave out NaN are their extrema") {
  auto const f = kt::function([](kt::lmatrix x, kt::variable<std::int8_t, 1> s, kt::variable<std::uint64_t, 1> u) {
    return std::tuple(nanmax(x), nanmin(x, kt::axis<0>), nanmax(s, kt::keepdims), nanmin(u));
  });
  std::int64_t const large = (std::int64_t{1} << 53) + 1;
  auto const [largest, smallest, kept, lowest] =
      f(mat<std::int64_t>{{large, 2}, {3, -large}}, vec<std::int8_t>{-128, 5},
        vec<std::uint64_t>{~std::uint64_t{0}, ~std::uint64_t{0} - 1});
  static_assert(std::is_same_v<decltype(kept)::value_type, std::int8_t>);
  CHECK(largest == large);
  CHECK((smallest == vec<std::int64_t>{3, -large}));
  CHECK(kept(0) == 5);
  CHECK(lowest == ~std::uint64_t{0} - 1);
}

TEST_CASE("NaN and infinities among elements") {
  constexpr auto f = [](kt::dvector z, kt::fvector s) {
    return std::tuple(isnan(z), isinf(z), isfinite(z), nan_to_num(z, 7), nan_to_num(s), nansum(z),
                      nanmean(z), nanmax(z), nanmin(z), nanmax(0 * z), count_nonzero(z),
                      isclose(z, 1.0), isclose(z, z), ptp(s));
  };
  vec<double> const z{not_a_number, 1 + 1e-9, 3, -2};
  vec<float> const s{1, std::numeric_limits<float>::infinity(), -2};
  auto const check = [&](auto const& found) {
    auto const& [nan, inf, finite, replaced, single, total, mean, largest, smallest, zero, count,
                 close_to_one, itself, span] = found;
    CHECK(differs(nan, {1, 0, 0, 0}) == "");
    CHECK(differs(inf, {0, 0, 0, 0}) == "");
    CHECK(differs(finite, {0, 1, 1, 1}) == "");
    CHECK(differs(replaced, {7, 1, 3, -2}, 1e-8) == "");
    CHECK(differs(single, {1, static_cast<double>(std::numeric_limits<float>::max()), -2}) == "");
    CHECK(total == Approx(2));
    CHECK(mean == Approx(2.0 / 3));
    CHECK(largest == 3);
    CHECK(smallest == -2);
    CHECK(zero == 0);
    CHECK(count == 4);
    CHECK(differs(close_to_one, {0, 1, 0, 0}) == "");
    CHECK(differs(itself, {0, 1, 1, 1}) == "");
    CHECK(std::isinf(span));
  };
  check(kt::function(f)(z, s));
  check(kt::function(f, kt::mode::interpret)(z, s));
  auto one = kt::function(
      [](kt::dvector z, kt::zvector c, kt::lvector n) {
        return std::tuple(nanmax(z), nanmean(z), isinf(z), isfinite(z), isclose(z, z), isnan(c),
                          isinf(c), isfinite(n), allclose(z, z));
      },
      kt::mode::interpret);
  auto const [largest, mean, inf, finite, same, nan, complex, integer, all] =
      one(vec<double>{not_a_number, -infinity},
          vec<std::complex<double>>{{1, not_a_number}, {infinity, 0}}, vec<std::int64_t>{1, 2});
  CHECK(largest == -infinity);
  CHECK(mean == -infinity);
  CHECK(differs(inf, {0, 1}) == "");
  CHECK(differs(finite, {0, 0}) == "");
  CHECK(differs(same, {0, 1}) == "");
  CHECK(differs(nan, {1, 0}) == "");
  CHECK(differs(complex, {0, 1}) == "");
  CHECK(differs(integer, {1, 1}) == "");
  CHECK_FALSE(all);
  auto missing =
      kt::function([](kt::fvector p, kt::fvector q,
                      kt::lvector n) { return std::tuple(rel_entr(p, q), nan_to_num(n)); },
                   kt::mode::interpret);
  auto const [relative, integers] =
      missing(vec<float>{1, 0, -1}, vec<float>{std::numeric_limits<float>::quiet_NaN(), 1, 1},
              vec<std::int64_t>{3});
  static_assert(std::is_same_v<decltype(relative), vec<float> const>);
  CHECK(std::isnan(relative(0)));
  CHECK(relative(1) == 0);
  CHECK(std::isinf(relative(2)));
  CHECK(integers(0) == 3);
  auto none =
      kt::function([](kt::dvector z) { return std::tuple(nanmax(z), nanmean(z), nansum(z)); },
                   kt::mode::interpret);
  auto const [no_largest, no_mean, no_sum] = none(vec<double>{not_a_number, not_a_number});
  CHECK(std::isnan(no_largest));
  CHECK(std::isnan(no_mean));
  CHECK(no_sum == 0);
}

TEST_CASE("grids, and differences and integrals on them") {
  auto f = kt::function(
      [](kt::dvector x, kt::dmatrix m, kt::lscalar n) {
        auto const [across, down] = kt::meshgrid(x, x(kt::slice(0, 2)));
        return std::tuple(kt::linspace(-1, 1, n), kt::logspace(0.0, x(0) + 1, 3, 2),
                          kt::geomspace(2.0, 7.0, n), across, down, diff(m), kt::diff<2>(m),
                          diff(m, kt::axis<0>), trapz(m), trapezoid(m, 0.5),
                          trapz(m, x(kt::slice(0, 3))), kt::linspace(x(1), 5.0, 1));
      },
      kt::mode::interpret);
  auto const [linear, powers, geometric, across, down, first, second, rows, one, half, at, single] =
      f(edges, m, 4);
  CHECK(differs(linear, {-1.0, -0.33333333333333337, 0.33333333333333326, 1.0}) == "");
  CHECK(linear(3) == 1);
  CHECK(differs(powers, {1.0, 1.4142135623730951, 2.0}) == "");
  CHECK(differs(geometric, {2.0, 3.0365889718756627, 4.610436292058447, 7.0}) == "");
  CHECK(geometric(3) == 7);
  CHECK(differs(across, {0, 1.5, 4, 9, 0, 1.5, 4, 9}) == "");
  CHECK(differs(down, {0, 0, 0, 0, 1.5, 1.5, 1.5, 1.5}) == "");
  CHECK(differs(first, {1, 2, 5, 4}) == "");
  CHECK(differs(second, {1, -1}) == "");
  CHECK(differs(rows, {-1, 3, 5}) == "");
  CHECK(differs(one, {4.5, 9.5}) == "");
  CHECK(differs(half, {2.25, 4.75}) == "");
  CHECK(differs(at, {9.75, 21.25}) == "");
  CHECK(differs(single, {1.5}) == "");
  CHECK(std::get<0>(f(edges, m, 0)).size() == 0);
  CHECK(std::get<2>(f(edges, m, 0)).size() == 0);
  CHECK(differs(std::get<0>(f(edges, m, 1)), {-1}) == "");
  CHECK(differs(std::get<2>(f(edges, m, 1)), {2}) == "");
  CHECK(kt::verify_grad(
      [](kt::dvector y, kt::dvector p) {
        return sqr(trapz(sin(y), p)) + sum(sqr(kt::linspace(y(0), p(1), 4)));
      },
      x, edges));
}

TEST_CASE("a vector of weights belongs to the axis that is averaged") {
  auto f = kt::function([](kt::dtensor3 y, kt::dmatrix square, kt::dvector w, kt::dvector v) {
    auto const a = average(y, w, kt::axis<1>);
    return std::tuple(a, average(square, w, kt::axis<0>, kt::keepdims), average(square, w),
                      average(y, v, kt::axis<-1>), average(y, v), grad(sum(sqr(a)), w));
  });
  xt::xtensor<double, 3> y = xt::xtensor<double, 3>::from_shape({2, 3, 2});
  for (int i = 0; i < 12; ++i) y.flat(i) = std::cos(1.3 * i);
  mat<double> const square{{1, 2, 3}, {4, 5, 7}, {0, -1, 2}};
  vec<double> const w{0.5, 2, 1.5}, v{1, 3};
  auto const [along, down, whole, last, all, by_w] = f(y, square, w, v);
  values along_0, last_0, by_w_0(3);
  double all_0 = 0;
  for (I i = 0; i < 2; ++i)
    for (I c = 0; c < 2; ++c) {
      double sum = 0;
      for (I j = 0; j < 3; ++j) sum += w(j) * y(i, j, c) / 4;
      along_0.push_back(sum);
      for (I j = 0; j < 3; ++j) by_w_0[j] += 2 * sum * (y(i, j, c) - sum) / 4;
    }
  for (I i = 0; i < 2; ++i)
    for (I j = 0; j < 3; ++j) {
      last_0.push_back((y(i, j, 0) + 3 * y(i, j, 1)) / 4);
      all_0 += last_0.back() / 6;
    }
  CHECK(differs(along, along_0) == "");
  CHECK(differs(down, {2.125, 2.375, 4.625}) == "");
  CHECK(close(whole, 32.5 / 12, 1e-14, 1e-14));
  CHECK(differs(last, last_0) == "");
  CHECK(close(all, all_0, 1e-14, 1e-14));
  CHECK(differs(by_w, by_w_0, 1e-13) == "");
}

TEST_CASE("integrals and slopes along any axis are those of a loop") {
  auto f = kt::function([](kt::dtensor3 y, kt::dvector p, kt::imatrix k) {
    return std::tuple(trapz(y, p, kt::axis<1>), trapz(y, kt::axis<0>),
                      trapezoid(y, 0.5, kt::axis<-2>), trapezoid(k, kt::axis<0>),
                      trapz(y, kt::constant({0., 1., 4.}), kt::axis<0>), gradient(y, kt::axis<1>),
                      grad(sum(sqr(trapz(y, p, kt::axis<1>))), p));
  });
  xt::xtensor<double, 3> y = xt::xtensor<double, 3>::from_shape({3, 4, 2});
  for (int i = 0; i < 24; ++i) y.flat(i) = std::sin(1.7 * i);
  xt::xtensor<double, 1> const p{0, 0.5, 2, 2.25};
  xt::xtensor<int, 2> const k{{1, 2}, {4, -1}, {2, 3}};
  auto const [at, down, half, whole, table, slopes, by_p] = f(y, p, k);
  std::vector<double> at_0, down_0, half_0, table_0, slopes_0, by_p_0(4);
  for (int i = 0; i < 3; ++i)
    for (int c = 0; c < 2; ++c) {
      double sum = 0, all = 0;
      for (int j = 0; j < 3; ++j) {
        sum += (p(j + 1) - p(j)) * (y(i, j, c) + y(i, j + 1, c)) / 2;
        all += 0.5 * (y(i, j, c) + y(i, j + 1, c)) / 2;
      }
      at_0.push_back(sum), half_0.push_back(all);
      for (int j = 0; j < 3; ++j) {
        by_p_0[j + 1] += sum * (y(i, j, c) + y(i, j + 1, c));
        by_p_0[j] -= sum * (y(i, j, c) + y(i, j + 1, c));
      }
    }
  for (int j = 0; j < 4; ++j)
    for (int c = 0; c < 2; ++c) {
      down_0.push_back(y(0, j, c) / 2 + y(1, j, c) + y(2, j, c) / 2);
      table_0.push_back((y(0, j, c) + y(1, j, c)) / 2 + 3 * (y(1, j, c) + y(2, j, c)) / 2);
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int c = 0; c < 2; ++c) {
        int const next = std::min(j + 1, 3), last = std::max(j - 1, 0);
        slopes_0.push_back((y(i, next, c) - y(i, last, c)) / (next - last));
      }
  CHECK(differs(at, at_0) == "");
  CHECK(differs(down, down_0) == "");
  CHECK(differs(half, half_0) == "");
  CHECK(differs(whole, {5.5, 1.5}) == "");
  CHECK(differs(table, table_0) == "");
  CHECK(differs(slopes, slopes_0) == "");
  CHECK(differs(by_p, by_p_0) == "");
  CHECK_THROWS_AS(f(y, xt::xtensor<double, 1>{0, 1, 2}, k), kt::shape_error);
}

TEST_CASE("statistics of samples") {
  auto f = kt::function(
      [](kt::dmatrix m, kt::dvector e, kt::lvector n) {
        return std::tuple(cov(m), corrcoef(m), quantile(m, 0.25), percentile(m, 90, kt::axis<0>),
                          median(m, kt::axis<1>), average(m, e(kt::slice(0, 3)), kt::axis<1>),
                          kt::digitize(e, m(0)), kt::digitize(e, m(0), kt::side::right),
                          histogram(m, e), interp(m, e, sqr(e)), kt::bincount(n, 5));
      },
      kt::mode::interpret);
  vec<std::int64_t> const n{1, 4, 1};
  auto const [c, r, quarter, high, middle, mean, bins, closed, counts, between, occurrences] =
      f(m, edges, n);
  CHECK(differs(c, {2.3333333333333335, 6.666666666666667, 6.666666666666667,
                    20.333333333333336}) == "");
  CHECK(differs(r, {1, 0.9678678369916545, 0.9678678369916546, 1}) == "");
  CHECK(quarter == 1.25);
  CHECK(differs(high, {0.9, 4.7, 8.5}) == "");
  CHECK(differs(middle, {2, 5}) == "");
  CHECK(differs(mean, {3.4545454545454546, 7.909090909090909}) == "");
  CHECK(differs(bins, {0, 1, 3, 3}) == "");
  CHECK(differs(closed, {0, 1, 2, 3}) == "");
  CHECK(differs(counts, {2, 1, 3}) == "");
  CHECK(differs(between, {1.5, 5, 16, 0, 29, 81}) == "");
  CHECK(differs(occurrences, {0, 2, 0, 0, 1}) == "");
  CHECK_THROWS_AS(f(m, edges, vec<std::int64_t>{5}), kt::value_error);
  CHECK_THROWS_AS(f(m, edges, vec<std::int64_t>{-1}), kt::value_error);
  auto piecewise = kt::function(
      [](kt::dvector at, kt::dvector xp, kt::dvector fp) { return interp(at, xp, fp); },
      kt::mode::interpret);
  CHECK(differs(piecewise(vec<double>{0.5, 1, 2}, vec<double>{0, 1, 1}, vec<double>{1, 2, 3}),
                {1.5, 3, 3}) == "");
  CHECK_THROWS_AS(piecewise(vec<double>{0.5}, vec<double>{0, 1, 2}, vec<double>{1, 2}),
                  kt::shape_error);
  CHECK_THROWS_AS(piecewise(vec<double>{0.5}, vec<double>{1}, vec<double>{1}), kt::shape_error);

  auto g = kt::function([](kt::dvector z, kt::dscalar q, kt::dvector e) {
    return std::tuple(quantile(z, q), median(z), histogram(z, e), interp(z, e, sqr(e)),
                      grad(quantile(z, q), z));
  });
  auto const [at, half, inside, line, g_at] = g(vec<double>{3, -1, 10, 0.75}, 0.9, edges);
  CHECK(at == Approx(3 * 0.3 + 10 * 0.7));
  CHECK(half == 1.875);
  CHECK(differs(inside, {1, 1, 0}) == "");
  CHECK(differs(line, {2.25 + 13.75 * 1.5 / 2.5, 0, 81, 1.125}) == "");
  CHECK(differs(g_at, {0.3, 0, 0.7, 0}, 1e-12) == "");
  CHECK(std::isnan(std::get<0>(g(vec<double>{3, not_a_number, 1}, 0.5, edges))));
  // Infinities are not interpolated.
  auto of_half = kt::function([](kt::dvector z) { return median(z); }, kt::mode::interpret);
  CHECK(of_half(vec<double>{1, 2, infinity}) == 2);
  CHECK(of_half(vec<double>{1, infinity, infinity}) == infinity);
  CHECK(of_half(vec<double>{-infinity, -infinity, 3}) == -infinity);
  CHECK_THROWS_AS(g(vec<double>{3, 1}, 1.5, edges), kt::value_error);
  CHECK_THROWS_AS(g(vec<double>{}, 0.5, edges), kt::error);
  CHECK_THROWS_WITH(of_half(vec<double>{}), "kt::quantile: there are no elements");
  // Along several axes, which stay where they are kept.
  auto const several = kt::function(
      [](kt::dtensor3 t) {
        return std::tuple(quantile(t, 0.9, kt::axis<0, 2>), median(t, kt::keepdims, kt::axis<2, 0>),
                          grad(sum(median(t, kt::axis<0, -1>)), t));
      },
      kt::mode::interpret);
  auto const [shares, kept, passed] =
      several(xt::xtensor<double, 3>{{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 1}, {2, 3}}});
  CHECK(differs(shares, {7.7, 7.5, 5.7}) == "");
  CHECK(kept.shape() == std::array<I, 3>{1, 3, 1});
  CHECK(differs(kept, {4.5, 3.5, 4}) == "");
  CHECK(differs(passed, {0, 0.5, 0.5, 0.5, 0.5, 0, 0.5, 0, 0, 0, 0, 0.5}) == "");
}

TEST_CASE("products and powers of matrices and vectors") {
  auto f = kt::function(
      [](kt::dmatrix m, kt::zvector z) {
        auto const square = dot(m, m.T());
        return std::tuple(kron(m, m(kt::slice(0, 1))), kt::matrix_power(square, 3),
                          kt::matrix_power(square, -2), kt::matrix_power(square, 0),
                          cross(m, m + 1), vdot(z, z * 2));
      },
      kt::mode::interpret);
  auto const [blocks, third, inverse, identity, normal, product] =
      f(m, vec<std::complex<double>>{{1, 2}, {0, 1}});
  REQUIRE(blocks.shape()[0] == 2);
  CHECK(differs(blocks, {1, 2, 4, 2, 4, 8, 4, 8, 16, 0, 0, 0, 5, 10, 20, 9, 18, 36}) == "");
  CHECK(differs(third, {322429, 736874, 736874, 1684044}) == "");
  CHECK(differs(inverse,
                {1.103471074380166, -0.48280991735537215, -0.4828099173553722, 0.21132231404958687},
                1e-11) == "");
  CHECK(differs(identity, {1, 0, 0, 1}) == "");
  CHECK(differs(normal, {-2, 3, -1, -4, 9, -5}) == "");
  CHECK(product == std::complex<double>(12, 0));
  auto g = kt::function([](kt::dvector a, kt::dvector b) { return cross(a, b); });
  CHECK(differs(g(vec<double>{1, 2, 4}, vec<double>{2, 2, 6}), {4, 2, -2}) == "");
  CHECK_THROWS_WITH(g(vec<double>{1, 2, 4, 5}, vec<double>{2, 2, 6}),
                    Catch::StartsWith("cross: extent 0"));
  CHECK_THROWS_AS(g(vec<double>{1, 2}, vec<double>{2, 2}), kt::shape_error);
  auto each = kt::function([](kt::dmatrix a, kt::dvector b) {
    return std::tuple(cross(a, b), cross(b, a), grad(sum(sqr(cross(a, b))), b));
  });
  vec<double> const b{1, -2, 0.5};
  auto const [by_vector, of_vector, slope] = each(m, b);
  CHECK(differs(by_vector, {9, 3.5, -4, 20.5, 9, -5}) == "");
  CHECK(differs(of_vector, {-9, -3.5, 4, -20.5, -9, 5}) == "");
  CHECK(differs(slope, {256, -449, 234}) == "");
  CHECK_THROWS_AS(each(m, vec<double>{1, 2}), kt::shape_error);
  CHECK_THROWS_AS(
      kt::function([](kt::dmatrix a) { return kt::matrix_power(a, 0); }, kt::mode::interpret)(m),
      kt::shape_error);
  CHECK_THROWS_AS(kt::function([](kt::dmatrix a) { return kt::matrix_power(a, 1); })(m),
                  kt::shape_error);
  CHECK(differs(kt::function([](kt::dmatrix a) { return kt::matrix_power(a, 0); })(
                    mat<double>{{infinity, 1}, {2, not_a_number}}),
                {1, 0, 0, 1}) == "");
}

TEST_CASE("the logarithm of a distribution function that is almost 1 keeps its digits") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(log_ndtr(x), grad(sum(log_ndtr(x)), x)); });
  vec<double> const at{-30, -1, 0, 0.5, 3, 5.25, 6.75, 8.26, 20};
  auto const [value, slope] = f(at);
  auto const distribution = [](double v) { return std::erfc(-v / std::sqrt(2.0)) / 2; };
  for (I i = 0; i < at.size(); ++i) {
    CAPTURE(at(i));
    double const v = at(i),
                 expected = v > 0 ? std::log1p(-distribution(-v)) : std::log(distribution(v));
    double const density = std::exp(-v * v / 2) / std::sqrt(2 * std::acos(-1.0));
    CHECK(close(value(i), expected, 1e-13));
    CHECK(close(slope(i), density / distribution(v), 1e-12));
  }
}
