// Numbers of a distribution from a source of uniform ones, as numpy.random.RandomState draws them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/math/special.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace kroton::math::sampling {

// A source has word(), 32 random bits; uniform(), in [0, 1); and normal(), standard normal.

/// -log(1 - u)
template <class Source>
double exponential(Source& source) {
  return -std::log(1.0 - source.uniform());
}

/// Standard normal, but at most 2 away from 0.
template <class Source>
double truncated_normal(Source& source) {
  double x;
  do x = source.normal();
  while (x < -2 || x > 2);
  return x;
}

/// The gamma distribution of scale 1. (Marsaglia and Tsang, 2000; below 1 Ahrens and Dieter, 1974)
template <class Source>
double gamma(Source& source, double shape) {
  if (shape == 1) return exponential(source);
  if (shape == 0) return 0;
  if (shape < 1) {
    for (;;) {
      double const u = source.uniform(), v = exponential(source);
      bool const is_small = u <= 1 - shape;
      double const y = is_small ? 0 : -std::log((1 - u) / shape),
                   x = std::pow(is_small ? u : 1 - shape + shape * y, 1 / shape);
      if (x <= v + y) return x;
    }
  }
  double const b = shape - 1. / 3, c = 1 / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = source.normal();
      v = 1 + c * x;
    } while (v <= 0);
    v = v * v * v;
    double const u = source.uniform();
    if (u < 1 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1 - v + std::log(v))) return b * v;
  }
}

/// The Poisson distribution: products of uniform numbers, or transformed rejection. (Hoermann, The
/// transformed rejection method for generating Poisson random variables, 1993)
template <class Source>
std::int64_t poisson(Source& source, double mean) {
  if (mean == 0) return 0;
  if (mean < 10) {
    double const least = std::exp(-mean);
    std::int64_t count = 0;
    for (double product = source.uniform(); product > least; product *= source.uniform()) ++count;
    return count;
  }
  double const logarithm = std::log(mean), b = 0.931 + 2.53 * std::sqrt(mean),
               a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4),
               accepted = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double const u = source.uniform() - 0.5, v = source.uniform(), s = 0.5 - std::abs(u),
                 k = std::floor((2 * a / s + b) * u + mean + 0.43);
    if (s >= 0.07 && v <= accepted) return static_cast<std::int64_t>(k);
    if (k < 0 || (s < 0.013 && v > s)) continue;
    if (std::log(v) + std::log(inverse) - std::log(a / (s * s) + b) <=
        -mean + k * logarithm - math::gammaln(k + 1))
      return static_cast<std::int64_t>(k);
  }
}

/// The number of successes among few trials: the distribution function is added up.
template <class Source>
std::int64_t binomial_inversion(Source& source, std::int64_t n, double p) {
  double const q = 1 - p, none = std::exp(static_cast<double>(n) * std::log(q)),
               mean = static_cast<double>(n) * p;
  auto const bound = static_cast<std::int64_t>(
      std::min(static_cast<double>(n), mean + 10 * std::sqrt(mean * q + 1)));
  for (;;) {
    double probability = none, u = source.uniform();
    std::int64_t x = 0;
    while (u > probability) {
      if (++x > bound) break;
      u -= probability;
      probability =
          (static_cast<double>(n - x + 1) * p * probability) / (static_cast<double>(x) * q);
    }
    if (x <= bound) return x;
  }
}

/// The same for many trials, by rejection from a triangle, two parallelograms and two exponential
/// tails. (Kachitvichyanukul and Schmeiser, Binomial random variate generation, 1988: BTPE)
class binomial_rejection {
 public:
  binomial_rejection(std::int64_t n, double p)
      : count_(static_cast<double>(n)), r_(std::min(p, 1 - p)), q_(1 - r_) {
    double const center = count_ * r_ + r_;
    mode_ = std::floor(center);
    variance_ = count_ * r_ * q_;
    half_ = std::floor(2.195 * std::sqrt(variance_) - 4.6 * q_) + 0.5;
    middle_ = mode_ + 0.5;
    left_ = middle_ - half_;
    right_ = middle_ + half_;
    c_ = 0.134 + 20.5 / (15.3 + mode_);
    rate_left_ = rate((center - left_) / (center - left_ * r_));
    rate_right_ = rate((right_ - center) / (right_ * q_));
    area_[0] = half_;
    area_[1] = half_ * (1 + 2 * c_);
    area_[2] = area_[1] + c_ / rate_left_;
    area_[3] = area_[2] + c_ / rate_right_;
  }

  template <class Source>
  std::int64_t next(Source& source) const {
    for (;;) {
      double const u = source.uniform() * area_[3];
      double v = source.uniform(), y;
      if (u <= area_[0]) return static_cast<std::int64_t>(std::floor(middle_ - half_ * v + u));
      if (u <= area_[1]) {
        double const x = left_ + (u - area_[0]) / c_;
        v = v * c_ + 1 - std::abs(mode_ - x + 0.5) / half_;
        if (v > 1) continue;
        y = std::floor(x);
      } else if (u <= area_[2]) {
        y = std::floor(left_ + std::log(v) / rate_left_);
        if (y < 0 || v == 0) continue;
        v = v * (u - area_[1]) * rate_left_;
      } else {
        y = std::floor(right_ - std::log(v) / rate_right_);
        if (y > count_ || v == 0) continue;
        v = v * (u - area_[2]) * rate_right_;
      }
      if (is_accepted(y, v)) return static_cast<std::int64_t>(y);
    }
  }

 private:
  static double rate(double a) { return a * (1 + a / 2); }
  static double stirling(double x, double square) {
    return (13680. - (462. - (132. - (99. - 140. / square) / square) / square) / square) / x /
           166320.;
  }
  // Whether v is below the probability of y, relative to that of the mode.
  bool is_accepted(double y, double v) const {
    double const k = std::abs(y - mode_);
    if (k <= 20 || k >= variance_ / 2 - 1) {
      double const s = r_ / q_, a = s * (count_ + 1);
      double f = 1;
      for (double i = mode_ + 1; i <= y; ++i) f *= a / i - s;
      for (double i = y + 1; i <= mode_; ++i) f /= a / i - s;
      return v <= f;
    }
    double const rho = (k / variance_) *
                       ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / variance_ + 0.5),
                 t = -k * k / (2 * variance_), logarithm = std::log(v);
    if (logarithm < t - rho) return true;
    if (logarithm > t + rho) return false;
    double const x1 = y + 1, f1 = mode_ + 1, z = count_ + 1 - mode_, w = count_ - y + 1;
    return logarithm <= middle_ * std::log(f1 / x1) + (count_ - mode_ + 0.5) * std::log(z / w) +
                            (y - mode_) * std::log(w * r_ / (x1 * q_)) + stirling(f1, f1 * f1) +
                            stirling(z, z * z) + stirling(x1, x1 * x1) + stirling(w, w * w);
  }

  double count_, r_, q_, mode_, variance_, half_, middle_, left_, right_, c_, rate_left_,
      rate_right_, area_[4];
};

/// The number of successes among n trials of probability p.
template <class Source>
std::int64_t binomial(Source& source, std::int64_t n, double p) {
  double const smaller = p <= 0.5 ? p : 1 - p;
  std::int64_t const x = smaller * static_cast<double>(n) <= 30
                             ? binomial_inversion(source, n, smaller)
                             : binomial_rejection(n, smaller).next(source);
  return p <= 0.5 ? x : n - x;
}

/// A whole number from 0 to `most`: as many bits as it has, until they are not too many.
template <class Source>
std::uint64_t bounded(Source& source, std::uint64_t most) {
  if (most == 0) return 0;
  std::uint64_t mask = most;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  for (;;) {
    std::uint64_t x = source.word();
    if (most > 0xFFFFFFFFu) x = x << 32 | source.word();
    if ((x & mask) <= most) return x & mask;
  }
}

/// How many of n trials fall into each of some categories. Like NumPy, it takes the last
/// probability from the others.
template <class Source, class Probability, class Count>
void multinomial(Source& source, std::int64_t n, std::int64_t categories,
                 Probability const& probability, Count const& count) {
  double rest = 1;
  for (std::int64_t k = 0; k < categories; ++k) count(k) = 0;
  for (std::int64_t k = 0; k + 1 < categories; ++k) {
    double const p = probability(k) / rest;
    std::int64_t const x = p == 0 || n == 0 ? 0 : binomial(source, n, p);
    count(k) = x;
    if ((n -= x) <= 0) return;
    rest -= probability(k);
  }
  if (categories > 0) count(categories - 1) = n;
}

/// Puts 0, 1 ... n - 1 in random order. (Fisher and Yates)
template <class Source>
void permutation(Source& source, std::int64_t n, std::int64_t* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = i;
  for (std::int64_t i = n - 1; i > 0; --i)
    std::swap(to[i], to[bounded(source, static_cast<std::uint64_t>(i))]);
}

}  // namespace kroton::math::sampling
