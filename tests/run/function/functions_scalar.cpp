// Functions of scalars alone: every kind of output, type and argument, updates, and no workspace in
// them. SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <thread>

using namespace reference;

TEST_CASE("scalars: a function and its gradient, with nothing in the function object") {
  auto f = kt::function([](kt::dscalar x, kt::dscalar y) {
    auto r = pow(1 - x, 2) + 100 * pow(y - x * x, 2);
    auto [gx, gy] = grad(r, x, y);
    return std::tuple(r, gx, gy);
  });
  static_assert(std::is_empty_v<decltype(f)> || !runs_compiled);
  static_assert(std::is_same_v<decltype(f(1., 2.)), std::tuple<double, double, double>>);
  for (double x : {-1.5, 0., 0.25, 1., 3.})
    for (double y : {-2., 0., 1., 9.5}) {
      CAPTURE(x, y);
      auto const [r, gx, gy] = f(x, y);
      double const a = 1 - x, b = y - x * x;
      CHECK(close(r, a * a + 100 * b * b, 1e-14));
      CHECK(close(gx, -2 * a - 400 * x * b, 1e-13, 1e-12));
      CHECK(close(gy, 200 * b, 1e-14, 1e-12));
    }
  auto soft = kt::function([](kt::dscalar x) { return std::pair(log(1 + exp(x)), grad(log(1 + exp(x)), x)); });
  CHECK(std::get<0>(soft(800)) == 800);
  CHECK(std::get<1>(soft(800)) == 1);
  CHECK(close(std::get<0>(soft(-800)), 0));
  CHECK(close(std::get<1>(soft(0)), 0.5, 1e-15));
}

TEST_CASE(
    "scalars: an output may be a parameter, a literal, the same value twice, or one that another "
    "reads") {
  auto f = kt::function([](kt::dscalar x, kt::lscalar n, kt::bscalar b, kt::fscalar unused) {
    auto y = exp(x);
    return kt::outputs(x, n, b, x * 0 + 2.5, x * 0, y, y, y + 1, n * 0 + 7, x, eq(n, n), unused);
  });
  static_assert(std::is_empty_v<decltype(f)> || !runs_compiled);
  auto const r = f(0.5, 3, std::int8_t{-4}, 1.5f);
  CHECK(std::get<0>(r) == 0.5);
  CHECK(std::get<1>(r) == 3);
  CHECK(std::get<2>(r) == -4);
  CHECK(std::get<3>(r) == 2.5);
  CHECK(std::get<4>(r) == 0);
  CHECK(close(std::get<5>(r), std::exp(0.5), 1e-15));
  CHECK(std::get<6>(r) == std::get<5>(r));
  CHECK(std::get<7>(r) == std::get<5>(r) + 1);
  CHECK(std::get<8>(r) == 7);
  CHECK(std::get<9>(r) == 0.5);
  CHECK(std::get<10>(r));
  CHECK(std::get<11>(r) == 1.5f);
  auto same = kt::function([](kt::dscalar x) { return x; });
  CHECK(same(4.5) == 4.5);
  CHECK(std::isnan(same(not_a_number)));
  auto half = kt::function([](kt::fscalar x) { return 0 * x + 0.1f; });
  CHECK(half(1.f) == 0.1f);
}

TEST_CASE("scalars: integers, bools and floats mix as they do in arrays") {
  auto f = kt::function([](kt::iscalar i, kt::lscalar l, kt::fscalar s, kt::dscalar d) {
    auto large = l > 2;
    return kt::outputs(i + l, i * i, l / i, s + s, s * d, large, where(large, d, l), where(large & (d > 0), i, l),
                       cast<std::int32_t>(d), cast<float>(d) + s, ~large, cast<double>(i) / 4, l % 3, cast<bool>(i));
  });
  static_assert(std::is_empty_v<decltype(f)> || !runs_compiled);
  auto g = kt::function([](kt::ivector i, kt::lvector l, kt::fvector s, kt::dvector d) {
    auto large = l > 2;
    return kt::outputs(i + l, i * i, l / i, s + s, s * d, large, where(large, d, l), where(large & (d > 0), i, l),
                       cast<std::int32_t>(d), cast<float>(d) + s, ~large, cast<double>(i) / 4, l % 3, cast<bool>(i));
  });
  for (auto [i, l, s, d] : {std::tuple(3, 10, 0.1f, 2.75), {-7, 2, -1.5f, -0.3}, {1, -5, 3.f, 1e9}}) {
    CAPTURE(i, l, s, d);
    auto const r = f(i, l, s, d);
    auto const a = g(vec<std::int32_t>{i}, vec<std::int64_t>{l}, vec<float>{s}, vec<double>{d});
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      bool const all[]{std::is_same_v<std::tuple_element_t<K, decltype(r)> const,
                                      typename std::tuple_element_t<K, decltype(a)>::value_type const>...};
      for (bool same : all) CHECK(same);
      bool const equal[]{close(std::get<K>(r), std::get<K>(a)(0))...};
      for (std::size_t k = 0; k < sizeof...(K); ++k) {
        CAPTURE(k);
        CHECK(equal[k]);
      }
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(r)>>{});
  }
}

TEST_CASE("scalars: arguments of other types and arrays of rank 0, and none") {
  auto f = kt::function([](kt::dscalar x, kt::lscalar n) { return x * n; });
  CHECK(f(2, 3) == 6);
  CHECK(f(1.5f, std::int8_t{-2}) == -3);
  CHECK(f(xt::xtensor<double, 0>(2.5), 4) == 10);
  xt::xarray<double> given = xt::xarray<double>::from_shape(std::vector<std::size_t>{});
  given() = 1.25;
  CHECK(f(given, 4) == 5);
  CHECK_THROWS_AS(f(xt::xarray<double>{1, 2}, 4), kt::shape_error);
  kt::callable<double(double, long)> g = f;
  CHECK(g(3, 3) == 9);
  kt::shared s(2.0);
  auto h = kt::function([](kt::dscalar x) { return x * x; }, s);
  CHECK(h() == 4);
  s.set_value(3);
  CHECK(h() == 9);
}

TEST_CASE("scalars: into numbers, other types, arrays of rank 0, and the arguments themselves") {
  auto f = kt::function([](kt::dscalar x, kt::dscalar y) { return std::tuple(y, x, x + y); });
  double a = 1, b = 2, c = 0;
  f.into(std::tie(a, b, c), a, b);
  CHECK(a == 2);
  CHECK(b == 1);
  CHECK(c == 3);
  xt::xtensor<double, 0> z;
  f.into(std::tie(z, b, c), 5, 0.5);
  CHECK(z() == 0.5);
  CHECK(b == 5);
  CHECK(c == 5.5);
  auto counts = kt::function([](kt::iscalar n) { return std::tuple(n + 1, n > 1); });
  std::int64_t wide = 0;
  counts.into(std::tie(a, wide), 3);
  CHECK(a == 4);
  CHECK(wide == 1);
  a = 2;
  auto g = kt::function([](kt::dscalar x) { return 2 * x; });
  g.into(a, a);
  CHECK(a == 4);
  g.into(std::tie(a), a);
  CHECK(a == 8);
  g.into(z, z);
  CHECK(z() == 1);
}

TEST_CASE("scalars: updates read old values, follow the outputs, and may be literals or arguments") {
  kt::shared n(std::int64_t{0});
  auto next = kt::function([](kt::lscalar by, kt::lscalar k) { return kt::outputs(k).update(k, k + by); }, n);
  CHECK(next(3) == 0);
  CHECK(next(4) == 3);
  CHECK(n.get_value() == 7);
  CHECK_THROWS_AS(next.into(n.storage(), 1), kt::value_error);  // one of the two values would be lost
  CHECK(n.get_value() == 7);
  auto reset = kt::function([](kt::lscalar k) { return kt::outputs().update(k, 5); }, n);
  static_assert(std::is_void_v<decltype(reset())>);
  reset();
  CHECK(n.get_value() == 5);
  auto take = kt::function([](kt::lscalar given, kt::lscalar k) { return kt::outputs().update(k, given); }, n);
  take(11);
  CHECK(n.get_value() == 11);

  kt::shared p(1.0), q(2.0);
  kt::shared r(3.f);
  auto rotate = kt::function(
      [](kt::dscalar x, kt::dscalar y, kt::fscalar z) { return kt::outputs(x + y).update(x, y).update(y, x).update(z, z * 2); },
      p, q, r);
  CHECK(rotate() == 3);
  CHECK(p.get_value() == 2);
  CHECK(q.get_value() == 1);
  CHECK(r.get_value() == 6);
  auto other = rotate;
  CHECK(other() == 3);
  CHECK(p.get_value() == 1);
  CHECK(r.get_value() == 12);

  auto descend = kt::function(
      [](kt::dscalar rate, kt::dscalar x) {
        auto cost = pow(x - 3, 2);
        return kt::outputs(cost).update(x, x - rate * grad(cost, x));
      },
      p);
  double cost = 0;
  for (int i = 0; i < 60; ++i) cost = descend(0.25);
  CHECK(cost < 1e-20);
  CHECK(close(p.get_value(), 3, 1e-12));
}

TEST_CASE("scalars: one function and copies of it serve several threads") {
  auto const shared = kt::function([](kt::dscalar x, kt::dscalar y) { return std::tuple(sin(x) * y, x * y); });
  bool right[4]{};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t, mine = shared] {
      bool all = true;
      for (int i = 0; i < 1000; ++i) {
        double const x = i * 0.01, y = t;
        auto const& f = runs_compiled ? shared : mine;  // an interpreted function has a workspace: a copy a thread
        all = all && f(x, y) == mine(x, y) && close(std::get<0>(f(x, y)), std::sin(x) * y, 1e-15) &&
              std::get<1>(f(x, y)) == x * y;
      }
      right[t] = all;
    });
  for (auto& t : threads) t.join();
  for (bool r : right) CHECK(r);
}

TEST_CASE("scalars: infinite numbers in an expression keep their sign") {
  constexpr auto expressions = [](kt::dscalar x, kt::dscalar y) {
    return std::tuple(y - x * infinity, y + x * -infinity, x * infinity + 1, -infinity * x * y);
  };
  std::tuple const below(-infinity, -infinity, infinity, -infinity), above(infinity, infinity, -infinity, infinity);
  auto f = kt::function(expressions);
  auto ieee = kt::function(expressions, kt::mode::ieee);
  CHECK((f(1, 2) == below));
  CHECK((f(-1, 2) == above));
  CHECK((ieee(1, 2) == below));
  CHECK((ieee(-1, 2) == above));
}

TEST_CASE("scalars: exponentials cancel also where a long product of them is an output of its own") {
  auto f = kt::function([](kt::dscalar a, kt::dscalar b, kt::dscalar c, kt::dscalar z) {
    auto p = 2 * a * b * exp(z), q = p * c;
    return std::tuple(p / (1 + exp(z)), p * exp(-z), 1 / (1 / q * exp(z)), p, q);
  });
  auto [quotient, product, inverse, p, q] = f(2, 3, 0.5, 800);
  CHECK(quotient == 12);
  CHECK(product == 12);
  CHECK(close(inverse, 6, 1e-15));
  CHECK(p == infinity);
  CHECK(q == infinity);
}

TEST_CASE("scalars: functions that also take an array are compiled as others are") {
  auto f = kt::function([](kt::dvector v, kt::dscalar x) { return x + 1 + 0 * sum(v); });
  CHECK(f(vec<double>{1, 2}, 2) == 3);
  static_assert(!std::is_empty_v<decltype(f)>);
}
