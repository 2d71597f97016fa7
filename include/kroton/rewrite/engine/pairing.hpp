// What several sums or products have in common, two operands at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/list.hpp>
#include <kroton/rewrite/engine/order.hpp>

namespace kroton::rewrite {

/// Operands from this number on are pairs, those below it nodes.
inline constexpr int first_pair = 1 << 28;

/// Replaces pairs that occur in several places, from the most frequent on; whether there were any.
/// `before` orders the occurrences of pairs, of which equal ones are of one pair, `is_there` says
/// whether one has not been replaced in part, `add` takes a new pair, and `replace` puts the newest
/// one in an occurrence's place.
template <class Occurrence, class Before, class IsThere, class Add, class Replace>
constexpr bool replace_frequent_pairs(list<Occurrence>& all, Before before, IsThere is_there,
                                      Add add, Replace replace) {
  struct candidate {
    int first, count;
  };
  merge_sort(all, before);
  list<candidate> candidates;
  for (int i = 0, n = 0; i < all.size(); i += n) {
    for (n = 1; i + n < all.size() && !before(all[i], all[i + n]);) ++n;
    if (n > 1) candidates.push_back({i, n});
  }
  merge_sort(candidates, [](candidate const& x, candidate const& y) { return x.count > y.count; });
  bool any = false;
  for (candidate const& c : candidates) {
    // Those that are half as frequent wait for the next time, when what is found now may be part of
    // them.
    if (2 * c.count <= candidates[0].count) break;
    int left = 0;
    for (int k = c.first; k < c.first + c.count; ++k) left += is_there(all[k]) ? 1 : 0;
    if (left < 2) continue;
    any = true;
    add(all[c.first]);
    for (int k = c.first; k < c.first + c.count; ++k)
      while (is_there(all[k])) replace(all[k]);
  }
  return any;
}

}  // namespace kroton::rewrite
