// Loops over elements of several types: conversions between batches and memory, masks, and blocks without batches.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {

template <class T>
vec<T> values(std::size_t n, int step) {
  auto x = vec<T>::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) {
    int const v = static_cast<int>(i) * step % 101;
    if constexpr (std::is_same_v<T, bool>) x(i) = v % 3 == 0;
    else if constexpr (std::is_unsigned_v<T>) x(i) = static_cast<T>(v);
    else x(i) = static_cast<T>(v - 50);
  }
  return x;
}
constexpr std::size_t sizes[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 100, 1000, 20011};

template <class T, class L>
void check_conversions() {
  auto const mixed = kt::function([](kt::vector<T> a, kt::vector<L> b) { return kt::cast<L>(a) * 2 + b; });
  auto const back = kt::function([](kt::vector<L> b) { return kt::cast<T>(abs(b) * 2); });
  auto const chosen = kt::function([](kt::vector<T> a, kt::vector<L> b) { return where(kt::cast<bool>(a), b, -b); });
  for (std::size_t n : sizes) {
    vec<T> const a = values<T>(n, 7);
    vec<L> const b = values<L>(n, 11);
    vec<L> const m = mixed(a, b), c = chosen(a, b);
    vec<T> const k = back(b);
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      same = same && m(i) == static_cast<L>(a(i)) * 2 + b(i) && c(i) == (a(i) != T(0) ? b(i) : -b(i));
      same = same && k(i) == static_cast<T>(std::abs(b(i)) * 2);
    }
    CAPTURE(n);
    CHECK(same);
  }
}

}  // namespace

TEMPLATE_TEST_CASE("mixed types: every element type next to floating-point lanes", "[loops]", bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
  check_conversions<TestType, float>();
  check_conversions<TestType, double>();
}

TEMPLATE_TEST_CASE("mixed types: integers and bools in blocks", "[loops]", std::int8_t, std::uint16_t, std::int32_t, std::int64_t) {
  using T = TestType;
  auto const f = kt::function([](kt::vector<T> a, kt::vector<T> b, kt::vector<bool> c) {
    return std::tuple(a * 2 + b, maximum(a, b), (a > b) & c, where(c, a, b), floordiv(a, 7), sum(a), max(b), sum(c), a > b);
  });
  for (std::size_t n : sizes) {
    if (n == 0) continue;  // has no maximum
    vec<T> const a = values<T>(n, 7), b = values<T>(n, 11);
    vec<bool> const c = values<bool>(n, 13);
    auto const [linear, larger, both, chosen, seventh, total, largest, count, greater] = f(a, b, c);
    std::int64_t sum = 0, held = 0;
    T most = b(0);
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      sum += a(i);
      held += c(i) ? 1 : 0;
      most = std::max(most, b(i));
      same = same && linear(i) == static_cast<T>(a(i) * 2 + b(i)) && larger(i) == std::max(a(i), b(i));
      same = same && both(i) == (a(i) > b(i) && c(i)) && chosen(i) == (c(i) ? a(i) : b(i)) && greater(i) == (a(i) > b(i));
      same = same && seventh(i) == static_cast<T>(std::floor(static_cast<double>(a(i)) / 7));
    }
    CAPTURE(n);
    CHECK(same);
    CHECK(static_cast<std::int64_t>(total) == sum);
    CHECK(largest == most);
    CHECK(count == held);
  }
}

TEST_CASE("mixed types: what is written in place is read before", "[loops]") {
  auto const f = kt::function([](kt::vector<std::int32_t> a, kt::vector<std::int32_t> b) { return a * 3 - b; });
  for (std::size_t n : {10, 100, 1000}) {
    vec<std::int32_t> a = values<std::int32_t>(n, 7), b = values<std::int32_t>(n, 11);
    vec<std::int32_t> const before = a, wanted = before * 3 - b;
    f.into(a, a, b);
    CHECK((a == wanted));
    a = before;
    // One element further: an overlap that is not an overwriting in place.
    vec<std::int32_t> longer = xt::concatenate(xt::xtuple(before, before));
    auto in = xt::view(longer, xt::range(std::size_t{0}, n)), out = xt::view(longer, xt::range(std::size_t{1}, n + 1));
    f.into(out, in, b);
    CHECK((vec<std::int32_t>(out) == wanted));
  }
}

TEMPLATE_TEST_CASE("mixed types: NaN on either side of an extremum", "[loops]", float, double) {
  using T = TestType;
  T const nan = std::numeric_limits<T>::quiet_NaN();
  auto const f = kt::function([](kt::vector<T> a, kt::vector<T> b) {
    return std::tuple(maximum(a, b), minimum(a, b), maximum(a, 0), minimum(b, 0), clip(a, -1, 1));
  });
  for (std::size_t n : {3, 40, 20011}) {
    vec<T> a = values<T>(n, 7), b = values<T>(n, 11);
    for (std::size_t i = 0; i < n; i += 5) a(i) = nan;
    for (std::size_t i = 1; i < n; i += 3) b(i) = nan;
    auto const [larger, smaller, positive, negative, clipped] = f(a, b);
    bool same = true;
    auto const is = [](T x, T wanted) { return std::isnan(wanted) ? std::isnan(x) : x == wanted; };
    for (std::size_t i = 0; i < n; ++i) {
      bool const none = std::isnan(a(i)) || std::isnan(b(i));
      same = same && is(larger(i), none ? nan : std::max(a(i), b(i))) && is(smaller(i), none ? nan : std::min(a(i), b(i)));
      same = same && is(positive(i), std::isnan(a(i)) ? nan : std::max(a(i), T(0)));
      same = same && is(negative(i), std::isnan(b(i)) ? nan : std::min(b(i), T(0)));
      same = same && is(clipped(i), std::isnan(a(i)) ? nan : std::min(std::max(a(i), T(-1)), T(1)));
    }
    CAPTURE(n);
    CHECK(same);
  }
}

TEST_CASE("mixed types: any and all count", "[loops]") {
  auto const f = kt::function([](kt::dmatrix x, kt::vector<bool> c) {
    return std::tuple(any(x > 1), all(x < 1), any(x > 1, kt::axis<1>), all(x < 1, kt::axis<0>), any(c), all(c), any(~c & c));
  });
  xt::xtensor<double, 2> x = xt::zeros<double>({5, 70});
  vec<bool> c{true, false};
  auto const [some, every, rows, columns, some_c, every_c, none] = f(x, c);
  CHECK(!some);
  CHECK(every);
  CHECK(!xt::any(rows));
  CHECK(xt::all(columns));
  CHECK(some_c);
  CHECK(!every_c);
  CHECK(!none);
  x(3, 69) = 2;
  x(2, 5) = std::numeric_limits<double>::quiet_NaN();
  auto const [some2, every2, rows2, columns2, c1, c2, c3] = f(x, vec<bool>::from_shape({0}));
  CHECK(some2);
  CHECK(!every2);
  CHECK((rows2 == vec<bool>{false, false, false, true, false}));
  CHECK((!columns2(69) && !columns2(5) && columns2(4)));
  CHECK((!c1 && c2 && !c3));
}

TEST_CASE("mixed types: the mean of integers' comparisons", "[loops]") {
  auto const f = kt::function([](kt::lvector guessed, kt::lvector y) { return std::tuple(mean(eq(guessed, y)), mean(guessed > 3)); });
  vec<std::int64_t> const a{1, 2, 3, 4, 5}, b{1, 2, 0, 4, 0};
  auto const [right, above] = f(a, b);
  CHECK(right == 3. / 5);
  CHECK(above == 2. / 5);
}

TEST_CASE("mixed types: what is not chosen is not converted", "[loops]") {
  double const inf = std::numeric_limits<double>::infinity();
  auto const f = kt::function([](kt::dvector x) {
    return std::tuple(kt::cast<std::int32_t>(where(x < -1, std::numeric_limits<double>::infinity(), x)),
                      kt::cast<std::int32_t>(where(x < 1e9, x, 0)), kt::cast<double>(where(x < 1e9, 2, 1)) * x);
  });
  auto const [from_infinity, guarded, doubled] = f(vec<double>{0.5, 2.25, 3.75, 0});
  CHECK((from_infinity == vec<std::int32_t>{0, 2, 3, 0} && guarded == vec<std::int32_t>{0, 2, 3, 0}));
  CHECK((doubled == vec<double>{1, 4.5, 7.5, 0}));
  CHECK(kt::function([](kt::dvector x) { return sum(kt::cast<std::int32_t>(where(x < 1e9, x, 0))); })(vec<double>{inf, 2, 3}) == 5);
}

TEMPLATE_TEST_CASE("mixed types: what functions of floats give is counted in their lanes", "[loops]", float, double) {
  using T = TestType;
  auto const f = kt::function([](kt::vector<T> x, kt::vector<T> y, kt::vector<bool> c) {
    auto const large = exp(x) * y > 1;
    return std::tuple(any(large), all(large), sum(large), mean(large), sum(kt::cast<double>(c & (large | ~(x < 0)))), any(large & c));
  });
  for (std::size_t n : {1, 7, 40, 20011}) {
    vec<T> const x = values<T>(n, 7) / 10, y = values<T>(n, 11);
    vec<bool> const c = values<bool>(n, 13);
    std::int64_t count = 0, chosen = 0, both = 0;
    for (std::size_t i = 0; i < n; ++i) {
      bool const large = std::exp(x(i)) * y(i) > 1;
      count += large;
      chosen += c(i) && (large || x(i) >= 0);
      both += large && c(i);
    }
    auto const [any, all, sum, mean, counted, any_of_both] = f(x, y, c);
    CAPTURE(n);
    CHECK(any == (count > 0));
    CHECK(all == (count == static_cast<std::int64_t>(n)));
    CHECK(sum == count);
    CHECK(mean == Approx(static_cast<double>(count) / static_cast<double>(n)));
    CHECK(counted == static_cast<double>(chosen));
    CHECK(any_of_both == (both > 0));
  }
}
