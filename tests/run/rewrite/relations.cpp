// The books of relations: both sides of each line agree, and it holds next to what it names, and
// nowhere else.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "run/rewrite_interpreter.hpp"

using namespace rewrite_test;

namespace {

namespace op = kt::op;
using kt::rewrite::relation_record, kt::rewrite::relation_view;

/// The variable of a line as an expression, and how it is made of two inputs.
struct operand {
  char const* name;
  kt::term (*of)(kt::term, kt::term);
};
constexpr operand operands[] = {
    {"variable", [](kt::term a, kt::term) { return a; }},
    {"product", [](kt::term a, kt::term b) { return 3 * a * b; }},
    {"quotient", [](kt::term a, kt::term b) { return a / (2 + b * b); }},
    {"sum", [](kt::term a, kt::term b) { return a - 2 * b; }},
    {"power", [](kt::term a, kt::term) { return sqr(a); }}};

int build(kt::graph& g, relation_view const& book, int at, int x) {
  kt::rewrite::pattern_node const& n = book.nodes[at];
  if (n.is == kt::rewrite::pattern_node::kind::variable) return x;
  if (n.is == kt::rewrite::pattern_node::kind::literal)
    return g.literal(n.value, g.type(x).element);
  std::vector<int> inputs;
  for (int i = 0; i < n.input_count; ++i)
    inputs.push_back(build(g, book, book.operands[n.first_input + i], x));
  return kt::core::record_elementwise(g, n.op, inputs);
}

struct sample {
  kt::graph g;
  std::set<std::string_view> fired;
  kt::graph optimized;

  /// The left side and some of the neighbours, as outputs.
  sample(relation_view const& book, relation_record const& line, operand const& x, int rank,
         std::vector<int> const& neighbours, std::string_view out = "no rule") {
    kt::tensor_type const type{kt::element::float64, static_cast<std::uint8_t>(rank), 0};
    kt::term const a{&g, g.input(type, 0)}, b{&g, g.input(type, 1)};
    int const variable = x.of(a, b).id;
    g.results().push_back(build(g, book, line.normal, variable));
    for (int k : neighbours) g.results().push_back(build(g, book, line.neighbours[k], variable));
    kt::ops::collect_constraints(g);
    kt::rewrite::rewrite_log log;
    kt::rewrite::rewrite_options options;
    options.log = &log;
    if (out != "no rule") options.excluded = {&out, 1};
    optimized = kt::rewrite::optimize(g, kt::stage::specialize, options);
    fired = {log.begin(), log.end()};
  }
};

/// The neighbours that have to be there, as few as the line asks for.
std::vector<int> neighbours_of(relation_record const& line, int rank) {
  std::vector<int> all;
  int absent = 0;
  for (int k = 0; k < line.count; ++k) absent += line.is_absent[k] ? 1 : 0;
  for (int k = 0; k < line.count; ++k)
    if (!line.is_absent[k] && static_cast<int>(all.size()) < line.least[rank == 0 ? 0 : 1] - absent)
      all.push_back(k);
  return all;
}

template <class F>
void for_each_line(F f) {
  for (relation_view const& book : kt::functions::books_of_relations())
    for (relation_record const& line : book.lines)
      for (operand const& x : operands)
        for (int rank : {0, 1}) {
          if (rank == 1 && line.has_guard) continue;  // of numbers
          CAPTURE(line.name, x.name, rank);
          f(book, line, x, rank);
        }
}

}  // namespace

TEST_CASE(
    "relations: each holds next to its neighbours, for products, sums and powers, and can be left "
    "out",
    "[rewrite]") {
  for_each_line([](relation_view const& book, relation_record const& line, operand const& x,
                   int rank) {
    std::vector<int> const needed = neighbours_of(line, rank);
    CHECK(sample(book, line, x, rank, needed).fired.count(line.name) == 1);
    CHECK(sample(book, line, x, rank, needed, line.name).fired.count(line.name) == 0);
    CHECK(sample(book, line, x, rank, needed, line.book).fired.count(line.name) == 0);
    CHECK(sample(book, line, x, rank, {}).fired.count(line.name) == 0);
    CHECK(sample(book, line, x, rank, {needed.begin(), needed.end() - 1}).fired.count(line.name) ==
          0);
    for (int k = 0; k < line.count; ++k)
      if (line.is_absent[k]) {
        std::vector<int> more = needed;
        more.push_back(k);
        CHECK(sample(book, line, x, rank, more).fired.count(line.name) == 0);
      }
  });
}

TEST_CASE("relations: each keeps the values", "[rewrite]") {
  for_each_line([](relation_view const& book, relation_record const& line, operand const& x,
                   int rank) {
    sample const s(book, line, x, rank, neighbours_of(line, rank));
    for (double at : {-2.5, -0.7, -1e-5, 0.0, 1e-9, 0.3, 1.9, 4.0}) {
      value const a{rank == 0 ? std::vector<long>{} : std::vector<long>{1}, {at}},
          b{a.shape, {0.75 - at / 8}};
      CAPTURE(at);
      interpreter const want(s.g, {a, b}), have(s.optimized, {a, b});
      for (int i = 0; i < s.g.results().size(); ++i) {
        double const l = want[s.g.results()[i]].data[0], r = have[s.optimized.results()[i]].data[0];
        CHECK(std::abs(l - r) <= 1e-13 * std::abs(l) + 1e-300);
      }
    }
  });
}

TEST_CASE("relations: names are unique, and known", "[rewrite]") {
  std::set<std::string_view> names;
  for (auto const& e : kt::catalogue()) names.insert(e.name);
  for (relation_view const& book : kt::functions::books_of_relations())
    for (relation_record const& line : book.lines) {
      CAPTURE(line.name);
      CHECK(names.insert(line.name).second);
      CHECK((kt::is_known_rewrite(line.name) && kt::can_be_left_out(line.name)));
      CHECK((kt::is_known_rewrite(line.book) && kt::can_be_left_out(line.book)));
    }
}
