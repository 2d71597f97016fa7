// Steps of loops on small arrays, which bypass the frame of the body, against the interpreter, which has no other way.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>
#include "run/reference.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

template <class F, class... A>
void check(F const& f, A const&... arguments) {
  auto const made = kt::function(f)(arguments...), expected = kt::function(f, kt::mode::interpret)(arguments...);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto same = [](auto const& a, auto const& b) { CHECK((a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12)); };
    (same(std::get<I>(made), std::get<I>(expected)), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(made)>>>{});
}

matrix waves(std::size_t rows, std::size_t columns) {
  return xt::sin(xt::reshape_view(xt::arange<double>(static_cast<double>(rows * columns)), {rows, columns}));
}

// A chain of products with a transposed factor, products of vectors, scalars, an output of rank 0.
constexpr auto filter = [](kt::dvector y, kt::dmatrix F, kt::dvector h, kt::dvector mean, kt::dmatrix covariance) {
  return scan(
      [&](auto y, auto m, auto P) {
        auto spread = dot(F, dot(P, F.T()));
        auto seen = dot(spread, h);
        auto variance = dot(h, seen) + 1;
        return std::tuple(dot(F, m) + seen * (y / variance), spread - outer(seen, seen) / variance, log(variance));
      },
      kt::sequences(y), kt::outputs_info(mean, covariance, kt::none));
};

}  // namespace

TEST_CASE("scan: steps on small arrays", "[loops]") {
  for (std::size_t n : {1u, 3u, 8u})
    check(filter, vector{1, -2, 3}, matrix(0.3 * waves(n, n)), vector(xt::ones<double>({n})), vector(xt::ones<double>({n})),
          matrix(xt::eye<double>(n)));
  // One function, with arrays that are small and others that are not.
  auto const f = kt::function(filter);
  auto const expected = kt::function(filter, kt::mode::interpret);
  for (std::size_t n : {4u, 200u, 4u}) {
    vector const ones = xt::ones<double>({n});
    matrix const F = 0.1 * waves(n, n), P = xt::eye<double>(n);
    auto const [a, b, c] = f(vector{1, 2}, F, ones, ones, P);
    auto const [d, e, g] = expected(vector{1, 2}, F, ones, ones, P);
    CHECK(xt::allclose(a, d));
    CHECK(xt::allclose(b, e));
    CHECK(xt::allclose(c, g));
  }
}

TEST_CASE("scan: steps on small arrays with gaps, and outputs that are parameters", "[loops]") {
  auto const f = [](kt::dmatrix x, kt::dvector s, kt::dmatrix w) {
    return scan([&](auto e, auto s) { return std::tuple(tanh(dot(w, s) + e), s, e); }, kt::sequences(x),
                kt::outputs_info(s, kt::none, kt::none));
  };
  matrix const x = waves(5, 4), w = waves(4, 4);
  check(f, x, vector{1, 2, 3, 4}, w);
  matrix const tall = waves(4, 5), wide = waves(5, 8);
  check(f, xt::transpose(tall), vector{1, 2, 3, 4}, xt::transpose(w));
  check(f, xt::view(wide, xt::all(), xt::range(0, 8, 2)), xt::view(wide, 1, xt::range(0, 8, 2)), w);
}

TEST_CASE("scan: an index that a small step reads is checked in each", "[loops]") {
  auto const f = kt::function([](kt::lvector at, kt::dmatrix table, kt::dvector s) {
    return scan([&](auto i, auto s) { return s / 2 + table(i); }, kt::sequences(at), kt::outputs_info(s));
  });
  matrix const table{{1, 2}, {3, 4}};
  matrix const found = f(xt::xtensor<std::int64_t, 1>{1, 0, 1}, table, vector{2, 2});
  CHECK(found == matrix{{4, 5}, {3, 4.5}, {4.5, 6.25}});
  CHECK_THROWS_AS(f(xt::xtensor<std::int64_t, 1>{1, 2}, table, vector{2, 2}), kt::error);
}

// Rows go element by element or in batches, as their length and what is done to them say.
TEST_CASE("scan: steps on rows of every few elements", "[loops]") {
  auto best = kt::function([](kt::dmatrix e, kt::dmatrix a, kt::dvector v) {
    return kt::scan([](kt::dvector e, kt::dvector v, kt::dmatrix a) { return max(v + a, kt::axis<1>) + e; }, kt::sequences(e),
                    kt::outputs_info(v), kt::non_sequences(a))(-1);
  });
  auto unit = kt::function([](kt::dmatrix a, kt::dvector v) {
    return kt::scan([](kt::dvector v, kt::dmatrix a) {
      auto y = dot(a, v);
      return y / sqrt(sum(sqr(y)));
    }, kt::outputs_info(v), kt::non_sequences(a), kt::n_steps(5))(-1);
  });
  for (std::size_t n = 1; n <= 9; ++n) {
    auto const e = reference::matrix<double>(5, n), a = reference::matrix<double>(n, n, 2, 0.1, 1);
    vector v = reference::numbers<double>(n, 3), w = v, expected = v;
    for (std::size_t t = 0; t < 5; ++t) {
      for (std::size_t i = 0; i < n; ++i) {
        double largest = v(0) + a(i, 0);
        for (std::size_t j = 1; j < n; ++j) largest = std::fmax(largest, v(j) + a(i, j));
        expected(i) = largest + e(t, i);
      }
      v = expected;
    }
    INFO(n << " elements");
    CHECK(reference::mismatch(best(e, a, w), [&](std::size_t i) { return v(i); }) == "");
    auto spoilt = a;
    spoilt(n - 1, n / 2) = reference::not_a_number;
    CHECK(std::isnan(best(e, spoilt, w)(n - 1)));

    v = w = reference::numbers<double>(n, 4, 0.5, 1);
    for (std::size_t t = 0; t < 5; ++t) {
      double squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        expected(i) = 0;
        for (std::size_t j = 0; j < n; ++j) expected(i) += a(i, j) * v(j);
        squares += expected(i) * expected(i);
      }
      for (std::size_t i = 0; i < n; ++i) v(i) = expected(i) / std::sqrt(squares);
    }
    CHECK(reference::mismatch(unit(a, w), [&](std::size_t i) { return v(i); }, 1e-14) == "");
  }
}

namespace {

template <class T>
void check_small_products() {
  auto f = kt::function([](kt::matrix<T> a, kt::vector<T> x) { return std::tuple(dot(a, x), dot(x, x)); });
  for (std::size_t n = 1; n <= 9; ++n)
    for (std::size_t rows : {1u, 2u, 7u, 8u, 20u}) {
      xt::xtensor<T, 2> const a = reference::matrix<T>(rows, n);
      xt::xtensor<T, 1> const x = reference::numbers<T>(n, 3);
      auto const [product, square] = f(a, x);
      double const epsilon = 8. * static_cast<double>(std::numeric_limits<T>::epsilon());
      double squares = 0;
      for (std::size_t i = 0; i < n; ++i) squares += static_cast<double>(x(i)) * static_cast<double>(x(i));
      INFO(rows << " rows of " << n);
      CHECK(static_cast<double>(square) == Approx(squares).epsilon(epsilon));
      for (std::size_t r = 0; r < rows; ++r) {
        double sum = 0, sizes = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const term = static_cast<double>(a(r, i)) * static_cast<double>(x(i));
          sum += term;
          sizes += std::abs(term);
        }
        CHECK(std::abs(static_cast<double>(product(r)) - sum) <= epsilon * sizes);
      }
    }
}

}  // namespace

TEST_CASE("products of a vector of few elements, with few rows and with many", "[small]") {
  check_small_products<double>();
  check_small_products<float>();
}
