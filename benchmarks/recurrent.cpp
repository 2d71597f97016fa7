// Loops of products: recurrent networks, a hidden Markov model and a Kalman filter, next to programs written by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/networks.hpp"
#include "harness/matrices.hpp"

#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#if defined(BENCH_EIGEN)
#include <Eigen/Dense>
#endif

namespace kt = kroton;

namespace {

constexpr std::size_t steps = 100, units = 64;

template <class T, std::size_t R>
using array = xt::xtensor<T, R>;

/// Numbers between -scale and scale that look like noise.
template <class T, std::size_t R>
array<T, R> noise(std::array<std::size_t, R> const& shape, double scale) {
  auto x = array<T, R>::from_shape(shape);
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = static_cast<T>(scale * std::sin(static_cast<double>(i * i % 7919) + 0.5));
  return x;
}

bench::contest contest(bench::program& p, std::string const& title, std::string const& column, double items, double tolerance) {
  bench::contest c(p, title, bench::nanoseconds("a step"), column, items);
  c.tolerance(tolerance);
  return c;
}
template <class T>
constexpr double tolerance = sizeof(T) == 8 ? 1e-9 : 2e-3;

// ---- tanh ----------------------------------------------------------------------------------------

/// Of vectors, or of matrices with a row for each example.
constexpr auto tanh_network = [](auto x, auto U, auto W, auto b, auto start) {
  return scan([&](auto x, auto h) { return tanh(dot(x, U) + dot(h, W) + b); }, kt::sequences(x), kt::outputs_info(start));
};
constexpr auto tanh_gradients = [](auto x, auto U, auto W, auto b, auto start) {
  return grad(0.5f * sum(sqr(tanh_network(x, U, W, b, start))), U, W, b, start);
};

template <class T, int Rank>
void tanh_case(bench::program& p, bool with_gradients, std::size_t rows, std::string const& column) {
  auto c = contest(p, with_gradients ? "tanh network, all gradients" : "tanh network", column, steps, tolerance<T>);
  if (!c) return;
  auto x3 = noise<T, 3>({steps, rows, units}, 1);
  auto const U = noise<T, 2>({units, units}, 0.1), W = noise<T, 2>({units, units}, 0.15);
  auto const b = noise<T, 1>({units}, 0.1);
  auto start2 = noise<T, 2>({rows, units}, 0.5);
  auto x = [&] {
    if constexpr (Rank == 3) return x3;
    else return array<T, 2>(xt::reshape_view(x3, {steps, units}));
  }();
  auto start = [&] {
    if constexpr (Rank == 3) return start2;
    else return array<T, 1>(xt::reshape_view(start2, {units}));
  }();
  hand::tanh_network<T> by_hand(steps, rows, units, units);
  using X = kt::variable<T, Rank>;
  using S = kt::variable<T, Rank - 1>;
  using M = kt::matrix<T>;
  if (with_gradients) {
    c.add("by hand", [&] { by_hand.gradients(x.data(), U.data(), W.data(), b.data(), start.data()); },
          [&] { return std::tie(by_hand.of_U, by_hand.of_W, by_hand.of_b, by_hand.of_start); });
    auto f = kt::function<X, M, M, kt::vector<T>, S>(tanh_gradients);
    auto of = f(x, U, W, b, start);
    c.add("Kroton", [&] { std::apply([&](auto&... g) { f.into(std::tie(g...), x, U, W, b, start); }, of); }, of);
    c.measure();
  } else {
    c.add("by hand", [&] { by_hand.forward(x.data(), U.data(), W.data(), b.data(), start.data()); }, by_hand.h);
    auto f = kt::function<X, M, M, kt::vector<T>, S>(tanh_network);
    auto h = f(x, U, W, b, start);
    c.add("Kroton", [&] { f.into(h, x, U, W, b, start); }, h);
    auto interpreted = kt::function<X, M, M, kt::vector<T>, S>(tanh_network, kt::mode::interpret);
    auto again = h;
    c.add("Kroton, interpreted", [&] { interpreted.into(again, x, U, W, b, start); }, again);
    c.measure();
  }
}

// ---- long short-term memory ----------------------------------------------------------------------

template <class T>
struct layer;
template <>
struct layer<double> : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, U), (kt::dmatrix, W), (kt::dvector, b));
};
template <>
struct layer<float> : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::fmatrix, U), (kt::fmatrix, W), (kt::fvector, b));
};

template <class T>
constexpr auto lstm_step = [](kt::variable<T, 3> x, kt::variable<T, 3> y, kt::matrix<T> h0, kt::matrix<T> c0, layer<T> p) {
  auto [h, c] = scan(
      [&](auto x, auto h, auto c) {
        auto [in, forget, out, value] = split<4>(dot(x, p.U) + dot(h, p.W) + p.b, kt::axis<-1>);
        auto now = sigmoid(forget) * c + sigmoid(in) * tanh(value);
        return std::pair(sigmoid(out) * tanh(now), now);
      },
      kt::sequences(x), kt::outputs_info(h0, c0));
  auto cost = mean(sqr(h - y));
  return kt::outputs(cost).update(p, p - 0.1f * grad(cost, p));
};

template <class T>
void lstm_case(bench::program& p) {
  std::size_t const rows = 32;
  auto c = contest(p, "LSTM, a training step", bench::type_name<T>, steps, tolerance<T>);
  if (!c) return;
  c.checked_after(3);
  auto const x = noise<T, 3>({steps, rows, units}, 1), y = noise<T, 3>({steps, rows, units}, 0.3);
  auto const U = noise<T, 2>({units, 4 * units}, 0.1), W = noise<T, 2>({units, 4 * units}, 0.1);
  hand::lstm<T> by_hand(steps, rows, units, units, U.data(), W.data());
  c.add("by hand", [&] { by_hand.step(x.data(), y.data(), T(0.1)); },
        [&] { return std::tie(by_hand.cost, by_hand.U, by_hand.W, by_hand.b); });
  kt::shared<layer<T>> weights(U, W, array<T, 1>(xt::zeros<T>({4 * units})));
  array<T, 2> const zeros = xt::zeros<T>({rows, units});
  auto f = kt::function(lstm_step<T>, weights);
  T cost = 0;
  c.add("Kroton", [&] { cost = f(x, y, zeros, zeros); },
        [&] {
          auto const [u, w, b] = weights.get_value();
          return std::tuple(cost, u, w, b);
        });
  c.measure();
}

// ---- a hidden Markov model -----------------------------------------------------------------------

constexpr auto log_likelihood = [](kt::dmatrix seen, kt::dmatrix moves) {
  auto a = scan([&](auto now, auto before) { return now + logsumexp(dimshuffle<0, 'x'>(before) + moves, kt::axis<0>); },
                kt::sequences(seen(kt::slice(1, kt::none))), kt::outputs_info(seen(0) - log(seen.shape(1))));
  return logsumexp(a(-1));
};

void hidden_markov(bench::program& p, std::size_t states, bool with_gradients) {
  std::size_t const n = 10'000;
  auto c = contest(p, with_gradients ? "forward algorithm on logarithms, all gradients" : "forward algorithm on logarithms",
                   std::to_string(states) + " states", static_cast<double>(n), 1e-8);
  if (!c) return;
  auto const seen = noise<double, 2>({n, states}, 1), moves = noise<double, 2>({states, states}, 2);
  hand::forward_algorithm by_hand(n, states);
  double value = 0, found = 0;
  if (with_gradients) {
    c.add("by hand", [&] { value = by_hand.gradients(seen.data(), moves.data()); },
          [&] { return std::tie(value, by_hand.of_seen, by_hand.of_moves); });
    auto f = kt::function([](kt::dmatrix seen, kt::dmatrix moves) {
      auto value = log_likelihood(seen, moves);
      return std::tuple_cat(std::tuple(value), grad(value, seen, moves));
    });
    auto all = f(seen, moves);
    c.add("Kroton", [&] { std::apply([&](auto&... g) { f.into(std::tie(g...), seen, moves); }, all); }, all);
    c.measure();
  } else {
    c.add("by hand", [&] { value = by_hand.run(seen.data(), moves.data()); }, value);
    auto f = kt::function(log_likelihood);
    c.add("Kroton", [&] { found = f(seen, moves); }, found);
    c.measure();
  }
}

// ---- a Kalman filter -----------------------------------------------------------------------------

/// The likelihood of numbers that are seen of a state of four: it moves by F, with noise of covariance Q, and y = h.x plus noise.
constexpr auto kalman = [](kt::dvector y, auto F, auto Q, auto h, kt::dscalar noise, auto mean, auto covariance) {
  auto [m, P, terms] = scan(
      [&](auto y, auto m, auto P) {
        auto ahead = dot(F, m);
        auto spread = dot(F, dot(P, F.T())) + Q;
        auto seen = dot(spread, h);
        auto error = y - dot(h, ahead), variance = dot(h, seen) + noise;
        auto gain = seen / variance;
        return std::tuple(ahead + gain * error, spread - outer(gain, seen), log(variance) + sqr(error) / variance);
      },
      kt::sequences(y), kt::outputs_info(mean, covariance, kt::none));
  return -0.5 * sum(terms);
};

#if defined(BENCH_EIGEN)
template <class Matrix, class Vector>
double kalman_by_eigen(double const* y, std::size_t n, Matrix const& F, Matrix const& Q, Vector const& h, double noise, Vector m,
                       Matrix P) {
  double sum = 0;
  Vector ahead = m, seen = m, gain = m;
  Matrix spread = P, half = P;
  for (std::size_t t = 0; t < n; ++t) {
    ahead.noalias() = F * m;
    half.noalias() = P * F.transpose();
    spread.noalias() = F * half;
    spread += Q;
    seen.noalias() = spread * h;
    double const error = y[t] - h.dot(ahead), variance = h.dot(seen) + noise;
    gain = seen / variance;
    m = ahead + gain * error;
    P = spread;
    P.noalias() -= gain * seen.transpose();
    sum += std::log(variance) + error * error / variance;
  }
  return -0.5 * sum;
}

template <class M, class V, class Matrix, class Vector>
void kalman_case(bench::program& p, char const* column) {
  std::size_t const n = 10'000;
  auto c = contest(p, "Kalman filter of four states", column, static_cast<double>(n), 1e-9);
  if (!c) return;
  auto const y = noise<double, 1>({n}, 1);
  array<double, 2> const F{{1, 1, 0, 0}, {0, 0.9, 0, 0}, {0, 0, 0.8, 0.3}, {0, 0, -0.3, 0.8}};
  array<double, 2> const Q = 0.1 * xt::eye<double>(4), P = xt::eye<double>(4);
  array<double, 1> const h{1, 0, 1, 0}, m{0, 0, 0, 0};
  using rows = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;
  Matrix const eF = Eigen::Map<rows const>(F.data()), eQ = Eigen::Map<rows const>(Q.data()), eP = Eigen::Map<rows const>(P.data());
  Vector const eh = Eigen::Map<Eigen::Vector4d const>(h.data()), em = Eigen::Map<Eigen::Vector4d const>(m.data());
  double value = 0, found = 0;
  c.add("by hand: Eigen", [&] { value = kalman_by_eigen(y.data(), n, eF, eQ, eh, 0.5, em, eP); }, value);
  auto f = kt::function<kt::dvector, M, M, V, kt::dscalar, V, M>(kalman);
  c.add("Kroton", [&] { found = f(y, F, Q, h, 0.5, m, P); }, found);
  c.measure();
}
void kalman_filters(bench::program& p) {
  kalman_case<kt::dmatrix, kt::dvector, Eigen::Matrix4d, Eigen::Vector4d>(p, "matrices by parameter");
  kalman_case<kt::fixed<double, 4, 4>, kt::fixed<double, 4>, Eigen::Matrix4d, Eigen::Vector4d>(p, "extents in the type");
}
#else
void kalman_filters(bench::program&) {}
#endif

}  // namespace

int main(int argc, char** argv) {
  bench::program p("recurrent", "recurrent: networks, a hidden Markov model and a Kalman filter as loops", argc, argv);
  for (bool with_gradients : {false, true}) {
    tanh_case<double, 2>(p, with_gradients, 1, "batch 1, float64");
    tanh_case<double, 3>(p, with_gradients, 32, "batch 32, float64");
    tanh_case<float, 2>(p, with_gradients, 1, "batch 1, float32");
    tanh_case<float, 3>(p, with_gradients, 32, "batch 32, float32");
  }
  lstm_case<double>(p);
  lstm_case<float>(p);
  for (bool with_gradients : {false, true})
    for (std::size_t states : {8, 64}) hidden_markov(p, states, with_gradients);
  kalman_filters(p);
  return p.finish();
}
