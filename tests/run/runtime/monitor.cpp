// kt::mode::monitor: callables that see every step of a function.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;

namespace {

std::vector<std::string> seen;
double last_of_first_operand = 0;
int nan_steps = 0, deepest = 0;

constexpr auto before = [](kt::monitored_step const& step) {
  seen.push_back("> " + step.what());
  CHECK(step.operand_count() > 0);
  kt::runtime::array const a = step.operand(0);
  if (a.size() > 0 && a.element_type() == kt::element::float64) last_of_first_operand = a.data<double>()[a.size() - 1];
};
constexpr auto after = [](kt::monitored_step const& step) {
  seen.push_back("< " + step.what());
  nan_steps += step.has_nan();
  deepest = std::max(deepest, step.depth());
  CHECK_THROWS_AS(step.operand(step.operand_count()), kt::value_error);
  CHECK_THROWS_AS(step.result(-1), kt::value_error);
};
constexpr auto forget = [] {
  seen.clear();
  nan_steps = deepest = 0;
};

}  // namespace

TEST_CASE("two callables see every step of a function") {
  auto const step = [](kt::dmatrix x, kt::dmatrix y, kt::dvector w) {
    return std::tuple(dot(x, y) + 1, sum(log(w)));
  };
  auto f = kt::function(step, kt::mode::monitor(before, after));
  auto const plain = kt::function(step);
  xt::xtensor<double, 2> const x{{1, 2}, {3, 4}}, y{{1, 0}, {2, 1}};
  xt::xtensor<double, 1> const w{1, 2, 3};
  forget();
  auto const [p, s] = f(x, y, w);
  auto const [q, t] = plain(x, y, w);
  CHECK(p == q);
  CHECK(s == Approx(t));
  REQUIRE(seen.size() >= 4);
  CHECK(seen.size() % 2 == 0);
  bool has_product = false, has_logarithm = false;
  for (std::size_t k = 0; k < seen.size(); k += 2) {
    CHECK(seen[k].substr(0, 2) == "> ");
    CHECK(seen[k + 1] == "< " + seen[k].substr(2));
    has_product = has_product || seen[k].find("dot") != std::string::npos || seen[k].find("gemm") != std::string::npos;
    has_logarithm = has_logarithm || seen[k].find("log") != std::string::npos;
  }
  CHECK(has_product);
  CHECK(has_logarithm);
  CHECK(nan_steps == 0);
  CHECK(deepest == 0);
  forget();
  f(x, y, xt::xtensor<double, 1>{1, -1});
  CHECK(nan_steps == 1);

  // Copies see their own frames.
  auto g = f;
  forget();
  g(x, y, w);
  CHECK(seen.size() >= 4);
}
TEST_CASE("what a monitor sees are the operands and results") {
  static double sum_seen = 0;
  auto f = kt::function([](kt::dvector x) { return sum(x * x); },
                        kt::mode::monitor([](kt::monitored_step const&) {}, [](kt::monitored_step const& s) {
                          CHECK(s.number() == 0);
                          REQUIRE(s.result_count() == 1);
                          sum_seen = s.result(0).data<double>()[0];
                        }, kt::mode::ieee));
  CHECK(f(xt::xtensor<double, 1>{1, 2, 3}) == 14);
  CHECK(sum_seen == 14);
  auto g = kt::function([](kt::dvector x) { return x + 1; }, kt::mode::monitor(before, after));
  g(xt::xtensor<double, 1>{1, 2, 7});
  CHECK(last_of_first_operand == 7);
}
TEST_CASE("monitors see the steps of loops, of branches that are taken, and of updates") {
  auto f = kt::function([](kt::dmatrix h, kt::dmatrix w) {
    auto y = scan([](auto h, auto w) { return tanh(dot(h, w)); }, kt::n_steps(30), kt::outputs_info(h), kt::non_sequences(w));
    return y(-1);
  }, kt::mode::monitor(before, after));
  forget();
  xt::xtensor<double, 2> const h = xt::ones<double>({40, 30}), w = xt::ones<double>({30, 30}) * 0.01;
  f(h, w);
  CHECK(deepest == 1);
  CHECK(seen.size() >= 14);

  auto branches = kt::function([](kt::dscalar c, kt::dmatrix x) { return ifelse(c > 0, dot(x, x), dot(x, x.T())); },
                               kt::mode::monitor(before, after));
  forget();
  branches(1, w);
  auto const products = [] {
    return std::count_if(seen.begin(), seen.end(), [](std::string const& s) { return s.find("> dot") == 0; });
  };
  CHECK(products() == 1);

  kt::shared<double, 1> state(xt::xtensor<double, 1>{1, 2});
  auto update = kt::function([](kt::dvector x, kt::dvector s) {
    return kt::outputs(sum(exp(x))).update(s, s + x);
  }, state, kt::mode::monitor(before, after));
  forget();
  update(xt::xtensor<double, 1>{1, 1});
  CHECK(!seen.empty());
  CHECK((state.get_value() == xt::xtensor<double, 1>{2, 3}));
}
TEST_CASE("a monitor that throws leaves the arguments that a call was given") {
  auto const stop = [](kt::monitored_step const& step) {
    if (step.has_nan()) throw kt::value_error("a NaN");
  };
  auto const nothing = [](kt::monitored_step const&) {};
  auto const f = kt::function([](kt::dvector x) { return log(x) + 1; }, kt::mode::monitor(nothing, stop));
  xt::xtensor<double, 1> x{1, -1};
  CHECK_THROWS_AS(x = f(std::move(x)), kt::value_error);
  CHECK((x == xt::xtensor<double, 1>{1, -1}));
  CHECK_THROWS_AS(f.into(x, x), kt::value_error);
  CHECK((x == xt::xtensor<double, 1>{1, -1}));
}

TEST_CASE("a monitored mode without a rule is monitored") {
  auto const f = [](kt::dvector x) { return log(1 + x); };
  constexpr auto mode = kt::mode::monitor(before, after);
  auto with_rule = kt::function(f, mode);
  auto without = kt::function(f, mode.excluding<"log1p">());
  forget();
  with_rule(xt::xtensor<double, 1>{1, 2});
  REQUIRE(seen.size() == 2);
  CHECK(seen[1] == "< log1p");
  forget();
  without(xt::xtensor<double, 1>{1, 2});
  REQUIRE(seen.size() == 2);
  CHECK(seen[1] == "< add log");
}
TEST_CASE("what the page of modes shows") {
  static std::string said;
  auto f = kt::function([](kt::dvector x) { return sum(log(x) * x); },
                        kt::mode::monitor([](kt::monitored_step const&) {},
                                          [](kt::monitored_step const& step) {
                                            if (step.has_nan()) said += step.what() + " has made NaN";
                                          }));
  f(xt::xtensor<double, 1>{1.0, -1.0});
  CHECK(said == "log mul sum{0} has made NaN");
}
TEST_CASE("monitors see the steps of run-time graphs") {
  kt::runtime::graph g;
  auto const x = g.input<kt::dvector>("x");
  auto f = g.function({x}, sum(log(x)), kt::mode::monitor(before, after));
  forget();
  CHECK(f(xt::xtensor<double, 1>{1, 1}) == 0);
  CHECK(seen.size() == 2);
  auto copy = f;
  copy(xt::xtensor<double, 1>{-1});
  CHECK(nan_steps == 1);
  f = copy;
  f(xt::xtensor<double, 1>{-1});
  CHECK(nan_steps == 2);
}
