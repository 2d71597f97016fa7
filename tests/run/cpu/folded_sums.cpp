// Loops that store narrow rows and reduce over them: blocks of rows go as one long row, each of whose elements has a sum of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <tuple>
#include <vector>
#include <xtensor/xadapt.hpp>

using namespace reference;

namespace folded_sums {

template <class T>
constexpr auto products = [](kt::matrix<T> x, kt::vector<T> w) {
  auto e = x * w + 1;
  return std::tuple(e, kt::sum(e, kt::axis<0>), kt::max(e, kt::axis<0>), kt::min(e * 2, kt::axis<0>), kt::sum(e));
};

/// Small integers, whose sums are exact in every order.
template <class T>
T number(std::size_t k) {
  return static_cast<T>((static_cast<int>(k % 1009) * 37 + 5) % 23 - 11);
}

/// Compares all results with those of a loop by hand; what stands behind them stays.
template <class T, class Function, class Matrix>
void check(Function const& f, Matrix const& x, std::size_t n, std::size_t m) {
  CAPTURE(n, m);
  vec<T> w = xt::zeros<T>({m});
  for (std::size_t j = 0; j < m; ++j) w(j) = number<T>(j + 3);
  using S = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;
  T const mark = static_cast<T>(77);
  std::vector<T> memory(n * m + 64, mark);
  std::vector<S> columns(m + 64, S(77));
  auto e = xt::adapt(memory.data(), n * m, xt::no_ownership(), std::vector<std::size_t>{n, m});
  auto sums = xt::adapt(columns.data(), m, xt::no_ownership(), std::vector<std::size_t>{m});
  vec<T> most, least;
  xt::xtensor<S, 0> total;
  f.into(std::tie(e, sums, most, least, total), x, w);
  S all{};
  int wrong = 0;
  for (std::size_t j = 0; j < m; ++j) {
    S sum{};
    T up = std::numeric_limits<T>::lowest(), down = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < n; ++i) {
      T const one = static_cast<T>(x(i, j) * w(j) + 1);
      wrong += e(i, j) != one;
      sum += one, up = std::max(up, one), down = std::min(down, static_cast<T>(2 * one));
    }
    wrong += sums(j) != sum || most(j) != up || least(j) != down;
    all += sum;
  }
  wrong += total() != all;
  CHECK(wrong == 0);
  for (std::size_t k = n * m; k < memory.size(); ++k) wrong += memory[k] != mark;
  for (std::size_t k = m; k < columns.size(); ++k) wrong += columns[k] != S(77);
  CHECK(wrong == 0);
}

template <class T>
xt::xtensor<T, 2> numbers(std::size_t n, std::size_t m) {
  xt::xtensor<T, 2> x(std::array<std::size_t, 2>{n, m});
  for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = number<T>(k);
  return x;
}

}  // namespace folded_sums

TEMPLATE_TEST_CASE("narrow rows that are stored and reduced over rows", "[folded_sums]", double, float, std::int32_t, std::int64_t) {
  using namespace folded_sums;
  auto const f = kt::function(products<TestType>);
  for (std::size_t m : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 12u, 15u, 16u, 17u, 31u, 32u, 33u, 50u, 63u, 64u, 65u})
    for (std::size_t n : {1u, 2u, 3u, 4u, 5u, 15u, 16u, 17u, 31u, 33u, 40u, 63u, 64u, 65u, 100u, 257u, 1000u})
      check<TestType>(f, numbers<TestType>(n, m), n, m);
  for (std::size_t m : {1u, 3u, 8u, 10u, 31u}) check<TestType>(f, numbers<TestType>(30011, m), 30011, m);
}

TEST_CASE("narrow rows with gaps, and columns, that are stored and reduced over rows", "[folded_sums]") {
  using namespace folded_sums;
  auto const f = kt::function(products<double>);
  for (std::size_t m : {2u, 3u, 8u, 10u, 33u})
    for (std::size_t n : {5u, 40u, 333u, 5000u}) {
      xt::xtensor<double, 2> const x = numbers<double>(n, 2 * m);
      check<double>(f, xt::view(x, xt::all(), xt::range(0, m)), n, m);
      check<double>(f, xt::view(x, xt::all(), xt::range(0, 2 * m, 2)), n, m);
      xt::xtensor<double, 2, xt::layout_type::column_major> const columns = numbers<double>(n, m);
      check<double>(f, columns, n, m);
    }
}

TEST_CASE("sums over narrow rows of numbers of another type, and of bools", "[folded_sums]") {
  auto const f = kt::function([](kt::fmatrix x, kt::lvector k) {
    auto e = x * kt::cast<float>(k);
    auto more = e > 2;
    return std::tuple(e, more, kt::sum(kt::cast<std::int64_t>(more), kt::axis<0>), kt::sum(kt::cast<double>(e), kt::axis<0>), kt::any(more, kt::axis<0>));
  });
  for (std::size_t m : {1u, 3u, 7u, 10u, 20u})
    for (std::size_t n : {4u, 19u, 200u, 20000u}) {
      CAPTURE(n, m);
      auto const x = folded_sums::numbers<float>(n, m);
      vec<std::int64_t> k = xt::zeros<std::int64_t>({m}), count = k;
      vec<double> sum = xt::zeros<double>({m});
      vec<bool> some = xt::zeros<bool>({m});
      for (std::size_t j = 0; j < m; ++j) k(j) = static_cast<std::int64_t>(j % 3) - 1;
      int wrong = 0;
      auto const [e, more, counted, sums, any] = f(x, k);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) {
          float const one = x(i, j) * static_cast<float>(k(j));
          wrong += e(i, j) != one || more(i, j) != (one > 2);
          count(j) += one > 2, sum(j) += static_cast<double>(one), some(j) = some(j) || one > 2;
        }
      CHECK(wrong == 0);
      CHECK((counted == count));
      CHECK((sums == sum));
      CHECK((any == some));
    }
}

TEST_CASE("stacks of narrow rows, summed over each axis", "[folded_sums]") {
  auto const f = kt::function([](kt::dtensor3 x, kt::dvector w) {
    auto e = x * w;
    return std::tuple(e, kt::sum(e, kt::axis<1>), kt::sum(e, kt::axis<0>), kt::sum(e, kt::axis<0, 1>), kt::sum(e));
  });
  for (std::size_t a : {1u, 2u, 7u})
    for (std::size_t n : {1u, 4u, 30u, 400u})
      for (std::size_t m : {1u, 2u, 3u, 8u, 10u, 33u}) {
        CAPTURE(a, n, m);
        xt::xtensor<double, 3> x(std::array<std::size_t, 3>{a, n, m});
        for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = folded_sums::number<double>(k);
        vec<double> w = xt::zeros<double>({m});
        for (std::size_t j = 0; j < m; ++j) w(j) = static_cast<double>(j) - 2;
        xt::xtensor<double, 3> const e = x * w;
        auto const [stored, rows, matrices, both, all] = f(x, w);
        CHECK((stored == e));
        CHECK((rows == xt::xtensor<double, 2>(xt::sum(e, {1}))));
        CHECK((matrices == xt::xtensor<double, 2>(xt::sum(e, {0}))));
        CHECK((both == vec<double>(xt::sum(e, {0, 1}))));
        CHECK(all == xt::sum(e)());
      }
}

TEST_CASE("complex numbers, and rows that indices select, in sums over narrow rows", "[folded_sums]") {
  using complex = std::complex<double>;
  auto const f = kt::function([](kt::matrix<complex> x) {
    auto e = x * x;
    return std::tuple(e, kt::sum(e, kt::axis<0>));
  });
  auto const g = kt::function([](kt::dmatrix x, kt::lvector rows) {
    auto e = kt::exp(x(rows));
    return std::tuple(e, kt::sum(e, kt::axis<0>));
  });
  for (std::size_t n : {5u, 300u, 4000u})
    for (std::size_t m : {2u, 3u, 10u}) {
      CAPTURE(n, m);
      xt::xtensor<complex, 2> x(std::array<std::size_t, 2>{n, m});
      for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = {folded_sums::number<double>(k), folded_sums::number<double>(k + 9)};
      auto const [e, sums] = f(x);
      vec<complex> expected = xt::zeros<complex>({m});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) expected(j) += x(i, j) * x(i, j);
      CHECK((sums == expected));
      auto const y = folded_sums::numbers<double>(n, m);
      vec<std::int64_t> rows = xt::zeros<std::int64_t>({n});
      for (std::size_t i = 0; i < n; ++i) rows(i) = static_cast<std::int64_t>(i * 7 % n) - (i % 2 == 0 ? 0 : static_cast<std::int64_t>(n));
      auto const [selected, over] = g(y, rows);
      mat<double> by_hand(std::array<std::size_t, 2>{n, m});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) by_hand(i, j) = std::exp(y(i * 7 % n, j));
      CHECK((xt::allclose(selected, by_hand, 1e-13, 0)));
      CHECK((xt::allclose(over, vec<double>(xt::sum(by_hand, {0})), 1e-12, 0)));
    }
}

TEST_CASE("infinity and nan stay in their column of narrow rows", "[folded_sums]") {
  auto const f = kt::function([](kt::dmatrix x) {
    auto e = exp(x);
    return std::tuple(e, sum(e, kt::axis<0>), max(e, kt::axis<0>), softmax(x, kt::axis<0>));
  });
  double const infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t n : {20u, 700u})
    for (std::size_t m : {3u, 5u, 10u}) {
      CAPTURE(n, m);
      xt::xtensor<double, 2> x = xt::zeros<double>({n, m});
      x(n / 2, 1) = infinity;
      x(n - 1, 2) = nan;
      auto const [e, sums, most, shares] = f(x);
      CHECK(sums(0) == static_cast<double>(n));
      CHECK(sums(1) == infinity);
      CHECK(std::isnan(sums(2)));
      CHECK(most(0) == 1);
      CHECK(most(1) == infinity);
      CHECK(std::isnan(most(2)));
      CHECK(shares(3, 0) == 1 / static_cast<double>(n));
      CHECK(std::isnan(shares(3, 2)));
    }
}

TEST_CASE("softmax over narrow rows, also in place", "[folded_sums]") {
  auto const f = kt::function([](kt::dmatrix x) { return softmax(x, kt::axis<0>); });
  for (std::size_t m : {1u, 2u, 3u, 7u, 10u, 13u, 31u})
    for (std::size_t n : {1u, 3u, 8u, 50u, 9000u}) {
      CAPTURE(n, m);
      xt::xtensor<double, 2> x = xt::zeros<double>({n, m});
      for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = std::sin(static_cast<double>(k)) + (k % 11 == 0 ? 30 : 0);
      auto const y = f(x);
      int wrong = 0;
      for (std::size_t j = 0; j < m; ++j) {
        double most = x(0, j), total = 0;
        for (std::size_t i = 0; i < n; ++i) most = std::fmax(most, x(i, j));
        for (std::size_t i = 0; i < n; ++i) total += std::exp(x(i, j) - most);
        for (std::size_t i = 0; i < n; ++i) wrong += std::abs(y(i, j) - std::exp(x(i, j) - most) / total) > 1e-14;
      }
      CHECK(wrong == 0);
      auto given = x;
      given = f(std::move(given));
      CHECK((given == y));
    }
}

TEMPLATE_TEST_CASE("narrow rows with a row of numbers, also in place and in the steps of a loop", "[folded_sums]", double, float) {
  using T = TestType;
  using matrix = kt::matrix<T>;
  using vector = kt::vector<T>;
  auto const f = kt::function([](matrix x, vector w, kt::variable<T, 0> c) { return x * w + c; });
  auto const g = kt::function([](matrix x, vector w) {
    auto states = kt::scan([](auto state, auto row) { return state * row + 1; }, kt::outputs_info(x), kt::non_sequences(w), kt::n_steps(3));
    return states;
  });
  for (std::size_t m : {1u, 2u, 3u, 5u, 7u, 8u, 10u, 16u, 31u, 64u, 65u})
    for (std::size_t n : {1u, 4u, 7u, 12u, 16u, 33u, 100u, 700u}) {
      CAPTURE(n, m);
      mat<T> const x = folded_sums::numbers<T>(n, m);
      vec<T> w = xt::zeros<T>({m});
      for (std::size_t j = 0; j < m; ++j) w(j) = static_cast<T>(static_cast<int>(j % 4) - 1);
      mat<T> const expected = x * w + T(3);
      CHECK((f(x, w, T(3)) == expected));
      mat<T> given = x;
      given = f(std::move(given), w, T(3));
      CHECK((given == expected));
      mat<T> last = x;
      auto const states = g(x, w);
      for (std::size_t k = 0; k < 3; ++k) {
        last = mat<T>(last * w + T(1));
        CHECK((xt::view(states, k) == last));
      }
    }
}

TEST_CASE("a logistic cost with the gradients of narrow rows and of their bias", "[folded_sums]") {
  auto const f = kt::function([](kt::dmatrix z, kt::dmatrix y, kt::dvector b) {
    auto t = z + b;
    auto cost = mean(kt::softplus(t) - y * t);
    auto [gz, gb] = grad(cost, z, b);
    return std::tuple(cost, gz, gb);
  });
  for (std::size_t m : {1u, 2u, 3u, 5u, 7u, 10u, 16u})
    for (std::size_t n : {3u, 20u, 64u, 300u, 5000u, 30000u}) {
      CAPTURE(n, m);
      mat<double> z = xt::zeros<double>({n, m}), y = z;
      for (std::size_t k = 0; k < z.size(); ++k) z.data()[k] = 3 * std::sin(static_cast<double>(k)), y.data()[k] = static_cast<double>(k % 2);
      vec<double> b = xt::zeros<double>({m});
      for (std::size_t j = 0; j < m; ++j) b(j) = 0.1 * static_cast<double>(j);
      auto const [cost, gz, gb] = f(z, y, b);
      double const all = static_cast<double>(n * m);
      double total = 0;
      int wrong = 0;
      for (std::size_t j = 0; j < m; ++j) {
        double column = 0;
        for (std::size_t i = 0; i < n; ++i) {
          double const t = z(i, j) + b(j), g = (1 / (1 + std::exp(-t)) - y(i, j)) / all;
          total += std::log1p(std::exp(t)) - y(i, j) * t;
          column += g;
          wrong += std::abs(gz(i, j) - g) > 1e-13 / all;
        }
        wrong += std::abs(gb(j) - column) > 1e-13;
      }
      CHECK(wrong == 0);
      CHECK(std::abs(cost - total / all) < 1e-12);
    }
}
