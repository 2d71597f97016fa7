// Trigonometric functions in constant evaluation, with exact reduction of arguments of any size.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/constant_exp.hpp>

namespace kroton::math::constant {

/// The first 1280 bits of 2/pi.
inline constexpr std::uint32_t two_over_pi[40] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
    0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
    0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
    0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
    0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
    0x1f8d5d08u, 0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du};

/// x = quadrant * pi/2 + angle with |angle| <= pi/4.
struct reduced {
  pair angle;
  int quadrant = 0;
};

/// Payne and Hanek's reduction (1983): only the 256 bits of 2/pi that matter modulo 4 are
/// multiplied, so that at least 100 bits of the angle remain even next to a multiple of pi/2. pi/4
/// <= x < inf.
constexpr reduced reduce(double x) {
  const int e = exponent(x) - 52;
  const auto significand = static_cast<std::uint64_t>(scale(x, -e));
  const int first = e > 2 ? (e - 2) / 32 : 0;
  // Limbs of 32 bits, least first: significand * window.
  std::uint32_t p[10] = {};
  for (int half = 0; half < 2; ++half) {
    const std::uint64_t factor = (significand >> (32 * half)) & 0xffffffffu;
    std::uint64_t carry = 0;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t t = factor * two_over_pi[first + 7 - i] + p[i + half] + carry;
      p[i + half] = static_cast<std::uint32_t>(t);
      carry = t >> 32;
    }
    p[8 + half] = static_cast<std::uint32_t>(carry);
  }
  // The product has this many bits after the binary point; two bits before it are the quadrant.
  const int point = 32 * (first + 8) - e;
  auto bit = [&p](int i) { return i < 320 ? static_cast<int>((p[i / 32] >> (i % 32)) & 1) : 0; };
  int quadrant = 2 * bit(point + 1) + bit(point);
  const bool above_half = bit(point - 1) != 0;
  if (above_half) {
    // To the nearer quadrant: minus the complement of the fraction, up to one unit in the last of
    // 250 bits.
    ++quadrant;
    for (std::uint32_t& limb : p) limb = ~limb;
  }
  pair fraction{};
  for (int i = (point - 1) / 32; i >= 0; --i) {
    std::uint32_t limb = p[i];
    if (32 * i + 32 > point) limb &= (std::uint32_t{1} << (point - 32 * i)) - 1;
    fraction = fraction + scale(static_cast<double>(limb), 32 * i - point);
  }
  fraction = fraction * half_pi;
  return {above_half ? -fraction : fraction, quadrant & 3};
}

/// Taylor series, good to |r| <= pi/2.
constexpr pair sin_series(pair r) {
  const pair square = -(r * r);
  pair s{1, 0};
  for (int n = 38; n > 1; n -= 2) s = s * square / (n * (n + 1)) + 1.0;
  return s * r;
}
constexpr pair cos_series(pair r) {
  const pair square = -(r * r);
  pair s{1, 0};
  for (int n = 37; n > 0; n -= 2) s = s * square / (n * (n + 1)) + 1.0;
  return s;
}

constexpr double sin_or_cos(double x, int shift) {
  const reduced r = abs(x) < 0.78 ? reduced{{abs(x), 0}, 0} : reduce(abs(x));
  const int quadrant = (r.quadrant + shift) & 3;
  const double s = value((quadrant & 1) != 0 ? cos_series(r.angle) : sin_series(r.angle));
  return (quadrant & 2) != 0 ? -s : s;
}
constexpr double sin(double x) {
  if (is_nan(x) || abs(x) < tiny) return x;
  if (abs(x) == infinity) return not_a_number;
  return is_negative(x) ? -sin_or_cos(x, 0) : sin_or_cos(x, 0);
}
constexpr double cos(double x) {
  if (is_nan(x) || abs(x) == infinity) return not_a_number;
  return abs(x) < tiny ? 1 : sin_or_cos(x, 1);
}
constexpr double tan(double x) {
  if (is_nan(x) || abs(x) < tiny) return x;
  if (abs(x) == infinity) return not_a_number;
  const reduced r = abs(x) < 0.78 ? reduced{{abs(x), 0}, 0} : reduce(abs(x));
  const pair s = sin_series(r.angle), c = cos_series(r.angle);
  const double t = value((r.quadrant & 1) != 0 ? -(c / s) : s / c);
  return is_negative(x) ? -t : t;
}

/// atan(t) for 0 <= t <= 1: tabulated at the quarters, between them atan c + atan((t - c) / (1 + c
/// t)).
constexpr pair atan_unit(pair t) {
  constexpr pair table[5] = {{0, 0},
                             {0.24497866312686414, 1.0698755618734451e-17},
                             {0.4636476090008061, 2.2698777452961687e-17},
                             {0.6435011087932844, 1.5834785051444286e-17},
                             {0.7853981633974483, 3.061616997868383e-17}};
  const double k = round(4 * t.high);
  const pair u = k == 0 ? t : (t - k / 4) / (t * (k / 4) + 1.0);
  const pair square = -(u * u);
  pair s{1.0 / 37, 0};
  for (int n = 35; n > 0; n -= 2) s = s * square + pair{1, 0} / n;
  s = s * u;
  return k == 0 ? s : table[static_cast<int>(k)] + s;
}
/// The angle of a point in the first quadrant; moderate magnitudes, not both zero.
constexpr pair angle(pair y, pair x) {
  return y.high > x.high ? half_pi - atan_unit(x / y) : atan_unit(y / x);
}

constexpr double atan(double x) {
  const double a = abs(x);
  if (is_nan(x) || a < tiny) return x;
  return copysign(a > tiny && a < 1 / tiny ? value(angle({a, 0}, {1, 0})) : half_pi.high, x);
}
constexpr double asin(double x) {
  const double a = abs(x);
  if (is_nan(x) || a < tiny) return x;
  if (a > 1) return not_a_number;
  return copysign(value(angle({a, 0}, sqrt(sum(1, -a) * sum(1, a)))), x);
}
constexpr double acos(double x) {
  const double a = abs(x);
  if (is_nan(x) || a > 1) return not_a_number;
  if (a < tiny) return half_pi.high;
  if (a == 1) return x > 0 ? 0 : pi.high;
  const pair first = angle(sqrt(sum(1, -a) * sum(1, a)), {a, 0});
  return value(x < 0 ? pi - first : first);
}
constexpr double atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return not_a_number;
  const bool left = is_negative(x);
  double a = abs(y), b = abs(x);
  pair result{};
  if (a == 0) {
    result = left ? pi : pair{};
  } else if (b == 0) {
    result = half_pi;
  } else if (a == infinity || b == infinity) {
    const pair diagonal = left ? pi * 0.75 : pi * 0.25;
    result = a == b ? diagonal : a == infinity ? half_pi : left ? pi : pair{};
  } else {
    const int e = exponent(a), f = exponent(b);
    if (e - f > 300) {
      result = half_pi;
    } else if (e - f < -300) {
      result = left ? pi : pair{a / b, 0};
    } else {
      result = angle({scale(a, -f), 0}, {scale(b, -f), 0});
      if (left) result = pi - result;
    }
  }
  return copysign(value(result), y);
}

}  // namespace kroton::math::constant
