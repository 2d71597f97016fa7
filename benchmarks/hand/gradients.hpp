// The limit's gradients of cost functions of a few numbers: values first, derived and arranged by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace hand {

inline std::array<double, 3> beale(double x, double y) {
  double const y2 = y * y, y3 = y2 * y, a = 1.5 - x + x * y, b = 2.25 - x + x * y2, c = 2.625 - x + x * y3;
  return {a * a + b * b + c * c, 2 * (a * (y - 1) + b * (y2 - 1) + c * (y3 - 1)), 2 * x * (a + 2 * b * y + 3 * c * y2)};
}
inline std::array<double, 3> himmelblau(double x, double y) {
  double const a = x * x + y - 11, b = x + y * y - 7;
  return {a * a + b * b, 4 * a * x + 2 * b, 2 * a + 4 * b * y};
}
/// Powell's singular function.
inline std::array<double, 5> powell(double a, double b, double c, double d) {
  double const e = a + 10 * b, f = c - d, g = b - 2 * c, h = a - d, g2 = g * g, h2 = h * h;
  double const g3 = 4 * g2 * g, h3 = 40 * h2 * h;
  return {e * e + 5 * f * f + g2 * g2 + 10 * h2 * h2, 2 * e + h3, 20 * e + g3, 10 * f - 2 * g3, -10 * f - h3};
}
/// The potential of two particles.
inline std::array<double, 7> lennard_jones(double ax, double ay, double az, double bx, double by, double bz) {
  double const x = ax - bx, y = ay - by, z = az - bz, inverse = 1 / (x * x + y * y + z * z), s = inverse * inverse * inverse;
  double const k = -24 * inverse * (2 * s * s - s);
  return {4 * (s * s - s), k * x, k * y, k * z, -k * x, -k * y, -k * z};
}
/// Morse's potential, with 1 - exp(u) as it is written, which loses digits where u is small.
inline std::array<double, 5> morse(double r, double depth, double width, double rest) {
  double const e = std::exp(-width * (r - rest)), u = 1 - e, k = 2 * depth * u * e;
  return {depth * u * u, k * width, u * u, k * (r - rest), -k * width};
}
/// The energy of a pendulum, with 1 - cos(x) as it is written.
inline std::array<double, 5> pendulum(double angle, double u, double v, double length) {
  double const c = 1 - std::cos(angle), s = std::sin(angle), speed = u * u + v * v;
  return {0.5 * length * length * speed + 9.81 * length * c, 9.81 * length * s, length * length * u, length * length * v,
          length * speed + 9.81 * c};
}
/// A Gaussian's negative logarithm.
inline std::array<double, 4> likelihood(double x, double mean, double deviation) {
  double const inverse = 1 / deviation, u = (x - mean) * inverse;
  return {0.5 * u * u + std::log(deviation), u * inverse, -u * inverse, inverse - u * u * inverse};
}
inline std::array<double, 5> rational(double a, double b, double c, double x) {
  double const x2 = x * x, inverse = 1 / (1 + c * x2), value = (a + b * x) * inverse;
  return {value, inverse, x * inverse, -value * x2 * inverse, (b - 2 * c * x * value) * inverse};
}

}  // namespace hand
