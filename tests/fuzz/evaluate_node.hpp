// The evaluation of one node.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "evaluate_draws.hpp"

namespace fuzz {

/// Evaluates one node from the values of the nodes before it.
class node_evaluator : draw_node {
 public:
  using draw_node::draw_node;

  tensor run() {
    kt::core::op_info const* const op = g_[id_].op;
    std::string_view const name = op->name;
    // The nodes of its body have been judged.
    if (int const of = name == "item" ? g_.input_of(id_, 0) : id_; std::string_view(g_[of].op->name) == "scan") {
      run_loop(of, of == id_ ? 0 : static_cast<int>(g_.attribute(id_, 0)));
      return std::move(out_);
    }
    if (name == "input") from_argument();
    else if (op->is_draw || name == "advance_stream") compute_alone(id_, 0);
    else if (name == "literal") from_literal();
    else if (name == "formal") stand_in();
    else if (name == "cast") convert();
    else if (name == "where") choose();
    else if (name == "ifelse") choose_one();
    else if (op->elementwise) elementwise();
    else if (name == "largest_exponent") reduce("max");
    else if (op->reduction || name == "logsumexp" || name == "relative_sum") reduce(name);
    else if (name == "softmax" || name == "log_softmax") normalize(name == "softmax");
    else if (name == "dot") multiply();
    else if (name == "first_equal") mark_first();
    else if (name == "extent") from_integer(in(0).shape.at(static_cast<std::size_t>(g_.attribute(id_, 0))));
    else if (name == "make_vector") gather({g_[id_].input_count - 1}, [](auto const& i) { return std::pair(static_cast<int>(i[0]) + 1, 0l); });
    else if (!along_axis(name) && !indexing(name) && !linear_algebra(name) && !convolves(name)) arrange(name);
    finish();
    return std::move(out_);
  }

 private:
  bool along_axis(std::string_view name) {
    if (name == "cumsum" || name == "cumprod") accumulate(name == "cumprod");
    else if (name == "shift") shift();
    else if (name == "recurrence") recur();
    else if (name == "argmax" || name == "argmin") find_extremum(name == "argmax");
    else if (name == "sort" || name == "topk") sort_values(name == "topk");
    else if (name == "partition") part_values();
    else if (name == "searchsorted") search();
    else if (name == "starts_run") mark_runs();
    else if (name == "nonzero") list_nonzero();
    else if (name == "item") further_output();
    else if (name.starts_with("each ")) run_slices(id_, 0);
    else return false;
    return true;
  }
  void further_output() {
    std::string_view const of = g_[g_.input_of(id_, 0)].op->name;
    int const output = static_cast<int>(g_.attribute(id_, 0));
    if (g_[g_.input_of(id_, 0)].op->is_draw) compute_alone(g_.input_of(id_, 0), output);
    else if (of == "sort" || of == "topk") sort_positions();
    else if (of == "partition") part_positions();
    else if (of.starts_with("each ")) run_slices(g_.input_of(id_, 0), output);
    else if (of == "slogdet") logarithm_of_determinant();
    else if (!factors(g_.input_of(id_, 0), output)) throw std::logic_error("the fuzzer does not know a further output of " + std::string(of));
  }
  bool indexing(std::string_view name) {
    if (name == "take") take();
    else if (name == "inc_take" || name == "set_take") write_taken(name == "inc_take");
    else if (name == "inc_subtensor" || name == "set_subtensor") write_part(name == "inc_subtensor");
    else if (name == "take_along_axis") take_along();
    else if (name == "add_along_axis") add_along();
    else if (name == "join") join(g_[id_].input_count);
    else if (name == "stacked") join(3);  // the last operand is the last row of the one before
    else if (name == "diagonal") take_diagonal();
    else if (name == "from_diagonal") make_diagonal();
    else if (name == "from_diagonals") make_diagonals();
    else if (name == "iota") count_up();
    else if (name == "constant") write_out();
    else if (name == "batched_dot") multiply_batches();
    else if (name == "assertion") assert_condition();
    else return false;
    return true;
  }
  bool linear_algebra(std::string_view name) {
    if (name == "matrix_inverse") invert();
    else if (name == "cofactors") cofactors();
    else if (name == "cofactors_change") change_cofactors();
    else if (name == "solve") solve();
    else if (name == "solve_triangular") solve_triangle();
    else if (name == "cholesky") factor();
    else if (name == "det" || name == "slogdet") determinant(name == "slogdet");
    else return factors(id_, 0);
    return true;
  }
};

}  // namespace fuzz
