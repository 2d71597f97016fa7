// The limit's recurrences of numbers: a loop with the states in registers, and its adjoint written by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace hand {

/// x_t = a x / (1 + x^2) + e_t, of x before: each value goes to `all`, unless that is null; the last one.
inline double rational_ar(double const* e, std::size_t n, double a, double x, double* all) {
  if (all == nullptr) {
    for (std::size_t t = 0; t < n; ++t) x = a * x / (1 + x * x) + e[t];
  } else {
    for (std::size_t t = 0; t < n; ++t) all[t] = x = a * x / (1 + x * x) + e[t];
  }
  return x;
}
/// The gradient of the sum of squares: by e, which goes to `of_e`, by a and by the start. All values are stored in `all`.
inline std::array<double, 2> rational_ar_gradient(double const* e, std::size_t n, double a, double start, double* all,
                                                  double* of_e) {
  rational_ar(e, n, a, start, all);
  double later = 0, of_a = 0;
  for (std::size_t t = n; t-- > 0;) {
    double const before = t > 0 ? all[t - 1] : start, g = later + 2 * all[t];
    double const inverse = 1 / (1 + before * before), share = g * inverse;
    of_e[t] = g;
    of_a += share * before;
    later = share * a * (1 - before * before) * inverse;
  }
  return {of_a, later};
}

/// x_t = tanh(a x + e_t).
inline double tanh_ar(double const* e, std::size_t n, double a, double x, double* all) {
  if (all == nullptr) {
    for (std::size_t t = 0; t < n; ++t) x = std::tanh(a * x + e[t]);
  } else {
    for (std::size_t t = 0; t < n; ++t) all[t] = x = std::tanh(a * x + e[t]);
  }
  return x;
}
inline std::array<double, 2> tanh_ar_gradient(double const* e, std::size_t n, double a, double start, double* all, double* of_e) {
  tanh_ar(e, n, a, start, all);
  double later = 0, of_a = 0;
  for (std::size_t t = n; t-- > 0;) {
    double const before = t > 0 ? all[t - 1] : start, g = (later + 2 * all[t]) * (1 - all[t] * all[t]);
    of_e[t] = g;
    of_a += g * before;
    later = g * a;
  }
  return {of_a, later};
}

/// x_t = a x_(t-1) + b x_(t-2) + e_t; `before` is the earlier one.
inline double ar2(double const* e, std::size_t n, double a, double b, double before, double x, double* all) {
  auto next = [&](std::size_t t) {
    double const made = a * x + (b * before + e[t]);
    before = x;
    return x = made;
  };
  if (all == nullptr)
    for (std::size_t t = 0; t < n; ++t) next(t);
  else
    for (std::size_t t = 0; t < n; ++t) all[t] = next(t);
  return x;
}
/// The gradient of the sum of squares: by e, by a and b, and by both starts, the earlier one first.
inline std::array<double, 4> ar2_gradient(double const* e, std::size_t n, double a, double b, double first, double second,
                                          double* all, double* of_e) {
  ar2(e, n, a, b, first, second, all);
  double later = 0, latest = 0, of_a = 0, of_b = 0;  // of the value one step back, and two
  for (std::size_t t = n; t-- > 0;) {
    double const g = later + 2 * all[t];
    of_e[t] = g;
    of_a += g * (t > 0 ? all[t - 1] : second);
    of_b += g * (t > 1 ? all[t - 2] : t > 0 ? second : first);
    later = latest + a * g;
    latest = b * g;
  }
  return {of_a, of_b, latest, later};
}

/// c_0 + x (c_1 + x (c_2 + ...)); partial values go to `all`, from the last coefficient on.
inline double horner(double const* c, std::size_t n, double x, double* all) {
  double sum = 0;
  if (all == nullptr) {
    for (std::size_t i = n; i-- > 0;) sum = c[i] + x * sum;
  } else {
    for (std::size_t i = n; i-- > 0;) *all++ = sum = c[i] + x * sum;
  }
  return sum;
}
/// The gradient: by the coefficients, and by x.
inline double horner_gradient(double const* c, std::size_t n, double x, double* all, double* of_c) {
  horner(c, n, x, all);
  double of_x = 0, power = 1;
  for (std::size_t i = 0; i < n; ++i) {
    of_c[i] = power;
    if (i + 1 < n) of_x += power * all[n - 2 - i];
    power *= x;
  }
  return of_x;
}

using triple = std::array<double, 3>;

inline triple lorenz_rates(triple const& s, triple const& p) {
  return {p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]};
}
inline triple sum_of(triple const& s, double h, triple const& k) { return {s[0] + h * k[0], s[1] + h * k[1], s[2] + h * k[2]}; }
/// A step of Runge and Kutta.
inline triple lorenz_step(triple const& s, triple const& p, double h) {
  triple const k1 = lorenz_rates(s, p), k2 = lorenz_rates(sum_of(s, h / 2, k1), p), k3 = lorenz_rates(sum_of(s, h / 2, k2), p),
               k4 = lorenz_rates(sum_of(s, h, k3), p);
  triple next;
  for (std::size_t i = 0; i < 3; ++i) next[i] = s[i] + h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  return next;
}
/// Lorenz' system: the last state; all of them go to x, y and z, unless these are null.
inline triple lorenz(triple s, triple const& p, double h, std::size_t n, double* x, double* y, double* z) {
  if (x == nullptr) {
    for (std::size_t t = 0; t < n; ++t) s = lorenz_step(s, p, h);
  } else {
    for (std::size_t t = 0; t < n; ++t) {
      s = lorenz_step(s, p, h);
      x[t] = s[0], y[t] = s[1], z[t] = s[2];
    }
  }
  return s;
}
/// What a gradient by rates is one by the point, which is added to `of`, and by the parameters.
inline void lorenz_back(triple const& s, triple const& p, triple const& g, triple& of, triple& of_p) {
  of_p[0] += g[0] * (s[1] - s[0]);
  of_p[1] += g[1] * s[0];
  of_p[2] -= g[2] * s[2];
  of[0] += g[1] * (p[1] - s[2]) + g[2] * s[1] - g[0] * p[0];
  of[1] += g[0] * p[0] - g[1] + g[2] * s[0];
  of[2] -= g[1] * s[0] + g[2] * p[2];
}
/// The gradient of the sum of x: by the start and by the parameters.
inline std::tuple<triple, triple> lorenz_gradient(triple const& start, triple const& p, double h, std::size_t n, double* x,
                                                  double* y, double* z) {
  lorenz(start, p, h, n, x, y, z);
  triple later{}, of_p{};
  for (std::size_t t = n; t-- > 0;) {
    triple const s = t > 0 ? triple{x[t - 1], y[t - 1], z[t - 1]} : start;
    triple const g{later[0] + 1, later[1], later[2]};
    triple const k1 = lorenz_rates(s, p), s2 = sum_of(s, h / 2, k1), k2 = lorenz_rates(s2, p), s3 = sum_of(s, h / 2, k2),
                 k3 = lorenz_rates(s3, p), s4 = sum_of(s, h, k3);
    triple of_4{}, of_3{}, of_2{}, of_1{};
    auto scaled = [](double f, triple const& a, double e, triple const& b) {
      return triple{f * a[0] + e * b[0], f * a[1] + e * b[1], f * a[2] + e * b[2]};
    };
    lorenz_back(s4, p, scaled(h / 6, g, 0, g), of_4, of_p);
    lorenz_back(s3, p, scaled(h / 3, g, h, of_4), of_3, of_p);
    lorenz_back(s2, p, scaled(h / 3, g, h / 2, of_3), of_2, of_p);
    lorenz_back(s, p, scaled(h / 6, g, h / 2, of_2), of_1, of_p);
    for (std::size_t i = 0; i < 3; ++i) later[i] = g[i] + of_1[i] + of_2[i] + of_3[i] + of_4[i];
  }
  return {later, of_p};
}

}  // namespace hand
