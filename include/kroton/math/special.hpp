// Special functions: error function and gamma function families.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

/// Error function 2/sqrt(pi) * integral of exp(-t^2) over [0, x]; +-1 at +-inf; scipy.special.erf.
template <class R>
KROTON_FN R erf(R x) {
  return functions<R>::erf(x);
}
/// 1 - erf(x) without cancellation; 0 at inf, 2 at -inf, denormal above 26.5; scipy.special.erfc.
template <class R>
KROTON_FN R erfc(R x) {
  return functions<R>::erfc(x);
}
/// exp(x^2) * erfc(x), which neither underflows nor cancels: ~ 1 / (x sqrt(pi)) for large x; 0 at
/// inf, inf below -26.7;
/// <= 4 ulp, with SSE2 <= 5.5; scipy.special.erfcx. Our own polynomial in (x - 3.75) / (x + 3.75),
/// the map of Shepherd and Laframboise, Math. Comp. 36 (1981).
template <class R>
KROTON_FN R erfcx(R x) {
  return functions<R>::erfcx(x);
}
/// log(erfc(x)), also where erfc underflows (x to 1.3e154); -inf at inf, log 2 at -inf, -+0 at +-0;
/// <= 4.2 ulp. From erfcx for x > 1/2, from erf below; scipy.special.log_ndtr is its analogue.
template <class R>
KROTON_FN R logerfc(R x) {
  return functions<R>::logerfc(x);
}
/// log|Gamma(x)|; inf at 0 and the negative integers, and at +-inf; scipy.special.gammaln. Relative
/// error a few ulp for x > 0; for x < 0 a few ulp of max(|result|, 1), as the zeros there are
/// ill-conditioned.
template <class R>
KROTON_FN R gammaln(R x) {
  return functions<R>::gammaln(x);
}
/// The number whose erf is x: +-inf at +-1, NaN beyond; <= 3.5 ulp; scipy.special.erfinv.
template <class R>
KROTON_FN R erfinv(R x) {
  return functions<R>::erfinv(x);
}
/// The number whose erfc is x: inf at 0, -inf at 2, NaN beyond, also where x is so small that
/// 1 - x is 1; <= 3.7 ulp; scipy.special.erfcinv.
template <class R>
KROTON_FN R erfcinv(R x) {
  return functions<R>::erfcinv(x);
}
/// Gamma(x): exact factorials, +-inf at +-0, NaN at the negative integers and -inf; inf from
/// 171.624 on. <= 2.7 ulp for x > 0, <= 5.2 below, with SSE2 <= 5.9; scipy.special.gamma.
template <class R>
KROTON_FN R gamma(R x) {
  return functions<R>::gamma(x);
}
/// log B(a, b) = log(Gamma(a) Gamma(b) / Gamma(a + b)) for a, b >= 0, where no large terms cancel;
/// inf where one is 0, NaN below and for 0 and inf. Error <= 4.3 ulp of max(|result|, 1), as the
/// zeros are ill-conditioned; scipy.special.betaln.
template <class R>
KROTON_FN R betaln(R a, R b) {
  return functions<R>::betaln(a, b);
}
/// Regularized incomplete gamma functions P(a, x) and Q(a, x) = 1 - P(a, x) of a, x >= 0, each with
/// a small relative error also where it is small: at most 5 (4 + |log of the result|) ulp. 0 or 1
/// where an operand is 0 or infinite; NaN of negative numbers, of two zeros and of two infinities;
/// scipy.special.gammainc, gammaincc.
template <class R>
KROTON_FN R gammainc(R a, R x) {
  return functions<R>::gammainc(a, x);
}
template <class R>
KROTON_FN R gammaincc(R a, R x) {
  return functions<R>::gammaincc(a, x);
}
/// The n-th derivatives by a of x^(a - 1) e^-x / Gamma(a), for whole n from 0 to 8, and of P(a, x),
/// for n from 1 to 8; NaN for larger n.
template <class R>
KROTON_FN R gamma_density(R n, R a, R x) {
  return functions<R>::gamma_density(n, a, x);
}
template <class R>
KROTON_FN R gammainc_by_a(R n, R a, R x) {
  return functions<R>::gammainc_by_a(n, a, x);
}
/// psi(x) = d/dx log Gamma(x); -+inf at +-0, NaN at the negative integers and -inf;
/// scipy.special.digamma. Relative error <= 5 ulp for x > 0, also at the zero 1.4616; for x < 0 a
/// few ulp of max(|result|, pi). Recurrence to [1, 2] or the asymptotic series, reflection below 0:
/// Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
template <class R>
KROTON_FN R digamma(R x) {
  return functions<R>::digamma(x);
}
/// psi'(x); inf at 0 and the negative integers, 0 at inf, NaN at -inf. Recurrence to the asymptotic
/// series, reflection below 0: Abramowitz and Stegun 6.4.6, 6.4.7, 6.4.12.
template <class R>
KROTON_FN R trigamma(R x) {
  return functions<R>::trigamma(x);
}
/// The n-th derivative of psi, for whole n from 0 to 10000, NaN for others;
/// scipy.special.polygamma. Of odd n inf at 0 and the negative integers; of even n -+inf at +-0 and
/// NaN at the negative integers; 0 at inf, NaN at -inf. Error a few ulp times the order, for x < 0
/// of even n in ulp of the largest of the terms next to a zero. Abramowitz and
/// Stegun 6.4.10, 6.4.11.
template <class R>
KROTON_FN R polygamma(R n, R x) {
  return functions<R>::polygamma(n, x);
}

/// The n-th derivative of psi at a + b less that at a, of a, b >= 0, without cancellation where b
/// is small: a few ulp. 0 where a is infinite, infinite where a is 0, NaN of negative numbers.
template <class R>
KROTON_FN R polygamma_difference(R n, R a, R b) {
  return functions<R>::polygamma_difference(n, a, b);
}

/// Modified Bessel functions of the first kind of the orders 0 and 1, even and odd: inf at inf;
/// scipy.special.i0, i1. e^-|x| times them: 0 at inf; scipy.special.i0e, i1e. <= 4.2 ulp, without
/// fused multiply-add <= 4.8.
template <class R>
KROTON_FN R i0(R x) {
  return functions<R>::i0(x);
}
template <class R>
KROTON_FN R i1(R x) {
  return functions<R>::i1(x);
}
template <class R>
KROTON_FN R i0e(R x) {
  return functions<R>::i0e(x);
}
template <class R>
KROTON_FN R i1e(R x) {
  return functions<R>::i1e(x);
}
/// Bessel functions of the first kind of the orders 0 and 1, even and odd: 0 at +-inf. <= 1.1 ulp
/// for |x| <= 1 and <= 6.5 up to 8, also next to the zeros; beyond, the error is <= 3 epsilon times
/// the envelope sqrt(2 / (pi |x|)). scipy.special.j0, j1.
template <class R>
KROTON_FN R j0(R x) {
  return functions<R>::j0(x);
}
template <class R>
KROTON_FN R j1(R x) {
  return functions<R>::j1(x);
}

}  // namespace kroton::math
