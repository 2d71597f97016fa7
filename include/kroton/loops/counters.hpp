// States to which each step adds a number: what they are after each step is known before the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/merge.hpp>
#include <kroton/loops/progressions.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// All values of a counter after its start, or the last one.
constexpr term counted(term start, term steps, long long stride, bool all) {
  if (!all) return start + steps * stride;
  return start + (iota(steps) + 1) * stride;
}

constexpr bool count_outside(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  list<bool> const used = used_results(g, id, g.live());
  list<long long> strides;  // of the counters that are read, 0 for others
  bool found = false;
  for (int t = 0; t < before.parts.tapes.size(); ++t) {
    long long stride = 0;
    if (before.parts.stops || !used[t] || !is_counter(before, t, stride)) stride = 0;
    strides.push_back(stride);
    found = found || stride != 0;
  }
  if (!found) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    list<int> results = results_of(to, record_scan(to, form.parts, form.body));
    term const steps{&to, form.parts.steps};
    for (int t = 0; to.error().empty() && t < strides.size(); ++t)
      if (strides[t] != 0)
        results[t] = counted({&to, form.parts.tapes[t].start}, steps, strides[t],
                             form.parts.tapes[t].kind != tape_kind::shared)
                         .id;
    return list<list<int>>{results};
  });
  return true;
}
constexpr graph with_counters_outside(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &count_outside);
}

}  // namespace kroton::loops
