// How a loop goes over its space, decided before it begins: the axes that are left, threads, staged
// operands, stores past the caches.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/packing.hpp>
#include <kroton/cpu/loop/parts.hpp>
#include <kroton/cpu/loop/staging.hpp>
#include <kroton/cpu/loop/streaming.hpp>
#include <kroton/cpu/loop/sums.hpp>
#include <kroton/cpu/loop/threads.hpp>
#include <kroton/cpu/loop/widened.hpp>

namespace kroton::cpu {

/// The decisions for one call. `kt::debugprint(f, shapes...)` prints them.
template <class Space>
struct loop_schedule {
  loop_shares shares;
  staging<Space> staged;  // in the part of a thread
  bool streams = false;

  /// For a space that has elements, whose axes are merged.
  loop_schedule(Space const& s, loop_facts const& facts)
      : shares(shares_of(s, facts)),
        staged(shares.parts > 1 ? staging<Space>(part_of(s, shares, 0), facts)
                                : staging<Space>(s, facts)),
        streams(staged.has_long_rows() && is_for_streaming(s, facts)) {}
};

template <class Space>
void run_scheduled(Space& s, loop_facts const& facts, rows_function<Space> rows) {
  loop_schedule<Space> const schedule(s, facts);
  s.streams = schedule.streams;
  auto const run = [&](Space const& part) {
    schedule.staged.run(part, rows);
    if (part.streams) finish_streaming();
  };
#ifdef _OPENMP
  if (schedule.shares.parts > 1) return run_shares(s, facts, schedule.shares, run);
#endif
  run(s);
}

/// The results of a loop that start anew, which others than those of earlier rows do.
template <class Space>
class started_results {
 public:
  started_results(Space const& s, loop_facts const& facts) {
    Space::fit(starts_, s.results);
    for (int k = 0; k < s.results; ++k) {
      starts_[k] = facts.result[k].reduction && !s.continues &&
                   (s.begins || !s.gathers(facts.result[k]));
      all_ = all_ && starts_[k];
    }
  }
  bool all() const { return all_; }
  void start(Space const& s, loop_facts const& facts) const {
    for (int k = 0; k < s.results; ++k)
      if (starts_[k]) s.start(s.operands + k, facts.result[k]);
  }

 private:
  typename Space::template per_array<bool> starts_;
  bool all_ = true;
};

/// Runs a loop whose body is `rows`.
template <class Space>
void run_rows(Space& s, loop_facts const& facts, rows_function<Space> rows) {
  started_results<Space> const started(s, facts);
  if (s.empty()) return started.start(s, facts);
  if (s.parts != nullptr) {
    started.start(s, facts);
    return s.parts->for_each(s, [&](Space& part) {
      part.parts = nullptr;
      part.continues = true;
      run_rows(part, facts, rows);
    });
  }
  s.merge_axes(facts);
  packed_arrays<Space> const packed(s);
  order_of_sums<Space> const order(s, facts);
  s.writes_sums = started.all() && order.takes_sums_at_once(s, facts);
  if (!s.writes_sums) started.start(s, facts);
  if (order.passes() == 0) run_scheduled(s, facts, rows);
  else order.run(s, [&](Space& part) { run_scheduled(part, facts, rows); });
  packed.store(s);
}

/// The same, with sums of floats accumulated in double unless they are short.
template <class Space>
void run_space(Space& s, loop_facts const& facts, rows_function<Space> rows) {
  s.adds_few = has_narrow_sums(s, facts);
  bool widens = false;
  for (int k = 0; k < s.results; ++k) widens = widens || facts.result[k].widened;
  if (s.adds_few || !widens) return run_rows(s, facts, rows);
  widened_results<Space> const wide(s, facts);
  run_rows(s, facts, rows);
  wide.store();
}

}  // namespace kroton::cpu
