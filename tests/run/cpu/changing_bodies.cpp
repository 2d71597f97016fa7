// Bodies of loops whose extents, indices and branches change from step to step.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <string>

namespace kt = kroton;

using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<std::int64_t, 1>;

namespace {

vector waves(std::size_t n) {
  vector x(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(double(i));
  return x;
}

// Steps of up to 16384 elements are small calls, larger ones are not.
indices const ends{10, 300, 40'000, 20, 30'000, 1};

}  // namespace

TEST_CASE("a loop goes on where a step becomes large") {
  auto const f = kt::function([](kt::dvector x, kt::lvector ends, kt::dvector start) {
    return scan(
        [&](auto end, auto before_last, auto last) {
          return last / 2 - before_last / 4 + sum(sqr(x(kt::slice(0, end))) + last);
        },
        kt::sequences(ends), kt::outputs_info(kt::taps<-2, -1>(start)));
  });
  vector const x = waves(40'000), start{1, 0.5};
  for (int call = 0; call < 2; ++call) {
    vector const found = f(x, ends, start);
    REQUIRE(found.size() == ends.size());
    double before_last = start(0), last = start(1);
    for (std::size_t t = 0; t < ends.size(); ++t) {
      double sum = 0;
      for (std::int64_t i = 0; i < ends(t); ++i) sum += x(std::size_t(i)) * x(std::size_t(i)) + last;
      double const next = last / 2 - before_last / 4 + sum;
      CHECK(found(t) == Approx(next).epsilon(1e-12));
      before_last = last;
      last = next;
    }
  }
}

TEST_CASE("stacks of unknown length, and a state that is overwritten, go on with a large step") {
  auto const f = kt::function([](kt::dvector x, kt::lvector ends, kt::dvector counts) {
    return scan(
        [&](auto end, auto counts) {
          auto const total = sum(sqr(x(kt::slice(0, end))));
          auto const after = inc_subtensor(counts(end % 4), total);
          return kt::until(eq(end, 30'000), after, total);
        },
        kt::sequences(ends), kt::outputs_info(counts, kt::none));
  });
  auto const last = kt::function([](kt::dvector x, kt::lvector ends, kt::dvector counts) {
    return foldl(
        [&](auto end, auto counts) {
          return inc_subtensor(counts(end % 4), sum(sqr(x(kt::slice(0, end)))));
        },
        kt::sequences(ends), kt::outputs_info(counts));
  });
  vector const x = waves(40'000);
  auto const [counts, totals] = f(x, ends, vector{0, 0, 0, 0});
  vector const last_counts = last(x, xt::view(ends, xt::range(0, 5)), vector{0, 0, 0, 0});
  REQUIRE(totals.size() == 5);
  REQUIRE(counts.shape()[0] == 5);
  vector expected{0, 0, 0, 0};
  for (std::size_t t = 0; t < 5; ++t) {
    double sum = 0;
    for (std::int64_t i = 0; i < ends(t); ++i) sum += x(std::size_t(i)) * x(std::size_t(i));
    CHECK(totals(t) == Approx(sum).epsilon(1e-12));
    expected(std::size_t(ends(t) % 4)) += sum;
    for (std::size_t k = 0; k < 4; ++k) CHECK(counts(t, k) == Approx(expected(k)).epsilon(1e-12));
  }
  for (std::size_t k = 0; k < 4; ++k)
    CHECK(last_counts(k) == Approx(expected(k)).epsilon(1e-12));
}

TEST_CASE("a wrong index in a later step is refused as in the first") {
  auto const f = kt::function([](kt::dvector x, kt::lvector at) {
    return foldl([&](auto i, auto x) { return set_subtensor(x(i), x(i + 1) + 1); },
                 kt::sequences(at), kt::outputs_info(x));
  });
  CHECK((f(vector{1, 2, 3}, indices{0, 1, 0}) == vector{5, 4, 3}));
  auto const message = [&](indices const& at) {
    try {
      f(vector{1, 2, 3}, at);
    } catch (kt::value_error const& e) { return std::string(e.what()); }
    return std::string();
  };
  std::string const first = message({2}), later = message({0, 1, 2});
  CHECK(first.find("step 0 of a scan: index 3 is out of range") == 0);
  CHECK(later == "step 2" + first.substr(6));
}

TEST_CASE("branches of bodies, of which one is computed in each step") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h, kt::dscalar limit) {
    return scan(
        [&](auto x, auto h) {
          return kt::ifelse(gt(sum(h), limit), h / 2 + x,
                            kt::ifelse(gt(x(0), 0), sqr(h) + x, x));
        },
        kt::sequences(x), kt::outputs_info(h));
  });
  xt::xtensor<double, 2> const x{{1, 2}, {-1, 0.5}, {0.25, -3}, {-2, -1}, {1, 1}};
  xt::xtensor<double, 2> const found = f(x, vector{1, 1}, 2.5);
  double a = 1, b = 1;
  for (std::size_t t = 0; t < 5; ++t) {
    bool const large = a + b > 2.5, positive = x(t, 0) > 0;
    a = (large ? a / 2 : positive ? a * a : 0) + x(t, 0);
    b = (large ? b / 2 : positive ? b * b : 0) + x(t, 1);
    CHECK(found(t, 0) == Approx(a));
    CHECK(found(t, 1) == Approx(b));
  }
}

TEST_CASE("a chain of three products in a body takes the cheaper order, whichever it is") {
  auto const f = kt::function([](kt::dmatrix p, kt::dmatrix k, kt::dmatrix h) {
    return foldl([&](auto p) { return p / 2 - dot(k, dot(h, p)); }, kt::outputs_info(p),
                 kt::n_steps(2));
  });
  for (std::size_t inner : {std::size_t(1), std::size_t(9)}) {
    xt::xtensor<double, 2> p({3, 3}), k({3, inner}), h({inner, 3});
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) p(i, j) = double(i) - double(2 * j) + 0.5;
    for (std::size_t i = 0; i < 3 * inner; ++i) {
      k.data()[i] = std::sin(double(i));
      h.data()[i] = std::cos(double(i));
    }
    xt::xtensor<double, 2> const found = f(p, k, h);
    xt::xtensor<double, 2> expected = p;
    for (int step = 0; step < 2; ++step) {
      xt::xtensor<double, 2> const before = expected;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          double sum = 0;
          for (std::size_t a = 0; a < inner; ++a)
            for (std::size_t b = 0; b < 3; ++b) sum += k(i, a) * h(a, b) * before(b, j);
          expected(i, j) = before(i, j) / 2 - sum;
        }
    }
    for (std::size_t i = 0; i < 9; ++i)
      CHECK(found.data()[i] == Approx(expected.data()[i]).epsilon(1e-12));
  }
}

TEST_CASE("sequences with gaps, also where a step becomes large") {
  auto const f = kt::function([](kt::dvector x, kt::dmatrix y, kt::lvector ends, kt::dvector h) {
    return scan([&](auto y, auto end, auto h) { return h / 2 + y * sum(x(kt::slice(0, end))); },
                kt::sequences(y.T(), ends), kt::outputs_info(h));
  });
  vector const x = waves(40'000);
  xt::xtensor<double, 2> y({2, 6});
  for (std::size_t i = 0; i < 12; ++i) y.data()[i] = double(i) - 3;
  xt::xtensor<double, 2> const found = f(x, y, ends, vector{1, 2});
  double h[] = {1, 2};
  for (std::size_t t = 0; t < 6; ++t) {
    double sum = 0;
    for (std::int64_t i = 0; i < ends(t); ++i) sum += x(std::size_t(i));
    for (std::size_t k = 0; k < 2; ++k) {
      h[k] = h[k] / 2 + y(k, t) * sum;
      CHECK(found(t, k) == Approx(h[k]).epsilon(1e-11));
    }
  }
}

TEST_CASE("elements and rows of arrays of any type that are written in a body") {
  auto const f = kt::function([](kt::lvector at, kt::lvector counts, kt::dmatrix m) {
    auto const counted = foldl([](auto i, auto c) { return inc_subtensor(c(i), 2); },
                               kt::sequences(at), kt::outputs_info(counts));
    auto const cells = foldl([](auto i, auto m) { return inc_subtensor(m(i, 1), m(0, i % 2)); },
                             kt::sequences(at), kt::outputs_info(m));
    // What is written is a view of what it is written to: the same row, or another one
    auto const rows = foldl([](auto i, auto m) { return inc_subtensor(m(i), m((i * 2) % 3)); },
                            kt::sequences(at), kt::outputs_info(m));
    return std::tuple(counted, cells, rows);
  });
  indices const at{0, 2, 1, 2};
  xt::xtensor<double, 2> const m{{1, 2}, {3, 4}, {5, 6}};
  auto const [counted, cells, rows] = f(at, indices{5, 6, 7}, m);
  CHECK((counted == indices{7, 8, 11}));
  xt::xtensor<double, 2> by_cells = m, by_rows = m;
  for (std::int64_t i : at) {
    auto const row = std::size_t(i), other = std::size_t(i * 2 % 3);
    by_cells(row, 1) += by_cells(0, row % 2);
    for (std::size_t k = 0; k < 2; ++k) by_rows(row, k) += by_rows(other, k);
  }
  CHECK((cells == by_cells));
  CHECK((rows == by_rows));
}

TEST_CASE("a body that returns a view with gaps") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix p) {
    return scan([&](auto p) { return std::tuple(tanh(dot(a, p)).T(), p(kt::slice(), 0)); },
                kt::outputs_info(p, kt::none), kt::n_steps(2));
  });
  xt::xtensor<double, 2> const a{{0.5, 1}, {-1, 0.25}}, p{{1, 2}, {3, -4}};
  auto const [states, columns] = f(a, p);
  xt::xtensor<double, 2> now = p;
  for (std::size_t t = 0; t < 2; ++t) {
    for (std::size_t i = 0; i < 2; ++i) CHECK(columns(t, i) == now(i, 0));
    xt::xtensor<double, 2> const before = now;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j) {
        now(j, i) = std::tanh(a(i, 0) * before(0, j) + a(i, 1) * before(1, j));
        CHECK(states(t, j, i) == Approx(now(j, i)));
      }
  }
}
