// Every rule where its operands are products, sums and powers: it fires as it does for variables,
// and what comes of it has the same values.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

#include "run/rule_expressions.hpp"
#include "run/rule_sides.hpp"

using namespace rewrite_test;

namespace {

enum class shape { product, sum, power };
constexpr shape shapes[] = {shape::product, shape::sum, shape::power};
char const* name_of(shape s) {
  return s == shape::product ? "product" : s == shape::sum ? "sum" : "power";
}

/// An operand of one of these shapes.
kt::term operand(shape s, kt::term x, kt::term y) {
  bool const logic = kt::core::is_bool(x.of->type(x.id).element);
  if (s == shape::power) return logic ? kt::term(x ^ y) : kt::term(sqr(x));
  if (s == shape::product) return logic ? kt::term(x & y) : kt::term(x * y);
  return logic ? kt::term(x | y) : kt::term(x + y);
}

using names = std::set<std::string>;

kt::graph optimized(kt::graph const& g, names& fired, bool ieee) {
  kt::rewrite::rewrite_log log;
  kt::rewrite::rewrite_options options;
  options.log = &log;
  options.ieee = ieee;
  kt::graph form = kt::functions::prepare(g, kt::stage::specialize, options);
  for (auto name : log) fired.insert(std::string(name));
  return form;
}

/// The left side of a rule with operands of a shape.
kt::graph with_operands(kt::rewrite::pattern const& sides, shape s) {
  side const plain(sides, sides.left);
  kt::graph g;
  std::vector<kt::term> x;
  for (int i = 0; i < 2 * plain.count; ++i)
    x.push_back({&g, g.input(plain.g.type(plain.g.parameters()[i / 2]), i)});
  std::vector<int> image(static_cast<std::size_t>(plain.g.size()), -1);
  for (int id = 0; id < plain.g.size(); ++id) {
    auto& to = image[static_cast<std::size_t>(id)];
    if (plain.g.is<kt::op::input>(id)) {
      auto const k = 2 * static_cast<std::size_t>(plain.g.attribute(id, 0));
      to = operand(s, x[k], x[k + 1]).id;
    } else if (plain.g.is_literal(id)) {
      to = g.literal_of_bits(plain.g.literal_bits(id), plain.g.type(id).element);
    } else {
      std::vector<int> inputs;
      for (int i : plain.g.inputs(id)) inputs.push_back(image[static_cast<std::size_t>(i)]);
      to = g.apply(plain.g[id].op, inputs, plain.g.attributes(id));
    }
  }
  g.results().push_back(image[static_cast<std::size_t>(plain.g.results()[0])]);
  return g;
}

bool agree(double x, double y) {
  return !std::isfinite(x) || std::abs(x - y) <= 1e-7 * (1 + std::abs(x));
}

using kt::runtime::array;

array values(kt::graph g, std::vector<array> const& with) {
  kt::runtime::function<std::vector<array>> const f(
      std::make_shared<kt::runtime::program>(std::move(g), kt::runtime::builtin_kernels()));
  std::vector<array const*> list;
  for (array const& a : with) list.push_back(&a);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  return result[0];
}

/// Numbers between 0.2 and 0.9, none of them twice in a row or column.
std::vector<array> arguments(kt::tensor_type type, int count) {
  std::vector<array> result;
  for (int k = 0; k < count; ++k) {
    std::vector<std::size_t> extents;
    for (int d = 0; d < type.rank; ++d) extents.push_back(type.broadcasts(d) ? 1u : 4u);
    array x(kt::element::float64, extents);
    for (std::size_t i = 0; i < x.size(); ++i)
      x.data<double>()[i] =
          0.2 + 0.7 * static_cast<double>((7 * i + 5 * static_cast<std::size_t>(k) + 3) % 16) / 16 +
          (i % 5 == 0 ? 0.1 : 0);
    result.push_back(std::move(x));
  }
  return result;
}

/// What is left of a rule that has no place for such an operand, and why.
struct exception {
  std::string_view rule, shape, reason;
};
constexpr exception exceptions[] = {
    {"sgn_times_abs", "power", "the absolute value of a square is the square"},
    {"exp_log", "power", "the logarithm of a square is a multiple of one: exp_of_multiple"},
    {"expm1_log", "power", "as exp_log: expm1_of_multiple"},
    {"softplus_log", "power",
     "the logarithm of a square is a multiple of one, and the square may overflow"},
    {"log1mexp_log", "power", "as softplus_log"},
    {"logit_of_difference", "power",
     "the logarithm of a square is a multiple of one: logit_of_terms"},
    {"log_of_even_power", "product", "the square of a product is the product of the squares"},
    {"inverse_tanh", "power", "the logarithm of 1 + x^2, which is positive, is a term of its own"},
    {"difference_of_x_log_x", "power", "the logarithm of a square is a multiple of one"},
    {"det_of_transpose", "any", "the transpose of an expression is that of its operands"},
    {"det_of_conjugate", "any", "the conjugate of an expression is that of its operands"},
    {"multiple_of_transform", "sum", "a multiple of a sum is a sum of multiples"},
    {"join_of_functions", "product", "two tensors would be joined in place of one"},
    {"join_of_functions", "sum", "two tensors would be joined in place of one"},
    {"direction_times_conjugate", "any", "the conjugate of an expression is that of its operands"},
};
bool is_exception(std::string_view rule, shape s) {
  return std::any_of(std::begin(exceptions), std::end(exceptions), [&](exception const& e) {
    return e.rule == rule && (e.shape == name_of(s) || e.shape == "any");
  });
}

}  // namespace

TEST_CASE("rules: every one fires where its operands are products, sums and powers", "[rewrite]") {
  std::vector<std::string> missing, idle;
  for (shape s : shapes) {
    names fired;
    for (auto const& book : kt::functions::books())
      for (auto const& rule : book.rules) {
        if (rule.has_build) continue;
        kt::graph const g = with_operands(book.as_written(rule), s);
        for (bool ieee : {false, true}) (void)optimized(g, fired, ieee);
      }
    for (auto const& e : rule_expressions()) {
      kt::graph g;
      std::vector<kt::term> x;
      for (int i = 0; i < 6; ++i) x.push_back({&g, g.input(e.type, i)});
      g.results().push_back(
          e.record(operand(s, x[0], x[1]), operand(s, x[2], x[3]), operand(s, x[4], x[5])).id);
      kt::ops::collect_constraints(g);
      for (bool ieee : {false, true}) (void)optimized(g, fired, ieee);
    }
    for (auto const& e : kt::catalogue()) {
      bool const fires = fired.count(std::string(e.name)) == 1;
      if (!fires && !is_exception(e.name, s))
        missing.push_back(std::string(e.name) + " of a " + name_of(s));
      if (fires && is_exception(e.name, s))
        idle.push_back(std::string(e.name) + " of a " + name_of(s));
    }
  }
  CHECK(missing == std::vector<std::string>{});
  CHECK(idle == std::vector<std::string>{});
}

TEST_CASE("rules: every one keeps the values of products, sums and powers", "[rewrite]") {
  std::vector<std::string> found;
  int compared = 0;
  auto compare = [&](kt::graph const& g, std::string const& text, kt::tensor_type type, int count) {
    names fired;
    auto const with = arguments(type, count);
    array want;
    try {
      want = values(kt::functions::prepare(g, kt::stage::as_written, {}), with);
    } catch (std::exception const&) {
      return;  // no factors of these numbers, or an index that is too large for them
    }
    ++compared;
    for (bool ieee : {false, true}) {
      array const have = values(optimized(g, fired, ieee), with);
      if (have.shape() != want.shape()) found.push_back(text + ": another shape");
      else if (want.element_type() == kt::element::float64)
        for (std::size_t i = 0; i < want.size(); ++i) {
          double const x = want.data<double>()[i], y = have.data<double>()[i];
          if (agree(x, y)) continue;
          found.push_back(text + ": " + std::to_string(x) + " becomes " + std::to_string(y));
          break;
        }
    }
  };
  for (shape s : shapes) {
    for (auto const& book : kt::functions::books())
      for (auto const& rule : book.rules) {
        if (rule.has_build) continue;
        kt::rewrite::pattern const sides = book.as_written(rule);
        side const left(sides, sides.left);
        if (left.is_typed) continue;
        compare(with_operands(sides, s), std::string(rule.name) + " of a " + name_of(s),
                {kt::element::float64, 0, 0}, 2 * left.count);
      }
    for (auto const& e : rule_expressions()) {
      if (e.type.element != kt::element::float64) continue;
      kt::graph g;
      std::vector<kt::term> x;
      for (int i = 0; i < 6; ++i) x.push_back({&g, g.input(e.type, i)});
      g.results().push_back(
          e.record(operand(s, x[0], x[1]), operand(s, x[2], x[3]), operand(s, x[4], x[5])).id);
      kt::ops::collect_constraints(g);
      CAPTURE(e.text, name_of(s));
      compare(g, std::string(e.text) + " of a " + name_of(s), e.type, 6);
    }
  }
  CHECK(found == std::vector<std::string>{});
  CHECK(compared > 300);
}
