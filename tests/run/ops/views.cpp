// Basic indexing: integers, slices of every kind, new axes, symbolic bounds, against Python's rules in plain loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <algorithm>
#include <vector>

using namespace reference;
using I = std::size_t;

namespace {

constexpr long long left_out = std::numeric_limits<long long>::min();

// Python's slice(b, e, s).indices(n), as the list of indices.
std::vector<I> python(long long n, long long b, long long e, long long s) {
  auto clamp = [&](long long i) {
    if (i < 0) i += n;
    return s > 0 ? std::clamp(i, 0LL, n) : std::clamp(i, -1LL, n - 1);
  };
  long long const begin = b == left_out ? (s > 0 ? 0 : n - 1) : clamp(b), end = e == left_out ? (s > 0 ? n : -1) : clamp(e);
  std::vector<I> found;
  for (long long i = begin; s > 0 ? i < end : i > end; i += s) found.push_back(static_cast<I>(i));
  return found;
}

std::string check(vec<double> const& got, vec<double> const& x, long long b, long long e, long long s) {
  auto const want = python(static_cast<long long>(x.size()), b, e, s);
  if (got.size() != want.size()) return std::to_string(got.size()) + " elements instead of " + std::to_string(want.size());
  return mismatch(got, [&](I i) { return x(want[i]); });
}

}  // namespace

TEST_CASE("slices with literal bounds") {
  auto f = kt::function([](kt::dvector x) {
    using kt::none, kt::slice;
    return std::tuple(x(slice()), x(slice(2)), x(slice(1, none)), x(slice(-3, none)), x(slice(none, -2)), x(slice(1, 4)), x(slice(none, none, 2)),
                      x(slice(none, none, -1)), x(slice(4, 1, -1)), x(slice(-1, none, -2)), x(slice(3, 1)), x(slice(100, 200)), x(slice(-100, 100, 3)),
                      x(slice(none, 2, -1)), x(slice(1, -1)));
  });
  long long const n = left_out, bounds[][3] = {{n, n, 1}, {n, 2, 1}, {1, n, 1}, {-3, n, 1}, {n, -2, 1}, {1, 4, 1}, {n, n, 2}, {n, n, -1},
                                               {4, 1, -1}, {-1, n, -2}, {3, 1, 1}, {100, 200, 1}, {-100, 100, 3}, {n, 2, -1}, {1, -1, 1}};
  for (I size : lengths) {
    auto const x = numbers<double>(size);
    auto const r = f(x);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto one = [&](vec<double> const& got, auto const& b) {
        CAPTURE(size, b[0], b[1], b[2]);
        CHECK(check(got, x, b[0], b[1], b[2]) == "");
      };
      (one(std::get<K>(r), bounds[K]), ...);
    }(std::make_index_sequence<15>{});
  }
}

TEST_CASE("slices with symbolic bounds") {
  auto f = kt::function([](kt::dvector x, kt::lscalar b, kt::iscalar e) {
    using kt::none, kt::slice;
    return std::tuple(x(slice(b, e)), x(slice(b, e, -1)), x(slice(b, none, 2)), x(slice(none, e)), x(slice(b, b + 2)), 2 * x(slice(b, e)) + 1,
                      sum(x(slice(b, e))));
  });
  for (I size : {0, 1, 5, 9})
    for (long long b = -7; b <= 7; ++b)
      for (int e = -7; e <= 7; ++e) {
        CAPTURE(size, b, e);
        auto const x = numbers<double>(size);
        auto const r = f(x, b, e);
        CHECK(check(std::get<0>(r), x, b, e, 1) == "");
        CHECK(check(std::get<1>(r), x, b, e, -1) == "");
        CHECK(check(std::get<2>(r), x, b, left_out, 2) == "");
        CHECK(check(std::get<3>(r), x, left_out, e, 1) == "");
        CHECK(check(std::get<4>(r), x, b, b + 2, 1) == "");
        auto const want = python(static_cast<long long>(size), b, e, 1);
        CHECK(std::get<5>(r).size() == want.size());
        CHECK(mismatch(std::get<5>(r), [&](I i) { return 2 * x(want[i]) + 1; }, 1e-15, 1e-15) == "");
        double total = 0;
        for (I i : want) total += x(i);
        CHECK(close(std::get<6>(r), total, 1e-14, 1e-14));
      }
}

TEST_CASE("slices of slices") {
  auto f = kt::function([](kt::dvector x, kt::lscalar b) {
    using kt::none, kt::slice;
    auto part = [](kt::dvector v, auto... bounds) { return v(slice(bounds...)); };
    auto const rest = part(x, 1, none), middle = part(x, 2, 7);
    return std::tuple(part(rest, 2, none), part(rest, 2), part(middle, 1, 3), part(part(x, 5), 3), part(part(rest, 2, none), 3, none),
                      part(rest, std::numeric_limits<std::int64_t>::max()), part(part(x, -4, none), 1, 3), part(rest, b, none),
                      part(part(x, b, none), 2), part(middle, none, none, -1));
  });
  long long const n = left_out;
  for (I size = 0; size < 10; ++size)
    for (long long b = -3; b <= 3; ++b) {
      CAPTURE(size, b);
      auto const x = numbers<double>(size);
      auto const r = f(x, b);
      auto twice = [&](long long b1, long long e1, long long b2, long long e2, long long s2 = 1) {
        auto outer = python(static_cast<long long>(size), b1, e1, 1);
        std::vector<I> found;
        for (I i : python(static_cast<long long>(outer.size()), b2, e2, s2)) found.push_back(outer[i]);
        return found;
      };
      auto same = [&](vec<double> const& got, std::vector<I> const& want) {
        return got.size() == want.size() && mismatch(got, [&](I i) { return x(want[i]); }) == "";
      };
      CHECK(same(std::get<0>(r), twice(1, n, 2, n)));
      CHECK(same(std::get<1>(r), twice(1, n, n, 2)));
      CHECK(same(std::get<2>(r), twice(2, 7, 1, 3)));
      CHECK(same(std::get<3>(r), twice(n, 5, n, 3)));
      CHECK(same(std::get<4>(r), twice(3, n, 3, n)));
      CHECK(same(std::get<5>(r), twice(1, n, n, n)));
      CHECK(same(std::get<6>(r), twice(-4, n, 1, 3)));
      CHECK(same(std::get<7>(r), twice(1, n, b, n)));
      CHECK(same(std::get<8>(r), twice(b, n, n, 2)));
      CHECK(same(std::get<9>(r), twice(2, 7, n, n, -1)));
    }
}

TEST_CASE("indices drop axes, slices keep them, new axes add one") {
  auto f = kt::function([](kt::dtensor3 x, kt::lscalar i, kt::bscalar j) {
    using kt::newaxis, kt::none, kt::slice;
    return std::tuple(x(0), x(-1), x(1, 2), x(1, 2, 3), x(i), x(i, j, -1), x(slice(), 1), x(slice(none, none, -1), slice(1, 3), slice(none, none, 2)),
                      x(newaxis, 0, slice(), newaxis, slice()), x(slice(), i, newaxis), x(1)(0)(slice(1, none)), x(slice(1, none))(slice(), -1),
                      x.T()(0, slice(), 1), exp(x(slice(), slice(), 0)), sqr(x(slice(0, 1))));
  });
  xt::xtensor<double, 3> x(std::array<I, 3>{2, 4, 5});
  for (I k = 0; k < x.size(); ++k) x.data()[k] = static_cast<double>(k) / 10;
  auto const r = f(x, 1, std::int8_t{-2});
  CHECK(mismatch(std::get<0>(r), [&](I b, I c) { return x(0, b, c); }) == "");
  CHECK(mismatch(std::get<1>(r), [&](I b, I c) { return x(1, b, c); }) == "");
  CHECK(mismatch(std::get<2>(r), [&](I c) { return x(1, 2, c); }) == "");
  CHECK(std::get<3>(r) == x(1, 2, 3));
  CHECK(mismatch(std::get<4>(r), [&](I b, I c) { return x(1, b, c); }) == "");
  CHECK(std::get<5>(r) == x(1, 2, 4));
  CHECK(mismatch(std::get<6>(r), [&](I a, I c) { return x(a, 1, c); }) == "");
  CHECK(std::get<7>(r).shape() == std::array<I, 3>{2, 2, 3});
  CHECK(mismatch(std::get<7>(r), [&](I a, I b, I c) { return x(1 - a, 1 + b, 2 * c); }) == "");
  CHECK(std::get<8>(r).shape() == std::array<I, 4>{1, 4, 1, 5});
  CHECK(mismatch(std::get<8>(r), [&](I, I b, I, I c) { return x(0, b, c); }) == "");
  CHECK(std::get<9>(r).shape() == std::array<I, 3>{2, 1, 5});
  CHECK(mismatch(std::get<9>(r), [&](I a, I, I c) { return x(a, 1, c); }) == "");
  CHECK(mismatch(std::get<10>(r), [&](I c) { return x(1, 0, 1 + c); }) == "");
  CHECK(std::get<10>(r).size() == 4);
  CHECK(mismatch(std::get<11>(r), [&](I a, I c) { return x(1 + a, 3, c); }) == "");
  CHECK(mismatch(std::get<12>(r), [&](I b) { return x(1, b, 0); }) == "");
  CHECK(mismatch(std::get<14>(r), [&](I a, I b, I c) { return x(a, b, c) * x(a, b, c); }, 1e-15) == "");
  CHECK(mismatch(std::get<13>(r), [&](I a, I b) { return std::exp(x(a, b, 0)); }, 1e-15) == "");
}

TEST_CASE("an index out of range is a value error that names the extent") {
  auto f = kt::function([](kt::dvector x, kt::lscalar i) { return x(i); });
  vec<double> const x{1, 2, 3};
  CHECK(f(x, 2) == 3);
  CHECK(f(x, -3) == 1);
  CHECK_THROWS_AS(f(x, 3), kt::value_error);
  CHECK_THROWS_AS(f(x, -4), kt::value_error);
  CHECK_THROWS_WITH(f(x, 7), Catch::Contains("index 7") && Catch::Contains("extent 0 of parameter 1 (dvector) is 3"));
  CHECK_THROWS_WITH(f(x, -5), Catch::Contains("index -5"));
  auto first = kt::function([](kt::dmatrix m) { return m(1, 0); });
  CHECK_THROWS_AS(first(matrix<double>(1, 3)), kt::value_error);
  CHECK_THROWS_AS(first(matrix<double>(3, 0)), kt::value_error);
}
