// Matching the left side of a rule against a node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/right_side.hpp>

namespace kroton::rewrite {

/// One attempt to match the left side of one rule. Goals, what of the pattern is to be found at
/// which node, stand in chains; where there is a choice, it is noted, and what fails later goes
/// back to the last one. The operands of a sum or product that have an op are looked for first; of
/// the bare variables each takes one of the others as they come, and the last one what is left.
/// Only those that stand elsewhere in the pattern, too, try others. Without recursion: compilers
/// count nested calls.
class matcher {
 public:
  constexpr matcher(rewriter& r, pattern const& p, rule_record const& rule)
      : r_(r), g_(r.g), p_(p), rule_(rule), refuses_special_(r.has_special() && !rule.complex) {
    found_.of = &r.g;
  }

  /// Whether the left side matches at `id`, and the guard agrees. Operands of a sum or product at
  /// the root that are left over go to `rest`.
  constexpr bool at_root(int id, list<int>& rest) {
    if (!is_likely(id)) return false;
    int now = goal_for({p_.left, id, none, 0, none, false});
    for (int steps = 0; steps < most_steps; ++steps) {
      if (now == none && deferred_ != none) now = std::exchange(deferred_, none);
      if (now == none && (!rule_.has_guard || rule_.guard(found_))) {
        rest.swap(rest_);
        return true;
      }
      now = now == none ? failed : step(now, 0);
      while (now == failed) {
        if (choices_.empty() || r_.is_suspended()) return false;
        choice const last = choices_.back();
        choices_.pop_back();
        found_ = last.found;
        deferred_ = last.deferred;
        now = step(last.goal, last.next);
      }
    }
    return false;
  }
  constexpr match const& found() const { return found_; }

 private:
  static constexpr int none = -1, failed = -2;
  // Against sums of many alike terms: a pattern has that many goals only when nearly all choices
  // were tried.
  static constexpr int most_steps = 20'000;

  /// A node of the pattern that is to be found at a node of the graph; of a sum or product, from
  /// operand k on.
  struct goal {
    int at, id;
    int then;     // the next goal
    int k;        // of a sum or product
    int taken;    // the operands that are taken, a chain in takes_
    bool chosen;  // whether its bare variables have waited for all other goals
  };
  struct take {
    int operand, before;
  };
  struct choice {
    match found;
    int deferred, goal, next;
  };

  constexpr pattern_node const& node(int i) const { return p_.nodes.first[i]; }
  static constexpr bool is_nary(op_info const* op) {
    return is_op<op::add>(op) || is_op<op::mul>(op);
  }
  static constexpr bool is_variable(pattern_node const& n) {
    return n.is == pattern_node::kind::variable;
  }
  static constexpr bool is_application(pattern_node const& n) {
    return n.is == pattern_node::kind::application && n.negation < 0;
  }
  constexpr int goal_for(goal const& g) {
    goals_.push_back(g);
    return goals_.size() - 1;
  }
  constexpr void choose(int at, int next) { choices_.push_back({found_, deferred_, at, next}); }

  /// A look at the operands' ops: most attempts end here, before anything is allocated.
  constexpr bool is_likely(int id) const {
    pattern_node const& root = node(p_.left);
    if (!is_application(root)) return true;
    if (is_nary(root.op)) return *g_[id].op == *root.op && is_plausible(root, id);
    if (g_[id].input_count != root.input_count) return false;
    if (root.input_count == 2 && root.op->has(law::commutative)) return true;
    for (int i = 0; i < root.input_count; ++i) {
      pattern_node const& n = node(p_.input(root, i));
      if (is_application(n) && g_[g_.input_of(id, i)].op->key != n.op->key) return false;
    }
    return true;
  }

  /// Takes one step towards a goal, by alternative number `next`; gives the goal after that.
  constexpr int step(int at, int next) {
    goal const now = goals_[at];
    pattern_node const& n = node(now.at);
    if (is_variable(n)) return stands_for(n, now.id) ? now.then : failed;
    if (n.is == pattern_node::kind::literal) return is_literal(now.id, n.value) ? now.then : failed;
    if (n.negation >= 0) return negated(n.negation, now.id) ? now.then : failed;
    if (is_nary(n.op)) return operand(at, now, n, next);
    if (next == 0 && !is_alike(n, now.id)) return failed;
    if (next == 0 && n.input_count == 2 && n.op->has(law::commutative)) choose(at, 1);
    int then = now.then;
    for (int i = n.input_count - 1; i >= 0; --i)
      then = goal_for(
          {p_.input(n, i), g_.input_of(now.id, next == 1 ? 1 - i : i), then, 0, none, false});
    return then;
  }
  constexpr bool is_literal(int id, double value) const {
    if (!g_.is_literal(id, value)) return false;
    // -0 is no 0
    return value != 0 || r_.real() ||
           g_.literal_bits(id) == __builtin_bit_cast(std::int64_t, value);
  }
  constexpr bool is_alike(pattern_node const& n, int id) {
    if (!(*g_[id].op == *n.op) || g_[id].input_count != n.input_count) return false;
    if (n.attribute_count >= 0) return has_attributes(n, id);
    return g_[id].attribute_count == 0 || same_attributes(id);
  }
  constexpr bool stands_for(pattern_node const& variable, int id) {
    return (variable.rank < 0 || g_.type(id).rank == variable.rank) &&
           (!variable.complex || is_complex(g_.type(id).element)) && bind(variable.variable, id);
  }
  constexpr bool has_attributes(pattern_node const& n, int id) const {
    bool same = g_[id].attribute_count == n.attribute_count;
    for (int i = 0; same && i < n.attribute_count; ++i)
      same = g_.attribute(id, i) == p_.attribute(n, i);
    return same;
  }
  constexpr bool bind(int variable, int id) {
    if (refuses_special_ && rewriter::is_special(g_.type(id).element)) return false;
    int& bound = found_.bound[variable];
    if (bound < 0) bound = id;
    return bound == id;
  }
  /// The reductions and views of a rule share their attributes: the first that is met fixes them.
  constexpr bool same_attributes(int id) {
    if (found_.alike < 0) found_.alike = id;
    items<long long> const own = g_.attributes(id), known = g_.attributes(found_.alike);
    bool same = own.count == known.count;
    for (int i = 0; same && i < own.count; ++i) same = own[i] == known[i];
    return same;
  }

  /// -a matches whatever is the negative of a; an a that is not known yet has to be written with a
  /// minus sign.
  constexpr bool negated(int variable, int id) {
    int const known = found_[variable];
    if (known >= 0)
      return g_.type(known).element == g_.type(id).element && r_.negative(known) == id;
    if (g_.is<op::neg>(id)) return bind(variable, g_.input_of(id, 0));
    if (g_.is_literal(id) || !(g_.is<op::mul>(id) || g_.is<op::add>(id)) ||
        !has_normal_form(g_.type(id).element))
      return false;
    int const first = g_.input_of(id, 0);
    int const sign = g_.is<op::mul>(first) ? g_.input_of(first, 0) : first;
    if (!g_.is_literal(sign) || !(g_.literal_value(sign) < 0)) return false;
    return bind(variable, r_.negative(id));
  }

  // Whether an operand of a pattern asks for the op of another one.
  static constexpr bool is_same_op(pattern_node const& a, pattern_node const& b) {
    return is_application(a) && a.op->key == b.op->key;
  }
  /// Whether every op that the pattern asks for is there, as often as it does: most attempts end
  /// here, before anything is allocated.
  constexpr bool is_plausible(pattern_node const& n, int id) const {
    int const count = g_[id].input_count;
    if (count < n.input_count) return false;
    int const* const inputs = g_.input_data(id);
    for (int k = 0; k < n.input_count; ++k) {
      pattern_node const& asked = node(p_.input(n, k));
      if (asked.is == pattern_node::kind::variable || asked.negation >= 0) continue;
      bool there = false;
      if (asked.is == pattern_node::kind::literal) {
        // A literal can only be the first operand in normal form.
        for (int i = 0; i < (r_.real() ? 1 : count) && !there; ++i)
          there = g_.is_literal(inputs[i], asked.value);
      } else {
        int missing = 1;
        for (int j = 0; j < k; ++j)
          if (pattern_node const& before = node(p_.input(n, j)); is_same_op(before, asked))
            ++missing;
        for (int i = 0; i < count && missing > 0; ++i)
          missing -= g_[inputs[i]].op->key == asked.op->key ? 1 : 0;
        there = missing == 0;
      }
      if (!there) return false;
    }
    return true;
  }

  /// The next operand of a sum or product; alternatives are the operands of the node.
  constexpr int operand(int at, goal const& now, pattern_node const& n, int next) {
    if (now.k == 0 && next == 0 && (!(*g_[now.id].op == *n.op) || !is_plausible(n, now.id)))
      return failed;
    if (now.k == n.input_count || is_variable(node(p_.input(n, now.k))))
      return variables(at, now, n, next);
    int const asked = p_.input(n, now.k);
    pattern_node const& child = node(asked);
    if (next == 0 && child.negation >= 0)
      if (int const taken = negated_terms(now, n, child.negation); taken >= 0)
        return goal_for({now.at, now.id, now.then, now.k + 1, taken, false});
    for (int i = next; i < g_[now.id].input_count; ++i) {
      int const id = g_.input_of(now.id, i);
      if (is_application(child) && g_[id].op->key != child.op->key) continue;
      if (child.is == pattern_node::kind::literal && !is_literal(id, child.value)) continue;
      if (is_taken(now.taken, i)) continue;
      if (i + 1 < g_[now.id].input_count) choose(at, i + 1);
      takes_.push_back({i, now.taken});
      int const others = goal_for({now.at, now.id, now.then, now.k + 1, takes_.size() - 1, false});
      return goal_for({asked, id, others, 0, none, false});
    }
    return failed;
  }
  /// Where -a in a sum is a sum itself, its terms: those of an a that is known, or all that are
  /// left. The operands that are taken then; -1 for none.
  constexpr int negated_terms(goal const& now, pattern_node const& n, int variable) {
    if (!is_op<op::add>(n.op) || !r_.real()) return none;
    list<int> left, at;
    for (int i = 0; i < g_[now.id].input_count; ++i)
      if (!is_taken(now.taken, i)) left.push_back(g_.input_of(now.id, i)), at.push_back(i);
    int taken = now.taken;
    if (int const known = found_[variable]; known >= 0) {
      if (!g_.is<op::add>(known) || g_.type(known).element != g_.type(now.id).element) return none;
      int const wanted = r_.negative(known);
      if (!g_.is<op::add>(wanted)) return none;
      for (int term : r_.inputs(wanted)) {
        int k = 0;
        while (k < left.size() && left[k] != term) ++k;
        if (k == left.size()) return none;
        takes_.push_back({at[k], taken});
        taken = takes_.size() - 1;
        left.erase(k);
        at.erase(k);
      }
      return taken;
    }
    if (now.at == p_.left || now.k + 1 != n.input_count || left.size() < 2) return none;
    if (!bind(variable, r_.negative(r_.make(n.op, left)))) return none;
    for (int operand : at) {
      takes_.push_back({operand, taken});
      taken = takes_.size() - 1;
    }
    return taken;
  }
  constexpr bool is_taken(int taken, int i) const {
    while (taken >= 0 && takes_[taken].operand != i) taken = takes_[taken].before;
    return taken >= 0;
  }

  /// The bare variables of a sum or product, which take the operands that nothing else has. Those
  /// that other goals may bind wait for these.
  constexpr int variables(int at, goal const& now, pattern_node const& n, int next) {
    list<int> open, once;
    for (int k = now.k; k < n.input_count; ++k) {
      int const at_variable = p_.input(n, k);
      pattern_node const& v = node(at_variable);
      if (found_[v.variable] < 0) (v.repeated ? open : once).push_back(at_variable);
    }
    bool const waits = !open.empty();
    open.append(once.data(), once.size());
    if (waits && !now.chosen) {
      deferred_ = goal_for({now.at, now.id, deferred_, now.k, now.taken, true});
      return now.then;
    }
    list<int> left;
    for (int i = 0; i < g_[now.id].input_count; ++i)
      if (!is_taken(now.taken, i)) left.push_back(g_.input_of(now.id, i));
    for (int k = now.k; k < n.input_count; ++k)
      if (int const known = found_[node(p_.input(n, k)).variable];
          known >= 0 && !remove(left, n.op, known))
        return failed;
    if (open.empty()) {
      if (now.at == p_.left) rest_.swap(left);
      else if (!left.empty()) return failed;
      return now.then;
    }
    if (left.size() < open.size()) return failed;
    // The alternatives are the ways to pick one operand for each variable except the last, as
    // digits.
    int ways = 1;
    for (int k = 0; k + 1 < open.size() && ways < most_steps; ++k) ways *= left.size() - k;
    if (waits && next + 1 < ways) choose(at, next + 1);
    int digits = next;
    for (int k = 0; k + 1 < open.size(); ++k) {
      int const pick = digits % left.size();
      digits /= left.size();
      if (!stands_for(node(open[k]), left[pick])) return failed;
      left.erase(pick);
    }
    int const last = left.size() == 1 ? left[0] : r_.make(n.op, left);
    return stands_for(node(open.back()), last) ? now.then : failed;
  }
  /// Takes away what a variable stands for: one operand, or all operands of a sum in a sum.
  constexpr bool remove(list<int>& from, op_info const* op, int id) const {
    auto take_one = [&](int wanted) {
      int at = 0;
      while (at < from.size() && from[at] != wanted) ++at;
      if (at == from.size()) return false;
      from.erase(at);
      return true;
    };
    if (take_one(id)) return true;
    if (!(*g_[id].op == *op)) return false;
    for (int i : g_.inputs(id))
      if (!take_one(i)) return false;
    return true;
  }

  rewriter& r_;
  graph& g_;
  pattern const& p_;
  rule_record const& rule_;
  bool refuses_special_;
  match found_;
  list<goal> goals_;
  list<take> takes_;
  list<choice> choices_;
  list<int> rest_;
  int deferred_ = none;
};

/// The replacement that a rule gives for a node, or -1.
constexpr int apply_rule(rewriter& r, book_view const& book, rule_record const& rule, int id) {
  if (rule.has_build) return rule.build(r, id);
  graph& g = r.g;
  pattern const sides = r.real() ? book.in_normal_form(rule) : book.as_written(rule);
  matcher m(r, sides, rule);
  list<int> rest;
  if (!m.at_root(id, rest)) return -1;
  element const e = g[id].op->elementwise ? g.type(g.input_of(id, g[id].input_count - 1)).element
                                          : g.type(id).element;
  int const result = right_side(r, sides, m.found()).build(e);
  if (rest.empty()) return result;
  op_info const* op = g[id].op;
  rest.insert(0, result);
  return r.make(op, rest);
}

}  // namespace kroton::rewrite
