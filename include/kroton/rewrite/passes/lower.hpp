// From the normal form to the ops that run fast: binary sums and products, one division, squarings,
// square roots, counts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/softmax.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/rewrite/engine/clean.hpp>
#include <kroton/rewrite/form/fold.hpp>
#include <kroton/rewrite/form/laws.hpp>
#include <kroton/rewrite/passes/readiness.hpp>
#include <kroton/rewrite/passes/written_order.hpp>
#include <kroton/rewrite/rules/counting.hpp>

namespace kroton::rewrite {

/// Writes a graph in normal form with unary and binary ops, and folds functions of literals.
/// Without the assumption of real numbers there is no normal form: sums and products are as they
/// were written, and stay.
class lowering {
 public:
  constexpr explicit lowering(graph const& from, bool real, bool folds = true,
                              rewrite_observer* observer = nullptr)
      : from_(from), real_(real), folds_(folds), order_(from, observer) {}

  constexpr graph run() {
    lowered_ = unsigned_ = list<int>(from_.size(), -1);
    to_.reserve_for(from_.size());
    to_.share_bodies(from_);
    for (int id : from_.parameters())
      lowered_[id] = to_.input(from_.type(id), static_cast<int>(from_.attribute(id, 0)));
    list<bool> live = from_.live();
    if (real_) {
      live = order_.run(std::move(live));
      find_readers(live);
    }
    for (int id = 0; id < from_.size(); ++id)
      if (live[id] && lowered_[id] < 0) lowered_[id] = lower(id);
    to_.adopt(from_, lowered_);
    return cleaner(to_).run();
  }

 private:
  template <class Op>
  constexpr int apply(int a) {
    return folded(to_.apply<Op>({a}));
  }
  template <class Op>
  constexpr int apply(int a, int b) {
    return folded(to_.apply<Op>({a, b}));
  }
  constexpr int folded(int id) { return folds_ ? rewrite::folded(to_, id) : id; }
  constexpr int literal(double value, element e) {
    return to_.literal_of_bits(number_of(e, value).bits, e);
  }

  /// Whether sums read a node, and whether others do.
  enum kind_of_reader : unsigned char { nobody, sums, others };
  constexpr void find_readers(list<bool> const& live) {
    readers_ = list<unsigned char>(from_.size());
    unsigned char* const readers = readers_.data();
    for (int id : from_.results()) readers[id] |= others;
    for (update const& u : from_.updates()) readers[u.value] |= others;
    for (int id = 0; id < from_.size(); ++id) {
      if (!live[id] || order_.instead_of(id) != id) continue;
      int const* const inputs = from_.input_data(id);
      unsigned char const reader = from_.is<op::add>(id) ? sums : others;
      for (int i = from_[id].input_count - 1; i >= 0; --i) readers[inputs[i]] |= reader;
    }
  }

  /// Which a sum takes away: others negate what it takes away. BLAS takes a sign with the
  /// coefficient.
  constexpr bool is_negative_product(int id) const {
    if (!from_.is<op::mul>(id) || !has_minus(id)) return false;
    for (int i : from_.inputs(id))
      if (from_.is<op::dot>(i)) return false;
    return true;
  }

  constexpr int lower(int id) {
    node const& n = from_[id];
    if (int const as = order_.instead_of(id); as != id)
      return from_.is<op::add>(id) ? lowered_[as] : written_product(as, order_.coefficient(id));
    if (real_ && order_.is_negative_sum(id)) return apply<op::neg>(without_sign(id));
    if (real_ && has_normal_form(n.type.element)) {
      if (from_.is<op::add>(id))
        return n.type.rank == 0 && n.input_count > 2 && is_float(n.type.element)
                   ? sum_of_scalars(id)
                   : sum(id);
      if (readers_[id] == (sums | others) && is_negative_product(id))
        return apply<op::neg>(without_sign(id));
      if (from_.is<op::mul>(id) || is_power(from_, id)) return product(id);
    }
    inputs_.clear();
    int const* const in = from_.input_data(id);
    for (int i = 0; i < n.input_count; ++i) inputs_.push_back(lowered_[in[i]]);
    if (is_op<op::whole>(n.op)) return inputs_[0];
    if (is_op<op::cast>(n.op)) return to_.cast(inputs_[0], n.type.element);
    if (is_op<op::extent_of>(n.op))
      return extent_node(to_, inputs_[0], static_cast<int>(from_.attribute(id, 0)));
    if (n.op->reduction) {
      if (int const count = counted(to_, n.op, inputs_[0], from_.attributes(id)); count >= 0)
        return count;
    }
    if (real_ && is_float(n.type.element)) {
      if (is_op<op::div>(n.op)) return quotient(inputs_[0], inputs_[1]);
      if (is_op<op::sub>(n.op)) return difference(in[0], in[1]);
      if (is_op<op::neg>(n.op) && has_minus(in[0]) && !from_.is_literal(in[0]))
        return without_sign(in[0]);
    }
    return folded(to_.add(n.op, n.type, inputs_, from_.attributes(id)));
  }

  // ---- sums -------------------------------------------------------------------------------------

  constexpr bool has_minus(int id) const { return order_.is_negative(id); }
  /// The difference of two nodes as it was written; a sum where the second one has a minus.
  constexpr int difference(int a, int b) {
    if (from_.is_literal(b) || !has_minus(b)) return apply<op::sub>(lowered_[a], lowered_[b]);
    if (has_minus(a) && !from_.is_literal(a))
      return apply<op::sub>(without_sign(b), without_sign(a));
    return apply<op::add>(lowered_[a], without_sign(b));
  }

  static constexpr int spanned(tensor_type const& t) {
    return t.rank - __builtin_popcount(t.broadcast);
  }
  /// Small operands first, so that scalars meet scalars before they meet tensors.
  constexpr void sort_by_size(list<int>& nodes) const {
    merge_sort(nodes,
               [&](int a, int b) { return spanned(from_[a].type) < spanned(from_[b].type); });
  }

  /// Positive terms, then negative ones, each from small to large; the constant behind the scalars.
  constexpr int sum(int id) {
    element const e = from_.type(id).element;
    int const* const in = from_.input_data(id);
    if (from_[id].input_count == 2 && in[0] == in[1])
      return apply<op::mul>(literal(2, e), lowered_[in[0]]);
    list<int>&positive = positive_, &negative = negative_;
    positive.clear();
    negative.clear();
    int constant = -1;
    for (int i : from_.inputs(id)) {
      if (from_.is_literal(i) && constant < 0) constant = i;
      else (has_minus(i) ? negative : positive).push_back(i);
    }
    sort_by_size(positive);
    sort_by_size(negative);
    int result = -1;
    auto add_constant = [&] {
      if (constant < 0 || result < 0) return;
      if (is_negative(from_, constant) && is_continuous(e))
        result = apply<op::sub>(result, literal(-from_.literal_value(constant), e));
      else result = apply<op::add>(result, to_.literal_of_bits(from_.literal_bits(constant), e));
      constant = -1;
    };
    for (int i : positive) {
      if (result >= 0 && spanned(from_.type(i)) > 0 && spanned(to_.type(result)) == 0)
        add_constant();
      result = result < 0 ? lowered_[i] : apply<op::add>(result, lowered_[i]);
    }
    if (result < 0 && constant >= 0) {
      result = to_.literal_of_bits(from_.literal_bits(constant), e);
      constant = -1;
    }
    for (int i : negative) {
      if (result >= 0 && spanned(from_.type(i)) > 0 && spanned(to_.type(result)) == 0)
        add_constant();
      result = result < 0 ? lowered_[i] : apply<op::sub>(result, without_sign(i));
    }
    add_constant();
    return result;
  }
  /// Terms of numbers meet in the order in which they are there, so that nothing waits.
  constexpr int sum_of_scalars(int id) {
    struct signed_term {
      int node;
      bool negative;
    };
    list<signed_term> terms;
    bool all_negative = true;
    for (int i : from_.inputs(id)) all_negative = all_negative && has_minus(i);
    for (int i : from_.inputs(id)) {
      bool const negative = has_minus(i), is_literal = from_.is_literal(i);
      int const positive = !negative    ? lowered_[i]
                           : is_literal ? literal(-from_.literal_value(i), from_.type(id).element)
                                        : without_sign(i);
      terms.push_back({positive, negative && !all_negative});
    }
    auto const is_before = [&](signed_term const& a, signed_term const& b) {
      return ready_.of(to_, a.node) < ready_.of(to_, b.node);
    };
    merge_sort(terms, is_before);
    for (int next = 0; next + 1 < terms.size(); ++next) {
      signed_term const a = terms[next], b = terms[next + 1];
      signed_term both{-1, a.negative && b.negative};
      if (a.negative == b.negative) both.node = apply<op::add>(a.node, b.node);
      else both.node = a.negative ? apply<op::sub>(b.node, a.node) : apply<op::sub>(a.node, b.node);
      int at = next + 1;
      for (; at + 1 < terms.size() && is_before(terms[at + 1], both); ++at)
        terms[at] = terms[at + 1];
      terms[at] = both;
    }
    return all_negative ? apply<op::neg>(terms.back().node) : terms.back().node;
  }
  /// A product with the absolute value of its coefficient; a + b for -a - b.
  constexpr int without_sign(int id) {
    if (unsigned_[id] < 0 && order_.is_negative_sum(id)) {
      int const a = from_.input_of(id, 0);
      int const made = from_.is<op::neg>(id)
                           ? lowered_[a]
                           : apply<op::add>(without_sign(a), lowered_[from_.input_of(id, 1)]);
      unsigned_[id] = made;
    }
    if (unsigned_[id] < 0) {
      int const as = order_.instead_of(id);
      unsigned_[id] =
          as == id ? product(id, true) : written_product(as, magnitude(order_.coefficient(id)));
    }
    return unsigned_[id];
  }

  // ---- products ---------------------------------------------------------------------------------

  /// A coefficient times what a product as it was written has besides its literals and signs. The
  /// coefficient stands where the first literal stood.
  constexpr int written_product(int id, double c) {
    element const e = from_.type(id).element;
    if (!order_.is_apart(id)) return scaled(c, lowered_[id]);
    if (int const as = order_.instead_of(id); as != id) return written_product(as, c);
    node const& n = from_[id];
    int const a = from_.input_of(id, 0), b = n.input_count > 1 ? from_.input_of(id, 1) : a;
    auto const bare = [&](int i) {
      bare_.extend(from_.size(), -1);
      if (bare_[i] < 0) {
        int const made = written_product(i, 1);
        bare_[i] = made;
      }
      return bare_[i];
    };
    if (is_op<op::neg>(n.op)) return written_product(a, c);
    if (is_op<op::inv>(n.op)) return quotient(literal(c, e), bare(a));
    if (is_op<op::sqr>(n.op) || (is_op<op::mul>(n.op) && n.input_count == 2 && a == b))
      return order_.is_inverse(a) ? quotient(literal(c, e), apply<op::sqr>(inverse_of(a)))
                                  : scaled(c, apply<op::sqr>(bare(a)));
    if (is_op<op::div>(n.op)) {
      if (from_.is_literal(b)) return written_product(a, c);
      if (from_.is_literal(a)) return quotient(literal(c, e), bare(b));
      return quotient(written_product(a, c), bare(b));
    }
    if (is_op<op::mul>(n.op) && n.input_count == 2 && !order_.is_usual(id)) {
      if (from_.is_literal(a)) return written_product(b, c);
      if (from_.is_literal(b)) return written_product(a, c);
      if (order_.is_inverse(b)) return quotient(written_product(a, c), inverse_of(b));
      if (order_.is_inverse(a)) return quotient(written_product(b, c), inverse_of(a));
      bool const second = order_.belongs_to_second(a, b);
      int const first = second || c == 1 ? bare(a) : written_product(a, c);
      return apply<op::mul>(first, second && c != 1 ? written_product(b, c) : bare(b));
    }
    if (is_op<op::pow>(n.op)) {
      double const p = from_.literal_value(b);
      int const base = is_whole(p) ? bare(a) : lowered_[a];
      int const raised = power(base, magnitude(p), e);
      return p < 0 ? quotient(literal(c, e), raised) : scaled(c, raised);
    }
    return product(id, false, &c);
  }
  /// One over what is an inverse.
  constexpr int inverse_of(int id) {
    int const made = written_product(id, 1);
    return to_.is<op::inv>(made) ? to_.input_of(made, 0) : apply<op::inv>(made);
  }
  constexpr int scaled(double c, int id) {
    if (c == 1) return id;
    return c == -1 ? apply<op::neg>(id) : apply<op::mul>(literal(c, to_.type(id).element), id);
  }

  /// Factors from small to large; those of one size as a quotient of products.
  constexpr int product(int id, bool positive = false, double const* instead = nullptr) {
    element const e = from_.type(id).element;
    list<int>& factors = factors_;
    factors.clear();
    if (from_.is<op::mul>(id)) factors.append(from_.input_data(id), from_[id].input_count);
    else factors.push_back(id);
    coefficient c = number_of(e, 1);
    if (from_.is_literal(factors[0])) {
      c.bits = from_.literal_bits(factors[0]);
      factors.erase(0);
    }
    if (instead != nullptr) c = number_of(e, *instead);
    bool const negate = c.is(-1) && !is_unsigned(e);
    if (negate || (positive && c.negative())) multiply(c, number_of(e, -1));
    sort_by_size(factors);
    if (int const power = power_of_quotient(factors, c.value()); power >= 0) {
      int const scaled = c.is(1) ? power : apply<op::mul>(to_.literal_of_bits(c.bits, e), power);
      return negate && !positive ? apply<op::neg>(scaled) : scaled;
    }
    int result = c.is(1) ? -1 : to_.literal_of_bits(c.bits, e);
    bool pending = negate && !positive;
    for (int next = 0; next < factors.size();) {
      int const size = spanned(from_[factors[next]].type);
      int below = -1;
      for (; next < factors.size() && spanned(from_[factors[next]].type) == size; ++next) {
        factor const f = split_power(from_, factors[next]);
        double const p = f.power.value();
        int& side = p < 0 && is_continuous(e) ? below : result;
        if (p == -2 && from_.is<op::cosh>(f.base) && is_float(e)) {
          int const value = derivative_of_tanh(lowered_[from_.input_of(f.base, 0)], e);
          result = result < 0 ? value : apply<op::mul>(result, value);
          continue;
        }
        int const value = power(lowered_[f.base], magnitude(p), e);
        side = side < 0        ? value
               : side == value ? apply<op::sqr>(value)
                               : apply<op::mul>(side, value);
      }
      // A scalar takes the sign for all.
      if (pending && size == 0 && result >= 0) result = apply<op::neg>(result), pending = false;
      if (below >= 0 && result < 0) {
        result = pending ? apply<op::div>(literal(-1, e), below) : apply<op::inv>(below);
        pending = false;
      } else if (below >= 0) {
        result = quotient(result, below);
      }
    }
    return pending ? apply<op::neg>(result) : result;
  }

  /// x^n / y^n as (x / y)^n; -1 for other factors.
  constexpr int power_of_quotient(list<int> const& factors, double times) {
    if (factors.size() != 2) return -1;
    if (!order_.is_power_of_quotient(factors[0], factors[1], times)) return -1;
    factor above = split_power(from_, factors[0]), below = split_power(from_, factors[1]);
    if (above.power.negative()) std::swap(above, below);
    return power(quotient(lowered_[above.base], lowered_[below.base]), above.power.value(),
                 from_.type(above.base).element);
  }

  /// cosh(x)^-2, from tanh(x) where that is there: then it is as accurate as 1 - tanh(x)^2.
  constexpr int derivative_of_tanh(int x, element e) {
    if (to_.has<op::tanh>())
      for (int id = x + 1; id < to_.size(); ++id)
        if (to_.is<op::tanh>(id) && to_.input_of(id, 0) == x)
          return apply<op::sub>(literal(1, e), apply<op::sqr>(id));
    return apply<op::sech2>(x);
  }

  /// A row over a column would divide for every element of the matrix.
  constexpr int quotient(int above, int below) {
    element const e = to_.type(below).element;
    if (to_.is_literal(above, 1)) return apply<op::inv>(below);
    double const divisor = to_.is_literal(below) ? magnitude(to_.literal_value(below)) : 0;
    if (divisor >= 1e-300 && divisor <= 1e300)
      return apply<op::mul>(literal(1 / to_.literal_value(below), e), above);
    return lie_alike(above, below) ? apply<op::div>(above, below)
                                   : apply<op::mul>(above, apply<op::inv>(below));
  }
  /// Whether of two operands one is a scalar, or both span the same axes.
  constexpr bool lie_alike(int a, int b) const {
    tensor_type const &s = to_.type(a), &t = to_.type(b);
    return spanned(s) == 0 || (s.rank == t.rank && s.broadcast == t.broadcast);
  }
  /// A power by squarings where the exponent is whole or a half; the squares are shared by all
  /// powers of one base.
  constexpr int power(int base, double p, element e) {
    constexpr double most = 512;
    if (p == 1) return base;
    bool const half = is_continuous(e) && is_whole(p - 0.5);
    if (!(p <= most) || (!is_whole(p) && !half)) return apply<op::pow>(base, literal(p, e));
    int result = half ? apply<op::sqrt>(base) : -1;
    long long rest = static_cast<long long>(p);
    for (int square = base; rest > 0; rest /= 2) {
      if (rest % 2 != 0) result = result < 0 ? square : apply<op::mul>(square, result);
      if (rest > 1) square = apply<op::sqr>(square);
    }
    return result;
  }

  graph const& from_;
  bool real_, folds_;
  graph to_;
  list<unsigned char> readers_;
  list<int> lowered_, unsigned_, bare_, inputs_, positive_, negative_, factors_;
  readiness ready_;
  written_order order_;
};

/// The work that a graph in normal form takes, in the units of price::work.
constexpr long long work_as_lowered(graph const& g) {
  graph const made = lowering(g, true).run();
  return work_of(made, made.live());
}

}  // namespace kroton::rewrite
