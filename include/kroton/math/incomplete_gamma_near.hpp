// The regularized incomplete gamma functions of large a and x next to each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/polynomial.hpp>
#include <kroton/math/special.hpp>

namespace kroton::math::formula {

/// s - log(1 + s) for -1/2 <= s <= 1: with t = s / (2 + s), log(1 + s) is 2 (t + t^3/3 + ...),
/// whose first term differs from s by s t.
template <class R>
constexpr R less_log1p(R s) {
  const R t = s / (2 + s), square = t * t;
  const R rest = math::polynomial(square, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13,
                                  1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25,
                                  1.0 / 27, 1.0 / 29, 1.0 / 31, 1.0 / 33, 1.0 / 35);
  return t * (s - 2 * square * rest);
}

/// x - a - a log(x / a), of which a power of e is what x^a e^-x is to its maximum, at x = a.
template <class R>
constexpr R gamma_exponent(R a, R x) {
  const R s = (x - a) / a;
  if (s >= R(-0.5) && s <= 1) return a * formula::less_log1p(s);
  const R ratio = x / a, lost = math::residual(x, ratio, a) / ratio;
  return x - a - (a * math::log(ratio) + lost);
}

/// The smaller of P(a, x) and Q(a, x), as x is below or above a, for a >= 50 and |x / a - 1| <=
/// 0.3: erfc of eta, for which a eta^2 / 2 is the exponent, and Temme's uniform expansion in 1 / a,
/// whose coefficients are Taylor series in eta (from their recurrence, with 60 digits, truncated at
/// 2e-18; N. M. Temme, SIAM J. Math. Anal. 10 (1979), 757; DLMF 8.12.4). Of both the factor e^(-a
/// eta^2 / 2) is taken out.
template <class R>
constexpr R gammainc_near(R a, R x) {
  const R s = (x - a) / a, half_square = formula::less_log1p(s), exponent = a * half_square;
  const R magnitude = math::sqrt(2 * half_square), eta = s < 0 ? -magnitude : magnitude;
  const R inverse = 1 / a;
  const R coefficients[] = {
      math::polynomial(eta, -0.33333333333333333, 0.083333333333333333, -0.014814814814814815,
                       0.0011574074074074074, 0.0003527336860670194, -0.00017875514403292181,
                       3.9192631785224378e-5, -2.1854485106799922e-6, -1.85406221071516e-6,
                       8.296711340953086e-7, -1.7665952736826079e-7, 6.7078535434014986e-9,
                       1.0261809784240308e-8, -4.3820360184533532e-9, 9.1476995822367902e-10,
                       -2.551419399494625e-11, -5.8307721325504251e-11),
      math::polynomial(eta, -0.0018518518518518519, -0.0034722222222222222, 0.0026455026455026455,
                       -0.00099022633744855967, 0.00020576131687242798, -4.0187757201646091e-7,
                       -1.8098550334489978e-5, 7.6491609160811101e-6, -1.6120900894563446e-6,
                       4.6471278028074343e-9, 1.378633446915721e-7, -5.752545603517705e-8,
                       1.1951628599778147e-8),
      math::polynomial(eta, 0.0041335978835978836, -0.0026813271604938272, 0.00077160493827160494,
                       2.0093878600823045e-6, -0.00010736653226365161, 5.2923448829120125e-5,
                       -1.2760635188618728e-5, 3.4235787340961381e-8, 1.3721957309062933e-6,
                       -6.298992138380055e-7, 1.4280614206064242e-7),
      math::polynomial(eta, 0.00064943415637860082, 0.00022947209362139918, -0.00046918949439525571,
                       0.00026772063206283885, -7.5618016718839764e-5, -2.3965051138672967e-7,
                       1.1082654115347302e-5, -5.6749528269915966e-6, 1.4230900732435884e-6),
      math::polynomial(eta, -0.0008618882909167117, 0.00078403922172006663, -0.00029907248030319018,
                       -1.4638452578843418e-6, 6.6414982154651222e-5, -3.9683650471794347e-5,
                       1.1375726970678419e-5),
      math::polynomial(eta, -0.00033679855336635815, -6.9728137583658578e-5, 0.00027727532449593921,
                       -0.00019932570516188848, 6.7977804779372078e-5, 1.419062920643967e-7,
                       -1.3594048189768693e-5, 8.0184702563342015e-6, -2.2914811765080952e-6),
      math::polynomial(eta, 0.00053130793646399222, -0.00059216643735369388, 0.00027087820967180448,
                       7.9023532326603279e-7, -8.1539693675619688e-5, 5.6116827531062497e-5,
                       -1.8329116582843376e-5),
      math::polynomial(eta, 0.00034436760689237767, 5.1717909082605922e-5, -0.00033493161081142236,
                       0.0002812695154763237, -0.00010976582244684731),
      math::polynomial(eta, -0.00065262391859530942, 0.00083949872067208728)};
  R sum(0);
  for (int k = 8; k >= 0; --k) sum = sum * inverse + coefficients[k];
  const R half = math::exp(R(-0.5) * exponent);
  const R rest = R(0.3989422804014327) * sum / math::sqrt(a);
  return half * (R(0.5) * math::erfcx(math::sqrt(exponent)) + (s < 0 ? -rest : rest)) * half;
}

}  // namespace kroton::math::formula
