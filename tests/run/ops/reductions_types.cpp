// Element types of reductions, NaN, empty operands, and the accuracy of long sums.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto everything = [](auto x) { return std::tuple(sum(x), prod(x), max(x), min(x), mean(x), all(x), any(x)); };

template <class T>
void check_integers() {
  using wide = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>;
  auto f = kt::function<kt::vector<T>>(everything);
  for (I n : lengths) {
    if (n == 0) continue;
    CAPTURE(n, sizeof(T), std::is_signed_v<T>);
    vec<T> const x = bits<T>(n, static_cast<unsigned>(n));
    auto const r = f(x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(r)>, std::tuple<wide, wide, T, T, double, bool, bool>>);
    std::uint64_t sum = 0, product = 1;  // wraps
    double mean = 0;
    T largest = x(0), smallest = x(0);
    bool all = true, any = false;
    for (T v : x) {
      sum += static_cast<std::uint64_t>(static_cast<wide>(v));
      product *= static_cast<std::uint64_t>(static_cast<wide>(v));
      mean += static_cast<double>(v) / static_cast<double>(n);
      largest = v > largest ? v : largest;
      smallest = v < smallest ? v : smallest;
      all = all && v != T(0);
      any = any || v != T(0);
    }
    CHECK(std::get<0>(r) == static_cast<wide>(sum));
    CHECK(std::get<1>(r) == static_cast<wide>(product));
    CHECK(std::get<2>(r) == largest);
    CHECK(std::get<3>(r) == smallest);
    CHECK(close(std::get<4>(r), mean, 1e-12, 1e-9 * std::fabs(static_cast<double>(largest))));
    CHECK(std::get<5>(r) == all);
    CHECK(std::get<6>(r) == any);
  }
}

}  // namespace

TEST_CASE("reductions of integers and bools") {
  check_integers<bool>();
  check_integers<std::int8_t>();
  check_integers<std::uint16_t>();
  check_integers<std::int32_t>();
  check_integers<std::int64_t>();
  check_integers<std::uint64_t>();
}

TEST_CASE("reductions of integers along axes") {
  auto f = kt::function([](kt::imatrix m) {
    return std::tuple(sum(m, kt::axis<0>), sum(m, kt::axis<1>), prod(m, kt::axis<1>), max(m, kt::axis<0>), min(m, kt::axis<1>),
                      mean(m, kt::axis<0>), all(m > 0, kt::axis<0>), any(m > 5, kt::axis<1>), sum(m > 0), sum(m > 0, kt::axis<1>));
  });
  mat<std::int32_t> const m{{1, -2, 3}, {4, 5, -6}};
  auto const [s0, s1, p1, x0, n1, m0, a0, o1, c, c1] = f(m);
  CHECK(s0 == vec<std::int64_t>{5, 3, -3});
  CHECK(s1 == vec<std::int64_t>{2, 3});
  CHECK(p1 == vec<std::int64_t>{-6, -120});
  CHECK(x0 == vec<std::int32_t>{4, 5, 3});
  CHECK(n1 == vec<std::int32_t>{-2, -6});
  CHECK(m0 == vec<double>{2.5, 1.5, -1.5});
  CHECK(a0 == vec<bool>{true, false, false});
  CHECK(o1 == vec<bool>{false, false});
  CHECK(c == 4);
  CHECK(c1 == vec<std::int64_t>{2, 2});
}

TEST_CASE("NaN wins in extrema, wherever it stands") {
  auto f = kt::function([](kt::dvector x, kt::dmatrix m) { return std::tuple(max(x), min(x), max(m, kt::axis<0>), min(m, kt::axis<1>), sum(x)); });
  for (I n : {1, 3, 4, 5, 8, 9, 33})
    for (I at = 0; at < n; ++at) {
      CAPTURE(n, at);
      vec<double> x = numbers<double>(n);
      x(at) = not_a_number;
      mat<double> m = matrix<double>(3, n);
      m(1, at) = not_a_number;
      auto const [a, b, c, d, e] = f(x, m);
      CHECK(std::isnan(a));
      CHECK(std::isnan(b));
      CHECK(std::isnan(e));
      for (I j = 0; j < n; ++j) CHECK(std::isnan(c(j)) == (j == at));
      CHECK_FALSE(std::isnan(d(0)));
      CHECK(std::isnan(d(1)));
    }
  auto const r = f(vec<double>{-infinity, -infinity}, mat<double>{{infinity}});
  CHECK(std::get<0>(r) == -infinity);
  CHECK(std::get<3>(r)(0) == infinity);
}

TEMPLATE_TEST_CASE("NaN wins in extrema of long rows, in every lane of every chain", "", float, double) {
  using T = TestType;
  auto const f = kt::function([](kt::vector<T> x) { return std::tuple(max(x), min(x)); });
  auto const rows = kt::function([](kt::matrix<T> x) { return std::tuple(max(x, kt::axis<1>), min(x, kt::axis<1>)); });
  for (I n : {64, 100, 131, 300, 17000}) {
    vec<T> x = numbers<T>(n);
    mat<T> m = matrix<T>(70, n);
    CHECK(std::get<0>(f(x)) == *std::max_element(x.begin(), x.end()));
    CHECK(std::get<1>(f(x)) == *std::min_element(x.begin(), x.end()));
    for (I at = 0; at < n; at += at + 140 < n && at > 140 ? 131 : 1) {
      CAPTURE(n, at);
      T const number = std::exchange(x(at), std::numeric_limits<T>::quiet_NaN());
      auto const [a, b] = f(x);
      CHECK(std::isnan(a));
      CHECK(std::isnan(b));
      x(at) = number;
      m(at % 70, at) = std::numeric_limits<T>::quiet_NaN();
    }
    auto const [most, least] = rows(m);
    for (I i = 0; i < 70; ++i) {
      bool any = false;
      for (I j = 0; j < n; ++j) any = any || std::isnan(m(i, j));
      CHECK(std::isnan(most(i)) == any);
      CHECK(std::isnan(least(i)) == any);
    }
  }
}

TEST_CASE("reductions of nothing") {
  auto f = kt::function([](kt::dvector x, kt::vector<bool> b, kt::lvector l) { return std::tuple(sum(x), prod(x), mean(x), all(b), any(b), sum(l), prod(l)); });
  auto const [s, p, m, a, o, i, j] = f(vec<double>(std::array<I, 1>{0}), vec<bool>(std::array<I, 1>{0}), vec<std::int64_t>(std::array<I, 1>{0}));
  CHECK(s == 0);
  CHECK(p == 1);
  CHECK(std::isnan(m));
  CHECK(a);
  CHECK_FALSE(o);
  CHECK(i == 0);
  CHECK(j == 1);
}

TEST_CASE("the extremum of nothing is a value error") {
  auto largest = kt::function([](kt::dvector x) { return max(x); });
  auto smallest = kt::function([](kt::lmatrix x) { return min(x, kt::axis<1>); });
  CHECK_THROWS_AS(largest(vec<double>(std::array<I, 1>{0})), kt::value_error);
  CHECK_THROWS_AS(smallest(mat<std::int64_t>(std::array<I, 2>{2, 0})), kt::value_error);
  CHECK_THROWS_WITH(largest(vec<double>(std::array<I, 1>{0})), Catch::Contains("max") && Catch::Contains("parameter 1 (dvector)"));
  CHECK(smallest(mat<std::int64_t>(std::array<I, 2>{0, 3})).size() == 0);  // no slice is empty: there is none
  CHECK(largest(vec<double>{3}) == 3);
}

TEST_CASE("sums of a million floats keep six digits, however they lie") {
  auto f = kt::function([](kt::fvector x, kt::fmatrix tall, kt::fmatrix wide) {
    return std::tuple(sum(x), mean(x), sum(tall, kt::axis<0>), sum(wide, kt::axis<1>), sum(tall), sum(wide), mean(tall, kt::axis<0>));
  });
  I const n = 1000000;
  vec<float> x(std::array<I, 1>{n}, 0.1f);
  mat<float> tall(std::array<I, 2>{n, 3}, 0.1f), wide(std::array<I, 2>{3, n}, 0.1f);
  double const one = static_cast<double>(0.1f), want = one * static_cast<double>(n), e = 1e-6;
  auto check = [&](auto const& r) {
    CHECK(close(std::get<0>(r), want, e));
    CHECK(close(std::get<1>(r), one, e));
    CHECK(mismatch(std::get<2>(r), [&](I) { return want; }, e) == "");
    CHECK(mismatch(std::get<3>(r), [&](I) { return want; }, e) == "");
    CHECK(close(std::get<4>(r), 3 * want, e));
    CHECK(close(std::get<5>(r), 3 * want, e));
    CHECK(mismatch(std::get<6>(r), [&](I) { return one; }, e) == "");
  };
  SECTION("contiguous") { check(f(x, tall, wide)); }
  SECTION("strided") {
    mat<float> spread(std::array<I, 2>{n, 2}, 0.1f);
    check(f(xt::view(spread, xt::all(), 1), xt::transpose(wide), xt::transpose(tall)));
  }
}
