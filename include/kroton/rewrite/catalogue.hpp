// The catalogue: every rule and pass by name, book and catalogue id, for modes, tests and
// documentation.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/optimize.hpp>

namespace kroton {
namespace core {

/// The built-in books, in the order in which they are read.
constexpr std::array<book_view, 7> books() {
  return {inverse_book,   algebra_book,    tensor_book, linear_algebra_book,
          stabilize_book, specialize_book, last_book};
}

}  // namespace core

/// Every rule, in the order in which the books have them.
constexpr core::list<core::rule_record> catalogue() {
  core::list<core::rule_record> entries;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules) entries.push_back(rule);
  return entries;
}

/// Whether a name is that of a rule, a pass or a book, or a catalogue id that one of them has.
constexpr bool is_known_rewrite(std::string_view name, bool with_forms = true) {
  auto is_meant = [&](auto const& rewrite) {
    return rewrite.name == name || rewrite.book == name || rewrite.has(name);
  };
  for (auto const& pass : core::passes)
    if ((pass.optional || with_forms) && is_meant(pass)) return true;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules)
      if (is_meant(rule)) return true;
  return false;
}
/// Whether a mode can leave out what the name means: a pass that the form of a graph consists in
/// has to stay.
constexpr bool can_be_left_out(std::string_view name) { return is_known_rewrite(name, false); }

}  // namespace kroton
