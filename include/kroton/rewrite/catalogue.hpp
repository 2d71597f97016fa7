// The catalogue: every rule and pass by name, book and catalogue id, for modes, tests and documentation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/optimize.hpp>
#include <kroton/rewrite/passes.hpp>

namespace kroton {
namespace core {

/// The built-in books, in the order in which they are read.
constexpr std::array<book_view, 6> books() {
  return {inverse_book, algebra_book, tensor_book, stabilize_book, specialize_book, last_book};
}

/// Whether `id` is among ids separated by spaces.
constexpr bool lists(std::string_view ids, std::string_view id) {
  while (!ids.empty()) {
    std::size_t const end = ids.find(' ');
    if (ids.substr(0, end) == id) return true;
    ids = end == std::string_view::npos ? std::string_view{} : ids.substr(end + 1);
  }
  return false;
}

}  // namespace core

/// Every rule, in the order in which the books have them.
constexpr core::list<core::rule_record> catalogue() {
  core::list<core::rule_record> entries;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules) entries.push_back(rule);
  return entries;
}

/// Whether a name is that of a rule, a book or a catalogue id that a rule has: what a mode can leave out.
constexpr bool is_known_rewrite(std::string_view name) {
  for (auto const& book : core::books())
    for (auto const& rule : book.rules)
      if (rule.name == name || rule.book == name || rule.has(name)) return true;
  return false;
}

}  // namespace kroton
