// Differences of the digamma function and its derivatives, without cancellation, of doubles, one by
// one or in SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/polygamma.hpp>

namespace kroton::math::formula {

/// 1 / z^m - 1 / w^m for m >= 1 and w = z + b, by the factor b of it: all terms are positive.
template <class R>
constexpr R difference_of_powers(int m, R z, R w, R b) {
  const R ratio = z / w;
  R sum(1);
  for (int k = 1; k < m; ++k) sum = math::muladd(sum, ratio, R(1));
  R result = b / w * sum;
  for (int k = 0; k < m; ++k) result = result / z;
  return result;
}

/// What the n-th derivative of psi at z + b lacks of that at z, up to its sign, for z >= n + 10 and
/// w = z + b: the asymptotic series, of whose term in z^-j the part d = 1 - (z / w)^j remains.
template <class R>
constexpr R polygamma_difference_large(int n, R z, R w, R b) {
  const R inverse = R(1) / z, first = b / w;
  R d = first, power = inverse;  // n! / z^(n + 1)
  for (int j = 1; j < n; ++j) d = math::muladd(R(1) - d, first, d);
  for (int j = 1; j < n; ++j) power = power * (R(j) * inverse);
  R result(0);
  if (n == 0) {
    result = math::log1p(b * inverse);
  } else {
    result = power * d;
    power = power * (R(n) * inverse);
    d = math::muladd(R(1) - d, first, d);
  }
  result = math::muladd(R(0.5) * power, d, result);
  for (int k = 1; k <= bernoulli_count; ++k) {
    const R factor(k == 1 ? n + 1 : (n + 2 * k - 2) * (n + 2 * k - 1));
    power = power * (k == 1 ? factor * inverse : factor * inverse * inverse);
    if (k > 1) d = math::muladd(R(1) - d, first, d);
    d = math::muladd(R(1) - d, first, d);
    result = math::muladd(R(bernoulli_quotient(k)) * power, d, result);
  }
  return result;
}

/// psi(a + b) - psi(a) or its n-th derivative by a, for a, b >= 0: the recurrence leads to the
/// series, and all differences are positive ones of parts of both.
template <class R>
constexpr R polygamma_difference(int n, R a, R b) {
  const R limit(std::numeric_limits<double>::infinity()), least(n + least_asymptotic);
  const auto inside =
      math::logical_and(math::logical_and(math::gt(a, R(0)), math::ge(b, R(0))),
                        math::logical_and(math::lt(a, R(1e290)), math::lt(b, limit)));
  const R from = math::select(inside, a, R(1)), by = math::select(inside, b, R(1)),
          bounded = math::minimum(by, R(1e307));  // the sum is finite
  R z = from, sum(0);
  for (auto small = math::lt(z, least); math::any(small); small = math::lt(z, least)) {
    const R part = formula::difference_of_powers(n + 1, z, z + bounded, bounded);
    sum = math::select(small, sum + part, sum);
    z = math::select(small, z + R(1), z);
  }
  for (int k = 2; k <= n; ++k) sum = sum * R(k);
  R result = sum + formula::polygamma_difference_large(n, z, z + bounded, by);
  if (math::any(math::logical_not(inside))) {
    // Poles at a = 0, and differences from or to infinity.
    const R undefined(std::numeric_limits<double>::quiet_NaN());
    const auto valid = math::logical_and(math::ge(a, R(0)), math::ge(b, R(0)));
    const R far = n == 0 ? math::log1p(b / math::maximum(a, R(1))) : R(0);  // below 1e-290
    const R alone = n == 0 ? limit : math::abs(formula::polygamma(n, math::maximum(a, R(1e-300))));
    R other = math::select(math::ge(a, R(1e290)), far, limit);
    other = math::select(math::logical_and(math::eq(b, limit), math::gt(a, R(0))), alone, other);
    const auto both =
        math::logical_and(math::eq(a, b), math::logical_or(math::eq(a, R(0)), math::eq(a, limit)));
    other = math::select(math::logical_and(valid, math::logical_not(both)), other, undefined);
    result = math::select(inside, result, other);
  }
  return n % 2 == 0 ? result : math::neg(result);
}

}  // namespace kroton::math::formula
