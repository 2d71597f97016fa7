// Extended precision from the C library's functions and, where it has none, from textbook formulas.
// SPDX-License-Identifier: BSD-3-Clause
#include "scalar.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <unordered_map>

namespace fuzz {

namespace {

constexpr real pi = std::numbers::pi_v<real>;

// exp(x * x) * erfc(x); beyond 60 by its asymptotic series, whose terms then fall fast.
real erfcx(real x) {
  if (x < 60) return std::exp(x * x) * std::erfc(x);
  real const t = 1 / (2 * x * x);
  return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t)))) / (x * std::sqrt(pi));
}
real logerfc(real x) {
  if (std::abs(x) < 0.5L) return std::log1p(-std::erf(x));
  return x < 60 ? std::log(std::erfc(x)) : std::log(erfcx(x)) - x * x;
}
real log1mexp(real x) { return x > -0.7L ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x)); }
real softplus(real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }
real sigmoid(real x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
real logaddexp(real a, real b) {
  if (a == b) return a + std::log(real(2));
  real const d = std::abs(a - b);
  return std::isnan(d) ? d : std::fmax(a, b) + std::log1p(std::exp(-d));
}
real digamma(real x) {
  if (x == 0) return -std::copysign(std::numeric_limits<real>::infinity(), x);
  if (x < 0) return x == std::floor(x) ? std::numeric_limits<real>::quiet_NaN() : digamma(1 - x) - pi / std::tan(pi * x);
  real result = 0;
  for (; x < 40; ++x) result -= 1 / x;
  real const t = 1 / (x * x);
  return result + std::log(x) - 0.5L / x -
         t * (1 / 12.0L - t * (1 / 120.0L - t * (1 / 252.0L - t * (1 / 240.0L - t * (1 / 132.0L - t * 691 / 32760.0L)))));
}
real polygamma(int n, real x) {
  if (n == 0) return digamma(x);
  bool const odd = n % 2 != 0;
  if (x == 0) return odd || std::signbit(x) ? std::numeric_limits<real>::infinity() : -std::numeric_limits<real>::infinity();
  // Poles accumulate at -infinity.
  if (std::isinf(x) && x < 0) return std::numeric_limits<real>::quiet_NaN();
  if (x < 0 && x == std::floor(x)) return odd ? std::numeric_limits<real>::infinity() : std::numeric_limits<real>::quiet_NaN();
  real const sign = odd ? 1 : -1, factorial = std::tgamma(real(n) + 1);
  // Too far for the sum: the sums on both sides of the fraction, without what starts beyond x.
  if (x < -1000) {
    real const fraction = x - std::floor(x);
    return polygamma(n, fraction) + sign * (polygamma(n, 1 - fraction) - polygamma(n, 1 - x));
  }
  real result = 0;
  for (; x < 40 + n; ++x) result += factorial * std::pow(x, real(-n - 1));
  if (std::isinf(x)) return sign * 0;
  // (n - 1)! / x^n, and Bernoulli numbers over factorials.
  real const lead = factorial / n * std::pow(x, real(-n)), t = 1 / (x * x);
  real series = 1 + n / (2 * x), rising = 1;
  real const b[] = {1 / 12.0L, -1 / 720.0L, 1 / 30240.0L, -1 / 1209600.0L, 1 / 47900160.0L, -691 / 1307674368000.0L};
  for (int k = 0; k < 6; ++k) series += b[k] * (rising *= (n + 2 * k) * (n + 2 * k + 1) * t);
  return sign * (result + lead * series);
}
// The number whose erfc is q, for 0 <= q <= 1, by Newton's method for the logarithm, or for erf next to 1.
real erfcinv_upper(real q) {
  if (!(q > 0)) return q == 0 ? std::numeric_limits<real>::infinity() : std::numeric_limits<real>::quiet_NaN();
  real z = q > 0.1L ? (1 - q) * 0.9L : std::sqrt(-std::log(q * std::sqrt(-std::log(q) * pi)));
  for (int i = 0; i < 30; ++i)
    z += (q > 0.5L ? 1 - q - std::erf(z) : std::erfc(z) * (logerfc(z) - std::log(q))) * std::sqrt(pi) / 2 * std::exp(z * z);
  return z;
}
real erfcinv(real q) { return q > 1 ? -erfcinv_upper(2 - q) : erfcinv_upper(q); }
real erfinv(real x) {
  if (!(std::abs(x) < 0.5L)) return std::copysign(erfcinv_upper(1 - std::abs(x)), x);
  real z = x * 0.9L;
  for (int i = 0; i < 30; ++i) z -= (std::erf(z) - x) * std::sqrt(pi) / 2 * std::exp(z * z);
  return x == 0 ? x : z;
}
real gamma(real x) {
  if (x == 0) return 1 / x;
  if (x < 0 && (std::isinf(x) || x == std::floor(x))) return std::numeric_limits<real>::quiet_NaN();
  return std::tgamma(x);
}
// Of large numbers the sum of logarithms cancels: then by Stirling's series, whose large terms are subtracted by hand.
real betaln(real a, real b) {
  real const p = std::fmin(a, b), q = std::fmax(a, b);
  if (std::isnan(a) || std::isnan(b) || p < 0 || (p == 0 && std::isinf(q))) return std::numeric_limits<real>::quiet_NaN();
  if (p == 0) return std::numeric_limits<real>::infinity();
  if (std::isinf(q)) return -q;
  if (q < 40) return std::lgamma(p) + std::lgamma(q) - std::lgamma(p + q);
  auto rest = [](real x) {
    real const t = 1 / (x * x);
    return (1 / 12.0L - t * (1 / 360.0L - t * (1 / 1260.0L - t * (1 / 1680.0L - t / 1188)))) / x;
  };
  real const shrunk = std::log1p(-p / (p + q)), ends = rest(q) - rest(p + q);
  if (p < 40) return std::lgamma(p) + ends + p - p * std::log(p + q) + (q - 0.5L) * shrunk;
  return 0.5L * std::log(2 * pi / q) + rest(p) + ends + (p - 0.5L) * std::log(p / (p + q)) + q * shrunk;
}
// I0 or I1, by a series of positive terms, or far from 0 by the asymptotic one; the scaled ones times exp(-|x|).
real bessel_i(int n, real x, bool scaled) {
  real const a = std::abs(x), sign = n == 1 && std::signbit(x) ? -1 : 1;
  if (std::isnan(x)) return x;
  if (std::isinf(x)) return scaled ? sign * 0 : sign * a;
  if (a < 60) {
    real term = n == 0 ? 1 : a / 2, sum = term;
    for (int k = 1; k < 300; ++k) sum += term *= a / 2 * (a / 2) / (real(k) * (k + n));
    return sign * sum * (scaled ? std::exp(-a) : 1);
  }
  real term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) sum += term *= -(4 * n * n - real(2 * k - 1) * (2 * k - 1)) / (8 * k * a);
  return sign * sum / std::sqrt(2 * pi * a) * (scaled ? 1 : std::exp(a));
}
// The n-th derivative by a of t^a / Gamma(a + 1), relative to it: complete Bell polynomials of the derivatives of the logarithm.
real bell(int n, real first, real a) {
  real of[12] = {1};
  for (int m = 0; m < n && m < 11; ++m) {
    real choices = 1;
    for (int k = 0; k <= m; ++k) {
      of[m + 1] += choices * of[m - k] * (k == 0 ? first - digamma(a + 1) : -polygamma(k, a + 1));
      choices = choices * (m - k) / (k + 1);
    }
  }
  return of[n];
}
real gamma_density(int n, real a, real x) {
  if (n < 0) return 0;
  if (!(a >= 0 && x > 0)) return x == 0 && a > 1 ? 0 : std::numeric_limits<real>::quiet_NaN();
  if (std::isinf(a) || std::isinf(x)) return 0;
  real const weight = a * bell(n, std::log(x), a) + (n == 0 ? 0 : n * bell(n - 1, std::log(x), a));
  return std::exp((a - 1) * std::log(x) - x - std::lgamma(a + 1)) * weight;
}
// The n-th derivative by a of the integral of t^a e^-t / Gamma(a) dt / t from 0 to x, or else from x
// on with the other sign, where x is so large that the series has too many terms: Boole's rule in
// |log(t / x)|, up to where nothing is left.
real gammainc_slope_of_large(int n, real a, real x) {
  if (a == 0) return 0;
  real const direction = x <= a ? -1 : 1, end = std::fmin(12 / std::sqrt(x), 60 / std::abs(a - x));
  auto integrand = [&](real u) {
    real const s = std::expm1(direction * u), t = x + x * s;
    real const logarithm = a * (std::log1p((x - a) / a) + direction * u) - (t - a) +
                           0.5L * std::log(a / (2 * pi));
    real const rest = a < 100 ? a * std::log(a) - a + 0.5L * std::log(2 * pi / a) - std::lgamma(a)
                              : (-1 / 12.0L + (1 / 360.0L - 1 / (1260 * a * a)) / (a * a)) / a;
    return std::exp(logarithm + rest) * bell(n, std::log(t), a - 1);
  };
  int const count = 2000;
  real const weights[] = {14, 32, 12, 32};
  real sum = 7 * (integrand(0) + integrand(end));
  for (int k = 1; k < count; ++k) sum += weights[k % 4] * integrand(end * k / count);
  return -direction * sum * end * 2 / (45 * count);
}
// By the series of positive terms, and for large x by the continued fraction; the derivatives by the series alone.
real gammainc_by_a(int n, real a, real x) {
  if (!(a >= 0 && x >= 0)) return std::numeric_limits<real>::quiet_NaN();
  bool const falls = n == 0 && x <= a;  // from the first term on
  if (std::isinf(a) || std::isinf(x) || x == 0) return 0;
  if (x > 1000 && !falls) return n == 0 ? 0 : gammainc_slope_of_large(n, a, x);
  real sum = 0;
  if (falls) {  // of some ten times the root of a terms
    real added = std::exp(a * std::log(x) - x - std::lgamma(a + 1));
    for (int k = 1; k < 4'000'000 && added > 1e-22L * sum; ++k) {
      sum += added;
      added *= x / (a + k);
    }
    return sum;
  }
  for (int k = 0; k < 4000; ++k) {
    real const added = std::exp((a + k) * std::log(x) - x - std::lgamma(a + k + 1)) * bell(n, std::log(x), a + k);
    sum += added;
    if (k > x + 10 && std::abs(added) <= 1e-22L * std::abs(sum)) break;
  }
  return sum;
}
real gammainc(real a, real x, bool upper) {
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return std::numeric_limits<real>::quiet_NaN();
  if (x == 0 || std::isinf(a)) return upper;
  if (a == 0 || std::isinf(x)) return !upper;
  if (x > 2 && x > a) {
    int const terms = 200 + static_cast<int>(std::fmin(20 * std::sqrt(a), 2e6L));
    real rest = x - a + 2 * terms + 1;
    for (int k = terms; k > 0; --k) rest = x - a + (2 * k - 1) + k * (a - k) / rest;
    real const tail = std::exp(a * std::log(x) - x - std::lgamma(a + 1)) * a / rest;
    return upper ? tail : 1 - tail;
  }
  real const below = gammainc_by_a(0, a, x);
  return upper ? 1 - below : below;
}
// NumPy's: the remainder has the sign of the divisor.
real floordiv(real a, real b) {
  if (b == 0) return a / b;
  if (std::isinf(a)) return std::numeric_limits<real>::quiet_NaN();
  return std::isinf(b) && std::isfinite(a) ? ((a < 0) != (b < 0) && a != 0 ? -1 : 0) : std::floor(a / b);
}
real mod(real a, real b) {
  real const rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(rest, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}
real maximum(real a, real b) { return std::isnan(a) || std::isnan(b) ? a + b : std::fmax(a, b); }
real minimum(real a, real b) { return std::isnan(a) || std::isnan(b) ? a + b : std::fmin(a, b); }
real sgn(real x) { return std::isnan(x) ? x : real((x > 0) - (x < 0)); }
real power(real a, real b) {
  // glibc's powl is within an ulp of extended precision.
  return std::pow(a, b);
}

integer floor_quotient(integer a, integer b) {
  if (b == 0) return 0;
  integer const q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
integer floor_rest(integer a, integer b) { return b == 0 ? 0 : a - b * floor_quotient(a, b); }
integer integer_power(integer a, integer n, kt::element e) {
  if (n < 0) return a == 1 ? 1 : a == -1 ? (n % 2 != 0 ? -1 : 1) : 0;
  integer result = 1;
  auto times = [&](integer x, integer y) { return wrapped(product(x, y), e); };
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) result = times(result, a);
    a = times(a, a);
  }
  return result;
}
integer shifted_right(integer a, integer bits, kt::element e) {
  integer const width = 8 * kt::core::bytes_of(e);
  return bits < 0 || bits >= width ? (a < 0 ? -1 : 0) : a >> static_cast<int>(bits);
}
integer shifted_left(integer a, integer bits, kt::element e) {
  integer const width = 8 * kt::core::bytes_of(e);
  return bits < 0 || bits >= width ? 0 : a * (integer(1) << static_cast<int>(bits));
}

bool is_logical(kt::element e) { return kt::core::is_bool(e); }

// Distances from jumps and from ends of domains.
real to_integer(real x) { return std::abs(x - std::nearbyint(x)); }
real to_zero(real const* x) { return std::abs(x[0]); }
real to_one(real const* x) { return std::abs(std::abs(x[0]) - 1); }

#define R(expression) [](real const* x) -> real { (void)x; return expression; }
#define I(expression) [](integer const* x, kt::element e) -> integer { (void)x, (void)e; return expression; }

scalar_function const functions[] = {
    {"add", R(x[0] + x[1]), I(is_logical(e) ? x[0] | x[1] : x[0] + x[1])},
    {"sub", R(x[0] - x[1]), I(x[0] - x[1])},
    {"mul", R(x[0] * x[1]), I(product(x[0], x[1]))},
    {"div", R(x[0] / x[1]), nullptr, R(std::abs(x[1]))},
    {"neg", R(-x[0]), I(-x[0])},
    {"inv", R(1 / x[0]), nullptr, to_zero},
    {"sqr", R(x[0] * x[0]), I(product(x[0], x[0]))},
    {"sqrt", R(std::sqrt(x[0])), nullptr, to_zero},
    {"root", R(std::sqrt(x[0])), nullptr, to_zero},
    {"pow", R(power(x[0], x[1])), I(integer_power(x[0], x[1], e)), R(x[1] == std::floor(x[1]) && x[1] >= 0 ? real(1) : std::abs(x[0]))},
    {"floordiv", R(floordiv(x[0], x[1])), I(floor_quotient(x[0], x[1])), R(x[1] == 0 ? 0 : to_integer(x[0] / x[1])), true},
    {"mod", R(mod(x[0], x[1])), I(floor_rest(x[0], x[1])), R(x[1] == 0 ? 0 : to_integer(x[0] / x[1]) * std::abs(x[1]))},
    {"abs", R(std::abs(x[0])), I(x[0] < 0 ? -x[0] : x[0])},
    {"sgn", R(sgn(x[0])), I((x[0] > 0) - (x[0] < 0)), to_zero, true},
    {"maximum", R(maximum(x[0], x[1])), I(x[0] > x[1] ? x[0] : x[1]), R(std::abs(x[0] - x[1]))},
    {"minimum", R(minimum(x[0], x[1])), I(x[0] < x[1] ? x[0] : x[1]), R(std::abs(x[0] - x[1]))},
    {"fmax", R(std::fmax(x[0], x[1])), I(x[0] > x[1] ? x[0] : x[1]), R(std::abs(x[0] - x[1]))},
    {"fmin", R(std::fmin(x[0], x[1])), I(x[0] < x[1] ? x[0] : x[1]), R(std::abs(x[0] - x[1]))},
    {"copysign", R(std::copysign(x[0], x[1])), nullptr, R(std::abs(x[1]))},
    {"signbit", R(std::signbit(x[0]) ? 1 : 0), I(x[0] < 0), to_zero, true},
    {"floor", R(std::floor(x[0])), nullptr, R(to_integer(x[0])), true},
    {"ceil", R(std::ceil(x[0])), nullptr, R(to_integer(x[0])), true},
    {"round", R(std::nearbyint(x[0])), nullptr, R(to_integer(x[0] + 0.5L)), true},
    {"trunc", R(std::trunc(x[0])), nullptr, R(to_integer(x[0])), true},
    {"eq", R(x[0] == x[1]), I(x[0] == x[1]), R(std::abs(x[0] - x[1])), true},
    {"neq", R(x[0] != x[1]), I(x[0] != x[1]), R(std::abs(x[0] - x[1])), true},
    {"lt", R(x[0] < x[1]), I(x[0] < x[1]), R(std::abs(x[0] - x[1])), true},
    {"le", R(x[0] <= x[1]), I(x[0] <= x[1]), R(std::abs(x[0] - x[1])), true},
    {"gt", R(x[0] > x[1]), I(x[0] > x[1]), R(std::abs(x[0] - x[1])), true},
    {"ge", R(x[0] >= x[1]), I(x[0] >= x[1]), R(std::abs(x[0] - x[1])), true},
    {"bit_and", nullptr, I(x[0] & x[1])},
    {"bit_or", nullptr, I(x[0] | x[1])},
    {"bit_xor", nullptr, I(x[0] ^ x[1])},
    {"bit_not", nullptr, I(is_logical(e) ? integer(x[0] == 0) : ~x[0])},
    {"shift_left", nullptr, I(shifted_left(x[0], x[1], e))},
    {"shift_right", nullptr, I(shifted_right(x[0], x[1], e))},
    {"exp", R(std::exp(x[0])), nullptr},
    {"exp2", R(std::exp2(x[0])), nullptr},
    {"expm1", R(std::expm1(x[0])), nullptr},
    {"expm1_from_exp", R(std::abs(x[0]) < 0.5L ? std::expm1(x[0]) : x[1] - 1), nullptr, R(std::abs(x[1] - 1))},
    {"log", R(std::log(x[0])), nullptr, to_zero},
    {"log2", R(std::log2(x[0])), nullptr, to_zero},
    {"log10", R(std::log10(x[0])), nullptr, to_zero},
    {"log1p", R(std::log1p(x[0])), nullptr, R(std::abs(x[0] + 1))},
    {"sigmoid", R(sigmoid(x[0])), nullptr},
    {"softplus", R(softplus(x[0])), nullptr},
    {"log1mexp", R(log1mexp(x[0])), nullptr, to_zero},
    {"logaddexp", R(logaddexp(x[0], x[1])), nullptr},
    {"sin", R(std::sin(x[0])), nullptr},
    {"cos", R(std::cos(x[0])), nullptr},
    {"tan", R(std::tan(x[0])), nullptr},
    {"asin", R(std::asin(x[0])), nullptr, to_one},
    {"acos", R(std::acos(x[0])), nullptr, to_one},
    {"atan", R(std::atan(x[0])), nullptr},
    {"sinh", R(std::sinh(x[0])), nullptr},
    {"cosh", R(std::cosh(x[0])), nullptr},
    {"tanh", R(std::tanh(x[0])), nullptr},
    {"sech2", R(1 / (std::cosh(x[0]) * std::cosh(x[0]))), nullptr},
    {"asinh", R(std::asinh(x[0])), nullptr},
    {"acosh", R(std::acosh(x[0])), nullptr, R(std::abs(x[0] - 1))},
    {"atanh", R(std::atanh(x[0])), nullptr, to_one},
    {"atan2", R(std::atan2(x[0], x[1])), nullptr, R(x[1] < 0 ? std::abs(x[0]) : std::hypot(x[0], x[1]))},
    {"cbrt", R(std::cbrt(x[0])), nullptr},
    {"hypot", R(std::hypot(x[0], x[1])), nullptr},
    {"loghypot", R(std::log(std::hypot(x[0], x[1]))), nullptr, to_zero},
    {"isnan", R(std::isnan(x[0]) ? 1 : 0), I(0)},
    {"isfinite", R(std::isfinite(x[0]) ? 1 : 0), I(1)},
    {"isinf", R(std::isinf(x[0]) ? 1 : 0), I(0)},
    {"as_it_stands", R(x[0]), I(x[0])},
    {"hypot3", R(std::hypot(std::hypot(x[0], x[1]), x[2])), nullptr},
    {"ldexp", R(std::ldexp(x[0], static_cast<int>(std::lround(x[1])))), nullptr},
    {"frexp_exponent", R(x[0] == 0 || !std::isfinite(x[0]) ? 0 : 1 + std::ilogb(x[0])), nullptr,
     R(x[0] == 0 ? 0 : std::abs(x[0]) * to_integer(std::log2(std::abs(x[0])))), true},
    {"nextafter", R(std::isnan(x[1]) ? x[1] : x[0] == 0 && x[1] != 0 ? std::copysign(0x1p-1074L, x[1]) : x[0]), nullptr},
    {"erf", R(std::erf(x[0])), nullptr},
    {"erfc", R(std::erfc(x[0])), nullptr},
    {"erfcx", R(erfcx(x[0])), nullptr},
    {"logerfc", R(logerfc(x[0])), nullptr},
    {"erfinv", R(erfinv(x[0])), nullptr, to_one},
    {"erfcinv", R(erfcinv(x[0])), nullptr, R(std::fmin(std::abs(x[0]), std::abs(2 - x[0])))},
    {"gamma", R(gamma(x[0])), nullptr, R(x[0] > 0.5L ? real(1) : to_integer(x[0]))},
    {"betaln", R(betaln(x[0], x[1])), nullptr, R(std::fmin(std::abs(x[0]), std::abs(x[1])))},
    {"gammainc", R(gammainc(x[0], x[1], false)), nullptr, R(std::fmin(std::abs(x[0]), std::abs(x[1])))},
    {"gammaincc", R(gammainc(x[0], x[1], true)), nullptr, R(std::fmin(std::abs(x[0]), std::abs(x[1])))},
    {"gamma_density", R(gamma_density(static_cast<int>(std::lround(x[0])), x[1], x[2])), nullptr, R(std::fmin(std::abs(x[1]), std::abs(x[2])))},
    {"gammainc_by_a", R(gammainc_by_a(static_cast<int>(std::lround(x[0])), x[1], x[2])), nullptr, R(std::fmin(std::abs(x[1]), std::abs(x[2])))},
    {"gammaln", R(std::lgamma(x[0])), nullptr, R(x[0] > 0.5L ? real(1) : to_integer(x[0]))},
    {"digamma", R(digamma(x[0])), nullptr, R(x[0] > 0.5L ? real(1) : to_integer(x[0]))},
    {"trigamma", R(polygamma(1, x[0])), nullptr, R(x[0] > 0.5L ? real(1) : to_integer(x[0]))},
    {"polygamma", R(polygamma(static_cast<int>(x[0]), x[1])), nullptr, R(x[1] > 0.5L ? real(1) : to_integer(x[1]))},
    {"polygamma_difference",
     R(!(x[1] >= 0 && x[2] >= 0) ? std::numeric_limits<real>::quiet_NaN()
       : std::lround(x[0]) == 0  ? digamma(x[1] + x[2]) - digamma(x[1])
                                 : polygamma(static_cast<int>(std::lround(x[0])), x[1] + x[2]) - polygamma(static_cast<int>(std::lround(x[0])), x[1])),
     nullptr, R(std::fmin(std::abs(x[1]), std::abs(x[2])))},
    {"i0", R(bessel_i(0, x[0], false)), nullptr},
    {"i1", R(bessel_i(1, x[0], false)), nullptr},
    {"i0e", R(bessel_i(0, x[0], true)), nullptr},
    {"i1e", R(bessel_i(1, x[0], true)), nullptr},
    {"j0", R(j0l(x[0])), nullptr},
    {"j1", R(j1l(x[0])), nullptr},
    {"stop_gradient", R(x[0]), I(x[0])},
};
#undef R
#undef I

}  // namespace

integer wrapped(integer value, kt::element e) {
  if (kt::core::is_bool(e)) return value != 0;
  if (e == kt::element::uint64) return static_cast<std::uint64_t>(value);
  return kt::core::wrap(static_cast<std::int64_t>(value), e);
}

real nearest(real x, kt::element e) {
  if (e == kt::element::float32) return static_cast<float>(x);
  if (!kt::core::is_short(e)) return static_cast<double>(x);
  if (x == 0 || !std::isfinite(x)) return x;
  bool const half = e == kt::element::float16;
  int const digits = half ? 11 : 8, least = half ? -14 : -126, most = half ? 15 : 127;
  real const unit = std::ldexp(real(1), std::max(std::ilogb(x), least) - digits + 1), rounded = std::nearbyint(x / unit) * unit;
  return std::abs(rounded) < std::ldexp(real(1), most + 1) ? rounded : std::copysign(std::numeric_limits<real>::infinity(), x);
}

scalar_function const& scalar_function_of(kt::core::op_info const* op) {
  static auto const by_name = [] {
    std::unordered_map<std::string_view, scalar_function const*> map;
    for (auto const& f : functions) map.emplace(f.name, &f);
    return map;
  }();
  auto const found = by_name.find(op->name);
  if (found == by_name.end()) throw std::logic_error("the fuzzer has no function for the op " + std::string(op->name));
  return *found->second;
}

}  // namespace fuzz
