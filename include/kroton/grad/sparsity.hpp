// What each element of a tensor depends on, as a program on sets of indices that runs once extents
// are known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/dependence.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/linear_algebra/batched.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/shapes/extents.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/shapes/joining.hpp>
#include <kroton/ops/printing.hpp>
#include <kroton/ops/along_axes/scans.hpp>
#include <kroton/ops/along_axes/partition.hpp>
#include <kroton/ops/sparse/sparsity.hpp>
#include <kroton/ops/along_axes/softmax.hpp>

namespace kroton::calculus {

/// Writes the program for everything between x and y: one instruction for each node that depends on
/// x. An op whose structure is not known here depends on all elements of its operands.
class sparsity_program {
 public:
  constexpr sparsity_program(term y, term x) : g_(*y.of), numbers_(g_.size(), -1) {
    list<bool> marked(g_.size()), needed(g_.size());
    marked[x.id] = true;
    list<bool> const depends = dependent_nodes(g_, marked, &by_derivative);
    needed[y.id] = depends[y.id];
    for (int id = g_.size() - 1; id >= 0; --id)
      if (needed[id] && id != x.id)
        for (int in : g_.inputs(id)) needed[in] = needed[in] || depends[in];
    for (int id = 0, size = numbers_.size(); id < size; ++id) {
      if (!needed[id]) continue;
      if (id == x.id) begin(step::itself, id);
      else if (known(id).empty() || g_[id].op->is_constant) continue;
      else write(id);
      numbers_[id] = count_++;
    }
    depends_ = numbers_[y.id] >= 0;
  }

  /// Whether y depends on x.
  constexpr bool depends() const { return depends_; }
  /// The attributes of op::sparsity.
  constexpr list<long long> attributes(ops::sparsity_kind kind) const {
    list<long long> all{static_cast<long long>(kind), count_, operands_.size()};
    all.append(code_.data(), code_.size());
    return all;
  }
  /// What the program reads, behind the numbers of elements of y and of x.
  constexpr list<int> const& operands() const { return operands_; }

 private:
  using step = ops::sparsity_step;

  constexpr void put(long long n) { code_.push_back(n); }
  constexpr void put(step s) { put(static_cast<long long>(s)); }
  constexpr int input(int id, int i) const { return g_.input_of(id, i); }
  constexpr void value(int id) { put(numbers_[id]); }
  // A scalar or a tensor of the program, by its position.
  constexpr void operand(int id) {
    int at = 0;
    while (at < operands_.size() && operands_[at] != id) ++at;
    if (at == operands_.size()) operands_.push_back(id);
    put(at);
  }
  constexpr void extent_of(int id, int d) { operand(extent_node(g_, id, d)); }
  constexpr void begin(step s, int id) {
    put(s);
    put(g_.type(id).rank);
    for (int d = 0; d < g_.type(id).rank; ++d) extent_of(id, d);
  }
  constexpr void values(list<int> const& ids) {
    put(ids.size());
    for (int id : ids) value(id);
  }
  // The inputs that depend on x; of an item, those of the node that it is an output of.
  constexpr list<int> known(int id) const {
    list<int> found;
    if (g_.is<op::item>(id)) id = input(id, 0);
    for (int in : g_.inputs(id))
      if (numbers_[in] >= 0) found.push_back(in);
    return found;
  }
  constexpr void all_of(step s, int id, list<int> const& from) {
    begin(s, id);
    values(from);
  }
  constexpr void from_first(step s, int id) {
    begin(s, id);
    value(input(id, 0));
  }
  constexpr void attributes_of(int id, int count) {
    for (int i = 0; i < count; ++i) put(g_.attribute(id, i));
  }

  constexpr void write(int id) {
    op_info const* const op = g_[id].op;
    if (op->elementwise) all_of(step::united, id, known(id));
    else if (is_op<op::alloc>(op)) all_of(step::united, id, {input(id, 0)});
    else if (is_op<op::ifelse>(op)) all_of(step::united, id, known(id));
    else if (is_op<op::dimshuffle>(op)) from_first(step::permuted, id), attributes_of(id, rank(id));
    else if (is_op<op::reshape>(op) || is_op<op::print>(op) || is_op<op::assertion>(op) ||
             is_op<op::after>(op))
      from_first(step::reshaped, id);
    else if ((op->reduction || is_op<op::logsumexp>(op)) && g_[id].input_count == 1)
      from_first(step::reduced, id), attributes_of(id, 1);
    else if (is_op<op::subtensor>(op)) from_first(step::sliced, id), selection(id, 1);
    else if (is_op<op::inc_subtensor>(op) || is_op<op::set_subtensor>(op)) part_write(id);
    else if (is_op<op::join>(op)) join(id);
    else if (is_op<op::dot>(op) || is_op<op::batched_dot>(op)) product(id);
    else if (is_op<op::take>(op)) from_first(step::taken, id), indices(id, 1);
    else if (is_op<op::inc_take>(op) || is_op<op::set_take>(op)) taken_write(id);
    else if (is_op<op::cumsum>(op) || is_op<op::cumprod>(op))
      from_first(step::accumulated, id), attributes_of(id, 2);
    else if (is_op<op::softmax>(op) || is_op<op::log_softmax>(op)) along(id, g_.attribute(id, 0));
    else if (is_op<op::sort>(op) || is_op<op::partition>(op))
      along(id, 1ll << g_.attribute(id, 0));
    else if (is_op<op::diagonal>(op)) from_first(step::diagonal, id), attributes_of(id, 3);
    else if (is_op<op::from_diagonal>(op)) from_first(step::on_diagonal, id), attributes_of(id, 3);
    else if (is_op<op::csr_dot>(op) || is_op<op::csr_transposed_dot>(op)) sparse_product(id);
    else if (is_op<op::sampling>(op)) sampled(id);
    else all_of(step::everything, id, known(id));
  }
  constexpr int rank(int id) const { return g_.type(id).rank; }
  constexpr void along(int id, long long axes) {
    begin(step::along, id);
    put(axes);
    values(known(id));
  }
  // Treatment, step and bounds of each axis.
  constexpr void selection(int id, int next) {
    for (int d = 0; d < rank(input(id, 0)); ++d) {
      attribute_pair(id, d);
      for (long long k = g_.attribute(id, 2 * d); k > 0; --k) operand(input(id, next++));
    }
  }
  constexpr void attribute_pair(int id, int d) {
    put(g_.attribute(id, 2 * d));
    put(g_.attribute(id, 2 * d + 1));
  }
  constexpr void part_write(int id) {
    from_first(step::written, id);
    value(input(id, 1));
    put(g_.is<op::set_subtensor>(id));
    selection(id, 2);
  }
  constexpr void indices(int id, int first) {
    attributes_of(id, 2);
    put(g_[id].input_count - first);
    for (int i = first; i < g_[id].input_count; ++i) operand(g_.cast(input(id, i), element::int64));
  }
  constexpr void taken_write(int id) {
    from_first(step::placed, id);
    value(input(id, 1));
    put(g_.is<op::set_take>(id));
    indices(id, 2);
  }
  constexpr void join(int id) {
    begin(step::joined, id);
    int const axis = static_cast<int>(g_.attribute(id, 0));
    put(axis);
    put(g_[id].input_count - 1);
    for (int i = 1; i < g_[id].input_count; ++i) {
      value(input(id, i));
      extent_of(input(id, i), axis);
    }
  }
  constexpr void product(int id) {
    begin(step::multiplied, id);
    int const a = input(id, 0), b = input(id, 1), batch = g_.is<op::batched_dot>(id) ? 1 : 0,
              one = g_.literal(1, element::int64);
    value(a);
    value(b);
    if (batch == 1) extent_of(id, 0);
    else operand(one);
    if (rank(a) == batch + 2) extent_of(a, batch);
    else operand(one);
    extent_of(a, rank(a) - 1);
    if (rank(b) == batch + 2) extent_of(b, batch + 1);
    else operand(one);
  }
  constexpr void sparse_product(int id) {
    from_first(step::sparse, id);
    value(input(id, 1));
    operand(input(id, 2));
    operand(input(id, 3));
    if (rank(id) == 2) extent_of(id, 1);
    else operand(g_.literal(1, element::int64));
    put(g_.is<op::csr_transposed_dot>(id));
  }
  constexpr void sampled(int id) {
    from_first(step::sampled, id);
    int const right = input(id, 1);
    value(right);
    operand(input(id, 2));
    operand(input(id, 3));
    if (rank(right) == 2) extent_of(right, 1);
    else operand(g_.literal(1, element::int64));
  }

  graph& g_;
  list<int> numbers_;  // of values, -1 for nodes that do not depend on x
  list<int> operands_{};
  list<long long> code_{};
  int count_ = 0;
  bool depends_ = false;
};

}  // namespace kroton::calculus
