// The functions in quadruple precision, which the errors of those of SIMD batches are measured against.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <quadmath.h>

namespace accuracy {

using quad = __float128;
inline quad const pi = 4 * atanq(1);

namespace exactly {

inline quad exp(quad x) { return expq(x); }
inline quad exp2(quad x) { return exp2q(x); }
inline quad expm1(quad x) { return expm1q(x); }
inline quad cbrt(quad x) { return cbrtq(x); }
inline quad log(quad x) { return logq(x); }
inline quad log2(quad x) { return log2q(x); }
inline quad log10(quad x) { return log10q(x); }
inline quad log1p(quad x) { return log1pq(x); }
inline quad sin(quad x) { return sinq(x); }
inline quad cos(quad x) { return cosq(x); }
inline quad tan(quad x) { return tanq(x); }
inline quad asin(quad x) { return asinq(x); }
inline quad acos(quad x) { return acosq(x); }
inline quad atan(quad x) { return atanq(x); }
inline quad sinh(quad x) { return sinhq(x); }
inline quad cosh(quad x) { return coshq(x); }
inline quad tanh(quad x) { return tanhq(x); }
inline quad asinh(quad x) { return x < 0 ? -asinhq(-x) : asinhq(x); }
inline quad acosh(quad x) { return acoshq(x); }
inline quad atanh(quad x) { return atanhq(x); }
inline quad erf(quad x) { return erfq(x); }
inline quad erfc(quad x) { return erfcq(x); }
inline quad gammaln(quad x) { return lgammaq(x); }

/// Beyond 100 by the asymptotic series.
inline quad erfcx(quad x) {
  if (x < 100) return expq(x * x) * erfcq(x);
  quad const t = 1 / (2 * x * x);
  quad sum = 1;
  for (int n = 15; n > 0; n -= 2) sum = 1 - quad(n) * t * sum;
  return sum / (x * sqrtq(pi));
}
inline quad logerfc(quad x) {
  if (x < 0.5) return log1pq(-erfq(x));
  return x < 100 ? logq(erfcq(x)) : logq(erfcx(x)) - x * x;
}
inline quad sigmoid(quad x) { return x < 0 ? expq(x) / (1 + expq(x)) : 1 / (1 + expq(-x)); }
inline quad softplus(quad x) { return x < 0 ? log1pq(expq(x)) : x + log1pq(expq(-x)); }
inline quad log1mexp(quad x) { return x > -0.7 ? logq(-expm1q(x)) : log1pq(-expq(x)); }

inline constexpr double bernoulli[][2] = {{1, 6},      {-1, 30},      {1, 42},        {-1, 30},      {5, 66},         {-691, 2730},
                                          {7, 6},      {-3617, 510},  {43867, 798},   {-174611, 330}, {854513, 138}, {-236364091, 2730}};
/// By recurrence to the asymptotic series.
inline quad digamma(quad x) {
  quad sum = 0;
  for (; x < 60; x += 1) sum -= 1 / x;
  quad power = 1, series = 0;
  for (int k = 0; k < 12; ++k) series += quad(bernoulli[k][0]) / bernoulli[k][1] / (2 * k + 2) * (power /= x * x);
  return sum + (logq(x) - 1 / (2 * x) - series);
}
inline quad trigamma(quad x) {
  if (x < 0) {
    quad const root = pi / sinq(pi * (x - rintq(x)));
    return root * root - trigamma(1 - x);
  }
  quad sum = 0;
  for (; x < 60; x += 1) sum += 1 / (x * x);
  quad power = 1 / x, series = 0;
  for (int k = 0; k < 12; ++k) series += quad(bernoulli[k][0]) / bernoulli[k][1] * (power /= x * x);
  return sum + (1 / x + 1 / (2 * x * x) + series);
}

}  // namespace exactly
}  // namespace accuracy
