// Transposes, dimshuffles, reshapes, and the family that spreads a number over a shape.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

TEST_CASE("transposes and permuted axes") {
  auto f = kt::function([](kt::dtensor3 x, kt::drow r, kt::dvector v) {
    return std::tuple(x.T(), transpose(x), dimshuffle<1, 0, 2>(x), dimshuffle<2, 'x', 0, 1>(x), dimshuffle<1>(r), dimshuffle<1, 'x'>(r), v.T(),
                      x.T().T() + 1, exp(dimshuffle<0, 2, 1>(x)), r.T(), dimshuffle<'x', 0>(v), x.T() * 2 + transpose(x));
  });
  xt::xtensor<double, 3> x(std::array<I, 3>{2, 3, 4});
  for (I k = 0; k < x.size(); ++k) x.data()[k] = static_cast<double>(k) / 8;
  auto const r = matrix<double>(1, 5);
  auto const v = numbers<double>(3);
  auto const y = f(x, r, v);
  CHECK(std::get<0>(y).shape() == std::array<I, 3>{4, 3, 2});
  CHECK(mismatch(std::get<0>(y), [&](I a, I b, I c) { return x(c, b, a); }) == "");
  CHECK(mismatch(std::get<1>(y), [&](I a, I b, I c) { return x(c, b, a); }) == "");
  CHECK(mismatch(std::get<2>(y), [&](I a, I b, I c) { return x(b, a, c); }) == "");
  CHECK(std::get<3>(y).shape() == std::array<I, 4>{4, 1, 2, 3});
  CHECK(mismatch(std::get<3>(y), [&](I a, I, I b, I c) { return x(b, c, a); }) == "");
  CHECK(mismatch(std::get<4>(y), [&](I a) { return r(0, a); }) == "");
  CHECK(std::get<5>(y).shape() == std::array<I, 2>{5, 1});
  CHECK(mismatch(std::get<6>(y), [&](I a) { return v(a); }) == "");
  CHECK(mismatch(std::get<7>(y), [&](I a, I b, I c) { return x(a, b, c) + 1; }) == "");
  CHECK(mismatch(std::get<8>(y), [&](I a, I b, I c) { return std::exp(x(a, c, b)); }, 1e-15) == "");
  CHECK(mismatch(std::get<9>(y), [&](I a, I) { return r(0, a); }) == "");
  CHECK(mismatch(std::get<10>(y), [&](I, I a) { return v(a); }) == "");
  CHECK(mismatch(std::get<11>(y), [&](I a, I b, I c) { return 3 * x(c, b, a); }, 1e-15) == "");
}

TEST_CASE("reshapes keep the row-major order, of views too") {
  auto f = kt::function([](kt::dmatrix m, kt::lscalar n) {
    return std::tuple(flatten(m), reshape<3>(m, 2, -1, 2), reshape<2>(m, m.shape(1), m.shape(0)), flatten(m.T()), reshape<1>(m, n), reshape<2>(m, -1, 1) * reshape<2>(m, 1, -1),
                      reshape<2>(exp(m), -1, 3), flatten(m(kt::slice(kt::none, kt::none, -1))), sum(reshape<2>(m, 2, -1), kt::axis<1>),
                      reshape<2>(flatten(m) + 1, m.shape(0), m.shape(1)) - m);
  });
  auto const m = matrix<double>(4, 3);
  auto check = [&](auto const& given) {
    auto const y = f(given, 12);
    auto flat = [&](I k) { return m(k / 3, k % 3); };
    CHECK(mismatch(std::get<0>(y), flat) == "");
    CHECK(std::get<1>(y).shape() == std::array<I, 3>{2, 3, 2});
    CHECK(mismatch(std::get<1>(y), [&](I a, I b, I c) { return flat(6 * a + 2 * b + c); }) == "");
    CHECK(std::get<2>(y).shape() == std::array<I, 2>{3, 4});
    CHECK(mismatch(std::get<2>(y), [&](I a, I b) { return flat(4 * a + b); }) == "");
    CHECK(mismatch(std::get<3>(y), [&](I k) { return m(k % 4, k / 4); }) == "");
    CHECK(mismatch(std::get<4>(y), flat) == "");
    CHECK(mismatch(std::get<5>(y), [&](I a, I b) { return flat(a) * flat(b); }) == "");
    CHECK(mismatch(std::get<6>(y), [&](I a, I b) { return std::exp(flat(3 * a + b)); }, 1e-15) == "");
    CHECK(mismatch(std::get<7>(y), [&](I k) { return m(3 - k / 3, k % 3); }) == "");
    CHECK(mismatch(std::get<8>(y), [&](I a) { double t = 0; for (I k = 0; k < 6; ++k) t += flat(6 * a + k); return t; }, 1e-15, 1e-15) == "");
    CHECK(mismatch(std::get<9>(y), [&](I, I) { return 1.0; }, 0, 1e-15) == "");
  };
  check(m);
  mat<double> const t = xt::transpose(m);
  check(xt::transpose(t));  // the same matrix, column by column in memory
  CHECK_THROWS_AS(f(m, 11), kt::shape_error);
  CHECK_THROWS_WITH(f(m, 11), Catch::Contains("reshape") && Catch::Contains("11") && Catch::Contains("12"));
  CHECK_THROWS_AS(f(matrix<double>(3, 3), 9), kt::shape_error);  // 9 elements do not fill 2 x -1 x 2
}

TEST_CASE("extents as values, and numbers spread over shapes") {
  auto f = kt::function([](kt::dmatrix m, kt::ivector i) {
    return std::tuple(m.shape(0), m.shape(-1), zeros_like(m), ones_like(m), full_like(m, 2.5), zeros_like(i), full_like(i, 7), m.shape(0) * i,
                      sum(ones_like(m), kt::axis<1>), ones_like(m) + m, zeros_like(sum(m, kt::axis<0>)), sum(m) / m.shape(1), ones_like(dot(m, m.T())));
  });
  for (auto [n, k] : {std::pair<I, I>{2, 3}, {0, 3}, {1, 1}, {5, 9}}) {
    CAPTURE(n, k);
    auto const m = matrix<double>(n, k);
    vec<std::int32_t> const i{1, 2};
    auto const y = f(m, i);
    double total = 0;
    for (double e : m) total += e;
    CHECK(std::get<0>(y) == static_cast<std::int64_t>(n));
    CHECK(std::get<1>(y) == static_cast<std::int64_t>(k));
    CHECK(std::get<2>(y) == mat<double>(std::array<I, 2>{n, k}, 0.0));
    CHECK(std::get<3>(y) == mat<double>(std::array<I, 2>{n, k}, 1.0));
    CHECK(std::get<4>(y) == mat<double>(std::array<I, 2>{n, k}, 2.5));
    CHECK(std::get<5>(y) == vec<std::int32_t>{0, 0});
    CHECK(std::get<6>(y) == vec<std::int32_t>{7, 7});
    CHECK(mismatch(std::get<7>(y), [&](I p) { return static_cast<std::int64_t>(n * (p + 1)); }) == "");
    CHECK(mismatch(std::get<8>(y), [&](I) { return static_cast<double>(k); }) == "");
    CHECK(mismatch(std::get<9>(y), [&](I a, I b) { return 1 + m(a, b); }) == "");
    CHECK(std::get<10>(y) == vec<double>(std::array<I, 1>{k}, 0.0));
    CHECK(close(std::get<11>(y), total / static_cast<double>(k), 1e-14));
    CHECK(std::get<12>(y) == mat<double>(std::array<I, 2>{n, n}, 1.0));
  }
}
