// The limited-memory BFGS method.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/minimize/line_search.hpp>
#include <kroton/minimize/objective.hpp>
#include <kroton/minimize/options.hpp>

namespace kroton::minimization {

inline double dot(numbers const& x, numbers const& y) {
  return cpu::blas::dot(cpu::blas_int(std::ssize(x)), x.data(), 1, y.data(), 1);
}
/// y += a * x
inline void add_multiple(double a, numbers const& x, numbers& y) {
  double const* const from = x.data();
  double* const to = y.data();
  for (std::size_t i = 0; i < y.size(); ++i) to[i] += a * from[i];
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
    pair& p = pairs_[next_];
    p.step = x;
    p.change = g;
    add_multiple(-1, before, p.step);
    add_multiple(-1, g_before, p.change);
    double const product = dot(p.step, p.change), square = dot(p.change, p.change);
    if (!(product > 0) || !std::isfinite(1 / product)) return;
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

/// Minimizes an objective from now.x, where value and gradient are known.
inline void run_lbfgs(objective& f, lbfgs const& options, outcome& now) {
  inverse_hessian inverse(options.memory);
  numbers d(now.x.size()), before, g_before;
  double expected = std::numeric_limits<double>::infinity(), smallest = now.gradient_norm;
  int stalls = 0;
  now.why = ending::stopped;
  if (!goes_on(options.observe, now)) return;
  for (;;) {
    double const noise = 8 * f.precision() * std::abs(now.value);
    if (now.gradient_norm <= options.gradient_tolerance * std::max(1., std::abs(now.value))) {
      now.why = ending::small_gradient;
      return;
    }
    if (now.iterations >= options.max_iterations) {
      now.why = ending::max_iterations;
      return;
    }
    if (now.evaluations >= options.max_evaluations) {
      now.why = ending::max_evaluations;
      return;
    }
    bool const fresh = inverse.is_empty();
    inverse.direction(now.gradient, d);
    double slope = dot(d, now.gradient);
    double const first = fresh ? std::min(1., 1 / length(now.gradient)) : 1;
    if (!(slope < 0) || !std::isfinite(slope)) {
      if (!fresh) {
        inverse.clear();
        continue;
      }
      now.why = ending::no_decrease;
      return;
    }
    if (!fresh) expected = -slope;
    before = now.x;
    g_before = now.gradient;
    double at_step = 0;
    auto evaluate = [&](double step) {
      for (std::size_t i = 0; i < d.size(); ++i) now.x[i] = before[i] + step * d[i];
      ++now.evaluations;
      at_step = step;
      double const value = f.evaluate(now.x, now.gradient);
      return line_point{step, value, dot(d, now.gradient)};
    };
    wolfe_search search(evaluate, {0, now.value, slope}, noise,
                        std::min(40, options.max_evaluations - now.evaluations));
    line_point found = search.run(first);
    if (found.step == 0) {  // nothing better
      now.x = before;
      now.gradient = g_before;
      if (!fresh) {
        inverse.clear();
        continue;
      }
      bool const is_rounding =
          expected <= 1e3 * noise ||
          now.gradient_norm <= std::sqrt(f.precision()) * std::max(1., std::abs(now.value));
      now.why = now.evaluations >= options.max_evaluations ? ending::max_evaluations
                : is_rounding                              ? ending::precision
                                                           : ending::no_decrease;
      return;
    }
    if (found.step != at_step) found = evaluate(found.step);
    double const decrease = now.value - found.value;
    now.value = found.value;
    now.gradient_norm = largest(now.gradient);
    ++now.iterations;
    if (now.value == -std::numeric_limits<double>::infinity()) {
      now.why = ending::unbounded;
      return;
    }
    inverse.add(now.x, before, now.gradient, g_before);
    if (!goes_on(options.observe, now)) return;
    stalls = decrease <= noise && now.gradient_norm >= smallest ? stalls + 1 : 0;
    smallest = std::min(smallest, now.gradient_norm);
    if (stalls == 10) {
      now.why = ending::precision;
      return;
    }
    if (decrease <= options.value_tolerance * std::abs(now.value) && options.value_tolerance > 0) {
      now.why = ending::small_decrease;
      return;
    }
  }
}

}  // namespace kroton::minimization
