// Gradients of logarithms are propagated with respect to log(x), log(1 - x) or log(1 + x), until
// they reach the function that computes x. So log(sigmoid(z)[i]) is differentiated directly,
// without a quotient that underflows before it cancels.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/shapes/joining.hpp>

#include <numbers>

namespace kroton::calculus {

/// The variable of a gradient: x itself, or the logarithm of the absolute value of x, of x - 1, or
/// of x + 1.
enum class gradient_by : std::uint8_t { value, log, log_minus_one, log_plus_one };
inline constexpr gradient_by logarithms[] = {gradient_by::log, gradient_by::log_minus_one,
                                             gradient_by::log_plus_one};
constexpr int shift_of(gradient_by by) {
  return by == gradient_by::log ? 0 : by == gradient_by::log_plus_one ? 1 : -1;
}

/// A gradient of a node.
struct gradient_part {
  int node, gradient;
  gradient_by by = gradient_by::value;
};

/// Determines which nodes take gradients with respect to their logarithm, and what they propagate.
/// Such gradients pass through selections of elements, products and sums, and end in exponentials
/// and related functions, whose logarithms have gradients without a quotient.
class logarithmic_gradients {
 public:
  constexpr explicit logarithmic_gradients(graph& g) : g_(g) {}

  /// `depends` marks the nodes that lead to the requested ones; those take no gradient with respect
  /// to a logarithm.
  constexpr void find(list<bool> const& depends, list<int> const& asked) {
    bool const has_logarithms = g_.has<op::log, op::log1p, op::log2, op::log10>() &&
                                g_.has<op::exp, op::sigmoid, op::softmax, op::tanh>();
    if (!has_logarithms && !(g_.has<op::div>() && g_.has<op::exp>())) return;
    depends_ = depends;
    all_ = list<std::uint8_t>(depends.size(), every);
    some_ = list<std::uint8_t>(depends.size(), 0);
    asked_ = list<bool>(depends.size());
    for (int id : asked) asked_[id] = true;
    for (int id = 0; id < depends.size(); ++id)
      if (depends[id]) look_at(id);
  }

  constexpr bool any() const { return !some_.empty(); }
  constexpr bool takes(int id, gradient_by by) const { return any() && (some_[id] & bit(by)) != 0; }

  /// Whether a node converts a gradient with respect to its value to one with respect to a
  /// logarithm: a logarithm, and e / sum(e) for exponentials e. Forms that rules recognize
  /// directly, such as log(1 + exp(x)), have their ordinary gradient.
  constexpr bool converts(int id) const {
    if (!any()) return false;
    op_info const* const op = g_[id].op;
    bool const log = is_op<op::log>(op) || is_op<op::log2>(op) || is_op<op::log10>(op);
    if (log || is_op<op::log1p>(op)) {
      op_info const* const source = g_[affine_of(g_.input_of(id, 0)).of].op;
      bool const stands =
          is_op<op::exp>(source) || is_op<op::sigmoid>(source) || is_op<op::softmax>(source);
      return !stands &&
             takes(g_.input_of(id, 0), log ? gradient_by::log : gradient_by::log_plus_one);
    }
    if (!is_op<op::div>(op) || !takes(id, gradient_by::log) ||
        (all_[id] & bit(gradient_by::log)) == 0)
      return false;
    int const total = bare(g_.input_of(id, 1));
    return depends_[g_.input_of(id, 0)] && depends_[total] && g_.is<op::sum>(total);
  }
  template <class Plain>
  constexpr void convert(int id, term gradient, list<gradient_part>& parts, Plain plain) {
    op_info const* const op = g_[id].op;
    if (is_op<op::div>(op))
      return pull_back(id, gradient_by::log, gradient * term{&g_, id}, parts, plain);
    if (is_op<op::log2>(op)) gradient = std::numbers::log2e * gradient;
    if (is_op<op::log10>(op)) gradient = std::numbers::log10e * gradient;
    parts.push_back({g_.input_of(id, 0), gradient.id,
                     is_op<op::log1p>(op) ? gradient_by::log_plus_one : gradient_by::log});
  }

  /// The gradients of the operands from the gradient with respect to a logarithm of the node.
  /// `plain` returns those of a gradient with respect to the node itself.
  template <class Plain>
  constexpr void pull_back(int id, gradient_by by, term gradient, list<gradient_part>& parts,
                           Plain plain) {
    op_info const* const op = g_[id].op;
    term const y{&g_, id}, x{&g_, g_.input_of(id, 0)};
    auto give = [&](int operand, term part, gradient_by to) {
      parts.push_back({g_.input_of(id, operand), part.id, to});
    };
    // The gradient of log(exp(x)) still depends on x, so that it has a gradient, which is 0; by
    // exp(x), which is finite for all x < 0.
    if (is_op<op::exp>(op))
      return give(0, by == gradient_by::log ? gradient + 0 * y : gradient * call<op::sigmoid>(x),
                  gradient_by::value);
    if (is_op<op::sigmoid>(op))
      return give(0, by == gradient_by::log ? gradient * call<op::sigmoid>(-x) : -(gradient * y),
                  gradient_by::value);
    if (is_op<op::tanh>(op)) {
      bool const minus = by == gradient_by::log_minus_one;
      return give(0, (minus ? -2 : 2) * gradient * call<op::sigmoid>((minus ? 2 : -2) * x),
                  gradient_by::value);
    }
    if (is_op<op::softmax>(op))
      return give(0, gradient - y * sum_over(gradient, g_.attribute(id, 0), true),
                  gradient_by::value);
    if (affine const a = affine_of(id); a.of != id && a.moves(by) && takes(a.of, a.moved(by)))
      return parts.push_back({a.of, gradient.id, a.moved(by)});
    if (is_op<op::sum>(op)) {
      term const share = call<op::div>(x, beside_operand(y, y));
      return give(0, beside_operand(gradient, y) * share, gradient_by::log);
    }
    if (double const power = power_of(id); power != 0)
      return give(0, power == 1 ? gradient : power * gradient, by);
    // Logistic functions are treated as a unit: the contributions of numerator and denominator
    // would cancel.
    if (is_op<op::div>(op) && by == gradient_by::log_minus_one) {
      // 1 - a / (1 + a) is 1 / (1 + a), and 1 - 1 / b is (b - 1) / b.
      if (is_share_of_one(id)) return give(1, -gradient, gradient_by::log);
      return give(1, gradient * y, gradient_by::log_minus_one);
    }
    if (is_op<op::div>(op) && is_share_of_one(id) && takes(x.id, gradient_by::log))
      return give(0, call<op::div>(gradient, term{&g_, g_.input_of(id, 1)}), gradient_by::log);
    if (is_op<op::add>(op)) {
      for (int i = 0; i < g_[id].input_count; ++i)
        give_addend(g_.input_of(id, i), gradient, y, parts, plain);
      return;
    }
    if (is_op<op::mul>(op) || is_op<op::div>(op)) {
      for (int i = 0; i < g_[id].input_count; ++i) {
        term const operand{&g_, g_.input_of(id, i)};
        if (!depends_[operand.id]) continue;
        bool const takes_it = takes(operand.id, by);
        term const own = is_op<op::div>(op) && i == 1 ? -gradient : gradient;
        give(i, takes_it ? own : call<op::div>(own, operand), takes_it ? by : gradient_by::value);
      }
      return;
    }
    list<int> const passed = plain(id, gradient);
    list<int> other;
    for (int i = 0; i < passed.size(); ++i) {
      int const operand = g_.input_of(id, i);
      if (passed[i] < 0 || !depends_[operand]) continue;
      if (takes(operand, by)) {
        parts.push_back({operand, passed[i], by});
        continue;
      }
      if (other.empty())
        other = plain(id, call<op::div>(gradient, shift_of(by) == 0 ? y : shift_of(by) + y));
      parts.push_back({operand, other[i], gradient_by::value});
    }
  }

 private:
  static constexpr std::uint8_t bit(gradient_by by) {
    return static_cast<std::uint8_t>(1u << static_cast<int>(by));
  }
  static constexpr std::uint8_t every = 0b1110;

  /// An addend of y takes its share of a gradient by log(y). The share may be 0 next to others that
  /// are not, so that nothing is divided by factors that take no such gradients: these have theirs
  /// by value.
  template <class Plain>
  constexpr void give_addend(int addend, term gradient, term y, list<gradient_part>& parts,
                             Plain plain) {
    struct part {
      int id;
      term by_log, by_value;
    };
    list<part> rest;
    auto give = [&](int id, term by_log, term by_value) {
      if (!depends_[id]) return;
      bool const takes_it = takes(id, gradient_by::log);
      if (takes_it && (all_[id] & bit(gradient_by::log)) != 0)
        parts.push_back({id, by_log.id, gradient_by::log});
      else if (takes_it && (g_.is<op::mul>(id) || g_.is<op::div>(id)))
        rest.push_back({id, by_log, by_value});
      else parts.push_back({id, by_value.id, gradient_by::value});
    };
    give(addend, gradient * call<op::div>(term{&g_, addend}, y), call<op::div>(gradient, y));
    while (!rest.empty()) {
      part const now = rest.back();
      rest.pop_back();
      list<int> const own = plain(now.id, now.by_value);
      for (int i = 0; i < g_[now.id].input_count; ++i)
        give(g_.input_of(now.id, i), g_.is<op::div>(now.id) && i == 1 ? -now.by_log : now.by_log,
             {&g_, own[i]});
    }
  }

  /// What an alloc or a dimshuffle shows.
  constexpr int bare(int id) const {
    while (g_.is<op::alloc>(id) || g_.is<op::dimshuffle>(id)) id = g_.input_of(id, 0);
    return id;
  }
  constexpr bool is_number(int id, double value) const { return g_.is_literal(bare(id), value); }

  /// A node as scale * of + offset, with literal scale and offset.
  struct affine {
    int of;
    double scale = 1, offset = 0;

    constexpr double shifted(gradient_by by) const { return (offset + shift_of(by)) / scale; }
    constexpr bool moves(gradient_by by) const {
      return shifted(by) == 0 || shifted(by) == 1 || shifted(by) == -1;
    }
    constexpr gradient_by moved(gradient_by by) const {
      return shifted(by) == 0   ? gradient_by::log
             : shifted(by) == 1 ? gradient_by::log_plus_one
                                : gradient_by::log_minus_one;
    }
  };
  constexpr affine affine_of(int id) const {
    affine result{id};
    for (int depth = 0; depth < 4 && (depth == 0 || !asked_[result.of]); ++depth)
      if (!step(result)) break;
    return result;
  }
  constexpr bool step(affine& a) const {
    op_info const* const op = g_[a.of].op;
    if (is_op<op::neg>(op)) return move(a, 0, -1, 0);
    bool const sum = is_op<op::add>(op), difference = is_op<op::sub>(op),
               product = is_op<op::mul>(op), quotient = is_op<op::div>(op);
    if (!sum && !difference && !product && !quotient) return false;
    for (int i : {1, 0}) {
      int const number = bare(g_.input_of(a.of, i));
      if (!g_.is_literal(number)) continue;
      double const value = g_.literal_value(number);
      if (sum) return move(a, 1 - i, 1, value);
      if (difference) return i == 0 ? move(a, 1, -1, value) : move(a, 0, 1, -value);
      if (value == 0 || (quotient && i == 0)) return false;
      return move(a, 1 - i, product ? value : 1 / value, 0);
    }
    return false;
  }
  constexpr bool move(affine& a, int operand, double scale, double offset) const {
    a = {g_.input_of(a.of, operand), a.scale * scale, a.offset + a.scale * offset};
    return true;
  }
  /// The power of its first operand that a node is, up to the sign, which logarithms of absolute
  /// values ignore; 0 if it is not a power.
  constexpr double power_of(int id) const {
    op_info const* const op = g_[id].op;
    if (is_op<op::abs>(op)) return 1;
    if (is_op<op::sqr>(op)) return 2;
    if (is_op<op::sqrt>(op)) return 0.5;
    if (is_op<op::inv>(op)) return -1;
    bool const power = is_op<op::pow>(op) && g_.is_literal(bare(g_.input_of(id, 1)));
    return power ? g_.literal_value(bare(g_.input_of(id, 1))) : 0;
  }

  constexpr void look_at(int id) {
    op_info const* const op = g_[id].op;
    all_[id] = 0;
    if (asked_[id] || !is_float(g_.type(id).element)) return;
    constexpr std::uint8_t log = bit(gradient_by::log), minus_one = bit(gradient_by::log_minus_one),
                           plus_one = bit(gradient_by::log_plus_one);
    if (is_op<op::exp>(op)) return set(id, log | plus_one);
    if (is_op<op::sigmoid>(op)) return set(id, log | minus_one);
    if (is_op<op::tanh>(op)) return set(id, minus_one | plus_one);
    if (is_op<op::softmax>(op)) return set(id, log);
    if (affine const a = affine_of(id); a.of != id)
      for (gradient_by by : logarithms)
        if (a.moves(by)) take_over(id, a.of, a.moved(by), by);
    bool const unary = power_of(id) != 0;
    if (unary || is_op<op::sum>(op)) {
      int const x = g_.input_of(id, 0);
      // The terms of a sum are added to others that may be 0.
      if (unary) take_over(id, x, gradient_by::log, gradient_by::log);
      else set(id, all_[x] & log);
      return;
    }
    bool const chooses = is_op<op::where>(op) || is_op<op::ifelse>(op) || is_op<op::maximum>(op) ||
                         is_op<op::minimum>(op);
    bool const joins = is_op<op::mul>(op) || is_op<op::div>(op) || is_op<op::add>(op);
    if (!chooses && !joins && !selects(op)) return;
    std::uint8_t all = every, some = 0;
    for (int i : g_.inputs(id)) {
      if (!is_float(g_.type(i).element)) continue;
      all &= all_[i];
      some |= some_[i];
    }
    // Elements that are picked by position were next to others that are not picked: nothing may be
    // divided by those.
    if (selects(op)) some = all;
    if (joins) all &= log, some &= log;
    all_[id] |= all;
    some_[id] |= some;
    if (is_op<op::div>(op)) look_at_logistic(id);
  }
  /// 1 / (1 + e) and e / (1 + e).
  constexpr void look_at_logistic(int id) {
    int const a = g_.input_of(id, 0), b = g_.input_of(id, 1);
    if (!takes(b, gradient_by::log)) return;
    if (!is_share_of_one(id) && !(is_number(a, 1) && takes(b, gradient_by::log_minus_one))) return;
    all_[id] = static_cast<std::uint8_t>(all_[id] | (bit(gradient_by::log_minus_one) & all_[b]));
    some_[id] |= bit(gradient_by::log_minus_one);
  }
  /// a / (1 + a).
  constexpr bool is_share_of_one(int id) const {
    affine const sum = affine_of(g_.input_of(id, 1));
    return sum.of == g_.input_of(id, 0) && sum.scale == 1 && sum.offset == 1;
  }
  constexpr void set(int id, int bits) { all_[id] = some_[id] = static_cast<std::uint8_t>(bits); }
  constexpr void take_over(int id, int operand, gradient_by from, gradient_by to) {
    if ((all_[operand] & bit(from)) != 0) all_[id] |= bit(to);
    if ((some_[operand] & bit(from)) != 0) some_[id] |= bit(to);
  }
  static constexpr bool selects(op_info const* op) {
    return is_op<op::dimshuffle>(op) || is_op<op::reshape>(op) || is_op<op::subtensor>(op) ||
           is_op<op::take>(op) || is_op<op::take_along_axis>(op) || is_op<op::diagonal>(op) ||
           is_op<op::alloc>(op) || is_op<op::join>(op) || is_op<op::set_subtensor>(op) ||
           is_op<op::cast>(op);
  }

  graph& g_;
  list<bool> depends_, asked_;
  list<std::uint8_t> all_, some_;
};

}  // namespace kroton::calculus
