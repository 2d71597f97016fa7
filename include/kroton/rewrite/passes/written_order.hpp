// Which sums and products of a graph in normal form are computed in the order in which they were
// written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linalg.hpp>
#include <kroton/ops/trigonometric.hpp>
#include <kroton/rewrite/form/products.hpp>

namespace kroton::rewrite {

/// The normal form has forgotten how x*y*z was paired, and a pairing that nobody wrote overflows
/// where the written one does not. Here the written one is chosen again, unless it takes more
/// operations: those that like terms, cancelled factors and shared operands save.
class written_order {
 public:
  constexpr explicit written_order(graph const& from)
      : from_(from),
        cost_(from.size(), never),
        readers_(from.size(), 0),
        chosen_(from.size(), false),
        outside_sums_(from.size(), false) {}

  /// The node to compute in the place of a sum or product: its written form, or itself.
  constexpr int instead_of(int id) const { return chosen_[id] ? from_.written(id) : id; }

  /// Chooses; which nodes are needed then.
  constexpr list<bool> run(list<bool> live) {
    if (!from_.has_written()) return live;
    count_readers(live);
    for (int id = 0; id < from_.size(); ++id) cost_[id] = cost(id, live[id]);
    list<bool> needed = list<bool>(from_.size());
    mark_roots(needed);
    for (int id = from_.size() - 1; id >= 0; --id) {
      if (!needed[id]) continue;
      if (chosen_[id]) needed[from_.written(id)] = true;
      else
        for (int i : from_.inputs(id)) needed[i] = true;
    }
    return needed;
  }

 private:
  using price = long long;
  static constexpr price never = 1LL << 58;

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

  constexpr int span(int id) const {
    tensor_type const& t = from_.type(id);
    return t.rank - __builtin_popcount(t.broadcast);
  }
  /// One operation for each element, as if every axis had 16 of them.
  static constexpr price operation(int span) { return 1LL << 4 * span; }
  static constexpr price least(price a, price b) { return a < b ? a : b; }
  /// What a reader pays for an operand: nothing for what others need as well.
  constexpr price of(int id) const { return readers_[id] > 1 ? 0 : cost_[id]; }

  constexpr price cost(int id, bool live) {
    if (from_[id].input_count == 0) return 0;
    op_info const* const op = from_[id].op;
    bool const sum = is_op<op::add>(op), product = is_op<op::mul>(op) || is_power(from_, id);
    if (!is_float(from_.type(id).element) || !(sum || product))
      return live ? 0 : one_operation(id);
    price const usual = least(sum ? cost_of_sum(id) : cost_of_product(id), never);
    int const as = from_.written(id);
    if (as < 0 || cost_[as] > usual || is_fixed(id)) return usual;
    chosen_[id] = true;
    return cost_[as];
  }
  /// What was written and is not in normal form: an operation on what it reads.
  constexpr price one_operation(int id) const {
    op_info const* const op = from_[id].op;
    bool const known = is_op<op::div>(op) || is_op<op::sub>(op) || is_op<op::neg>(op) ||
                       is_op<op::inv>(op) || is_op<op::sqr>(op) || is_op<op::sqrt>(op);
    if (!known || !is_float(from_.type(id).element)) return never;
    price all = operation(span(id));
    for (int i : from_.inputs(id)) all += of(i);
    return least(all, never);
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

    constexpr price cost(int last) const {
      price all = 0;
      bool begun = false;
      for (int span = 0; span <= core::max_rank; ++span) {
        int const steps = operands[span] - (begun || operands[span] == 0 ? 0 : 1);
        all += steps * operation(span < last ? span : last);
        begun = begun || operands[span] > 0;
      }
      return all;
    }
  };

  constexpr price cost_of_sum(int id) const {
    price all = 0;
    bool negative = true;
    meeting terms;
    for (int i : from_.inputs(id)) {
      all += of(i);
      ++terms.operands[span(i)];
      negative = negative && (from_.is_literal(i) ? from_.literal_value(i) < 0
                                                  : coefficient_of(from_, i).negative());
    }
    return all + terms.cost(span(id)) + (negative ? operation(span(id)) : 0);
  }
  constexpr price cost_of_product(int id) const {
    price all = 0;
    meeting factors;
    bool divides = true;
    double c = 1;
    auto multiply = [&](int i) {
      if (from_.is_literal(i)) {
        c *= from_.literal_value(i);
        return;
      }
      factor const f = split_power(from_, i);
      all += of(f.base) + squarings(magnitude(f.power.value())) * operation(span(i));
      ++factors.operands[span(i)];
      divides = divides && f.power.negative();
    };
    if (from_.is<op::mul>(id))
      for (int i : from_.inputs(id)) multiply(i);
    else multiply(id);
    if (magnitude(c) != 1 || divides) ++factors.operands[0];
    // The sum that reads a product takes its sign.
    bool const negates = c == -1 && !divides && outside_sums_[id];
    return all + factors.cost(span(id)) + (negates ? operation(span(id)) : 0);
  }
  /// Operations that a power takes: see lowering.
  static constexpr int squarings(double power) {
    int steps = 0;
    if (power > 512 || !is_whole(2 * power)) return 1;
    bool const half = !is_whole(power);
    long long rest = static_cast<long long>(power);
    steps = half ? (rest > 0 ? 2 : 1) : 0;
    for (; rest > 1; rest /= 2) steps += rest % 2 != 0 ? 2 : 1;
    return steps;
  }

  graph const& from_;
  list<price> cost_;
  list<int> readers_;
  list<bool> chosen_, outside_sums_;
};

}  // namespace kroton::rewrite
