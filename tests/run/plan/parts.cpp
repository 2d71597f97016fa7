// What a join lays one behind the other, and what is written to most of an array, is computed where
// it comes to lie.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include "run/seed.hpp"

#include <vector>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = std::vector<double>;

/// A graph of vectors, and what each of them is, found element by element.
class growing_graph {
 public:
  explicit growing_graph(std::mt19937& random) : random_(random) {
    for (int p = 0; p < 3; ++p) {
      vector values(1 + below(4));
      for (double& v : values) v = static_cast<double>(below(100)) - 50;
      given.push_back(values);
      add(kt::dvector(kt::term{&g, g.input({kt::element::float64, 1, 0}, p)}), values);
    }
    for (int k = 0; k < 12; ++k) grow();
    result(known_.size() - 1);
    for (int k = 0; k < 3; ++k) result(below(known_.size()));
  }

  kt::graph g;
  std::vector<vector> given, wanted;

 private:
  struct known {
    kt::dvector x;
    vector values;
  };
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  known const& any() { return known_[below(known_.size())]; }
  void add(kt::dvector x, vector values) {
    if (values.size() <= 200) known_.push_back({x, values});
  }
  void result(std::size_t k) {
    g.results().push_back(known_[k].x.id);
    wanted.push_back(known_[k].values);
  }
  template <class F>
  static vector each(vector x, F f) {
    for (double& v : x) v = f(v);
    return x;
  }
  void grow() {
    known const a = any(), b = any(), c = any();
    switch (below(9)) {
      case 0: return add(a.x * 2 - 1, each(a.values, [](double v) { return v * 2 - 1; }));
      case 1:
        return add(a.x(kt::slice(kt::none, kt::none, -1)),
                   vector(a.values.rbegin(), a.values.rend()));
      case 2: {
        vector sums = a.values;
        for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
        return add(kt::cumsum(a.x), sums);
      }
      case 3: {
        vector written = a.values;
        written[0] += 3;
        return add(kt::inc_subtensor(a.x(0), 3.0), written);
      }
      case 4: {
        vector states;
        double s = 0;
        for (double v : a.values) states.push_back(s = 0.5 * s + v);
        auto const y = kt::scan([](auto v, auto last) { return 0.5 * last + v; },
                                kt::sequences(a.x), kt::outputs_info(0.0));
        return add(y, states);
      }
      case 5: {
        vector written = a.values;
        for (std::size_t i = 1; i < written.size(); ++i) written[i] = 3 - a.values[i - 1];
        auto const from = a.x(kt::slice(kt::none, -1));
        return add(kt::set_subtensor(a.x(kt::slice(1, kt::none)), 3 - from), written);
      }
      case 6: {
        vector written = a.values;
        for (std::size_t i = 0; i + 1 < written.size(); ++i)
          written[i] = a.values[i] * b.values[0] + 1;
        auto const part = a.x(kt::slice(kt::none, -1));
        return add(kt::set_subtensor(part, part * b.x(0) + 1), written);
      }
      default: {
        vector all = a.values;
        all.insert(all.end(), b.values.begin(), b.values.end());
        if (below(2) == 0) return add(kt::concatenate(a.x, b.x), all);
        all.insert(all.end(), c.values.begin(), c.values.end());
        return add(kt::concatenate(a.x, b.x, c.x), all);
      }
    }
  }

  std::mt19937& random_;
  std::vector<known> known_;
};

}  // namespace

TEST_CASE("values that are parts of others are those of a plain computation", "[parts]") {
  std::mt19937 random = seeded_generator();
  int parts = 0, written = 0;
  for (int round = 0; round < 400; ++round) {
    growing_graph made(random);
    REQUIRE(made.g.error() == "");
    kt::ops::collect_constraints(made.g);
    for (kt::stage last : {kt::stage::as_written, kt::stage::specialize}) {
      CAPTURE(round, last);
      auto const p = kt::runtime::make_program(made.g, last, {});
      for (auto const& step : p->tables().steps) {
        parts += step.kind == kt::core::step_kind::joined_part ? 1 : 0;
        written += step.kind == kt::core::step_kind::written_part ? 1 : 0;
      }
      kt::cpu::frame f(p->tables());
      std::vector<kt::runtime::array> given, results;
      for (vector const& v : made.given) {
        given.push_back(kt::runtime::array(kt::element::float64, {v.size()}));
        std::copy(v.begin(), v.end(), given.back().data<double>());
      }
      for (std::size_t k = 0; k < given.size(); ++k) f.bind(static_cast<int>(k), given[k].ref());
      for (int call = 0; call < 2; ++call) {
        kt::runtime::run_program(*p, f, results);
        for (std::size_t k = 0; k < results.size(); ++k) {
          vector const& wanted = made.wanted[k];
          REQUIRE(results[k].ref().extents[0] == static_cast<std::ptrdiff_t>(wanted.size()));
          for (std::size_t i = 0; i < wanted.size(); ++i)
            CHECK(results[k].data<double>()[i] == Approx(wanted[i]));
        }
      }
    }
  }
  CHECK(parts > 600);
  CHECK(written > 300);
}

TEST_CASE("a history of states is stored once", "[parts]") {
  auto const history = [](kt::dvector x, kt::dscalar start) {
    auto const y =
        scan([](auto v, auto s) { return tanh(s + v); }, kt::sequences(x), kt::outputs_info(start));
    auto const all = concatenate(stack(start), y);
    return sum(all(kt::slice(0, -1)) * y) + all(-1);
  };
  auto f = kt::function(history);
  xt::xtensor<double, 1> const x{0.5, -1, 2, 0.25};
  double s = 0.3, sum = 0;
  for (double v : x) {
    double const next = std::tanh(s + v);
    sum += s * next;
    s = next;
  }
  CHECK(f(x, 0.3) == Approx(sum + s).epsilon(1e-14));
  CHECK(f(x, 0.3) == Approx(sum + s).epsilon(1e-14));
}

TEST_CASE("parts lie in the memory of a result, too", "[parts]") {
  auto const joined = [](kt::dmatrix a, kt::dmatrix b) {
    return concatenate(cumsum(a, kt::axis<0>), b, dot(a, b), cumsum(b, kt::axis<1>));
  };
  xt::xtensor<double, 2> const a{{1, 2}, {3, 4}}, b{{5, 6}, {7, 8}};
  xt::xtensor<double, 2> const wanted{{1, 2},   {4, 6},   {5, 6},  {7, 8},
                                      {19, 22}, {43, 50}, {5, 11}, {7, 15}};
  auto f = kt::function(joined);
  CHECK((f(a, b) == wanted));
  auto interpreted = kt::function(joined, kt::mode::interpret);
  CHECK((interpreted(a, b) == wanted));
  // A target that is an argument, too, keeps its old elements until the end.
  xt::xtensor<double, 2> into = a;
  f.into(into, into, b);
  CHECK((into == wanted));
}

TEST_CASE("a write to a part of a part takes its place", "[parts]") {
  auto const joined = [](kt::dvector x, kt::dvector y) {
    auto const written = inc_subtensor(cumsum(x)(kt::slice(1, 3)), y);
    auto const inner = concatenate(written, cumprod(x));
    return concatenate(cumsum(y), inner, written);
  };
  xt::xtensor<double, 1> const x{1, 2, 3}, y{10, 20}, wanted{10, 30, 1, 13, 26, 1, 2, 6, 1, 13, 26};
  CHECK((kt::function(joined)(x, y) == wanted));
  CHECK((kt::function(joined, kt::mode::interpret)(x, y) == wanted));
}

TEST_CASE("parts of what lies in the state of a small call", "[parts]") {
  // All extents are numbers, so that slots are a part of the state
  auto const f = [](kt::fixed<double, 3> x, kt::dscalar a) {
    auto const inner = concatenate(cumsum(x), stack(a, 2 * a));
    auto const all = concatenate(x, inner, cumprod(x));
    return sum(sqr(all)) + all(5) - dot(all(kt::slice(0, 5)), inner);
  };
  xt::xtensor<double, 1> const x{1, 2, 3};
  double const squares = 14 + 1 + 9 + 36 + 0.25 + 1 + 1 + 4 + 36,
               wanted = squares + 6 - (1 + 6 + 18 + 0.5 + 3);
  CHECK(kt::function(f)(x, 0.5) == Approx(wanted));
  CHECK(kt::function(f, kt::mode::interpret)(x, 0.5) == Approx(wanted));
}

TEST_CASE("what a shared variable becomes has no parts while its old value is read", "[parts]") {
  using vector = xt::xtensor<double, 1>;
  auto const check = [](auto f, double result, vector const& next) {
    for (int mode = 0; mode < 2; ++mode) {
      kt::shared<double, 1> w(vector{1, 2, 3});
      using two = kt::fixed<double, 2>;
      using three = kt::fixed<double, 3>;
      if (mode == 0) CHECK(kt::function<two, three>(f, w)(vector{10, 20}) == result);
      else CHECK(kt::function<two, three>(f, w, kt::mode::interpret)(vector{10, 20}) == result);
      CHECK((w.get_value() == next));
    }
  };
  check(
      [](auto x, auto w) {
        auto const sums = cumsum(x), products = cumprod(w);
        return kt::outputs(sums(0) + products(1))
            .update(w, concatenate(sums, products(kt::slice(2, 3))));
      },
      12, {10, 30, 6});
  check(
      [](auto x, auto w) {
        auto const products = cumprod(w), sums = cumsum(x);
        return kt::outputs(sums(0) + products(1))
            .update(w, concatenate(products(kt::slice(2, 3)), sums));
      },
      12, {6, 10, 30});
}

TEST_CASE("vectors that steps compute are stacked, in small calls and in large ones", "[parts]") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix b) {
    auto p = sum(a, kt::axis<0>), q = max(b, kt::axis<0>), r = cumsum(p);
    auto s = kt::stack<0>(p, q, r);
    return std::tuple(s, exp(s / 100), p * 2, sum(p * q), kt::stack<0>(q, p), kt::stack<0>(p, p),
                      kt::concatenate<0>(a, kt::dimshuffle<'x', 0>(r)));
  });
  using matrix = xt::xtensor<double, 2>;
  using row = xt::xtensor<double, 1>;
  for (std::size_t n : {1u, 2u, 3u, 4u, 7u, 16u, 33u, 150u}) {
    INFO(n);
    matrix a(std::array{n, n}), b(std::array{n, n});
    for (std::size_t i = 0; i < n * n; ++i)
      a.flat(i) = static_cast<double>(i % 7) - 3, b.flat(i) = static_cast<double>(i % 11) - 4;
    row const p = xt::sum(a, {0}), q = xt::amax(b, {0}), r = xt::cumsum(p);
    auto const stacked = [&](std::vector<row> const& rows) {
      matrix all(std::array{rows.size(), n});
      for (std::size_t k = 0; k < rows.size(); ++k)
        xt::row(all, static_cast<std::ptrdiff_t>(k)) = rows[k];
      return all;
    };
    for (int call = 0; call < 2; ++call) {
      auto const [s, e, twice, product, exchanged, same, joined] = f(a, b);
      CHECK(s == stacked({p, q, r}));
      CHECK(xt::allclose(e, xt::exp(stacked({p, q, r}) / 100)));
      CHECK(twice == 2 * p);
      CHECK(product == xt::sum(p * q)());
      CHECK(exchanged == stacked({q, p}));
      CHECK(same == stacked({p, p}));
      CHECK(joined == matrix(xt::concatenate(xt::xtuple(a, stacked({r})), 0)));
    }
  }
}
