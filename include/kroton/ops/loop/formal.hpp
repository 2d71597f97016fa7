// Bodies are recorded in the graph around them, on formal parameters, and then taken out of it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/layout.hpp>
#include <kroton/ops/shapes/extents.hpp>

namespace kroton {
namespace op {

/// A parameter of a body while it is recorded: its operand without some leading axes. Attributes:
/// their number, the axes that broadcast, and a number that makes it distinct. Never part of a
/// program.
struct formal : operation<"formal", 1> {
  static constexpr bool takes_stored = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.rank = static_cast<std::uint8_t>(t.rank - a.attribute(0));
    t.broadcast = static_cast<std::uint32_t>(a.attribute(1));
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return {core::extent_source::dimension, 0, d + static_cast<int>(a.attribute(0))};
  }
  static constexpr core::gradient_barrier pullback{};  // inside of a body it is a variable
};

}  // namespace op

namespace ops {

/// A formal parameter for the elements of x along its first `axes` axes.
constexpr int formal_of(graph& g, int x, int axes, std::uint32_t broadcast) {
  return g.apply<op::formal>({x}, {axes, broadcast, g.size()});
}

/// A function of extents of formal parameters as that of the extents of their operands.
constexpr int extent_outside(graph& g, int id) {
  if (g.is<op::extent_of>(id)) {
    int const from = extent_node(g, g.input_of(id, 0), static_cast<int>(g.attribute(id, 0)));
    return from == id ? id : extent_outside(g, from);
  }
  if (g.type(id).rank > 0 || !g[id].op->elementwise || g.is<op::cast>(id)) return id;
  list<int> inputs;
  for (int k = 0; k < g[id].input_count; ++k)
    inputs.push_back(extent_outside(g, g.input_of(id, k)));
  return g.apply(g[id].op, inputs);
}
/// Whether a node needs a formal parameter that was made after the first `before` nodes.
constexpr bool needs_formal(graph const& g, int node, int before) {
  if (node < before) return false;
  list<bool> needs(node + 1);
  for (int id = before; id <= node; ++id) {
    needs[id] = g.is<op::formal>(id);
    for (int in : g.inputs(id)) needs[id] = needs[id] || needs[in];
  }
  return needs[node];
}

/// A part of a graph between formal parameters and results, as a graph of its own. What the part
/// reads from outside becomes further parameters, `captured`, in the order of first use.
class body_extraction {
 public:
  constexpr body_extraction(graph& g, list<int> const& formals, list<int> const& results)
      : g_(g), results_(results), depends_(g.size()), image_(g.size(), -1) {
    for (int id : formals) depends_[id] = true;
    for (int id = 0; id < g.size(); ++id)
      if (!g.is<op::formal>(id) && !is_extent_of_updated(id, formals))
        for (int in : g.inputs(id)) depends_[id] = depends_[id] || depends_[in];
    for (int id : formals) add_parameter(id);
    copy();
  }

  graph body{};
  list<int> captured{};

  /// Whether a node needs a parameter of the body.
  constexpr bool depends(int id) const { return id < depends_.size() && depends_[id]; }

 private:
  // A parameter of the function that the body updates keeps its extents.
  constexpr bool is_extent_of_updated(int id, list<int> const& formals) const {
    return g_.is<op::extent_of>(id) && g_.is<op::input>(g_.input_of(id, 0)) &&
           formals.contains(g_.input_of(id, 0));
  }
  constexpr void add_parameter(int id) {
    image_[id] = body.input(g_.type(id), body.parameters().size());
  }
  constexpr void copy() {
    list<bool> needed(g_.size());
    for (int id : results_) needed[id] = true;
    for (int id = g_.size() - 1; id >= 0; --id)
      if (needed[id] && depends_[id] && image_[id] < 0)
        for (int in : g_.inputs(id)) needed[in] = true;
    body.share_bodies(g_);
    for (int id = 0; id < needed.size(); ++id) {
      if (!needed[id] || image_[id] >= 0) continue;
      if (depends_[id]) image_[id] = copied(id);
      else capture(id);
    }
    for (int id : results_) body.results().push_back(image_[id]);
  }
  constexpr int copied(int id) {
    list<int> inputs;
    for (int in : g_.inputs(id)) inputs.push_back(image_[in]);
    return body.add(g_[id].op, g_.type(id), inputs, g_.attributes(id));
  }
  constexpr void capture(int id) {
    if (g_.is_literal(id)) {
      image_[id] = body.literal_of_bits(g_.literal_bits(id), g_.type(id).element);
    } else if (g_.is<op::extent_of>(id)) {
      // An extent of a parameter, so that the body knows which of its extents are equal.
      int const d = static_cast<int>(g_.attribute(id, 0));
      image_[id] = extent_inside(g_.input_of(id, 0), d);
    } else {
      captured.push_back(id);
      add_parameter(id);
    }
  }
  constexpr int extent_inside(int of, int d) {
    for (int p : body.parameters()) {
      int const outer = outside(p);
      if (outer == of) return body.apply<op::extent_of>({p}, {d});
      bool const is_formal = g_.is<op::formal>(outer);
      int const axes = is_formal ? static_cast<int>(g_.attribute(outer, 0)) : 0;
      if (is_formal && g_.input_of(outer, 0) == of && d >= axes)
        return body.apply<op::extent_of>({p}, {d - axes});
    }
    captured.push_back(of);
    add_parameter(of);
    return body.apply<op::extent_of>({image_[of]}, {d});
  }
  constexpr int outside(int parameter) const {
    int id = 0;
    while (image_[id] != parameter) ++id;
    return id;
  }

  graph& g_;
  list<int> const& results_;
  list<bool> depends_;
  list<int> image_;
};

}  // namespace ops
}  // namespace kroton
