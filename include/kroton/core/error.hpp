// Run-time errors, all derived from kt::error, and the mechanism by which a trace reports an error
// to the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/message.hpp>
#include <kroton/core/refusal.hpp>
#include <kroton/core/text.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace kroton {

/// Base of every exception that Kroton throws. A call that throws updates nothing.
class error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Extents that do not match; the text names the parameters or the op, and the extents.
class shape_error : public error {
  using error::error;
};
/// A value that an op does not accept: an index out of range, the maximum of no elements.
class value_error : public error {
  using error::error;
};
/// A matrix that cannot be decomposed; the text says which op and where.
class linalg_error : public error {
  using error::error;
};

namespace core {

/// Never completed: the compiler's error about it shows the text, which a throw in a constant
/// evaluation would hide.
template <text... Lines>
struct kroton_error;

template <std::size_t N>
constexpr text<N + 1> to_text(std::string_view from) {
  text<N + 1> to;
  for (std::size_t i = 0; i < N; ++i) to.characters[i] = from[i];
  // Explicit, because clang prints numbers for an array with an implied end
  to.characters[N] = '\0';
  return to;
}

/// Splits the next line off a sentence: as many words as the compiler prints of one text.
constexpr std::string_view next_line(std::string_view& sentence) {
  std::size_t end = sentence.size();
  if (end > KROTON_SHOWN_TEXT) {
    end = sentence.rfind(' ', KROTON_SHOWN_TEXT);
    if (end == std::string_view::npos) end = KROTON_SHOWN_TEXT;
  }
  std::string_view const line = sentence.substr(0, end);
  sentence.remove_prefix(end < sentence.size() && sentence[end] == ' ' ? end + 1 : end);
  return line;
}
constexpr std::size_t line_count(std::string_view sentence) {
  std::size_t count = 0;
  for (; !sentence.empty(); ++count) next_line(sentence);
  return count;
}
constexpr std::string_view line_of(std::string_view sentence, std::size_t k) {
  std::string_view line = next_line(sentence);
  for (; k > 0; --k) line = next_line(sentence);
  return line;
}

/// Turns the sentence that a program's trace left into a compile-time error.
template <class Program, std::size_t... K>
void refuse(std::index_sequence<K...>) {
  kroton_error<to_text<line_of(Program::made.error, K).size()>(line_of(Program::made.error, K))...>
      sentence;
  (void)sentence;
}

/// Whether the constant evaluation of a program completed.
template <class Evaluation>
inline constexpr bool is_evaluated =
    requires { typename std::bool_constant<Evaluation::made.error.empty()>; };

}  // namespace core
}  // namespace kroton
