// Checks every function of SIMD batches against constant evaluation's implementation, over whole
// ranges. SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <kroton/cpu/simd/math.hpp>

namespace math = kroton::math;
namespace constant = kroton::math::constant;

namespace {

/// Distance in units in the last place; zeros of either sign are equal here, see the test of signs.
template <class R>
double ulps(R x, double exact) {
  const R rounded = constant::rounded<R>(exact);
  if (std::isnan(x) || std::isnan(rounded))
    return std::isnan(x) && std::isnan(rounded) ? 0 : HUGE_VAL;
  if (x == rounded) return 0;
  const R size = std::fmax(std::fabs(rounded), std::numeric_limits<R>::min());
  if (std::isinf(size)) return std::isinf(x) ? HUGE_VAL : 1;  // one step below infinity
  return std::fabs(static_cast<double>(x) - exact) /
         std::ldexp(1.0, std::ilogb(size) + 1 - std::numeric_limits<R>::digits);
}

/// Points of both signs: logarithmically over all magnitudes, densely around 1, denormals, and
/// special values.
template <class R>
std::vector<R> points() {
  using limits = std::numeric_limits<R>;
  std::vector<R> x{R(0),
                   R(-0.0),
                   limits::infinity(),
                   -limits::infinity(),
                   limits::quiet_NaN(),
                   limits::max(),
                   limits::lowest(),
                   limits::min(),
                   limits::denorm_min(),
                   -limits::denorm_min(),
                   R(1),
                   R(-1),
                   R(0.5),
                   R(-0.5),
                   R(2)};
  const double least = std::log(static_cast<double>(limits::denorm_min())),
               most = std::log(static_cast<double>(limits::max()));
  for (int i = 0; i < 4000; ++i)
    x.push_back(static_cast<R>(std::exp(least + (most - least) * (i + 0.3 * std::sin(i)) / 4001)));
  for (int i = 0; i < 8000; ++i)
    x.push_back(static_cast<R>(std::exp(-9 + 16.0 * (i + 0.3 * std::sin(i)) / 8000)));
  for (int i = 0; i < 4000; ++i)
    x.push_back(static_cast<R>(0.25 + 2.5 * (i + 0.3 * std::sin(i)) / 4000));
  const std::size_t half = x.size();
  for (std::size_t i = 0; i < half; ++i) x.push_back(-x[i]);
  while (x.size() % xsimd::batch<R>::size != 0) x.push_back(R(1));
  return x;
}

template <class R, class F, class G>
double worst(F batch_function, G exact, double lo, double hi, const char* name) {
  using batch = xsimd::batch<R>;
  static const std::vector<R> all = points<R>();
  std::vector<R> x;
  for (R v : all)
    if (!(v < lo || v > hi)) x.push_back(v);
  while (x.size() % batch::size != 0) x.push_back(R(0.5));
  double result = 0;
  R where = 0;
  R out[batch::size];
  for (std::size_t i = 0; i < x.size(); i += batch::size) {
    batch_function(batch::load_unaligned(&x[i])).store_unaligned(out);
    for (std::size_t j = 0; j < batch::size; ++j) {
      const double e = exact(static_cast<double>(x[i + j]));
      const double u = ulps<R>(out[j], e);
      if (u > result) result = u, where = x[i + j];
    }
  }
  if (std::getenv("KROTON_PRINT_ERRORS") != nullptr)
    std::printf("%-10s %-6s [%g, %g] %.3g ulp at %.17g\n", name,
                sizeof(R) == 8 ? "double" : "float", lo, hi, result, static_cast<double>(where));
  return result;
}

#define CHECK_RANGE(name, lo, hi, bound)                                                           \
  CHECK(worst<R>([](auto x) { return math::name(x); }, [](double x) { return constant::name(x); }, \
                 lo, hi, #name) <= bound)

}  // namespace

TEMPLATE_TEST_CASE("SIMD elementary functions", "[math][simd]", double, float) {
  using R = TestType;
  constexpr double inf = std::numeric_limits<double>::infinity();
  CHECK_RANGE(exp, -inf, inf, 4);
  CHECK_RANGE(exp2, -inf, inf, 4);
  CHECK_RANGE(expm1, -inf, inf, 4);
  CHECK_RANGE(cbrt, -inf, inf, 4);
  CHECK_RANGE(log, -inf, inf, 4);
  CHECK_RANGE(log2, -inf, inf, 4);
  CHECK_RANGE(log10, -inf, inf, 4);
  CHECK_RANGE(log1p, -inf, inf, 4);
  CHECK_RANGE(sqrt, -inf, inf, 0.5001);
  CHECK_RANGE(sin, -1e5, 1e5, 4);
  CHECK_RANGE(cos, -1e5, 1e5, 4);
  CHECK_RANGE(tan, -1e5, 1e5, 4);
  CHECK_RANGE(sin, -inf, inf, 4);
  CHECK_RANGE(cos, -inf, inf, 4);
  CHECK_RANGE(tan, -inf, inf, 4);
  CHECK_RANGE(asin, -inf, inf, 4);
  CHECK_RANGE(acos, -inf, inf, 4);
  CHECK_RANGE(atan, -inf, inf, 4);
  CHECK_RANGE(sinh, -inf, inf, 4);
  CHECK_RANGE(cosh, -inf, inf, 4);
  CHECK_RANGE(tanh, -inf, inf, 4);
  CHECK_RANGE(asinh, -inf, inf, 4);
  CHECK_RANGE(acosh, -inf, inf, 4);
  CHECK_RANGE(atanh, -inf, inf, 4);
  CHECK_RANGE(erf, -inf, inf, 4);
  CHECK_RANGE(erfc, -inf, inf, 4);
}

TEMPLATE_TEST_CASE("SIMD sines are relatively accurate next to multiples of pi / 2", "[math][simd]", double, float) {
  using R = TestType;
  using batch = xsimd::batch<R>;
  const double quarter = 1.5707963267948966, most = sizeof(R) == 8 ? 7e6 : 7e3;
  double sine = 0, cosine = 0;
  for (int i = 1; i < 20000; ++i) {
    const R at = static_cast<R>(std::floor(most * (0.5 + 0.5 * std::sin(i))) * quarter);
    for (const R x : {std::nextafter(at, R(0)), at, -at}) {
      sine = std::fmax(sine, ulps<R>(math::sin(batch(x)).get(0), constant::sin(static_cast<double>(x))));
      cosine = std::fmax(cosine, ulps<R>(math::cos(batch(x)).get(0), constant::cos(static_cast<double>(x))));
    }
  }
  CHECK(sine <= 4);
  CHECK(cosine <= 4);
}

TEMPLATE_TEST_CASE("SIMD special and compound functions", "[math][simd]", double, float) {
  using R = TestType;
  constexpr double inf = std::numeric_limits<double>::infinity();
  // The scalar functions in double are the reference: within 1 or 2 ulp themselves, tested in
  // math_accuracy.cpp.
#define CHECK_SCALAR(name, bound)                                                              \
  CHECK(worst<R>([](auto x) { return math::name(x); }, [](double x) { return math::name(x); }, \
                 -inf, inf, #name) <= bound)
  CHECK_SCALAR(erfcx, 4.5);
  CHECK_SCALAR(logerfc, 5);
  CHECK_SCALAR(gammaln, 4);
  // Below 0 digamma passes through 0: polygamma.cpp has it there.
  CHECK(worst<R>([](auto x) { return math::digamma(x); }, [](double x) { return math::digamma(x); }, 0, inf, "digamma") <= 4);
  CHECK_SCALAR(trigamma, 8);
  CHECK_SCALAR(erfinv, 4);
  CHECK_SCALAR(erfcinv, 4);
  CHECK_SCALAR(gamma, 5);
  CHECK_SCALAR(i0, 4);
  CHECK_SCALAR(i1, 4);
  CHECK_SCALAR(i0e, 4);
  CHECK_SCALAR(i1e, 4);
  // Beyond 8 they are as exact as their envelope only: special_functions.cpp has them there.
  CHECK(worst<R>([](auto x) { return math::j0(x); }, [](double x) { return math::j0(x); }, -8, 8, "j0") <= 7);
  CHECK(worst<R>([](auto x) { return math::j1(x); }, [](double x) { return math::j1(x); }, -8, 8, "j1") <= 7);
  CHECK_SCALAR(sigmoid, 5);
  CHECK_SCALAR(softplus, 5);
  CHECK_SCALAR(log1mexp, 6);
  CHECK_SCALAR(abs, 0);
  CHECK_SCALAR(sgn, 0);
  CHECK_SCALAR(sqr, 0.5001);
  CHECK_SCALAR(inv, 0.5001);
  CHECK_SCALAR(floor, 0);
  CHECK_SCALAR(ceil, 0);
  CHECK_SCALAR(round, 0);
  CHECK_SCALAR(trunc, 0);
}

// Exact values by decimal arithmetic of 80 digits.
TEMPLATE_TEST_CASE("logarithms of lengths next to 1", "[math][simd]", double, float) {
  using R = TestType;
  struct row {
    double x, y, exact;
  };
  constexpr bool single = sizeof(R) == 4;
  const auto rows = single ? std::vector<row>{{0.6, 0.8, 2.3841857696993432e-08},
                                              {0.28, 0.96, -2.0265579403400125e-08},
                                              {0.912945, 1e-3, -0.0910790713689576}}
                           : std::vector<row>{{0.6, 0.8, 2.2204460492503132e-17},
                                              {0.28, 0.96, -2.6645352591003756e-17},
                                              {0.912945, 1e-6, -0.09107964116498383},
                                              {1, 1e-9, 5e-19}};
  for (row r : rows)
    for (double sign : {1., -1.}) {
      const R x = R(sign * r.x), y = R(r.y), exact = R(r.exact);
      INFO(x << ", " << y);
      CHECK(ulps<R>(math::loghypot(x, y), exact) <= 4);
      CHECK(ulps<R>(math::loghypot(xsimd::batch<R>(y), xsimd::batch<R>(x)).get(0), exact) <= 4);
    }
}

TEMPLATE_TEST_CASE("SIMD binary functions equal the scalar ones", "[math][simd]", double, float) {
  using R = TestType;
  using batch = xsimd::batch<R>;
  using limits = std::numeric_limits<R>;
  std::vector<R> values{R(0),
                        R(-0.0),
                        R(0.3),
                        R(-0.7),
                        R(1),
                        R(-1),
                        R(2.5),
                        R(-7),
                        R(123.456),
                        R(-1e6),
                        R(1e15),
                        R(-1e25),
                        R(1e-20),
                        limits::max(),
                        limits::min(),
                        limits::denorm_min(),
                        limits::infinity(),
                        -limits::infinity(),
                        limits::quiet_NaN(),
                        R(-3.5)};
  for (int i = 0; i < 40; ++i)
    values.push_back(static_cast<R>(std::sin(i) * std::exp(0.7 * (i - 20))));
  auto check = [&](const char* name, auto on_batch, auto on_scalar, double bound) {
    for (R a : values)
      for (R b : values) {
        // The neighbours are harmless numbers, so that both a fast path and its exception are met.
        for (R other : {a, R(5)}) {
          R lanes[batch::size];
          for (R& lane : lanes) lane = other;
          lanes[0] = a;
          R out[batch::size];
          on_batch(batch::load_unaligned(lanes), batch(b)).store_unaligned(out);
          for (std::size_t i = 0; i < batch::size; i += batch::size - 1) {
            const R expected = on_scalar(lanes[i], b);
            INFO(name << "(" << lanes[i] << ", " << b << ") = " << out[i] << ", scalar "
                      << expected);
            CHECK(ulps<R>(out[i], expected) <= bound);
            // Of zeros of both signs an extremum may be either.
            bool const may_be_either = lanes[i] == 0 && b == 0 && std::strstr("maximum minimum", name) != nullptr;
            if (expected == 0 && !may_be_either) CHECK(std::signbit(out[i]) == std::signbit(expected));
          }
        }
      }
  };
#define CHECK_BINARY(name, bound)                               \
  check(                                                        \
      #name, [](batch a, batch b) { return math::name(a, b); }, \
      [](R a, R b) { return math::name(a, b); }, bound)
  CHECK_BINARY(minimum, 0);
  CHECK_BINARY(maximum, 0);
  CHECK_BINARY(divide, 0);
  CHECK_BINARY(mod, 0);
  CHECK_BINARY(floordiv, 0);
  CHECK_BINARY(atan2, 4);
  CHECK_BINARY(hypot, 2);
  CHECK_BINARY(loghypot, 4);
  CHECK_BINARY(pow, 4);
  check(
      "logaddexp", [](batch a, batch b) { return math::logaddexp(a, b); },
      [](R a, R b) { return math::logaddexp(a, b); }, 8);
}

TEMPLATE_TEST_CASE("SIMD powers are accurate up to overflow", "[math][simd]", double, float) {
  using R = TestType;
  using batch = xsimd::batch<R>;
  // y log x lies within the range of the logarithms of R, for x next to 1 and far from it.
  const double most = sizeof(R) == 8 ? 700 : 86;
  double error = 0;
  for (int i = 0; i < 40000; ++i) {
    const double magnitude = std::exp(-12 + 18 * (0.5 + 0.5 * std::sin(1.7 * i)));
    const R x = static_cast<R>(std::exp(std::fmin(magnitude, most) * (i % 2 == 0 ? 1 : -1)));
    if (x == 1) continue;
    const R y = static_cast<R>(most * std::sin(0.3 * i) / std::log(static_cast<double>(x)));
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    const R size = static_cast<R>(exact);
    const long double place = std::ldexp(1.0L, std::ilogb(size) + 1 - std::numeric_limits<R>::digits);
    error = std::fmax(error, static_cast<double>(std::fabs(math::pow(batch(x), batch(y)).get(0) - exact) / place));
  }
  CHECK(error <= 4);
  CHECK(error > 0);
}

TEMPLATE_TEST_CASE("SIMD functions keep the sign of zero", "[math][simd]", double, float) {
  using batch = xsimd::batch<TestType>;
  const batch zero(TestType(-0.0));
  auto negative = [](batch x) { return x.get(0) == 0 && std::signbit(x.get(0)); };
  CHECK(negative(math::expm1(zero)));
  CHECK(negative(math::log1p(zero)));
  CHECK(negative(math::sqrt(zero)));
  CHECK(negative(math::sin(zero)));
  CHECK(negative(math::tan(zero)));
  CHECK(negative(math::asin(zero)));
  CHECK(negative(math::atan(zero)));
  CHECK(negative(math::sinh(zero)));
  CHECK(negative(math::tanh(zero)));
  CHECK(negative(math::asinh(zero)));
  CHECK(negative(math::atanh(zero)));
  CHECK(negative(math::erf(zero)));
  CHECK(negative(math::floor(zero)));
  CHECK(negative(math::ceil(batch(TestType(-0.5)))));
  CHECK(negative(math::round(batch(TestType(-0.5)))));
  CHECK(negative(math::trunc(batch(TestType(-0.5)))));
  CHECK_FALSE(negative(math::sgn(zero)));
  CHECK_FALSE(negative(math::abs(zero)));
}

TEMPLATE_TEST_CASE("SIMD truth values", "[math][simd]", double, float) {
  using batch = xsimd::batch<TestType>;
  const batch one(TestType(1)), two(TestType(2)),
      undefined(std::numeric_limits<TestType>::quiet_NaN());
  const auto yes = math::lt(one, two), no = math::gt(one, two);
  CHECK(xsimd::all(yes));
  CHECK(xsimd::none(no));
  CHECK(xsimd::all(math::neq(undefined, undefined)));
  CHECK(xsimd::none(math::eq(undefined, undefined)));
  CHECK(xsimd::all(math::isnan(undefined)));
  CHECK(xsimd::none(math::isnan(one)));
  CHECK(xsimd::all(math::logical_and(yes, math::logical_not(no))));
  CHECK(xsimd::all(math::logical_or(yes, no)));
  CHECK(xsimd::all(math::logical_xor(yes, no)));
  CHECK(xsimd::none(math::logical_xor(yes, yes)));
  CHECK(xsimd::all(math::eq(yes, yes)));
  CHECK(xsimd::all(math::neq(yes, no)));
  CHECK(xsimd::all(math::select(yes, yes, no)));
  CHECK(xsimd::none(math::select(no, yes, no)));
  CHECK(math::select(yes, one, two).get(0) == 1);
  CHECK(math::select(no, one, two).get(0) == 2);
}
