// Marks of extrema, which gradients of max and min choose by: they are positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/along_axes/positions.hpp>
#include <kroton/ops/indexing/take.hpp>
#include <kroton/rewrite/rules/position.hpp>
#include <kroton/rewrite/rules/reduction.hpp>

#include <bit>

namespace kroton::rewrite::rules {

/// What a dimshuffle shuffles, or the node itself.
constexpr int unviewed(graph const& g, int id) {
  return g.is<op::dimshuffle>(id) ? g.input_of(id, 0) : id;
}

/// The marks of the extrema along one axis are those of the positions there, which loops compare
/// with the numbers of elements.
constexpr int marks_as_positions(rewriter& r, int id) {
  graph& g = r.g;
  int const x = g.input_of(id, 0), extremum = unviewed(g, g.input_of(id, 1)),
            rank = g.type(x).rank;
  auto const axes = static_cast<unsigned long long>(g.attribute(id, 0));
  int const axis = std::countr_zero(axes);
  if (std::popcount(axes) != 1 || !is_extremum_in_place(g, g.input_of(id, 1), x, axis)) return -1;
  list<long long> across, along;
  for (int d = 0; d < rank; ++d) {
    across.push_back(d == axis ? -1 : d < axis ? d : d - 1);
    if (d == axis || d > axis) along.push_back(d == axis ? 0 : -1);
  }
  op_info const* const at =
      g.is<op::max>(extremum) ? identity<op::argmax>() : identity<op::argmin>();
  int const inputs[] = {x};
  long long const attributes[] = {axis};
  int const position = r.make(at, inputs, attributes),
            number = r.make<op::iota>({r.extent(x, axis)});
  return r.conform(
      r.make<op::eq>({make_view(r, position, across), make_view(r, number, along)}), id);
}

/// A sum over rows of what positions of extrema choose in each of them: adds, to the place that the
/// position names, the one element that is chosen.
class sum_of_chosen {
 public:
  constexpr sum_of_chosen(rewriter& r, int id) : r_(r), g_(r.g), id_(id), x_(g_.input_of(id, 0)) {}

  constexpr int run() {
    // Sums of shorter floats are added up in a wider type, which writes are not.
    element const e = g_.type(x_).element;
    bool const keeps_type = is_integer(e) || e == element::float64;
    if (!g_.is<op::where>(x_) || !keeps_type || keeps_axes(g_, id_) ||
        !g_.is_literal(r_.bare(g_.input_of(x_, 2)), 0) || !find_axes(g_.input_of(x_, 0)))
      return -1;
    in_rows_.push_back(row_);
    by_number_.push_back(numbered_);
    for (int d = 0; d < rank(); ++d) {
      if (d == row_ || d == numbered_) continue;
      in_rows_.push_back(d);
      by_number_.push_back(d);
    }
    int chosen = at_position(g_.input_of(x_, 1), most_levels);
    if (chosen < 0) return -1;
    chosen = spread(chosen);
    long long summed = 0;
    list<int> inputs{r_.literal(0, e)};
    list<long long> order(g_.type(id_).rank, 0);  // of the axes of the sum
    for (int k = 0; k < by_number_.size(); ++k) {
      int const d = static_cast<int>(by_number_[k]);
      if ((axes_of(g_, id_) >> d & 1) != 0) {
        summed |= 1ll << k;
      } else {
        order[kept_before(d)] = inputs.size() - 1;
        inputs.push_back(r_.extent(x_, d));
      }
    }
    int const zeros = r_.make(identity<op::alloc>(), inputs),
              added = reduced(r_, identity<op::sum>(), chosen, summed),
              sums = r_.make(identity<op::inc_take>(), list<int>{zeros, added, position_},
                             list<long long>{1, 0});
    return make_view(r_, sums, order);
  }

 private:
  static constexpr int most_levels = 6;

  constexpr int rank() const { return g_.type(x_).rank; }
  /// How many axes before one the sum keeps.
  constexpr int kept_before(int axis) const {
    int count = 0;
    for (int d = 0; d < axis; ++d) count += (axes_of(g_, id_) >> d & 1) == 0 ? 1 : 0;
    return count;
  }
  /// The one axis that a node spans of those of the sum's operand, or -1.
  constexpr int axis_of(int id) const {
    int found = -1, count = 0;
    for (int d = 0; d < rank(); ++d)
      if (g_.type(id).spans(d, rank())) found = d, ++count;
    return count == 1 ? found : -1;
  }
  constexpr bool find_axes(int condition) {
    if (!g_.is<op::eq>(condition)) return false;
    for (int k = 0; k < 2; ++k) {
      int const position = g_.input_of(condition, k), number = g_.input_of(condition, 1 - k);
      if (!g_.is<op::iota>(unviewed(g_, number))) continue;
      position_ = unviewed(g_, position);
      row_ = axis_of(position);
      numbered_ = axis_of(number);
      if (!g_.is<op::argmax>(position_) && !g_.is<op::argmin>(position_)) continue;
      int const of = g_.input_of(position_, 0),
                count = r_.extent(of, static_cast<int>(g_.attribute(position_, 0)));
      // Then no position is out of range.
      if (row_ >= 0 && numbered_ >= 0 && row_ != numbered_ && g_.type(position_).rank == 1 &&
          r_.extent(unviewed(g_, number), 0) == count)
        return (axes_of(g_, id_) >> row_ & 1) != 0 && (axes_of(g_, id_) >> numbered_ & 1) == 0;
    }
    return false;
  }
  /// A node where the numbered axis is at the position of each row; the rows are the first axis.
  constexpr int at_position(int id, int levels) {
    tensor_type const type = g_.type(id);
    if (type.rank == 0) return id;
    bool const is_numbered = type.spans(numbered_, rank()), has_rows = type.spans(row_, rank());
    if (!is_numbered) return make_view(r_, id, operand_pattern(g_, id, in_rows_, rank()));
    if (!has_rows) {
      int const lines = make_view(r_, id, operand_pattern(g_, id, by_number_, rank()));
      return r_.make(identity<op::take>(), list<int>{lines, position_}, list<long long>{1, 0});
    }
    if (!g_[id].op->elementwise || levels == 0) return -1;
    list<int> inputs = r_.inputs(id);
    for (int& in : inputs) {
      in = at_position(in, levels - 1);
      if (in < 0) return -1;
    }
    list<long long> const attributes = r_.attributes(id);
    return r_.make(g_[id].op, inputs, attributes);
  }
  /// With all axes, along which it may be the same.
  constexpr int spread(int chosen) {
    bool spans = true;
    for (int d = 0; d + 1 < rank(); ++d) spans = spans && g_.type(chosen).spans(d, rank() - 1);
    if (spans) return chosen;
    list<int> inputs{chosen};
    for (long long d : in_rows_) inputs.push_back(r_.extent(x_, static_cast<int>(d)));
    return r_.make(identity<op::alloc>(), inputs);
  }

  rewriter& r_;
  graph& g_;
  int id_, x_, position_ = -1, row_ = -1, numbered_ = -1;
  // The axes of what is chosen, and those of the result with what is summed last.
  list<long long> in_rows_{}, by_number_{};
};
constexpr int sum_of_chosen_elements(rewriter& r, int id) { return sum_of_chosen(r, id).run(); }

}  // namespace kroton::rewrite::rules
