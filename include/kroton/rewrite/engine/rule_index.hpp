// Which rules may apply to a node: by the op at its root, and by the ops below it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/shapes/shape.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::rewrite {

/// The rules in use, in chains of those that may have the same root.
class rule_index {
 public:
  struct entry {
    rule_record const* rule = nullptr;
    int book = 0;
    std::uint64_t root = 0, needs = 0;
    int next = -1;
    bool stabilizes = false;
  };

  constexpr rule_index() {
    for (int i = 0; i < chains; ++i) first_[i] = last_[i] = -1;
  }

  constexpr void add(book_view const& book, rewrite_options const& options, bool stabilizes) {
    books_.push_back(book);
    // Most modes leave nothing out, and there are hundreds of rules.
    bool const all = !options.ieee && options.excluded.empty();
    for (auto const& rule : book.rules) {
      if (!all && !options.is_enabled(rule)) continue;
      if (options.ieee && !rule.has_build) add(rule, rule.ieee_root, rule.ieee_needs, stabilizes);
      else
        for (int i = 0; i < rule.root_count; ++i) add(rule, rule.roots[i], rule.needs, stabilizes);
    }
  }

  /// Where the chain for a root begins, among the entries; negative if it is empty.
  constexpr int first(std::uint64_t root) const { return first_[root & (chains - 1)]; }
  constexpr entry const* entries() const { return rules_.data(); }
  constexpr book_view const& book(int number) const { return books_[number]; }

 private:
  constexpr void add(rule_record const& rule, std::uint64_t root, std::uint64_t needs,
                     bool stabilizes) {
    if (root == 0) return;
    rules_.push_back({&rule, books_.size() - 1, root, needs, -1, stabilizes});
    // After the rules that are there already: books and their lines keep their order.
    int const chain = static_cast<int>(root & (chains - 1)), added = rules_.size() - 1,
              before = last_[chain];
    (before < 0 ? first_[chain] : rules_[before].next) = added;
    last_[chain] = added;
  }

  static constexpr int chains = 64;

  list<book_view> books_;
  list<entry> rules_;
  int first_[chains]{}, last_[chains]{};
};

/// The ops that do not hide from a rule what they are applied to.
constexpr bool is_looked_through(op_info const* op) {
  return is_op<op::mul>(op) || is_op<op::pow>(op) || is_op<op::neg>(op) ||
         is_op<op::dimshuffle>(op) || is_op<op::reshape>(op);
}

/// The ops below the nodes of a graph, as bits.
class ops_below {
 public:
  /// The ops of the operands, and of what lies below the factors, powers and views among them.
  constexpr std::uint64_t of_operands(graph const& g, int id) {
    std::uint64_t ops = 0;
    int const* const inputs = g.input_data(id);
    int const count = g[id].input_count;
    for (int i = 0; i < count; ++i) ops |= of(g, inputs[i]);
    return ops;
  }

 private:
  constexpr std::uint64_t of(graph const& g, int id) {
    if (id >= ops_.size()) ops_.extend(g.size(), 0);
    std::uint64_t const known = ops_.data()[id];
    if (known != 0) return known;
    op_info const* op = g[id].op;
    std::uint64_t const ops = op_bit(op->key) | (is_looked_through(op) ? of_operands(g, id) : 0);
    ops_[id] = ops;
    return ops;
  }

  list<std::uint64_t> ops_;
};

}  // namespace kroton::rewrite
