// Tables as words and back: entries go through one list of their fields in both directions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/nodes.hpp>
#include <kroton/freeze/expression.hpp>

#include <array>
#include <type_traits>

namespace kroton::freeze {

/// Calls `each` with the fields of an entry of a table, which may be a plain number.
template <class Entry, class Each>
constexpr void for_each_field(Entry& entry, Each& each) {
  if constexpr (std::is_integral_v<Entry>) each(entry);
  else std::remove_const_t<Entry>::fields(entry, each);
}

/// Where a table stands among the words of a program.
struct table_place {
  int at = 0, count = 0;
};

template <class Freezer>
struct field_writer {
  Freezer& to;

  template <class... Field>
  constexpr void operator()(Field const&... field) {
    (write(field), ...);
  }

 private:
  template <class Field>
  constexpr void write(Field const& field) {
    to.word(static_cast<long long>(field));
  }
  constexpr void write(op_info const* op) { to.word(to.op(op)); }
};

template <class Code>
struct field_reader {
  Code const& code;
  int at;

  template <class... Field>
  constexpr void operator()(Field&... field) {
    (read(field), ...);
  }

 private:
  template <class Field>
  constexpr void read(Field& field) {
    field = static_cast<Field>(code.words[at++]);
  }
  constexpr void read(op_info const*& op) { op = code.ops[code.words[at++]]; }
};

struct field_counter {
  int count = 0;

  template <class... Field>
  constexpr void operator()(Field const&...) {
    count += static_cast<int>(sizeof...(Field));
  }
};

/// How many words an entry takes.
template <class Entry>
inline constexpr int entry_words = [] {
  field_counter counter;
  Entry entry{};
  for_each_field(entry, counter);
  return counter.count;
}();

/// Writes a table.
template <class Freezer, class Entry>
constexpr table_place freeze_table(Freezer& to, list<Entry> const& table) {
  table_place const place{to.result.word_count, table.size()};
  field_writer<Freezer> writer{to};
  for (Entry const& entry : table) for_each_field(entry, writer);
  return place;
}

/// Reads a table of N entries that stands at a place.
template <class Entry, std::size_t N, class Code>
constexpr std::array<Entry, N> read_table(Code const& code, table_place place) {
  std::array<Entry, N> table{};
  for (std::size_t i = 0; i != N; ++i) {
    field_reader<Code> reader{code, place.at + static_cast<int>(i) * entry_words<Entry>};
    for_each_field(table[i], reader);
  }
  return table;
}

}  // namespace kroton::freeze
