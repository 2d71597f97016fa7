// kt::debugprint(f, kt::why): which rules made what is run.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

#include <sstream>

namespace {

namespace kt = kroton;

template <class F>
std::string why(F const& f) {
  std::ostringstream out;
  kt::debugprint(f, kt::why, out);
  return out.str();
}
bool has(std::string const& text, std::string const& part) {
  CAPTURE(text, part);
  bool const found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("why shows the rules that applied, what they found and what they made") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar y) {
    return std::pair(log(1 + exp(kt::named(x, "x"))), y - sqrt(y * y + 1));
  });
  std::string const text = why(f);
  has(text, "as written\n  log(1 + exp(x))\n  x2 - sqrt(x2 * x2 + 1)\n");
  has(text, "\n  softplus: ");
  has(text, " -> softplus(x)\n");
  has(text, "\n  sum_with_root: ");
  has(text, "optimized\n  softplus(x)\n");
  has(text, "operations\n  as written: 3 sums, 1 products, 0 quotients, 3 other functions\n");
}
TEST_CASE("why shows how the order of a product was chosen") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y, kt::dvector z) { return x / y / z; });
  has(why(f), "orders\n  x1 / x2 / x3: as written, work 8; regrouped 5 and may leave the range\n");
}
TEST_CASE("why shows what the user has named in lines of its own") {
  auto const f = kt::function([](kt::dvector x) {
    auto total = kt::named(sum(tanh(x)), "total");
    return kt::named(log(1 + total), "energy") + sqr(total);
  });
  std::string const text = why(f);
  has(text, "as written\n  total = sum{0}(tanh(x1))\n  energy = log(1 + total)\n  energy + sqr(total)\n");
  has(text, "optimized\n  total = sum{0}(tanh(x1))\n  energy = log1p(total)\n");
}
TEST_CASE("why obeys the mode") {
  auto const f = kt::function([](kt::dscalar x) { return log(1 + exp(x)); },
                              kt::mode::fast_run.excluding<"stabilize">());
  std::string const text = why(f);
  CHECK(text.find("softplus") == std::string::npos);
  has(text, "rules\noptimized\n");
}
TEST_CASE("formulas of deep graphs are cut") {
  kt::graph g;
  kt::term const x{&g, g.input({kt::element::float64, 0, 0}, 0)};
  kt::term sum = x;
  for (int i = 0; i < 100'000; ++i) sum = sum + x;
  std::string const text = kt::printing::formula_of(g, sum.id, g, 60);
  CHECK(text.substr(0, 16) == "... + ... + x1 +");
  CHECK(text.size() == 63);
}
TEST_CASE("why cuts what is long") {
  auto const f = kt::function([](kt::dscalar x) {
    auto v = x;
    for (int i = 0; i < 12; ++i) v = sin(v) + v * v;
    return v;
  });
  std::string const text = why(f);
  CHECK(text.size() < 20'000);
  has(text, "...\n");
}
