// What a lambda of terms is for numbers, recorded and run at run time; and that of long double
// beside it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/catalogue.hpp>
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace values {

namespace kt = kroton;

struct valued {
  double value;
  std::set<std::string> rules;  // that applied
};

/// The value of a lambda of terms with options of the optimizer.
template <class F, class... X>
valued value_and_rules(kt::rewrite::rewrite_options options, F f, X... x) {
  kt::graph g;
  int position = 0;
  auto next = [&](double) {
    return kt::term{&g, g.input({kt::element::float64, 0, 0}, position++)};
  };
  std::vector<kt::term> const terms{next(x)...};
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    g.results().push_back(f(terms[I]...).id);
  }(std::index_sequence_for<X...>{});
  kt::rewrite::rewrite_log log;
  options.log = &log;
  auto const program = kt::runtime::make_program(g, kt::stage::specialize, options);
  std::vector<kt::runtime::array> inputs, outputs;
  kt::cpu::frame frame(program->tables());
  (inputs.emplace_back(x), ...);
  for (int i = 0; i < static_cast<int>(sizeof...(X)); ++i)
    frame.bind(i, inputs[static_cast<std::size_t>(i)].ref());
  kt::runtime::run_program(*program, frame, outputs);
  valued result{outputs[0].as<double, 0>(), {}};
  for (std::string_view rule : log) result.rules.emplace(rule);
  return result;
}
template <class F, class... X>
double value_with(kt::rewrite::rewrite_options const& options, F f, X... x) {
  return value_and_rules(options, f, x...).value;
}
/// The value in the default mode.
template <class F, class... X>
double value(F f, X... x) {
  return value_with({}, f, x...);
}
/// The value without one rule or pass.
template <class F, class... X>
double value_without(std::string_view rule, F f, X... x) {
  std::string_view const names[] = {rule};
  kt::rewrite::rewrite_options options;
  options.excluded = {names, 1};
  return value_with(options, f, x...);
}
/// Whether a rule applies to a lambda of terms.
template <class F, class... X>
bool applies(std::string const& rule, F f, X... x) {
  return value_and_rules({}, f, x...).rules.count(rule) == 1;
}

/// A lambda of terms, and of long double.
#define BOTH(...)         \
  [](auto x, auto y) {    \
    using namespace std;  \
    static_cast<void>(x); \
    static_cast<void>(y); \
    return __VA_ARGS__;   \
  }

/// The value of a lambda of terms is that of one of long double.
template <class F, class Exact>
void agrees_with(F f, Exact exact, double x, double y, double error = 1e-13) {
  using wide = long double;
  double const expected = static_cast<double>(exact(static_cast<wide>(x), static_cast<wide>(y)));
  INFO("x = " << x << ", y = " << y);
  CHECK(value(f, x, y) == Approx(expected).epsilon(error).margin(0));
}
template <class F>
void agrees(F f, double x, double y) {
  agrees_with(f, f, x, y);
}

}  // namespace values
