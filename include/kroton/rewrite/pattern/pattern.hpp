// From a lambda that gives a pair of expressions to a pattern: traced once, in the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/rewrite/pattern/engine.hpp>

namespace kroton {
namespace rewrite {

/// What `left >> right` gives inside a rule.
struct rewriting {
  term left, right;
};

}  // namespace rewrite

/// In a rule: what stands on the left is replaced by what stands on the right.
constexpr rewrite::rewriting operator>>(term left, term right) { return {left, right}; }
template <number N>
constexpr rewrite::rewriting operator>>(term left, N right) {
  return {left, {left.of, left.of->literal(right, left.element())}};
}

namespace rewrite {

/// How many nodes, and operands of nodes, the sides of so many rules may have together, the left
/// ones counted in both spellings.
constexpr int room_of_rules(int rules) { return 200 + 40 * rules; }

/// Writes the rules of one book as patterns, all of them into one list of nodes. They share a graph
/// and an engine, whose making would cost more than a rule does.
class rule_tracer {
 public:
  constexpr rule_tracer(pattern_node* nodes, int* operands, int room)
      : nodes_(nodes), operands_(operands), room_(room), engine_(engine, rewrite_options{}) {
    for (int i = 0; i < most_wildcards; ++i) written_.input({element::float64, 0, 0}, i);
  }

  /// `typed`: the variables have types, so that attributes are what the rule says.
  constexpr void trace(rule_record& rule, rewriting const& sides, bool typed) {
    typed_ = typed;
    rule.right = append(written_, sides.right.id);
    rule.written = append(written_, sides.left.id);
    note_repeated(rule.written);
    rule.ieee_root = root(rule.written);
    rule.ieee_needs = needs(rule.written);
    count_readers(sides.left.id);
    rule.normal = append(engine_.g, engine_.closed(normal_form(sides.left.id)));
    note_repeated(rule.normal);
    rule.roots[0] = root(rule.normal);
    rule.needs = needs(rule.normal);
    rule.root_count = 1;
  }

  /// The graph in which the sides are written.
  constexpr graph& written() { return written_; }
  /// The position of one more expression of the rule that was traced last.
  constexpr int append(term side) { return append(written_, side.id); }

  static constexpr int most_wildcards = 8;

 private:
  /// How often each node of a left side is read there; what forms they have is not known yet.
  constexpr void count_readers(int root) {
    for (int id : reached_) readers_[id] = 0;
    reached_.clear();
    forms_.extend(written_.size(), -1);
    readers_.extend(written_.size(), 0);
    reached_.push_back(root);
    for (int k = 0; k < reached_.size(); ++k) {
      forms_[reached_[k]] = -1;
      for (int i : written_.inputs(reached_[k]))
        if (readers_[i]++ == 0) reached_.push_back(i);
    }
  }
  /// A node of the graph in the form in which the engine, without any rule, would keep it. As in a
  /// rewriting_pass, sums of sums are one, except where a long one has another reader, too.
  constexpr int normal_form(int id) {
    if (forms_[id] >= 0) return forms_[id];
    list<int> inputs;
    for (int i : written_.inputs(id)) inputs.push_back(normal_form(i));
    int const raw =
        engine_.g.add(written_[id].op, written_.type(id), inputs, written_.attributes(id));
    bool const sums = is_sum(written_, id) && has_normal_form(written_.type(id).element);
    return forms_[id] = sums ? engine_.conform(engine_.sealed(sum_of(id, inputs)), raw)
                             : engine_.settle(raw);
  }
  constexpr int sum_of(int id, list<int> const& terms) {
    element const e = written_.type(id).element;
    sum_of_terms sum(engine_, e);
    for (int i = 0; i < terms.size(); ++i)
      sum.add(terms[i], number_of(e, subtracts(id, i) ? -1 : 1),
              readers_[written_.input_of(id, i)] > 1);
    return sum.build();
  }
  constexpr bool subtracts(int id, int i) const {
    return written_.is<op::neg>(id) || (written_.is<op::sub>(id) && i == 1);
  }
  /// Appends what `root` of a graph needs and gives its position.
  constexpr int append(graph const& g, int root) {
    appended_.clear();
    first_ = count_;
    return add(g, root);
  }
  constexpr int add(graph const& g, int id) {
    // Conversions are the engine's business: rules are written for one element type.
    if (g.is<op::cast>(id)) return add(g, g.input_of(id, 0));
    for (int k = 0; k < appended_.size(); ++k)
      if (appended_[k] == id) return first_ + k;
    pattern_node n{};
    n.negation = -1;
    if (g.is<op::input>(id)) {
      n.is = pattern_node::kind::variable;
      n.variable = static_cast<int>(g.attribute(id, 0));
      n.complex = is_complex(g.type(id).element);
      n.rank = static_cast<std::int8_t>(g.type(id).rank > 0 ? g.type(id).rank : -1);
    } else if (g.is_literal(id)) {
      n.is = pattern_node::kind::literal;
      n.value = g.literal_value(id);
    } else {
      n.is = pattern_node::kind::application;
      n.op = g[id].op;
      list<int> inputs;
      for (int i : g.inputs(id)) inputs.push_back(add(g, i));
      n.first_input = operand_count_;
      n.input_count = inputs.size();
      n.attribute_count =
          static_cast<std::int8_t>(typed_ ? static_cast<int>(g[id].attribute_count) : -1);
      if (operand_count_ + n.input_count + g[id].attribute_count > room_)
        throw value_error(
            "kt::rule: a book of n rules holds at most 200 + 40 n operands and attributes");
      for (int i : inputs) operands_[operand_count_++] = i;
      for (int i = 0; i < n.attribute_count; ++i)
        operands_[operand_count_++] = static_cast<int>(g.attribute(id, i));
      n.negation = negated_variable(n);
      if (is_op<op::add>(n.op) || is_op<op::mul>(n.op)) order(n);
    }
    if (count_ == room_)
      throw value_error(
          "kt::rule: a book of n rules holds at most 200 + 40 n ops, variables and numbers");
    appended_.push_back(id);
    nodes_[count_] = n;
    return count_++;
  }
  /// Marks the variables that stand more than once in a left side.
  constexpr void note_repeated(int left) {
    int seen[most_wildcards]{};
    list<int> rest{left};
    while (!rest.empty()) {
      pattern_node const& n = nodes_[rest.back()];
      rest.pop_back();
      if (n.is == pattern_node::kind::variable) ++seen[n.variable];
      for (int i = 0; i < n.input_count; ++i) rest.push_back(input(n, i));
    }
    for (int k = first_; k < count_; ++k)
      if (nodes_[k].is == pattern_node::kind::variable)
        nodes_[k].repeated = seen[nodes_[k].variable] > 1;
  }
  constexpr int& input(pattern_node const& n, int i) const { return operands_[n.first_input + i]; }
  /// The key of the op at the top of a left side; 0 when that is not an application, and the rule
  /// says nothing.
  constexpr std::uint64_t root(int left) const {
    pattern_node const& top = nodes_[left];
    return top.is == pattern_node::kind::application ? top.op->key : 0;
  }
  /// The ops that the operands of a node must have for a left side to match, and what lies below
  /// those that are looked through.
  constexpr std::uint64_t needs(int left) const {
    pattern_node const& top = nodes_[left];
    std::uint64_t ops = 0;
    for (int i = 0; i < top.input_count; ++i) {
      pattern_node const& n = nodes_[input(top, i)];
      if (n.is == pattern_node::kind::literal) ops |= op_bit(identity<op::literal>()->key);
      if (n.is != pattern_node::kind::application || n.negation >= 0) continue;
      ops |= op_bit(n.op->key);
      if (is_looked_through(n.op)) ops |= needs(input(top, i));
    }
    return ops;
  }
  /// The variable of `-a`, in either spelling; -1 for anything else.
  constexpr int negated_variable(pattern_node const& n) const {
    bool const product = is_op<op::mul>(n.op) && n.input_count == 2 &&
                         nodes_[input(n, 0)].value == -1 &&
                         nodes_[input(n, 0)].is == pattern_node::kind::literal;
    if (!product && !is_op<op::neg>(n.op)) return -1;
    pattern_node const& negated = nodes_[input(n, n.input_count - 1)];
    return negated.is == pattern_node::kind::variable ? negated.variable : -1;
  }
  /// Literals are looked for first, then ops, then ops of `-a`, and bare variables take what is
  /// left.
  constexpr int weight(int i) const {
    pattern_node const& n = nodes_[i];
    if (n.is != pattern_node::kind::application)
      return n.is == pattern_node::kind::literal ? 0 : 100;
    int result = n.negation >= 0 ? 50 : 1;
    for (int k = 0; k < n.input_count; ++k) result += nodes_[input(n, k)].negation >= 0 ? 5 : 0;
    return result;
  }
  constexpr void order(pattern_node& n) const {
    for (int i = 1; i < n.input_count; ++i)
      for (int j = i; j > 0 && weight(input(n, j)) < weight(input(n, j - 1)); --j)
        std::swap(input(n, j), input(n, j - 1));
  }

  graph written_;
  pattern_node* nodes_;
  int* operands_;
  int room_;
  rewriter engine_;
  list<int> forms_;     // of the nodes of the graph, in the engine's; -1: not made yet
  list<int> readers_;   // how many the nodes of the graph have in the left side at hand
  list<int> reached_;   // the nodes of that left side
  list<int> appended_;  // the nodes of one side, from position first_ on
  int count_ = 0, first_ = 0, operand_count_ = 0;
  bool typed_ = false;
};

// A class, since nvcc forgets the pack in decltype((void(I), term{})).
template <std::size_t>
struct indexed_term {
  using type = term;
};
template <class L, class... T>
concept takes = requires(L const& rule, T const&... wildcards) { rule(wildcards...); };

/// Calls the lambda of a rule on the inputs of a graph.
template <class L, std::size_t... I>
constexpr rewriting written_pair(graph& g) {
  return L{}(term{&g, static_cast<int>(I)}...);
}
/// The same on inputs of the types that its parameters have.
template <class L, class... V, std::size_t... I>
constexpr rewriting typed_pair(graph& g, std::index_sequence<I...>) {
  return L{}(V(term{&g, g.add(identity<op::input>(), V::parameter_type, items<int>{},
                              list<long long>{static_cast<long long>(I)})})...);
}
template <class L, class... V>
constexpr rewriting typed_pair(graph& g) {
  return typed_pair<L, V...>(g, std::index_sequence_for<V...>{});
}

/// How a rule is traced.
struct traced_pair {
  rewriting (*pair)(graph&) = nullptr;
  bool typed = false;
};
template <class L, class... V>
constexpr traced_pair pair_with_types(rewriting (L::*)(V...) const) {
  static_assert(sizeof...(V) <= rule_tracer::most_wildcards,
                "kt::rule: a rule is a lambda of one to eight parameters");
  return {&typed_pair<L, std::remove_cvref_t<V>...>, true};
}
/// written_pair for as many wildcards as the lambda has, or typed_pair where they have types.
template <class L, std::size_t... I>
constexpr traced_pair pair_of_rule() {
  static_assert(sizeof...(I) <= rule_tracer::most_wildcards,
                "kt::rule: a rule is a lambda of one to eight parameters");
  if constexpr (requires { &L::operator(); }) return pair_with_types(&L::operator());
  else if constexpr (takes<L, typename indexed_term<I>::type...>)
    return {&written_pair<L, I...>, false};
  else return pair_of_rule<L, I..., sizeof...(I)>();
}

}  // namespace rewrite
}  // namespace kroton
