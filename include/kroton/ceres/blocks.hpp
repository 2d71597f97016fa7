// Parameter blocks: the numbers of a parameter as Ceres keeps them, one vector.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/structure.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/fixed.hpp>
#include <kroton/ops/shapes/shape.hpp>

#include <utility>

namespace kroton::ceres {

using namespace functions;

/// How many numbers a parameter consists of: 1 for a scalar, all members for a struct; -1 if the
/// type does not tell.
template <class P>
constexpr int size_of() {
  if constexpr (structured<P>) {
    return with_members<P>([]<class... M>(std::type_identity<M>...) {
      bool const all_known = ((size_of<typename M::type>() >= 0) && ...);
      return all_known ? (size_of<typename M::type>() + ... + 0) : -1;
    });
  } else if constexpr (!typed<P>) {
    return -1;
  } else if constexpr (rank_of<P> == 0) {
    return 1;
  } else if constexpr (has_known_extents<P>) {
    int size = 1;
    for (int d = 0; d < rank_of<P>; ++d) size *= P::known_extents[d];
    return size;
  } else {
    return -1;
  }
}

/// Whether a parameter consists of doubles alone, as Ceres' parameter blocks do.
template <class P>
constexpr bool is_of_doubles() {
  if constexpr (structured<P>)
    return with_members<P>([]<class... M>(std::type_identity<M>...) {
      return (is_of_doubles<typename M::type>() && ...);
    });
  else if constexpr (typed<P>) return std::same_as<value_type_of<P>, double>;
  else return false;
}

/// Elements of a vector, from `first` on, as a variable of type V.
template <class V>
constexpr V part_of(term vector, int first) {
  variable<double, 1> const x(vector);
  if constexpr (rank_of<V> == 0) {
    return V(term(x(first)));
  } else {
    return [&]<std::size_t... D>(std::index_sequence<D...>) {
      auto const part = x(slice(first, first + size_of<V>()));
      return V(term(reshape<rank_of<V>>(part, V::known_extents[D]...)));
    }(std::make_index_sequence<static_cast<std::size_t>(rank_of<V>)>{});
  }
}

/// A parameter made of the vector of its numbers: members in order, matrices row by row.
template <class P>
constexpr P from_vector(term vector) {
  int at = 0;
  auto next = [&]<class V>(std::type_identity<V>) {
    return part_of<V>(vector, std::exchange(at, at + size_of<V>()));
  };
  return core::build<P>(next);
}

}  // namespace kroton::ceres
