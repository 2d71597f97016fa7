// Special functions at arguments where their values are known to all digits: of scalars, batches and
// constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <kroton/cpu/simd/math.hpp>

namespace known_values {

namespace math = kroton::math;
namespace constant = kroton::math::constant;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double denormal = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

struct row {
  double x, exact;
};
struct row3 {
  double a, b, exact;
};

/// Distance in units in the last place of R, or of a larger size that is given.
template <class R>
double ulps(R got, double exact, double least = 0) {
  R const rounded = constant::rounded<R>(exact);
  if (got == rounded) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : HUGE_VAL;
  double const size = std::fmax(std::fmax(std::fabs(exact), least),
                                static_cast<double>(std::numeric_limits<R>::min()));
  return std::fabs(static_cast<double>(got) - exact) /
         std::ldexp(1.0, std::ilogb(size) + 1 - std::numeric_limits<R>::digits);
}
template <class R>
bool same(R a, R b) {
  return std::isnan(b) ? std::isnan(a) : a == b && std::signbit(a) == std::signbit(b);
}

/// Checks the rows whose argument R can hold, as a scalar and in a batch whose other lanes differ.
template <class R, class F>
void check_rows(char const* name, std::vector<row> const& rows, F f, double bound,
                double least = 0) {
  using batch = xsimd::batch<R>;
  for (row const& r : rows) {
    R const x = static_cast<R>(r.x);
    if (static_cast<double>(x) != r.x) continue;
    R lanes[batch::size], out[batch::size];
    for (R& lane : lanes) lane = R(0.75);
    lanes[0] = x;
    f(batch::load_unaligned(lanes)).store_unaligned(out);
    CAPTURE(name, r.x, r.exact, f(x), out[0]);
    CHECK(ulps<R>(f(x), r.exact, least) <= bound);
    CHECK(ulps<R>(out[0], r.exact, least) <= bound);
  }
}
/// Special values are exact, in every form.
template <class R, class F>
void check_exactly(char const* name, std::vector<row> const& rows, F f) {
  for (row const& r : rows) {
    R const x = static_cast<R>(r.x), exact = static_cast<R>(r.exact);
    CAPTURE(name, r.x, r.exact, f(x), f(xsimd::batch<R>(x)).get(0));
    CHECK(same(f(x), exact));
    CHECK(same(f(xsimd::batch<R>(x)).get(0), exact));
  }
}

}  // namespace known_values

#define ROWS(name, bound, ...)         \
  known_values::check_rows<TestType>( \
      #name, name##_rows, [](auto x) { return math::name(x); }, bound __VA_OPT__(, ) __VA_ARGS__)
#define EXACTLY(name, ...) \
  known_values::check_exactly<TestType>(#name, {__VA_ARGS__}, [](auto x) { return math::name(x); })
