// Options of operations that move a window over the last axes of a tensor: convolutions and
// pooling.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/shapes/size.hpp>

namespace kroton {

/// How far the filters of a convolution reach beyond the images, which count as zero there.
namespace border {
struct valid_t {};
struct full_t {};
struct half_t {};
/// Not at all: n - k + 1 positions of a filter of k elements on n.
inline constexpr valid_t valid{};
/// As long as one element overlaps: n + k - 1 positions.
inline constexpr full_t full{};
/// By half a filter, k / 2: n positions where k is odd.
inline constexpr half_t half{};
}  // namespace border

/// Elements added around the images: one number for all axes, one for each axis, or two for each,
/// before and behind: `kt::padding<top, bottom, left, right>`.
template <int... N>
struct padding_t {};
template <int... N>
inline constexpr padding_t<N...> padding{};
/// Steps between positions of the window: one number, or one for each axis.
template <int... N>
struct stride_t {};
template <int... N>
inline constexpr stride_t<N...> stride{};
/// Steps between the elements of the window: one number, or one for each axis.
template <int... N>
struct dilation_t {};
template <int... N>
inline constexpr dilation_t<N...> dilation{};
/// Channels in G groups, each convolved with the filters of its own outputs; as many groups as
/// channels make a depthwise convolution.
template <int G>
struct groups_t {};
template <int G>
inline constexpr groups_t<G> groups{};
/// Does not flip the filters.
struct correlation_t {};
inline constexpr correlation_t correlation{};
/// Whether windows that reach beyond the border are left out, which is the default.
template <bool Ignores>
struct ignore_border_t {};
template <bool Ignores>
inline constexpr ignore_border_t<Ignores> ignore_border{};
/// Averages over the elements of the image alone.
struct ignore_padding_t {};
inline constexpr ignore_padding_t ignore_padding{};

namespace ops {

/// The number of axes that a window moves along.
inline constexpr int max_window_axes = 3;

enum class window_border { valid, full, half };

/// What the options of a call say. `fault` is the first mistake in them.
struct window_options {
  enum faults { none, twice, count, sign, zero, both, wide, beyond } fault = none;
  window_border border = window_border::valid;
  bool has_border = false, has_padding = false, has_stride = false, has_dilation = false,
       has_groups = false, has_ignore_border = false;
  bool correlates = false, ignores_border = true, ignores_padding = false;
  long long before[max_window_axes]{}, after[max_window_axes]{};
  long long stride[max_window_axes]{1, 1, 1}, dilation[max_window_axes]{1, 1, 1};
  long long groups = 1;
  int axes = 0;

  constexpr void refuse(faults f) { fault = fault == none ? f : fault; }
  constexpr void note(bool& has) {
    if (has) refuse(twice);
    has = true;
  }
  template <int... N>
  constexpr void take(padding_t<N...>) {
    constexpr int given = sizeof...(N);
    constexpr int numbers[sizeof...(N) + 1] = {N..., 0};
    note(has_padding);
    if (given != 1 && given != axes && given != 2 * axes) return refuse(count);
    if (((N < 0) || ...)) return refuse(sign);
    bool const sides = given == 2 * axes && given > 1;
    for (int d = 0; d < axes; ++d) {
      before[d] = numbers[given == 1 ? 0 : sides ? 2 * d : d];
      after[d] = numbers[given == 1 ? 0 : sides ? 2 * d + 1 : d];
    }
  }
  template <int... N>
  constexpr void take(stride_t<N...>) {
    note(has_stride);
    take_steps<N...>(stride);
  }
  template <int... N>
  constexpr void take(dilation_t<N...>) {
    note(has_dilation);
    take_steps<N...>(dilation);
  }
  template <int G>
  constexpr void take(groups_t<G>) {
    note(has_groups);
    if (G < 1) refuse(zero);
    groups = G;
  }
  constexpr void take(border::valid_t) { take_border(window_border::valid); }
  constexpr void take(border::full_t) { take_border(window_border::full); }
  constexpr void take(border::half_t) { take_border(window_border::half); }
  constexpr void take(correlation_t) { note(correlates); }
  template <bool Ignores>
  constexpr void take(ignore_border_t<Ignores>) {
    note(has_ignore_border);
    ignores_border = Ignores;
  }
  constexpr void take(ignore_padding_t) { note(ignores_padding); }

 private:
  constexpr void take_border(window_border b) {
    note(has_border);
    border = b;
  }
  template <int... N>
  constexpr void take_steps(long long (&steps)[max_window_axes]) {
    constexpr int given = sizeof...(N);
    constexpr int numbers[sizeof...(N) + 1] = {N..., 0};
    if (given != 1 && given != axes) return refuse(count);
    if (((N < 1) || ...)) return refuse(zero);
    for (int d = 0; d < axes; ++d) steps[d] = numbers[given == 1 ? 0 : d];
  }
};

template <int Axes, class... Options>
constexpr window_options window_options_of() {
  window_options all;
  all.axes = Axes;
  (all.take(Options{}), ...);
  if (all.has_border && all.has_padding) all.refuse(window_options::both);
  return all;
}

/// An option of a convolution, and one of a pooling operation.
template <class O>
inline constexpr bool is_convolution_option = false;
template <int... N>
inline constexpr bool is_convolution_option<padding_t<N...>> = true;
template <int... N>
inline constexpr bool is_convolution_option<stride_t<N...>> = true;
template <int... N>
inline constexpr bool is_convolution_option<dilation_t<N...>> = true;
template <int G>
inline constexpr bool is_convolution_option<groups_t<G>> = true;
template <>
inline constexpr bool is_convolution_option<border::valid_t> = true;
template <>
inline constexpr bool is_convolution_option<border::full_t> = true;
template <>
inline constexpr bool is_convolution_option<border::half_t> = true;
template <>
inline constexpr bool is_convolution_option<correlation_t> = true;
template <class O>
inline constexpr bool is_pooling_option = false;
template <int... N>
inline constexpr bool is_pooling_option<padding_t<N...>> = true;
template <int... N>
inline constexpr bool is_pooling_option<stride_t<N...>> = true;
template <bool Ignores>
inline constexpr bool is_pooling_option<ignore_border_t<Ignores>> = true;
template <>
inline constexpr bool is_pooling_option<ignore_padding_t> = true;

/// Whether options are what an operation takes; else one sentence says what is wrong with them.
template <window_options Given>
constexpr bool are_accepted_options() {
  using enum window_options::faults;
  static_assert(Given.fault != twice, "kt: an option of a convolution or a pooling is given twice");
  static_assert(Given.fault != count,
                "kt: kt::stride and kt::dilation take one number or one for each axis, kt::padding "
                "also two for each axis: before and behind");
  static_assert(Given.fault != sign, "kt: a padding must not be negative");
  static_assert(Given.fault != zero, "kt: strides, dilations and groups must be at least 1");
  static_assert(Given.fault != both,
                "kt: kt::padding and a kt::border exclude each other: the border is a padding");
  static_assert(Given.fault != wide, "kt: the padding of a pooling must be less than its window");
  static_assert(Given.fault != beyond,
                "kt: pooling with padding ignores the border: windows beyond it are only defined "
                "without padding");
  return Given.fault == none;
}

/// `by` of an extent, in the one form that equal extents have.
constexpr term mapped(term extent, affine by) {
  return {extent.of, mapped(*extent.of, by, extent.id)};
}

/// The number of positions of a window that covers `covered` elements, on an axis of n with
/// `padding` elements more, `stride` apart. All of these are known but n and `covered`.
constexpr term window_positions(term n, term covered, long long padding, long long stride) {
  graph& g = *n.of;
  if (g.is_literal(covered.id))
    return mapped(n, {1, padding + stride - g.literal_bits(covered.id), stride});
  return mapped(n - covered, {1, padding + stride, stride});
}

/// What a condition on windows requires: that one fits into its image; that images have the
/// channels of the filters; that all groups have as many filters; that images have the extents that
/// follow from those asked for; that a window on the padding has an element of the image.
enum class window_condition : long long { fit, channels, groups, size, elements };
/// Whether the conditions of an op are among these, by its name.
constexpr bool requires_window(std::string_view op) {
  return (op.starts_with("conv") && op != "convolve") || op.ends_with("_pool");
}

/// Adds a condition and, as notes for its error, what it is about: which one it is, and the shapes
/// of tensors with their numbers. It is one more than the graph may have of another value, which a
/// function need not compute.
constexpr void require_of_shapes(op_info const* op, window_condition which, term left, term right,
                                 list<term> const& tensors, std::string_view otherwise) {
  bool const is_least = which == window_condition::fit || which == window_condition::elements;
  condition const kind = is_least ? condition::at_least : condition::equal;
  graph& g = *left.of;
  if (g.is_literal(left.id) && g.is_literal(right.id)) {
    long long const a = g.literal_bits(left.id), b = g.literal_bits(right.id);
    if (kind == condition::equal ? a != b : a < b) g.fail(otherwise);
    return;
  }
  auto const add = [&](int a, int b, condition c) { g.constraints().push_back({a, b, op, c}); };
  add(left.id, right.id, kind);
  add(g.literal(static_cast<long long>(which), element::int64), g.literal(-1, element::int64),
      condition::note);
  for (int k = 0; k < tensors.size(); ++k)
    for (int d = 0; d < tensors[k].rank(); ++d)
      add(extent(tensors[k], d).id, g.literal(k, element::int64), condition::note);
}

}  // namespace ops
}  // namespace kroton
