// Writing to a part of a tensor, x(...): set_subtensor and inc_subtensor.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/take.hpp>

namespace kroton {

/// The element type of a written value must convert to the tensor's without loss.
template <class T, class V>
concept value_fits_the_elements =
    (symbolic<V> && !typed<V>) ||
    core::promote(core::element_of<T>(), core::static_element<V>(core::element_of<T>())) ==
        core::element_of<T>();
/// A value that is written to a part broadcasts to it.
template <int Rank, class V>
concept value_has_no_more_axes_than_the_part = core::static_rank<V>() <= Rank;

namespace ops {

/// The tensor of which `of` is a part, with `value` written to the part. The template arguments are
/// the ops that write to a slice and to taken elements, and the function for a write to the whole
/// tensor.
template <class Basic, class Taken, class Whole>
constexpr term with_written_part(term whole, int selected, bool has_new_axes, term value,
                                 std::string_view not_a_part, std::string_view new_axes,
                                 Whole all) {
  if (!whole.exists() || has_new_axes) {
    value.of->fail(has_new_axes ? new_axes : not_a_part);
    return whole.exists() ? whole : value;
  }
  graph& g = *whole.of;
  term const node{&g, selected};
  if (selected == whole.id) return all(whole, value);
  if (g.is<op::subtensor>(selected)) return with_selection<Basic>(node, {whole.id, value.id}, 1);
  int const of = g.input_of(selected, 0);
  if (of == whole.id) return with_selection<Taken>(node, {of, value.id}, 1);
  term const part = with_selection<Taken>(node, {of, value.id}, 1);
  return with_selection<op::set_subtensor>({&g, of}, {whole.id, part.id}, 1);
}

template <class T, int Rank, class V>
constexpr term written_value(graph& g, V const& value) {
  static_assert(
      value_fits_the_elements<T, V>,
      "kt::set_subtensor, kt::inc_subtensor: the value's element type does not convert to "
      "the tensor's without loss; cast it");
  static_assert(value_has_no_more_axes_than_the_part<Rank, V>,
                "kt::set_subtensor, kt::inc_subtensor: the value has more axes than the part");
  return {&g, g.cast(node_of(g, value, element_of<T>()), element_of<T>())};
}

}  // namespace ops

/// The tensor x with the part x(...) replaced by a value, which broadcasts to the part:
/// `set_subtensor(x(0), 1.)`. x(...) may have slices, integers and index tensors. If an index
/// occurs several times, the last value counts, and the others have the gradient 0. Nothing is
/// copied if x is not read again, or is a shared variable that the result updates. Throws
/// kt::shape_error if the value does not match the part.
/// (theano.tensor.set_subtensor)
template <class T, int Rank, int Whole, operand V>
constexpr variable<T, Whole> set_subtensor(ops::part<T, Rank, Whole> const& part, V const& value) {
  return variable<T, Whole>(ops::with_written_part<op::set_subtensor, op::set_take>(
      part.whole, part.selected, part.has_new_axes, ops::written_value<T, Rank>(*part.of, value),
      "kt::set_subtensor: the first argument must be a part of a tensor, x(...)",
      "kt::set_subtensor: the part has a new axis; leave kt::newaxis out",
      [](term whole, term v) { return ops::expand_like(v, whole); }));
}
/// The tensor x with a value added to its part x(...), as in set_subtensor; if an index occurs
/// several times, all values are added. (theano.tensor.inc_subtensor)
template <class T, int Rank, int Whole, operand V>
constexpr variable<T, Whole> inc_subtensor(ops::part<T, Rank, Whole> const& part, V const& value) {
  return variable<T, Whole>(ops::with_written_part<op::inc_subtensor, op::inc_take>(
      part.whole, part.selected, part.has_new_axes, ops::written_value<T, Rank>(*part.of, value),
      "kt::inc_subtensor: the first argument must be a part of a tensor, x(...)",
      "kt::inc_subtensor: the part has a new axis; leave kt::newaxis out",
      [](term whole, term v) { return call<op::add>(whole, ops::expand_like(v, whole)); }));
}

namespace ops {

/// Returns x if it is not a part of a tensor.
template <symbolic X>
inline constexpr bool is_part = requires(std::remove_cvref_t<X> const& x) { x.has_new_axes; };

}  // namespace ops

/// Requires that the first argument is the result of x(...).
template <typed X, operand V>
  requires(!ops::is_part<X>)
constexpr X set_subtensor(X const& x, V const&) {
  static_assert(ops::is_part<X>,
                "kt::set_subtensor: the first argument must be a part of a tensor, x(...)");
  return x;
}
template <typed X, operand V>
  requires(!ops::is_part<X>)
constexpr X inc_subtensor(X const& x, V const&) {
  static_assert(ops::is_part<X>,
                "kt::inc_subtensor: the first argument must be a part of a tensor, x(...)");
  return x;
}

}  // namespace kroton
