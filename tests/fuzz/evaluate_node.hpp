// The evaluation of one node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_tensor.hpp"

namespace fuzz {

/// Evaluates one node from the values of the nodes before it.
class node_evaluator : tensor_node {
 public:
  using tensor_node::tensor_node;

  tensor run() {
    kt::core::op_info const* const op = g_[id_].op;
    std::string_view const name = op->name;
    if (name == "input") from_argument();
    else if (name == "literal") from_literal();
    else if (name == "cast") convert();
    else if (name == "where") choose();
    else if (name == "ifelse") choose_one();
    else if (op->elementwise) elementwise();
    else if (op->reduction || name == "logsumexp") reduce(name);
    else if (name == "softmax" || name == "log_softmax") normalize(name == "softmax");
    else if (name == "dot") multiply();
    else if (name == "first_equal") mark_first();
    else if (name == "extent") from_integer(in(0).shape.at(static_cast<std::size_t>(g_.attribute(id_, 0))));
    else if (name == "make_vector") gather({g_[id_].input_count - 1}, [](auto const& i) { return std::pair(static_cast<int>(i[0]) + 1, 0l); });
    else arrange(name);
    finish();
    return std::move(out_);
  }
};

}  // namespace fuzz
