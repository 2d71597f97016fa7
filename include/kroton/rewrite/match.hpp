// Matching a pattern against a node, and building the right side of a rule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/products.hpp>

namespace kroton::core {

/// One attempt to match one pattern. At an n-ary sum or product each operand of the pattern that has an op is looked for among
/// the operands with that op. Of the bare variables each takes one of the others as they come, and the last takes what is left: never
/// permutations.
class matcher {
 public:
  /// `refuses_complex`: variables stand for real numbers only.
  constexpr matcher(rewriter& r, pattern const& p, bool refuses_complex)
      : r_(r), g_(r.g), p_(p), refuses_complex_(refuses_complex) {
    found_.of = &r.g;
  }

  /// Matches the left side at `id`. At the root of a sum or product, operands that are left over go to `rest`.
  constexpr bool at_root(int id, list<int>& rest) {
    pattern_node const& root = node(p_.left);
    if (is_nary(root.op)) return operands(root, id, &rest);
    return one(p_.left, id);
  }
  constexpr match const& found() const { return found_; }

  /// Makes the right side; literals take the type of what they stand beside.
  constexpr int build(element e) { return build(p_.right, e); }

 private:
  constexpr pattern_node const& node(int i) const { return p_.nodes.first[i]; }
  static constexpr bool is_nary(op_info const* op) { return is_op<op::add>(op) || is_op<op::mul>(op); }
  static constexpr bool is_variable(pattern_node const& n) { return n.is == pattern_node::kind::variable; }

  constexpr bool one(int at, int id) {
    pattern_node const& n = node(at);
    if (is_variable(n)) return bind(n.variable, id);
    if (n.is == pattern_node::kind::literal) {
      if (!g_.is_literal(id, n.value)) return false;
      return n.value != 0 || r_.real() || g_.literal_bits(id) == __builtin_bit_cast(std::int64_t, n.value);  // -0 is no 0
    }
    if (n.negation >= 0) return negated(n.negation, id);
    if (!(*g_[id].op == *n.op)) return false;
    if (is_nary(n.op)) return operands(n, id, nullptr);
    if (g_[id].attribute_count > 0 && !same_attributes(id)) return false;
    if (g_[id].input_count != n.input_count) return false;
    if (n.op->has(law::commutative) && n.input_count == 2) return either_order(n, id);
    for (int i = 0; i < n.input_count; ++i)
      if (!one(n.inputs[i], g_.input_of(id, i))) return false;
    return true;
  }
  constexpr bool either_order(pattern_node const& n, int id) {
    match const before = found_;
    int const a = g_.input_of(id, 0), b = g_.input_of(id, 1);
    if (one(n.inputs[0], a) && one(n.inputs[1], b)) return true;
    found_ = before;
    return one(n.inputs[0], b) && one(n.inputs[1], a);
  }
  constexpr bool bind(int variable, int id) {
    if (refuses_complex_ && is_complex(g_.type(id).element)) return false;
    int& bound = found_.bound[variable];
    if (bound < 0) bound = id;
    return bound == id;
  }
  /// The reductions and views of a rule share their attributes: the first that is met fixes them.
  constexpr bool same_attributes(int id) {
    if (g_[id].attribute_count > 2) return false;
    for (int i = 0; i < g_[id].attribute_count; ++i) {
      long long& known = found_.attributes[i];
      if (found_.has_attributes && known != g_.attribute(id, i)) return false;
      known = g_.attribute(id, i);
    }
    found_.has_attributes = true;
    return true;
  }

  /// -a matches whatever is the negative of a; an a that is not known yet has to be written with a minus sign.
  constexpr bool negated(int variable, int id) {
    int const known = found_[variable];
    if (known >= 0) return g_.type(known).element == g_.type(id).element && r_.negative(known) == id;
    if (g_.is<op::neg>(id)) return bind(variable, g_.input_of(id, 0));
    if (g_.is_literal(id) || !(g_.is<op::mul>(id) || g_.is<op::add>(id)) || !has_normal_form(g_.type(id).element)) return false;
    int const first = g_.input_of(id, 0);
    int const sign = g_.is<op::mul>(first) ? g_.input_of(first, 0) : first;
    if (!g_.is_literal(sign) || !(g_.literal_value(sign) < 0)) return false;
    return bind(variable, r_.negative(id));
  }

  /// Operands of an n-ary node: the first operand of the pattern tries every operand of the node, the others take the first
  /// that fits.
  constexpr bool operands(pattern_node const& n, int id, list<int>* rest) {
    if (!(*g_[id].op == *n.op) || !plausible(n, id)) return false;
    match const before = found_;
    pattern_node const& first = node(n.inputs[0]);
    bool const has_op = first.is == pattern_node::kind::application && first.negation < 0;
    for (int start = 0; start < g_[id].input_count; ++start) {
      // Most attempts end with the first operand's op, before anything is set.
      if (has_op && g_[g_.input_of(id, start)].op->key != first.op->key) continue;
      if (assign(n, id, start, rest)) return true;
      found_ = before;
      if (is_variable(first)) break;
    }
    return false;
  }
  // Whether an operand of a pattern asks for the op of another one.
  static constexpr bool is_same_op(pattern_node const& a, pattern_node const& b) {
    return a.is == pattern_node::kind::application && a.negation < 0 && a.op->key == b.op->key;
  }
  /// Whether every op that the pattern asks for is there, as often as it does: most attempts end here, before anything is allocated.
  constexpr bool plausible(pattern_node const& n, int id) const {
    int const count = g_[id].input_count;
    if (count < n.input_count) return false;
    int const* const inputs = g_.input_data(id);
    for (int k = 0; k < n.input_count; ++k) {
      pattern_node const& wanted = node(n.inputs[k]);
      if (wanted.is == pattern_node::kind::variable || wanted.negation >= 0) continue;
      bool there = false;
      if (wanted.is == pattern_node::kind::literal) {
        // A literal can only be the first operand in normal form.
        for (int i = 0; i < (r_.real() ? 1 : count) && !there; ++i) there = g_.is_literal(inputs[i], wanted.value);
      } else {
        int missing = 1;
        for (int j = 0; j < k; ++j)
          if (pattern_node const& before = node(n.inputs[j]); is_same_op(before, wanted)) ++missing;
        for (int i = 0; i < count && missing > 0; ++i) missing -= g_[inputs[i]].op->key == wanted.op->key ? 1 : 0;
        there = missing == 0;
      }
      if (!there) return false;
    }
    return true;
  }
  constexpr bool assign(pattern_node const& n, int id, int start, list<int>* rest) {
    // The first operand before anything is allocated: most attempts end with it.
    bool const bare = is_variable(node(n.inputs[0])) && found_[node(n.inputs[0]).variable] < 0;
    if (!bare && !one(n.inputs[0], g_.input_of(id, start))) return false;
    list<int> left = r_.inputs(id);
    if (!bare) left.erase(start);
    int wild[4]{}, wilds = 0;
    for (int k = bare ? 0 : 1; k < n.input_count; ++k) {
      pattern_node const& wanted = node(n.inputs[k]);
      if (is_variable(wanted) && found_[wanted.variable] < 0) {
        wild[wilds++] = wanted.variable;
        continue;
      }
      bool fits = false;
      match const before = found_;
      for (int i = 0; i < left.size() && !fits; ++i) {
        found_ = before;
        fits = one(n.inputs[k], left[i]);
        if (fits) left.erase(i);
      }
      if (!fits) return false;
    }
    if (wilds > 0) {
      // Those that another operand has bound by now are there or not; of the others each takes one, and the last one the rest.
      int open = 0;
      for (int k = 0; k < wilds; ++k) {
        int const bound = found_[wild[k]];
        if (bound < 0) {
          wild[open++] = wild[k];
          continue;
        }
        int at = 0;
        while (at < left.size() && left[at] != bound) ++at;
        if (at == left.size()) return false;
        left.erase(at);
      }
      wilds = open;
    }
    if (wilds > 0) {
      for (int k = 0; k + 1 < wilds && !left.empty(); ++k) {
        if (!bind(wild[k], left[0])) return false;
        left.erase(0);
      }
      if (left.empty()) return false;
      return bind(wild[wilds - 1], left.size() == 1 ? left[0] : r_.make(n.op, left));
    }
    if (rest == nullptr) return left.empty();
    rest->swap(left);
    return true;
  }

  constexpr int build(int at, element e) {
    pattern_node const& n = node(at);
    if (is_variable(n)) return found_[n.variable];
    if (n.is == pattern_node::kind::literal) return r_.literal(n.value, e);
    int built[4]{};
    element elements[4]{};
    element beside = e;
    // Literals last: their type follows from the others.
    bool known = false;
    for (int i = 0; i < n.input_count; ++i) {
      if (node(n.inputs[i]).is == pattern_node::kind::literal) continue;
      built[i] = build(n.inputs[i], e);
      element const own = g_.type(built[i]).element;
      bool const condition = is_op<op::where>(n.op) && i == 0;
      if (!condition) beside = known ? promote(beside, own) : own, known = true;
    }
    for (int i = 0; i < n.input_count; ++i)
      if (node(n.inputs[i]).is == pattern_node::kind::literal) built[i] = r_.literal(node(n.inputs[i]).value, beside);
    for (int i = 0; i < n.input_count; ++i) elements[i] = g_.type(built[i]).element;
    items<int> const inputs{built, n.input_count};
    if (n.op->elementwise) {
      signature const types = n.op->types(elements, n.input_count < 3 ? n.input_count : 3);
      for (int i = 0; i < n.input_count && i < 3; ++i) built[i] = r_.cast(built[i], types.operand[i]);
      return r_.make(n.op, inputs);
    }
    return r_.make(n.op, inputs, {found_.attributes, found_.has_attributes ? 2 : 0});
  }

  rewriter& r_;
  graph& g_;
  pattern const& p_;
  bool refuses_complex_;
  match found_;
};

/// The replacement that a rule gives for a node, or -1.
constexpr int apply_rule(rewriter& r, book_view const& book, rule_record const& rule, int id) {
  if (rule.has_build) return rule.build(r, id);
  graph& g = r.g;
  pattern const sides = r.real() ? book.in_normal_form(rule) : book.as_written(rule);
  matcher m(r, sides, r.has_complex() && !rule.complex);
  list<int> rest;
  if (!m.at_root(id, rest) || (rule.has_guard && !rule.guard(m.found()))) return -1;
  element const e = g[id].op->elementwise ? g.type(g.input_of(id, g[id].input_count - 1)).element : g.type(id).element;
  int const result = m.build(e);
  if (rest.empty()) return result;
  op_info const* op = g[id].op;
  rest.insert(0, result);
  return r.make(op, rest);
}

}  // namespace kroton::core
