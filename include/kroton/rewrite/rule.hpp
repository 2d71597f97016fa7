// Rules as one line each: a pair of expressions in the user's own language, with a name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/match.hpp>
#include <kroton/rewrite/pattern.hpp>

namespace kroton {

using core::match;

namespace core {

/// The error that names the rule with which rewriting went on and on.
template <text Name>
inline constexpr auto endless_message = [] {
  constexpr std::string_view before = "kt::rule: rewriting did not end: ";
  text<before.size() + Name.view().size() + 1> message;
  for (std::size_t i = 0; i < before.size(); ++i) message.characters[i] = before[i];
  for (std::size_t i = 0; i < Name.view().size(); ++i) message.characters[before.size() + i] = Name.view()[i];
  return message;
}();

/// What rules and builders have in common: names, and when they apply.
template <class Self>
struct rule_options {
  std::array<std::string_view, 8> ids{};
  int id_count = 0;
  bool is_real = false;

  /// The entries of the catalogue that this is.
  template <class... Id>
  constexpr Self id(Id... id) const {
    Self copy = static_cast<Self const&>(*this);
    ((copy.ids[static_cast<std::size_t>(copy.id_count++)] = id), ...);
    return copy;
  }
  /// Holds for real numbers, but not for every NaN, infinity and zero: left out by kt::mode::ieee.
  constexpr Self real() const {
    Self copy = static_cast<Self const&>(*this);
    copy.is_real = true;
    return copy;
  }
  template <text Name>
  constexpr rule_record describe(std::string_view book) const {
    rule_record record;
    record.name = Name.view();
    record.book = book;
    record.endless = endless_message<Name>.view();
    record.ids = ids;
    record.id_count = id_count;
    record.real = is_real;
    return record;
  }
};

template <text Name, class L>
struct rule_of : rule_options<rule_of<Name, L>> {
  static constexpr int count = 1;
  bool has_guard = false;
  bool (*guard)(match const&) = nullptr;

  /// Applies only where the guard holds of what the variables stand for: `.when([](kt::match const& m) { ... })`.
  constexpr rule_of when(bool (*holds)(match const&)) const {
    rule_of copy = *this;
    copy.guard = holds;
    copy.has_guard = true;
    return copy;
  }
  constexpr void write(rule_record* records, std::string_view book) const {
    records[0] = this->template describe<Name>(book);
    records[0].normal = pattern_of<L, true>();
    records[0].ieee = pattern_of<L, false>();
    records[0].root = records[0].normal.root();
    records[0].ieee_root = records[0].ieee.root();
    records[0].needs = records[0].normal.needs();
    records[0].ieee_needs = records[0].ieee.needs();
    records[0].guard = guard;
    records[0].has_guard = has_guard;
  }
};

template <text Name, class... Root>
struct builder_of : rule_options<builder_of<Name, Root...>> {
  static constexpr int count = sizeof...(Root);
  int (*build)(rewriter&, int) = nullptr;
  std::uint64_t needed = 0;

  /// Applies only where all these ops are among the operands, or factors, powers and views among them.
  template <class... Op>
  constexpr builder_of needs() const {
    builder_of copy = *this;
    copy.needed = (op_bit(key_of<Op>()) | ...);
    return copy;
  }
  constexpr void write(rule_record* records, std::string_view book) const {
    int i = 0;
    auto one = [&](std::uint64_t root) {
      records[i] = this->template describe<Name>(book);
      records[i].root = records[i].ieee_root = root;
      records[i].needs = records[i].ieee_needs = needed;
      records[i].has_build = true;
      records[i++].build = build;
    };
    (one(key_of<Root>()), ...);
  }
};

template <int N>
struct book {
  std::string_view name;
  std::array<rule_record, static_cast<std::size_t>(N)> records{};
  constexpr operator book_view() const { return {name, records}; }
};

}  // namespace core

/// A rule: `kt::rule<"softplus">([](auto a) { return log1p(exp(a)) >> softplus(a); })`. Operands of sums and products may
/// stand in any order; where more of them are there than the rule names, the others stay.
template <text Name, class L>
constexpr core::rule_of<Name, L> rule(L) {
  return {};
}

/// A rule that a pair of expressions cannot say: a function that gives the replacement of a node of one of the ops, or -1.
template <text Name, class... Root>
constexpr core::builder_of<Name, Root...> builder(int (*build)(core::rewriter&, int)) {
  core::builder_of<Name, Root...> result;
  result.build = build;
  return result;
}

/// A book of rules, in the order in which they are tried.
template <class... Rule>
  requires(requires { Rule::count; } && ...)
constexpr auto rules(std::string_view name, Rule const&... rule) {
  core::book<(Rule::count + ... + 0)> result{name};
  int next = 0;
  ((rule.write(result.records.data() + next, name), next += Rule::count), ...);
  return result;
}
template <class... Rule>
  requires(requires { Rule::count; } && ...)
constexpr auto rules(Rule const&... rule) {
  return rules("user", rule...);
}

}  // namespace kroton
