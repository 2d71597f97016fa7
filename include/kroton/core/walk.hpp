// Walking a graph at run time: variables, apply nodes, owners and clients, in Theano's terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>
#include <kroton/core/item.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kroton {

class variable_node;

namespace core {
/// A graph that the nodes of a walk keep alive.
using kept_graph = std::shared_ptr<graph const>;

/// What a walk shows as the readers of an output of the graph and of the new value of a parameter.
/// No graph has such nodes.
struct output_end : named_condition<"output"> {};
struct update_end : named_condition<"update"> {};

/// A graph in which each output of an op with several has a node.
inline graph with_all_outputs(graph g) {
  for (int id = 0, size = g.size(); id < size; ++id)
    for (int k = 1; k < g.output_count(id); ++k) output_of({&g, id}, k);
  return g;
}
}  // namespace core

/// One application of an op in a graph, the owner of its outputs. It keeps its graph alive.
/// (Theano's Apply)
class apply_node {
 public:
  apply_node(core::kept_graph g, int id)
      : of_(std::move(g)), id_(id >= 0 && of_->is<op::item>(id) ? of_->input_of(id, 0) : id) {}
  /// Whether this is the end of the graph that takes one of its outputs, or the new value of a
  /// parameter: it reads that, computes nothing, and has a negative number. Only `clients()` gives
  /// such nodes.
  bool is_output() const { return id_ < 0 && !is_update(); }
  bool is_update() const { return -1 - id_ >= of_->results().size(); }
  /// The record of the op: name, arity, laws.
  core::op_info const& op() const {
    if (id_ >= 0) return *(*of_)[id_].op;
    return is_update() ? info<core::update_end> : info<core::output_end>;
  }
  /// The op's name.
  std::string_view name() const { return op().name; }
  /// The op's static attributes (axes of a reduction, pattern of a dimshuffle ...).
  std::vector<long long> attributes() const {
    if (id_ < 0) return {};
    auto const a = of_->attributes(id_);
    return {a.begin(), a.end()};
  }
  /// The variables that it reads.
  std::vector<variable_node> inputs() const;
  /// The variables that it computes, used or not, in the order of their `index()`.
  std::vector<variable_node> outputs() const;
  /// Its graph, and its number in it.
  graph const& of() const { return *of_; }
  int id() const { return id_; }
  bool operator==(apply_node const& other) const { return of_ == other.of_ && id_ == other.id_; }

 private:
  core::kept_graph of_;
  int id_;
};

/// A reader of a variable and where it reads it: an apply node and the position of the operand, or
/// the end of the graph, a node named "output" or "update", and the number of the output or of the
/// update. `auto [node, position] = x.clients()[0]`. (Theano's `(node, i)` and `('output', i)`)
struct client : std::pair<apply_node, int> {
  using pair::pair;
  apply_node const& node() const { return first; }
  int position() const { return second; }
  bool is_output() const { return first.is_output(); }
  bool is_update() const { return first.is_update(); }
};

/// A variable of a graph: an input, a constant, or a result of an apply node. It keeps its graph
/// alive. (Theano's Variable)
class variable_node {
 public:
  variable_node(core::kept_graph g, int id) : of_(std::move(g)), id_(id) {}
  /// Element type, rank and broadcast flags.
  tensor_type type() const { return of_->type(id_); }
  /// The name that the user gave, or nothing.
  std::string_view name() const {
    std::string_view const known = of_->name(id_);
    return known.starts_with(core::numbered_parameter) ? std::string_view() : known;
  }
  bool is_input() const { return of_->is<op::input>(id_); }
  bool is_constant() const { return of_->is_literal(id_); }
  /// Whether an apply node computes it; inputs and constants have no owner.
  bool has_owner() const { return !is_input() && !is_constant(); }
  /// The apply node that computes it; only when has_owner().
  apply_node owner() const { return {of_, id_}; }
  /// Its position among its owner's outputs.
  int index() const {
    return of_->is<op::item>(id_) ? static_cast<int>(of_->attribute(id_, 0)) : 0;
  }
  /// The value of a constant, as double.
  double value() const { return of_->literal_value(id_); }
  /// Its readers among the apply nodes that outputs and updates need, then the outputs and the
  /// updates that it is; see kt::client.
  std::vector<client> clients() const {
    std::vector<client> found;
    auto const live = of_->live();
    for (int id = 0; id < of_->size(); ++id)
      for (int i = 0; live[id] && !of_->is<op::item>(id) && i < (*of_)[id].input_count; ++i)
        if (of_->input_of(id, i) == id_) found.emplace_back(apply_node(of_, id), i);
    int const outputs = of_->results().size();
    for (int k = 0; k < outputs; ++k)
      if (of_->results()[k] == id_) found.emplace_back(apply_node(of_, -1 - k), k);
    for (int k = 0; k < of_->updates().size(); ++k)
      if (of_->updates()[k].value == id_) found.emplace_back(apply_node(of_, -1 - outputs - k), k);
    return found;
  }
  /// Its number in the graph.
  int id() const { return id_; }
  bool operator==(variable_node const& other) const { return of_ == other.of_ && id_ == other.id_; }

 private:
  core::kept_graph of_;
  int id_;
};

inline std::vector<variable_node> apply_node::inputs() const {
  std::vector<variable_node> found;
  int const outputs = of_->results().size();
  if (is_output()) found.emplace_back(of_, of_->results()[-1 - id_]);
  else if (is_update()) found.emplace_back(of_, of_->updates()[-1 - id_ - outputs].value);
  if (id_ < 0) return found;
  for (int i : of_->inputs(id_)) found.emplace_back(of_, i);
  return found;
}
inline std::vector<variable_node> apply_node::outputs() const {
  if (id_ < 0) return {};
  std::vector<variable_node> found{variable_node(of_, id_)};
  for (int k = 1; k < of_->output_count(id_); ++k)
    for (int id = id_ + 1; id < of_->size(); ++id)
      if (of_->is<op::item>(id) && of_->input_of(id, 0) == id_ && of_->attribute(id, 0) == k)
        found.emplace_back(of_, id);
  return found;
}

/// A graph to walk: `graph_of(f).inputs()`, `.outputs()`, `.toposort()`. Its nodes may outlive it.
/// Copies share the graph, which never changes.
class graph_view {
 public:
  explicit graph_view(graph g)
      : of_(std::make_shared<graph const>(core::with_all_outputs(std::move(g)))) {}
  /// The graph itself, or a copy of it if the view is a temporary.
  graph const& get() const& { return *of_; }
  graph get() const&& { return *of_; }
  /// A copy of the graph.
  operator graph() const { return *of_; }
  /// The parameters, in order.
  std::vector<variable_node> inputs() const { return nodes(of_->parameters()); }
  /// The outputs, in order.
  std::vector<variable_node> outputs() const { return nodes(of_->results()); }
  /// The updates: parameter and new value.
  std::vector<std::pair<variable_node, variable_node>> updates() const {
    std::vector<std::pair<variable_node, variable_node>> found;
    for (auto const& u : of_->updates())
      found.emplace_back(variable_node(of_, of_->parameters()[u.parameter]),
                         variable_node(of_, u.value));
    return found;
  }
  /// The apply nodes that outputs and updates need, each after those that it reads.
  std::vector<apply_node> toposort() const {
    std::vector<apply_node> order;
    auto const live = of_->live();
    for (int id = 0; id < of_->size(); ++id)
      if (live[id] && !of_->is<op::item>(id) && variable_node(of_, id).has_owner())
        order.emplace_back(of_, id);
    return order;
  }

 private:
  std::vector<variable_node> nodes(core::list<int> const& ids) const {
    std::vector<variable_node> found;
    for (int id : ids) found.emplace_back(of_, id);
    return found;
  }
  core::kept_graph of_;
};

}  // namespace kroton
