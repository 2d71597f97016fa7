// Rules as one line each: a pair of expressions in the user's own language, with a name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/match.hpp>
#include <kroton/rewrite/pattern/pattern.hpp>

#include <concepts>
#include <iterator>

namespace kroton {

using rewrite::match;

namespace rewrite {

/// The error that names the rule with which rewriting went on and on.
inline constexpr std::string_view endless_words = "kt::rule: rewriting did not terminate: ";
template <std::size_t N>
constexpr auto endless_text(text<N> const& name) {
  text<endless_words.size() + N> message;
  for (std::size_t i = 0; i < endless_words.size(); ++i) message.characters[i] = endless_words[i];
  for (std::size_t i = 0; i < N; ++i)
    message.characters[endless_words.size() + i] = name.characters[i];
  return message;
}
template <text Name>
inline constexpr auto endless_message = endless_text(Name);

/// A line of a book under construction. No template: there is one line for every rule, and each
/// would be compiled anew.
struct rule_line {
  rule_record record{};
  traced_pair pair{};  // of a rule that is not a builder

  /// The entries of the catalogue that this is.
  template <class... Id>
  constexpr rule_line id(Id... id) const {
    static_assert(sizeof...(Id) <= 8, "kt::rule: a rule has at most eight catalogue ids");
    rule_line copy = *this;
    ((copy.record.ids[copy.record.id_count++] = id), ...);
    return copy;
  }
  /// Holds for real numbers, but not for every NaN, infinity and zero: left out by kt::mode::ieee.
  constexpr rule_line real() const {
    rule_line copy = *this;
    copy.record.real = true;
    return copy;
  }
  /// Holds for complex numbers too. All other rules leave alone what is complex, or made of it.
  constexpr rule_line complex() const {
    rule_line copy = *this;
    copy.record.complex = true;
    return copy;
  }
  /// Applies only where the guard holds of what the variables stand for: `.when([](kt::match const&
  /// m) { ... })`.
  constexpr rule_line when(bool (*holds)(match const&)) const {
    rule_line copy = *this;
    copy.record.guard = holds;
    copy.record.has_guard = true;
    return copy;
  }
  /// Of a builder: applies only where all these ops are among the operands, or factors, powers and
  /// views among them.
  template <class... Op>
  constexpr rule_line needs() const {
    rule_line copy = *this;
    copy.record.needs = copy.record.ieee_needs = (op_bit(key_of<Op>()) | ...);
    return copy;
  }
};

template <text Name>
constexpr rule_line named_line() {
  rule_line line;
  line.record.endless = endless_message<Name>.view();
  line.record.name = line.record.endless.substr(endless_words.size());
  return line;
}

template <int N>
struct book {
  std::string_view name;
  rule_record records[static_cast<std::size_t>(N)]{};
  pattern_node nodes[static_cast<std::size_t>(room_of_rules(N))]{};
  int operands[static_cast<std::size_t>(room_of_rules(N))]{};
  constexpr operator book_view() const { return {name, records, nodes, operands}; }
};

}  // namespace rewrite

/// A rule: `kt::rule<"softplus">([](auto a) { return log1p(exp(a)) >> softplus(a); })`. Operands of
/// sums and products may stand in any order; where more of them are there than the rule names, the
/// others stay. A parameter that is `auto` stands for anything, one of a type for what has its
/// rank (a scalar for any rank) and is complex where the type is. Where parameters have types, axes
/// are those that the rule names: `[](kt::dmatrix a) { return det(a.T()) >> det(a); }`.
template <text Name, class L>
constexpr rewrite::rule_line rule(L) {
  rewrite::rule_line line = rewrite::named_line<Name>();
  line.pair = rewrite::pair_of_rule<L, 0>();
  return line;
}

/// A rule that a pair of expressions cannot say: a function that gives the replacement of a node of
/// one of the ops, or -1.
template <text Name, class... Root>
constexpr rewrite::rule_line builder(int (*build)(rewrite::rewriter&, int)) {
  static_assert(sizeof...(Root) >= 1 && sizeof...(Root) <= 8, "kt::builder: name one to eight ops");
  rewrite::rule_line line = rewrite::named_line<Name>();
  ((line.record.roots[line.record.root_count++] = core::key_of<Root>()), ...);
  line.record.has_build = true;
  line.record.build = build;
  return line;
}

/// A book of rules, in the order in which they are tried.
template <std::same_as<rewrite::rule_line>... Line>
constexpr auto rules(std::string_view name, Line const&... line) {
  rewrite::book<static_cast<int>(sizeof...(Line))> result{name, {line.record...}};
  rewrite::rule_tracer tracer(result.nodes, result.operands,
                              static_cast<int>(std::size(result.nodes)));
  rewrite::rule_record* record = result.records;
  for (rewrite::rule_line const* l : {&line...}) {
    record->book = name;
    if (!record->has_build) tracer.trace(*record, l->pair.pair(tracer.written()), l->pair.typed);
    ++record;
  }
  return result;
}
template <std::same_as<rewrite::rule_line>... Line>
constexpr auto rules(Line const&... line) {
  return rules("user", line...);
}

}  // namespace kroton
