// The limit's derivatives: cost functions and their gradients derived by hand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "vector_math.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace hand {

template <std::size_t N>
double norm(double const* x) {
  constexpr std::size_t lanes = batch<double>::size, whole = N / lanes * lanes;
  double rest = 0;
  for (std::size_t i = whole; i < N; ++i) rest += x[i] * x[i];
  if constexpr (whole > 0) {
    batch<double> sums[2] = {batch<double>(0.0), batch<double>(0.0)};
    for (std::size_t i = 0; i < whole; i += lanes) {
      batch<double> const v = batch<double>::load_unaligned(x + i);
      sums[i / lanes % 2] = xsimd::fma(v, v, sums[i / lanes % 2]);
    }
    rest += xsimd::hadd(sums[0] + sums[1]);
  }
  return std::sqrt(rest);
}

/// (1 - x)^2 + 100 (y - x^2)^2 and its gradient.
inline std::array<double, 3> rosenbrock_gradient(double x, double y) {
  double const u = 1 - x, v = y - x * x;
  return {u * u + 100 * (v * v), -2 * u - 400 * v * x, 200 * v};
}
/// The sum over neighbours; the gradient goes to g.
template <std::size_t N>
double rosenbrock_chain(double const* x, double* g) {
  double value = 0, of_previous = 0;
  for (std::size_t i = 0; i + 1 < N; ++i) {
    double const u = 1 - x[i], v = x[i + 1] - x[i] * x[i];
    value += u * u + 100 * (v * v);
    g[i] = of_previous - 2 * u - 400 * v * x[i];
    of_previous = 200 * v;
  }
  g[N - 1] = of_previous;
  return value;
}
template <std::size_t N>
void rosenbrock_hessian(double const* x, double* h) {
  std::fill(h, h + N * N, 0.0);
  for (std::size_t i = 0; i + 1 < N; ++i) {
    h[i * N + i] += 2 - 400 * (x[i + 1] - 3 * x[i] * x[i]);
    h[i * N + i + 1] = h[(i + 1) * N + i] = -400 * x[i];
    h[(i + 1) * N + i + 1] = 200;
  }
}

/// The squared residuals of base + slope t + height exp(-((t - centre) / width)^2), and the gradient.
inline std::tuple<double, std::array<double, 5>> curve_fit(double const* t, double const* y, std::size_t n,
                                                           std::array<double, 5> const& q) {
  auto const [base, slope, height, centre, width] = q;
  constexpr std::size_t lanes = batch<double>::size;
  double const inverse = 1 / width, factor = 2 * height * inverse;
  batch<double> sums[6];
  for (auto& s : sums) s = batch<double>(0.0);
  auto add = [&](batch<double> ti, batch<double> yi, auto weigh) {
    batch<double> const u = (ti - centre) * inverse, peak = exp(-u * u);
    batch<double> const r =
        weigh(xsimd::fma(peak, batch<double>(height), xsimd::fma(ti, batch<double>(slope), batch<double>(base))) - yi);
    batch<double> const of_centre = r * peak * u;
    sums[0] = xsimd::fma(r, r, sums[0]);
    sums[1] += r;
    sums[2] = xsimd::fma(r, ti, sums[2]);
    sums[3] = xsimd::fma(r, peak, sums[3]);
    sums[4] += of_centre;
    sums[5] = xsimd::fma(of_centre, u, sums[5]);
  };
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    add(batch<double>::load_unaligned(t + i), batch<double>::load_unaligned(y + i), [](batch<double> r) { return r; });
  if (i < n) {
    double ts[lanes] = {}, ys[lanes] = {}, weights[lanes] = {};
    for (std::size_t k = 0; i + k < n; ++k) {
      ts[k] = t[i + k];
      ys[k] = y[i + k];
      weights[k] = 1;
    }
    add(batch<double>::load_unaligned(ts), batch<double>::load_unaligned(ys),
        [&](batch<double> r) { return r * batch<double>::load_unaligned(weights); });
  }
  double s[6];
  for (int k = 0; k < 6; ++k) s[k] = xsimd::hadd(sums[k]);
  return {s[0], {2 * s[1], 2 * s[2], 2 * s[3], 2 * factor * s[4], 2 * factor * s[5]}};
}

/// Both residuals of a camera and a point, each followed by its derivatives with respect to rotation, translation, focal
/// length, distortion and point.
inline std::array<double, 26> reprojection(std::array<double, 12> const& q) {
  double const w[3] = {q[0], q[1], q[2]}, x[3] = {q[9], q[10], q[11]};
  double const f = q[6], k1 = q[7], k2 = q[8];
  double const theta2 = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], theta = std::sqrt(theta2), c = std::cos(theta);
  // p = c x + a (w x x) + b (w . x) w + t
  double const a = std::sin(theta) / theta, b = (1 - c) / theta2, along = w[0] * x[0] + w[1] * x[1] + w[2] * x[2];
  double const cross[3] = {w[1] * x[2] - w[2] * x[1], w[2] * x[0] - w[0] * x[2], w[0] * x[1] - w[1] * x[0]};
  double p[3];
  for (int i = 0; i < 3; ++i) p[i] = c * x[i] + a * cross[i] + b * along * w[i] + q[3 + i];
  // of p with respect to w and x
  double of_w[3][3], of_x[3][3];
  double const da = (c - a) / theta2, db = (a - 2 * b) / theta2;
  double const turn_x[3][3] = {{0, x[2], -x[1]}, {-x[2], 0, x[0]}, {x[1], -x[0], 0}};
  double const turn_w[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
  for (int i = 0; i < 3; ++i) {
    double const common = da * cross[i] + db * along * w[i] - a * x[i];
    for (int k = 0; k < 3; ++k) {
      of_w[i][k] = common * w[k] + a * turn_x[i][k] + b * (x[k] * w[i] + (i == k ? along : 0));
      of_x[i][k] = a * turn_w[i][k] + b * w[i] * w[k] + (i == k ? c : 0);
    }
  }
  double const inverse = 1 / p[2], u = -p[0] * inverse, v = -p[1] * inverse;
  double const r2 = u * u + v * v, d = 1 + r2 * (k1 + k2 * r2), d2 = 2 * (k1 + 2 * k2 * r2);
  // of f d u and f d v with respect to u and v, and from there to p
  double const of_uv[2][2] = {{f * (d + d2 * u * u), f * d2 * u * v}, {f * d2 * u * v, f * (d + d2 * v * v)}};
  std::array<double, 26> all;
  for (int i = 0; i < 2; ++i) {
    double const self = i == 0 ? u : v;
    double const of_p[3] = {-of_uv[i][0] * inverse, -of_uv[i][1] * inverse, -(of_uv[i][0] * u + of_uv[i][1] * v) * inverse};
    double* const to = all.data() + 13 * i;
    to[0] = f * d * self;
    for (int k = 0; k < 3; ++k) {
      to[1 + k] = of_p[0] * of_w[0][k] + of_p[1] * of_w[1][k] + of_p[2] * of_w[2][k];
      to[4 + k] = of_p[k];
      to[10 + k] = of_p[0] * of_x[0][k] + of_p[1] * of_x[1][k] + of_p[2] * of_x[2][k];
    }
    to[7] = d * self;
    to[8] = f * r2 * self;
    to[9] = f * r2 * r2 * self;
  }
  return all;
}

/// The price of a European call; its derivatives by spot, strike, time to expiry, rate and volatility; the second by spot.
inline std::array<double, 7> black_scholes(double spot, double strike, double time, double rate, double sigma) {
  double const root = std::sqrt(time), spread = sigma * root, inverse = 1 / spread;
  double const d1 = (std::log(spot / strike) + (rate + 0.5 * sigma * sigma) * time) * inverse, d2 = d1 - spread;
  double const n1 = 0.5 * std::erfc(d1 * -0.70710678118654752), n2 = 0.5 * std::erfc(d2 * -0.70710678118654752);
  double const density = 0.39894228040143268 * std::exp(-0.5 * d1 * d1), discounted = strike * std::exp(-rate * time);
  return {spot * n1 - discounted * n2, n1,
          -discounted / strike * n2,   0.5 * spot * density * sigma / root + rate * discounted * n2,
          time * discounted * n2,      spot * density * root,
          density * inverse / spot};
}

}  // namespace hand
