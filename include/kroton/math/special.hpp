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
/// <= 4 ulp, float <= 5.5; scipy.special.erfcx. Our own polynomial in (x - 3.75) / (x + 3.75), the
/// map of Shepherd and Laframboise, Math. Comp. 36 (1981).
template <class R>
KROTON_FN R erfcx(R x) {
  return functions<R>::erfcx(x);
}
/// log(erfc(x)), also where erfc underflows (x to 1.3e154); -inf at inf, log 2 at -inf; <= 4 ulp.
/// From erfcx for x > 1/2, from erf below; scipy.special.log_ndtr is its analogue.
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
/// psi(x) = d/dx log Gamma(x); -+inf at +-0, NaN at the negative integers and -inf;
/// scipy.special.digamma. Relative error <= 4 ulp for x > 0, also at the zero 1.4616; for x < 0 a
/// few ulp of max(|result|, pi). Recurrence to [1, 2] or the asymptotic series, reflection below 0:
/// Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
template <class R>
KROTON_FN R digamma(R x) {
  return functions<R>::digamma(x);
}

}  // namespace kroton::math
