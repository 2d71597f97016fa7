// Rebuilds graphs from the words that a constant evaluation has left, at run time and without the
// optimizer.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/expression.hpp>

#include <deque>
#include <string>
#include <utility>

namespace kroton::freeze {

/// Writes a text, eight characters per word.
template <int Words, int Ops>
constexpr void freeze_text(freezer<Words, Ops>& to, std::string_view text) {
  to.word(static_cast<long long>(text.size()));
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    for (std::size_t k = 0; k < 8 && i + k < text.size(); ++k)
      word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i + k])) << (8 * k);
    to.word(static_cast<long long>(word));
  }
}

/// Writes a graph together with the parts that its expression omits: the order of its parameters,
/// conditions, names, bodies.
template <int Words, int Ops>
constexpr void freeze_graph(freezer<Words, Ops>& to, graph const& g) {
  to.add(g);
  to.word(g.parameters().size());
  for (int id : g.parameters()) to.word(id);
  to.word(g.constraints().size());
  for (extent_constraint const& c : g.constraints()) {
    to.word(c.left);
    to.word(c.right);
    to.word(static_cast<long long>(c.kind));
    to.word(to.op(c.op));
  }
  to.word(g.names().size());
  for (name_entry const& entry : g.names()) {
    to.word(entry.node);
    freeze_text(to, entry.name);
  }
  to.word(g.bodies().size());
  for (body const& b : g.bodies()) freeze_graph(to, *b);
}

/// The record of an op without its functions: enough to inspect a graph, and cheap to compile.
template <class Op>
inline constexpr op_info record_to_look_at = [] {
  op_info const& whole = info<Op>;
  op_info d;
  d.name = whole.name;
  d.key = whole.key;
  d.name_hash = whole.name_hash;
  d.arity = whole.arity;
  d.outputs = whole.outputs;
  d.output_count = whole.output_count;
  d.has_body = whole.has_body;
  d.laws = whole.laws;
  d.elementwise = whole.elementwise;
  d.reduction = whole.reduction;
  return d;
}();

/// The words and ops of a program `P::value`, for inspection. Not the program itself, which names
/// the complete records.
template <class P,
          class Words = std::make_index_sequence<static_cast<std::size_t>(P::value.word_count)>,
          class Ops = std::make_index_sequence<static_cast<std::size_t>(P::value.op_count)>>
struct program_to_look_at;
template <class P, std::size_t... W, std::size_t... I>
struct program_to_look_at<P, std::index_sequence<W...>, std::index_sequence<I...>> {
  static constexpr long long words[] = {P::value.words[W]..., 0};
  static constexpr op_info const* ops[] = {&record_to_look_at<op_at<P::value.ops[I]>>..., nullptr};
};

/// Reads words in the order in which they were written.
class thawing {
 public:
  template <class Program>
  explicit thawing(Program const&) : words_(Program::words), ops_(Program::ops) {}

  long long word() { return *words_++; }
  int number() { return static_cast<int>(word()); }
  op_info const* op() { return ops_[word()]; }
  [[gnu::cold]] std::string text() {
    std::string text(static_cast<std::size_t>(word()), ' ');
    for (std::size_t i = 0; i < text.size(); i += 8) {
      auto const bits = static_cast<std::uint64_t>(word());
      for (std::size_t k = 0; k < 8 && i + k < text.size(); ++k)
        text[i + k] = static_cast<char>(bits >> (8 * k));
    }
    return text;
  }
  /// The names are kept in `names`, which must live as long as the graph.
  [[gnu::cold]] graph whole(std::deque<std::string>& names) {
    graph g;
    int const size = number();
    words_ += size;  // the offsets of the nodes
    for (int id = 0; id < size; ++id) node(g);
    for (int n = number(); n > 0; --n) g.results().push_back(number());
    for (int n = number(); n > 0; --n) {
      int const parameter = number();
      g.updates().push_back({parameter, number()});
    }
    list<int> parameters;
    for (int n = number(); n > 0; --n) parameters.push_back(number());
    g.set_parameters(std::move(parameters));
    for (int n = number(); n > 0; --n) {
      int const left = number(), right = number();
      auto const kind = static_cast<condition>(word());
      g.constraints().push_back({left, right, op(), kind});
    }
    for (int n = number(); n > 0; --n) {
      int const id = number();
      g.names().push_back({id, names.emplace_back(text())});
    }
    for (int n = number(); n > 0; --n) g.intern(body(whole(names)));
    return g;
  }

 private:
  [[gnu::cold]] void node(graph& g) {
    op_info const* const is = op();
    auto const e = static_cast<element>(word());
    auto const rank = static_cast<std::uint8_t>(word());
    tensor_type const type{e, rank, static_cast<std::uint32_t>(word())};
    int const input_count = number(), attribute_count = number();
    list<int> inputs;
    for (int i = 0; i < input_count; ++i) inputs.push_back(number());
    g.add(is, type, inputs, {words_, attribute_count});
    words_ += attribute_count;
  }

  long long const* words_;
  op_info const* const* ops_;
};

}  // namespace kroton::freeze
