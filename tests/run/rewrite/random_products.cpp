// Random products, quotients and powers of sums, which cancel in all ways: against long double.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/runtime.hpp>

#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "run/seed.hpp"

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using variable = kt::variable<double, 1>;

namespace {

/// An expression, what it is at one point, and how it is written.
struct formula {
  variable symbol;
  long double value;
  std::string text;
};

class random_formulas {
 public:
  explicit random_formulas(std::mt19937& random) : random_(random) {
    std::uniform_real_distribution<double> number(0.5, 2);
    for (char const* name : {"x", "y", "z", "t"}) {
      double const at = number(random_);
      inputs.push_back(graph.input<double, 1>(name));
      arguments.push_back({at});
      add(variable(inputs.back()), at, name);
    }
    for (int k = 0; k < 2; ++k) combine(below(4), below(4), 2 + below(2));
    for (int k = 0; k < 3; ++k) raise(last());
    for (int k = 4 + below(9); k > 0; --k) step();
  }

  formula const& result() const { return all_.back(); }

  kt::runtime::graph graph{};
  std::vector<kt::term> inputs{};
  std::vector<vector> arguments{};

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  int any() { return below(static_cast<int>(all_.size())); }
  int last() { return static_cast<int>(all_.size()) - 1 - below(2); }
  /// Numbers that keep enough digits.
  void add(variable const& symbol, long double value, std::string const& text) {
    if (std::abs(value) > 1e-5L && std::abs(value) < 1e7L && text.size() < 400)
      all_.push_back({symbol, value, text});
  }
  void combine(int i, int k, int op) {
    formula const a = all_[static_cast<std::size_t>(i)], b = all_[static_cast<std::size_t>(k)];
    std::string const text = "(" + a.text + "*/-+"[op] + b.text + ")";
    if (op == 0) add(a.symbol * b.symbol, a.value * b.value, text);
    else if (op == 1) add(a.symbol / b.symbol, a.value / b.value, text);
    else if (op == 2) add(a.symbol - b.symbol, a.value - b.value, text);
    else add(a.symbol + b.symbol, a.value + b.value, text);
  }
  void raise(int i) {
    constexpr std::array powers{2., 3., -1., -2., -3., 0.5, 1.5, -0.5, 4.};
    formula const a = all_[static_cast<std::size_t>(i)];
    double const p = powers[static_cast<std::size_t>(below(9))];
    if (a.value > 0 || p == std::floor(p))
      add(pow(a.symbol, p), std::pow(a.value, static_cast<long double>(p)),
          "pow(" + a.text + "," + std::to_string(p) + ")");
  }
  void scale(int i) {
    constexpr std::array factors{-1., 2., -2., 0.5, -3.};
    formula const a = all_[static_cast<std::size_t>(i)];
    double const c = factors[static_cast<std::size_t>(below(5))];
    std::string const number = std::to_string(c);
    if (below(2) == 0) add(c * a.symbol, c * a.value, "(" + number + "*" + a.text + ")");
    else add(c / a.symbol, c / a.value, "(" + number + "/" + a.text + ")");
  }
  void step() {
    int const a = below(3) > 0 ? last() : any(), kind = below(10);
    if (kind < 3) combine(a, any(), 0);
    else if (kind < 6) combine(a, any(), 1);
    else if (kind < 7) combine(a, any(), 2 + below(2));
    else if (kind < 9) scale(a);
    else raise(a);
  }

  std::mt19937& random_;
  std::vector<formula> all_{};
};

}  // namespace

TEST_CASE("random products are what they are as written", "[rewrite][random]") {
  std::mt19937 random = seeded_generator();
  for (int trial = 0; trial < 8000; ++trial) {
    random_formulas const made(random);
    auto const f = made.graph.function(made.inputs, std::vector<kt::term>{made.result().symbol});
    auto const& a = made.arguments;
    double const got = f(a[0], a[1], a[2], a[3])[0].as<double, 1>()(0);
    long double const right = made.result().value;
    INFO(made.result().text << " is " << right << ", computed as " << got);
    CHECK(std::abs(got - right) <= 1e-6L * std::abs(right) + 1e-7L);
  }
}
