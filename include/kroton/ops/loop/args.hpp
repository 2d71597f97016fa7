// scan_args: the parts of a scan by Theano's names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/walk.hpp>
#include <kroton/ops/loop/connections.hpp>

#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace kroton {

/// The tables between the inputs and outputs of a scan and of its body, by their positions in the
/// lists of scan_args: outer inputs, inner inputs, inner outputs and outer outputs. On the
/// outer side there is one position or -1, on the inner side a list.
/// (Theano's get_oinp_iinp_iout_oout_mappings)
struct scan_mappings {
  using one = std::map<int, int>;
  using several = std::map<int, std::vector<int>>;

  several inner_inp_from_outer_inp, inner_out_from_outer_inp;
  one outer_out_from_outer_inp;
  one outer_inp_from_inner_inp;
  several inner_out_from_inner_inp;
  one outer_out_from_inner_inp;
  one outer_inp_from_inner_out;
  several inner_inp_from_inner_out;
  one outer_out_from_inner_out;
  one outer_inp_from_outer_out;
  several inner_inp_from_outer_out, inner_out_from_outer_out;
};

/// The parts of a scan, made from an apply node whose op is `scan`. Outer variables belong to the
/// graph of the node, inner ones to the body. In all lists of inputs sequences come first, then
/// states by their kinds, then non-sequences; in those of outputs states of kind shared are last.
/// States of kind mit_mot, which write several steps, do not occur: gradients carry what is pending
/// as states of kind shared. Further operands of the node, the extents of rows of outputs, belong
/// to no list. (Theano's ScanArgs)
class scan_args {
 public:
  using variables = std::vector<variable_node>;
  /// Of each state one list, with a variable for each tap.
  using variables_of_states = std::vector<variables>;
  using slices = std::vector<std::vector<int>>;
  using pattern = std::vector<std::vector<bool>>;

  /// Throws kt::value_error if the op is another one.
  explicit scan_args(apply_node const& node)
      : node_(node),
        layout_(layout_of_scan(node)),
        operands_(part(node.inputs(), 0, layout_.first_extent_operand())),
        results_(in_order(node.outputs())),
        body_(view_of_body()) {}

  /// The number of steps.
  variable_node n_steps() const { return operands_[layout_.steps_operand]; }
  variables outer_in_seqs() const {
    return part(operands_, layout_.sequence_operand(0), layout_.sequences());
  }
  variables_of_states outer_in_mit_mot() const { return {}; }
  variables outer_in_mit_sot() const { return starts(tape_kind::mit_sot); }
  variables outer_in_sit_sot() const { return starts(tape_kind::sit_sot); }
  variables outer_in_shared() const { return starts(tape_kind::shared); }
  /// The numbers of rows of outputs.
  variables outer_in_nit_sot() const { return starts(tape_kind::nit_sot); }
  variables outer_in_non_seqs() const {
    return part(operands_, layout_.non_sequence_operand(0), layout_.non_sequences());
  }

  variables outer_out_mit_mot() const { return {}; }
  variables outer_out_mit_sot() const { return of_kind(outer_outputs(), tape_kind::mit_sot); }
  variables outer_out_sit_sot() const { return of_kind(outer_outputs(), tape_kind::sit_sot); }
  variables outer_out_nit_sot() const { return of_kind(outer_outputs(), tape_kind::nit_sot); }
  /// Last values.
  variables outer_out_shared() const { return of_kind(outer_outputs(), tape_kind::shared); }

  variables inner_in_seqs() const {
    return part(inner_inputs(), layout_.sequence_input(0), layout_.sequences());
  }
  variables_of_states inner_in_mit_mot() const { return {}; }
  variables_of_states inner_in_mit_sot() const { return taps(tape_kind::mit_sot); }
  variables inner_in_sit_sot() const { return joined(taps(tape_kind::sit_sot)); }
  variables inner_in_shared() const { return joined(taps(tape_kind::shared)); }
  variables inner_in_non_seqs() const {
    return part(inner_inputs(), layout_.non_sequence_input(0), layout_.non_sequences());
  }

  variables_of_states inner_out_mit_mot() const { return {}; }
  variables inner_out_mit_sot() const { return of_kind(inner_outputs(), tape_kind::mit_sot); }
  variables inner_out_sit_sot() const { return of_kind(inner_outputs(), tape_kind::sit_sot); }
  variables inner_out_nit_sot() const { return of_kind(inner_outputs(), tape_kind::nit_sot); }
  variables inner_out_shared() const { return of_kind(inner_outputs(), tape_kind::shared); }
  /// The condition under which the loop stops, if it has one.
  variables cond() const { return part(inner_outputs(), layout_.tapes(), layout_.stops() ? 1 : 0); }

  /// How many rows of an outer output are stored at a time, -1 for all: of one whose last value
  /// alone is read, those that later steps read and the new one.
  int kept_rows(int output) const { return layout_.kept_rows(layout_.tape_of_result(output)); }

  /// The steps that states read, as distances from the current one.
  slices mit_mot_in_slices() const { return {}; }
  /// The steps that states write.
  slices mit_mot_out_slices() const { return {}; }
  slices mit_sot_in_slices() const {
    slices all;
    for (int tape : tapes(tape_kind::mit_sot)) {
      all.emplace_back();
      for (int k = 0; k < layout_.taps(tape); ++k) all.back().push_back(layout_.tap(tape, k));
    }
    return all;
  }

  /// The number of steps, sequences, starts, numbers of rows of outputs, non-sequences.
  variables outer_inputs() const { return operands_; }
  /// Without the number of steps that a loop with a condition has done, the node's last output.
  variables outer_outputs() const { return results_; }
  variables inner_inputs() const { return body_->inputs(); }
  /// The condition that stops the loop comes last.
  variables inner_outputs() const { return body_->outputs(); }
  /// The body as a graph. Its inputs and outputs are inner_inputs() and inner_outputs().
  graph_view inner() const { return *body_; }

  /// The tables between positions in these four lists.
  scan_mappings var_mappings() const {
    scan_mappings all;
    for (int operand = 0; operand < layout_.first_extent_operand(); ++operand) {
      all.inner_inp_from_outer_inp[operand] = {};
      all.inner_out_from_outer_inp[operand] = {};
      all.outer_out_from_outer_inp[operand] = -1;
    }
    for (int input = 0; input < layout_.inputs(); ++input) {
      int const operand = ops::operand_of_input(layout_, input).operand;
      all.inner_inp_from_outer_inp[operand].push_back(input);
      all.outer_inp_from_inner_inp[input] = operand;
      all.inner_out_from_inner_inp[input] = {};
      all.outer_out_from_inner_inp[input] = -1;
    }
    for (int tape = 0; tape < layout_.tapes(); ++tape) map_tape(all, tape);
    return all;
  }

  /// For each outer input and outer output whether a gradient of the one may depend on the other,
  /// through any number of steps.
  pattern connection_pattern() const {
    return in_order(ops::connections_of_scan(node_.of(), node_.id()),
                    layout_.first_extent_operand());
  }
  /// The same within a step, for each inner input and inner output.
  pattern inner_connection_pattern() const {
    ops::connections const all = ops::connections_of_graph(body_of_node());
    pattern found = in_order(all, layout_.inputs());
    for (std::size_t i = 0; layout_.stops() && i < found.size(); ++i)
      found[i].push_back(all[static_cast<int>(i)][layout_.tapes()]);
    return found;
  }

 private:
  using tape_kind = ops::tape_kind;

  static ops::scan_layout layout_of_scan(apply_node const& node) {
    if (node.name() != info<op::scan>.name)
      throw value_error("kt::scan_args: the op of the node is " + std::string(node.name()) +
                        ", not scan");
    return ops::layout_of(node.of(), node.id());
  }
  graph const& body_of_node() const { return node_.of().body(layout_.address()); }
  std::shared_ptr<graph_view const> view_of_body() const {
    graph body = body_of_node();
    core::list<int> results;
    for (int k = 0; k < layout_.tapes(); ++k)
      results.push_back(body.results()[layout_.tape_of_result(k)]);
    if (layout_.stops()) results.push_back(body.results().back());
    body.results().swap(results);
    body.constraints().clear();
    return std::make_shared<graph_view const>(std::move(body));
  }

  static variables part(variables const& all, int first, int count) {
    return {all.begin() + first, all.begin() + first + count};
  }
  variables in_order(variables const& of_tapes) const {
    variables results;
    for (int k = 0; k < layout_.tapes(); ++k)
      results.push_back(of_tapes[static_cast<std::size_t>(layout_.tape_of_result(k))]);
    return results;
  }
  pattern in_order(ops::connections const& all, int inputs) const {
    pattern found;
    for (int i = 0; i < inputs; ++i) {
      found.emplace_back();
      for (int k = 0; k < layout_.tapes(); ++k)
        found.back().push_back(all[i][layout_.tape_of_result(k)]);
    }
    return found;
  }
  std::vector<int> tapes(tape_kind kind) const {
    std::vector<int> all(static_cast<std::size_t>(layout_.count(kind)));
    std::iota(all.begin(), all.end(), layout_.first(kind));
    return all;
  }
  variables of_kind(variables const& outputs, tape_kind kind) const {
    variables found;
    for (int tape : tapes(kind))
      found.push_back(outputs[static_cast<std::size_t>(layout_.result_of_tape(tape))]);
    return found;
  }
  variables starts(tape_kind kind) const {
    return part(operands_, layout_.tape_operand(layout_.first(kind)), layout_.count(kind));
  }
  variables_of_states taps(tape_kind kind) const {
    variables_of_states found;
    for (int tape : tapes(kind))
      found.push_back(part(inner_inputs(), layout_.tap_input(tape, 0), layout_.taps(tape)));
    return found;
  }
  static variables joined(variables_of_states const& states) {
    variables found;
    for (variables const& state : states) found.insert(found.end(), state.begin(), state.end());
    return found;
  }
  void map_tape(scan_mappings& all, int tape) const {
    int const operand = layout_.tape_operand(tape), result = layout_.result_of_tape(tape);
    std::vector<int> inputs;
    for (int k = 0; k < layout_.taps(tape); ++k) inputs.push_back(layout_.tap_input(tape, k));
    for (int input : inputs) {
      all.inner_out_from_inner_inp[input] = {result};
      all.outer_out_from_inner_inp[input] = result;
    }
    all.inner_out_from_outer_inp[operand] = {result};
    all.outer_out_from_outer_inp[operand] = result;
    all.outer_inp_from_inner_out[result] = all.outer_inp_from_outer_out[result] = operand;
    all.inner_inp_from_inner_out[result] = all.inner_inp_from_outer_out[result] = inputs;
    all.outer_out_from_inner_out[result] = result;
    all.inner_out_from_outer_out[result] = {result};
  }

  apply_node node_;
  ops::scan_layout layout_;
  variables operands_, results_;
  std::shared_ptr<graph_view const> body_;
};

}  // namespace kroton
