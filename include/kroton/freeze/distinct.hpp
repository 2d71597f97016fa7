// Equal graphs among many.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

namespace kroton::freeze {

/// Finds which graphs of a list are equal: equal layers have equal loops, of which one is frozen.
class distinct_graphs {
 public:
  constexpr explicit distinct_graphs(int most) {
    int size = 16;
    while (size < 2 * most) size *= 2;
    table_ = list<int>(size);
    hashes_.reserve(most);
  }
  /// The number of the first graph that equals the one numbered `which`; asked of each in turn.
  constexpr int find(list<graph> const& all, int which) {
    graph const& wanted = all[which];
    std::uint64_t hash = static_cast<std::uint64_t>(wanted.results().size());
    for (int id = 0; id < wanted.size(); ++id) hash = mix(hash, wanted[id].hash);
    for (int id : wanted.results()) hash = mix(hash, static_cast<std::uint64_t>(id));
    hashes_.push_back(hash);
    int const mask = table_.size() - 1;
    int slot = static_cast<int>(hash & static_cast<std::uint64_t>(mask));
    for (; table_[slot] > 0; slot = (slot + 1) & mask)
      if (int const known = table_[slot] - 1; hashes_[known] == hash && same(all[known], wanted))
        return known;
    table_[slot] = which + 1;
    return which;
  }

 private:
  template <class T>
  static constexpr bool same(items<T> a, items<T> b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }
  static constexpr bool same(graph const& a, graph const& b) {
    if (a.size() != b.size() || !same<int>(a.results(), b.results())) return false;
    for (int id = 0; id < a.size(); ++id)
      if (a[id].op->key != b[id].op->key || a.type(id) != b.type(id) ||
          !same(a.inputs(id), b.inputs(id)) || !same(a.attributes(id), b.attributes(id)))
        return false;
    return true;
  }

  list<int> table_{};  // by hash: the number of a graph, plus one
  list<std::uint64_t> hashes_{};
};

}  // namespace kroton::freeze
