// Steps within a trust region, and the method of steps that all of them follow.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/minimize/objective.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace kroton::minimization {

/// A quadratic model of a value around a point, in coordinates q in which it has no mixed terms:
/// value + sum(slope * q + curvature * q^2 / 2). The step of x is scale^-1 * (basis^T q).
struct spectral_model {
  numbers slope, curvature;
  numbers basis;  // the directions, orthonormal, one a row
  numbers scale;  // of each unknown
};

/// The minimum of a model within a radius.
struct bounded_step {
  numbers q;
  double length = 0, decrease = 0;
  bool is_free = false;  // the radius does not matter
};

/// A minimum exactly within the radius where the model has none inside (Nocedal and Wright, Section
/// 4.3, with the hard case).
class step_solver {
 public:
  static void solve(spectral_model const& m, double radius, bounded_step& s) {
    std::size_t const n = m.slope.size();
    s.q.assign(n, 0);
    double least = std::numeric_limits<double>::infinity();
    for (double c : m.curvature) least = std::min(least, c);
    double low = std::max(0., -least);
    s.is_free = false;
    double const inner = fill(m, low, s.q);
    if (inner <= radius) {
      s.is_free = least >= 0;
      if (!s.is_free) extend(m, least, std::sqrt(radius * radius - inner * inner), s.q);
    } else {
      // 1 / length is almost linear in the shift, so Newton's method takes two or three steps.
      double high = low + minimization::length(m.slope) / radius;
      double shift = low;
      for (int k = 0; k < 100; ++k) {
        if (!(shift > low && shift < high)) shift = low > 0 ? std::sqrt(low * high) : 1e-3 * high;
        if (!(shift > low && shift < high)) shift = 0.5 * (low + high);
        double const l = fill(m, shift, s.q);
        if (std::abs(l - radius) <= 1e-3 * radius) break;
        (l > radius ? low : high) = shift;
        double weighted = 0;
        for (std::size_t i = 0; i < n; ++i)
          if (s.q[i] != 0) weighted += s.q[i] * s.q[i] / (m.curvature[i] + shift);
        shift += l * l / weighted * (l - radius) / radius;
      }
    }
    s.length = minimization::length(s.q);
    s.decrease = 0;
    for (std::size_t i = 0; i < n; ++i)
      s.decrease -= s.q[i] * (m.slope[i] + 0.5 * m.curvature[i] * s.q[i]);
  }

 private:
  // The stationary point of the model with a shift of all curvatures; infinite if it has none.
  static double fill(spectral_model const& m, double shift, numbers& q) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (m.slope[i] == 0) q[i] = 0;
      else q[i] = -m.slope[i] / (m.curvature[i] + shift);
      if (!std::isfinite(q[i])) return std::numeric_limits<double>::infinity();
    }
    return minimization::length(q);
  }
  // The hard case: the rest of the way goes along the direction of the least curvature.
  static void extend(spectral_model const& m, double least, double by, numbers& q) {
    for (std::size_t i = 0; i < q.size(); ++i)
      if (m.curvature[i] == least) {
        q[i] += q[i] < 0 ? -by : by;
        return;
      }
  }
};

/// A value with a model at every point that was accepted.
class modelled_objective {
 public:
  virtual ~modelled_objective() = default;
  /// The value at x, with what the model needs; infinite if something there is not finite.
  virtual double evaluate(numbers const& x) = 0;
  /// The largest element of the gradient where the last evaluation was.
  virtual double gradient_norm() const = 0;
  /// Makes `model` that of the last point that was evaluated.
  virtual void accept() = 0;
  /// Whether the accepted point is good enough.
  virtual std::optional<ending> finished(outcome const& now) const = 0;
  virtual double precision() const = 0;

  spectral_model model;
};

/// The limits of a trust-region method.
struct trust_region_limits {
  int max_iterations, max_evaluations;
  double value_tolerance;  // of decreases, relative
  double step_tolerance;   // relative to the scaled unknowns
  double radius;           // the first one, or 0
  double radius_factor;    // of the first one relative to the scaled unknowns
  observer const& observe;
};

/// Minimizes from now.x, which was evaluated and accepted (Nocedal and Wright, Algorithm 4.1).
class trust_region {
 public:
  trust_region(modelled_objective& f, trust_region_limits const& limits, outcome& now)
      : f_(f), limits_(limits), now_(now), trial_(now.x.size()), scaled_(now.x.size()) {}

  void run() {
    double const scaled = scaled_length();
    radius_ =
        limits_.radius > 0 ? limits_.radius : limits_.radius_factor * (scaled > 0 ? scaled : 1);
    now_.why = ending::stopped;
    if (!goes_on(limits_.observe, now_)) return;
    std::optional<ending> why;
    while (!(why = before_step())) {
      std::optional<ending> const after = step();
      if (after) {
        now_.why = *after;
        return;
      }
    }
    now_.why = *why;
  }

  /// Whether the model says that the minimum of the value lies next to the last point.
  bool is_close() const { return is_close_; }

 private:
  double scaled_length() {
    for (std::size_t i = 0; i < scaled_.size(); ++i) scaled_[i] = now_.x[i] * f_.model.scale[i];
    return length(scaled_);
  }

  std::optional<ending> before_step() {
    if (auto const done = f_.finished(now_)) return done;
    if (now_.iterations >= limits_.max_iterations) return ending::max_iterations;
    if (now_.evaluations >= limits_.max_evaluations) return ending::max_evaluations;
    step_solver::solve(f_.model, radius_, step_);
    double const scaled = scaled_length(), precision = f_.precision();
    if (was_accepted_)
      is_close_ = step_.is_free && step_.length <= 10 * std::sqrt(precision) * scaled;
    if (limits_.step_tolerance > 0 && step_.is_free &&
        step_.length <= std::max(limits_.step_tolerance, 0.1 * precision) * scaled)
      return ending::small_step;
    return {};
  }

  void move() {
    spectral_model const& m = f_.model;
    std::size_t const n = trial_.size();
    std::fill(trial_.begin(), trial_.end(), 0.);
    for (std::size_t k = 0; k < step_.q.size(); ++k)
      for (std::size_t i = 0; i < n; ++i) trial_[i] += step_.q[k] * m.basis[k * n + i];
    for (std::size_t i = 0; i < n; ++i) trial_[i] = now_.x[i] + trial_[i] / m.scale[i];
  }

  // The minimum of the parabola through the value, the slope and the value at the step.
  double shorter(double value) const {
    double slope = 0;
    for (std::size_t k = 0; k < step_.q.size(); ++k) slope += step_.q[k] * f_.model.slope[k];
    double const part = -0.5 * slope / (value - now_.value - slope);
    return std::isfinite(part) ? std::clamp(part, 0.1, 0.5) : 0.1;
  }

  // One step, taken or not; an ending if it is the last.
  std::optional<ending> step() {
    move();
    double const value = f_.evaluate(trial_);
    ++now_.evaluations;
    if (value == -std::numeric_limits<double>::infinity()) {
      now_.x = trial_;
      now_.value = value;
      return ending::unbounded;
    }
    double const noise = 8 * f_.precision() * std::abs(now_.value);
    double const decrease = now_.value - value;
    bool const hidden = step_.decrease <= noise && std::abs(decrease) <= noise;
    double const ratio = hidden ? 1 : decrease / step_.decrease;
    bool const is_better =
        hidden ? f_.gradient_norm() < now_.gradient_norm : decrease > 0 && ratio >= 1e-4;
    if (!(ratio > 0.25)) radius_ = step_.length * shorter(value);
    else if (ratio >= 0.75 || step_.is_free) radius_ = 2 * step_.length;

    was_accepted_ = is_better;
    if (is_better) {
      now_.x = trial_;
      now_.value = value;
      f_.accept();
      now_.gradient_norm = f_.gradient_norm();
      ++now_.iterations;
      if (!goes_on(limits_.observe, now_)) return ending::stopped;
    } else if (hidden) {
      return ending::precision;
    }
    double const small = limits_.value_tolerance * std::abs(now_.value);
    if (limits_.value_tolerance > 0 && std::abs(decrease) <= small && step_.decrease <= small &&
        ratio <= 2)
      return ending::small_decrease;
    if (!is_better &&
        radius_ <= std::max(limits_.step_tolerance, 0.1 * f_.precision()) * scaled_length())
      return is_close_ || step_.decrease <= 1e3 * noise ? ending::precision : ending::no_decrease;
    if (!is_better && !(radius_ > 1e-300)) return ending::no_decrease;
    return {};
  }

  modelled_objective& f_;
  trust_region_limits const& limits_;
  outcome& now_;
  numbers trial_, scaled_;
  bounded_step step_;
  double radius_ = 1;
  bool was_accepted_ = true;
  bool is_close_ = false;  // the first step tried from here says that the minimum is near
};

}  // namespace kroton::minimization
