// Comparisons, logic and selection: the functions whose result or operand is a truth value.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/trait.hpp>

namespace kroton::math {

// The truth value of a scalar is bool, that of a batch is its mask (xsimd::batch_bool). Comparisons
// follow IEEE 754: every one with a NaN is false, except neq, which is true.

/// a == b; numpy.equal.
template <class R>
KROTON_FN auto eq(R a, R b) {
  return functions<R>::eq(a, b);
}
/// a != b; numpy.not_equal.
template <class R>
KROTON_FN auto neq(R a, R b) {
  return functions<R>::neq(a, b);
}
/// a < b; numpy.less.
template <class R>
KROTON_FN auto lt(R a, R b) {
  return functions<R>::lt(a, b);
}
/// a <= b; numpy.less_equal.
template <class R>
KROTON_FN auto le(R a, R b) {
  return functions<R>::le(a, b);
}
/// a > b; numpy.greater.
template <class R>
KROTON_FN auto gt(R a, R b) {
  return functions<R>::gt(a, b);
}
/// a >= b; numpy.greater_equal.
template <class R>
KROTON_FN auto ge(R a, R b) {
  return functions<R>::ge(a, b);
}
/// Whether x is a NaN (false for integers); numpy.isnan. Needs IEEE comparisons, so no -ffast-math.
template <class R>
KROTON_FN auto isnan(R x) {
  return functions<R>::isnan(x);
}

/// c ? a : b in every lane, both evaluated; numpy.where. `C` is the truth value of `R`.
template <class C, class R>
KROTON_FN R select(C c, R a, R b) {
  return functions<R>::select(c, a, b);
}

/// Conjunction of truth values (both evaluated); numpy.logical_and. `B` is bool or a mask.
template <class B>
KROTON_FN B logical_and(B a, B b) {
  return functions<B>::logical_and(a, b);
}
/// Disjunction of truth values (both evaluated); numpy.logical_or.
template <class B>
KROTON_FN B logical_or(B a, B b) {
  return functions<B>::logical_or(a, b);
}
/// Exclusive disjunction of truth values; numpy.logical_xor.
template <class B>
KROTON_FN B logical_xor(B a, B b) {
  return functions<B>::logical_xor(a, b);
}
/// Negation of a truth value; numpy.logical_not.
template <class B>
KROTON_FN B logical_not(B a) {
  return functions<B>::logical_not(a);
}

/// Whether a truth value is true, of a mask that of any lane.
template <class B>
KROTON_FN bool any(B a) {
  return functions<B>::any(a);
}

}  // namespace kroton::math
