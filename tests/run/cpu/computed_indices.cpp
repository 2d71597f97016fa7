// Indices and extents that a step of a loop, or a small call, computes from arrays of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kt = kroton;

using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<std::int64_t, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

matrix waves(std::size_t rows, std::size_t columns) {
  matrix x(std::array<std::size_t, 2>{rows, columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(double(i * i));
  return x;
}
vector row(matrix const& x, std::size_t i) { return xt::view(x, i, xt::all()); }

std::size_t argmax(vector const& v) {
  return std::size_t(std::max_element(v.begin(), v.end()) - v.begin());
}
std::size_t argmin(vector const& v) {
  return std::size_t(std::min_element(v.begin(), v.end()) - v.begin());
}

}  // namespace

TEST_CASE("a step reads and writes the element that it finds largest") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector start) {
    return scan(
        [](auto e, auto s) {
          auto const n = 0.5 * s + e;
          auto const at = argmax(n);
          return std::tuple(inc_subtensor(n(at), -1.), n(at), e(argmin(s)));
        },
        kt::sequences(x), kt::outputs_info(start, kt::none, kt::none));
  });
  for (std::size_t columns : {1, 5, 70}) {
    matrix const x = waves(9, columns);
    vector s = row(waves(1, columns), 0);
    auto const [states, largest, others] = f(x, s);
    for (std::size_t t = 0; t < 9; ++t) {
      vector n = 0.5 * s + row(x, t);
      std::size_t const at = argmax(n);
      CHECK(largest(t) == Approx(n(at)));
      CHECK(others(t) == x(t, argmin(s)));
      n(at) -= 1;
      s = n;
      for (std::size_t k = 0; k < columns; ++k) CHECK(states(t, k) == Approx(s(k)));
    }
  }
}

TEST_CASE("indices of a step that are sums, elements and selections of other arrays") {
  auto const f = kt::function([](kt::dmatrix x, kt::lvector order, kt::dvector start) {
    return foldl(
        [&](auto e, auto s, auto count) {
          auto const positive = sum(kt::cast<std::int64_t>(s > 0));
          auto const next = order((count + positive) % order.shape(0));
          return std::tuple(set_subtensor(s(next), e(positive - 1)), next + take(order, argmin(e)));
        },
        kt::sequences(x), kt::outputs_info(start, std::int64_t{0}));
  });
  std::size_t const n = 6;
  matrix const x = waves(20, n);
  indices const order{3, 0, 5, 1, 4, 2};
  vector s = row(waves(1, n), 0) + 0.1;
  auto const [found, found_count] = f(x, order, s);
  std::int64_t count = 0;
  for (std::size_t t = 0; t < 20; ++t) {
    std::int64_t const positive = std::count_if(s.begin(), s.end(), [](double v) { return v > 0; });
    std::int64_t const next = order(std::size_t((count + positive) % std::int64_t(n)));
    vector const e = row(x, t);
    s(std::size_t(next)) = e(std::size_t(positive == 0 ? n - 1 : positive - 1));
    count = next + order(argmin(e));
  }
  CHECK(found_count == count);
  for (std::size_t k = 0; k < n; ++k) CHECK(found(k) == s(k));
}

TEST_CASE("extents of a step that depend on each other, each on elements behind the one before") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector start) {
    return scan(
        [&](auto e, auto s) {
          auto const part = (s + e)(kt::slice(0, argmax(s + e) + 1));
          auto const rest = (2. * part)(kt::slice(argmin(part), kt::none));
          return std::tuple(s / 2 + e, sum(rest), max(exp(rest)));
        },
        kt::sequences(x), kt::outputs_info(start, kt::none, kt::none));
  });
  std::size_t const n = 11;
  matrix const x = waves(12, n);
  vector s = row(waves(1, n), 0);
  auto const [states, sums, largest] = f(x, s);
  for (std::size_t t = 0; t < 12; ++t) {
    vector const e = row(x, t), both = s + e;
    vector const part = xt::view(both, xt::range(0, argmax(both) + 1));
    vector const rest = 2. * xt::view(part, xt::range(argmin(part), part.size()));
    CHECK(sums(t) == Approx(xt::sum(rest)()));
    CHECK(largest(t) == Approx(std::exp(rest(argmax(rest)))));
    s = s / 2 + e;
    for (std::size_t k = 0; k < n; ++k) CHECK(states(t, k) == Approx(s(k)));
  }
}

TEST_CASE("a computed index that misses is refused with the step, before anything is written") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector y) {
    return scan([&](auto e, auto s) { return set_subtensor(s(argmax(e)), e(argmin(s))); },
                kt::sequences(x), kt::outputs_info(y));
  });
  matrix x = waves(5, 4);
  x(3, 3) = 2;
  // The state has three elements: in step 3 the largest of e has none.
  for (std::size_t i = 0; i < 3; ++i) x(i, 0) = 2;
  CHECK_THROWS_WITH(f(x, vector{1, 2, 3}),
                    Catch::Contains("step 3 of a scan: index 3 is out of range") &&
                        Catch::Contains("is 3"));
  matrix none(std::array<std::size_t, 2>{2, 0});
  CHECK_THROWS_AS(f(none, vector{1, 2, 3}), kt::value_error);
}

TEST_CASE("a loop whose step finds an index goes on where the step becomes large") {
  auto const f = kt::function([](kt::dvector x, kt::lvector ends, kt::dvector start) {
    return scan(
        [&](auto end, auto s) {
          auto const part = x(kt::slice(0, end)) + s(0);
          return inc_subtensor(s(argmax(part) % 3), part(argmin(part)));
        },
        kt::sequences(ends), kt::outputs_info(start));
  });
  vector const x = row(waves(1, 40'000), 0);
  indices const ends{10, 300, 40'000, 20, 30'000, 1};
  vector s{1, 2, 3};
  for (int call = 0; call < 2; ++call) {
    auto const states = f(x, ends, s);
    vector now = s;
    for (std::size_t t = 0; t < ends.size(); ++t) {
      vector const part = xt::view(x, xt::range(0, ends(t))) + now(0);
      now(argmax(part) % 3) += part(argmin(part));
      for (std::size_t k = 0; k < 3; ++k) CHECK(states(t, k) == Approx(now(k)));
    }
  }
}

TEST_CASE("small calls with a computed index bypass the frame") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) {
    return std::tuple(2. * x(argmax(y * y)), inc_subtensor(x(argmin(x + y)), y(0)));
  });
  direct::check_direct(f);
  vector const x{1, 5, 2, 4}, y{3, -1, -4, 2};
  auto const [element, changed] = f(x, y);
  CHECK(element == 4);
  CHECK(changed == vector{1, 5, 5, 4});
  direct::check_past_frame(f);
  CHECK_THROWS_WITH(f(vector{1, 5}, y), Catch::Contains("is 2"));
}
