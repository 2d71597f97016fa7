// The limited-memory BFGS method.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/minimize/line_search.hpp>
#include <kroton/minimize/objective.hpp>
#include <kroton/minimize/options.hpp>

#include <optional>

namespace kroton::minimization {

inline double dot(numbers const& x, numbers const& y) {
  return cpu::blas::dot(cpu::blas_int(std::ssize(x)), x.data(), 1, y.data(), 1);
}
/// y += a * x
inline void add_multiple(double a, numbers const& x, numbers& y) {
  cblas_daxpy(cpu::blas_int(std::ssize(x)), a, x.data(), 1, y.data(), 1);
}

/// The inverse of the Hessian, from the last steps and changes of the gradient.
class inverse_hessian {
 public:
  explicit inverse_hessian(int memory)
      : pairs_(static_cast<std::size_t>(memory > 0 ? memory : 1)), weights_(pairs_.size()) {}

  bool is_empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  /// Takes over the step from `before` to `x` and the change of the gradient, unless the curvature
  /// along it is not positive.
  void add(numbers const& x, numbers const& before, numbers const& g, numbers const& g_before) {
    double product = 0, square = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      double const change = g[i] - g_before[i];
      product += (x[i] - before[i]) * change;
      square += change * change;
    }
    if (!(product > 0) || !std::isfinite(1 / product)) return;
    pair& p = pairs_[next_];
    p.step = x;
    p.change = g;
    add_multiple(-1, before, p.step);
    add_multiple(-1, g_before, p.change);
    p.inverse = 1 / product;
    scale_ = product / square;
    next_ = (next_ + 1) % pairs_.size();
    count_ = std::min(count_ + 1, pairs_.size());
  }
  /// The direction of the next step: minus the product with the gradient (Algorithm 7.4).
  void direction(numbers const& gradient, numbers& d) {
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = -gradient[i];
    if (count_ == 0) return;
    for (std::size_t k = 1; k <= count_; ++k) {
      pair const& p = at(k);
      weights_[k - 1] = p.inverse * dot(p.step, d);
      add_multiple(-weights_[k - 1], p.change, d);
    }
    for (double& e : d) e *= scale_;
    for (std::size_t k = count_; k > 0; --k) {
      pair const& p = at(k);
      add_multiple(weights_[k - 1] - p.inverse * dot(p.change, d), p.step, d);
    }
  }

 private:
  struct pair {
    numbers step, change;
    double inverse = 0;
  };
  /// The pair that was added as the k-th last.
  pair const& at(std::size_t k) const {
    return pairs_[(next_ + pairs_.size() - k) % pairs_.size()];
  }

  std::vector<pair> pairs_;
  numbers weights_;
  std::size_t next_ = 0, count_ = 0;
  double scale_ = 1;
};

/// Minimizes an objective from now.x, where value and gradient are known (Nocedal and Wright,
/// Algorithm 7.5).
class lbfgs_method {
 public:
  lbfgs_method(objective& f, lbfgs const& options, outcome& now)
      : f_(f),
        options_(options),
        now_(now),
        inverse_(options.memory),
        direction_(now.x.size()),
        smallest_(now.gradient_norm) {}

  void run() {
    now_.why = ending::stopped;
    if (!goes_on(options_.observe, now_)) return;
    std::optional<ending> why;
    while (!(why = before_step()) && !(why = step())) {}
    now_.why = *why;
  }

 private:
  double noise() const { return 8 * f_.precision() * std::abs(now_.value); }

  std::optional<ending> before_step() const {
    if (now_.gradient_norm <= options_.gradient_tolerance * std::max(1., std::abs(now_.value)))
      return ending::small_gradient;
    if (now_.iterations >= options_.max_iterations) return ending::max_iterations;
    if (now_.evaluations >= options_.max_evaluations) return ending::max_evaluations;
    return {};
  }

  line_point evaluate(double step) {
    for (std::size_t i = 0; i < direction_.size(); ++i)
      now_.x[i] = before_[i] + step * direction_[i];
    ++now_.evaluations;
    last_step_ = step;
    double const value = f_.evaluate(now_.x, now_.gradient);
    return {step, value, dot(direction_, now_.gradient)};
  }

  // One step; an ending if it is the last.
  std::optional<ending> step() {
    bool const is_steepest = inverse_.is_empty();
    inverse_.direction(now_.gradient, direction_);
    double const slope = dot(direction_, now_.gradient);
    if (!is_steepest) expected_ = -slope;
    before_ = now_.x;
    gradient_before_ = now_.gradient;
    line_point found;
    if (slope < 0) {
      auto at = [this](double step) { return evaluate(step); };
      wolfe_search search(at, {0, now_.value, slope}, noise(),
                          std::min(40, options_.max_evaluations - now_.evaluations));
      found = search.run(is_steepest ? std::min(1., 1 / length(now_.gradient)) : 1);
    }
    if (found.step == 0) {
      now_.x = before_;
      now_.gradient = gradient_before_;
      if (now_.evaluations >= options_.max_evaluations) return ending::max_evaluations;
      if (is_steepest) return without_decrease();
      inverse_.clear();
      return {};
    }
    if (found.step != last_step_) found = evaluate(found.step);
    return take(found);
  }

  std::optional<ending> take(line_point const& found) {
    double const decrease = now_.value - found.value;
    bool const is_hidden = decrease <= noise();
    now_.value = found.value;
    now_.gradient_norm = largest(now_.gradient);
    ++now_.iterations;
    if (now_.value == -std::numeric_limits<double>::infinity()) return ending::unbounded;
    inverse_.add(now_.x, before_, now_.gradient, gradient_before_);
    if (!goes_on(options_.observe, now_)) return ending::stopped;
    // Where rounding hides the decrease, a step is good if the gradient becomes smaller.
    stalls_ = is_hidden && now_.gradient_norm >= smallest_ ? stalls_ + 1 : 0;
    smallest_ = std::min(smallest_, now_.gradient_norm);
    if (stalls_ == max_stalls) return without_decrease();
    double const small = options_.value_tolerance * std::abs(now_.value);
    if (options_.value_tolerance > 0 && decrease <= small) return ending::small_decrease;
    return {};
  }

  // Whether rounding explains that no step decreases the value.
  ending without_decrease() const {
    double const negligible = std::sqrt(f_.precision()) * std::max(1., std::abs(now_.value));
    bool const is_rounding = expected_ <= 1e3 * noise() || now_.gradient_norm <= negligible;
    return is_rounding ? ending::precision : ending::no_decrease;
  }

  static constexpr int max_stalls = 10;

  objective& f_;
  lbfgs const& options_;
  outcome& now_;
  inverse_hessian inverse_;
  numbers direction_, before_, gradient_before_;
  double expected_ = std::numeric_limits<double>::infinity();  // the decrease by the whole step
  double smallest_, last_step_ = 0;
  int stalls_ = 0;
};

}  // namespace kroton::minimization
