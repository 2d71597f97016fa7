// Every rule of every book: both sides agree on random and extreme numbers, each rule fires, each catalogue id has its place.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <map>
#include <random>
#include <set>

#include "run/rewrite_interpreter.hpp"
#include "run/rule_expressions.hpp"
#include "run/rule_sides.hpp"
#include "run/seed.hpp"

using namespace rewrite_test;

namespace {

double evaluate(side const& s, std::vector<double> const& x) {
  std::vector<value> inputs;
  for (double v : x) inputs.push_back(value::scalar(v));
  return interpreter(s.g, inputs)[s.g.results()[0]].data[0];
}

bool guard_holds(kt::rewrite::rule_record const& rule, std::vector<double> const& x) {
  if (!rule.has_guard) return true;
  kt::graph g;
  kt::match m;
  m.of = &g;
  for (std::size_t i = 0; i < x.size(); ++i) m.bound[i] = g.literal(x[i], kt::element::float64);
  return rule.guard(m);
}

/// How the sides differ, or "". The right side may be finite where the left one is not; where the left one is finite it has to agree.
std::string difference(kt::rewrite::rule_record const& rule, side const& left, side const& right, std::vector<double> x) {
  x.resize(static_cast<std::size_t>(std::max(left.count, right.count)), 1);
  if (!guard_holds(rule, x)) return "";
  double const l = evaluate(left, x), r = evaluate(right, x);
  bool const saved = rule.book == "stabilize" || !std::isfinite(l);
  if (std::isnan(l) || (std::isinf(l) && saved && !std::isnan(r))) return "";
  // What cancels on the left has lost digits relative to its operands.
  double size = 1;
  for (double v : x) size = std::max(size, std::abs(v));
  bool const agree = std::isfinite(l) ? std::abs(l - r) <= 1e-9 * size + 1e-6 * std::abs(l) : rule.real || l == r;
  if (agree) return "";
  std::string text = std::string(rule.name) + " at";
  for (double v : x) text += " " + std::to_string(v);
  return text + ": " + std::to_string(l) + " becomes " + std::to_string(r);
}

/// Rules of the stabilizing book that do not hold in the limit; the others give it where the left side overflows.
constexpr std::string_view without_limits[] = {"log_expm1", "log_of_difference", "softplus_minus", "log_cosh", "logit", "logit_of_difference",
                                               "sigmoid_of_difference", "expm1_quotient", "exp_over_expm1", "tanh_of_exponentials",
                                               "tanh_quotient"};

/// The differences of all rules of a book on random and extreme numbers, one for each rule.
std::vector<std::string> differences(kt::rewrite::book_view const& book, std::mt19937& random) {
  std::uniform_real_distribution<double> wide(-4, 4), unit(0.01, 0.99), positive(0.1, 6);
  std::uniform_int_distribution<int> power(-3, 3);
  double const extremes[] = {0, -0.0, 1, -1, 0.5, 1e-9, -1e-9, 40, -40, 700, -700, 800, -800, INFINITY, -INFINITY, NAN};
  std::vector<std::string> found;
  for (auto const& rule : book.rules) {
    if (rule.has_build) continue;
    kt::rewrite::pattern const sides = book.as_written(rule);
    side const left(sides, sides.left), right(sides, sides.right);
    if (left.is_typed) continue;  // of matrices and complex numbers: linalg_rules.cpp, complex_rules.cpp
    std::string first;
    auto check = [&](std::vector<double> const& x) {
      if (first.empty()) first = difference(rule, left, right, x);
    };
    for (int round = 0; round < 40; ++round) {
      std::vector<double> a, b, c, d;
      for (int i = 0; i < left.count; ++i) {
        a.push_back(wide(random));
        b.push_back(unit(random));
        c.push_back(positive(random));
        d.push_back(i == 0 ? wide(random) : power(random));
      }
      for (auto const& x : {a, b, c, d}) check(x);
    }
    bool const limited = std::find(std::begin(without_limits), std::end(without_limits), rule.name) != std::end(without_limits);
    if (!rule.real || (rule.book == "stabilize" && !limited))
      for (double x : extremes)
        for (double y : extremes) check({x, y, 1.5});
    if (!first.empty()) found.push_back(first);
  }
  return found;
}

constexpr auto wrong = kt::rules(kt::rule<"right">([](auto a) { return sin(a) * sin(a) >> (1 - cos(a) * cos(a)); }),
                                 kt::rule<"wrong">([](auto a, auto b) { return exp(a) * exp(b) >> exp(a - b); }),
                                 kt::rule<"only_wrong_at_infinity">([](auto a) { return tanh(a) >> (tanh(a) + 0 * a); }));

}  // namespace

TEST_CASE("rules: both sides agree", "[rewrite]") {
  std::mt19937 random = seeded_generator();
  for (auto const& book : kt::functions::books()) CHECK(differences(book, random) == std::vector<std::string>{});
}
TEST_CASE("rules: a wrong one is found, and named", "[rewrite]") {
  std::mt19937 random(1);
  auto const found = differences(wrong, random);
  REQUIRE(found.size() == 2);
  CHECK(found[0].find("wrong at ") == 0);
  CHECK(found[1].find("only_wrong_at_infinity at inf") == 0);
}

namespace {

std::set<std::string> fired(kt::graph const& g, bool ieee = false) {
  kt::rewrite::rewrite_log log;
  kt::rewrite::rewrite_options options;
  options.log = &log;
  options.ieee = ieee;
  kt::rewrite::optimize(g, kt::stage::specialize, options);
  std::set<std::string> names;
  for (auto name : log) names.insert(std::string(name));
  return names;
}

}  // namespace

TEST_CASE("rules: every rule fires", "[rewrite]") {
  std::set<std::string> all;
  for (auto const& book : kt::functions::books())
    for (auto const& rule : book.rules) {
      if (rule.has_build) continue;
      kt::rewrite::pattern const sides = book.as_written(rule);
      kt::graph const g = side(sides, sides.left).g;
      all.merge(fired(g));
      all.merge(fired(g, true));
    }
  for (auto const& e : rule_expressions()) {
    kt::graph g;
    kt::term const a{&g, g.input(e.type, 0)}, b{&g, g.input(e.type, 1)}, c{&g, g.input(e.type, 2)};
    g.results().push_back(e.record(a, b, c).id);
    kt::ops::collect_constraints(g);
    all.merge(fired(g));
  }
  for (auto const& e : kt::catalogue()) {
    CAPTURE(e.name);
    CHECK(all.count(std::string(e.name)) == 1);
  }
}

TEST_CASE("rules: every id of the catalogue stands in one place", "[rewrite]") {
  std::map<std::string, int> const sections{{"C", 88}, {"T", 21}, {"S", 17}, {"U", 4}, {"B", 11}, {"I", 8}, {"G", 9},
                                            {"F", 8},  {"N", 16}, {"K", 3},  {"Q", 4}, {"L", 9},  {"Z", 7}};
  auto const entries = kt::catalogue();
  for (auto const& [letter, count] : sections)
    for (int i = 1; i <= count; ++i) {
      std::string const id = letter + std::to_string(i);
      bool rule = false, pass = false, exception = false;
      for (auto const& e : entries) rule = rule || e.has(id);
      for (auto const& p : kt::passes()) pass = pass || kt::rewrite::lists(p.ids, id);
      for (auto const& e : kt::functions::exceptions) exception = exception || kt::rewrite::lists(e.ids, id);
      CAPTURE(id);
      CHECK(rule + pass + exception == 1);
    }
}

TEST_CASE("rules: names are unique, and known", "[rewrite]") {
  std::set<std::string> names;
  for (auto const& e : kt::catalogue()) {
    CAPTURE(e.name);
    CHECK(names.insert(std::string(e.name)).second);
    CHECK(kt::is_known_rewrite(e.name));
    CHECK(kt::is_known_rewrite(e.book));
  }
  for (auto const& p : kt::passes()) CHECK((kt::is_known_rewrite(p.name) && kt::can_be_left_out(p.name) == p.optional));
  CHECK_FALSE(kt::is_known_rewrite("no such rule"));
}
