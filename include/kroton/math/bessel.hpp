// Bessel functions of the orders 0 and 1 of doubles, one by one or in SIMD batches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>

#include <kroton/math/arithmetic.hpp>
#include <kroton/math/elementary.hpp>
#include <kroton/math/logic.hpp>
#include <kroton/math/polynomial.hpp>

namespace kroton::math::formula {

// All polynomials are Chebyshev interpolations with 60 digits, truncated at 1e-16 of the value or
// below. Lanes of a batch take different ways: each way is computed where any lane takes it, on
// arguments that are harmless for the others.

/// The value with the sign of x; 0 itself keeps its own.
template <class R>
constexpr R made_odd(R x, R value) {
  const R zero = math::select(math::eq(x, R(0)), x, value);
  return math::select(math::lt(x, R(0)), math::neg(value), zero);
}

/// I0(a) and I1(a) for 0 <= a <= 8, in a^2 / 4: all terms are positive.
template <int Order, class R>
constexpr R bessel_i_small(R a) {
  const R y = R(0.25) * a * a;
  if constexpr (Order == 0)
    return math::polynomial(y, 1.0, 1.0, 0.2500000000000001, 0.027777777777777565,
                            0.0017361111111113758, 6.944444444424399e-05, 1.9290123457790406e-06,
                            3.936759885673581e-08, 6.151187413177668e-10, 7.594056846699174e-12,
                            7.594079950279469e-14, 6.275862820937522e-16, 4.3600362269175774e-18,
                            2.5698743857514957e-20, 1.35095827969477e-22, 4.940670282542572e-25,
                            3.6454386812677436e-27);
  else
    return a *
           math::polynomial(y, 0.5, 0.25000000000000006, 0.04166666666666652, 0.0034722222222225343,
                            0.00017361111111076753, 5.78703703726566e-06, 1.3778659602015222e-07,
                            2.460474960769327e-09, 3.4173256472461263e-11, 3.797039283580161e-13,
                            3.451729636836005e-15, 2.6159960799896376e-17, 1.6705022348546468e-19,
                            9.455144020393155e-22, 3.706605520277272e-24, 2.916825666594092e-26);
}
/// sqrt(a) e^-a I0(a) and the same of I1, for a >= 8, in 1/a - 1/16.
template <int Order, class R>
constexpr R bessel_i_large(R a) {
  const R u = R(1) / a - R(0.0625);
  if constexpr (Order == 0)
    return math::polynomial(
        u, 0.4021765094450081, 0.053768831738685664, 0.03487131504443583, 0.04564186641021642,
        0.0972454328638334, 0.3118043949935277, 1.488517135656009, 10.556499345371334,
        92.53583339685251, 519.0736993594752, -7399.409912786487, -235809.91890714772,
        -1539273.3397609373, 33959849.560014665, 546212511.9737275, -4018840806.8874764,
        -114153342384.54997, 442096389223.25885, 18328218596813.027, -42026809995482.78,
        -2150603480422820.8, 2838023316316208.5, 1.60373181446089e+17, -9.515680494867022e+16,
        -5.600590092230771e+18);
  else
    return math::polynomial(
        u, 0.38939845902587233, -0.15599323509177165, -0.0561243555415815, -0.06159788933601801,
        -0.12025266919614995, -0.3653087379073203, -1.6779436399217909, -11.57744772736798,
        -100.3759466724753, -579.0731115014643, 7384.094833092489, 246812.97977867228,
        1700355.8091957194, -34365851.728826515, -579647951.6449127, 3927584052.8205657,
        119664389845.48714, -418274698288.1936, -19115126120367.152, 38885845693685.31,
        2238171019078136.0, -2596320657512298.0, -1.6675937443832125e+17, 8.666817113612384e+16,
        5.821679393356018e+18);
}

/// I0 or I1, Scaled: times e^-|x|. Of large a not e^a is taken, which overflows before the result
/// does and of which rounding would lose digits with half of a, but e^16 e^(a - 16).
template <int Order, bool Scaled, class R>
constexpr R bessel_i(R x) {
  const R a = Scaled ? math::abs(x) : math::minimum(math::abs(x), R(800));
  const auto large = math::gt(a, R(8)), small = math::logical_not(large);
  R result = a;
  if (math::any(small)) {
    const R near = math::select(large, R(1), a), value = formula::bessel_i_small<Order>(near);
    result = Scaled ? value * math::exp(math::neg(near)) : value;
  }
  if (math::any(large)) {
    const R far = math::select(large, a, R(16));
    const R value = formula::bessel_i_large<Order>(far) / math::sqrt(far);
    const R far_result = Scaled ? value : value * R(8886110.520507872) * math::exp(far - R(16));
    result = math::select(large, far_result, result);
  }
  return Order == 1 ? formula::made_odd(x, result) : result;
}

/// J0 and J1 for 0 <= a <= 1, in a^2.
template <int Order, class R>
constexpr R bessel_j_small(R a) {
  const R y = a * a;
  if constexpr (Order == 0)
    return math::polynomial(y, 1.0, -0.24999999999999997, 0.01562499999999924,
                            -0.0004340277777716915, 6.7816840038577304e-06, -6.781678921451863e-08,
                            4.708898617316561e-10, -2.365537624120522e-12);
  else
    return a * math::polynomial(y, 0.5, -0.0625, 0.0026041666666666245, -5.425347222188369e-05,
                                6.781684014473481e-07, -5.651400516539017e-09,
                                3.363594587073431e-11, -1.4810340425735234e-13);
}
/// a^2 minus the square of a zero, which is the sum of three numbers, the first of them short: the
/// first two differences are exact next to the zero.
template <class R>
constexpr R bessel_factor(R a, double zero, double more, double rest) {
  return ((a - R(zero)) - R(more) - R(rest)) * (a + R(zero + more));
}
/// J0 and J1 for 1 <= a <= 8: the zeros are factors, so that the relative error stays small next to
/// them, and so is the third zero of J0, beyond 8; the other factor is a polynomial in a^2 - 64,
/// whose terms have one sign.
template <int Order, class R>
constexpr R bessel_j_middle(R a) {
  const R y = math::muladd(a, a, R(-64));
  if constexpr (Order == 0)
    return math::polynomial(y, -8.077402393428166e-06, 3.278089803905831e-07,
                            -5.6470827500272125e-09, 5.648319863651574e-11, -3.7585602472764634e-13,
                            1.799592312487165e-15, -6.528639354347913e-18, 1.862122337802211e-20,
                            -4.293599311362686e-23, 8.181237012878066e-26, -1.3083135812554879e-28,
                            1.8196378262512864e-31, -1.8830666521093394e-34,
                            3.2680779920451377e-37) *
           formula::bessel_factor(a, 2.404825210571289, 3.471244837061216e-07,
                                  1.6604767550169435e-23) *
           formula::bessel_factor(a, 5.520077705383301, 4.049030098683466e-07,
                                  -1.0468483696155972e-23) *
           (y - R(10.887006790695184));
  else
    return a *
           math::polynomial(y, 4.0232757124382825e-05, -2.3266977186249893e-06,
                            5.189375913321554e-08, -6.362093552248834e-10, 5.008310435314313e-12,
                            -2.767191509245514e-14, 1.137350392983712e-16, -3.6235291322357395e-19,
                            9.228139317080488e-22, -1.924089196471461e-24, 3.3486812171581765e-27,
                            -4.930448126860689e-30, 6.361451103947491e-33, -6.117833615717253e-36,
                            1.0003099489260801e-38) *
           formula::bessel_factor(a, 3.831705093383789, 8.768237232531144e-07,
                                  3.564357347097224e-23) *
           formula::bessel_factor(a, 7.015585899353027, 7.70462591409787e-07,
                                  2.0443462404815097e-23);
}
/// Hankel's form for a >= 8, Abramowitz and Stegun 9.2.1: the cosine of a - pi/4 or a - 3/4 pi
/// times P minus the sine times Q, polynomials in 1 / a^2. The phase is taken apart into sines and
/// cosines of a itself, which are reduced exactly.
template <int Order, class R>
constexpr R bessel_j_large(R a) {
  const R inverse = R(1) / a, w = inverse * inverse, s = math::sin(a), c = math::cos(a);
  const R root = R(0.5641895835477563) / math::sqrt(a);
  if constexpr (Order == 0) {
    const R p = math::polynomial(w, 1.0, -0.07031249999956615, 0.11215209825959001,
                                 -0.5724997477633239, 6.072947460284828, -109.58228348689488,
                                 2923.7584320542355, -97640.94242250656, 3304063.4973380384,
                                 -91793419.8932941, 1700600511.5984936, -15046229063.867682);
    const R q =
        inverse * math::polynomial(w, -0.12499999999999999, 0.07324218749980707,
                                   -0.2271080008912197, 1.7277261151633136, -24.379277796288626,
                                   550.6424419355116, -18000.307947539815, 764643.4807871648,
                                   -36444169.22484078, 1656696025.0301042, -62349713918.79957,
                                   1716522761644.9797, -29811040134749.707, 241548580348559.47);
    return root * (p * (c + s) - q * (s - c));
  } else {
    const R p = math::polynomial(
        w, 1.0, 0.11718749999990226, -0.14419555628379707, 0.6765920683708662, -6.883512850167846,
        121.40877822205485, -3242.98708137995, 114482.20770515464, -4469684.221284078,
        159622723.8830969, -4402691861.160125, 78640229269.7824, -662942073911.1263);
    const R q =
        inverse * math::polynomial(w, 0.37499999999999994, -0.10253906249914096, 0.277576443392704,
                                   -1.9935271448558627, 27.245270699595547, -602.1580491567343,
                                   19184.814182689537, -770128.4177245874, 32669029.216660615,
                                   -1225685086.1555474, 34802547055.51619, -632744459728.6796,
                                   5395083520929.039);
    return root * (p * (s - c) + q * (s + c));
  }
}

template <int Order, class R>
constexpr R bessel_j(R x) {
  const R a = math::abs(x);
  const auto small = math::le(a, R(1));
  const auto infinite = math::eq(a, R(std::numeric_limits<double>::infinity()));
  const auto large = math::logical_and(math::gt(a, R(8)), math::logical_not(infinite));
  const auto middle = math::logical_and(math::gt(a, R(1)), math::le(a, R(8)));
  R result = math::select(infinite, R(0), a);  // NaN stays
  if (math::any(small))
    result =
        math::select(small, formula::bessel_j_small<Order>(math::select(small, a, R(1))), result);
  if (math::any(middle))
    result = math::select(middle, formula::bessel_j_middle<Order>(math::select(middle, a, R(2))),
                          result);
  if (math::any(large))
    result =
        math::select(large, formula::bessel_j_large<Order>(math::select(large, a, R(10))), result);
  return Order == 1 ? formula::made_odd(x, result) : result;
}

}  // namespace kroton::math::formula
