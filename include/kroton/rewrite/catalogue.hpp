// The catalogue: every rule and pass by name, book and catalogue id, for modes, tests and documentation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/optimize.hpp>

namespace kroton {
namespace core {

/// The built-in books, in the order in which they are read.
constexpr std::array<book_view, 6> books() {
  return {inverse_book, algebra_book, tensor_book, stabilize_book, specialize_book, last_book};
}

}  // namespace core

/// Every rule, in the order in which the books have them.
constexpr core::list<core::rule_record> catalogue() {
  core::list<core::rule_record> entries;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules) entries.push_back(rule);
  return entries;
}

/// Whether a name is that of a rule, of a pass that is not always needed, of a book, or a catalogue id that one of them has:
/// what a mode can leave out.
constexpr bool is_known_rewrite(std::string_view name) {
  for (auto const& pass : core::passes)
    if (pass.optional && (pass.name == name || pass.book == name || pass.has(name))) return true;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules)
      if (rule.name == name || rule.book == name || rule.has(name)) return true;
  return false;
}

}  // namespace kroton
