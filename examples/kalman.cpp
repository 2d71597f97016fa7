// A Kalman filter as a loop: the flow of the Nile, and the two variances of its model by gradients of the likelihood.
//
//   kalman
//
// The exit code is 0 when the variances are those of the textbook, 15099 and 1469.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "csv.hpp"
#include "terminal.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>

#ifndef KROTON_EXAMPLE_DATA
#define KROTON_EXAMPLE_DATA "examples/data"
#endif

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;

// cut: filter
// The flow is a level and noise; the level drifts from year to year. A step predicts this year's flow and learns from it.
constexpr auto filter = [](kt::dvector flow, kt::dvector log_variances) {
  auto noise = exp(log_variances(0)), drift = exp(log_variances(1));
  return scan(
      [&](kt::dscalar y, kt::dscalar level, kt::dscalar variance) {
        auto error = y - level;
        auto spread = variance + noise;
        auto gain = variance / spread;
        return std::tuple(level + gain * error, (1 - gain) * variance + drift, log(spread) + sqr(error) / spread);
      },
      kt::sequences(flow(kt::slice(1, kt::none))), kt::outputs_info(flow(0), noise + drift, kt::none));
};

// A step of gradient descent on the negative log likelihood, by the logarithms of the variances, which may have any sign.
constexpr auto fit = [](kt::dvector flow, kt::dvector log_variances) {
  auto [level, variance, terms] = filter(flow, log_variances);
  auto cost = 0.5 * sum(terms + 1.8378770664093453);  // the logarithm of 2 pi
  return kt::outputs(cost).update(log_variances, log_variances - 0.03 * grad(cost, log_variances));
};
// end cut

vector read_flow() {
  example::csv_reader file(KROTON_EXAMPLE_DATA "/nile.csv", ',');
  std::vector<double> flow;
  for (file.next(); file.next();) flow.push_back(std::stod(std::string(file.fields()[1])));
  vector result = vector::from_shape({flow.size()});
  std::copy(flow.begin(), flow.end(), result.begin());
  return result;
}

int main() {
  auto const flow = read_flow();
  example::heading("The Nile at Aswan, 1871 to 1970: a local level, a Kalman filter, its likelihood");

  kt::shared log_variances(vector{std::log(1e4), std::log(1e4)});
  auto train = kt::function(fit, log_variances);
  int const steps = 300;
  std::chrono::duration<double, std::micro> spent{};
  for (int i = 1; i <= steps; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    double const cost = train(flow);
    spent += std::chrono::steady_clock::now() - begin;
    example::progress(i, steps, "log likelihood", -cost);
  }
  std::printf("\n  %.1f microseconds a step\n\n", spent.count() / steps);

  auto const [level, variance, terms] = kt::function(filter, log_variances)(flow);
  example::draw({flow.begin(), flow.end()}, "the flow, in 10^8 cubic metres a year");
  example::draw({level.begin(), level.end()}, "the level, as the filter knows it in each year");

  vector const found = xt::exp(log_variances.get_value());
  bool const good = std::abs(found(0) - 15099) < 1 && std::abs(found(1) - 1469) < 1;
  char text[120];
  std::snprintf(text, sizeof text, "variances: noise %.1f, drift %.1f", found(0), found(1));
  std::printf("\n  %s%s\n\n", (good ? example::green(text) : example::red(text)).c_str(), good ? "" : ", expected 15099 and 1469");
  return good ? 0 : 1;
}
