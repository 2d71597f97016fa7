// Bundles: loops over a space and over the same space without one axis, which a call can take as
// one where that axis is short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/plan/fusion.hpp>
#include <kroton/plan/planned.hpp>

namespace kroton::plan {

/// Steps that go together: loops, and views of what they compute.
struct planned_bundle {
  int rank = 0;            // of the larger space
  int axis_from_last = 0;  // the short axis of it, counted from its last one
  int length = 0;          // the node of its extent
  int extent = 0;          // its number in the table of extents
  int first = 0, last = 0;

  /// Whether a loop has the short axis. Its space has numbers of extents, as all have in the end.
  constexpr bool has_axis(planned_step const& step) const {
    return step.space.size() == rank && step.space[rank - 1 - axis_from_last] == extent;
  }
};

/// Finds the bundles of a plan, and makes their steps adjacent. The pattern is that of computations
/// on all pairs of points: differences of coordinates, of which nothing has the full extents in
/// memory; a sum over the coordinates; functions of it; and again something of each coordinate.
/// What one loop of a bundle reads of another lies at the same place of the space, or is the same
/// for the whole short axis.
class bundle_finder {
 public:
  constexpr bundle_finder(graph const& g, fusion const& f, list<planned_step>& steps,
                          list<int>& step_of)
      : g_(g), fusion_(f), steps_(steps), step_of_(step_of) {
    if (!f.guarded.empty() || steps.size() < 2) return;
    place_ = list<int>(steps.size(), before);
    for (int s = 0; s + 1 < steps_.size(); ++s)
      if (begins(s) && find(s)) s = end_of_last_;
  }
  list<planned_bundle> bundles{};

 private:
  enum place : int { before, inside, after };
  /// What a loop goes over: the larger space, that without the short axis, or with one element of
  /// it.
  enum extension : char { whole, without, thin };
  static constexpr int reach = 64, nowhere = -1;

  constexpr int rank(int id) const { return g_.type(id).rank; }
  constexpr bool is_dimshuffle(int id) const {
    return step_of_[id] >= 0 && steps_[step_of_[id]].kind == step_kind::dimshuffle;
  }
  template <class Visit>
  constexpr void for_each_read(int s, Visit visit) const {
    for (list<int> const* nodes : {&steps_[s].again, &steps_[s].nodes})
      for (int id : *nodes)
        for (int i = 0; i < fusion_.roles[id].reads; ++i)
          if (int const in = g_.input_of(id, i); !g_.is_literal(in) && !computes(s, in)) visit(in);
  }
  constexpr bool computes(int s, int id) const {
    if (step_of_[id] == s) return true;
    for (int again : steps_[s].again)
      if (again == id) return true;
    return false;
  }

  // A loop that reads nothing of the full extents and reduces one axis alone: this is the short
  // one.
  constexpr bool begins(int s) {
    planned_step const& step = steps_[s];
    int const space = step.space.size();
    if (step.kind != step_kind::loop || step.prologue || space < 3) return false;
    axis_ = nowhere;
    for (int id : step.nodes)
      for (int d = 0; fusion_.roles[id].reduction && d < space; ++d)
        if (g_.attribute(id, 0) == 1ll << d && (axis_ == nowhere || axis_ == d)) axis_ = d;
    if (axis_ == nowhere) return false;
    bool reads_all = false;
    for_each_read(s, [&](int in) {
      reads_all = reads_all || (rank(in) == space && g_.type(in).broadcast == 0);
    });
    return !reads_all;
  }
  constexpr bool find(int start) {
    space_ = steps_[start].space;
    int const end = start + reach < steps_.size() ? start + reach : steps_.size();
    for (int s = start; s < end; ++s) place_[s] = before;
    int loops = 0;
    for (int s = start; s < end; ++s) {
      int latest = before;
      for_each_read(s, [&](int in) {
        if (step_of_[in] >= start && place_[step_of_[in]] > latest) latest = place_[step_of_[in]];
      });
      bool const joins = (s == start || latest == inside) && fits(s);
      place_[s] = joins ? inside : latest == before ? before : after;
      loops += joins && steps_[s].kind == step_kind::loop ? 1 : 0;
    }
    if (loops < 2) return false;
    arrange(start, end);
    return true;
  }

  constexpr bool fits(int s) const {
    planned_step const& step = steps_[s];
    if (step.prologue) return false;
    if (step.kind == step_kind::dimshuffle) return !is_total(g_.input_of(step.node, 0));
    if (step.kind != step_kind::loop) return false;
    int const space = step.space.size();
    extension const over = extension_of(s);
    if (space != (over == without ? space_.size() - 1 : space_.size())) return false;
    for (int d = 0; d < space; ++d)
      if (int const axis = axis_of_space(d, over); axis != nowhere && step.space[d] != space_[axis])
        return false;
    bool fit = true;
    for (int id : step.nodes) fit = fit && !(over == thin && fusion_.roles[id].reduction);
    for_each_read(s, [&](int in) {
      if (place_of(in) != inside) return;
      fit = fit && !is_total(in);
      for (int d = 0; fit && d < rank(in); ++d) {
        int const here = space - rank(in) + d, axis = axis_of(in, d);
        fit = here >= 0 && (axis == nowhere || axis == axis_of_space(here, over));
      }
    });
    return fit;
  }
  constexpr int place_of(int id) const {
    return step_of_[id] < 0 ? int{before} : place_[step_of_[id]];
  }
  constexpr extension extension_of(int s) const {
    list<int> const& space = steps_[s].space;
    if (space.size() != space_.size()) return without;
    return space[axis_] != space_[axis_] && g_.is_literal(space[axis_], 1) ? thin : whole;
  }
  /// The axis of the larger space that is the axis d of a loop's.
  constexpr int axis_of_space(int d, extension over) const {
    if (over == without) return d < axis_ ? d : d + 1;
    return over == thin && d == axis_ ? int{nowhere} : d;
  }
  /// Whether a value is complete only when all elements of the space have been visited.
  constexpr bool is_total(int id) const {
    while (is_dimshuffle(id)) id = g_.input_of(id, 0);
    if (place_of(id) != inside || !fusion_.roles[id].reduction) return false;
    return extension_of(step_of_[id]) != whole || g_.attribute(id, 0) != 1ll << axis_;
  }
  /// The axis of the larger space along which a value of the bundle extends with its axis d.
  constexpr int axis_of(int id, int d) const {
    if (is_dimshuffle(id)) {
      long long const from = g_.attribute(id, d);
      return from < 0 ? nowhere : axis_of(g_.input_of(id, 0), static_cast<int>(from));
    }
    if (!fusion_.roles[id].reduction) return axis_of_space(d, extension_of(step_of_[id]));
    return axis_of_space(d, rank(id) == space_.size() ? thin : without);
  }

  constexpr void arrange(int start, int end) {
    list<planned_step> arranged;
    arranged.reserve(end - start);
    planned_bundle found;
    found.rank = space_.size();
    found.axis_from_last = found.rank - 1 - axis_;
    found.length = space_[axis_];
    for (int const side : {before, inside, after}) {
      for (int s = start; s < end; ++s) {
        if (place_[s] != side) continue;
        if (side == inside) steps_[s].bundle = bundles.size();
        arranged.push_back(std::move(steps_[s]));
      }
      if (side == inside) end_of_last_ = start + arranged.size() - 1;
    }
    for (int s = start; s < end; ++s) {
      steps_[s] = std::move(arranged[s - start]);
      for (int id : steps_[s].nodes) step_of_[id] = s;
    }
    bundles.push_back(std::move(found));
  }

  graph const& g_;
  fusion const& fusion_;
  list<planned_step>& steps_;
  list<int>& step_of_;
  list<int> space_{}, place_{};
  int axis_ = nowhere, end_of_last_ = 0;
};

/// Finds where the steps of bundles stand behind the search for bands, which takes steps of one
/// bundle alone or of none; and keeps those bundles whose steps are still adjacent.
constexpr void settle(list<planned_bundle>& bundles, list<planned_step>& steps) {
  list<planned_bundle> kept;
  for (int b = 0; b < bundles.size(); ++b) {
    int first = steps.size(), last = -1, count = 0;
    for (int s = 0; s < steps.size(); ++s) {
      if (steps[s].bundle != b) continue;
      first = first < s ? first : s;
      last = s;
      ++count;
    }
    bool const adjacent = last - first + 1 == count;
    for (int s = first; s <= last; ++s)
      if (steps[s].bundle == b) steps[s].bundle = adjacent ? kept.size() : -1;
    if (!adjacent) continue;
    bundles[b].first = first;
    bundles[b].last = last;
    kept.push_back(std::move(bundles[b]));
  }
  bundles.swap(kept);
}

}  // namespace kroton::plan
