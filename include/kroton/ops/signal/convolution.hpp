// Convolutions of images with filters, and what their gradients are: of three tensors, images,
// filters and outputs, each is computed from the two others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/signal/windows.hpp>

namespace kroton {
namespace ops {

/// The operands of a convolution that follow the two tensors, int64 scalars: the number of groups,
/// the extent of axis 1 of the result, and for each axis that the filters move along, how many
/// elements they reach beyond the start of the images, and the extent of the result.
inline constexpr int groups_operand = 2, channels_operand = 3, first_border_operand = 4;

/// How many axes the filters move along.
constexpr int window_axes(application const& a) { return a.input(0).rank - 2; }
constexpr int window_axes(term node) { return node.type().rank - 2; }

/// A node of the family of `like`, of the same windows, whose result has the extents of `result`
/// except the first one.
template <class Op>
constexpr term convolution_like(term like, term a, term b, term result) {
  graph& g = *like.of;
  int const axes = window_axes(like);
  list<int> inputs{a.id, b.id, g.input_of(like.id, groups_operand), extent(result, 1).id};
  for (int d = 0; d < axes; ++d) inputs.push_back(g.input_of(like.id, first_border_operand + d));
  for (int d = 0; d < axes; ++d) inputs.push_back(extent(result, 2 + d).id);
  list<long long> const attributes(g.attributes(like.id).first, g.attributes(like.id).count);
  return {&g, g.apply(identity<Op>(), inputs, attributes)};
}
constexpr any_gradients gradients_of(term a, term b) {
  any_gradients both;
  both.terms.push_back(a);
  both.terms.push_back(b);
  return both;
}

}  // namespace ops

namespace op {

/// Base of the three. Attributes: whether the filters are flipped, then for each axis that they
/// move along the steps between positions, then the steps between elements of a filter; then
/// whether it may be computed by transforms, which a pass of the compiled stages sets. With x for
/// images, w for filters, y for outputs, before one axis and without flipping
///
///     y(b, o, i) = sum of x(b, c, i * stride + k * dilation - before) * w(o, c, k) over c and k
///
/// where x outside its extents is 0. Each of the others is what this gives for gradients.
template <text Name>
struct any_convolution : operation<Name, -1> {
  static constexpr bool takes_complex = true, keeps_choice = true;
  static constexpr tensor_type type(core::application const& a) {
    return {a.input(0).element, a.input(0).rank, 0};
  }

 protected:
  // Axis 0 of the result is axis `d` of operand `of`.
  static constexpr core::extent_source extent_from(core::application const& a, int axis, int of,
                                                   int d) {
    if (axis == 0) return {core::extent_source::dimension, of, d};
    if (axis == 1) return {core::extent_source::value, ops::channels_operand};
    return {core::extent_source::value, ops::first_border_operand + ops::window_axes(a) + axis - 2};
  }
  static constexpr term operand(term y, int i) { return {y.of, y.of->input_of(y.id, i)}; }
};

/// Outputs, from images and filters.
struct convolution : any_convolution<"convolution"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == 0 && a.input(0).broadcasts(0)) return {};
    return extent_from(a, d, 0, 0);
  }
  static constexpr core::any_gradients pullback(term g, term y);
};
/// Images, from outputs and filters: the gradient of a convolution with respect to its images.
struct convolution_images : any_convolution<"convolution_images"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == 0 && a.input(0).broadcasts(0)) return {};
    return extent_from(a, d, 0, 0);
  }
  static constexpr core::any_gradients pullback(term g, term y);
};
/// Filters, from images and outputs: the gradient of a convolution with respect to its filters.
struct convolution_filters : any_convolution<"convolution_filters"> {
  static constexpr auto own = core::own_function::typed;
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == 0 && a.input(1).broadcasts(1)) return {};
    return extent_from(a, d, 1, 1);
  }
  static constexpr core::any_gradients pullback(term g, term y);
};

constexpr core::any_gradients convolution::pullback(term g, term y) {
  term const images = operand(y, 0), filters = operand(y, 1);
  return ops::gradients_of(ops::convolution_like<convolution_images>(y, g, filters, images),
                           ops::convolution_like<convolution_filters>(y, images, g, filters));
}
constexpr core::any_gradients convolution_images::pullback(term g, term y) {
  term const outputs = operand(y, 0), filters = operand(y, 1);
  return ops::gradients_of(ops::convolution_like<convolution>(y, g, filters, outputs),
                           ops::convolution_like<convolution_filters>(y, g, outputs, filters));
}
constexpr core::any_gradients convolution_filters::pullback(term g, term y) {
  term const images = operand(y, 0), outputs = operand(y, 1);
  return ops::gradients_of(ops::convolution_like<convolution_images>(y, outputs, g, images),
                           ops::convolution_like<convolution>(y, images, g, outputs));
}

// Not the ops of any node: they name the conditions of what users call.
struct conv1d : core::named_condition<"conv1d"> {};
struct conv2d : core::named_condition<"conv2d"> {};
struct conv3d : core::named_condition<"conv3d"> {};
struct conv2d_transpose : core::named_condition<"conv2d_transpose"> {};

}  // namespace op

namespace ops {

/// What a call of a convolution on axis d comes to: elements before the images, the number of
/// elements that a filter covers, and of positions.
struct window_axis {
  term before, covered, positions;
};
constexpr window_axis window_along(window_options const& o, term n, term k, int d) {
  long long const s = o.stride[d], step = o.dilation[d];
  term const covered = mapped(k, {step, 1 - step});
  if (o.border == window_border::full)
    return {mapped(covered, {1, -1}), covered,
            n.of->is_literal(covered.id) ? mapped(n, {1, n.of->literal_bits(covered.id) - 2 + s, s})
                                         : mapped(n + covered, {1, s - 2, s})};
  if (o.border == window_border::half) {
    term const half = mapped(covered, {1, 0, 2});
    if (n.of->is_literal(covered.id))
      return {half, covered, window_positions(n, covered, 2 * n.of->literal_bits(half.id), s)};
    return {half, covered, window_positions(n + half + half, covered, 0, s)};
  }
  return {integer(*n.of, o.before[d]), covered,
          window_positions(n, covered, o.before[d] + o.after[d], s)};
}

/// The condition that filters fit into the images with what is around them.
constexpr void require_fit(op_info const* op, window_options const& o, term images, term filters,
                           term n, window_axis const& along, int d) {
  if (o.border == window_border::full) return;
  term const around = o.border == window_border::half ? n + along.before + along.before
                                                      : mapped(n, {1, o.before[d] + o.after[d]});
  require_of_shapes(op, window_condition::fit, around, along.covered, {images, filters},
                    "kt: the filters of a convolution are larger than its images with their "
                    "padding");
}
constexpr void require_groups(op_info const* op, window_options const& o, term channels,
                              term filters, term outputs, list<term> const& shapes) {
  require_of_shapes(op, window_condition::channels, channels,
                    mapped(extent(filters, 1), {o.groups}), shapes,
                    "kt: a convolution: the channels of the images are not groups times the "
                    "channels of the filters");
  if (o.groups != 1)
    require_of_shapes(op, window_condition::groups,
                      mapped(mapped(outputs, {1, 0, o.groups}), {o.groups}), outputs, shapes,
                      "kt: a convolution: the number of filters is not a multiple of the groups");
}

constexpr list<long long> window_attributes(window_options const& o) {
  list<long long> attributes{!o.correlates};
  for (int d = 0; d < o.axes; ++d) attributes.push_back(o.stride[d]);
  for (int d = 0; d < o.axes; ++d) attributes.push_back(o.dilation[d]);
  attributes.push_back(0);
  return attributes;
}

constexpr term convolution(op_info const* op, window_options const& o, term images, term filters) {
  graph& g = *images.of;
  int const conditions = g.constraints().size();
  element const common = promote(images.element(), filters.element());
  images.id = g.cast(images.id, common);
  filters.id = g.cast(filters.id, common);
  term const outputs = extent(filters, 0);
  require_groups(op, o, extent(images, 1), filters, outputs, {images, filters});
  list<int> inputs{images.id, filters.id, integer(g, o.groups).id, outputs.id};
  list<int> positions;
  for (int d = 0; d < o.axes; ++d) {
    term const n = extent(images, 2 + d);
    window_axis const along = window_along(o, n, extent(filters, 2 + d), d);
    require_fit(op, o, images, filters, n, along, d);
    inputs.push_back(along.before.id);
    positions.push_back(along.positions.id);
  }
  for (int id : positions) inputs.push_back(id);
  term const y{&g, g.apply(identity<op::convolution>(), inputs, window_attributes(o))};
  take_conditions(y, conditions);
  return y;
}

/// The gradient of a convolution by its images, which have the given extents.
constexpr term convolution_transpose(op_info const* op, window_options const& o, term outputs,
                                     term filters, list<term> const& extents) {
  graph& g = *outputs.of;
  int const conditions = g.constraints().size();
  element const common = promote(outputs.element(), filters.element());
  outputs.id = g.cast(outputs.id, common);
  filters.id = g.cast(filters.id, common);
  term const channels = mapped(extent(filters, 1), {o.groups});
  list<term> const shapes{outputs, filters};
  require_of_shapes(op, window_condition::channels, extent(outputs, 1), extent(filters, 0), shapes,
                    "kt::conv2d_transpose: the channels of the images are not as many as the "
                    "filters");
  list<int> inputs{outputs.id, filters.id, integer(g, o.groups).id, channels.id};
  for (int d = 0; d < o.axes; ++d) {
    window_axis const along = window_along(o, extents[d], extent(filters, 2 + d), d);
    require_of_shapes(op, window_condition::size, extent(outputs, 2 + d), along.positions, shapes,
                      "kt::conv2d_transpose: a convolution of images of this size has outputs of "
                      "other extents");
    inputs.push_back(along.before.id);
  }
  for (term const& e : extents) inputs.push_back(e.id);
  term const x{&g, g.apply(identity<op::convolution_images>(), inputs, window_attributes(o))};
  take_conditions(x, conditions);
  return x;
}

/// The element type of a convolution, which must be one of floating-point or complex numbers.
template <class X, class W>
inline constexpr element convolved_element = static_element_beside<X, W>();

template <class Op, int Axes, class X, class W, class... Options>
constexpr bool takes_convolution() {
  constexpr bool are_ranks = rank_of<X> == Axes + 2 && rank_of<W> == Axes + 2;
  constexpr bool are_numbers = is_continuous(convolved_element<X, W>);
  constexpr bool are_options = (is_convolution_option<Options> && ...);
  static_assert(
      are_ranks,
      "kt: a convolution takes images (batch, channels, extents...) and filters (outputs, "
      "channels / groups, extents...): conv1d of rank 3, conv2d of rank 4, conv3d of rank "
      "5");
  static_assert(are_numbers,
                "kt: a convolution of integers is not defined: convert the images or the filters, "
                "as in kt::cast<float>(images)");
  static_assert(
      are_options,
      "kt: the options of a convolution are kt::border::valid, full or half, kt::padding, "
      "kt::stride, kt::dilation, kt::groups and kt::correlation, each with its numbers, "
      "as in kt::stride<2, 2>");
  if constexpr (are_options)
    return are_accepted_options<window_options_of<Axes, Options...>()>() && are_ranks &&
           are_numbers;
  else return false;
}

template <class Op, int Axes, class X, class W, class... Options>
constexpr auto convolved(X const& images, W const& filters, Options...) {
  constexpr element e = convolved_element<X, W>;
  using result = variable<value_t<is_continuous(e) ? e : element::float64>, Axes + 2>;
  if constexpr (takes_convolution<Op, Axes, X, W, Options...>())
    return result(
        convolution(identity<Op>(), window_options_of<Axes, Options...>(), images, filters));
  else return in_place_of<typename result::value_type, Axes + 2>(images);
}

}  // namespace ops

/// Convolution of images (batch, channels, length) with filters (outputs, channels, length). The
/// options are those of `conv2d`.
template <typed X, typed W, class... Options>
constexpr auto conv1d(X const& images, W const& filters, Options... options) {
  return ops::convolved<op::conv1d, 1>(images, filters, options...);
}
/// Convolution of images (batch, channels, rows, columns) with filters (outputs, channels, rows,
/// columns): the outputs (batch, outputs, rows, columns) are sums over the channels. Options, in
/// any order: `kt::border::valid` (the default), `full` or `half`, or `kt::padding<...>`;
/// `kt::stride<...>`, `kt::dilation<...>`; `kt::groups<G>`, with filters (outputs, channels / G,
/// rows, columns), each for the channels of its group; `kt::correlation`, without which the filters
/// are flipped. Element types are promoted; integers alone are rejected. Throws kt::shape_error if
/// the channels do not fit, or if the filters are larger than the images with their padding.
/// (theano.tensor.nnet.conv2d)
template <typed X, typed W, class... Options>
constexpr auto conv2d(X const& images, W const& filters, Options... options) {
  return ops::convolved<op::conv2d, 2>(images, filters, options...);
}
/// Convolution of images (batch, channels, depth, rows, columns) with filters (outputs, channels,
/// depth, rows, columns). The options are those of `conv2d`. (theano.tensor.nnet.conv3d)
template <typed X, typed W, class... Options>
constexpr auto conv3d(X const& images, W const& filters, Options... options) {
  return ops::convolved<op::conv3d, 3>(images, filters, options...);
}

/// The gradient of `conv2d` with respect to its images, for outputs (batch, outputs, rows,
/// columns): images (batch, channels, rows, columns) of the given size, of which `conv2d` with the
/// same filters (outputs, channels / G, rows, columns) and options makes arrays of the extents of
/// the first operand. Throws kt::shape_error if they are others. (Theano's conv2d_grad_wrt_inputs)
template <typed X, typed W, class R, class C, class... Options>
constexpr auto conv2d_transpose(X const& images, W const& filters,
                                ops::extent_pack<R, C> const& size, Options...) {
  constexpr bool are_extents = ops::is_extent<R>() && ops::is_extent<C>();
  constexpr element e = ops::convolved_element<X, W>;
  using result = variable<core::value_t<core::is_continuous(e) ? e : element::float64>, 4>;
  if constexpr (are_extents &&
                ops::takes_convolution<op::conv2d_transpose, 2, X, W, Options...>()) {
    graph& g = *images.of;
    core::list<term> const extents{ops::extent_in(g, std::get<0>(size.extents)),
                                   ops::extent_in(g, std::get<1>(size.extents))};
    return result(ops::convolution_transpose(core::identity<op::conv2d_transpose>(),
                                             ops::window_options_of<2, Options...>(), images,
                                             filters, extents));
  } else {
    return core::in_place_of<typename result::value_type, 4>(images);
  }
}

}  // namespace kroton
