// How elements of arrays follow from elements of operands, for the ops that move them or add
// products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing.hpp>
#include <kroton/ops/linear_algebra/contraction.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/ops/shapes/allocation.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/rewrite/scalars/conditions.hpp>
#include <kroton/rewrite/scalars/diagonals.hpp>
#include <kroton/rewrite/scalars/linear_algebra.hpp>
#include <kroton/rewrite/scalars/moves.hpp>
#include <kroton/rewrite/scalars/replacement.hpp>
#include <kroton/rewrite/scalars/runs.hpp>

#include <bit>
#include <cstdint>

namespace kroton::rewrite {

constexpr void elements_of_literal(scalar_replacement& r, int id, list<int>& elements) {
  elements.push_back(r.made.add(r.from()[id].op, r.from().type(id), {}, r.from().attributes(id)));
}
constexpr void elements_of_constant(scalar_replacement& r, int id, list<int>& elements) {
  element const e = r.from().type(id).element;
  if (is_complex(e)) return;
  for (int i = 0; i < r.array(id).count(); ++i)
    elements.push_back(
        r.made.literal_of_bits(core::literal_of_stored(r.from().attribute(id, 1 + i), e), e));
}
constexpr void elements_of_dimshuffle(scalar_replacement& r, int id, list<int>& elements) {
  move_elements(r, id, 0, elements, [&](list<int> const& index) {
    list<int> of(r.operand(id, 0).rank(), 0);
    for (int d = 0; d < index.size(); ++d)
      if (long long const source = r.from().attribute(id, d); source >= 0)
        of[static_cast<int>(source)] = index[d];
    return of;
  });
  small_array const& from = r.operand(id, 0);
  if (from.whole == 0) return;
  list<int> axes(from.rank(), -1);
  for (int d = 0; d < r.extents(id).size(); ++d)
    if (long long const source = r.from().attribute(id, d); source >= 0)
      axes[static_cast<int>(source)] = d;
  for (int& e : elements) e = r.placed(from, e, axes, id);
}
/// Where axes are whole, a reshape that only adds or drops axes of one element.
constexpr void elements_of_reshape(scalar_replacement& r, int id, list<int>& elements) {
  small_array const &from = r.operand(id, 0), &to = r.array(id);
  bool same = true;
  int const source = r.from().input_of(id, 0);
  auto const past_ones = [](small_array const& a, int d) {
    while (d < a.rank() && !a.is_whole(d) && a.extents[d] == 1) ++d;
    return d;
  };
  int i = past_ones(from, 0), k = past_ones(to, 0);
  while (same && (from.whole | to.whole) != 0 && i < from.rank() && k < to.rank()) {
    same = from.is_whole(i) == to.is_whole(k) && from.extents[i] == to.extents[k] &&
           (!to.is_whole(k) || r.are_equal(r.extent_of(source, i), r.extent_of(id, k)));
    i = past_ones(from, i + 1);
    k = past_ones(to, k + 1);
  }
  bool const all = (from.whole | to.whole) == 0 || (i == from.rank() && k == to.rank());
  if (same && all) elements = from.elements;
}
constexpr void elements_of_alloc(scalar_replacement& r, int id, list<int>& elements) {
  list<int> extents;
  for (int d = 0; d < r.extents(id).size(); ++d)
    if (r.array(id).is_whole(d)) extents.push_back(r.scalar_operand(id, 1 + d));
  for_each_index(r.extents(id), [&](list<int> const& index) {
    elements.push_back(r.spread(r.aligned(r.operand(id, 0), index, id), extents));
  });
}
constexpr void elements_of_vector(scalar_replacement& r, int id, list<int>& elements) {
  for (int k = 1; k < r.from()[id].input_count; ++k)
    elements.push_back(r.made.cast(r.operand(id, k).elements[0], r.from().type(id).element));
}
constexpr void elements_of_iota(scalar_replacement& r, int id, list<int>& elements) {
  for (int i = 0; i < r.extents(id)[0]; ++i) elements.push_back(r.made.literal(i, element::int64));
}
constexpr void elements_of_join(scalar_replacement& r, int id, list<int>& elements) {
  int const axis = static_cast<int>(r.from().attribute(id, 0));
  bool is_apart = !r.array(id).is_whole(axis);
  for (int k = 1; k < r.from()[id].input_count; ++k)
    is_apart = is_apart && r.operand(id, k).whole == r.array(id).whole;
  if (!is_apart) return;
  for_each_index(r.extents(id), [&](list<int> index) {
    int k = 1;
    while (index[axis] >= r.operand(id, k).extents[axis])
      index[axis] -= r.operand(id, k++).extents[axis];
    elements.push_back(r.operand(id, k).at(index));
  });
}

/// The part that an indexing op selects: for each axis of the whole, where it begins and the step;
/// `single` where it is one index. `known` if all indices are numbers.
struct selected_part {
  bool known = false;
  list<int> begins{}, steps{};
  list<bool> single{};

  constexpr list<int> in_whole(list<int> const& index) const {
    list<int> of;
    for (int d = 0, next = 0; d < begins.size(); ++d)
      of.push_back(single[d] ? begins[d] : begins[d] + index[next++] * steps[d]);
    return of;
  }
};
constexpr selected_part part_of(scalar_replacement& r, int id, int next) {
  selected_part part;
  part.known = true;
  list<int> const& extents = r.operand(id, 0).extents;
  for (int d = 0; d < extents.size(); ++d) {
    long long const code = r.from().attribute(id, 2 * d);
    bool const is_all = code == 0 || r.operand(id, 0).is_whole(d);
    long long const begin = is_all ? 0 : r.number(id, next);
    part.known = part.known && begin >= 0 && begin < extents[d];
    part.begins.push_back(static_cast<int>(begin));
    part.steps.push_back(is_all ? 1 : static_cast<int>(r.from().attribute(id, 2 * d + 1)));
    part.single.push_back(code == 1);
    next += static_cast<int>(code);
  }
  return part;
}
/// Whether a part has the same axes taken apart as the whole.
constexpr bool has_axes_of_whole(scalar_replacement& r, int id) {
  bool same = true;
  for (int d = 0, own = 0; d < r.operand(id, 0).rank(); ++d)
    if (r.from().attribute(id, 2 * d) != 1)
      same = same && r.operand(id, 0).is_whole(d) == r.array(id).is_whole(own++);
  return same;
}
constexpr void elements_of_subtensor(scalar_replacement& r, int id, list<int>& elements) {
  selected_part const part = part_of(r, id, 1);
  if (!part.known || !has_axes_of_whole(r, id)) return;
  move_elements(r, id, 0, elements, [&](list<int> const& index) { return part.in_whole(index); });
  // Axes that are whole are selected from in each element.
  list<int> inputs{-1};
  list<long long> attributes;
  bool selects = false;
  for (int d = 0, next = 1; d < r.operand(id, 0).rank(); ++d) {
    long long const code = r.from().attribute(id, 2 * d);
    bool const is_whole = r.operand(id, 0).is_whole(d);
    for (int i = 0; i < code; ++i, ++next)
      if (is_whole) inputs.push_back(r.scalar_operand(id, next));
    if (!is_whole) continue;
    selects = selects || code != 0;
    attributes.push_back(code);
    attributes.push_back(r.from().attribute(id, 2 * d + 1));
  }
  if (!selects) return;
  for (int& e : elements) {
    inputs[0] = e;
    e = r.made.apply(identity<op::subtensor>(), inputs, attributes);
  }
}
/// Of a write to a part: `change(old, written)` for each element of the part.
template <class Change>
constexpr void write_elements(scalar_replacement& r, int id, list<int>& elements, Change change) {
  selected_part const part = part_of(r, id, 2);
  if (!part.known) return;
  elements = r.operand(id, 0).elements;
  list<int> extents, axes;
  list<int> const& whole = r.operand(id, 0).extents;
  int next = 2;
  for (int d = 0; d < whole.size(); ++d) {
    long long const code = r.from().attribute(id, 2 * d);
    if (code != 0 && r.operand(id, 0).is_whole(d)) return elements.clear();
    if (code != 1) axes.push_back(d);
    if (code == 0) extents.push_back(whole[d]);
    if (code == 2) extents.push_back(static_cast<int>(r.number(id, next + 1)));
    if (code == 2 && extents.back() < 0) return elements.clear();
    next += static_cast<int>(code);
  }
  small_array const& written = r.operand(id, 1);
  int const lead = axes.size() - written.rank();
  list<int> const own_axes(axes.data() + lead, written.rank());
  for_each_index(extents, [&](list<int> const& index) {
    int& e = elements[flat_index(whole, part.in_whole(index))];
    e = change(e, r.placed(written, written.at(index), own_axes, id));
  });
}
constexpr void elements_of_set_subtensor(scalar_replacement& r, int id, list<int>& elements) {
  write_elements(r, id, elements,
                 [&](int old, int written) { return r.spread(written, extents_of(r.made, old)); });
}
constexpr void elements_of_inc_subtensor(scalar_replacement& r, int id, list<int>& elements) {
  write_elements(r, id, elements, [&](int old, int added) {
    return r.apply(identity<op::add>(), r.from().type(id).element, list<int>{old, added});
  });
}

/// The sum of products of two rows of elements.
constexpr int sum_of_products(scalar_replacement& r, element e, list<int> const& left,
                              list<int> const& right) {
  list<int> terms;
  for (int k = 0; k < left.size(); ++k)
    terms.push_back(r.apply(identity<op::mul>(), e, list<int>{left[k], right[k]}));
  return r.sum_of(terms);
}
/// A product over the last axis of the left operand and axis `shared` of the right one. `split` is
/// the number of axes of the result that are axes of the left operand, `shared` how many of them
/// the right one has, too.
constexpr void multiply_elements(scalar_replacement& r, int id, list<int>& elements, int split,
                                 int shared) {
  small_array const &left = r.operand(id, 0), &right = r.operand(id, 1);
  int const terms = left.extents.back();
  if (left.is_whole(left.rank() - 1) || right.is_whole(shared)) return;
  list<int> left_axes, right_axes;
  for (int d = 0; d < left.rank(); ++d) left_axes.push_back(d < split ? d : -1);
  for (int d = 0; d < right.rank(); ++d)
    right_axes.push_back(d < shared ? d : d == shared ? -1 : split + d - shared - 1);
  if (terms * r.array(id).count() > scalar_replacement::most_terms) return r.give_up();
  for_each_index(r.extents(id), [&](list<int> const& index) {
    list<int> of_left, of_right;
    for (int k = 0; k < terms; ++k) {
      list<int> at_left, at_right;
      for (int d = 0; d < split; ++d) at_left.push_back(index[d]);
      at_left.push_back(k);
      for (int d = 0; d < shared; ++d) at_right.push_back(index[d]);
      at_right.push_back(k);
      for (int d = split; d < index.size(); ++d) at_right.push_back(index[d]);
      of_left.push_back(r.placed(left, left.at(at_left), left_axes, id));
      of_right.push_back(r.placed(right, right.at(at_right), right_axes, id));
    }
    elements.push_back(sum_of_products(r, r.from().type(id).element, of_left, of_right));
  });
}
constexpr void elements_of_dot(scalar_replacement& r, int id, list<int>& elements) {
  multiply_elements(r, id, elements, r.operand(id, 0).rank() - 1, 0);
}
constexpr void elements_of_batched_dot(scalar_replacement& r, int id, list<int>& elements) {
  multiply_elements(r, id, elements, 2, 1);
}

inline constexpr element_rule all_element_rules[] = {
    {.op = identity<op::literal>(), .give = &elements_of_literal, .takes_whole_axes = true},
    {.op = identity<op::dimshuffle>(), .give = &elements_of_dimshuffle, .takes_whole_axes = true},
    {.op = identity<op::reshape>(), .give = &elements_of_reshape, .takes_whole_axes = true},
    {.op = identity<op::alloc>(), .give = &elements_of_alloc, .takes_whole_axes = true},
    {.op = identity<op::make_vector>(), .give = &elements_of_vector},
    {.op = identity<op::iota>(), .give = &elements_of_iota},
    {.op = identity<op::join>(), .give = &elements_of_join, .takes_whole_axes = true},
    {.op = identity<op::subtensor>(), .give = &elements_of_subtensor, .takes_whole_axes = true},
    {.op = identity<op::set_subtensor>(),
     .give = &elements_of_set_subtensor,
     .takes_whole_axes = true},
    {.op = identity<op::inc_subtensor>(),
     .give = &elements_of_inc_subtensor,
     .takes_whole_axes = true},
    {.op = identity<op::dot>(), .give = &elements_of_dot, .takes_whole_axes = true},
    {.op = identity<op::batched_dot>(), .give = &elements_of_batched_dot, .takes_whole_axes = true},
    {.op = identity<op::diagonal>(), .give = &elements_of_diagonal},
    {.op = identity<op::from_diagonal>(), .give = &elements_of_from_diagonal},
    {.op = identity<op::from_diagonals>(), .give = &elements_of_from_diagonals},
    {.op = identity<op::cumsum>(), .give = &elements_of_cumsum},
    {.op = identity<op::cumprod>(), .give = &elements_of_cumprod},
    {.op = identity<op::shift>(), .give = &elements_of_shift},
    {.op = identity<op::recurrence>(), .give = &elements_of_recurrence},
    {.op = identity<op::constant>(), .give = &elements_of_constant},
    {.op = identity<op::solve>(), .give = &elements_of_solve, .takes_each = true},
    {.op = identity<op::solve_triangular>(),
     .give = &elements_of_solve_triangular,
     .takes_each = true},
    {.op = identity<op::matrix_inverse>(), .give = &elements_of_inverse, .takes_each = true},
    {.op = identity<op::det>(), .give = &elements_of_det, .takes_each = true},
    {.op = identity<op::cofactors>(), .give = &elements_of_cofactors, .takes_each = true},
    {.op = identity<op::cofactors_change>(),
     .give = &elements_of_cofactors_change,
     .takes_each = true},
    {.op = identity<op::slogdet>(), .give = &elements_of_slogdet, .takes_each = true},
    {.op = identity<op::item>(), .give = &elements_of_item, .takes_whole_axes = true},
    {.op = identity<op::cholesky>(), .give = &elements_of_cholesky, .takes_each = true},
};
constexpr items<element_rule> element_rules() { return all_element_rules; }

/// What a graph of elements has of arrays: parameters, their elements and extents, and results that
/// are put together.
constexpr bool is_left_of_arrays(graph const& g, int id) {
  bool const is_element =
      g.is<op::subtensor>(id) && g.type(id).rank == 0 && g.is<op::input>(g.input_of(id, 0));
  return is_element || g.is<op::input>(id) || g.is<op::extent_of>(id) ||
         g.is<op::make_vector>(id) || g.is<op::reshape>(id);
}
/// Whether a condition says that an extent is a number of several elements.
constexpr bool names_extent(graph const& g, extent_constraint const& c) {
  auto const is_number = [&](int id) { return g.is_literal(id) && g.literal_bits(id) > 1; };
  return c.kind == condition::equal && (is_number(c.left) || is_number(c.right));
}
/// Whether the types of parameters say extents, or what is known around a body.
constexpr bool has_types_with_extents(graph const& g) {
  bool has = true;
  for (int id : g.parameters()) has = has && g.type(id).rank == 0;
  for (auto const& c : g.constraints()) has = has || is_op<op::fixed>(c.op);
  return has;
}
/// Whether there are arrays to replace, and types or conditions say extents: most graphs are told
/// apart by that.
constexpr bool has_small_arrays(graph const& g) {
  bool has = false, knows_extents = has_types_with_extents(g);
  for (auto const& c : g.constraints()) knows_extents = knows_extents || names_extent(g, c);
  if (!knows_extents) return false;
  for (int id = 0; id < g.size() && !has; ++id)
    has = (g.type(id).rank > 0 || reads_arrays(g, id)) && !is_left_of_arrays(g, id);
  return has;
}
constexpr graph with_scalar_replacement(graph const& g) {
  bool const in_any_case = has_types_with_extents(g);
  scalar_replacement replacement(g, in_any_case);
  if (replacement.run()) return cleaner(replacement.made).run();
  // No conditional expression: g++ 12 destroys graphs of one twice in a constant evaluation.
  if (!in_any_case) return g;
  return cleaner(g).run();
}

}  // namespace kroton::rewrite
