// SPDX-License-Identifier: BSD-3-Clause
#include "derivative.hpp"

#include <cmath>
#include <numbers>

namespace accuracy {

namespace {

using op = operation;

class differentiator {
 public:
  explicit differentiator(expression& e) : e_(e), found_(e.nodes.size(), unknown) {
    zero_ = e.number(0);
    one_ = e.number(1);
  }
  /// Whether every operation met had a derivative.
  bool complete() const { return complete_; }

  int of(int k) {
    if (found_[static_cast<std::size_t>(k)] == unknown)
      found_[static_cast<std::size_t>(k)] = find(node(e_[k]), k);
    return found_[static_cast<std::size_t>(k)];
  }

 private:
  static constexpr int unknown = -1;

  int find(node const& n, int k) {
    if (n.is == op::number) return zero_;
    if (n.is == op::variable) return n.variable == 0 ? one_ : zero_;
    if (n.is == op::choice) {
      int const yes = of(n.arguments[1]), no = of(n.arguments[2]);
      return yes == zero_ && no == zero_ ? zero_ : e_.add(op::choice, {n.arguments[0], yes, no});
    }
    // The chain rule: a sum over the operands.
    int total = zero_;
    for (std::size_t i = 0; i < n.arguments.size(); ++i) {
      int const inner = of(n.arguments[i]);
      if (inner != zero_) total = plus(total, times(inner, partial(n, k, i)));
    }
    return total;
  }

  /// The derivative of the operation at node k with respect to its operand i.
  int partial(node const& n, int k, std::size_t i) {
    int const a = n.arguments[0], b = n.arguments.size() > 1 ? n.arguments[1] : unknown;
    switch (n.is) {
      case op::add: return one_;
      case op::sub: return i == 0 ? one_ : e_.number(-1);
      case op::neg: return e_.number(-1);
      case op::mul: return i == 0 ? b : a;
      case op::div: return i == 0 ? over(one_, b) : negative(over(k, b));
      case op::fma: return i == 0 ? b : i == 1 ? a : one_;
      case op::fabs: return sign(a);
      case op::sqrt: return over(one_, times(e_.number(2), k));
      case op::cbrt: return over(one_, times(e_.number(3), square(k)));
      case op::hypot: return over(i == 0 ? a : b, k);
      case op::fmin: return pick(i == 0 ? op::less : op::greater_equal, a, b, one_, zero_);
      case op::fmax: return pick(i == 0 ? op::greater : op::less_equal, a, b, one_, zero_);
      case op::exp: return k;
      case op::exp2: return times(k, e_.add(op::log, {e_.number(2)}));
      case op::expm1: return e_.add(op::exp, {a});
      case op::log: return over(one_, a);
      case op::log2: return over(one_, times(a, e_.add(op::log, {e_.number(2)})));
      case op::log10: return over(one_, times(a, e_.add(op::log, {e_.number(10)})));
      case op::log1p: return over(one_, plus(one_, a));
      case op::pow:
        if (i == 0) return times(b, e_.add(op::pow, {a, minus(b, one_)}));
        return times(k, e_.add(op::log, {a}));
      case op::sin: return e_.add(op::cos, {a});
      case op::cos: return negative(e_.add(op::sin, {a}));
      case op::tan: return plus(one_, square(k));
      case op::asin: return over(one_, root(minus(one_, square(a))));
      case op::acos: return over(e_.number(-1), root(minus(one_, square(a))));
      case op::atan: return over(one_, plus(one_, square(a)));
      case op::atan2: {
        int const below = plus(square(a), square(b));
        return i == 0 ? over(b, below) : negative(over(a, below));
      }
      case op::sinh: return e_.add(op::cosh, {a});
      case op::cosh: return e_.add(op::sinh, {a});
      case op::tanh: return over(one_, square(e_.add(op::cosh, {a})));
      case op::asinh: return over(one_, root(plus(square(a), one_)));
      case op::acosh: return over(one_, root(minus(square(a), one_)));
      case op::atanh: return over(one_, minus(one_, square(a)));
      case op::erf: return bell(a, 2);
      case op::erfc: return bell(a, -2);
      default: complete_ = false; return zero_;
    }
  }

  int plus(int a, int b) { return a == zero_ ? b : e_.add(op::add, {a, b}); }
  int minus(int a, int b) { return e_.add(op::sub, {a, b}); }
  int times(int a, int b) { return a == one_ ? b : b == one_ ? a : e_.add(op::mul, {a, b}); }
  int over(int a, int b) { return e_.add(op::div, {a, b}); }
  int negative(int a) { return e_.add(op::neg, {a}); }
  int square(int a) { return e_.add(op::mul, {a, a}); }
  int root(int a) { return e_.add(op::sqrt, {a}); }
  int pick(op comparison, int a, int b, int yes, int no) {
    int const condition = e_.add(comparison, {a, b});
    return e_.add(op::choice, {condition, yes, no});
  }
  int sign(int a) { return pick(op::less, a, zero_, e_.number(-1), one_); }
  /// factor / sqrt(pi) exp(-a^2); pi as 4 atan(1), since a number is only a double.
  int bell(int a, double factor) {
    int const pi = times(e_.number(4), e_.add(op::atan, {one_}));
    return times(over(e_.number(factor), root(pi)), e_.add(op::exp, {negative(square(a))}));
  }

  expression& e_;
  std::vector<int> found_;
  int zero_, one_;
  bool complete_ = true;
};

}  // namespace

std::optional<problem> derivative(problem const& p) {
  problem d = p;
  d.name += ", derivative";
  differentiator rules(d.nodes);
  d.body = rules.of(p.body);
  if (!rules.complete()) return {};
  return d;
}

}  // namespace accuracy
