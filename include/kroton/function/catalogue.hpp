// The catalogue: every rule and pass by name, book and catalogue id, for modes, tests and
// documentation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/optimize.hpp>
#include <kroton/plan/passes.hpp>

#include <array>

namespace kroton {
namespace functions {

/// The built-in books, in the order in which they are read.
constexpr std::array<book_view, 10> books() {
  return {inverse_book, algebra_book, tensor_book,    values_book,     linear_algebra_book,
          fourier_book, sparse_book,  stabilize_book, specialize_book, last_book};
}

/// What passes of the same names read.
constexpr std::array<rewrite::relation_view, 2> books_of_relations() {
  return {rewrite::related_functions_book, rewrite::shared_exponentials_book};
}

/// An entry of the catalogue that is not there, and why.
struct named_exception {
  std::string_view ids, reason;
};

inline constexpr named_exception exceptions[] = {
    {"C8", "holds by construction: a scalar is a tensor of rank 0"},
    {"C56", "holds by construction: which dimensions broadcast is part of the type"},
    {"C58",
     "holds by construction: what is tiled once or split in one part is itself when it is "
     "recorded"},
    {"C66", "left out: fusion computes the sum of squares of products in one loop"},
    {"C86", "left out: an index out of range is an error, where a slice is cut off"},
    {"C87", "holds by construction: indices are counted from the front when they are recorded"},
    {"T18 S16", "later: Bessel and polygamma functions"},
    {"T19", "holds by construction: the canonical book is read in every stage"},
    {"T20", "left out: approximations that lose digits"},
    {"S12", "left out: inside a fused loop a second abs costs nothing that can be measured"},
    {"U1", "holds by construction: the maximum and its position are ops of their own"},
    {"B8", "holds by construction: a call of a convolution takes direct loops or products"},
    {"B9", "holds by construction: a product of stacks is one op, which multiplies slice by slice"},
    {"L5", "holds by construction: vectors that nobody asks for are not computed"},
    {"L9", "later: exponentials of matrices"},
    {"B11", "left out: no op has blocks; take, batched_dot and inc_take compute such products"},
    {"Z1", "holds by construction: a sparse matrix is a struct of its vectors"},
    {"Z2", "left out: which elements are 0 is known at a call, and a program that wants x has x"},
    {"Z4", "holds by construction: products by rows and by columns have kernels of their own"},
    {"Z5", "left out: the loop that adds a product to the rest takes 2 to 17 % of its time"},
    {"Z7", "holds by construction: the gradient by the values is a vector of values"},
    {"I4 Q4",
     "left out: states are stored when a call is done, so that one that throws advances nothing"},
    {"Q1", "holds by construction: a draw has its extents as operands"},
    {"Q2", "left out: it would change the numbers"},
    {"Q3",
     "holds by construction: the state of Philox is a number of draws, and a draw whose values "
     "nothing needs is not made; other generators have to make it"},
    {"I5 N7",
     "holds by construction: the values of a state take turns in a few rows, and starts are read "
     "where they are"},
    {"N16", "left out: users ask for it, with kt::checkpoint or kt::snapshots"},
    {"K2",
     "left out: an ifelse that is lifted over other ops, or merged with others, is less lazy"},
    {"I8",
     "holds by construction: results are moved out, and f.into writes into the caller's array"},
    {"G1 G2 G3",
     "holds by construction: a step runs on a device that has a form for it, and a value is "
     "transferred once in a call"},
    {"G4 G5",
     "holds by construction: the plan is the CPU's, with its products that add and its loops"},
    {"G6 G8",
     "holds by construction: a reduction evaluates its formula, and a call chooses how blocks go "
     "through rows or columns"},
    {"G7", "holds by construction: the body of a loop is placed as a program is"},
    {"G9", "holds by construction: kt::mode::fast_run.no_transfers() refuses such a step"},
};

}  // namespace functions

/// Every rule, in the order in which the books have them.
constexpr core::list<rewrite::rule_record> catalogue() {
  core::list<rewrite::rule_record> entries;
  for (auto const& book : functions::books())
    for (auto const& rule : book.rules) entries.push_back(rule);
  return entries;
}

/// Every part of the optimizer that is not a rule: of the normal form, the passes over a graph in
/// the order in which they run, and what the plan does.
constexpr core::list<rewrite::named_pass> passes() {
  core::list<rewrite::named_pass> entries;
  for (auto const& pass : rewrite::form_passes) entries.push_back(pass);
  for (auto const& pass : rewrite::first_passes) entries.push_back(pass);
  for (auto const& pass : loops::first_scan_passes) entries.push_back(pass);
  for (auto const& pass : loops::scan_passes) entries.push_back(pass);
  for (auto const& pass : loops::last_scan_passes) entries.push_back(pass);
  for (auto const& pass : rewrite::specialize_passes) entries.push_back(pass);
  for (auto const& pass : loops::lowered_scan_passes) entries.push_back(pass);
  for (auto const& pass : plan::compile_passes) entries.push_back(pass);
  for (auto const& pass : plan::plan_forms) entries.push_back(pass);
  return entries;
}

/// Whether a name is that of a rule, a relation, a pass or a book, or a catalogue id that one of
/// them has.
constexpr bool is_known_rewrite(std::string_view name, bool with_forms = true) {
  auto is_meant = [&](auto const& rewrite) {
    return rewrite.name == name || rewrite.book == name || rewrite.has(name);
  };
  bool known = false;
  for (auto const& pass : passes())
    known = known || ((pass.optional || with_forms) && is_meant(pass));
  for (auto const& book : functions::books())
    for (auto const& rule : book.rules) known = known || is_meant(rule);
  for (auto const& book : functions::books_of_relations())
    for (auto const& line : book.lines) known = known || is_meant(line);
  return known;
}
/// Whether a mode can leave out what the name means: a pass that the form of a graph consists in
/// has to stay.
constexpr bool can_be_left_out(std::string_view name) { return is_known_rewrite(name, false); }

}  // namespace kroton
