// Transposes of matrices in a graph: dimshuffles that exchange two axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/shape.hpp>

namespace kroton::ops {

constexpr bool is_transpose(graph const& g, int id) {
  return g.is<op::dimshuffle>(id) && g[id].attribute_count == 2 && g.attribute(id, 0) == 1 &&
         g.attribute(id, 1) == 0;
}
/// The transpose of a matrix; of a transpose, what it is the transpose of.
constexpr int transpose(graph& g, int id) {
  return is_transpose(g, id) ? g.input_of(id, 0) : g.apply<op::dimshuffle>({id}, {1, 0});
}

}  // namespace kroton::ops
