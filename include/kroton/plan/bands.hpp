// Bands: steps that process the rows of a matrix together, several rows at a time, so that the
// results of one step are in the cache for the next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/products.hpp>
#include <kroton/plan/fusion.hpp>
#include <kroton/plan/planned.hpp>
#include <kroton/rewrite/engine/order.hpp>

namespace kroton::plan {

/// The axis of a node's elements that corresponds to the rows of the band; or how else the band
/// treats the node.
enum band_axis : int { untouched = -3, gathered = -2, whole = -1 };

/// The steps from `first` to `last`, and the values that they process in slices.
struct planned_band {
  struct slice {
    int node, axis;
  };
  int first = 0, last = 0;
  int rows = 0;    // the node that determines the number of rows
  int extent = 0;  // its number in the table of extents
  list<slice> slices{};
};

/// Finds the bands of a plan, and makes their steps adjacent. Later steps of a band need the
/// results that a step computes from a row for that row only; values that a step accumulates over
/// all rows, such as a sum or the product of a transposed matrix and a vector, are needed by none
/// of them.
class band_finder {
 public:
  constexpr band_finder(graph const& g, fusion const& f, list<planned_step>& steps,
                        list<int>& step_of)
      : g_(g), fusion_(f), steps_(steps), step_of_(step_of) {
    if (!f.guarded.empty() || steps.size() < 2) return;
    axes_ = list<int>(g.size(), untouched);
    place_ = list<int>(steps.size(), before);
    search(0, steps_.size());
  }

  list<planned_band> bands{};

 private:
  enum place : int { before, inside, after };
  // The number of steps considered for one band, so that the search takes time proportional to the
  // number of steps.
  static constexpr int reach = 64;

  // Those of some steps. What a band of writes waits for comes before it, and may be another one.
  constexpr void search(int from, int to) {
    for (int s = from; s + 1 < to; ++s) {
      end_ = to;
      bool const begins = begins_band(s),
                 found = ((begins || selects(steps_[s])) && find(s, true)) ||
                         (begins && find(s, false));
      if (!found) continue;
      int const first = bands.back().first, last = bands.back().last;
      if (writes_) search(s, first);
      s = last;
    }
  }
  // Calls visit with the nodes that a step reads but does not compute.
  template <class Visit>
  constexpr void for_each_read(int s, Visit visit) const {
    for (list<int> const* nodes : {&steps_[s].again, &steps_[s].nodes})
      for (int id : *nodes)
        for (int i = 0; i < fusion_.roles[id].reads; ++i)
          if (int const in = g_.input_of(id, i); !g_.is_literal(in) && !computes(s, in)) visit(in);
  }
  // What makes a matrix from nothing has none in common with other steps.
  constexpr bool begins_band(int s) const {
    planned_step const& step = steps_[s];
    if (step.prologue) return false;
    if (step.kind != step_kind::loop) return is_product(step) && rank(operand(step, 0)) == 2;
    bool reads = false;
    for_each_read(s, [&](int in) { reads = reads || rank(in) > 0; });
    return reads && step.space.size() >= 2;
  }
  constexpr bool selects(planned_step const& step) const {
    return step.kind == step_kind::own && !step.prologue && g_[step.node].op->selects &&
           rank(step.node) > 0;
  }
  constexpr int rank(int id) const { return g_.type(id).rank; }
  constexpr int operand(planned_step const& step, int i) const { return g_.input_of(step.node, i); }
  constexpr int extent(int id, int d) const { return fusion_.shape(id)[d]; }
  // A product of a matrix and a vector, possibly added to another value.
  constexpr bool is_product(planned_step const& step) const {
    return traits_of(step.kind).in_band == band_rule::product &&
           factors_of(step.kind, g_[step.node].input_count) == 2 &&
           rank(operand(step, 0)) + rank(operand(step, 1)) == 3 &&
           is_continuous(g_.type(step.node).element);
  }

  // Whether a band begins at step `start`; if so, its steps are moved after those that do not
  // depend on them. One with indices adds something to rows that these select: otherwise loops had
  // better read rows through them.
  constexpr bool find(int start, bool with_indices) {
    start_ = start;
    with_indices_ = with_indices;
    bool scatters = false;
    rows_ = steps_[start].kind == step_kind::loop ? steps_[start].space[0]
            : steps_[start].kind == step_kind::own
                ? extent(steps_[start].node, 0)
                : extent(operand(steps_[start], 0), 0);
    if (g_.is_literal(rows_, 1)) return false;
    int const end = start + reach < end_ ? start + reach : end_;
    for (int s = start; s < end; ++s) place_[s] = before;
    taken_.clear();
    writes_ = false;
    int matrix_passes = 0;
    for (int s = start; s < end; ++s) {
      int latest = before;
      for_each_read(s, [&](int in) {
        if (step_of_[in] >= start && place_[step_of_[in]] > latest) latest = place_[step_of_[in]];
      });
      bool const joins = latest != after && !steps_[s].prologue &&
                         steps_[s].bundle == steps_[start].bundle &&
                         join(s, s == start || latest == inside);
      place_[s] = joins ? inside : latest == before ? before : after;
      if (joins && passes_matrix_ && !is_view(steps_[s].kind)) ++matrix_passes;
      writes_ = writes_ || (joins && is_write(steps_[s]));
      scatters = scatters || (joins && g_[steps_[s].node].op->scatters);
    }
    bool const is_band = matrix_passes >= 2 && scatters == with_indices;
    if (is_band) {
      if (writes_) leave_to_others(start, end);
      arrange(start, end);
    }
    for (int id : taken_) axes_[id] = untouched;
    return is_band;
  }

  constexpr bool computes(int s, int id) const {
    if (step_of_[id] == s) return true;
    for (int again : steps_[s].again)
      if (again == id) return true;
    return false;
  }

  // Adds a step to the band if possible. A step that does not depend on the band must read a matrix
  // that the band processes.
  constexpr bool join(int s, bool leads) {
    planned_step const& step = steps_[s];
    noted_.clear();
    passes_matrix_ = shares_matrix_ = false;
    bool const fits = join_by(traits_of(step.kind).in_band, s, leads);
    bool const joins = fits && (leads || shares_matrix_);
    for (int id : noted_)
      if (joins) taken_.push_back(id);
      else axes_[id] = untouched;
    return joins;
  }
  constexpr bool join_by(band_rule rule, int s, bool leads) {
    switch (rule) {
      case band_rule::loop: return join_loop(s);
      case band_rule::product: return is_product(steps_[s]) && join_product(steps_[s]);
      case band_rule::by_rows: return join_own(steps_[s]);
      case band_rule::write: return join_write(steps_[s]);
      case band_rule::view: return leads && join_view(steps_[s]);
      case band_rule::never: return false;
    }
    return false;
  }
  // Notes how the band takes a node; false where it takes it in another way already.
  constexpr bool note(int id, int axis) {
    if (axis >= 0 && rank(id) > 1) {
      passes_matrix_ = true;
      shares_matrix_ = shares_matrix_ || axes_[id] == axis;
    }
    if (axes_[id] == axis) return true;
    if (axes_[id] != untouched) return false;
    axes_[id] = axis;
    noted_.push_back(id);
    return true;
  }

  constexpr bool join_loop(int s) {
    planned_step const& step = steps_[s];
    int const space = step.space.size();
    if (space == 0 || step.space[0] != rows_) return false;
    bool fits = true;
    for_each_read(s, [&](int in) {
      bool const spans = rank(in) == space && extent(in, 0) == rows_;
      fits = fits && note(in, spans ? 0 : whole);
    });
    for (int id : step.nodes) {
      bool const gathers = fusion_.roles[id].reduction && (g_.attribute(id, 0) & 1) != 0;
      bool const spans =
          fusion_.roles[id].reduction || (rank(id) == space && extent(id, 0) == rows_);
      fits = fits && note(id, gathers ? gathered : spans ? 0 : whole);
    }
    return fits;
  }
  constexpr bool join_own(planned_step const& step) {
    if (has_indices(step)) return with_indices_ && join_indexed(step);
    if (!g_[step.node].op->by_rows || g_.attribute(step.node, 0) == 0) return false;
    bool fits = true;
    for (int in : g_.inputs(step.node))
      fits = fits && rank(in) == rank(step.node) && extent(in, 0) == rows_ && note(in, 0);
    return fits && note(step.node, 0);
  }
  constexpr bool has_indices(planned_step const& step) const {
    return g_[step.node].op->selects || g_[step.node].op->scatters;
  }
  // Indices along the first axis, which are there when the band begins; what they select from is
  // read whole, and what they add to are zeros.
  constexpr bool join_indexed(planned_step const& step) {
    bool const scatters = g_[step.node].op->scatters;
    int const first = scatters ? 2 : 1, base = operand(step, 0);
    int indices = 0;
    for (int k = first; k < g_[step.node].input_count; ++k) {
      int const index = operand(step, k), computed = step_of_[index];
      indices = rank(index) > indices ? rank(index) : indices;
      if (computed >= start_ && place_[computed] == inside) return false;
    }
    if (g_.attribute(step.node, 1) != 0 || indices == 0 || (scatters && !g_.is<op::alloc>(base)))
      return false;
    bool fits = note(base, whole);
    for (int k = first; k < g_[step.node].input_count; ++k)
      fits = fits && note_rows(operand(step, k), indices);
    if (scatters) {
      int const part = rank(base) - (g_[step.node].input_count - first) + indices;
      return fits && note_rows(operand(step, 1), part) && note(step.node, gathered);
    }
    fits = fits && extent(step.node, 0) == rows_ && note(step.node, 0);
    passes_matrix_ = false;
    shares_matrix_ = fits;
    return fits;
  }
  // What adds rows to some rows of a value, or to columns of all of them, in any order. The value
  // is there when the band begins, or such steps make it, which nobody else reads; a parameter may
  // be changed where it lies, but not while a band still reads it.
  constexpr bool join_write(planned_step const& step) {
    int const base = operand(step, 0), part = operand(step, 1);
    int axes = rank(base);
    for (int d = 0; d < rank(base); ++d) axes -= g_.attribute(step.node, 2 * d) == 1 ? 1 : 0;
    bool const has_rows = rank(base) > 1 && g_.attribute(step.node, 0) != 1 &&
                          rank(part) == axes && !g_.type(part).broadcasts(0) &&
                          extent(part, 0) == rows_;
    if (!has_rows || !adds(step) || g_.is<op::input>(base)) return false;
    bool const continues = is_inside_write(base) && has_one_reader(base);
    return (continues || note(base, whole)) && note(part, 0) && note(step.node, gathered);
  }
  // What replaces zeros may be added to them.
  constexpr bool adds(planned_step const& step) const {
    int const base = operand(step, 0);
    return step.kind == step_kind::inc_subtensor ||
           (g_.is<op::alloc>(base) && g_.is_literal(g_.input_of(base, 0), 0) &&
            !is_complex(g_.type(base).element));
  }
  constexpr bool is_inside_write(int id) const {
    int const s = step_of_[id];
    return s >= start_ && place_[s] == inside && is_write(steps_[s]);
  }
  static constexpr bool is_write(planned_step const& step) {
    return traits_of(step.kind).in_band == band_rule::write;
  }
  constexpr bool has_one_reader(int id) const {
    int readers = 0;
    for (planned_step const& step : steps_)
      for (int node : step.nodes)
        for (int in : g_.inputs(node)) readers += in == id ? 1 : 0;
    for (int result : g_.results()) readers += result == id ? 1 : 0;
    for (auto const& update : g_.updates()) readers += update.value == id ? 1 : 0;
    return readers == 1;
  }
  // What broadcasts to so many axes, of which the first one is that of the rows.
  constexpr bool note_rows(int id, int axes) {
    if (rank(id) < axes || g_.type(id).broadcasts(0)) return note(id, whole);
    return extent(id, 0) == rows_ && note(id, 0);
  }
  // Rows of the matrix times the vector, or columns times what belongs to them.
  constexpr bool join_product(planned_step const& step) {
    int const a = operand(step, 0), b = operand(step, 1);
    bool const matrix_first = rank(a) == 2;
    int const matrix = matrix_first ? a : b, vector = matrix_first ? b : a;
    int const free = matrix_first ? 0 : 1;  // the matrix' axis that the result has
    bool const sums =
        extent(matrix, 1 - free) == rows_ && (axes_[vector] == 0 || extent(matrix, free) != rows_);
    if (!sums && extent(matrix, free) != rows_) return false;
    bool fits = note(matrix, sums ? 1 - free : free) && note(vector, sums ? 0 : whole) &&
                note(step.node, sums ? gathered : 0);
    // What the product is added to goes with the result; scalars are whole.
    for (int k = 2; k < g_[step.node].input_count; ++k)
      fits = fits && note(operand(step, k), sums || k > 2 ? whole : 0);
    return fits;
  }
  constexpr bool join_view(planned_step const& step) {
    int const base = operand(step, 0);
    if (axes_[base] < 0) return false;
    for (int d = 0; d < rank(step.node); ++d)
      if (g_.attribute(step.node, d) == axes_[base]) return note(step.node, d);
    return false;
  }

  // Steps that the band does not wait for come behind it: they may be a band of other rows, which
  // writes to the same value.
  constexpr void leave_to_others(int start, int end) {
    list<bool> needed(end - start);
    for (int s = end; s-- > start;)
      if (place_[s] == inside || needed[s - start])
        for_each_read(s, [&](int in) {
          if (step_of_[in] >= start) needed[step_of_[in] - start] = true;
        });
    for (int s = start; s < end; ++s)
      if (place_[s] == before && !needed[s - start]) place_[s] = after;
  }
  constexpr void arrange(int start, int end) {
    list<planned_step> arranged;
    arranged.reserve(end - start);
    planned_band band;
    band.rows = rows_;
    for (int const side : {before, inside, after}) {
      if (side == inside) band.first = start + arranged.size();
      for (int s = start; s < end; ++s)
        if (place_[s] == side) arranged.push_back(std::move(steps_[s]));
      if (side == inside) band.last = start + arranged.size() - 1;
    }
    for (int s = start; s < end; ++s) {
      steps_[s] = std::move(arranged[s - start]);
      for (int id : steps_[s].nodes) step_of_[id] = s;
    }
    for (int s = band.first; s <= band.last; ++s) {
      steps_[s].band = bands.size();
      steps_[s].checks = steps_[s].kind == step_kind::own && has_indices(steps_[s]);
      // Others have added to some of the rows before all are written
      if (is_write(steps_[s]) && is_written_again(steps_[s].node, s, band.last))
        steps_[s].kind = step_kind::inc_subtensor;
      if (!is_view(steps_[s].kind))
        for (int id : steps_[s].nodes)
          steps_[s].gathers = steps_[s].gathers || axes_[id] == gathered;
    }
    // Views of values that are processed in slices are views of the slices.
    merge_sort(taken_, [](int a, int b) { return a < b; });
    for (int id : taken_)
      if (axes_[id] >= 0 && !(is_in(band, step_of_[id]) && is_view(steps_[step_of_[id]].kind)))
        band.slices.push_back({id, axes_[id]});
    bands.push_back(band);
  }
  constexpr bool is_written_again(int id, int s, int last) const {
    while (++s <= last)
      if (is_write(steps_[s]) && operand(steps_[s], 0) == id) return true;
    return false;
  }
  static constexpr bool is_in(planned_band const& band, int s) {
    return band.first <= s && s <= band.last;
  }

  graph const& g_;
  fusion const& fusion_;
  list<planned_step>& steps_;
  list<int>& step_of_;
  int rows_ = -1, start_ = 0, end_ = 0;
  bool with_indices_ = false;  // whether steps with indices may join
  list<int> axes_{};   // of each node: the axis taken row by row, or a band_axis
  list<int> place_{};  // of each step
  list<int> noted_{};  // by the step that tries to join
  list<int> taken_{};  // by those that joined
  bool passes_matrix_ = false, shares_matrix_ = false;
  bool writes_ = false;  // whether a step adds rows to a part of a value
};

}  // namespace kroton::plan
