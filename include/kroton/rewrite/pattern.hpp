// From a lambda that gives a pair of expressions to a pattern: traced once, in the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine.hpp>

namespace kroton {
namespace core {

/// What `left >> right` gives inside a rule.
struct rewriting {
  term left, right;
};

}  // namespace core

/// In a rule: what stands on the left is replaced by what stands on the right.
constexpr core::rewriting operator>>(term left, term right) { return {left, right}; }
template <number N>
constexpr core::rewriting operator>>(term left, N right) {
  return {left, {left.of, left.of->literal(right, left.element())}};
}

namespace core {

/// The two sides of a rule have no more nodes than this, the left one counted in both spellings.
inline constexpr int longest_rule = 40;

/// A rule as patterns: its left side in normal form and as written, and its right side.
class traced_rule {
 public:
  constexpr pattern normal() const { return {{nodes_, count_}, normal_, right_}; }
  constexpr pattern as_written() const { return {{nodes_, count_}, written_, right_}; }

  constexpr void add_normal(graph const& g, int root) { normal_ = append(g, root); }
  constexpr void add_written(graph const& g, int left, int right) {
    written_ = append(g, left);
    right_ = append(g, right);
  }

 private:
  /// Appends what `root` of a graph needs and gives its position.
  constexpr int append(graph const& g, int root) {
    list<int> position(g.size(), -1);
    list<bool> needed = list<bool>(g.size());
    needed[root] = true;
    for (int id = root; id >= 0; --id)
      if (needed[id])
        for (int i : g.inputs(id)) needed[i] = true;
    for (int id = 0; id <= root; ++id) {
      if (!needed[id]) continue;
      // Conversions are the engine's business: rules are written for one element type.
      if (g.is<op::cast>(id)) position[id] = position[g.input_of(id, 0)];
      else position[id] = add(g, id, position);
    }
    return position[root];
  }
  constexpr int add(graph const& g, int id, list<int> const& position) {
    pattern_node& n = nodes_[count_];
    n.negation = -1;
    if (g.is<op::input>(id)) {
      n.is = pattern_node::kind::variable;
      n.variable = static_cast<int>(g.attribute(id, 0));
    } else if (g.is_literal(id)) {
      n.is = pattern_node::kind::literal;
      n.value = g.literal_value(id);
    } else {
      n.is = pattern_node::kind::application;
      n.op = g[id].op;
      for (int i : g.inputs(id)) n.inputs[n.input_count++] = position[i];
      n.negation = negated_variable(n);
      if (is_op<op::add>(n.op) || is_op<op::mul>(n.op)) order(n);
    }
    return count_++;
  }
  /// The variable of `-a`, in either spelling; -1 for anything else.
  constexpr int negated_variable(pattern_node const& n) const {
    bool const product = is_op<op::mul>(n.op) && n.input_count == 2 && nodes_[n.inputs[0]].value == -1 &&
                         nodes_[n.inputs[0]].is == pattern_node::kind::literal;
    if (!product && !is_op<op::neg>(n.op)) return -1;
    pattern_node const& negated = nodes_[n.inputs[n.input_count - 1]];
    return negated.is == pattern_node::kind::variable ? negated.variable : -1;
  }
  /// Literals are looked for first, then ops, then ops of `-a`, and bare variables take what is left.
  constexpr int weight(int i) const {
    pattern_node const& n = nodes_[i];
    if (n.is != pattern_node::kind::application) return n.is == pattern_node::kind::literal ? 0 : 100;
    int result = n.negation >= 0 ? 50 : 1;
    for (int k = 0; k < n.input_count; ++k) result += nodes_[n.inputs[k]].negation >= 0 ? 5 : 0;
    return result;
  }
  constexpr void order(pattern_node& n) const {
    for (int i = 1; i < n.input_count; ++i)
      for (int j = i; j > 0 && weight(n.inputs[j]) < weight(n.inputs[j - 1]); --j) std::swap(n.inputs[j], n.inputs[j - 1]);
  }

  pattern_node nodes_[longest_rule]{};
  int count_ = 0, normal_ = 0, written_ = 0, right_ = 0;
};

// A class, since nvcc forgets the pack in decltype((void(I), term{})).
template <std::size_t>
struct indexed_term {
  using type = term;
};
template <class L, std::size_t... I>
constexpr bool takes_terms(std::index_sequence<I...>) {
  return std::is_invocable_v<L, typename indexed_term<I>::type...>;
}
template <class L, int N = 1>
constexpr int parameters_of_rule() {
  static_assert(N <= 8, "kt::rule: a rule is a generic lambda of one to eight parameters");
  if constexpr (takes_terms<L>(std::make_index_sequence<N>{})) return N;
  else return parameters_of_rule<L, N + 1>();
}

/// The left side in the form in which the engine, without any rule, would keep it.
constexpr void add_normal_form(traced_rule& traced, graph const& g, int left) {
  rewriter r(engine, rewrite_options{});
  list<int> form, inputs;
  for (int id = 0; id <= left; ++id) {
    inputs.clear();
    for (int i : g.inputs(id)) inputs.push_back(form[i]);
    form.push_back(r.settle(r.g.add(g[id].op, g.type(id), inputs, g.attributes(id))));
  }
  traced.add_normal(r.g, r.closed(form[left]));
}

template <class L>
constexpr traced_rule trace_rule() {
  graph g;
  constexpr int count = parameters_of_rule<L>();
  for (int i = 0; i < count; ++i) g.input({element::float64, 0, 0}, i);
  rewriting const pair = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return L{}(term{&g, static_cast<int>(I)}...);
  }(std::make_index_sequence<count>{});
  traced_rule traced;
  traced.add_written(g, pair.left.id, pair.right.id);
  add_normal_form(traced, g, pair.left.id);
  return traced;
}

/// The patterns of a rule; those in its record point here.
template <class L>
inline constexpr traced_rule traced = trace_rule<L>();

}  // namespace core
}  // namespace kroton
