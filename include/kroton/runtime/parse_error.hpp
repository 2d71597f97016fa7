// Errors in formulas: a sentence, the position in words, and the formula with a mark below the
// position.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace kroton::runtime::syntax {

/// True for the bytes of UTF-8 that begin a character.
constexpr bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }

inline std::size_t characters(std::string_view bytes) {
  return static_cast<std::size_t>(std::count_if(bytes.begin(), bytes.end(), begins_character));
}

/// A quoted piece of a formula in a message; a long one is shortened.
inline std::string in_quotes(std::string_view piece) {
  if (piece.size() <= 40) return "'" + std::string(piece) + "'";
  return "'" + std::string(piece.substr(0, 36)) + "...'";
}

/// The part of a line to show, at most about a hundred characters around `position`, which is
/// adjusted.
inline std::string excerpt(std::string_view line, std::size_t& position) {
  constexpr std::size_t before = 60, after = 40;
  std::size_t begin = position > before ? position - before : 0,
              end = std::min(line.size(), position + after);
  while (begin > 0 && !begins_character(line[begin])) --begin;
  while (end < line.size() && !begins_character(line[end])) ++end;
  std::string shown(line.substr(begin, end - begin));
  position -= begin;
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\t') c = ' ';
  if (begin > 0) {
    shown.insert(0, "... ");
    position += 4;
  }
  if (end < line.size()) shown += " ...";
  return shown;
}

/// Throws kt::value_error: "parse: <message> at column <n>:", the line of the formula, and a mark
/// below byte `position`. Advice that follows the message after "; " stays after the column.
[[noreturn]] inline void refuse(std::string_view text, std::size_t position,
                                std::string const& message) {
  position = std::min(position, text.size());
  std::string_view const before = text.substr(0, position);
  std::size_t const newline = before.rfind('\n');
  std::size_t const begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view const line = text.substr(begin, text.find('\n', position) - begin);
  std::string where =
      "column " + std::to_string(characters(text.substr(begin, position - begin)) + 1);
  if (text.find('\n') != std::string_view::npos)
    where =
        "line " + std::to_string(std::count(before.begin(), before.end(), '\n') + 1) + ", " + where;
  std::size_t mark = position - begin;
  std::string const shown = excerpt(line, mark);
  std::string blank;
  for (char c : std::string_view(shown).substr(0, mark))
    if (begins_character(c)) blank += c == '\t' ? '\t' : ' ';
  std::size_t const advice = std::min(message.find("; "), message.size());
  throw value_error("parse: " + message.substr(0, advice) + " at " + where +
                    message.substr(advice) + (message.ends_with('?') ? "" : ":") + "\n  " + shown +
                    "\n  " + blank + "^");
}

}  // namespace kroton::runtime::syntax
