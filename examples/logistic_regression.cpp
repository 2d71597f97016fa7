// Logistic regression: Figures 1 to 4 of the Theano paper as a program, then the same model on real data.
//
//   logistic_regression [--svg FILE] [--graph] [DATA.csv]
//
// The exit code is 0 when at least 95 % of the test examples are classified correctly.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "table.hpp"
#include "terminal.hpp"

#include <chrono>
#include <iostream>
#include <numeric>
#include <random>
#include <sstream>

#ifndef KROTON_EXAMPLE_DATA
#define KROTON_EXAMPLE_DATA "examples/data"
#endif

namespace kt = kroton;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;
using labels = xt::xtensor<std::int64_t, 1>;

// ---- the model (the paper's Figures 1 to 3) ------------------------------------------------------

// The probability that an example belongs to class 1.
constexpr auto probability = [](kt::dmatrix x, kt::dvector w, kt::dscalar b) {
  return 1 / (1 + exp(-dot(x, w) - b));
};

// One step of gradient descent: outputs for the caller, new values for the weights.
constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  kt::named(x, "x"), kt::named(y, "y"), kt::named(w, "w"), kt::named(b, "b");
  auto p_1 = probability(x, w, b);
  auto xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  auto cost = mean(xent) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  auto prediction = p_1 > 0.5;
  return kt::outputs(prediction, xent).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

constexpr auto predict = [](kt::dmatrix x, kt::dvector w, kt::dscalar b) { return probability(x, w, b) > 0.5; };

// Mean and standard deviation of each column (1 where it is constant).
constexpr auto statistics = [](kt::dmatrix x) {
  auto centre = mean(x, kt::axis<0>);
  auto spread = sqrt(mean(sqr(x - centre), kt::axis<0>));
  return std::tuple(centre, where(spread > 0, spread, 1));
};

constexpr auto standardized = [](kt::dmatrix x, kt::dvector centre, kt::dvector spread) { return (x - centre) / spread; };

// ---- Figure 4: ten steps on random data ----------------------------------------------------------

void random_data() {
  example::heading("Figures 1 to 4: random data, 4 examples of 100 features, 10 steps");

  std::mt19937 random(42);
  std::normal_distribution<double> normal;
  matrix x = matrix::from_shape({4, 100});
  vector w0 = vector::from_shape({100});
  for (double& v : x) v = normal(random);
  for (double& v : w0) v = normal(random);
  labels const y{0, 1, 1, 0};

  kt::shared w(w0);
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  auto classify = kt::function(predict, w, b);

  for (int i = 1; i <= 10; ++i) {
    auto const [prediction, xent] = train(x, y);
    std::printf("  step %2d   loss %8.5f   predictions", i, xt::mean(xent)());
    for (bool p : prediction) std::printf(" %d", p);
    std::printf("\n");
  }
  auto const after = classify(x);
  std::printf("\n  classes  ");
  for (auto c : y) std::printf(" %d", static_cast<int>(c));
  std::printf("\n  predicted");
  for (bool p : after) std::printf(" %d", p);
  std::printf("\n  bias %.6f, length of the weights %.6f\n", b.get_value(), std::sqrt(xt::sum(xt::square(w.get_value()))()));
}

// ---- the same model on real data -----------------------------------------------------------------

// The rows of a table that `order` names between `begin` and `end`.
template <class Array>
auto rows(Array const& from, std::vector<std::size_t> const& order, std::size_t begin, std::size_t end) {
  auto shape = from.shape();
  shape[0] = end - begin;
  Array to(shape);
  for (std::size_t i = begin; i < end; ++i) {
    if constexpr (std::is_same_v<Array, matrix>) xt::row(to, static_cast<int>(i - begin)) = xt::row(from, static_cast<int>(order[i]));
    else to(i - begin) = from(order[i]);
  }
  return to;
}

bool real_data(std::string const& path, std::string const& svg) {
  example::heading("The same model on the Wisconsin breast cancer data");

  auto const data = example::read_table(path);
  for (auto const& problem : data.problems) std::fprintf(stderr, "  %s: %s\n", path.c_str(), problem.c_str());
  std::size_t const count = data.x.shape(0);
  if (count < 10) throw std::runtime_error(path + ": fewer than 10 usable lines");

  // A fixed shuffle, so that every run and every machine sees the same split.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (std::size_t i = count - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  std::size_t const split = count * 3 / 4;
  auto x_train = rows(data.x, order, 0, split), x_test = rows(data.x, order, split, count);
  auto const y_train = rows(data.y, order, 0, split), y_test = rows(data.y, order, split, count);
  std::printf("  %zu examples of %zu features: %zu to train, %zu to test\n\n", count, data.x.shape(1), split, count - split);

  // The test data is scaled with the training data's numbers: it must not leak into the training.
  auto const [centre, spread] = kt::function(statistics)(x_train);
  auto scale = kt::function(standardized);
  scale.into(x_train, x_train, centre, spread);
  scale.into(x_test, x_test, centre, spread);

  kt::shared w(vector(xt::zeros<double>({data.x.shape(1)})));
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  auto classify = kt::function(predict, w, b);

  int const steps = 200;
  std::vector<double> loss;
  std::chrono::duration<double, std::micro> spent{};
  for (int i = 1; i <= steps; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    auto const [prediction, xent] = train(x_train, y_train);
    spent += std::chrono::steady_clock::now() - begin;
    loss.push_back(xt::mean(xent)());
    example::progress(i, steps, "loss", loss.back());
  }
  std::printf("\n");
  example::draw(loss, "loss on the training data, step by step");
  std::printf("\n  %.1f microseconds a step\n", spent.count() / steps);
  if (!svg.empty()) {
    example::write_svg(loss, svg, "Logistic regression, Wisconsin breast cancer data", "step");
    std::printf("  the curve as a picture: %s\n", svg.c_str());
  }

  int table[2][2] = {};
  auto const predicted = classify(x_test);
  for (std::size_t i = 0; i < y_test.size(); ++i) ++table[y_test(i)][predicted(i) ? 1 : 0];
  std::printf("\n  on the test data       predicted %9s %9s\n", data.classes[0].c_str(), data.classes[1].c_str());
  for (int c = 0; c < 2; ++c) std::printf("  %30s  %9d %9d\n", data.classes[c].c_str(), table[c][0], table[c][1]);

  double const accuracy = static_cast<double>(table[0][0] + table[1][1]) / static_cast<double>(y_test.size());
  bool const good = accuracy >= 0.95;
  char text[80];
  std::snprintf(text, sizeof text, "accuracy on the test data: %.1f %%", 100 * accuracy);
  std::printf("\n  %s%s\n\n", (good ? example::green(text) : example::red(text)).c_str(), good ? "" : ", expected at least 95 %");
  return good;
}

int main(int argc, char** argv) {
  std::string path = KROTON_EXAMPLE_DATA "/breast_cancer.csv", svg;
  bool graph = false;
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (argument == "--svg" && i + 1 < argc) svg = argv[++i];
    else if (argument == "--graph") graph = true;
    else if (argument.starts_with("-")) {
      std::fprintf(stderr, "usage: logistic_regression [--svg FILE] [--graph] [DATA.csv]\n");
      return 2;
    } else path = argument;
  }
  try {
    example::heading("What the compiler made of a training step");
    std::ostringstream text;
    kt::debugprint(kt::function(step, kt::shared(vector{}), kt::shared(0.0)), text);
    // All of it with --graph; else from the optimized graph on.
    std::string const all = text.str();
    std::cout << (graph ? all : all.substr(std::min(all.find("optimized\n"), all.size())));
    random_data();
    return real_data(path, svg) ? 0 : 1;
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
}
