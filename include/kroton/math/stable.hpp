// Compound functions that are one function because their parts would overflow or cancel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

/// 1 / (1 + exp(-x)); relative error <= 4 ulp in the whole range, with denormal results below -708;
/// 0 and 1 at -+inf; scipy.special.expit.
template <class R>
KROTON_FN R sigmoid(R x) {
  return functions<R>::sigmoid(x);
}
/// log(1 + exp(x)); relative error <= 4 ulp in the whole range; 0 at -inf, inf at inf;
/// numpy.logaddexp(0, x).
template <class R>
KROTON_FN R softplus(R x) {
  return functions<R>::softplus(x);
}
/// log(1 - exp(x)) for x <= 0, NaN above; -inf at 0, -0 at -inf; relative error <= 5.5 ulp.
/// Switches at -ln 2: Maechler, "Accurately computing log(1 - exp(-|a|))" (2012).
template <class R>
KROTON_FN R log1mexp(R x) {
  return functions<R>::log1mexp(x);
}
/// log(exp(a) + exp(b)); equal infinities give themselves, not NaN; numpy.logaddexp. Error <= 4 ulp
/// of the largest of |a|, |b| and |result|: where the result crosses 0 the problem itself is
/// ill-conditioned.
template <class R>
KROTON_FN R logaddexp(R a, R b) {
  return functions<R>::logaddexp(a, b);
}

}  // namespace kroton::math
