// Views, writes to parts, matrices and products in calls past the frame, next to the frame, which strided arguments need.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/direct.hpp"

using namespace reference;
using namespace direct;
using I = std::size_t;

namespace {

constexpr auto chain = [](auto v) {
  auto const head = v(kt::slice(kt::none, -1)), tail = v(kt::slice(1, kt::none));
  return sum(100 * sqr(tail - sqr(head)) + sqr(1 - head));
};
template <class V>
constexpr auto chain_and_gradient = [](V v) {
  auto const cost = chain(v);
  return std::tuple(cost, grad(cost, v));
};
template <class V>
constexpr auto parts = [](V v) {
  return std::tuple(sum(v(kt::slice(1, kt::none)) - 1), v(0) * 2, set_subtensor(v(kt::slice(kt::none, 3)), 7),
                    inc_subtensor(v(kt::slice(1, kt::none, 2)), 10), set_subtensor(v(-1), v(0) + 1));
};
template <class M, class V>
constexpr auto rows_and_columns = [](M x, V v, V w) {
  return std::tuple(x + v, x * w(kt::slice(), kt::newaxis), sum(x, kt::axis<1>), max(x, kt::axis<1>),
                    sum(exp(x) * v, kt::axis<1>), sum(x * x));
};
template <class M, class V>
constexpr auto products = [](M x, V v, V w) {
  return std::tuple(dot(x, v), dot(w, x), dot(x.T(), w), dot(v, v), dot(x, x.T()), dot(x.T(), x), dot(v, x.T()));
};

template <class Tuple, std::size_t... K>
void check_same(Tuple const& a, Tuple const& b, double near, std::index_sequence<K...>) {
  auto same = [&](auto const& x, auto const& y) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(x)>>) {
      CHECK(close(x, y, near, near));
    } else {
      REQUIRE(x.shape() == y.shape());
      for (I i = 0; i < x.size(); ++i) CHECK(close(x.data()[i], y.data()[i], near, near));
    }
  };
  (same(std::get<K>(a), std::get<K>(b)), ...);
}
template <class... T>
void check_same(std::tuple<T...> const& a, std::tuple<T...> const& b, double near) {
  check_same(a, b, near, std::index_sequence_for<T...>{});
}

}  // namespace

TEMPLATE_TEST_CASE("a gradient through slices", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 1e-3 : 1e-12;
  auto f = kt::function(chain_and_gradient<kt::vector<T>>);
  check_direct(f);
  for (I n = 0; n <= 40; ++n) {
    CAPTURE(n);
    auto const v = numbers<T>(n, static_cast<unsigned>(n) + 1);
    auto const [value, gradient] = f(v);
    double expected = 0;
    vec<double> by_hand = xt::zeros<double>({n});
    for (I i = 0; i + 1 < n; ++i) {
      double const x = v(i), y = v(i + 1), r = y - x * x;
      expected += 100 * r * r + (1 - x) * (1 - x);
      by_hand(i) += -400 * x * r - 2 * (1 - x);
      by_hand(i + 1) += 200 * r;
    }
    CHECK(close(value, expected, near));
    CHECK(mismatch(
              gradient, [&](I i) { return by_hand(i); }, near, near) == "");
  }
  check_past_frame(f);
}

TEMPLATE_TEST_CASE("parts of vectors read and written", "", float, double) {
  using T = TestType;
  auto f = kt::function(parts<kt::vector<T>>);
  check_direct(f);
  for (I n : {1, 2, 3, 4, 9, 40}) {
    CAPTURE(n);
    auto const v = numbers<T>(n, 3);
    auto const [total, first, head, odd, last] = f(v);
    check_past_frame(f);
    double expected = 0;
    for (I i = 1; i < n; ++i) expected += static_cast<double>(v(i)) - 1;
    CHECK(close(total, expected, 1e-6, 1e-6));
    CHECK(first == v(0) * 2);
    CHECK(mismatch(head, [&](I i) { return i < 3 ? T(7) : v(i); }) == "");
    CHECK(mismatch(odd, [&](I i) { return i % 2 == 1 ? v(i) + 10 : v(i); }) == "");
    CHECK(mismatch(last, [&](I i) { return i + 1 == n ? v(0) + 1 : v(i); }) == "");
  }
  CHECK_THROWS_WITH(f(vec<T>(std::array<I, 1>{0})), Catch::Contains("index 0 is out of range"));
}

TEMPLATE_TEST_CASE("parts of zeros written to", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 1e-4 : 1e-13;
  using kt::slice, kt::none;
  auto far = kt::function([](kt::vector<T> v) { return grad(sum(v(slice(5, none)) * sqr(v(slice(none, -5)))), v); });
  auto apart = kt::function([](kt::vector<T> v) { return grad(sum(sqr(v(slice(none, 3)))) + sum(pow(v(slice(4, none)), 3)), v); });
  auto every_second = kt::function([](kt::vector<T> v) { return grad(sum(pow(v(slice(1, none, 2)), 3)), v); });
  auto one = kt::function([](kt::vector<T> v) { return grad(pow(v(0), 3) * sum(v(slice(1, none))), v); });
  auto written = kt::function([](kt::vector<T> v) { return set_subtensor((0 * v + 2)(slice(1, 4)), v(slice(1, 4)) * v(0)); });
  check_direct(far);
  check_direct(apart);
  check_direct(every_second);
  for (I n = 1; n <= 60; ++n) {
    CAPTURE(n);
    auto const v = numbers<T>(n, static_cast<unsigned>(n));
    auto at = [&](I i) { return static_cast<double>(v(i)); };
    double rest = 0;
    for (I i = 1; i < n; ++i) rest += at(i);
    CHECK(mismatch(
              far(v), [&](I i) { return (i >= 5 ? at(i - 5) * at(i - 5) : 0) + (i + 5 < n ? 2 * at(i) * at(i + 5) : 0); }, near, near) == "");
    CHECK(mismatch(
              apart(v), [&](I i) { return i < 3 ? 2 * at(i) : i > 3 ? 3 * at(i) * at(i) : 0; }, near, near) == "");
    CHECK(mismatch(
              every_second(v), [&](I i) { return i % 2 == 1 ? 3 * at(i) * at(i) : 0; }, near, near) == "");
    CHECK(mismatch(
              one(v), [&](I i) { return i == 0 ? 3 * at(0) * at(0) * rest : at(0) * at(0) * at(0); }, near, 100 * near) == "");
    CHECK(mismatch(
              written(v), [&](I i) { return i >= 1 && i < 4 ? at(i) * at(0) : 2; }, near, near) == "");
  }
  check_past_frame(far);
  check_past_frame(apart);
  check_past_frame(every_second);
  CHECK(far(vec<T>(std::array<I, 1>{0})).size() == 0);
}

TEMPLATE_TEST_CASE("rows and columns of matrices", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 3e-6 : 1e-14;
  auto f = kt::function(rows_and_columns<kt::matrix<T>, kt::vector<T>>);
  check_direct(f);
  auto columns =
      kt::function([](kt::matrix<T> x) { return std::tuple(max(x, kt::axis<0>), kt::cast<double>(min(x, kt::axis<0>))); });
  check_direct(columns);
  for (I n : {1, 2, 5, 17})
    for (I m : {1, 3, 8, 19, 33}) {
      CAPTURE(n, m);
      auto const x = matrix<T>(n, m, 1);
      auto const v = numbers<T>(m, 2), w = numbers<T>(n, 3);
      auto const direct = f(x, v, w);
      auto const over = columns(x);
      check_past_frame(columns);
      check_past_frame(f);
      check_same(direct, kt::function(rows_and_columns<kt::matrix<T>, kt::vector<T>>)(by_columns(x), v, w), near);
      CHECK(mismatch(std::get<0>(direct), [&](I i, I j) { return x(i, j) + v(j); }) == "");
      CHECK(mismatch(std::get<1>(direct), [&](I i, I j) { return x(i, j) * w(i); }) == "");
      CHECK(mismatch(std::get<0>(over), [&](I j) { return xt::amax(xt::view(x, xt::all(), j))(); }) == "");
      CHECK(mismatch(std::get<1>(over), [&](I j) { return xt::amin(xt::view(x, xt::all(), j))(); }) == "");
    }
  columns(matrix<T>(40, 3, 1));
  check_past_frame(columns);
  columns(matrix<T>(300, 3, 1));
  check_in_frame(columns);  // which takes many rows in parts
}

TEMPLATE_TEST_CASE("products of small vectors and matrices", "", float, double) {
  using T = TestType;
  double const near = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  auto f = kt::function(products<kt::matrix<T>, kt::vector<T>>);
  check_direct(f);
  for (I n : {1, 2, 4, 5, 15})
    for (I m : {1, 3, 8, 13, 16}) {
      CAPTURE(n, m);
      auto const x = matrix<T>(n, m, 4);
      auto const v = numbers<T>(m, 5), w = numbers<T>(n, 6);
      auto const direct = f(x, v, w);
      check_past_frame(f);
      check_same(direct, kt::function(products<kt::matrix<T>, kt::vector<T>>)(by_columns(x), v, w), near);
      CHECK(mismatch(
                std::get<4>(direct),
                [&](I i, I k) {
                  double sum = 0;
                  for (I j = 0; j < m; ++j) sum += static_cast<double>(x(i, j)) * static_cast<double>(x(k, j));
                  return sum;
                },
                near, near) == "");
    }
  auto const [none, zeros, also, square, block, rest, last] = f(matrix<T>(0, 3), numbers<T>(3), numbers<T>(0));
  CHECK((none.size() == 0 && block.size() == 0 && last.size() == 0));
  CHECK((zeros == vec<T>{0, 0, 0}));
  CHECK((also == vec<T>{0, 0, 0}));
  CHECK((rest == xt::zeros<T>({3, 3})));
  CHECK(square > 0);
  CHECK_THROWS_AS(f(matrix<T>(2, 3), numbers<T>(2), numbers<T>(2)), kt::shape_error);
}
