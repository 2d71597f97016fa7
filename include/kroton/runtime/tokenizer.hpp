// Splits formulas into tokens: numbers, names and symbols as in Python.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/read_number.hpp>
#include <kroton/runtime/parse_error.hpp>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::runtime::syntax {

struct token {
  enum kind_t { integer, floating, name, symbol, end } kind;
  std::string_view text;
  std::size_t position;
  // The value of a number.
  std::int64_t integer_value = 0;
  double floating_value = 0;
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool continues_name(char c) { return begins_name(c) || is_digit(c); }
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// Reads one number at a time.
class number_reader {
 public:
  number_reader(std::string_view text, std::size_t position) : text_(text), position_(position) {}

  token read() {
    std::size_t end = position_;
    bool const hexadecimal = text_.size() > end + 1 && text_[end] == '0' &&
                             (text_[end + 1] == 'x' || text_[end + 1] == 'X');
    bool integer = true;
    if (hexadecimal) {
      for (end += 2; end < text_.size() && continues_name(text_[end]); ++end) {
      }
    } else {
      for (; end < text_.size(); ++end) {
        char const c = text_[end];
        bool const signs_exponent =
            (c == '+' || c == '-') && (text_[end - (end > position_)] | 0x20) == 'e';
        if (!continues_name(c) && c != '.' && !signs_exponent) break;
        // A second point, and an attribute as in 2.T, are reported by the error below.
        if (c == '.' || (c | 0x20) == 'e') integer = false;
      }
    }
    whole_ = text_.substr(position_, end - position_);
    std::string const digits = without_underscores(hexadecimal ? 2 : 0);
    return integer ? read_integer(digits, hexadecimal ? 16 : 10) : read_floating(digits);
  }

 private:
  [[noreturn]] void malformed() const {
    refuse(text_, position_, in_quotes(whole_) + " is not a number");
  }

  // Python allows single underscores between digits.
  std::string without_underscores(std::size_t from) const {
    std::string digits;
    for (std::size_t i = from; i < whole_.size(); ++i) {
      if (whole_[i] != '_')
        digits += whole_[i];
      else if (i == 0 || i + 1 == whole_.size() || !continues_name(whole_[i - 1]) ||
               !continues_name(whole_[i + 1]) || whole_[i + 1] == '_')
        malformed();
    }
    return digits;
  }
  token read_integer(std::string const& digits, int base) const {
    std::int64_t number = 0;
    auto const [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (end != digits.data() + digits.size() || digits[0] == '-') malformed();
    if (problem == std::errc::result_out_of_range)
      refuse(text_, position_,
             in_quotes(whole_) +
                 " is too large for an integer of 64 bits; a floating-point number has a point");
    if (problem != std::errc{}) malformed();
    if (base == 10 && digits.size() > 1 && digits[0] == '0' && number != 0)
      refuse(text_, position_, in_quotes(whole_) + " begins with 0; that is not a decimal integer");
    return {token::integer, whole_, position_, number, static_cast<double>(number)};
  }
  token read_floating(std::string const& digits) const {
    double number = 0;
    if (!core::read_number(digits, number)) malformed();
    return {token::floating, whole_, position_, 0, number};
  }

  std::string_view text_, whole_{};
  std::size_t position_;
};

/// The longest symbol at the beginning of `rest`; empty if there is none.
inline std::string_view symbol_at(std::string_view rest) {
  for (std::string_view s : {"**", "//", "<<", ">>", "==", "!=", "<=", ">="})
    if (rest.substr(0, 2) == s) return s;
  for (std::string_view s :
       {"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", ",", ".", "="})
    if (rest.substr(0, 1) == s) return s;
  return {};
}

/// The error for a character that begins no token.
inline std::string stray_character(std::string_view rest) {
  if (rest[0] == '[') return "unexpected '['; formulas do not support indexing";
  if (rest[0] == '!') return "unexpected '!'; the logical not is ~";
  std::size_t end = 1;
  while (end < rest.size() && end < 4 && !begins_character(rest[end])) ++end;
  unsigned const byte = static_cast<unsigned char>(rest[0]);
  std::size_t const expected = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
  if (byte > 0x20 && byte != 0x7F && end == expected && (byte < 0x80 || byte >= 0xC2))
    return "unexpected character '" + std::string(rest.substr(0, end)) + "'";
  constexpr char digits[] = "0123456789ABCDEF";
  return std::string("unexpected byte 0x") + digits[byte >> 4] + digits[byte & 15];
}

/// The tokens of a formula, the last of which is the end. Throws kt::value_error.
inline std::vector<token> tokenize(std::string_view text) {
  std::vector<token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    char const c = text[at];
    if (is_blank(c)) {
      ++at;
    } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      tokens.push_back(number_reader(text, at).read());
      at += tokens.back().text.size();
    } else if (begins_name(c)) {
      std::size_t end = at;
      while (end < text.size() && continues_name(text[end])) ++end;
      tokens.push_back({token::name, text.substr(at, end - at), at});
      at = end;
    } else if (std::string_view const s = symbol_at(text.substr(at)); !s.empty()) {
      std::string_view const two = text.substr(at, 2);
      if (two == "&&" || two == "||")
        refuse(text, at,
               "unexpected '" + std::string(two) + "'; write (a > 0) & (b > 0), and | for or");
      tokens.push_back({token::symbol, text.substr(at, s.size()), at});
      at += s.size();
    } else {
      refuse(text, at, stray_character(text.substr(at)));
    }
  }
  tokens.push_back({token::end, {}, text.size()});
  return tokens;
}

}  // namespace kroton::runtime::syntax
