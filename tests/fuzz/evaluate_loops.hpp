// Loops: the graph of their body, evaluated for one step after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_windows.hpp"

#include <kroton/ops/loop/layout.hpp>

namespace fuzz {

class loop_node : public window_node {
 protected:
  using window_node::window_node;

  /// A result of the scan that `node`, this one or the one that it reads, is.
  void run_loop(int node, int result) {
    auto& known = e_.loops_[node];
    if (known.empty()) known = loop_results(node);
    out_ = known[static_cast<std::size_t>(result)];
  }

  /// What stands for an element while a body is recorded. Conditions outside of the body may ask for its extents.
  void stand_in() {
    index const& whole = in(0).shape;
    make({whole.begin() + static_cast<long>(g_.attribute(id_, 0)), whole.end()});
    out_.flags.assign(out_.flags.size(), undecided);
  }

 private:
  using tensors = std::vector<tensor>;

  tensor const& operand(int node, int k) const { return e_[g_.input_of(node, k)]; }
  static tensor without_elements(tensor const& x) {
    tensor made;
    made.type = x.type;
    return made;
  }
  tensor row_of(tensor const& x, long r) const {
    tensor row = without_elements(x);
    row.shape.assign(x.shape.begin() + 1, x.shape.end());
    long const n = row.count();
    row.data.assign(x.data.begin() + r * n * lanes_, x.data.begin() + (r + 1) * n * lanes_);
    row.flags.assign(x.flags.begin() + r * n, x.flags.begin() + (r + 1) * n);
    row.of_nothing = x.of_nothing;
    return row;
  }
  tensor stack_of(tensors const& rows, index const& shape, kt::element type) const {
    tensor all;
    all.type = type;
    all.shape = shape;
    all.shape.insert(all.shape.begin(), static_cast<long>(rows.size()));
    for (tensor const& row : rows) {
      if (row.shape != shape) throw std::domain_error("extents differ");
      all.data.insert(all.data.end(), row.data.begin(), row.data.end());
      all.flags.insert(all.flags.end(), row.flags.begin(), row.flags.end());
      all.of_nothing |= row.of_nothing;
    }
    return all;
  }

  long count_of_steps(int node, kt::ops::scan_layout const& at) const {
    tensor const& count = operand(node, at.steps_operand);
    settle(count.flags.at(0));
    long const steps = static_cast<long>(count.data.at(0));
    if (at.all[at.counted] != 0 && steps < 0) throw index_error("a negative number of steps");
    for (int i = 0; i < at.sequences(); ++i)
      if (operand(node, at.sequence_operand(i)).shape[0] < steps) throw std::domain_error("a sequence that is too short");
    for (int t = 0; t < at.states(); ++t)
      if (at.kind(t) == kt::ops::tape_kind::mit_sot && operand(node, at.tape_operand(t)).shape[0] < at.reach(t))
        throw std::domain_error("a start that is too short");
    // A loop in segments reads parts of sequences. Its last operands say how long the whole ones
    // are and have to be.
    int const required = kt::ops::end_of_extents(at, g_.body(at.address()));
    for (int i = required; i < g_.inputs(node).count; i += 3)
      if (integer_of(operand(node, i)) < integer_of(operand(node, i + 1)))
        throw std::domain_error("a sequence that is too short");
    return steps;
  }

  tensors loop_results(int node) {
    kt::ops::scan_layout const at = kt::ops::layout_of(g_, node);
    kt::graph const& body = g_.body(at.address());
    long const steps = count_of_steps(node, at);
    // The values of each tape, those before the first step first.
    std::vector<tensors> values(static_cast<std::size_t>(at.tapes()));
    for (int t = 0; t < at.states(); ++t) {
      tensor const& start = operand(node, at.tape_operand(t));
      bool const has_rows = at.kind(t) == kt::ops::tape_kind::mit_sot;
      for (int r = 0; r < at.reach(t); ++r) values[static_cast<std::size_t>(t)].push_back(has_rows ? row_of(start, r) : start);
    }
    long done = 0;
    for (bool goes_on = true; goes_on && done < steps; ++done) goes_on = take_step(node, at, body, done, values);
    if (steps == 0) check_without_steps(node, at, body, values);
    return results_of(node, at, body, done, values);
  }
  /// Whether the loop goes on after it.
  bool take_step(int node, kt::ops::scan_layout const& at, kt::graph const& body, long step, std::vector<tensors>& values) {
    tensors given;
    for (int i = 0; i < at.sequences(); ++i) given.push_back(row_of(operand(node, at.sequence_operand(i)), step));
    for (int t = 0; t < at.states(); ++t)
      for (int k = 0; k < at.taps(t); ++k)
        given.push_back(values[static_cast<std::size_t>(t)][static_cast<std::size_t>(step + at.reach(t) + at.tap(t, k))]);
    for (int i = 0; i < at.non_sequences(); ++i) given.push_back(operand(node, at.non_sequence_operand(i)));
    evaluator const inner(body, std::move(given), e_);
    for (int t = 0; t < at.tapes(); ++t) {
      tensor made = inner[body.results()[t]];
      for (long i = 0; t < at.states() && kt::core::is_short(made.type) && i < made.count(); ++i)
        store(&made.data[static_cast<std::size_t>(i * lanes_)], made.type);
      values[static_cast<std::size_t>(t)].push_back(std::move(made));
    }
    if (!at.stops()) return true;
    tensor const& condition = inner[body.results()[at.tapes()]];
    settle(condition.flags.at(0));
    return condition.data.at(0) == 0;
  }
  /// What a body asks of extents it asks without steps, too, but its values are nothing to judge by.
  void check_without_steps(int node, kt::ops::scan_layout const& at, kt::graph const& body, std::vector<tensors> const& values) {
    tensors given;
    auto add_zeros = [&](tensor row) {
      row.data.assign(static_cast<std::size_t>(row.count() * lanes_), 0);
      row.flags.assign(static_cast<std::size_t>(row.count()), 0);
      given.push_back(std::move(row));
    };
    for (int i = 0; i < at.sequences(); ++i) {
      tensor row = without_elements(operand(node, at.sequence_operand(i)));
      index const& shape = operand(node, at.sequence_operand(i)).shape;
      row.shape.assign(shape.begin() + 1, shape.end());
      add_zeros(std::move(row));
    }
    for (int t = 0; t < at.states(); ++t)
      for (int k = 0; k < at.taps(t); ++k) add_zeros(values[static_cast<std::size_t>(t)][0]);
    for (int i = 0; i < at.non_sequences(); ++i) given.push_back(operand(node, at.non_sequence_operand(i)));
    try {
      evaluator const inner(body, std::move(given), e_);
    } catch (unsettled const&) {
    } catch (std::domain_error const&) {
      throw unsettled("the extents of a step that is not taken");
    }
  }
  tensors results_of(int node, kt::ops::scan_layout const& at, kt::graph const& body, long steps, std::vector<tensors> const& values) const {
    tensors results;
    int extent = at.first_extent_operand();
    for (int t = 0; t < at.tapes(); ++t) {
      tensors const& all = values[static_cast<std::size_t>(t)];
      kt::tensor_type const type = body.type(body.results()[t]);
      index shape = t < at.states() ? all[0].shape : index{};
      for (int d = 0; t >= at.states() && d < type.rank; ++d) shape.push_back(integer_of(operand(node, extent++)));
      if (at.is_shared(t)) results.push_back(all.back());
      else if (at.is_backwards(t)) results.push_back(stack_of({all.rbegin(), all.rbegin() + steps}, shape, type.element));
      else results.push_back(stack_of({all.end() - steps, all.end()}, shape, type.element));
      if (steps == 0) results.back().of_nothing = not_finite;
    }
    if (at.stops()) results.push_back(whole_number(steps));
    return results;
  }
  tensor whole_number(long value) const {
    tensor made;
    made.type = kt::element::int64;
    made.data.assign(static_cast<std::size_t>(lanes_), real(value));
    made.flags.assign(1, 0);
    return made;
  }
  static long integer_of(tensor const& x) {
    settle(x.flags.at(0));
    return static_cast<long>(x.data.at(0));
  }
};

}  // namespace fuzz
