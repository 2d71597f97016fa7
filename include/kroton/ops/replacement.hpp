// Values computed once more, of other operands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

namespace kroton {
namespace ops {

/// Records what leads from some nodes to y once more, with others in their place.
constexpr int replaced(graph& g, int y, list<int> const& from, list<int> const& to) {
  int const size = g.size();
  list<int> image(size, -1);
  for (int i = 0; i < from.size(); ++i) image[from[i]] = to[i];
  auto const at = [&](int id) { return image[id] >= 0 ? image[id] : id; };
  auto const record = [&](int id) {
    bool changes = false;
    for (int in : g.inputs(id)) changes = changes || image[in] >= 0;
    if (image[id] >= 0 || !changes) return;
    if (g[id].op->is_serial)
      g.fail(
          "kt::clone_replace: what is replaced leads to random numbers, which would be drawn "
          "again");
    list<int> operands;
    for (int in : g.inputs(id)) operands.push_back(at(in));
    list<long long> const attributes(g.attributes(id).first, g.attributes(id).count);
    image[id] = g.add(g[id].op, g.type(id), operands, attributes);
  };
  list<bool> needed(size);
  needed[y] = true;
  for (int id = y; id >= 0; --id)
    if (needed[id])
      for (int in : g.inputs(id)) needed[in] = true;
  for (int id = 0; id <= y; ++id)
    if (needed[id]) record(id);
  // What has to hold of the operands of those nodes has to hold of the new ones.
  int const conditions = g.constraints().size();
  for (int k = 0; k < conditions; ++k) {
    auto c = g.constraints()[k];
    if (c.left >= size || c.right >= size) continue;
    record(c.left);
    record(c.right);
    if (image[c.left] < 0 && image[c.right] < 0) continue;
    c.left = at(c.left);
    c.right = at(c.right);
    if (c.node >= 0) c.node = at(c.node);
    g.constraints().push_back(c);
  }
  return at(y);
}

/// Whether values stand for others of their types, in pairs.
template <class... P>
constexpr bool are_replacements() {
  if constexpr (sizeof...(P) == 0 || sizeof...(P) % 2 != 0 || !(symbolic<P> && ...)) {
    return false;
  } else {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      using all = std::tuple<P...>;
      auto const fits = []<class X, class Z>(std::type_identity<X>, std::type_identity<Z>) {
        if constexpr (typed<X> && typed<Z>)
          return rank_of<X> == rank_of<Z> && std::same_as<value_type_of<X>, value_type_of<Z>>;
        else return true;
      };
      return (fits(std::type_identity<std::tuple_element_t<2 * I, all>>{},
                   std::type_identity<std::tuple_element_t<2 * I + 1, all>>{}) &&
              ...);
    }(std::make_index_sequence<sizeof...(P) / 2>{});
  }
}

}  // namespace ops

/// y with x replaced by z in all that it is computed of, and further pairs at the same time:
/// `clone_replace(y, x, z, u, v)`. x may be a parameter or a computed value; z has its element type
/// and dimensions, and may have other extents. y itself is as before. (pytensor.clone_replace,
/// theano.clone; givens)
template <symbolic Y, class... P>
constexpr Y clone_replace(Y const& y, P const&... pairs) {
  constexpr bool are_pairs = ops::are_replacements<P...>();
  static_assert(
      are_pairs,
      "kt::clone_replace: after the result, pass pairs of a variable and what takes its place, "
      "of the same element type and number of dimensions");
  if constexpr (are_pairs) {
    graph& g = *y.of;
    core::list<int> from, to;
    term const all[] = {term(pairs)...};
    for (std::size_t i = 0; i < sizeof...(P); i += 2) {
      if (!(all[i].type() == all[i + 1].type()))
        g.fail(
            "kt::clone_replace: what takes the place of a variable has its element type, its "
            "dimensions and those of them that broadcast");
      from.push_back(all[i].id);
      to.push_back(all[i + 1].id);
    }
    return Y(term{&g, ops::replaced(g, y.id, from, to)});
  } else {
    return y;
  }
}

}  // namespace kroton
