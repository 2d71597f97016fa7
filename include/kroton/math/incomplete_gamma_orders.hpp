// The derivatives of the incomplete gamma functions by their parameter, of any order up to 8.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/incomplete_gamma.hpp>
#include <kroton/math/polygamma.hpp>

namespace kroton::math::formula {

/// The largest order of derivatives by the parameter a.
inline constexpr int largest_gamma_order = 8;

/// The derivatives by a of log(t^a / Gamma(a + 1)), by their orders from 1 on.
template <class R>
struct log_slopes {
  R of[largest_gamma_order] = {};

  constexpr log_slopes(int count, R a, R first) {
    of[0] = first;
    for (int k = 1; k < count; ++k) of[k] = -math::polygamma(static_cast<R>(k), a + 1);
  }
};

/// What the n-th derivative of e^f is to e^f, of the derivatives of f: complete Bell polynomials,
/// by their recurrence.
template <class R>
struct bell_polynomials {
  R of[largest_gamma_order + 1] = {1};

  constexpr bell_polynomials(int count, log_slopes<R> const& slopes) {
    for (int n = 0; n < count; ++n) {
      R choices(1), sum(0);
      for (int k = 0; k <= n; ++k) {
        sum += choices * of[n - k] * slopes.of[k];
        choices = choices * static_cast<R>(n - k) / static_cast<R>(k + 1);
      }
      of[n + 1] = sum;
    }
  }
};

/// The n-th derivative by a of t^a / Gamma(a), relative to t^a / Gamma(a + 1).
template <class R>
constexpr R gamma_weight(int n, R a, log_slopes<R> const& slopes) {
  const bell_polynomials<R> bell(n, slopes);
  return n == 0 ? a : a * bell.of[n] + static_cast<R>(n) * bell.of[n - 1];
}

/// log x - psi(a + 1), for large a and x next to each other without cancellation.
template <class R>
constexpr R first_slope(R a, R x) {
  if (a < 10) return math::log(x) - formula::digamma<R>(a + 1);
  const R ratio = x < R(0.5) * a ? math::log(x / a) : math::log1p((x - a) / a);
  return ratio + (formula::digamma_less<R>(a) - 1 / a);
}

/// The n-th derivative by a of the gamma density x^(a - 1) e^-x / Gamma(a).
template <class R>
constexpr R gamma_density(int n, R a, R x) {
  constexpr R limit = std::numeric_limits<R>::infinity();
  if (n < 0) return 0;
  if (!(a >= 0 && x >= 0) || n > largest_gamma_order) return std::numeric_limits<R>::quiet_NaN();
  if (a == limit || x == limit || (x == 0 && (a > 1 || (a == 0 && n == 0)))) return 0;
  if (x == 0) return a == 1 && n == 0 ? R(1) : n % 2 == 0 ? limit : -limit;
  const log_slopes<R> slopes(n, a, formula::first_slope(a, x));
  const R term = formula::gamma_term<true>(a, x);
  return term == 0 ? term : term * formula::gamma_weight(n, a, slopes);
}

/// The n-th derivative by a of the series of P (`gammainc_series`), term by term.
template <class R>
constexpr R gammainc_series_by_a(int n, R a, R x) {
  log_slopes<R> slopes(n, a, math::log(x) - formula::digamma<R>(a + 1));
  R term(1), sum(0), magnitude(0);
  for (R k = a + 1; k < a + 1000; k += 1) {
    const R added = term * bell_polynomials<R>(n, slopes).of[n];
    sum += added;
    magnitude += math::abs(added);
    if (term < R(1e-4) && math::abs(added) < R(1e-18) * magnitude) break;
    term *= x / k;
    R power = -1 / k;  // of psi and its derivatives, from those of k to those of k + 1
    for (int m = 0; m < n; ++m) {
      slopes.of[m] += power;
      power *= -static_cast<R>(m + 1) / k;
    }
  }
  return formula::gamma_term<false>(a, x) * sum;
}

/// exp(u) - 1 - u.
template <class R>
constexpr R exp_less_line(R u) {
  if (math::abs(u) > R(0.5)) return math::expm1(u) - u;
  return u * u *
         math::polynomial(u, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
                          1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600,
                          1.0 / 6227020800, 1.0 / 87178291200);
}

/// The n-th derivative by a of P for x <= a, or else of Q, as the integral of t^a e^-t / Gamma(a)
/// dt / t from 0 to x, or from x on, differentiated. In u = |log(t / x)| the logarithm of the
/// integrand falls by |a - x| u + x (e^+-u - 1 -+ u), both terms of one sign, and the integrand is
/// entire: Gauss's rule with 28 nodes, up to where nothing is left of it, has all digits.
template <class R>
constexpr R gammainc_tail_by_a(int n, R a, R x) {
  struct node {
    R place, weight;
  };
  const node nodes[] = {{R(0.99644249757395445), R(0.0091242825930945177)},
                        {R(0.98130316537087275), R(0.02113211259277126)},
                        {R(0.9542592806289382), R(0.03290142778230438)},
                        {R(0.91563302639213207), R(0.044272934759004228)},
                        {R(0.86589252257439505), R(0.055107345675716745)},
                        {R(0.80564137091717917), R(0.065272923966999596)},
                        {R(0.73561087801363177), R(0.074646214234568779)},
                        {R(0.65665109403886496), R(0.083113417228901218)},
                        {R(0.56972047181140172), R(0.090571744393032841)},
                        {R(0.47587422495511826), R(0.096930657997929916)},
                        {R(0.37625151608907871), R(0.10211296757806077)},
                        {R(0.27206162763517808), R(0.10605576592284642)},
                        {R(0.16456928213338077), R(0.10871119225829414)},
                        {R(0.05507928988403427), R(0.1100470130164752)}};
  const R term = formula::gamma_term<false>(a, x);
  if (term == 0) return 0;
  const R direction = x <= a ? R(-1) : R(1), distance = math::abs(a - x);
  const R enough = static_cast<R>(40 + 2 * n);
  const auto fall = [&](R u) { return distance * u + x * formula::exp_less_line(direction * u); };
  // Newton's steps from beyond: e^-u - 1 + u >= 0.36 min(u, u^2), and e^u - 1 - u >= u^2 / 2.
  R end = x <= a ? math::maximum(math::sqrt(R(2.8) * enough / x), R(2.8) * enough / x)
                 : math::sqrt(2 * enough / x);
  if (distance * end > enough) end = enough / distance;
  for (int i = 0; i < 8; ++i)
    end -= (fall(end) - enough) / (distance + x * math::abs(math::expm1(direction * end)));
  log_slopes<R> slopes(n, a, R(0));
  const R first = formula::first_slope(a, x);
  R sum(0);
  for (node const& k : nodes)
    for (const R place : {1 - k.place, 1 + k.place}) {
      const R u = R(0.5) * end * place;
      slopes.of[0] = first + direction * u;
      sum += k.weight * math::exp(-fall(u)) * formula::gamma_weight(n, a, slopes);
    }
  return R(0.5) * end * sum * term;
}

/// The n-th derivative of P by a, for n from 1 to 8 and a, x >= 0.
template <class R>
constexpr R gammainc_by_a(int n, R a, R x) {
  constexpr R limit = std::numeric_limits<R>::infinity();
  if (!(a >= 0 && x >= 0) || n < 1 || n > largest_gamma_order)
    return std::numeric_limits<R>::quiet_NaN();
  if (x == 0 || a == limit || x == limit) return 0;
  if (x < R(1.5) || (x <= a && a < 20)) return formula::gammainc_series_by_a(n, a, x);
  const R tail = formula::gammainc_tail_by_a(n, a, x);
  return x <= a ? tail : -tail;
}

}  // namespace kroton::math::formula
