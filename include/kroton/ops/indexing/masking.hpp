// Selection by conditions on elements, whose results have extents that depend on them: positions,
// indexing by bools, distinct elements.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/along_axes/sorting.hpp>
#include <kroton/ops/indexing.hpp>

namespace kroton {
namespace op {

/// The positions in row-major order at which a bool tensor is true. The second input is their
/// number, the extent of the result, known before the op runs. The third and further inputs, if
/// any, are the required extents of the tensor.
struct nonzero : operation<"nonzero", -1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr tensor_type type(core::application const&) { return {element::int64, 1, 0}; }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::value, 1, 0};
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    for (int k = 2; k < a.count(); ++k)
      pairs.push_back(
          {{core::extent_source::dimension, 0, k - 2}, {core::extent_source::value, k, 0}});
  }
  static constexpr auto pullback = no_gradient;
};

/// For a sorted vector, whether each element differs from the one before it; a NaN equals a NaN.
struct starts_run : operation<"starts_run", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) {
    return {element::boolean, 1, a.input(0).broadcast};
  }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 0, 0};
  }
  static constexpr auto pullback = no_gradient;
};

}  // namespace op

namespace ops {

/// The positions at which a bool tensor is true; `shape` contains the extents that it must have.
constexpr variable<std::int64_t, 1> positions_of(term mask, list<term> const& shape) {
  term const count = sum(cast<std::int64_t>(mask));
  list<int> inputs{mask.id, count.id};
  for (term const& extent : shape) inputs.push_back(extent.id);
  return variable<std::int64_t, 1>(term{mask.of, mask.of->apply(identity<op::nonzero>(), inputs)});
}

/// An index as integer tensors, one for each axis that it reads: a tensor of bools selects the
/// elements at which it is true.
template <class I>
constexpr auto without_mask(term x, int& axis, I const& index) {
  if constexpr (is_mask<I>()) {
    constexpr int rank = rank_of<I>;
    list<term> shape;
    for (int d = 0; d < rank; ++d) shape.push_back(extent(x, axis + d));
    axis += rank;
    using positions = variable<std::int64_t, 1>;
    std::array<positions, static_cast<std::size_t>(rank)> result;
    term rest = positions_of(index, shape);
    for (int d = rank - 1; d > 0; --d) {
      result[static_cast<std::size_t>(d)] = positions(call<op::mod>(rest, shape[d]));
      rest = call<op::floordiv>(rest, shape[d]);
    }
    result[0] = positions(rest);
    return std::apply([](auto const&... p) { return std::tuple(p...); }, result);
  } else {
    axis += read_axes<I>;
    return std::tuple<I>(index);
  }
}
template <class Value, int Whole, class... I>
constexpr auto masked_part(variable<Value, Whole> const& x, I const&... index) {
  int axis = 0;
  // Braces guarantee the order.
  std::tuple<decltype(without_mask(term(x), axis, index))...> const expanded{
      without_mask(term(x), axis, index)...};
  auto const all = std::apply([](auto const&... one) { return std::tuple_cat(one...); }, expanded);
  return std::apply([&](auto const&... each) { return x(each...); }, all);
}

}  // namespace ops

/// The positions, in row-major order, of the elements that are not 0, as an int64 vector; its
/// extent depends on the elements, so a function computes x before anything that needs the extent.
/// No gradient flows. (numpy.flatnonzero)
template <typed X>
constexpr variable<std::int64_t, 1> nonzero(X const& x) {
  return ops::positions_of(cast<bool>(x), {});
}

/// The distinct elements in increasing order, as a vector whose extent depends on the elements; all
/// NaNs count as one, which is last. (numpy.unique)
template <typed X>
constexpr variable<value_type_of<X>, 1> unique(X const& x) {
  auto const sorted = sort(flatten(x), axis<0>);
  variable<bool, 1> const first(term{x.of, x.of->template apply<op::starts_run>({sorted.id})});
  return sorted(first);
}

}  // namespace kroton
