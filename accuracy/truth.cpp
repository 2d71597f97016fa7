// Comparisons of intervals, what connects them, and choices.
// SPDX-License-Identifier: BSD-3-Clause
#include "interval.hpp"

namespace accuracy {

namespace {

using states = interval::states;
using truths = interval::truths;

constexpr mpfr_rnd_t down = MPFR_RNDD, up = MPFR_RNDU;

truths less(interval const& a, interval const& b, bool or_equal) {
  if (or_equal ? mpfr_lessequal_p(a.high, b.low) : mpfr_less_p(a.high, b.low)) return truths::yes;
  if (or_equal ? mpfr_greater_p(a.low, b.high) : mpfr_greaterequal_p(a.low, b.high))
    return truths::no;
  return truths::maybe;
}
truths equal(interval const& a, interval const& b) {
  if (mpfr_less_p(a.high, b.low) || mpfr_less_p(b.high, a.low)) return truths::no;
  return a.is_point() && b.is_point() ? truths::yes : truths::maybe;
}
truths opposite(truths t) {
  return t == truths::maybe ? t : t == truths::yes ? truths::no : truths::yes;
}

void choose(interval& r, interval const& condition, interval const& yes, interval const& no) {
  if (condition.state != states::known) r.state = condition.state;
  else if (condition.truth == truths::maybe) r.state = states::unknown;
  else {
    interval const& taken = condition.truth == truths::yes ? yes : no;
    r.state = taken.state;
    r.truth = taken.truth;
    mpfr_set(r.low, taken.low, down);
    mpfr_set(r.high, taken.high, up);
  }
}

/// `and` and `or`, which are known where one operand decides.
void connect(interval& r, interval const& a, interval const& b, truths decisive) {
  auto const decides = [&](interval const& i) {
    return i.state == states::known && i.truth == decisive;
  };
  r.truth = decisive;
  if (decides(a) || decides(b)) return;
  if (a.state != states::known || b.state != states::known) {
    bool const undefined = a.state == states::undefined || b.state == states::undefined;
    r.state = undefined ? states::undefined : states::unknown;
  }
  bool const settled = a.truth != truths::maybe && b.truth != truths::maybe;
  r.truth = settled ? opposite(decisive) : truths::maybe;
}

}  // namespace

void decide(operation is, interval& r, interval const* const* o) {
  switch (is) {
    case operation::less: r.truth = less(*o[0], *o[1], false); return;
    case operation::less_equal: r.truth = less(*o[0], *o[1], true); return;
    case operation::greater: r.truth = less(*o[1], *o[0], false); return;
    case operation::greater_equal: r.truth = less(*o[1], *o[0], true); return;
    case operation::equal: r.truth = equal(*o[0], *o[1]); return;
    case operation::not_equal: r.truth = opposite(equal(*o[0], *o[1])); return;
    case operation::negation: r.truth = opposite(o[0]->truth); return;
    case operation::both: return connect(r, *o[0], *o[1], truths::no);
    case operation::either: return connect(r, *o[0], *o[1], truths::yes);
    case operation::choice: return choose(r, *o[0], *o[1], *o[2]);
    default: return;
  }
}

}  // namespace accuracy
