// Rules that are marked for complex numbers: both sides agree on random ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/function/catalogue.hpp>
#include <kroton/runtime.hpp>
#include <random>

#include "run/complex.hpp"
#include "run/seed.hpp"

using namespace complex_tests;

namespace {

/// Adds one side of a rule to a graph whose inputs are its variables.
int build(kt::graph& g, kt::rewrite::pattern const& p, int at) {
  kt::rewrite::pattern_node const& n = p.nodes[at];
  if (n.is == kt::rewrite::pattern_node::kind::variable) return g.parameters()[n.variable];
  if (n.is == kt::rewrite::pattern_node::kind::literal) return g.literal(n.value, kt::element::complex128);
  std::vector<int> inputs;
  for (int i = 0; i < n.input_count; ++i) inputs.push_back(build(g, p, p.input(n, i)));
  return kt::core::record_elementwise(g, n.op, {inputs.data(), n.input_count});
}

/// Whether a side computes element by element. What it says of matrices and assertions holds whatever their elements are.
bool is_elementwise(kt::rewrite::pattern const& p, int at) {
  kt::rewrite::pattern_node const& n = p.nodes[at];
  bool all = n.is != kt::rewrite::pattern_node::kind::application || n.op->elementwise;
  for (int i = 0; all && i < n.input_count; ++i) all = is_elementwise(p, p.input(n, i));
  return all;
}

/// The largest relative difference of the sides at random numbers where the left one is finite; -1 where it never is.
double largest_difference(kt::rewrite::pattern const& sides, std::mt19937& random) {
  int count = 0;
  for (auto const& n : sides.nodes)
    if (n.is == kt::rewrite::pattern_node::kind::variable) count = std::max(count, n.variable + 1);
  kt::graph g;
  for (int i = 0; i < count; ++i) g.input({kt::element::complex128, 0, 0}, i);
  for (int side : {sides.left, sides.right}) g.results().push_back(g.cast(build(g, sides, side), kt::element::complex128));
  auto const program = kt::runtime::make_program(g, kt::stage::as_written, {});
  std::uniform_real_distribution<double> wide(-6, 6);
  double largest = -1;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<kt::runtime::array> inputs, outputs;
    kt::cpu::frame frame(program->tables());
    for (int i = 0; i < count; ++i) inputs.emplace_back(c128(wide(random), wide(random)));
    for (int i = 0; i < count; ++i) frame.bind(i, inputs[static_cast<std::size_t>(i)].ref());
    kt::runtime::run_program(*program, frame, outputs);
    c128 const left = outputs[0].as<c128, 0>(), right = outputs[1].as<c128, 0>();
    if (!std::isfinite(std::abs(left))) continue;
    largest = std::max(largest, std::abs(left - right) / std::max(1.0, std::abs(left)));
  }
  return largest;
}

}  // namespace

TEST_CASE("rules for complex numbers: both sides agree", "[rewrite]") {
  std::mt19937 random = seeded_generator();
  int checked = 0;
  for (auto const& book : kt::functions::books())
    for (auto const& rule : book.rules) {
      if (rule.has_build || !rule.complex) continue;
      if (!is_elementwise(book.as_written(rule), book.as_written(rule).left)) continue;
      CAPTURE(rule.name);
      double const difference = largest_difference(book.as_written(rule), random);
      CHECK((difference >= 0 && difference < 1e-9));
      ++checked;
    }
  CHECK(checked > 15);
}

TEST_CASE("rules for real numbers are wrong for complex ones", "[rewrite]") {
  std::mt19937 random(1);
  int wrong = 0;
  for (auto const& book : kt::functions::books())
    for (auto const& rule : book.rules)
      for (std::string_view name : {"log_exp", "asinh_sinh", "atanh_tanh", "log2_exp2"})
        if (rule.name == name) wrong += !rule.complex && largest_difference(book.as_written(rule), random) > 0.1 ? 1 : 0;
  CHECK(wrong == 4);
}
