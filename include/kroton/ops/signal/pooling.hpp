// Pooling: the largest element or the average of windows over the last axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/signal/windows.hpp>

namespace kroton {
namespace ops {

/// The attributes of pooling: the number of axes that a window moves along, and for each of them
/// its extent, the steps between positions and the elements before the image, each for all axes; of
/// an average also the elements behind it, and whether only elements of the image count.
constexpr int pooled_axes(application const& a) { return static_cast<int>(a.attribute(0)); }
constexpr int pooled_axes(term node) { return static_cast<int>(node.of->attribute(node.id, 0)); }

/// The type of the first operand without what is known of the last axes.
constexpr tensor_type planes_type(application const& a) {
  tensor_type t = a.input(0);
  t.broadcast &= (1u << (t.rank - pooled_axes(a))) - 1;
  return t;
}
/// The extents of the first operand, except that those of the last axes are operands, behind
/// `first` others.
constexpr extent_source planes_extent(application const& a, int d, int first) {
  int const leading = a.input(0).rank - pooled_axes(a);
  if (d >= leading) return {extent_source::value, first + d - leading};
  if (a.input(0).broadcasts(d)) return {};
  return {extent_source::dimension, 0, d};
}
/// A node over the planes of `like`: its operands, followed by the extents of the planes.
template <class Op>
constexpr term over_planes(list<int> inputs, term like, items<long long> attributes) {
  graph& g = *like.of;
  int const axes = static_cast<int>(attributes.first[0]);
  list<long long> const own(attributes.first, attributes.count);
  for (int d = 0; d < axes; ++d) inputs.push_back(extent(like, like.rank() - axes + d).id);
  return {&g, g.apply(identity<Op>(), inputs, own)};
}
constexpr any_gradients gradient_of_first(term g) {
  any_gradients one;
  one.terms.push_back(g);
  return one;
}

}  // namespace ops

namespace op {

/// Elements of the planes of the first operand, its last axes (the attribute says how many), at the
/// positions in the second operand, counted in row-major order within the plane.
struct take_in_planes : operation<"take_in_planes", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(1);
    t.element = a.input(0).element;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (a.input(1).broadcasts(d)) return {};
    return {core::extent_source::dimension, 1, d};
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term x, term positions);
};
/// Planes of zeros, with the elements of the first operand added at the positions in the second
/// one. The other operands are the extents of a plane.
struct add_in_planes : operation<"add_in_planes", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return ops::planes_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::planes_extent(a, d, 2);
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    int const positions = y.of->input_of(y.id, 1);
    return ops::gradient_of_first(
        {g.of, g.of->apply<take_in_planes>({g.id, positions}, {y.of->attribute(y.id, 0)})});
  }
};
constexpr core::gradient_list<2> take_in_planes::pullback(term g, term y, term x, term positions) {
  core::list<long long> const attributes{y.of->attribute(y.id, 0)};
  return {{ops::over_planes<add_in_planes>({g.id, positions.id}, x, attributes)}};
}

/// The largest element of each window, and its position in its plane: the first of equals, or the
/// first NaN. The operands behind the first one are the numbers of windows.
struct max_pool : operation<"max_pool", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr int outputs = 2;
  static constexpr tensor_type type(core::application const& a, int output) {
    tensor_type t = ops::planes_type(a);
    if (output == 1) t.element = element::int64;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d, int) {
    return ops::planes_extent(a, d, 1);
  }
  static constexpr core::any_gradients pullback(core::several const& g, core::several const& y) {
    if (!g.has(0)) return {};
    core::list<long long> const attributes{ops::pooled_axes(y[0])};
    term const x{y[0].of, y[0].of->input_of(y[0].id, 0)};
    return ops::gradient_of_first(
        ops::over_planes<add_in_planes>({g[0].id, y[1].id}, x, attributes));
  }
};

/// The average of each window. The operands behind the first one are the numbers of windows.
struct avg_pool : operation<"avg_pool", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) { return ops::planes_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::planes_extent(a, d, 1);
  }
  static constexpr core::any_gradients pullback(term g, term y);
};
/// The transpose of it: each element, divided by the number of elements of its window, added to all
/// of these. The operands behind the first one are the extents of a plane.
struct spread_windows : operation<"spread_windows", -1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr tensor_type type(core::application const& a) { return ops::planes_type(a); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::planes_extent(a, d, 1);
  }
  static constexpr core::any_gradients pullback(term g, term y) {
    term const of{y.of, y.of->input_of(y.id, 0)};
    return ops::gradient_of_first(ops::over_planes<avg_pool>({g.id}, of, y.of->attributes(y.id)));
  }
};
constexpr core::any_gradients avg_pool::pullback(term g, term y) {
  term const x{y.of, y.of->input_of(y.id, 0)};
  return ops::gradient_of_first(
      ops::over_planes<spread_windows>({g.id}, x, y.of->attributes(y.id)));
}

}  // namespace op

namespace ops {

/// The extents of a window, or one for all axes.
template <int Axes, int... K>
constexpr bool is_window = (sizeof...(K) == Axes || sizeof...(K) == 1) && ((K > 0) && ...);

/// The number of windows along axis d of n elements.
constexpr term pooled_extent(op_info const* op, window_options const& o, long long k, term x,
                             term n, int d) {
  long long const s = o.stride[d], padding = o.before[d] + o.after[d];
  graph& g = *n.of;
  long long const needed = o.ignores_border ? k : 1;
  require_of_shapes(op, window_condition::fit, mapped(n, {1, padding}), integer(g, needed), {x},
                    "kt: the window of a pooling is larger than its image with the padding");
  // Zeros have an average, but no element of the image is the largest of them, or is averaged
  if (padding >= needed && (is_op<op::max_pool>(op) || o.ignores_padding))
    require_of_shapes(op, window_condition::elements, n, integer(g, 1), {x},
                      "kt: a window of a pooling has nothing but padding");
  if (o.ignores_border) return window_positions(n, integer(g, k), padding, s);
  if (s >= k) return mapped(n, {1, s - 1, s});
  return call<op::maximum>(mapped(n, {1, 2 * s - 1 - k, s}), integer(g, 1));
}

/// The operands and attributes of a pooling, and the node.
template <class Op, int Axes>
constexpr term pooled(window_options const& o, term x, items<int> window) {
  graph& g = *x.of;
  int const conditions = g.constraints().size();
  list<int> inputs{x.id};
  list<long long> attributes{Axes};
  for (int d = 0; d < Axes; ++d) {
    term const n = extent(x, x.rank() - Axes + d);
    inputs.push_back(pooled_extent(identity<Op>(), o, window[d], x, n, d).id);
    attributes.push_back(window[d]);
  }
  for (int d = 0; d < Axes; ++d) attributes.push_back(o.stride[d]);
  for (int d = 0; d < Axes; ++d) attributes.push_back(o.before[d]);
  if constexpr (std::is_same_v<Op, op::avg_pool>) {
    for (int d = 0; d < Axes; ++d) attributes.push_back(o.after[d]);
    attributes.push_back(o.ignores_padding);
  }
  term const y{&g, g.apply(identity<Op>(), inputs, attributes)};
  take_conditions(y, conditions);
  return y;
}

/// The options, with the window as steps where none are given.
template <int Axes, int... K, class... Options>
constexpr window_options pooling_options(Options...) {
  window_options o = window_options_of<Axes, Options...>();
  int const window[] = {K...};
  for (int d = 0; d < Axes; ++d) {
    long long const k = window[sizeof...(K) == 1 ? 0 : d];
    if (!o.has_stride) o.stride[d] = k;
    if (o.before[d] >= k || o.after[d] >= k) o.refuse(window_options::wide);
  }
  if (o.has_padding && !o.ignores_border) o.refuse(window_options::beyond);
  return o;
}

template <class Op, int Axes, int... K, class X, class... Options>
constexpr auto pool(X const& x, Options... options) {
  constexpr bool averages = std::is_same_v<Op, op::avg_pool>;
  constexpr element given = element_of<value_type_of<X>>();
  constexpr bool is_rank_enough = rank_of<X> >= Axes, is_real = !is_complex(given);
  constexpr bool is_window_of_axes = is_window<Axes, K...>;
  constexpr bool are_options = (is_pooling_option<Options> && ...);
  static_assert(is_rank_enough,
                "kt: pooling needs a tensor with as many axes as its window: it goes over the last "
                "ones");
  static_assert(is_real,
                "kt: pooling is not defined for complex numbers: pool real(x) and imag(x)");
  static_assert(is_window_of_axes,
                "kt: pooling takes the extents of its window, all positive: one for each axis, or "
                "one for all, as in max_pool_2d<2, 2>(x)");
  static_assert(are_options,
                "kt: the options of a pooling are kt::stride, kt::padding, kt::ignore_border and, "
                "for averages, kt::ignore_padding");
  constexpr element as = averages ? floating(is_real ? given : element::float64) : given;
  using result = variable<value_t<as>, rank_of<X>>;
  if constexpr (is_rank_enough && is_real && is_window_of_axes && are_options) {
    constexpr window_options o = pooling_options<Axes, K...>(options...);
    if constexpr (are_accepted_options<o>()) {
      constexpr int numbers[] = {K...};
      list<int> window;
      for (int d = 0; d < Axes; ++d) window.push_back(numbers[sizeof...(K) == 1 ? 0 : d]);
      return result(pooled<Op, Axes>(o, {x.of, x.of->cast(x.id, as)}, window));
    } else {
      return in_place_of<typename result::value_type, rank_of<X>>(x);
    }
  } else {
    return in_place_of<typename result::value_type, rank_of<X>>(x);
  }
}

}  // namespace ops

/// The largest element of each window along the last axis. The options are those of `max_pool_2d`.
template <int K, typed X, class... Options>
constexpr auto max_pool_1d(X const& x, Options... options) {
  return ops::pool<op::max_pool, 1, K>(x, options...);
}
/// The largest element of each window of R x C elements along the last two axes; one number is a
/// square. NaN wins, the gradient goes to the first of equals. Options, in any order:
/// `kt::stride<...>`, by default the window; `kt::padding<...>`, of fewer elements than the window,
/// which never win; `kt::ignore_border<false>` for windows that reach beyond the last elements,
/// which are otherwise left out. Throws kt::shape_error if the window is larger than the last axes
/// with their padding, or if these have no elements. Complex numbers are rejected.
/// (theano.tensor.signal.pool.pool_2d)
template <int... K, typed X, class... Options>
constexpr auto max_pool_2d(X const& x, Options... options) {
  return ops::pool<op::max_pool, 2, K...>(x, options...);
}
/// The largest element of each window along the last three axes. The options are those of
/// `max_pool_2d`.
template <int... K, typed X, class... Options>
constexpr auto max_pool_3d(X const& x, Options... options) {
  return ops::pool<op::max_pool, 3, K...>(x, options...);
}
/// The average of each window along the last axis, with the options of `avg_pool_2d`.
template <int K, typed X, class... Options>
constexpr auto avg_pool_1d(X const& x, Options... options) {
  return ops::pool<op::avg_pool, 1, K>(x, options...);
}
/// The average of each window along the last two axes, float64 for integers. The padding counts as
/// zeros, unless `kt::ignore_padding` is given; the other options are those of `max_pool_2d`.
/// (theano.tensor.signal.pool.pool_2d with mode="average_inc_pad" or "average_exc_pad")
template <int... K, typed X, class... Options>
constexpr auto avg_pool_2d(X const& x, Options... options) {
  return ops::pool<op::avg_pool, 2, K...>(x, options...);
}
/// The average of each window along the last three axes, with the options of `avg_pool_2d`.
template <int... K, typed X, class... Options>
constexpr auto avg_pool_3d(X const& x, Options... options) {
  return ops::pool<op::avg_pool, 3, K...>(x, options...);
}

}  // namespace kroton
