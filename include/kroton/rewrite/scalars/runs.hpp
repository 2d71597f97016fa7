// How elements of running sums and products follow from those of operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/rewrite/scalars/replacement.hpp>

namespace kroton::rewrite {

/// Elements that follow from those before them along an axis: `next(before, own)` for the places of
/// both, the first of which is -1 at the beginning.
template <class Next>
constexpr void run_along_axis(scalar_replacement& r, int id, list<int>& elements, Next next) {
  int const axis = static_cast<int>(r.from().attribute(id, 0));
  bool const is_backward = r.from().attribute(id, 1) != 0;
  list<int> const& extents = r.extents(id);
  elements.extend(r.array(id).count(), -1);
  for_each_index(extents, [&](list<int> index) {
    int const k = index[axis];
    auto const place = [&](int of) {
      index[axis] = is_backward ? extents[axis] - 1 - of : of;
      return flat_index(extents, index);
    };
    int const before = k > 0 ? place(k - 1) : -1, own = place(k);
    elements[own] = next(before, own);
  });
}
/// What is so far at each place, combined with each element.
constexpr void accumulate_elements(scalar_replacement& r, int id, list<int>& elements,
                                   op_info const* op) {
  run_along_axis(r, id, elements, [&](int before, int own) {
    int const each = r.operand(id, 0).elements[own];
    return before < 0 ? each : r.apply(op, r.from().type(id).element, {elements[before], each});
  });
}
constexpr void elements_of_cumsum(scalar_replacement& r, int id, list<int>& elements) {
  accumulate_elements(r, id, elements, identity<op::add>());
}
constexpr void elements_of_cumprod(scalar_replacement& r, int id, list<int>& elements) {
  accumulate_elements(r, id, elements, identity<op::mul>());
}
constexpr void elements_of_shift(scalar_replacement& r, int id, list<int>& elements) {
  int const filling = r.made.literal(r.from().attribute(id, 2), r.from().type(id).element);
  run_along_axis(r, id, elements, [&](int before, int) {
    return before < 0 ? filling : r.operand(id, 0).elements[before];
  });
}
constexpr void elements_of_recurrence(scalar_replacement& r, int id, list<int>& elements) {
  small_array const &added = r.operand(id, 0), &factors = r.operand(id, 1);
  if (added.count() != r.array(id).count() || factors.count() != added.count()) return;
  element const e = r.from().type(id).element;
  bool const is_backward = r.from().attribute(id, 1) != 0;
  run_along_axis(r, id, elements, [&](int before, int own) {
    if (before < 0) return added.elements[own];
    int const factor = factors.elements[is_backward ? before : own],
              carried = r.apply(identity<op::mul>(), e, {factor, elements[before]});
    return r.apply(identity<op::add>(), e, {added.elements[own], carried});
  });
}

}  // namespace kroton::rewrite
