// SPDX-License-Identifier: BSD-3-Clause
#include "interval.hpp"

#include <initializer_list>

namespace accuracy {

namespace {

using states = interval::states;
using unary = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
using binary = int (*)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

constexpr mpfr_rnd_t down = MPFR_RNDD, up = MPFR_RNDU;

/// A number of its own, for what lies between.
struct temporary {
  mpfr_t of;
  explicit temporary(mpfr_srcptr like) { mpfr_init2(of, mpfr_get_prec(like)); }
  temporary(temporary const&) = delete;
  ~temporary() { mpfr_clear(of); }
};

void increasing(interval& r, unary f, interval const& a) {
  f(r.low, a.low, down);
  f(r.high, a.high, up);
}
void decreasing(interval& r, unary f, interval const& a) {
  f(r.low, a.high, down);
  f(r.high, a.low, up);
}

/// The least and the largest of the values at the corners, where a function is monotone in each
/// operand. Infinite ends only bound finite numbers: zero times such an end is zero.
void corners(interval& r, binary f, interval const& a, interval const& b) {
  temporary t(r.low);
  bool first = true;
  for (mpfr_srcptr x : {a.low, a.high})
    for (mpfr_srcptr y : {b.low, b.high}) {
      f(t.of, x, y, down);
      if (mpfr_nan_p(t.of)) mpfr_set_zero(t.of, 1);
      if (first || mpfr_less_p(t.of, r.low)) mpfr_set(r.low, t.of, down);
      f(t.of, x, y, up);
      if (mpfr_nan_p(t.of)) mpfr_set_zero(t.of, 1);
      if (first || mpfr_greater_p(t.of, r.high)) mpfr_set(r.high, t.of, up);
      first = false;
    }
}

void absolute(interval& r, interval const& a) {
  if (mpfr_sgn(a.low) >= 0) return increasing(r, mpfr_set, a);
  if (mpfr_sgn(a.high) <= 0) return decreasing(r, mpfr_neg, a);
  mpfr_neg(r.high, a.low, up);
  if (mpfr_greater_p(a.high, r.high)) mpfr_set(r.high, a.high, up);
  mpfr_set_zero(r.low, 1);
}

/// Whether all of the operand lies in a domain; otherwise the result is undefined, or unknown where
/// a part lies in it.
bool within(interval& r, bool wholly, bool partly) {
  if (!wholly) r.state = partly ? states::unknown : states::undefined;
  return wholly;
}
bool above(interval& r, interval const& a, long bound, bool open) {
  int const low = mpfr_cmp_si(a.low, bound), high = mpfr_cmp_si(a.high, bound);
  return open ? within(r, low > 0, high > 0) : within(r, low >= 0, high >= 0);
}
bool below(interval& r, interval const& a, long bound, bool open) {
  int const low = mpfr_cmp_si(a.low, bound), high = mpfr_cmp_si(a.high, bound);
  return open ? within(r, high < 0, low < 0) : within(r, high <= 0, low <= 0);
}

/// Sine or cosine, whose slope is at most 1.
void wave(interval& r, unary f, interval const& a) {
  // Reducing a number needs as many bits as its exponent says.
  if (mpfr_inf_p(a.low) || mpfr_inf_p(a.high) ||
      (mpfr_regular_p(a.high) && mpfr_get_exp(a.high) > 20000) ||
      (mpfr_regular_p(a.low) && mpfr_get_exp(a.low) > 20000)) {
    mpfr_set_si(r.low, -1, down);
    mpfr_set_si(r.high, 1, up);
    return;
  }
  f(r.low, a.low, down);
  f(r.high, a.low, up);
  if (a.is_point()) return;
  temporary width(r.low);
  mpfr_sub(width.of, a.high, a.low, up);
  mpfr_sub(r.low, r.low, width.of, down);
  mpfr_add(r.high, r.high, width.of, up);
  if (mpfr_cmp_si(r.low, -1) < 0) mpfr_set_si(r.low, -1, down);
  if (mpfr_cmp_si(r.high, 1) > 0) mpfr_set_si(r.high, 1, up);
}

void tangent(interval& r, interval const& a) {
  interval cosine;
  cosine.set_precision(mpfr_get_prec(r.low));
  wave(cosine, mpfr_cos, a);
  // No zero of the cosine between the ends: then no pole either, since the enclosure is by width.
  if (within(r, !cosine.has_zero(), true)) increasing(r, mpfr_tan, a);
}

/// x^y of a positive x. mpfr_pow looks for exact results, which takes minutes near overflow.
void by_logarithm(interval& r, interval const& x, interval const& y) {
  interval logarithm;
  logarithm.set_precision(mpfr_get_prec(r.low));
  increasing(logarithm, mpfr_log, x);
  corners(r, mpfr_mul, logarithm, y);
  mpfr_exp(r.low, r.low, down);
  mpfr_exp(r.high, r.high, up);
}

void power(interval& r, interval const& x, interval const& y) {
  bool const whole = y.is_point() && mpfr_integer_p(y.low);
  if (whole && mpfr_zero_p(y.low)) return r.set(1);
  bool const small = whole && mpfr_cmpabs_ui(y.low, 1000) < 0;
  if (mpfr_sgn(x.low) > 0) return small ? corners(r, mpfr_pow, x, y) : by_logarithm(r, x, y);
  if (x.has_zero()) {
    if (mpfr_sgn(y.low) <= 0) {
      r.state = x.is_zero() && mpfr_sgn(y.high) <= 0 ? states::undefined : states::unknown;
      return;
    }
    if (!whole && !within(r, mpfr_sgn(x.low) >= 0, true)) return;
  } else if (!whole) {
    r.state = y.is_point() ? states::undefined : states::unknown;
    return;
  }
  bool odd = false;
  if (whole) {
    temporary half(y.low);
    mpfr_div_2ui(half.of, y.low, 1, down);
    odd = !mpfr_integer_p(half.of);
  }
  if (odd && mpfr_sgn(y.low) > 0) {
    mpfr_pow(r.low, x.low, y.low, down);
    mpfr_pow(r.high, x.high, y.low, up);
    return;
  }
  interval size;
  size.set_precision(mpfr_get_prec(x.low));
  absolute(size, x);
  if (small || mpfr_zero_p(size.low)) corners(r, mpfr_pow, size, y);
  else by_logarithm(r, size, y);
  if (odd) {
    mpfr_swap(r.low, r.high);
    mpfr_neg(r.low, r.low, down);
    mpfr_neg(r.high, r.high, up);
  }
}

void angle(interval& r, interval const& y, interval const& x) {
  bool const cut = y.has_zero() && mpfr_sgn(x.low) <= 0;
  if (!cut || (y.is_zero() && mpfr_sgn(x.high) < 0)) return corners(r, mpfr_atan2, y, x);
  r.state = y.is_zero() && x.is_zero() ? states::undefined : states::unknown;
}

void quotient(interval& r, interval const& a, interval const& b) {
  if (within(r, !b.has_zero(), !b.is_zero())) corners(r, mpfr_div, a, b);
}

int gamma_logarithm(mpfr_t r, mpfr_srcptr a, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(r, &sign, a, rounding);
}
int floor_to(mpfr_t r, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_floor(r, a); }
int ceil_to(mpfr_t r, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_ceil(r, a); }
int trunc_to(mpfr_t r, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_trunc(r, a); }
int round_to(mpfr_t r, mpfr_srcptr a, mpfr_rnd_t) { return mpfr_round(r, a); }

void compute(operation is, interval& r, interval const* const* o) {
  interval const& a = *o[0];
  switch (is) {
    case operation::add:
      mpfr_add(r.low, a.low, o[1]->low, down);
      mpfr_add(r.high, a.high, o[1]->high, up);
      return;
    case operation::sub:
      mpfr_sub(r.low, a.low, o[1]->high, down);
      mpfr_sub(r.high, a.high, o[1]->low, up);
      return;
    case operation::mul:
      if (o[0] == o[1]) {
        absolute(r, a);
        mpfr_sqr(r.low, r.low, down);
        mpfr_sqr(r.high, r.high, up);
        return;
      }
      return corners(r, mpfr_mul, a, *o[1]);
    case operation::div: return quotient(r, a, *o[1]);
    case operation::neg: return decreasing(r, mpfr_neg, a);
    case operation::fabs: return absolute(r, a);
    case operation::sqrt:
      if (above(r, a, 0, false)) increasing(r, mpfr_sqrt, a);
      return;
    case operation::cbrt: return increasing(r, mpfr_cbrt, a);
    case operation::hypot: {
      interval x, y;
      x.set_precision(mpfr_get_prec(r.low));
      y.set_precision(mpfr_get_prec(r.low));
      absolute(x, a);
      absolute(y, *o[1]);
      mpfr_hypot(r.low, x.low, y.low, down);
      mpfr_hypot(r.high, x.high, y.high, up);
      return;
    }
    case operation::fma: {
      interval product;
      product.set_precision(mpfr_get_prec(r.low));
      corners(product, mpfr_mul, a, *o[1]);
      mpfr_add(r.low, product.low, o[2]->low, down);
      mpfr_add(r.high, product.high, o[2]->high, up);
      return;
    }
    case operation::fmin: return corners(r, mpfr_min, a, *o[1]);
    case operation::fmax: return corners(r, mpfr_max, a, *o[1]);
    case operation::copysign: {
      absolute(r, a);
      bool const negative = mpfr_sgn(o[1]->high) < 0;
      if (!within(r, negative || mpfr_sgn(o[1]->low) >= 0, true) || !negative) return;
      mpfr_swap(r.low, r.high);
      mpfr_neg(r.low, r.low, down);
      mpfr_neg(r.high, r.high, up);
      return;
    }
    case operation::exp: return increasing(r, mpfr_exp, a);
    case operation::exp2: return increasing(r, mpfr_exp2, a);
    case operation::expm1: return increasing(r, mpfr_expm1, a);
    case operation::log:
      if (above(r, a, 0, true)) increasing(r, mpfr_log, a);
      return;
    case operation::log2:
      if (above(r, a, 0, true)) increasing(r, mpfr_log2, a);
      return;
    case operation::log10:
      if (above(r, a, 0, true)) increasing(r, mpfr_log10, a);
      return;
    case operation::log1p:
      if (above(r, a, -1, true)) increasing(r, mpfr_log1p, a);
      return;
    case operation::pow: return power(r, a, *o[1]);
    case operation::sin: return wave(r, mpfr_sin, a);
    case operation::cos: return wave(r, mpfr_cos, a);
    case operation::tan: return tangent(r, a);
    case operation::asin:
      if (above(r, a, -1, false) && below(r, a, 1, false)) increasing(r, mpfr_asin, a);
      return;
    case operation::acos:
      if (above(r, a, -1, false) && below(r, a, 1, false)) decreasing(r, mpfr_acos, a);
      return;
    case operation::atan: return increasing(r, mpfr_atan, a);
    case operation::atan2: return angle(r, a, *o[1]);
    case operation::sinh: return increasing(r, mpfr_sinh, a);
    case operation::cosh:
      absolute(r, a);
      mpfr_cosh(r.low, r.low, down);
      mpfr_cosh(r.high, r.high, up);
      return;
    case operation::tanh: return increasing(r, mpfr_tanh, a);
    case operation::asinh: return increasing(r, mpfr_asinh, a);
    case operation::acosh:
      if (above(r, a, 1, false)) increasing(r, mpfr_acosh, a);
      return;
    case operation::atanh:
      if (above(r, a, -1, true) && below(r, a, 1, true)) increasing(r, mpfr_atanh, a);
      return;
    case operation::erf: return increasing(r, mpfr_erf, a);
    case operation::erfc: return decreasing(r, mpfr_erfc, a);
    case operation::lgamma:
      // Monotone from 3 / 2 on; elsewhere only a point has a value.
      if (within(r, a.is_point() || mpfr_cmp_d(a.low, 1.5) >= 0, true))
        increasing(r, gamma_logarithm, a);
      return;
    case operation::floor: return increasing(r, floor_to, a);
    case operation::ceil: return increasing(r, ceil_to, a);
    case operation::trunc: return increasing(r, trunc_to, a);
    case operation::round: return increasing(r, round_to, a);
    default: r.state = states::undefined;  // what decides is in truth.cpp
  }
}

}  // namespace

void apply(operation is, interval& r, interval const* const* o) {
  if (is == operation::choice || is == operation::both || is == operation::either)
    return decide(is, r, o);
  for (int k = 0; k < 3 && o[k] != nullptr; ++k) {
    if (o[k]->state == states::undefined) r.state = states::undefined;
    else if (o[k]->state == states::unknown && r.state == states::known) r.state = states::unknown;
  }
  if (r.state != states::known) return;
  if (is_truth(is)) return decide(is, r, o);
  compute(is, r, o);
  // Infinity minus infinity: a sum of numbers of which nothing is known.
  if (r.state == states::known) {
    if (mpfr_nan_p(r.low)) mpfr_set_inf(r.low, -1);
    if (mpfr_nan_p(r.high)) mpfr_set_inf(r.high, 1);
  }
}

}  // namespace accuracy
