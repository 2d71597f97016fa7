// SPDX-License-Identifier: BSD-3-Clause
#include "exact.hpp"

#include "interval.hpp"

#include <cmath>

namespace accuracy {

namespace {

/// Differences of numbers that agree in all the digits of doubles need thousands of bits.
constexpr mpfr_prec_t precisions[] = {96, 320, 1280, 5120};

}  // namespace

/// The intervals of all nodes with one precision.
class interval_evaluator {
 public:
  explicit interval_evaluator(expression const& e) : e_(e), values_(e.nodes.size()) {
    needed_.resize(e.nodes.size());
  }
  /// The interval of a node; the reference is valid until the next call.
  interval const& at(int root, double const* point, mpfr_prec_t precision) {
    std::fill(needed_.begin(), needed_.end(), false);
    need(root);
    for (int k = 0; k <= root; ++k)
      if (needed_[static_cast<std::size_t>(k)]) compute(k, point, precision);
    return values_[static_cast<std::size_t>(root)];
  }

 private:
  void need(int k) {
    if (needed_[static_cast<std::size_t>(k)]) return;
    needed_[static_cast<std::size_t>(k)] = true;
    for (int a : e_[k].arguments) need(a);
  }
  void compute(int k, double const* point, mpfr_prec_t precision) {
    node const& n = e_[k];
    interval& result = values_[static_cast<std::size_t>(k)];
    result.set_precision(precision);
    if (n.is == operation::number) return result.set(n.value);
    if (n.is == operation::variable) return result.set(point[n.variable]);
    interval const* a[3] = {};
    for (std::size_t i = 0; i < n.arguments.size(); ++i)
      a[i] = &values_[static_cast<std::size_t>(n.arguments[i])];
    apply(n.is, result, a);
  }

  expression const& e_;
  std::vector<interval> values_;
  std::vector<bool> needed_;
};

exact_evaluator::exact_evaluator(problem const& p)
    : intervals_(std::make_unique<interval_evaluator>(p.nodes)), p_(p) {}
exact_evaluator::~exact_evaluator() = default;

bool exact_evaluator::admits(double const* point) {
  if (p_.condition < 0) return true;
  for (mpfr_prec_t precision : precisions) {
    interval const& i = intervals_->at(p_.condition, point, precision);
    if (i.state == interval::states::undefined) return false;
    if (i.state == interval::states::known && i.truth != interval::truths::maybe)
      return i.truth == interval::truths::yes;
  }
  return false;
}

std::optional<double> exact_evaluator::value(double const* point) {
  for (mpfr_prec_t precision : precisions) {
    interval const& i = intervals_->at(p_.body, point, precision);
    if (i.state == interval::states::undefined) return {};
    if (i.state == interval::states::unknown) continue;
    double const low = mpfr_get_d(i.low, MPFR_RNDN), high = mpfr_get_d(i.high, MPFR_RNDN);
    if (low != high) continue;
    if (!std::isfinite(low)) return {};
    return low;
  }
  return {};
}

}  // namespace accuracy
