// Double-double arithmetic: numbers of 106 bits as unevaluated sums, for results within a trifle of
// 0.5 ulp. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_arithmetic.hpp>

namespace kroton::math::constant {

/// The number high + low with |low| <= ulp(high) / 2. Algorithms of Dekker, Numer. Math. 18 (1971),
/// and Knuth; relative errors are a few 2^-104. Magnitudes must stay within about 1e-290 .. 1e290.
struct pair {
  double high = 0;
  double low = 0;
};

/// a + b exactly, for |a| >= |b|.
constexpr pair quick_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
/// a + b exactly.
constexpr pair sum(double a, double b) {
  const double s = a + b;
  const double c = s - a;
  return {s, (a - (s - c)) + (b - c)};
}
/// a * b exactly, by Veltkamp's splitting into halves of the significand.
constexpr pair product(double a, double b) {
  const double a1 = a * 134217729.0, b1 = b * 134217729.0;
  const double ah = a1 - (a1 - a), bh = b1 - (b1 - b);
  const double al = a - ah, bl = b - bh;
  const double p = a * b;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

constexpr pair operator-(pair a) { return {-a.high, -a.low}; }
constexpr pair operator+(pair a, pair b) {
  pair s = sum(a.high, b.high);
  const pair t = sum(a.low, b.low);
  s = quick_sum(s.high, s.low + t.high);
  return quick_sum(s.high, s.low + t.low);
}
constexpr pair operator-(pair a, pair b) { return a + -b; }
constexpr pair operator+(pair a, double b) { return a + pair{b, 0}; }
constexpr pair operator-(pair a, double b) { return a + pair{-b, 0}; }
constexpr pair operator*(pair a, pair b) {
  const pair p = product(a.high, b.high);
  return quick_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
constexpr pair operator*(pair a, double b) { return a * pair{b, 0}; }
constexpr pair operator/(pair a, pair b) {
  const double q1 = a.high / b.high;
  const pair r1 = a - b * q1;
  const double q2 = r1.high / b.high;
  const pair r2 = r1 - b * q2;
  return quick_sum(q1, q2) + r2.high / b.high;
}
constexpr pair operator/(pair a, double b) { return a / pair{b, 0}; }

constexpr double value(pair a) { return a.high + a.low; }
constexpr pair scale(pair a, int k) { return {scale(a.high, k), scale(a.low, k)}; }

/// Square root by one Newton step from the correctly rounded root of the high part.
constexpr pair sqrt(pair a) {
  if (a.high <= 0) return {};
  const double root = sqrt(a.high);
  const pair rest = a - product(root, root);
  return quick_sum(root, rest.high / (2 * root));
}

inline constexpr pair pi{3.141592653589793, 1.2246467991473532e-16};
inline constexpr pair half_pi{1.5707963267948966, 6.123233995736766e-17};
inline constexpr pair ln_2{0.6931471805599453, 2.3190468138462996e-17};

}  // namespace kroton::math::constant
