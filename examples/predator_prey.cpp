// Predators and prey: a differential equation as a loop, and its parameters from noisy observations, by gradients through the
// loop.
//
//   predator_prey
//
// The exit code is 0 when every parameter is found within 5 %, and when derivatives far ahead agree: by steps of any length, which
// a loop that stops takes, by a million steps with checkpoints, in reverse and in forward mode.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "terminal.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

namespace kt = kroton;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;

// ---- the model -----------------------------------------------------------------------------------

// cut: model
// Prey multiply and are eaten; predators multiply by what they eat, and die. (Lotka and Volterra)
constexpr auto rates = [](auto prey, auto predators, auto const& p) {
  auto eaten = prey * predators;
  return std::pair(p(0) * prey - p(1) * eaten, p(2) * eaten - p(3) * predators);
};

// Both populations after a time h, by the method of Runge and Kutta.
constexpr auto advance = [](auto x, auto y, double h, auto const& p) {
  auto [x1, y1] = rates(x, y, p);
  auto [x2, y2] = rates(x + h / 2 * x1, y + h / 2 * y1, p);
  auto [x3, y3] = rates(x + h / 2 * x2, y + h / 2 * y2, p);
  auto [x4, y4] = rates(x + h * x3, y + h * y3, p);
  return std::pair(x + h / 6 * (x1 + 2 * x2 + 2 * x3 + x4), y + h / 6 * (y1 + 2 * y2 + 2 * y3 + y4));
};

// At times 0.05, 0.1, 0.15 and so on.
constexpr auto simulate = [](kt::dvector parameters, kt::dvector start, kt::lscalar steps) {
  return scan([&](kt::dscalar x, kt::dscalar y) { return advance(x, y, 0.05, parameters); }, kt::outputs_info(start(0), start(1)),
              kt::n_steps(steps));
};
// end cut

// cut: adaptive
// The prey at a time, by steps as long as an error allows, which the methods of Bogacki and Shampine estimate: how far those of
// third and second order are apart. A step with a larger error is done again with a shorter h. And how many steps it took.
constexpr auto prey_at = [](kt::dvector parameters, kt::dvector start, kt::dscalar end, kt::dscalar allowed) {
  auto [x, y, t, h] = scan(
      [&](kt::dscalar x, kt::dscalar y, kt::dscalar t, kt::dscalar h) {
        auto [x1, y1] = rates(x, y, parameters);
        auto [x2, y2] = rates(x + h / 2 * x1, y + h / 2 * y1, parameters);
        auto [x3, y3] = rates(x + 0.75 * h * x2, y + 0.75 * h * y2, parameters);
        auto new_x = x + h / 9 * (2 * x1 + 3 * x2 + 4 * x3), new_y = y + h / 9 * (2 * y1 + 3 * y2 + 4 * y3);
        auto [x4, y4] = rates(new_x, new_y, parameters);
        auto error = h / 72 * maximum(abs(5 * x1 - 6 * x2 - 8 * x3 + 9 * x4), abs(5 * y1 - 6 * y2 - 8 * y3 + 9 * y4));
        auto good = error <= allowed;
        auto now = where(good, t + h, t);
        auto next = h * clip(0.9 * pow(error / allowed, -1. / 3), 0.2, 5);
        return kt::until(now >= end, where(good, new_x, x), where(good, new_y, y), now, minimum(next, end - now));
      },
      kt::outputs_info(start(0), start(1), 0., 0.01));
  return std::tuple(x(-1), x.shape(0));
};
// end cut

// cut: far
// The same by a million short steps. A gradient stores some 2,000 of their states, and computes the others again.
constexpr auto far_prey = [](kt::dvector parameters, kt::dvector start, kt::lscalar steps) {
  auto [prey, predators] = foldl([&](kt::dscalar x, kt::dscalar y) { return advance(x, y, 3e-5, parameters); },
                                 kt::outputs_info(start(0), start(1)), kt::n_steps(steps), kt::checkpoint);
  return prey;
};
// How it changes with the parameters, in reverse mode, and with their direction v, in forward mode.
constexpr auto far_slopes = [](kt::dvector parameters, kt::dvector start, kt::lscalar steps, kt::dvector v) {
  auto prey = far_prey(parameters, start, steps);
  return std::tuple(prey, grad(prey, parameters), rop(prey, parameters, v));
};
// end cut

constexpr int every = 10;  // steps from one observation to the next

// cut: fit
// How far the simulation is from the observations, as ratios, and a step of Adam on the logarithms of the parameters.
constexpr auto fit = [](kt::dmatrix seen, kt::dvector start, kt::dvector logs, kt::dvector m, kt::dvector v, kt::dscalar count) {
  auto [prey, predators] = simulate(exp(logs), start, every * seen.shape(0));
  auto at = kt::slice(every - 1, kt::none, every);
  auto all = kt::slice();
  auto cost = mean(sqr(log(prey(at) / seen(all, 0))) + sqr(log(predators(at) / seen(all, 1))));

  auto g = grad(cost, logs);
  auto new_m = 0.9 * m + 0.1 * g, new_v = 0.99 * v + 0.01 * sqr(g);
  auto direction = new_m / (1 - pow(0.9, count)) / (sqrt(new_v / (1 - pow(0.99, count))) + 1e-8);
  return kt::outputs(cost).update(logs, logs - 0.02 * direction).update(m, new_m).update(v, new_v).update(count, count + 1);
};
// end cut

// ---- the data ------------------------------------------------------------------------------------

// What was seen of a simulation: both populations, each with an error of some 5 %.
matrix observations(vector const& parameters, vector const& start, std::size_t count) {
  auto const [prey, predators] = kt::function(simulate)(parameters, start, static_cast<std::int64_t>(count) * every);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  matrix seen = matrix::from_shape({count, 2});
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const at = (i + 1) * std::size_t{every} - 1;
    seen(i, 0) = prey(at) * std::exp(0.05 * normal(random));
    seen(i, 1) = predators(at) * std::exp(0.05 * normal(random));
  }
  return seen;
}

// ---- far ahead -----------------------------------------------------------------------------------

// The prey after a long time, and how it changes with the parameters: by few steps and by many, in both modes.
bool look_ahead(vector const& parameters, vector const& start) {
  example::heading("The prey at time 30, and its derivatives by the parameters");
  auto adaptive = kt::function([](kt::dvector p, kt::dvector start, kt::dscalar end, kt::dscalar allowed) {
    auto [prey, steps] = prey_at(p, start, end, allowed);
    return std::tuple(prey, grad(prey, p), steps);
  });
  auto const [few, few_slopes, taken] = adaptive(parameters, start, 30., 1e-7);
  std::printf("  %7lld steps as long as an error of 1e-7 allows: %.6f\n", static_cast<long long>(taken), few);

  std::int64_t const steps = 1'000'000;
  auto slopes = kt::function(far_slopes);
  auto const begin = std::chrono::steady_clock::now();
  auto const [many, reverse, forward] = slopes(parameters, start, steps, vector{1, 2, 3, 4});
  std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;
  std::printf("  %7lld steps with checkpoints:                   %.6f   %.2f seconds\n\n", static_cast<long long>(steps), many,
              spent.count());

  double const along = reverse(0) + 2 * reverse(1) + 3 * reverse(2) + 4 * reverse(3);
  bool good = std::abs(few / many - 1) < 1e-5 && std::abs(along / forward - 1) < 1e-9;
  for (std::size_t i = 0; i < 4; ++i) {
    good = good && std::abs(few_slopes(i) / reverse(i) - 1) < 1e-3;
    std::printf("  %13.5f by few steps, %13.5f by many\n", few_slopes(i), reverse(i));
  }
  std::printf("  %13.8f along a line in reverse mode, %.8f in forward mode\n\n", along, forward);
  return good;
}

int main() {
  vector const truth{1.1, 0.4, 0.1, 0.4}, start{10, 5};
  auto const seen = observations(truth, start, 60);
  example::heading("Predators and prey: 60 noisy observations of three cycles");
  vector const seen_prey = xt::col(seen, 0), seen_predators = xt::col(seen, 1);
  example::draw({seen_prey.begin(), seen_prey.end()}, "prey", 60, 6);
  example::draw({seen_predators.begin(), seen_predators.end()}, "predators", 60, 6);

  kt::shared logs(vector(xt::log(vector{0.8, 0.6, 0.2, 0.6})));
  kt::shared m(vector(xt::zeros<double>({4}))), v(vector(xt::zeros<double>({4})));
  kt::shared count(1.0);
  auto train = kt::function(fit, logs, m, v, count);

  // First the beginning, then more: over several cycles a wrong frequency has no useful gradient.
  example::heading("Its parameters, from a guess: the first 15 observations, then 30, then all");
  std::chrono::duration<double, std::micro> spent{};
  int const steps = 200;
  for (std::size_t rows : {15u, 30u, 60u}) {
    matrix const part = xt::view(seen, xt::range(0, rows));
    for (int i = 1; i <= steps; ++i) {
      auto const begin = std::chrono::steady_clock::now();
      double const cost = train(part, start);
      spent += std::chrono::steady_clock::now() - begin;
      example::progress(i, steps, "mean squared error of logarithms", cost);
    }
    std::printf("\n");
  }
  std::printf("  %.1f microseconds a step\n\n", spent.count() / (3 * steps));

  vector const found = xt::exp(logs.get_value());
  char const* const names[] = {"births of prey", "prey eaten", "births of predators", "deaths of predators"};
  bool good = true;
  for (std::size_t i = 0; i < 4; ++i) {
    bool const is_near = std::abs(found(i) / truth(i) - 1) < 0.05;
    good = good && is_near;
    char text[80];
    std::snprintf(text, sizeof text, "  %-20s %7.4f   in truth %4.1f", names[i], found(i), truth(i));
    std::printf("%s\n", (is_near ? example::green(text) : example::red(text)).c_str());
  }
  std::printf("\n");
  good = look_ahead(truth, start) && good;
  return good ? 0 : 1;
}
