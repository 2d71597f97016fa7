// Relations between functions as one line each: what an expression is where others are computed
// anyway.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/pattern/rule.hpp>

namespace kroton::rewrite {

/// An expression next to which a relation holds; or one that must not be there.
struct neighbour {
  term of{};
  bool is_absent = false;
};
constexpr neighbour absent(term t) { return {t, true}; }

/// What `beside(left, neighbours...) >> right` gives inside a relation. The left side binds all
/// variables.
struct related {
  static constexpr int most_neighbours = 3;
  term left, right;
  neighbour neighbours[most_neighbours];
  int count = 0;
};
template <class... N>
constexpr related beside(term left, N... n) {
  static_assert(sizeof...(N) <= related::most_neighbours);
  return {left, {}, {neighbour{n}...}, sizeof...(N)};
}
constexpr related operator>>(related sides, term right) {
  sides.right = right;
  return sides;
}

struct relation_record : rule_record {
  int neighbours[related::most_neighbours]{};  // in the book
  bool is_absent[related::most_neighbours]{};
  int count = 0;
  int least[2]{};  // how many neighbours of a number, and of an array, have to be as they should
  bool as_written = false, in_products = false;
};

/// A line of a book of relations under construction.
struct relation_line {
  relation_record record{};
  related (*sides)(graph&) = nullptr;

  // Before its first use, where clang has to find it defined.
  template <class Change>
  constexpr relation_line with(Change change) const {
    relation_line copy = *this;
    change(copy.record);
    return copy;
  }
  /// Holds where this many of the neighbours are there; without it, where all are.
  constexpr relation_line least(int of_number, int of_array) const {
    return with([=](relation_record& r) { r.least[0] = of_number, r.least[1] = of_array; });
  }
  constexpr relation_line least(int n) const { return least(n, n); }
  constexpr relation_line when(bool (*holds)(match const&)) const {
    return with([=](relation_record& r) { r.guard = holds, r.has_guard = true; });
  }
  /// The factors of the right side are joined with those of the products that have the left one.
  constexpr relation_line in_products() const {
    return with([](relation_record& r) { r.in_products = true; });
  }
  /// The right side is not brought to normal form, which has no negatives and reciprocals to share.
  constexpr relation_line as_written() const {
    return with([](relation_record& r) { r.as_written = true; });
  }
};

/// A line: `relation<"name">([](auto x) { return beside(expm1(x), exp(x)) >> ...; })`.
template <text Name, class L>
constexpr relation_line relation(L) {
  relation_line line;
  static_cast<rule_record&>(line.record) = named_line<Name>().record;
  line.sides = [](graph& g) { return L{}(term{&g, 0}); };
  return line;
}

struct relation_view {
  items<relation_record> lines;
  items<pattern_node> nodes;
  items<int> operands;

  constexpr pattern sides(relation_record const& line, int right) const {
    return {nodes, operands, line.normal, right};
  }
};
template <int N>
struct relation_book {
  relation_record lines[static_cast<std::size_t>(N)]{};
  pattern_node nodes[static_cast<std::size_t>(room_of_rules(N))]{};
  int operands[static_cast<std::size_t>(room_of_rules(N))]{};
  constexpr operator relation_view() const { return {lines, nodes, operands}; }
};

/// A book of relations, which a pass of its name reads: all at once, the first that holds for a
/// node.
template <std::same_as<relation_line>... Line>
constexpr auto relations(std::string_view name, Line const&... line) {
  relation_book<static_cast<int>(sizeof...(Line))> result{{line.record...}};
  rule_tracer tracer(result.nodes, result.operands, static_cast<int>(std::size(result.nodes)));
  relation_record* record = result.lines;
  for (relation_line const* l : {&line...}) {
    related const sides = l->sides(tracer.written());
    record->book = name;
    record->real = true;
    tracer.trace(*record, {sides.left, sides.right}, false);
    record->count = sides.count;
    for (int& n : record->least)
      if (n == 0) n = sides.count;
    for (int k = 0; k < sides.count; ++k) {
      record->neighbours[k] = tracer.append(sides.neighbours[k].of);
      record->is_absent[k] = sides.neighbours[k].is_absent;
    }
    ++record;
  }
  return result;
}

}  // namespace kroton::rewrite
