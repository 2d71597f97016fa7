// Extents that are equal at every call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/shapes/extents.hpp>
#include <kroton/rewrite/engine/order.hpp>

#include <utility>

namespace kroton::rewrite {

/// Classes of int64 scalars. A class has one representative: a literal, or else the input that
/// comes first.
class extent_representatives {
 public:
  constexpr int representative(int id) const {
    while (id < class_.size() && class_[id] >= 0) id = class_[id];
    return id;
  }
  constexpr void unite(graph const& g, int a, int b) {
    a = representative(a);
    b = representative(b);
    if (a == b) return;
    class_.extend(g.size(), -1);
    if (comes_before(g, b, a)) std::swap(a, b);
    class_[b] = a;
  }

 private:
  /// Whether an extent is computed from elements of a tensor, which may have it themselves.
  static constexpr bool counts_elements(graph const& g, int id) {
    list<int> rest{id};
    while (!rest.empty()) {
      int const next = rest.back();
      rest.pop_back();
      if (g.type(next).rank > 0) return true;
      if (g.is<op::extent_of>(next)) continue;
      for (int i : g.inputs(next)) rest.push_back(i);
    }
    return false;
  }
  static constexpr bool comes_before(graph const& g, int a, int b) {
    if (g.is_literal(a) != g.is_literal(b)) return g.is_literal(a);
    auto rank = [&](int id) {
      if (!g.is<op::extent_of>(id) || !g.is<op::input>(g.input_of(id, 0)))
        return counts_elements(g, id) ? 1ll << 41 : 1ll << 40;
      return g.attribute(g.input_of(id, 0), 0) * 64 + g.attribute(id, 0);
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return stands_before(g, a, b);
  }

  list<int> class_;
};

}  // namespace kroton::rewrite
