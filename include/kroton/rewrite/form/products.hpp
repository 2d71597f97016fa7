// The normal form of products: one n-ary mul of distinct factors with literal powers, the
// coefficient first.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/rewrite/form/sums.hpp>

namespace kroton::rewrite {

/// A factor of a product: a base to a literal power, which for integers is an int64: those of
/// int8 may add up to more than 127 in between.
struct factor {
  int base;
  coefficient power;
};
constexpr element exponent_type(element e) { return is_integer(e) ? element::int64 : e; }
constexpr coefficient exponent(element e, double value) {
  return number_of(exponent_type(e), value);
}
/// Whether a power of what has element type `e` can be written: its exponent has that type, too.
constexpr bool is_exponent(double power, element e) {
  int const bits = is_signed(e) ? 8 * bytes_of(e) - 1 : 8 * bytes_of(e);
  return !is_integer(e) ||
         magnitude(power) < static_cast<double>(std::int64_t{1} << (bits < 53 ? bits : 53));
}

/// Whether a node is x to a literal power. Of integers only one that is not negative: such powers
/// are no quotients.
constexpr bool is_power(graph const& g, int id) {
  if (!is_op<op::pow>(g[id].op) || !g.is_literal(g.input_of(id, 1))) return false;
  return is_continuous(g[id].type.element) || g.literal_bits(g.input_of(id, 1)) >= 0;
}
constexpr factor split_power(graph const& g, int id) {
  node const& n = g[id];
  if (!is_op<op::pow>(n.op) || !is_power(g, id)) return {id, exponent(n.type.element, 1)};
  int const* const inputs = g.input_data(id);
  return {inputs[0], {exponent_type(n.type.element), g.literal_bits(inputs[1])}};
}
constexpr int power_of(rewriter& r, factor const& f) {
  if (f.power.is(1)) return f.base;
  return r.g.apply<op::pow>({f.base, r.literal({r.g.type(f.base).element, f.power.bits})});
}

/// Collects the factors of a product; nested products, quotients and powers are taken apart, like
/// factors merge.
class product_of_factors {
 public:
  constexpr product_of_factors(rewriter& r, element e)
      : r_(r), g_(r.g), above_(number_of(e, 1)), below_(number_of(e, 1)) {}

  /// Multiplies by a node in final form to a literal power; a long product or sum that other nodes
  /// read too (`shared`) stays one factor.
  constexpr void multiply(int id, coefficient power, bool shared = false) {
    shared_ = shared;
    take({r_.operand(id), power}, rest_);
    while (!rest_.empty()) {
      factor const f = rest_.back();
      rest_.pop_back();
      take(f, rest_);
    }
  }
  constexpr void multiply(int id) { multiply(id, exponent(above_.of, 1)); }

  /// The product in normal form; not yet final, since rules may apply.
  constexpr int build() {
    list<int> inputs;
    do {
      if (!exponentials_.empty()) join_exponentials();
      if (factors_.size() > 1) merge();
      join_signs();
      fold_coefficient();
      if (above_.is(0)) return r_.literal(above_);
      // Products that merging has opened may contain exponentials.
    } while (!exponentials_.empty() || !gather(inputs));
    if (inputs.empty()) return r_.literal(above_);
    if (inputs.size() == 1) return lone(inputs[0]);
    if (!above_.is(1)) inputs.insert(0, r_.literal(above_));
    return g_.apply(identity<op::mul>(), inputs.data(), inputs.size());
  }

 private:
  constexpr element type() const { return above_.of; }
  constexpr coefficient number(double value) const { return number_of(type(), value); }

  /// The factors as operands. False where rules made something else of powers: those are factors
  /// like any other now.
  constexpr bool gather(list<int>& inputs) {
    inputs.clear();
    list<int> changed;
    int kept = 0;
    for (int i = 0; i < factors_.size(); ++i) {
      factor const f = factors_[i];
      int const power = power_of(r_, f);
      int const form = power == f.base ? power : r_.sealed(power);
      bool const stays = form == power || is_power(g_, form);
      if (stays) factors_[kept++] = f;
      (stays ? inputs : changed).push_back(form);
    }
    factors_.shrink(kept);
    for (int form : changed) multiply(form);
    return changed.empty();
  }
  /// Takes one factor apart; what it consists of goes to `rest` or to the factors.
  constexpr void take(factor f, list<factor>& rest) {
    if (f.power.is(0)) return;
    op_info const* const op = g_[f.base].op;
    if (is_op<op::literal>(op)) {
      if (is_whole(f.power.value()) && fold({type(), g_.literal_bits(f.base)}, f.power.value()))
        return;
      factors_.push_back(f);
    } else if (is_op<op::mul>(op) && is_whole(f.power.value())) {
      if (shared_ && g_[f.base].input_count > most_shared && take_whole(f)) return;
      for (int i : g_.inputs(f.base)) rest.push_back({i, f.power});
    } else if (is_op<op::pow>(op) && is_power(g_, f.base)) {
      take_power(split_power(g_, f.base), f.power, rest);
    } else if (is_op<op::exp>(op) && r_.does<"exponentials">() && keeps_branch(f.power)) {
      exponentials_.push_back({g_.input_of(f.base, 0), f.power});
    } else if (is_op<op::add>(op) && is_whole(f.power.value())) {
      take_sum(f);
    } else {
      factors_.push_back(f);
    }
  }
  /// A long product that other nodes read too stays one factor. Its coefficient and its
  /// exponentials leave, since what they cancel with may be here, and they would overflow before;
  /// and so do divisors that cancel.
  constexpr bool take_whole(factor f) {
    list<int> stay, leave, divisors;
    for (int i : g_.inputs(f.base))
      if (g_.is<op::exp>(i)) leave.push_back(g_.input_of(i, 0));
      else if (cancels(i)) divisors.push_back(i);
      else if (i != g_.input_of(f.base, 0) || !has_coefficient(g_, f.base)) stay.push_back(i);
    if (stay.size() <= most_shared || !fold(coefficient_of(g_, f.base), f.power.value()))
      return false;
    for (int exponent : leave) exponentials_.push_back({exponent, f.power});
    for (int divisor : divisors) rest_.push_back({divisor, f.power});
    int const rest = stay.size() == g_[f.base].input_count
                         ? f.base
                         : r_.mark(g_.apply(identity<op::mul>(), stay));
    factors_.push_back({rest, f.power});
    return true;
  }
  /// Whether a factor is a power of what is here to a power of the other sign.
  constexpr bool cancels(int id) const {
    if (!is_power(g_, id)) return false;
    factor const divisor = split_power(g_, id);
    for (auto const& f : factors_)
      if (f.base == divisor.base && f.power.negative() != divisor.power.negative()) return true;
    return false;
  }
  /// Of complex numbers, only whole powers may be moved into an exponent: (z^a)^b turns back what
  /// z^(ab) does not.
  constexpr bool keeps_branch(coefficient power) const {
    return !is_complex(type()) || is_whole(power.value());
  }
  /// (x^a)^b is x^(ab), except for an even a and a fraction b: sqrt(x * x) is abs(x). Whole powers
  /// are products, with that rule or without it: like factors would not meet.
  constexpr void take_power(factor inner, coefficient outer, list<factor>& rest) {
    coefficient product = inner.power;
    bool const allowed =
        is_whole(outer.value()) || (r_.does<"power_of_power">() && keeps_branch(outer));
    bool const fits = is_exponent(bounded_product(inner.power.value(), outer.value()), type()) &&
                      rewrite::multiply(product, outer);
    if (!allowed || !fits) {
      factors_.push_back({power_of(r_, inner), outer});
    } else if (is_even(inner.power.value()) && !is_whole(outer.value()) &&
               !is_even(product.value())) {
      r_.log("power_of_power");
      rest.push_back({r_.make<op::abs>({inner.base}), product});
    } else {
      rest.push_back({inner.base, product});
    }
  }
  /// A sum as a factor starts with a positive term, and its terms have no |coefficient| in common.
  constexpr void take_sum(factor f) {
    double common = 0;
    bool alike = true;
    for (int i : g_.inputs(f.base)) {
      coefficient const c =
          g_.is_literal(i) ? coefficient{type(), g_.literal_bits(i)} : coefficient_of(g_, i);
      double const times = c.value();
      if (common == 0) common = times;
      alike = alike && magnitude(times) == magnitude(common);
    }
    coefficient c = number(alike && is_continuous(type())       ? common
                           : common < 0 && !is_unsigned(type()) ? -1
                                                                : 1);
    if (c.is(1) || c.is(0) || !c.foldable() || !fold(c, f.power.value())) {
      if (shared_) whole_ = f.base;
      factors_.push_back(f);
      return;
    }
    sum_of_terms sum(r_, type());
    list<int> const terms = r_.inputs(f.base);
    for (int i : terms) {
      summand t = g_.is_literal(i) ? summand{r_.literal(number(1)), {type(), g_.literal_bits(i)}}
                                   : split_coefficient(r_, i);
      if (alike && is_continuous(type())) t.times = number(t.times.value() / common);
      else rewrite::multiply(t.times, number(-1));
      sum.add(t.node, t.times);
    }
    factors_.push_back({r_.sealed(sum.build()), f.power});
  }
  /// Folds a literal to a whole power into the coefficient, which is a fraction so that 49 * x / 49
  /// is x.
  constexpr bool fold(coefficient value, double power) {
    if (!value.foldable() || (power < 0 && (value.is(0) || !is_continuous(type())))) return false;
    coefficient& side = power < 0 ? below_ : above_;
    coefficient raised = value, folded = side;
    if (!raise(raised, static_cast<long long>(magnitude(power))) ||
        !rewrite::multiply(folded, raised))
      return false;
    side = folded;
    return true;
  }
  constexpr void fold_coefficient() {
    if (below_.is(1)) return;
    double const above = magnitude(above_.value()), below = magnitude(below_.value());
    bool const fits = below >= 1 || above <= 1e300 * below;
    double const quotient = fits ? above_.value() / below_.value() : 0;
    if (above_.is(0) || (magnitude(quotient) >= 1e-300 && magnitude(quotient) <= 1e300))
      above_ = number(quotient);
    else factors_.push_back({r_.literal(below_), number(-1)});
    below_ = number(1);
  }

  /// exp(a)^2 * exp(b) is exp(2a + b).
  constexpr void join_exponentials() {
    if (exponentials_.empty()) return;
    if (exponentials_.size() == 1 && exponentials_[0].power.is(1)) {
      factors_.push_back({r_.make<op::exp>({exponentials_[0].base}), number(1)});
      exponentials_.clear();
      return;
    }
    r_.log("exponentials");
    sum_of_terms sum(r_, type());
    for (auto const& f : exponentials_) sum.add(f.base, f.power);
    exponentials_.clear();
    int const exponent = r_.sealed(sum.build());
    if (g_.is_literal(exponent, 0)) return;
    int const id = r_.make<op::exp>({exponent});
    if (!g_.is<op::exp>(id)) multiply(id);
    else factors_.push_back({id, number(1)});
    for (auto const& f : exponentials_) factors_.push_back({r_.make<op::exp>({f.base}), f.power});
    exponentials_.clear();
  }
  constexpr void merge() {
    merge_sort(factors_,
               [&](factor const& a, factor const& b) { return stands_before(g_, a.base, b.base); });
    int kept = 0;
    bool opens = false;  // whether two roots of a product have become that product
    for (int i = 0; i < factors_.size(); ++i) {
      factor const f = factors_[i];
      bool const alike = kept > 0 && factors_[kept - 1].base == f.base && !g_.is_literal(f.base);
      if (alike && is_exponent(factors_[kept - 1].power.value() + f.power.value(), type()) &&
          add_to(factors_[kept - 1].power, f.power)) {
        r_.log("like_factors");
        opens = opens || (g_.is<op::mul>(f.base) && !is_whole(f.power.value()));
        if (factors_[kept - 1].power.is(0)) --kept;
      } else {
        factors_[kept++] = f;
      }
    }
    factors_.shrink(kept);
    if (opens) open_products();
  }
  constexpr void open_products() {
    list<factor> all;
    all.swap(factors_);
    bool any = false;
    for (auto const& f : all) {
      bool const opens = g_.is<op::mul>(f.base) && is_whole(f.power.value());
      any = any || opens;
      if (opens) multiply(f.base, f.power);
      else factors_.push_back(f);
    }
    if (any) merge();
  }
  constexpr int find(int base) const {
    for (int i = 0; i < factors_.size(); ++i)
      if (factors_[i].base == base) return i;
    return -1;
  }
  /// x^p * abs(x)^q for whole p and q keeps at most a sign of abs: x / abs(x) is sgn(x).
  constexpr void join_signs() {
    if (!r_.does<"abs_factors">()) return;
    for (int i = 0; i < factors_.size(); ++i) {
      if (!g_.is<op::abs>(factors_[i].base)) continue;
      int const base = g_.input_of(factors_[i].base, 0);
      if (is_complex(g_.type(base).element)) continue;
      int const other = find(base);
      double const q = factors_[i].power.value();
      if (other < 0 ? !is_even(q) : !is_whole(factors_[other].power.value()) || !is_whole(q))
        continue;
      double const p = other < 0 ? 0 : factors_[other].power.value();
      if (!is_exponent(p + q, type())) continue;
      r_.log("abs_factors");
      bool const sign = !is_even(p) && !is_even(q);
      factors_[i] = {is_even(p) && !is_even(q) ? factors_[i].base : base, exponent(type(), p + q)};
      if (other >= 0) factors_.erase(other);
      if (sign) factors_.push_back({r_.make<op::sgn>({base}), exponent(type(), 1)});
      // Start again: what is left may merge with what is there.
      list<factor> rest;
      rest.swap(factors_);
      for (auto const& f : rest)
        if (!f.power.is(0)) factors_.push_back(f);
      merge();
      i = -1;
    }
  }

  /// A coefficient times one factor; over a lone sum it is distributed, unless that is long and
  /// shared.
  constexpr int lone(int id) {
    if (above_.is(1)) return id;
    if (!g_.is<op::add>(id)) return scaled(r_, id, above_);
    sum_of_terms sum(r_, type());
    sum.add(id, above_, id == whole_);
    return sum.build();
  }

  rewriter& r_;
  graph& g_;
  list<factor> factors_, exponentials_, rest_;
  coefficient above_, below_;
  bool shared_ = false;
  int whole_ = -1;  // a factor that is a sum which other nodes read too
};

/// The normal form of mul, div, inv, sqr, sqrt and pow with a literal exponent.
constexpr int normal_product(rewriter& r, int raw) {
  graph& g = r.g;
  element const e = g.type(raw).element;
  product_of_factors product(r, e);
  list<int> inputs = r.inputs(raw);
  // A literal times a sum is distributed as it stands; any other product sees what the terms have
  // in common.
  bool const scales = g.is<op::mul>(raw) && inputs.size() == 2 &&
                      (g.is_literal(inputs[0]) || g.is_literal(inputs[1]));
  if (!scales)
    for (int& i : inputs) i = r.closed(r.operand(i));
  if (is_power(g, raw)) {
    factor const f = split_power(g, raw);
    product.multiply(r.closed(r.operand(f.base)), f.power);
  } else {
    double power = g.is<op::sqr>(raw) ? 2 : g.is<op::sqrt>(raw) ? 0.5 : g.is<op::inv>(raw) ? -1 : 1;
    for (int id : inputs) {
      product.multiply(id, exponent(e, power));
      if (g.is<op::div>(raw)) power = -1;
    }
  }
  return product.build();
}

}  // namespace kroton::rewrite
