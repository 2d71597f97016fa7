// Checks the accuracy of the scalar functions: constants against long double, special functions
// against 50 digits. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <kroton/math/functions.hpp>

namespace math = kroton::math;
namespace constant = kroton::math::constant;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// Distance from a reference of more digits, in units in the last place of double; half an ulp is
/// perfect.
double ulps(double x, long double exact) {
  const double rounded = static_cast<double>(exact);
  if (std::isnan(x) || std::isnan(rounded))
    return std::isnan(x) && std::isnan(rounded) ? 0 : HUGE_VAL;
  if (std::isinf(x) || std::isinf(rounded)) return x == rounded ? 0 : HUGE_VAL;
  const double size = std::fmax(std::fabs(rounded), std::numeric_limits<double>::min());
  return static_cast<double>(std::fabs(static_cast<long double>(x) - exact) /
                             std::ldexp(1.0L, std::ilogb(size) - 52));
}

/// The largest error over a range, its points spread evenly, or by magnitude from `lo` > 0 to `hi`.
template <class F, class G>
double worst(F f, G exact, double lo, double hi, bool by_magnitude, double& where) {
  constexpr int count = 4000;
  double result = 0;
  for (int i = 0; i < count; ++i) {
    const double t = (i + 0.4 * std::sin(1.7 * i)) / count;
    const double x = by_magnitude ? std::exp(std::log(lo) + t * (std::log(hi) - std::log(lo)))
                                  : lo + t * (hi - lo);
    const double error = ulps(f(x), exact(static_cast<long double>(x)));
    if (error > result) result = error, where = x;
  }
  return result;
}

#define CHECK_EVENLY(name, lo, hi)                                                                \
  {                                                                                               \
    double where = 0;                                                                             \
    const double error = worst([](double x) { return constant::name(x); },                        \
                               [](long double x) { return std::name(x); }, lo, hi, false, where); \
    INFO(#name << " at " << where);                                                               \
    CHECK(error <= 0.51);                                                                         \
  }
#define CHECK_BY_MAGNITUDE(name, lo, hi)                                                         \
  {                                                                                              \
    double where = 0;                                                                            \
    const double error = worst([](double x) { return constant::name(x); },                       \
                               [](long double x) { return std::name(x); }, lo, hi, true, where); \
    INFO(#name << " at " << where);                                                              \
    CHECK(error <= 0.51);                                                                        \
  }

struct sample {
  double x, value;
};
template <class F>
void check_samples(const char* name, const std::vector<sample>& samples, F f, double bound) {
  for (const auto& [x, value] : samples) {
    INFO(name << "(" << x << ") = " << f(x) << ", exactly " << value);
    CHECK(ulps(f(x), value) <= bound);
  }
}

}  // namespace

// The references have 64 bits and errors of about one ulp of those, 0.0005 ulp of double.
TEST_CASE("constants are rounded almost correctly: exponentials and logarithms", "[math]"){
    CHECK_EVENLY(exp, -708, 709.5) CHECK_EVENLY(exp, -1, 1) CHECK_EVENLY(exp2, -1022, 1023.9)
        CHECK_EVENLY(expm1, -45, 709.5) CHECK_BY_MAGNITUDE(expm1, 1e-307, 1)
            CHECK_BY_MAGNITUDE(log, 1e-310, 1e308) CHECK_EVENLY(log, 0.5, 2)
                CHECK_BY_MAGNITUDE(log2, 1e-310, 1e308) CHECK_EVENLY(log2, 0.5, 2)
                    CHECK_BY_MAGNITUDE(log10, 1e-310, 1e308) CHECK_EVENLY(log10, 0.5, 2)
                        CHECK_BY_MAGNITUDE(log1p, 1e-307, 1e308) CHECK_EVENLY(log1p, -0.999, 3)
                            CHECK_BY_MAGNITUDE(sqrt, 1e-310, 1e308)}

TEST_CASE("constants are rounded almost correctly: trigonometry", "[math]"){
    CHECK_EVENLY(sin, -10, 10) CHECK_EVENLY(cos, -10, 10) CHECK_EVENLY(tan, -10, 10)
        CHECK_BY_MAGNITUDE(sin, 1e-300, 1e300) CHECK_BY_MAGNITUDE(cos, 1e-300, 1e300)
            CHECK_BY_MAGNITUDE(tan, 1e-300, 1e300) CHECK_EVENLY(asin, -1, 1)
                CHECK_BY_MAGNITUDE(asin, 1e-300, 1) CHECK_EVENLY(acos, -1, 1)
                    CHECK_EVENLY(atan, -10, 10) CHECK_BY_MAGNITUDE(atan, 1e-300, 1e300)}

TEST_CASE("constants are rounded almost correctly: hyperbolic functions and erf", "[math]"){
    CHECK_EVENLY(sinh, -710, 710) CHECK_BY_MAGNITUDE(sinh, 1e-300, 2) CHECK_EVENLY(cosh, -710, 710)
        CHECK_EVENLY(tanh, -25, 25) CHECK_BY_MAGNITUDE(tanh, 1e-300, 2) CHECK_EVENLY(asinh, -10, 10)
            CHECK_BY_MAGNITUDE(asinh, 1e-300, 1e300) CHECK_EVENLY(acosh, 1, 5)
                CHECK_BY_MAGNITUDE(acosh, 1, 1e300) CHECK_EVENLY(atanh, -0.999, 0.999)
                    CHECK_BY_MAGNITUDE(atanh, 1e-300, 1) CHECK_EVENLY(erf, -6, 6)
                        CHECK_EVENLY(erfc, -6, 26)}

TEST_CASE("special functions equal values computed with 50 digits", "[math]") {
  check_samples(
      "erfcx",
      {{-26.5, 1.9245531624185689e+305},
       {-10.25, 8.4936429531837386e+45},
       {-3.2999999999999998, 107274.43593281436},
       {-1, 5.0089800807622833},
       {-0.10000000000000001, 1.1236433541992095},
       {1.0000000000000001e-05, 0.99998871630832831},
       {0.01, 0.98881546104634255},
       {0.25, 0.77034654773099676},
       {0.69999999999999996, 0.52593033734944095},
       {1.5, 0.32158541645431749},
       {3.75, 0.14558972127503855},
       {7.0999999999999996, 0.078697515341626778},
       {20.300000000000001, 0.027758990824408105},
       {100, 0.005641613782989433},
       {12345.6, 4.5699648595200609e-05},
       {3000000000, 1.8806319451591877e-10},
       {9.9999999999999997e+199, 5.6418958354775627e-201},
       {2.9999999999999998e+307, 1.8806319451591877e-308}},
      [](double x) { return math::erfcx(x); }, 4);
  check_samples(
      "logerfc",
      {{-30.5, 0.69314718055994529},
       {-5.5, 0.69314718055994162},
       {-1, 0.61123231767807051},
       {-0.001, 0.0011277426501148766},
       {9.9999999999999998e-13, -1.1283791670961491e-12},
       {0.29999999999999999, -0.39843005144008525},
       {0.48999999999999999, -0.71676031143688046},
       {0.51000000000000001, -0.75341455835811111},
       {0.80000000000000004, -1.3551871067286683},
       {1.7, -4.1221552342439036},
       {5, -27.200889545537436},
       {26, -679.83119976319426},
       {40, -1604.2615566532736},
       {100000, -10000000012.085291},
       {1e+20, -1e+40},
       {9.9999999999999998e+149, -9.999999999999999e+299}},
      [](double x) { return math::logerfc(x); }, 4);
  check_samples(
      "digamma",
      {{9.9999999999999998e-201, -9.9999999999999997e+199},
       {1e-08, -100000000.57721564},
       {0.29999999999999999, -3.5025242222001332},
       {0.90000000000000002, -0.75492694994705134},
       {1.2, -0.28903989659218837},
       {1.4616, -3.1106251230341648e-05},
       {1.4616321449683622, -9.2412655217294273e-17},
       {1.4616321449683625, 1.2245374622004068e-16},
       {1.4617, 6.5659392293676496e-05},
       {1.99, 0.41631470604541493},
       {2.5, 0.70315664064524319},
       {7.2999999999999998, 1.9178203356379862},
       {9.9900000000000002, 2.2507003728312012},
       {10.01, 2.2528037003181356},
       {55.5, 4.0073469585404435},
       {1000000, 13.815510057964191},
       {9.9999999999999997e+199, 460.51701859880916},
       {-0.29999999999999999, 2.113309779635399},
       {-0.5, 0.03648997397857652},
       {-1.75, -2.3226916286143608},
       {-7.2999999999999998, 4.3373073055100502},
       {-100.25, 7.7542389592086458}},
      [](double x) { return math::digamma(x); }, 6);
  check_samples(
      "gammaln",
      {{9.9999999999999998e-201, 460.51701859880916},
       {1e-08, 18.420680738180209},
       {0.29999999999999999, 1.0957979948180756},
       {0.90000000000000002, 0.066376239734742951},
       {0.99999998999999995, 5.7721567602657306e-09},
       {1.0000009999999999, -5.7721484238741467e-07},
       {1.2, -0.085374090003315833},
       {1.9999, -4.2275208772153459e-05},
       {2.0000003, 1.268353295317493e-07},
       {2.5, 0.28468287047291918},
       {7.2999999999999998, 7.1478925230222483},
       {55.5, 166.32150615984037},
       {1000000, 12815504.569147611},
       {9.9999999999999997e+199, 4.595170185988091e+202},
       {-0.29999999999999999, 1.4648400508576025},
       {-0.5, 1.2655121234846454},
       {-1.75, 1.0160888092144358},
       {-7.2999999999999998, -7.7791016298268518},
       {-100.25, -363.40092322782152}},
      [](double x) { return math::gammaln(x); }, 4);
  check_samples(
      "constant gammaln",
      {{9.9999999999999998e-201, 460.51701859880916},
       {1e-08, 18.420680738180209},
       {0.29999999999999999, 1.0957979948180756},
       {0.90000000000000002, 0.066376239734742951},
       {0.99999998999999995, 5.7721567602657306e-09},
       {1.0000009999999999, -5.7721484238741467e-07},
       {1.2, -0.085374090003315833},
       {1.9999, -4.2275208772153459e-05},
       {2.0000003, 1.268353295317493e-07},
       {2.5, 0.28468287047291918},
       {7.2999999999999998, 7.1478925230222483},
       {55.5, 166.32150615984037},
       {1000000, 12815504.569147611},
       {9.9999999999999997e+199, 4.595170185988091e+202},
       {-0.29999999999999999, 1.4648400508576025},
       {-0.5, 1.2655121234846454},
       {-1.75, 1.0160888092144358},
       {-7.2999999999999998, -7.7791016298268518},
       {-100.25, -363.40092322782152}},
      [](double x) { return constant::gammaln(x); }, 1);
}

TEST_CASE("compound functions keep their relative accuracy", "[math]") {
  double where = 0;
  const auto sigmoid = [](double x) { return math::sigmoid(x); };
  const auto sigmoid_exact = [](long double x) {
    return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
  };
  CHECK(worst(sigmoid, sigmoid_exact, -745, 40, false, where) <= 4);
  const auto softplus = [](double x) { return math::softplus(x); };
  const auto softplus_exact = [](long double x) {
    return x < 0 ? std::log1p(std::exp(x)) : x + std::log1p(std::exp(-x));
  };
  CHECK(worst(softplus, softplus_exact, -745, 100, false, where) <= 4);
  const auto log1mexp = [](double x) { return math::log1mexp(-x); };
  const auto log1mexp_exact = [](long double x) {
    return x < 0.7L ? std::log(-std::expm1(-x)) : std::log1p(-std::exp(-x));
  };
  CHECK(worst(log1mexp, log1mexp_exact, 1e-300, 700, true, where) <= 4);
  CHECK(worst(log1mexp, log1mexp_exact, 0.1, 3, false, where) <= 4);
}

TEST_CASE("compound functions at the ends of their range", "[math]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(math::sigmoid(-inf) == 0);
  CHECK(math::sigmoid(inf) == 1);
  CHECK(math::sigmoid(-744.0) > 0);
  CHECK(math::softplus(-inf) == 0);
  CHECK(math::softplus(inf) == inf);
  CHECK(math::softplus(-744.0) > 0);
  CHECK(math::log1mexp(0.0) == -inf);
  CHECK(math::log1mexp(-inf) == 0);
  CHECK(std::isnan(math::log1mexp(1.0)));
  CHECK(math::logaddexp(-inf, -inf) == -inf);
  CHECK(math::logaddexp(inf, inf) == inf);
  CHECK(math::logaddexp(inf, -inf) == inf);
  CHECK(math::logaddexp(-inf, 3.0) == 3);
  CHECK(math::logaddexp(1000.0, 1000.0) == Approx(1000 + std::log(2.0)).epsilon(1e-15));
  CHECK(math::erfcx(inf) == 0);
  CHECK(math::erfcx(-27.0) == inf);
  CHECK(math::logerfc(inf) == -inf);
  CHECK(math::logerfc(1e155) == -inf);
  CHECK(math::gammaln(0.0) == inf);
  CHECK(math::gammaln(-3.0) == inf);
  CHECK(math::digamma(0.0) == -inf);
  CHECK(math::digamma(-0.0) == inf);
  CHECK(std::isnan(math::digamma(-3.0)));
  CHECK(std::isnan(math::digamma(-inf)));
  for (double x :
       {math::sigmoid(nan), math::softplus(nan), math::log1mexp(nan), math::logaddexp(nan, 1.0),
        math::logaddexp(1.0, nan), math::erfcx(nan), math::logerfc(nan), math::gammaln(nan),
        math::digamma(nan), math::minimum(nan, 1.0), math::minimum(1.0, nan),
        math::maximum(nan, 1.0), math::maximum(1.0, nan)})
    CHECK(std::isnan(x));
}

TEST_CASE("float division and remainder follow NumPy", "[math]") {
  CHECK(math::floordiv(7.5, 2.0) == 3);
  CHECK(math::floordiv(-7.5, 2.0) == -4);
  CHECK(math::floordiv(1.0, 0.1) == 9);  // the exact quotient of the two doubles is below 10
  CHECK(math::mod(1.0, 0.1) == Approx(0.1));
  CHECK(math::mod(-7.5, 2.0) == 0.5);
  CHECK(math::mod(7.5, -2.0) == -0.5);
  CHECK(std::signbit(math::mod(4.0, -2.0)));
  CHECK(math::floordiv(1.0, 0.0) == inf);
  CHECK(std::isnan(math::floordiv(0.0, 0.0)));
  CHECK(std::isnan(math::floordiv(inf, 2.0)));
  CHECK(std::isnan(math::mod(1.0, 0.0)));
  CHECK(math::floordiv(-1.0, inf) == -1);
  CHECK(math::mod(-1.0, inf) == inf);
  CHECK(math::round(2.5) == 2);
  CHECK(math::round(3.5) == 4);
}
