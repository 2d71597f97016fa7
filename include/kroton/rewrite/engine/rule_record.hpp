// What the engine sees of a rule: a name, where it applies, and a pattern pair or a function that
// builds the replacement.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/graph.hpp>

#include <string_view>

namespace kroton::rewrite {

class rewriter;

/// A node of a pattern: a variable, a literal, or an op applied to nodes that stand before it.
struct pattern_node {
  enum class kind : std::uint8_t { variable, literal, application } is;
  op_info const* op;  // of an application
  double value;       // of a literal
  int variable;       // of a variable
  int first_input;    // of an application: where its operands stand in the list of operands
  int input_count;
  int negation;       // of a pattern `-a`: the variable a; else -1
  bool repeated;      // of a variable: whether the left side has it more than once
  bool complex;       // of a variable: whether it stands for complex numbers only
  std::int8_t rank;   // of a variable: that of what it stands for; -1: any
  // Of an application: how many attributes stand behind its operands; -1: it has those that all ops
  // of the rule share
  std::int8_t attribute_count;
};

/// One side-by-side pair: the positions of both sides in the list of nodes of their book.
struct pattern {
  items<pattern_node> nodes{};
  items<int> operands{};
  int left = 0, right = 0;

  constexpr int input(pattern_node const& n, int i) const {
    return operands.first[n.first_input + i];
  }
  constexpr int attribute(pattern_node const& n, int i) const {
    return operands.first[n.first_input + n.input_count + i];
  }
};

/// What a match has found: the nodes that variables stand for, and a node that has the attributes
/// (axes, messages) of the ops that have some.
struct match {
  graph const* of = nullptr;
  int bound[8]{-1, -1, -1, -1, -1, -1, -1, -1};
  int alike = -1;

  constexpr int operator[](int variable) const { return bound[variable]; }
  constexpr bool is_literal(int variable) const { return of->is_literal((*this)[variable]); }
  constexpr double literal(int variable) const { return of->literal_value((*this)[variable]); }
  constexpr kroton::element element(int variable) const {
    return of->type((*this)[variable]).element;
  }
};

/// A rule in a book. Its replacement comes from the pattern, or from `build`, which gives -1 where
/// it does not apply.
struct rule_record {
  std::string_view name;
  std::string_view book;
  std::string_view endless;  // the error when rewriting does not end with this rule
  std::string_view ids[8]{};
  int id_count = 0;
  bool real = false;  // holds for real numbers, but not for every NaN, infinity and zero
  bool complex = false;  // holds for complex numbers
  // The keys of the ops it applies to, as written only one; 0: to none
  std::uint64_t roots[8]{}, ieee_root = 0;
  int root_count = 0;
  std::uint64_t needs = 0, ieee_needs = 0;  // the ops without which it is not tried
  // The left side in normal form and as written, and the right side, in the book
  int normal = 0, written = 0, right = 0;
  bool has_guard = false, has_build = false;
  bool (*guard)(match const&) = nullptr;
  int (*build)(rewriter&, int) = nullptr;

  /// Whether it is this entry of the catalogue.
  constexpr bool has(std::string_view id) const {
    for (int i = 0; i < id_count; ++i)
      if (ids[i] == id) return true;
    return false;
  }
};

/// A book as the engine reads it: its rules, in order, and the nodes of their patterns.
struct book_view {
  std::string_view name;
  items<rule_record> rules;
  items<pattern_node> nodes;
  items<int> operands;

  constexpr pattern in_normal_form(rule_record const& rule) const {
    return {nodes, operands, rule.normal, rule.right};
  }
  constexpr pattern as_written(rule_record const& rule) const {
    return {nodes, operands, rule.written, rule.right};
  }
};

}  // namespace kroton::rewrite
