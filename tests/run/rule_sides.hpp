// The sides of rules as graphs of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

#include <algorithm>
#include <vector>

namespace rewrite_test {

namespace kt = kroton;

/// The graph of one side of a rule, as it is written, over parameters of one type.
struct side {
  kt::graph g;
  int count = 0;

  side(kt::core::pattern const& p, int root, kt::tensor_type type = {kt::element::float64, 0, 0}) : type_(type) {
    for (auto const& n : p.nodes)
      if (n.is == kt::core::pattern_node::kind::variable) count = std::max(count, n.variable + 1);
    for (int i = 0; i < count; ++i) g.input(type, i);
    g.results().push_back(build(p, root));
  }

 private:
  int build(kt::core::pattern const& p, int at) {
    kt::core::pattern_node const& n = p.nodes[static_cast<std::size_t>(at)];
    if (n.is == kt::core::pattern_node::kind::variable) return n.variable;
    if (n.is == kt::core::pattern_node::kind::literal) return g.literal(n.value, type_.element);
    std::vector<int> inputs;
    for (int i = 0; i < n.input_count; ++i) inputs.push_back(build(p, p.input(n, i)));
    if (n.op->elementwise) return kt::core::record_elementwise(g, n.op, inputs);
    long long const attributes[] = {(1ll << g.type(inputs[0]).rank) - 1, 0};
    return g.apply(n.op, inputs, attributes);
  }

  kt::tensor_type type_;
};

}  // namespace rewrite_test
