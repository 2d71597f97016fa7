// Derivatives along a path, all orders at once: what Taylor's series of each node is made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/splice.hpp>
#include <kroton/grad/loop/tangents.hpp>
#include <kroton/grad/part.hpp>
#include <kroton/ops/linear_algebra/products.hpp>

namespace kroton::calculus {

/// The derivatives of nodes by the parameter t of a path through the leaves x(t), up to any order.
///
/// The first derivative y' of a node y = f(x) is its pushforward, a formula in x, y and what stands
/// for x'. The one of order k is therefore the derivative of order k - 1 of that formula, and of
/// what stands for x' it is the next one of x. As equal formulas are one node, all derivatives of
/// exp, tanh, sin and others become the known recurrences, whose length grows with the square of
/// the order, and not the nested formulas of repeated forward mode. Products and quotients are
/// given by Leibniz's rule. (Griewank and Walther, Evaluating Derivatives, chapter 13)
class taylor_series {
 public:
  constexpr explicit taylor_series(graph& g) : g_(g) {}

  /// What stands for a leaf in the formulas, the value of the leaf, and its direction, or -1.
  constexpr void set(int leaf, int value, int direction) {
    series& of_leaf = of(leaf);
    of_leaf.is_leaf = of_leaf.is_active = true;
    of_leaf.values.push_back(value);
    of_leaf.values.push_back(direction);
  }

  /// The derivative of order k of a node, or -1 if it is zero. Those of its operands are at hand if
  /// nodes are asked for in their order, and orders one after the other.
  constexpr int at(int id, int k) {
    if (int const base = of(id).stands_for_change_of; base >= 0) return at(base, k + 1);
    while (of(id).values.size() <= k) {
      int const next = derivative(id, of(id).values.size());
      of(id).values.push_back(next);
    }
    return of(id).values[k];
  }
  /// The same, with zeros as an array.
  constexpr int dense(int id, int k) {
    int const found = at(id, k);
    if (found >= 0) return found;
    if (int const base = of(id).stands_for_change_of; base >= 0)
      return zeros_of({&g_, dense(base, 0)});
    if (k > 0) return zeros_of({&g_, dense(id, 0)});
    return of_operands(id, 0);
  }

 private:
  struct series {
    list<int> values{};             // by order; -1 for zero
    int stands_for_change_of = -1;  // the node whose derivative this one stands for
    int change = -1;                // the node that stands for the derivative of this one
    int pushed = not_yet, first = 0, end = 0;  // the pushforward, and the nodes it has added
    bool is_leaf = false, is_active = false, is_decided = false, is_linear = false;
    bool moves = false;  // made of what stands for derivatives
  };
  static constexpr int not_yet = -2;

  constexpr series& of(int id) {
    while (nodes_.size() <= id) nodes_.push_back({});
    return nodes_[id];
  }

  // Whether a node depends on the leaves so that a derivative passes.
  constexpr bool is_active(int id) {
    if (of(id).is_active || of(id).is_decided) return of(id).is_active;
    bool active = false, moves = false;
    for (int k = 0; k < g_[id].input_count; ++k) {
      int const in = g_.input_of(id, k);
      active = is_active(in) || active;
      moves = moves || of(in).moves;
    }
    series& found = of(id);
    found.is_decided = true;
    found.is_active = active && by_derivative(g_, id);
    found.moves = moves;
    return found.is_active;
  }

  constexpr int derivative(int id, int k) {
    if (k == 0) return value(id);
    if (of(id).is_leaf || !is_active(id)) return -1;
    if (is_product(id)) return product(id, k);
    if (g_.is<op::div>(id)) return quotient(id, k);
    if (of(id).pushed == not_yet) push(id);
    int const pushed = of(id).pushed, first = of(id).first, end = of(id).end;
    if (pushed < 0) return -1;
    if (of(id).is_linear) return linear(id, k);
    for (int node = first; node < end; ++node)
      if (is_active(node) && !g_[node].op->has_items()) at(node, k - 1);
    return at(pushed, k - 1);
  }

  // Nodes of formulas are homogeneous in the derivatives that they are made of: without these they
  // are zero.
  constexpr int value(int id) {
    is_active(id);
    bool changes = false, vanishes = of(id).moves;
    for (int k = 0; k < g_[id].input_count; ++k) {
      int const in = g_.input_of(id, k), now = at(in, 0);
      changes = changes || now != in;
      vanishes = vanishes && (!of(in).moves || now < 0);
    }
    if (vanishes) return -1;
    return changes ? of_operands(id, 0) : id;
  }
  // A linear node of the derivatives of its operands.
  constexpr int linear(int id, int k) {
    bool vanishes = true;
    for (int i = 0; i < g_[id].input_count; ++i) {
      int const in = g_.input_of(id, i);
      vanishes = vanishes && (!is_active(in) || at(in, k) < 0);
    }
    return vanishes ? -1 : of_operands(id, k);
  }
  // The node once more, of the derivatives of those operands that have some.
  constexpr int of_operands(int id, int k) {
    list<int> operands;
    for (int i = 0; i < g_[id].input_count; ++i) {
      int const in = g_.input_of(id, i);
      operands.push_back(dense(in, is_active(in) ? k : 0));
    }
    return again(id, operands);
  }
  constexpr int again(int id, list<int> const& operands) {
    list<long long> const attributes(g_.attributes(id).first, g_.attributes(id).count);
    return g_.add(g_[id].op, g_.type(id), operands, attributes);
  }

  constexpr bool is_product(int id) const { return g_.is<op::mul>(id) || g_.is<op::dot>(id); }
  // The sum of all C(k, j) a^(j) b^(k - j).
  constexpr int product(int id, int k) {
    int const a = g_.input_of(id, 0), b = g_.input_of(id, 1);
    int sum = -1;
    for (int j = 0; j <= k; ++j) {
      if ((j > 0 && !is_active(a)) || (j < k && !is_active(b))) continue;
      int const left = at(a, j), right = at(b, k - j);
      if (left < 0 || right < 0) continue;
      int const both = again(id, list<int>{left, right});
      sum = added(sum, scaled(both, choose(k, j)));
    }
    return sum;
  }
  // From a = y b: a^(k) without the terms of the product that hold lower orders of y, over b.
  constexpr int quotient(int id, int k) {
    int const a = g_.input_of(id, 0), b = g_.input_of(id, 1);
    int rest = is_active(a) ? at(a, k) : -1, lower = -1;
    for (int j = 0; j < k && is_active(b); ++j) {
      int const left = at(id, j), right = at(b, k - j);
      if (left >= 0 && right >= 0)
        lower =
            added(lower, scaled(call<op::mul>(term{&g_, left}, term{&g_, right}).id, choose(k, j)));
    }
    if (rest >= 0) rest = fitted(rest, id);
    if (lower >= 0) lower = fitted(lower, id);
    if (rest < 0 && lower < 0) return -1;
    if (rest < 0) rest = call<op::neg>(term{&g_, lower}).id;
    else if (lower >= 0) rest = call<op::sub>(term{&g_, rest}, term{&g_, lower}).id;
    return call<op::div>(term{&g_, rest}, term{&g_, at(b, 0)}).id;
  }
  // Of the type of a node, which broadcasts less than an operand may.
  constexpr int fitted(int part, int id) {
    return g_.type(part) == g_.type(id) ? part
                                        : expand_like(term{&g_, part}, term{&g_, at(id, 0)}).id;
  }
  constexpr int added(int sum, int one) {
    return sum < 0 ? one : call<op::add>(term{&g_, sum}, term{&g_, one}).id;
  }
  constexpr int scaled(int id, double factor) {
    if (factor == 1) return id;
    return call<op::mul>(term{&g_, id}, term{&g_, g_.literal(factor, g_.type(id).element)}).id;
  }
  static constexpr double choose(int n, int k) {
    double count = 1;
    for (int i = 1; i <= k; ++i) count = count * (n - k + i) / i;
    return count;
  }

  // What stands for the derivative of a node.
  constexpr int change_of(int id) {
    if (of(id).change >= 0) return of(id).change;
    int const change = lane_of({&g_, id}, 0).id;
    of(id).change = change;
    series& stand_in = of(change);
    stand_in.stands_for_change_of = id;
    stand_in.is_active = stand_in.moves = true;
    return change;
  }
  // Records the pushforward of a node, as that of a program of this node alone.
  constexpr void push(int id) {
    bool const is_item = g_.is<op::item>(id);
    int const base = is_item ? g_.input_of(id, 0) : id, count = g_[base].input_count;
    graph one;
    one.share_bodies(g_);
    list<int> operands, arguments;
    for (int i = 0; i < count; ++i) {
      int const in = g_.input_of(base, i);
      if (g_.is_literal(in)) {
        operands.push_back(one.literal_of_bits(g_.literal_bits(in), g_.type(in).element));
      } else {
        operands.push_back(one.input(g_.type(in), arguments.size()));
        arguments.push_back(in);
      }
    }
    list<int> moved, changes;
    for (int i = 0; i < count; ++i) {
      int const in = g_.input_of(base, i);
      if (!is_active(in) || !is_continuous(g_.type(in).element)) continue;
      moved.push_back(operands[i]);
      changes.push_back(one.input(g_.type(in), arguments.size()));
      arguments.push_back(change_of(in));
    }
    int const node = one.add(g_[base].op, g_.type(base), operands, g_.attributes(base));
    int const y = is_item ? one.apply<op::item>({node}, {g_.attribute(id, 0)}) : node;
    tangent_sweep sweep(one, &push_scan_forward);
    for (int i = 0; i < moved.size(); ++i) sweep.set(moved[i], changes[i]);
    int const pushed = sweep.run(list<int>{y})[0];
    if (!one.error().empty()) g_.fail(one.error());

    of(id).pushed = -1;
    if (pushed < 0) return;
    int const first = g_.size();
    int const found =
        core::splice(g_, part_of(one, one.parameters(), list<int>{pushed}), arguments.data())[0];
    series& result = of(id);
    result.pushed = found;
    result.first = first;
    result.end = g_.size();
    result.is_linear = base == id && is_alike(id, found);
  }
  // Whether a pushforward is the op of its node, applied to derivatives of its operands.
  constexpr bool is_alike(int id, int pushed) {
    if (*g_[pushed].op != *g_[id].op || g_.type(pushed) != g_.type(id) ||
        g_[pushed].input_count != g_[id].input_count ||
        g_[pushed].attribute_count != g_[id].attribute_count)
      return false;
    for (int i = 0; i < g_[id].attribute_count; ++i)
      if (g_.attribute(pushed, i) != g_.attribute(id, i)) return false;
    for (int i = 0; i < g_[id].input_count; ++i) {
      int const in = g_.input_of(id, i);
      if (g_.input_of(pushed, i) != (is_active(in) ? of(in).change : in)) return false;
    }
    return true;
  }

  graph& g_;
  list<series> nodes_{};
};

}  // namespace kroton::calculus
