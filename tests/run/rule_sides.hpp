// The sides of rules as graphs of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/kroton.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rewrite_test {

namespace kt = kroton;

/// The graph of one side of a rule, as it is written, over parameters of one type, or of those that the rule gives them.
struct side {
  kt::graph g;
  int count = 0;
  bool is_typed = false;

  side(kt::rewrite::pattern const& p, int root, kt::tensor_type type = {kt::element::float64, 0, 0}) : type_(type) {
    std::vector<kt::tensor_type> types;
    find_variables(p, root, types);
    count = static_cast<int>(types.size());
    for (int i = 0; i < count; ++i) g.input(types[static_cast<std::size_t>(i)], i);
    g.results().push_back(build(p, root));
  }

 private:
  void find_variables(kt::rewrite::pattern const& p, int at, std::vector<kt::tensor_type>& types) {
    kt::rewrite::pattern_node const& n = p.nodes[static_cast<std::size_t>(at)];
    for (int i = 0; i < n.input_count; ++i) find_variables(p, p.input(n, i), types);
    if (n.is != kt::rewrite::pattern_node::kind::variable) return;
    auto const k = static_cast<std::size_t>(n.variable);
    if (types.size() <= k) types.resize(k + 1, type_);
    if (n.rank < 0 && !n.complex) return;
    is_typed = true;
    types[k] = {n.complex ? kt::element::complex128 : kt::element::float64, static_cast<std::uint8_t>(std::max<int>(n.rank, 0)), 0};
  }
  int build(kt::rewrite::pattern const& p, int at) {
    kt::rewrite::pattern_node const& n = p.nodes[static_cast<std::size_t>(at)];
    if (n.is == kt::rewrite::pattern_node::kind::variable) return n.variable;
    if (n.is == kt::rewrite::pattern_node::kind::literal) return g.literal(n.value, type_.element);
    std::vector<int> inputs;
    for (int i = 0; i < n.input_count; ++i) inputs.push_back(build(p, p.input(n, i)));
    if (n.op->elementwise) return kt::core::record_elementwise(g, n.op, inputs);
    std::vector<long long> attributes{(1ll << g.type(inputs[0]).rank) - 1, 0};
    if (n.attribute_count >= 0) attributes.clear();
    for (int i = 0; i < n.attribute_count; ++i) attributes.push_back(p.attribute(n, i));
    return g.apply(n.op, inputs, attributes);
  }

  kt::tensor_type type_;
};

}  // namespace rewrite_test
