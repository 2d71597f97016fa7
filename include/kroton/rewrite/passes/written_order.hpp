// Which sums and products of a graph in normal form are computed in the order in which they were
// written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/rewrite/form/laws.hpp>
#include <kroton/rewrite/passes/cancelled.hpp>
#include <kroton/rewrite/passes/order_choices.hpp>
#include <kroton/rewrite/passes/price.hpp>

namespace kroton::rewrite {

/// The normal form has forgotten how x*y*z was paired, and a pairing that nobody wrote overflows
/// where the written one does not. Here the written one is chosen again, where it takes no more
/// operations than another, or where the other may leave the range and all that is chosen for that
/// takes no more than a part of the work of the graph.
class written_order {
 public:
  constexpr written_order(graph const& from, rewrite_observer* observer)
      : from_(from), choices_(from, observer) {}

  /// The node to compute in the place of a sum or product: its written form, or itself.
  constexpr int instead_of(int id) const { return is_chosen(id) ? from_.written(id) : id; }

  /// Chooses; which nodes are needed then.
  constexpr list<bool> run(list<bool> live) {
    int const size = from_.size();
    readers_ = list<int>(size);
    outside_sums_ = list<bool>(size);
    count_readers(live);
    if (!from_.has_written()) return live;
    budget_ = work_of(from_, live) / part_for_range;
    cost_ = list<price>(size, price::never());
    parts_ = list<product_parts>(size);
    chosen_ = list<bool>(size);
    for (int id = 0; id < from_.size(); ++id) cost_[id] = cost(id, live[id]);
    list<bool> needed = list<bool>(from_.size());
    mark_roots(needed);
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!needed[id]) continue;
      choices_.report(id, chosen_[id]);
      if (chosen_[id]) {
        needed[from_.written(id)] = true;
        continue;
      }
      // Products read the bases of their powers.
      for (int i : from_.inputs(id)) needed[i] = true, needed[split_power(from_, i).base] = true;
    }
    return needed;
  }

 private:
  // The part of the work of a graph that may be added to stay in range.
  static constexpr int part_for_range = 8;

  // Before run, and where nothing is known of how nodes were written, none is.
  constexpr bool is_chosen(int id) const { return !chosen_.empty() && chosen_[id]; }
  constexpr void mark_roots(list<bool>& marks) const {
    for (int id : from_.parameters()) marks[id] = true;
    for (int id : from_.results()) marks[id] = true;
    for (auto const& u : from_.updates()) marks[u.value] = true;
    for (auto const& c : from_.constraints()) marks[c.left] = marks[c.right] = true;
  }
  constexpr void count_readers(list<bool> const& live) {
    list<bool> roots = list<bool>(from_.size());
    mark_roots(roots);
    for (int id = 0; id < from_.size(); ++id) {
      if (roots[id]) readers_[id] += 2, outside_sums_[id] = true;
      if (!live[id]) continue;
      bool const sum = from_.is<op::add>(id);
      for (int i : from_.inputs(id)) ++readers_[i], outside_sums_[i] = outside_sums_[i] || !sum;
    }
  }

  constexpr int span(int id) const { return span_of(from_, id); }
  static constexpr price operation(int span) { return price::operation(span); }
  static constexpr price at_most_never(price const& p) { return least(p, price::never()); }
  /// What a reader pays for an operand: nothing for what others need as well.
  constexpr price of(int id) const { return readers_[id] > 1 ? price{} : cost_[id]; }

  constexpr price cost(int id, bool live) {
    if (from_[id].input_count == 0) return {};
    if (!is_float(from_.type(id).element)) return live ? price{} : price::never();
    op_info const* const op = from_[id].op;
    int const as = from_.written(id);
    if (is_op<op::add>(op)) {
      price const usual = at_most_never(cost_of_sum(id));
      if (as < 0 || is_fixed(id)) return usual;
      price written = cost_[as];
      if (is_negative(as)) written += operation(span(id));
      chosen_[id] = is_worth(id, written, usual, has_regrouped_term(id));
      return chosen_[id] ? written : usual;
    }
    if (is_product(from_, id)) {
      product_parts& p = parts_[id];
      p = is_usual(id) ? usual_parts(id) : written_parts(id);
      if (as >= 0 && from_.is<op::add>(as)) {
        // Taking a factor out loses nothing where the sum is not computed as written anyway.
        chosen_[id] = is_as_written(as) && is_worth(id, cost_[as], total(id, p), true);
        if (chosen_[id]) p = {cost_[as], 1, 0, false, operation(span(id))};
        return at_most_never(p.bare);
      }
      if (as >= 0 && is_apart(as) && !parts_[as].bare.is_never() && !is_fixed(id)) {
        product_parts const& w = parts_[as];
        // Sums that are factors may have the other sign.
        double const difference = magnitude(w.times) - magnitude(p.times);
        bool const same = magnitude(difference) <= 1e-12 * magnitude(p.times);
        product_parts const as_written{w.bare,
                                       w.times < 0 ? -magnitude(p.times) : magnitude(p.times),
                                       w.depth + 1, w.inverse, w.scale};
        chosen_[id] = same && w.depth < deepest && !has_cancelled(from_, as) &&
                      is_worth(id, total(id, as_written), total(id, p), regroups(id));
        if (chosen_[id]) p = as_written;
      }
      return at_most_never(total(id, p));
    }
    if (live) return {};
    if (!is_op<op::sub>(op) && !is_op<op::neg>(op)) return price::never();
    price all;
    for (int i : from_.inputs(id)) all += of(i);
    if (is_op<op::neg>(op)) parts_[id] = written_parts(id);
    else all += operation(span(id));
    return at_most_never(all);
  }
  /// Whether a form as written is taken instead of another, which may leave the range.
  constexpr bool is_worth(int id, price const& written, price const& other, bool may_leave_range) {
    choices_.note(id, written, other, may_leave_range);
    if (written.is_at_most(other)) return true;
    long long const more = written.work() - other.work();
    if (!may_leave_range || written.is_never() || more > budget_) return false;
    budget_ -= more > 0 ? more : 0;
    return true;
  }
  /// Whether a product may be grouped in several ways, of which some leave the range; the powers of
  /// one number do only where they all do.
  constexpr bool regroups(int id) const {
    if (!from_.is<op::mul>(id)) return false;
    list<int> factors;
    for (int i : from_.inputs(id)) {
      if (from_.is_literal(i)) continue;
      if (magnitude(split_power(from_, i).power.value()) > 3) return false;
      factors.push_back(i);
    }
    return factors.size() > 2 ||
           (factors.size() == 2 &&
            !is_power_of_quotient(factors[0], factors[1], coefficient_of(from_, id).value()));
  }

  /// Whether a sum is computed in the order as written, or that is the normal form's.
  constexpr bool is_as_written(int sum) const {
    if (chosen_[sum] || from_.written(sum) >= 0) return chosen_[sum];
    for (int i : from_.inputs(sum))
      if (!chosen_[i] && regroups(i)) return false;
    return true;
  }
  /// Whether a sum has a term that nobody wrote: with a sign or a coefficient that came from
  /// outside, it has forgotten how it was.
  constexpr bool has_regrouped_term(int id) const {
    for (int i : from_.inputs(id))
      if (from_.written(i) < 0 && has_coefficient(from_, i) && regroups(i)) return true;
    return false;
  }

  // ---- products: literals and signs come out of what was written, as one coefficient ------------

  static constexpr int deepest = 24;
  struct product_parts {
    price bare = price::never();  // of the product without its coefficient
    double times = 1;             // the coefficient
    int depth = 0;                // of what was written; 0: no product
    bool inverse = false;
    price scale{};  // what the coefficient costs, where it costs least
  };
  constexpr price total(int id, product_parts const& p) const {
    price all = p.bare;
    if (magnitude(p.times) != 1 && !p.inverse) all += p.scale;
    // The sum that reads a product takes its sign.
    if (p.times == -1 && !p.inverse && outside_sums_[id]) all += p.scale;
    return all;
  }

 public:
  /// Whether an operand of what was written is taken apart, and not read as it is.
  constexpr bool is_apart(int id) const { return parts_[id].depth > 0 && readers_[id] <= 1; }
  constexpr double times(int id) const {
    if (!from_.is_literal(id)) return is_apart(id) ? parts_[id].times : 1;
    double const value = from_.literal_value(id);
    return is_moderate(value) ? value : 0;
  }
  constexpr bool is_inverse(int id) const { return is_apart(id) && parts_[id].inverse; }
  /// Which of two factors the coefficient of their product belongs to: to a smaller one, or where
  /// the literal stood.
  constexpr bool belongs_to_second(int a, int b) const {
    if (span_of_scale(a) != span_of_scale(b)) return span_of_scale(b) < span_of_scale(a);
    return magnitude(times(a)) == 1 && magnitude(times(b)) != 1;
  }
  /// The coefficient of a product that is computed as it was written.
  constexpr double coefficient(int id) const { return parts_[id].times; }
  /// Whether a sum that reads a node subtracts it, without a sign.
  constexpr bool is_negative(int id) const {
    if (from_.is_literal(id)) return from_.literal_value(id) < 0;
    if (from_.is<op::neg>(id) || from_.is<op::sub>(id)) return is_negative_sum(id);
    return is_chosen(id) ? parts_[id].times < 0 : coefficient_of(from_, id).negative();
  }
  /// Whether a sum as it was written is one with a minus in front: -(a + b) for -a - b.
  constexpr bool is_negative_sum(int id) const {
    if (from_[id].input_count == 0 || !is_float(from_.type(id).element)) return false;
    int const first = from_.input_of(id, 0);
    if (from_.is<op::neg>(id)) return !is_negative(first);
    return from_.is<op::sub>(id) && !from_.is_literal(first) && is_negative(first) &&
           !is_negative(from_.input_of(id, 1));
  }
  /// Whether two factors are x^n and y^-n that nothing else reads: (x / y)^n takes fewer
  /// operations, and leaves the range later, unless a coefficient would bring it back.
  constexpr bool is_power_of_quotient(int a, int b, double times) const {
    if (magnitude(times) < 1 || magnitude(times) > 16) return false;
    factor const f = split_power(from_, a), h = split_power(from_, b);
    double const n = magnitude(f.power.value());
    return n >= 2 && is_whole(n) && f.power.value() == -h.power.value() &&
           is_float(from_.type(a).element) && from_.type(a) == from_.type(b) && readers_[a] <= 1 &&
           readers_[b] <= 1;
  }
  /// Whether a product in normal form is computed as such.
  constexpr bool is_usual(int id) const {
    bool const raw = from_.written(id) < 0 && readers_[id] == 0 && from_[id].input_count == 2;
    return from_.is<op::mul>(id) && !chosen_[id] && !raw;
  }

 private:
  constexpr price scale(int id) const {
    return is_apart(id) ? parts_[id].scale : operation(span(id));
  }
  constexpr long long span_of_scale(int id) const { return scale(id).operations; }
  constexpr price bare(int id) const { return is_apart(id) ? parts_[id].bare : of(id); }

  constexpr product_parts written_parts(int id) const {
    op_info const* const op = from_[id].op;
    int const a = from_.input_of(id, 0), b = from_[id].input_count > 1 ? from_.input_of(id, 1) : a;
    price const one = operation(span(id)), division = price::quotient(span(id)), none{};
    product_parts p{bare(a), times(a), 1 + parts_[a].depth, is_inverse(a), scale(a)};
    if (parts_[b].depth >= p.depth) p.depth = 1 + parts_[b].depth;
    if (is_op<op::neg>(op)) {
      p.times = -p.times;
    } else if (is_op<op::sqr>(op) || (is_op<op::mul>(op) && a == b)) {
      p.bare += one;
      p.times = bounded_product(p.times, p.times);
      p.scale = one;
    } else if (is_op<op::inv>(op)) {
      p = {p.bare + (p.inverse ? none : division), reciprocal(p.times), p.depth, !p.inverse, one};
    } else if (is_op<op::mul>(op)) {
      p.times = bounded_product(p.times, times(b));
      if (from_.is_literal(a) || (!from_.is_literal(b) && belongs_to_second(a, b)))
        p.scale = scale(b);
      p.bare += bare(b) + (from_.is_literal(a) || from_.is_literal(b) ? none : one);
      if (!from_.is_literal(a) && !from_.is_literal(b) && (p.inverse || is_inverse(b)))
        p.bare -= one;
      p.inverse = (p.inverse || from_.is_literal(a)) && (is_inverse(b) || from_.is_literal(b));
    } else if (is_op<op::div>(op)) {
      p.times = bounded_product(p.times, reciprocal(times(b)));
      p.bare += bare(b) + (from_.is_literal(b) ? none : division);
      p.inverse = from_.is_literal(a) || (from_.is_literal(b) && p.inverse);
      if (from_.is_literal(a)) p.scale = one;
    } else if (is_op<op::pow>(op)) {
      double const e = from_.literal_value(b);
      if (is_whole(e) && magnitude(e) <= 512) p.times = to_power(p.times, e);
      else p.bare = of(a), p.times = 1;
      p.bare += squarings(magnitude(e)) * one + (e < 0 ? division : none);
      p.inverse = e < 0;
      p.scale = one;
    } else {
      p = {of(a) + one, 1, p.depth, false, one};
    }
    p.bare = is_moderate(p.times) ? at_most_never(p.bare) : price::never();
    if (p.bare.is_never()) p.times = 1;
    return p;
  }
  /// Coefficients with which the compiler can compute; others are left to the normal form.
  static constexpr bool is_moderate(double x) {
    return magnitude(x) >= 1e-290 && magnitude(x) <= 1e290;
  }
  static constexpr double reciprocal(double x) { return is_moderate(x) ? 1 / x : 0; }
  static constexpr double to_power(double x, double e) {
    double result = 1;
    for (int n = static_cast<int>(magnitude(e)); n > 0 && is_moderate(result); --n)
      result = bounded_product(result, x);
    return e < 0 ? reciprocal(result) : result;
  }
  constexpr product_parts usual_parts(int id) const {
    price all;
    meeting factors;
    bool divides = true;
    double c = 1;
    int smallest = span(id);
    for (int i : from_.inputs(id)) {
      if (from_.is_literal(i)) {
        c = bounded_product(c, times(i));
        continue;
      }
      factor const f = split_power(from_, i);
      if (readers_[i] <= 1)
        all += of(f.base) + squarings(magnitude(f.power.value())) * operation(span(i));
      ++factors.operands[span(i)];
      factors.divides[span(i)] = factors.divides[span(i)] || f.power.negative();
      smallest = span(i) < smallest ? span(i) : smallest;
      divides = divides && f.power.negative();
    }
    if (divides) ++factors.operands[0];
    int const* const inputs = from_.input_data(id);
    int const count = from_[id].input_count;
    if (count >= 2 && count - (from_.is_literal(inputs[0]) ? 1 : 0) == 2 &&
        is_power_of_quotient(inputs[count - 2], inputs[count - 1], c))
      all -= squarings(magnitude(split_power(from_, inputs[count - 1]).power.value())) *
             operation(span(id));
    return {at_most_never(all + factors.cost(span(id))), c, 1, divides, operation(smallest)};
  }

  /// Sums and products that BLAS may compute, and those for which there is a better form.
  constexpr bool is_fixed(int id) const {
    for (int i : from_.inputs(id)) {
      if (from_.is<op::dot>(i)) return true;
      if (from_.is<op::mul>(i))
        for (int k : from_.inputs(i))
          if (from_.is<op::dot>(k)) return true;
      if (factor const f = split_power(from_, i); f.power.is(-2) && from_.is<op::cosh>(f.base))
        return true;
    }
    return false;
  }

  /// The operands of a sum or product meet from small to large.
  struct meeting {
    int operands[core::max_rank + 1]{};
    bool divides[core::max_rank + 1]{};

    constexpr price cost(int last) const {
      price all;
      bool begun = false;
      for (int span = 0; span <= core::max_rank; ++span) {
        int const steps = operands[span] - (begun || operands[span] == 0 ? 0 : 1);
        all += steps * operation(span < last ? span : last);
        if (divides[span]) all.quotients += operation(span).operations;
        begun = begun || operands[span] > 0;
      }
      return all;
    }
  };

  constexpr price cost_of_sum(int id) const {
    price all;
    bool negative = true;
    meeting terms;
    for (int i : from_.inputs(id)) {
      all += of(i);
      ++terms.operands[span(i)];
      negative = negative && is_negative(i);
    }
    return all + terms.cost(span(id)) + (negative ? operation(span(id)) : price{});
  }
  /// Operations that a power takes: see lowering.
  static constexpr int squarings(double power) {
    if (power > 512 || !is_whole(2 * power)) return 1;
    long long rest = static_cast<long long>(power);
    int steps = is_whole(power) ? 0 : rest > 0 ? 2 : 1;
    for (; rest > 1; rest /= 2) steps += rest % 2 != 0 ? 2 : 1;
    return steps;
  }

  graph const& from_;
  order_choices choices_;
  long long budget_ = 0;
  list<price> cost_;
  list<int> readers_;
  list<product_parts> parts_;
  list<bool> chosen_, outside_sums_;
};

}  // namespace kroton::rewrite
