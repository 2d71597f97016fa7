// The additional outputs of an op with several outputs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton {
namespace op {

/// Output number `attribute` of its operand, a node with several outputs; output 0 is the node
/// itself. It is not a step: the node's step writes all outputs.
struct item : operation<"item", 1> {
  static constexpr bool takes_stored = true;
  static constexpr tensor_type type(core::application const& a) {
    int const of = a.inputs[0];
    return (*a.of)[of].op->type_of_output(a.of->application(of), static_cast<int>(a.attribute(0)));
  }
  // The pullback of its operand receives the gradients of all outputs
  static constexpr core::gradient_barrier pullback{};
};

}  // namespace op

namespace core {

/// Output number k of a node.
constexpr term output_of(term node, int k) {
  return k == 0 ? node : term{node.of, node.of->apply<op::item>({node.id}, {k})};
}

}  // namespace core
}  // namespace kroton
