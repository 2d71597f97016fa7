// Functions less the first term of their series, f(x) - x and 1/f(x) - 1/x: near 0 by the rest of
// the series, where the difference would have lost its digits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/rules/stable.hpp>

namespace kroton::rewrite::rules {

/// What is left of a Taylor series behind its first term, for |x| < bound: x^lowest (c[0] + c[1]
/// x^step + ...), but for signs.
struct remainder_series {
  double bound;
  int lowest, step, size;
  double c[17];
};
// Abramowitz and Stegun, 4.3.65 to 4.5.67, cut where the next term is below half a unit in the last
// place of the first.
inline constexpr remainder_series rest_of_sinh{
    .bound = 1,
    .lowest = 3,
    .step = 2,
    .size = 8,
    .c = {0.16666666666666666, 0.008333333333333333, 0.0001984126984126984, 2.7557319223985893e-06,
          2.505210838544172e-08, 1.6059043836821613e-10, 7.647163731819816e-13,
          2.8114572543455206e-15}};
inline constexpr remainder_series rest_of_tan{
    .bound = 0.5,
    .lowest = 3,
    .step = 2,
    .size = 17,
    .c = {0.3333333333333333, 0.13333333333333333, 0.05396825396825397, 0.021869488536155203,
          0.008863235529902197, 0.003592128036572481, 0.0014558343870513183, 0.000590027440945586,
          0.00023912911424355248, 9.691537956929451e-05, 3.927832388331683e-05,
          1.5918905069328964e-05, 6.451689215655431e-06, 2.6147711512907546e-06,
          1.0597268320104654e-06, 4.294911078273806e-07, 1.7406618963571648e-07}};
inline constexpr remainder_series rest_of_expm1{
    .bound = 0.5,
    .lowest = 2,
    .step = 1,
    .size = 13,
    .c = {0.5, 0.16666666666666666, 0.041666666666666664, 0.008333333333333333,
          0.001388888888888889, 0.0001984126984126984, 2.48015873015873e-05, 2.7557319223985893e-06,
          2.755731922398589e-07, 2.505210838544172e-08, 2.08767569878681e-09,
          1.6059043836821613e-10, 1.1470745597729725e-11}};
inline constexpr remainder_series rest_of_coth{
    .bound = 1,
    .lowest = 1,
    .step = 2,
    .size = 16,
    .c = {0.3333333333333333, 0.022222222222222223, 0.0021164021164021165, 0.00021164021164021165,
          2.1377799155576935e-05, 2.1644042808063972e-06, 2.1925947851873778e-07,
          2.2214608789979678e-08, 2.2507846516808994e-09, 2.2805151204592183e-10,
          2.3106432599002624e-11, 2.3411706819824882e-12, 2.3721017400233653e-13,
          2.4034415333307705e-14, 2.4351954029183367e-15, 2.4673688045172075e-16}};

/// f(x) - x, or 1/f(x) - 1/x, near 0: a series with the signs of its terms.
struct remainder {
  remainder_series const* of = nullptr;
  int first = 1, ratio = 1;  // the sign of the first term, and from each to the next

  constexpr int near(rewriter& r, int x) const {
    element const e = r.g.type(x).element;
    // A product stays one factor: powers of its factors would leave the range before its own do.
    if (r.g.is<op::mul>(x)) x = r.make<op::whole>({x});
    int const t = of->step == 1 ? x : r.make<op::sqr>({x});
    auto const term = [&](int k) {
      return r.literal((k % 2 != 0 ? first * ratio : first) * of->c[k], e);
    };
    int sum = term(of->size - 1);
    for (int k = of->size - 2; k >= 0; --k)
      sum = r.make<op::add>({term(k), r.make<op::mul>({t, sum})});
    sum = r.make<op::whole>({sum});  // not multiplied out
    for (int k = 0; k < of->lowest; ++k) sum = r.make<op::mul>({x, sum});
    return sum;
  }
};
/// Its sign says so: under -fsanitize=undefined g++ 12 does not compare addresses with null in a
/// constant evaluation.
inline constexpr remainder no_remainder{nullptr, 0};
constexpr remainder remainder_of(op_info const* f, bool inverse) {
  if (is_op<op::tan>(f)) return inverse ? remainder{&rest_of_coth, -1, 1} : remainder{&rest_of_tan};
  if (is_op<op::tanh>(f))
    return inverse ? remainder{&rest_of_coth, 1, -1} : remainder{&rest_of_tan, -1, -1};
  if (inverse) return no_remainder;
  if (is_op<op::sin>(f)) return {&rest_of_sinh, -1, -1};
  if (is_op<op::sinh>(f)) return {&rest_of_sinh};
  return is_op<op::expm1>(f) ? remainder{&rest_of_expm1} : no_remainder;
}

/// Whether a term is k * x, or k / x.
constexpr bool is_multiple_of_first(rewriter& r, summand const& t, int x, double k, bool inverse) {
  summand const whole = term_of(r, x);
  if (t.node < 0 || whole.node < 0) return false;
  if (!inverse) return t.node == whole.node && t.times.value() == k * whole.times.value();
  factor const f = split_power(r.g, t.node);
  return f.base == whole.node && f.power.is(-1) && t.times.value() * whole.times.value() == k;
}
/// k * f(x) - k * x, or k / f(x) - k / x, among the terms of a sum.
constexpr int remainder_of_series(rewriter& r, int id) {
  graph& g = r.g;
  element const e = g.type(id).element;
  auto const series_of = [&](summand const& s) {
    factor const f = split_power(g, s.node);
    bool const inverse = f.power.is(-1);
    return inverse || f.power.is(1) ? remainder_of(g[f.base].op, inverse) : no_remainder;
  };
  return with_pair_of_terms(
      r, id, [&](summand const& s) { return series_of(s).first != 0; },
      [&](summand const& s, summand const& t) {
        factor const f = split_power(g, s.node);
        bool const inverse = f.power.is(-1);
        double const k = s.times.value();
        int const x = g.input_of(f.base, 0);
        if (!is_multiple_of_first(r, t, x, -k, inverse)) return -1;
        remainder const series = series_of(s);
        int const is_near = r.make<op::lt>({r.make<op::abs>({x}), r.literal(series.of->bound, e)});
        // With this the difference is none that the rule would find again.
        int const far = r.make<op::where>({is_near, r.literal(1, e), x});
        int const difference = r.make<op::sub>({s.node, inverse ? r.make<op::inv>({far}) : far});
        return times(r, k, r.make<op::where>({is_near, series.near(r, x), difference}));
      });
}

}  // namespace kroton::rewrite::rules
