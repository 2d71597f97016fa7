// A product of what a state and an element are joined to is one product of each: that of the
// element needs no state.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/loops/merge.hpp>
#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/engine/rebuild.hpp>

namespace kroton::loops {

/// A product of a body, of which operand `side` is joined along the axis that is summed over.
struct joined_product {
  int side = -1;
  int axis = -1;        // of the joined operand
  int other_axis = -1;  // of the other one
};

/// Whether a node is such a product, and some of what is joined depends on states and some does
/// not.
constexpr joined_product product_to_split(graph const& body, int id, list<bool> const& by_state) {
  if (!body.is<op::dot>(id)) return {};
  auto rank = [&](int side) { return body.type(body.input_of(id, side)).rank; };
  if (rank(0) < 1 || rank(0) > 2 || rank(1) < 1 || rank(1) > 2) return {};
  for (int side : {0, 1}) {
    int const joined = body.input_of(id, side), axis = side == 0 ? rank(0) - 1 : 0;
    if (!body.is<op::join>(joined) || body.attribute(joined, 0) != axis ||
        by_state[body.input_of(id, 1 - side)])
      continue;
    bool any = false, all = true;
    for (int k = 1; k < body[joined].input_count; ++k) {
      any = any || by_state[body.input_of(joined, k)];
      all = all && by_state[body.input_of(joined, k)];
    }
    if (any && !all) return {side, axis, side == 0 ? 0 : rank(0) - 1};
  }
  return {};
}

/// The sum of the products of the parts, neighbours that depend on states alike as one.
constexpr int sum_of_products(graph const& body, int id, joined_product const& split,
                              list<bool> const& by_state, graph& to, list<int> const& image) {
  int const joined = body.input_of(id, split.side), count = body[joined].input_count;
  term const other{&to, image[body.input_of(id, 1 - split.side)]};
  term begin = integer(to, 0), sum{};
  for (int first = 1, end = 1; first < count; first = end) {
    list<term> parts;
    for (; end < count &&
           by_state[body.input_of(joined, end)] == by_state[body.input_of(joined, first)];
         ++end)
      parts.push_back({&to, image[body.input_of(joined, end)]});
    term part = parts[0];
    if (parts.size() > 1) part = join(parts, split.axis);
    term const length = extent(part, split.axis),
               rest = axis_range(other, split.other_axis, begin, length, 1);
    int const operands[] = {split.side == 0 ? part.id : rest.id,
                            split.side == 0 ? rest.id : part.id};
    term const product{&to, to.apply(identity<op::dot>(), operands)};
    sum = sum.of == nullptr ? product : sum + product;
    begin = begin + length;
  }
  return sum.id;
}

constexpr bool split_products(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  if (!before.body.has<op::join>() || !before.body.has<op::dot>()) return false;
  list<bool> const by_state = nodes_after(before.body, states_of(before)),
                   live = before.body.live();
  bool found = false;
  for (int inner = 0; inner < before.body.size(); ++inner)
    found = found || (live[inner] && product_to_split(before.body, inner, by_state).side >= 0);
  if (!found) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    form.body =
        rewrite::rebuilt(before.body, [&](graph& inside, int inner, list<int> const& image_inside) {
          joined_product const split = product_to_split(before.body, inner, by_state);
          return split.side < 0
                     ? -1
                     : sum_of_products(before.body, inner, split, by_state, inside, image_inside);
        });
    return list<list<int>>{results_of(to, record_scan(to, form.parts, form.body))};
  });
  return true;
}
constexpr graph with_split_products(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &split_products);
}

}  // namespace kroton::loops
