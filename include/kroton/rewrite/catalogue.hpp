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

/// What a name in the catalogue stands for.
struct catalogue_entry {
  std::string_view name, book;
  std::array<std::string_view, 8> ids;
  int id_count = 0;
  bool real = false;

  constexpr bool has(std::string_view id) const {
    for (int i = 0; i < id_count; ++i)
      if (ids[static_cast<std::size_t>(i)] == id) return true;
    return false;
  }
};

/// Every rule, in the order in which the books have them; a rule for several ops stands once.
constexpr core::list<catalogue_entry> catalogue() {
  core::list<catalogue_entry> entries;
  for (auto const& book : core::books())
    for (auto const& rule : book.rules)
      if (entries.empty() || entries.back().name != rule.name)
        entries.push_back({rule.name, rule.book, rule.ids, rule.id_count, rule.real});
  return entries;
}

/// Whether a name is that of a rule, a book or a catalogue id that a rule has: what a mode can leave out.
constexpr bool is_known_rewrite(std::string_view name) {
  for (auto const& book : core::books())
    for (auto const& rule : book.rules) {
      if (rule.name == name || rule.book == name) return true;
      for (int i = 0; i < rule.id_count; ++i)
        if (rule.ids[static_cast<std::size_t>(i)] == name) return true;
    }
  return false;
}

}  // namespace kroton
