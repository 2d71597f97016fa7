// Arrays put together from their elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/shapes/shape.hpp>
#include <kroton/rewrite/scalars/small_array.hpp>

namespace kroton::rewrite {

constexpr list<int> extents_of(graph& g, int array) {
  list<int> all;
  for (int d = 0; d < g.type(array).rank; ++d) all.push_back(extent_node(g, array, d));
  return all;
}

/// Elements are rows of a matrix, so that nothing moves to where it is joined; what reads it in
/// another order is a view.
constexpr int assembled_of_arrays(graph& made, small_array const& all, tensor_type const& type) {
  list<int> inputs{made.literal(all.count(), element::int64)}, extents;
  list<long long> as_row{-1}, order;
  for (int d = 0; d < all.whole_axes(); ++d) as_row.push_back(d);
  for (int e : all.elements)
    inputs.push_back(
        made.apply(identity<op::dimshuffle>(), list<int>{made.cast(e, type.element)}, as_row));
  int array = inputs[1];
  if (all.count() > 1) array = made.apply(identity<op::join>(), inputs, list<long long>{0});
  int const apart = all.rank() - all.whole_axes();
  for (int d = 0, row = 0; d < all.rank(); ++d)
    order.push_back(all.is_whole(d) ? apart + all.axis_in_element(d) : row++);
  if (apart > 1) {
    extents.push_back(array);
    for (int d = 0; d < all.rank(); ++d)
      if (!all.is_whole(d)) extents.push_back(made.literal(all.extents[d], element::int64));
    list<int> const of_element = extents_of(made, all.elements[0]);
    extents.append(of_element.data(), of_element.size());
    array = made.apply(identity<op::reshape>(), extents);
  }
  return made.apply(identity<op::dimshuffle>(), list<int>{array}, order);
}
/// An array of its elements.
constexpr int assembled(graph& made, small_array const& all, tensor_type const& type) {
  if (all.whole != 0) return assembled_of_arrays(made, all, type);
  list<int> inputs{made.literal(all.count(), element::int64)};
  for (int e : all.elements) inputs.push_back(made.cast(e, type.element));
  int const vector = made.apply(identity<op::make_vector>(), inputs);
  if (all.rank() == 1) return vector;
  list<int> extents{vector};
  for (int e : all.extents) extents.push_back(made.literal(e, element::int64));
  return made.apply(identity<op::reshape>(), extents);
}

}  // namespace kroton::rewrite
