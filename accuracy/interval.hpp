// Intervals of MPFR numbers: each operation encloses all values that its operands may have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <mpfr.h>

namespace accuracy {

struct interval {
  /// Unknown: with more precision the operands may turn out to lie in the domain or not to.
  enum class states { known, unknown, undefined };
  enum class truths { no, maybe, yes };

  mpfr_t low, high;
  states state = states::known;
  truths truth = truths::maybe;  // of a comparison

  interval() { mpfr_inits2(53, low, high, nullptr); }
  interval(interval const&) = delete;
  interval(interval&& other) noexcept : interval() {
    mpfr_swap(low, other.low);
    mpfr_swap(high, other.high);
  }
  interval& operator=(interval const&) = delete;
  ~interval() { mpfr_clears(low, high, nullptr); }

  /// Sets the precision of both ends, which have no values then.
  void set_precision(mpfr_prec_t bits) {
    state = states::known;
    if (mpfr_get_prec(low) == bits) return;
    mpfr_set_prec(low, bits);
    mpfr_set_prec(high, bits);
  }
  void set(double value) {
    mpfr_set_d(low, value, MPFR_RNDD);
    mpfr_set_d(high, value, MPFR_RNDU);
  }
  bool is_point() const { return mpfr_equal_p(low, high) != 0; }
  bool is_zero() const { return mpfr_zero_p(low) && mpfr_zero_p(high); }
  bool has_zero() const { return mpfr_sgn(low) <= 0 && mpfr_sgn(high) >= 0; }
};

/// Computes an operation in the precision of the result, which is none of the operands.
void apply(operation is, interval& result, interval const* const* operands);

/// The same for comparisons, what connects them, and choices. Both operands of a comparison are
/// known; a connection or a choice may be known where an operand is not.
void decide(operation is, interval& result, interval const* const* operands);

}  // namespace accuracy
