// Broadcasting: what is flagged spreads, in every combination of ranks; nothing else does.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

constexpr std::size_t extents[] = {0, 1, 2, 3, 8, 33};

}  // namespace

TEST_CASE("rows, columns, vectors and scalars broadcast against a matrix") {
  auto f = kt::function([](kt::dmatrix m, kt::drow r, kt::dcol c, kt::dvector v, kt::dscalar s) {
    return std::tuple(m + r, m * c, m - v, s * m, r * c, r + s, c - s, v * c, exp(r) + m * sqr(c), where(m > r, c, s), m + 1,
                      r + v, (r + c) * s);
  });
  for (std::size_t n : extents)
    for (std::size_t k : extents) {
      CAPTURE(n, k);
      auto const m = matrix<double>(n, k, 1), r = matrix<double>(1, k, 2), c = matrix<double>(n, 1, 3);
      auto const v = numbers<double>(k, 4);
      double const s = 0.75;
      auto const y = f(m, r, c, v, s);
      auto same = [&](mat<double> const& got, std::size_t rows, std::size_t columns, auto formula) {
        REQUIRE(got.shape()[0] == rows);
        REQUIRE(got.shape()[1] == columns);
        return mismatch(got, formula, 4e-16);
      };
      using I = std::size_t;
      CHECK(same(std::get<0>(y), n, k, [&](I i, I j) { return m(i, j) + r(0, j); }) == "");
      CHECK(same(std::get<1>(y), n, k, [&](I i, I j) { return m(i, j) * c(i, 0); }) == "");
      CHECK(same(std::get<2>(y), n, k, [&](I i, I j) { return m(i, j) - v(j); }) == "");
      CHECK(same(std::get<3>(y), n, k, [&](I i, I j) { return s * m(i, j); }) == "");
      CHECK(same(std::get<4>(y), n, k, [&](I i, I j) { return r(0, j) * c(i, 0); }) == "");
      CHECK(same(std::get<5>(y), 1, k, [&](I, I j) { return r(0, j) + s; }) == "");
      CHECK(same(std::get<6>(y), n, 1, [&](I i, I) { return c(i, 0) - s; }) == "");
      CHECK(same(std::get<7>(y), n, k, [&](I i, I j) { return v(j) * c(i, 0); }) == "");
      CHECK(mismatch(std::get<8>(y), [&](I i, I j) { return std::exp(r(0, j)) + m(i, j) * c(i, 0) * c(i, 0); }, 1e-15, 1e-15) == "");
      CHECK(same(std::get<9>(y), n, k, [&](I i, I j) { return m(i, j) > r(0, j) ? c(i, 0) : s; }) == "");
      CHECK(same(std::get<10>(y), n, k, [&](I i, I j) { return m(i, j) + 1; }) == "");
      CHECK(same(std::get<11>(y), 1, k, [&](I, I j) { return r(0, j) + v(j); }) == "");
      CHECK(mismatch(std::get<12>(y), [&](I i, I j) { return (r(0, j) + c(i, 0)) * s; }, 1e-15, 1e-15) == "");
    }
}

TEST_CASE("new axes broadcast: newaxis, dimshuffle and keepdims") {
  auto f = kt::function([](kt::dvector a, kt::dvector b, kt::dmatrix m) {
    return std::tuple(a(kt::slice(), kt::newaxis) * b(kt::newaxis, kt::slice()), dimshuffle<0, 'x'>(a) - dimshuffle<'x', 0>(b),
                      m - sum(m, kt::axis<1>, kt::keepdims), m / sum(m, kt::axis<0>, kt::keepdims), m - mean(m, kt::keepdims),
                      dimshuffle<'x', 0, 'x', 1>(m) + dimshuffle<0, 'x'>(b), m(kt::slice(), kt::newaxis, kt::slice()) * m);
  });
  for (auto [n, k] : {std::pair<std::size_t, std::size_t>{1, 1}, {2, 3}, {3, 3}, {5, 8}, {9, 33}}) {
    CAPTURE(n, k);
    auto const a = numbers<double>(n, 1), b = numbers<double>(k, 2);
    auto const m = matrix<double>(n, k, 3, 0.5, 1);
    auto const y = f(a, b, m);
    using I = std::size_t;
    auto row_sum = [&](I i) { double t = 0; for (I j = 0; j < k; ++j) t += m(i, j); return t; };
    auto column_sum = [&](I j) { double t = 0; for (I i = 0; i < n; ++i) t += m(i, j); return t; };
    double total = 0;
    for (I i = 0; i < n; ++i) total += row_sum(i);
    CHECK(mismatch(std::get<0>(y), [&](I i, I j) { return a(i) * b(j); }) == "");
    CHECK(mismatch(std::get<1>(y), [&](I i, I j) { return a(i) - b(j); }) == "");
    CHECK(mismatch(std::get<2>(y), [&](I i, I j) { return m(i, j) - row_sum(i); }, 1e-14, 1e-14) == "");
    CHECK(mismatch(std::get<3>(y), [&](I i, I j) { return m(i, j) / column_sum(j); }, 1e-14) == "");
    CHECK(mismatch(std::get<4>(y), [&](I i, I j) { return m(i, j) - total / static_cast<double>(n * k); }, 1e-14, 1e-14) == "");
    CHECK(std::get<5>(y).shape() == std::array<std::size_t, 4>{1, n, k, k});
    CHECK(mismatch(std::get<5>(y), [&](I, I i, I p, I j) { return m(i, j) + b(p); }) == "");
    CHECK(std::get<6>(y).shape() == std::array<std::size_t, 3>{n, n, k});
    CHECK(mismatch(std::get<6>(y), [&](I i, I p, I j) { return m(i, j) * m(p, j); }) == "");
  }
}

TEST_CASE("dimshuffle without axes takes the one element") {
  auto f = kt::function([](kt::dvector a, kt::dscalar s) {
    return std::tuple(kt::dimshuffle<>(sum(a, kt::keepdims)) + 1, kt::dimshuffle<>(2 * s));
  });
  auto const a = numbers<double>(3, 1);
  auto const [total, twice] = f(a, 4.);
  CHECK(total == Approx(a(0) + a(1) + a(2) + 1));
  CHECK(twice == 8);
}

TEST_CASE("four dimensions, each operand missing others") {
  auto f = kt::function([](kt::dtensor4 t, kt::dtensor3 u, kt::dmatrix m, kt::dvector v) {
    return std::tuple(t + u, t * m, t - v, u * m + v, dimshuffle<0, 'x', 'x', 1>(m) * t, sum(t * u * m * v));
  });
  xt::xtensor<double, 4> t(std::array<std::size_t, 4>{3, 4, 3, 5});
  xt::xtensor<double, 3> u(std::array<std::size_t, 3>{4, 3, 5});
  for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = std::sin(static_cast<double>(i));
  for (std::size_t i = 0; i < u.size(); ++i) u.data()[i] = std::cos(static_cast<double>(i));
  auto const m = matrix<double>(3, 5, 1);
  auto const v = numbers<double>(5, 2);
  auto const y = f(t, u, m, v);
  using I = std::size_t;
  CHECK(mismatch(std::get<0>(y), [&](I a, I b, I c, I d) { return t(a, b, c, d) + u(b, c, d); }) == "");
  CHECK(mismatch(std::get<1>(y), [&](I a, I b, I c, I d) { return t(a, b, c, d) * m(c, d); }) == "");
  CHECK(mismatch(std::get<2>(y), [&](I a, I b, I c, I d) { return t(a, b, c, d) - v(d); }) == "");
  CHECK(mismatch(std::get<3>(y), [&](I b, I c, I d) { return u(b, c, d) * m(c, d) + v(d); }, 1e-15, 1e-15) == "");
  CHECK(mismatch(std::get<4>(y), [&](I a, I b, I c, I d) { return m(a, d) * t(a, b, c, d); }) == "");
  double total = 0;
  for (I a = 0; a < 3; ++a)
    for (I b = 0; b < 4; ++b)
      for (I c = 0; c < 3; ++c)
        for (I d = 0; d < 5; ++d) total += t(a, b, c, d) * u(b, c, d) * m(c, d) * v(d);
  CHECK(close(std::get<5>(y), total, 1e-12));
}
