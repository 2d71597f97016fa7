// Gradients of loops with sums of exponentials: against the same steps without a loop, however the
// sums are written.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

#include <cmath>
#include <limits>
#include <sstream>

namespace kt = kroton;

namespace {

using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

/// Equal to so many units in the last place of 1, or of larger numbers.
template <class A, class B>
bool near(A const& a, B const& b, double most = 1e-14) {
  if (a.shape() != b.shape()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto const x = static_cast<double>(a.flat(i)), y = static_cast<double>(b.flat(i));
    if (std::isnan(x) != std::isnan(y) || std::abs(x - y) > most * std::max(1.0, std::abs(y)))
      return false;
  }
  return true;
}

// Ways to write log sum_i exp(a_i + m_ij).
struct over_columns {
  constexpr auto operator()(auto m, auto a) const {
    return logsumexp(kt::dimshuffle<0, 'x'>(a) + m, kt::axis<0>);
  }
};
struct over_rows {
  constexpr auto operator()(auto m, auto a) const { return logsumexp(a + m.T(), kt::axis<1>); }
};
struct written_out {
  constexpr auto operator()(auto m, auto a) const {
    return log(sum(exp(kt::dimshuffle<0, 'x'>(a) + m), kt::axis<0>));
  }
};
struct with_axes {
  constexpr auto operator()(auto m, auto a) const {
    auto e = exp(kt::dimshuffle<0, 'x'>(a) + m);
    return log(sum(e, kt::axis<0>, kt::keepdims))(0);
  }
};
struct negative {
  constexpr auto operator()(auto m, auto a) const {
    return logsumexp(-(-kt::dimshuffle<0, 'x'>(a) - m), kt::axis<0>);
  }
};

template <class Sums>
constexpr auto likelihood = [](kt::dmatrix seen, kt::dmatrix moves) {
  auto a = scan([&](auto now, auto before) { return now + Sums{}(moves, before); },
                kt::sequences(seen(kt::slice(1, kt::none))), kt::outputs_info(seen(0)));
  return logsumexp(a(-1));
};
constexpr auto four_steps = [](kt::dmatrix seen, kt::dmatrix moves) {
  auto a = seen(0) + 0;
  for (int t = 1; t < 5; ++t)
    a = seen(t) + logsumexp(kt::dimshuffle<0, 'x'>(a) + moves, kt::axis<0>);
  return logsumexp(a);
};
template <class F>
struct with_gradient {
  constexpr auto operator()(kt::dmatrix seen, kt::dmatrix moves) const {
    auto const value = F{}(seen, moves);
    return std::tuple_cat(std::tuple(value), grad(value, seen, moves));
  }
};

matrix noise(std::size_t n, std::size_t k, double scale, double offset = 0) {
  matrix x(std::array<std::size_t, 2>{n, k});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = offset + scale * std::sin(12.9898 * static_cast<double>(i + 1) +
                                          7 * static_cast<double>(i * i % 11));
  return x;
}

}  // namespace

TEMPLATE_TEST_CASE("the gradient of the forward algorithm", "", over_columns, over_rows,
                   written_out, with_axes, negative) {
  auto const loop = kt::function(with_gradient<decltype(likelihood<TestType>)>{});
  auto const steps = kt::function(with_gradient<decltype(four_steps)>{});
  for (std::size_t states : {1u, 2u, 3u, 8u, 16u, 19u, 70u})
    for (double offset : {0., 1e6, -1e6}) {
      CAPTURE(states, offset);
      matrix const seen = noise(5, states, 2), moves = noise(states, states, 3, offset);
      auto const [value, of_seen, of_moves] = loop(seen, moves);
      auto const [same_value, same_of_seen, same_of_moves] = steps(seen, moves);
      CHECK(std::abs(value - same_value) <= 1e-14 * std::max(1.0, std::abs(same_value)));
      // Rounding of the arguments of exp, of numbers of this size, is in both.
      double const most = 1e-14 * static_cast<double>(states) + 1e-15 * std::abs(offset);
      CHECK(near(of_seen, same_of_seen, most));
      CHECK(near(of_moves, same_of_moves, 4 * most));
    }
}

TEST_CASE("states that cannot be reached, and ties") {
  auto const loop = kt::function(with_gradient<decltype(likelihood<over_columns>)>{});
  auto const steps = kt::function(with_gradient<decltype(four_steps)>{});
  double const never = -std::numeric_limits<double>::infinity();
  matrix const seen = noise(5, 3, 1);
  matrix const moves{{-1, -1, never}, {-1, never, 0}, {0.5, 0.5, -800}};
  auto const [value, of_seen, of_moves] = loop(seen, moves);
  auto const [same_value, same_of_seen, same_of_moves] = steps(seen, moves);
  CHECK(std::abs(value - same_value) < 1e-14);
  CHECK(near(of_seen, same_of_seen));
  CHECK(near(of_moves, same_of_moves));
  CHECK(of_moves(0, 2) == 0);
  matrix const equal = xt::zeros<double>({3, 3});
  auto const [v, s, m] = loop(matrix(xt::zeros<double>({5, 3})), equal);
  CHECK(std::abs(v - 5 * std::log(3.)) < 1e-14);
  CHECK(near(m, matrix(xt::ones<double>({3, 3}) * 4 / 9.)));
}

TEST_CASE("no step of the gradient looks for a maximum again") {
  auto steps_back = [](auto const& f) {
    std::ostringstream out;
    kt::debugprint(f, out);
    std::string const text = out.str(), optimized = text.substr(text.find("optimized"));
    return optimized.substr(optimized.find("\nbody 2\n"));
  };
  for (std::string const& text :
       {steps_back(kt::function(with_gradient<decltype(likelihood<over_columns>)>{})),
        steps_back(kt::function(with_gradient<decltype(likelihood<over_rows>)>{})),
        steps_back(kt::function(with_gradient<decltype(likelihood<written_out>)>{}))}) {
    std::string const body = text.substr(0, text.find("\nsteps\n"));
    CHECK(body.find("exp") != std::string::npos);
    CHECK(body.find("max") == std::string::npos);
  }
}

TEST_CASE("attention in a loop, its softmax written in two ways") {
  auto attention = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix keys, auto weights) {
    auto h = scan([&](auto x, auto h) { return tanh(x + dot(weights(dot(keys, h)), keys)); },
                  kt::sequences(x), kt::outputs_info(h0));
    return sum(sqr(h));
  };
  static constexpr auto by_op = [](auto s) { return softmax(s); };
  static constexpr auto by_hand = [](auto s) {
    auto e = exp(s);
    return e / sum(e);
  };
  static constexpr auto cost = decltype(attention){};
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix keys) {
    auto c = cost(x, h0, keys, by_op);
    return std::tuple_cat(std::tuple(c), grad(c, x, h0, keys));
  });
  auto const g = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix keys) {
    auto c = cost(x, h0, keys, by_hand);
    return std::tuple_cat(std::tuple(c), grad(c, x, h0, keys));
  });
  auto const value = kt::function(
      [](kt::dmatrix x, kt::dvector h0, kt::dmatrix keys) { return cost(x, h0, keys, by_op); });
  matrix const x = noise(6, 4, 1), keys = noise(5, 4, 1.5);
  vector const h0{0.1, -0.2, 0.3, 0.4};
  auto const [c, of_x, of_h, of_keys] = f(x, h0, keys);
  auto const [d, also_of_x, also_of_h, also_of_keys] = g(x, h0, keys);
  CHECK(std::abs(c - d) < 1e-14);
  CHECK(near(of_x, also_of_x));
  CHECK(near(of_h, also_of_h));
  CHECK(near(of_keys, also_of_keys));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    matrix up = keys, down = keys;
    up.flat(i) += 1e-5;
    down.flat(i) -= 1e-5;
    CHECK(std::abs((value(x, h0, up) - value(x, h0, down)) / 2e-5 - of_keys.flat(i)) < 1e-8);
  }
}
