// Mathematical functions inside compiled functions against the C library; their accuracy to the last bit has tests of its own.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;

namespace {


// The functions of one lambda against references that are listed in the same order.
template <class T, class Function, class... Reference>
void check(Function& f, double low, double high, Reference... reference) {
  for (std::size_t n : lengths) {
    CAPTURE(n, sizeof(T), low, high);
    vec<T> const x = numbers<T>(n, 7, low, high);
    auto const r = f(x);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto one = [&](auto const& got, auto formula, std::size_t number) {
        CAPTURE(number);
        double const tolerance = 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
        CHECK(mismatch(got, [&](std::size_t i) { return formula(static_cast<long double>(x(i))); }, tolerance, tolerance / 8) == "");
      };
      (one(std::get<I>(r), reference, I), ...);
    }(std::index_sequence_for<Reference...>{});
  }
}

using ld = long double;

template <class T>
void check_exponential() {
  auto f = kt::function<kt::vector<T>>([](auto x) {
    return std::tuple(exp(x), exp2(x), expm1(x), sigmoid(x), softplus(x), sinh(x), cosh(x), tanh(x), asinh(x), sin(x), cos(x), tan(x),
                      atan(x), erf(x), erfc(x));
  });
  check<T>(
      f, -4, 4, [](ld x) { return std::exp(x); }, [](ld x) { return std::exp2(x); }, [](ld x) { return std::expm1(x); },
      [](ld x) { return 1 / (1 + std::exp(-x)); }, [](ld x) { return std::log1p(std::exp(x)); }, [](ld x) { return std::sinh(x); },
      [](ld x) { return std::cosh(x); }, [](ld x) { return std::tanh(x); }, [](ld x) { return std::asinh(x); },
      [](ld x) { return std::sin(x); }, [](ld x) { return std::cos(x); }, [](ld x) { return std::tan(x); },
      [](ld x) { return std::atan(x); }, [](ld x) { return std::erf(x); }, [](ld x) { return std::erfc(x); });
}
template <class T>
void check_logarithms() {
  auto f = kt::function<kt::vector<T>>(
      [](auto x) { return std::tuple(log(x), log2(x), log10(x), log1p(x), sqrt(x), gammaln(x), log1mexp(-x), pow(x, 1.5), pow(2, x)); });
  check<T>(
      f, 0.01, 20, [](ld x) { return std::log(x); }, [](ld x) { return std::log2(x); }, [](ld x) { return std::log10(x); },
      [](ld x) { return std::log1p(x); }, [](ld x) { return std::sqrt(x); }, [](ld x) { return std::lgamma(x); },
      [](ld x) { return std::log(-std::expm1(-x)); }, [](ld x) { return std::pow(x, 1.5L); }, [](ld x) { return std::exp2(x); });
}
template <class T>
void check_inverses() {
  auto f = kt::function<kt::vector<T>>([](auto x) { return std::tuple(asin(x), acos(x), atanh(x), acosh(x + 2), atan2(x, 0.3)); });
  check<T>(
      f, -0.95, 0.95, [](ld x) { return std::asin(x); }, [](ld x) { return std::acos(x); }, [](ld x) { return std::atanh(x); },
      [](ld x) { return std::acosh(static_cast<T>(static_cast<T>(x) + 2)); },
      [](ld x) { return std::atan2(x, static_cast<ld>(T(0.3))); });
}

}  // namespace

TEST_CASE("exponentials, hyperbolic and trigonometric functions") {
  check_exponential<float>();
  check_exponential<double>();
}
TEST_CASE("logarithms, roots and powers") {
  check_logarithms<float>();
  check_logarithms<double>();
}
TEST_CASE("inverse functions") {
  check_inverses<float>();
  check_inverses<double>();
}

TEST_CASE("functions of NaN, infinities and points outside their domain") {
  auto f = kt::function([](kt::dvector x) { return std::tuple(exp(x), log(x), sqrt(x), tanh(x), sigmoid(x), softplus(x), asin(x), abs(x)); });
  vec<double> const x{not_a_number, infinity, -infinity, -1., -2.};
  auto const [e, l, s, t, g, p, a, b] = f(x);
  auto is = [](vec<double> const& got, vec<double> const& want) { return mismatch(got, [&](std::size_t i) { return want(i); }, 1e-14); };
  CHECK(is(e, {not_a_number, infinity, 0., std::exp(-1.), std::exp(-2.)}) == "");
  CHECK(is(l, {not_a_number, infinity, not_a_number, not_a_number, not_a_number}) == "");
  CHECK(is(s, {not_a_number, infinity, not_a_number, not_a_number, not_a_number}) == "");
  CHECK(is(t, {not_a_number, 1., -1., std::tanh(-1.), std::tanh(-2.)}) == "");
  CHECK(is(g, {not_a_number, 1., 0., 1 / (1 + std::exp(1.)), 1 / (1 + std::exp(2.))}) == "");
  CHECK(is(p, {not_a_number, infinity, 0., std::log1p(std::exp(-1.)), std::log1p(std::exp(-2.))}) == "");
  CHECK(is(a, {not_a_number, not_a_number, not_a_number, -std::acos(-1.) / 2, not_a_number}) == "");
  CHECK(is(b, {not_a_number, infinity, infinity, 1., 2.}) == "");
}

TEST_CASE("functions of integers are floating") {
  auto f = kt::function([](kt::bvector b, kt::wvector w, kt::ivector i, kt::lvector l) { return std::tuple(exp(b), sqrt(w), exp(i), sqrt(l), floor(i)); });
  auto const [eb, sw, ei, sl, fi] = f(vec<std::int8_t>{1, 2, 3}, vec<std::int16_t>{1, 4, 9}, vec<std::int32_t>{0, 1, 2}, vec<std::int64_t>{16, 25, 36});
  static_assert(std::is_same_v<decltype(eb), vec<float> const> && std::is_same_v<decltype(sw), vec<float> const>);
  static_assert(std::is_same_v<decltype(ei), vec<double> const> && std::is_same_v<decltype(sl), vec<double> const>);
  CHECK(mismatch(eb, [](std::size_t k) { return std::exp(static_cast<double>(k + 1)); }, 1e-6) == "");
  CHECK(mismatch(sw, [](std::size_t k) { return static_cast<double>(k + 1); }) == "");
  CHECK(mismatch(ei, [](std::size_t k) { return std::exp(static_cast<double>(k)); }, 1e-15) == "");
  CHECK(mismatch(sl, [](std::size_t k) { return static_cast<double>(k + 4); }) == "");
  CHECK(mismatch(fi, [](std::size_t k) { return static_cast<double>(k); }) == "");
}
