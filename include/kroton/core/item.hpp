// The further outputs of an op with several.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton {
namespace op {

/// Output number `attribute` of its operand, a node with several outputs, of which the node itself
/// is output 0. It is not a step: the node's own writes all outputs.
struct item : operation<"item", 1> {
  static constexpr tensor_type type(core::application const& a) {
    int const of = a.inputs[0];
    return (*a.of)[of].op->type_of_output(a.of->application(of), static_cast<int>(a.attribute(0)));
  }
  // The pullback of its operand takes the gradients of all outputs
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
