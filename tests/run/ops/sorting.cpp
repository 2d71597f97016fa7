// sort, argsort, topk, partition, searchsorted and take_along_axis: orders with NaN and equals, axes and layouts, element types, gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>
#include <xtensor/xsort.hpp>

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto orders = [](auto x, kt::lscalar k) {
  auto [values, positions] = topk(x, k);
  return std::tuple(sort(x), argsort(x), values, positions, searchsorted(sort(x), x), searchsorted(sort(x), x, kt::side::right));
};

// NaN behind every number.
template <class T>
bool before(T a, T b) {
  return a < b || (b != b && a == a);
}

template <class T, class... Mode>
void check_orders(vec<T> const& x, Mode... mode) {
  auto f = kt::function<kt::vector<T>, kt::lscalar>(orders, mode...);
  I const n = x.size(), k = n / 2;
  std::vector<I> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](I a, I b) { return before<T>(x(a), x(b)) || (!before<T>(x(b), x(a)) && a < b); });
  std::vector<I> largest(n);
  std::iota(largest.begin(), largest.end(), 0);
  std::sort(largest.begin(), largest.end(), [&](I a, I b) { return before<T>(x(b), x(a)) || (!before<T>(x(a), x(b)) && a < b); });
  auto const [sorted, positions, top, top_positions, left, right] = f(x, static_cast<std::int64_t>(k));
  REQUIRE(sorted.size() == n);
  REQUIRE(top.size() == k);
  CHECK(mismatch(sorted, [&](I i) { return x(order[i]); }) == "");
  CHECK(mismatch(positions, [&](I i) { return order[i]; }) == "");
  CHECK(mismatch(top, [&](I i) { return x(largest[i]); }) == "");
  CHECK(mismatch(top_positions, [&](I i) { return largest[i]; }) == "");
  auto count = [&](auto holds) { return std::count_if(x.begin(), x.end(), holds); };
  CHECK(mismatch(left, [&](I i) { return count([&](T v) { return before<T>(v, x(i)); }); }) == "");
  CHECK(mismatch(right, [&](I i) { return count([&](T v) { return !before<T>(x(i), v); }); }) == "");
}

constexpr auto cost = [](kt::dmatrix x) {
  auto [values, positions] = topk(x, 2);
  auto const s = sort(x, kt::axis<0>);
  return sum(sqr(s) * cumsum(s, kt::axis<1>)) + sum(values * sin(values)) + sum(sqr(take_along_axis(x, argsort(x) % 2, kt::axis<1>)));
};
constexpr auto second = [](kt::dmatrix x) { return sum(sqr(grad(cost(x), x))); };

}  // namespace

TEST_CASE("orders of every element type") {
  for (I n : {0, 1, 2, 7, 33, 300}) {
    CAPTURE(n);
    check_orders<bool>(bits<bool>(n), kt::mode::interpret);
    check_orders<std::int8_t>(bits<std::int8_t>(n));
    check_orders<std::uint64_t>(bits<std::uint64_t>(n), kt::mode::interpret);
    check_orders<float>(xt::round(10 * numbers<float>(n)));
    vec<double> x = xt::round(10 * numbers<double>(n));
    for (I i = 0; i < n; i += 3) x(i) = i % 2 == 0 ? not_a_number : -infinity;
    check_orders<double>(x);
    check_orders<double>(x, kt::mode::interpret);
  }
}

TEST_CASE("sorting along axes, of any layout") {
  auto f = kt::function([](kt::dtensor3 x) {
    auto [values, positions] = topk(x, 2, kt::axis<0>);
    return std::tuple(sort(x, kt::axis<0>), argsort(x, kt::axis<1>), sort(x), values, positions, sort(flatten(x)));
  });
  auto check = [&](auto const& x) {
    auto const [first, order, last, top, positions, all] = f(x);
    CHECK((first == xt::sort(x, 0)));
    CHECK((last == xt::sort(x, 2)));
    CHECK((all == xt::sort(xt::flatten(x))));
    xt::xtensor<double, 3> const second = xt::sort(x, 1);
    CHECK(mismatch(second, [&](I i, I j, I k) { return x(i, static_cast<I>(order(i, j, k)), k); }) == "");
    I const n = x.shape()[0];
    CHECK(mismatch(top, [&](I i, I j, I k) { return first(n - 1 - i, j, k); }) == "");
    CHECK(mismatch(top, [&](I i, I j, I k) { return x(static_cast<I>(positions(i, j, k)), j, k); }) == "");
  };
  for (auto shape : {std::array<I, 3>{3, 4, 70}, {40, 3, 2}, {2, 1, 1}}) {
    xt::xtensor<double, 3> x(shape);
    vec<double> const from = numbers<double>(x.size());
    for (I i = 0; i < x.size(); ++i) x.data()[i] = from(i);
    check(x);
    if (shape[2] > 1) check(xt::xtensor<double, 3>(xt::transpose(x)));
    auto const view = xt::view(x, xt::all(), xt::range(x.shape()[1] - 1, xt::placeholders::_, -1));
    xt::xtensor<double, 3> const reversed = view;
    auto const [first, order, last, top, positions, all] = f(view);
    CHECK((last == xt::sort(reversed, 2)));
  }
}

TEST_CASE("places in a sorted vector") {
  auto f = kt::function([](kt::ivector a, kt::dmatrix v, kt::lscalar s) {
    return std::tuple(searchsorted(a, v), searchsorted(a, s), searchsorted(a, 2.5), searchsorted(a, 5, kt::side::right), searchsorted(v(0, kt::slice()), a));
  });
  auto const [m, s, half, five, other] = f(vec<std::int32_t>{1, 5, 5, 9}, mat<double>{{-1, 5, 5.5}, {9, 9.5, 1}}, 5);
  CHECK(m == mat<std::int64_t>{{0, 1, 3}, {3, 4, 0}});
  CHECK(s == 1);
  CHECK(half == 1);
  CHECK(five == 3);
  CHECK(other == vec<std::int64_t>{1, 1, 1, 3});
}

TEST_CASE("elements along an axis by their positions") {
  auto f = kt::function([](kt::dmatrix x, kt::imatrix p, kt::bvector q) {
    return std::tuple(take_along_axis(x, p, kt::axis<0>), take_along_axis(x, dimshuffle<0, 'x'>(q), kt::axis<1>),
                      take_along_axis(x, argsort(x, kt::axis<-1>), kt::axis<-1>), take_along_axis(x, dimshuffle<'x', 0>(q), kt::axis<0>));
  });
  mat<double> const x{{3, 1, 2}, {4, 6, 5}, {9, 8, 7}};
  auto const [a, b, c, d] = f(x, mat<std::int32_t>{{0, -1, 1}}, vec<std::int8_t>{2, 0, 1});
  CHECK(a == mat<double>{{3, 8, 5}});
  CHECK(b == mat<double>{{2}, {4}, {8}});
  CHECK(c == mat<double>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
  CHECK(d == mat<double>{{9, 1, 5}});
  CHECK_THROWS_AS(f(x, mat<std::int32_t>{{0, 3, 1}}, vec<std::int8_t>{2, 0, 1}), kt::value_error);
  CHECK_THROWS_WITH(f(x, mat<std::int32_t>{{0, -4, 1}}, vec<std::int8_t>{2, 0, 1}),
                    Catch::Contains("take_along_axis") && Catch::Contains("-4") && Catch::Contains("3 elements"));
  CHECK_THROWS_AS(f(x, mat<std::int32_t>{{0, 1}}, vec<std::int8_t>{2, 0, 1}), kt::shape_error);
}

TEST_CASE("lines around one element") {
  auto const f = kt::function([](kt::dmatrix x, kt::lscalar k) {
    auto const chosen = partition(x, 2)(kt::slice(), 2);
    return std::tuple(partition(x, k), argpartition(x, k), partition(x, -1, kt::axis<0>), sum(sqr(chosen)),
                      grad(sum(sqr(chosen)), x));
  });
  double const nan = std::numeric_limits<double>::quiet_NaN();
  mat<double> x(std::array<I, 2>{40, 9});
  for (I i = 0; i < 40; ++i)
    for (I j = 0; j < 9; ++j) x(i, j) = i == 39 && j == 4 ? nan : std::sin(static_cast<double>(i * j + i)) * (j % 3 == 0 ? 1 : 4);
  for (std::int64_t k : {0, 3, 8, -9, -2}) {
    auto const [values, positions, columns, cost, gradient] = f(x, k);
    I const place = static_cast<I>(k < 0 ? k + 9 : k);
    for (I i = 0; i < 40; ++i) {
      std::array<double, 9> sorted;
      std::array<bool, 9> met{};
      for (I j = 0; j < 9; ++j) sorted[j] = x(i, j);
      std::sort(sorted.begin(), sorted.end(), before<double>);
      for (I j = 0; j < 9; ++j) {
        I const from = static_cast<I>(positions(i, j));
        REQUIRE(from < 9);
        CHECK_FALSE(std::exchange(met[from], true));
        CHECK((values(i, j) == x(i, from) || std::isnan(x(i, from))));
        CHECK_FALSE((j < place ? before(values(i, place), values(i, j)) : before(values(i, j), values(i, place))));
        CHECK(gradient(i, j) == (x(i, j) == sorted[2] ? 2 * x(i, j) : 0));
      }
      CHECK((values(i, place) == sorted[place] || std::isnan(sorted[place])));
    }
    for (I j = 0; j < 9; ++j)
      for (I i = 0; i < 40; ++i) CHECK_FALSE(before(columns(39, j), columns(i, j)));
  }
  CHECK_THROWS_WITH(f(x, 9), Catch::Contains("partition: position 9 is outside an axis of 9 elements"));
  CHECK_THROWS_AS(f(x, -10), kt::value_error);
}

TEST_CASE("lines around several elements") {
  auto const f = kt::function([](kt::dmatrix x, kt::lvector k) {
    return std::tuple(partition(x, k), argpartition(x, kt::constant({7, 2, -2})));
  });
  mat<double> x(std::array<I, 2>{20, 9});
  for (I i = 0; i < 180; ++i) x.flat(i) = std::sin(static_cast<double>(i * i));
  auto const [values, positions] = f(x, vec<std::int64_t>{6, -9, 3, 6});
  for (I i = 0; i < 20; ++i) {
    std::array<double, 9> sorted;
    for (I j = 0; j < 9; ++j) sorted[j] = x(i, j);
    std::sort(sorted.begin(), sorted.end());
    for (I const k : {0, 3, 6})
      for (I j = 0; j < 9; ++j) CHECK((j < k ? values(i, j) <= sorted[k] : values(i, j) >= sorted[k]));
    for (I const k : {2, 7}) CHECK(x(i, static_cast<I>(positions(i, k))) == sorted[k]);
  }
  CHECK((std::get<0>(f(x, vec<std::int64_t>{})) == x));
  CHECK_THROWS_WITH(f(x, vec<std::int64_t>{1, 9}), Catch::Contains("partition: position 9 is outside an axis of 9"));
}

TEST_CASE("more than all is a value error") {
  auto f = kt::function([](kt::dvector x, kt::lscalar k) { return std::get<0>(topk(x, k)); });
  CHECK((f(vec<double>{1, 3, 2}, 3) == vec<double>{3, 2, 1}));
  CHECK(f(vec<double>{1, 3, 2}, 0).size() == 0);
  CHECK_THROWS_WITH(f(vec<double>{1, 3, 2}, 4), Catch::Contains("topk") && Catch::Contains("4") && Catch::Contains("3"));
  CHECK_THROWS_WITH(f(vec<double>{1, 3, 2}, -1), Catch::Contains("negative: -1"));
}

TEST_CASE("gradients go where the elements come from") {
  mat<double> const x{{0.3, -1.2, 2.1}, {1.4, 0.6, -0.5}, {-0.9, 0.8, 1.7}};
  CHECK(kt::verify_grad(cost, x));
  CHECK(kt::verify_grad(second, x));
  auto f = kt::function([](kt::dvector v) { return grad(sum(take_along_axis(v, kt::cast<int>(v * 0), kt::axis<0>)), v); });
  CHECK((f(vec<double>{5, 6, 7}) == vec<double>{3, 0, 0}));
}

TEST_CASE("partition: long lines of many kinds") {
  std::size_t const n = 5003;
  auto f = kt::function([](kt::dvector x, kt::lvector k) { return std::tuple(partition(x, k), argpartition(x, k)); });
  auto alone = kt::function([](kt::dvector x, kt::lvector k) { return partition(x, k); });
  std::mt19937 draw(5);
  std::vector<vec<double>> lines(7, vec<double>(std::array<std::size_t, 1>{n}));
  for (std::size_t i = 0; i < n; ++i) {
    auto const at = static_cast<double>(i), number = static_cast<double>(draw());
    lines[0](i) = number;
    lines[1](i) = at;
    lines[2](i) = -at;
    lines[3](i) = std::fmod(number, 3);                              // many are equal
    lines[4](i) = 7;
    lines[5](i) = i % 5 == 0 ? std::nan("") : std::fmod(number, 100);
    lines[6](i) = i < n / 2 ? at : static_cast<double>(n) - at;      // an organ pipe
  }
  std::vector<vec<std::int64_t>> const places{{2501}, {0, 5002}, {10, 11, 12, 2500, 4999}, {-1, -2500}};
  for (auto const& x : lines)
    for (auto const& k : places) {
      vec<double> sorted = x;
      auto const before = [](double a, double b) { return a < b || (b != b && a == a); };
      std::sort(sorted.begin(), sorted.end(), before);
      auto const [y, positions] = f(x, k);
      auto const z = alone(x, k);
      bool right = true;
      for (std::int64_t place : k) {
        auto const p = static_cast<std::size_t>(place < 0 ? place + static_cast<std::int64_t>(n) : place);
        auto const same = [&](double a) { return a == sorted(p) || (a != a && sorted(p) != sorted(p)); };
        right = right && same(y(p)) && same(z(p));
        for (std::size_t i = 0; i < n; ++i)
          right = right && !(i < p ? before(y(p), y(i)) || before(z(p), z(i)) : before(y(i), y(p)) || before(z(i), z(p)));
      }
      vec<std::int64_t> all = positions;
      for (std::size_t i = 0; i < n; ++i) {
        double const taken = x(static_cast<std::size_t>(positions(i)));
        right = right && (taken == y(i) || (taken != taken && y(i) != y(i)));
      }
      std::sort(all.begin(), all.end());
      for (std::size_t i = 0; i < n; ++i) right = right && all(i) == static_cast<std::int64_t>(i);
      CHECK(right);
    }
}

TEST_CASE("places of values in any order and in ascending order") {
  constexpr auto places = [](kt::dvector a, kt::dvector v) { return std::tuple(searchsorted(a, v), searchsorted(a, v, kt::side::right)); };
  auto const f = kt::function(places);
  std::mt19937 engine(11);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (I n : {0u, 1u, 2u, 3u, 7u, 64u, 301u})
    for (I m : {1u, 2u, 9u, 400u})
      for (int with_nan : {0, 1})
        for (int order : {0, 1, 2}) {
          CAPTURE(n, m, with_nan, order);
          vec<double> a(std::array<I, 1>{n}), v(std::array<I, 1>{m});
          // Some of them equal
          for (double& x : a) x = static_cast<double>(engine() % (n + 2));
          for (double& x : v) x = static_cast<double>(engine() % (2 * n + 5)) / 2 - 1;
          if (with_nan != 0) {
            for (I i = 2; i < n; i += 9) a(i) = nan;
            for (I i = 1; i < m; i += 5) v(i) = nan;
          }
          std::sort(a.begin(), a.end(), before<double>);
          if (order > 0) std::sort(v.begin(), v.end(), before<double>);
          if (order > 1) std::reverse(v.begin(), v.end());
          auto const [left, right] = f(a, v);
          for (I i = 0; i < m; ++i) {
            REQUIRE(left(i) == std::lower_bound(a.begin(), a.end(), v(i), before<double>) - a.begin());
            REQUIRE(right(i) == std::upper_bound(a.begin(), a.end(), v(i), before<double>) - a.begin());
          }
        }
}
