// Minimization with <kroton/minimize.hpp>: a classification, a curve among outliers, a system of
// equations.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>

#include <boost/hana/define_struct.hpp>

#include "terminal.hpp"

#include <random>

namespace kt = kroton;

// cut: cost
// The first parameter is varied, the others are data.
constexpr auto cost = [](kt::dvector w, kt::dmatrix x, kt::dvector y) {
  auto z = dot(x, w);
  return mean(softplus(z) - y * z) + 0.01 * sum(sqr(w));
};
// end cut

// cut: ridge
// The penalty is a parameter, too.
constexpr auto penalized = [](kt::dvector w, kt::dmatrix x, kt::dvector y, kt::dscalar penalty) {
  auto z = dot(x, w);
  return mean(softplus(z) - y * z) + penalty * sum(sqr(w));
};
// end cut

// cut: residuals
struct curve : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(curve, (kt::dscalar, height), (kt::dscalar, rate), (kt::dscalar, base));
};
constexpr auto residuals = [](curve c, kt::dvector t, kt::dvector y) {
  return c.height * exp(-c.rate * t) + c.base - y;
};
// end cut

// cut: equations
constexpr auto equations = [](kt::dvector x) {
  return stack<0>(sqr(x(0)) + sqr(x(1)) - 4, exp(x(0)) + x(1) - 1);
};
// end cut

int main() {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 1);
  xt::xtensor<double, 2> x({200, 2});
  std::vector<double> labels, t, y;
  for (std::size_t i = 0; i < 200; ++i) {
    x(i, 0) = noise(random);
    x(i, 1) = noise(random);
    labels.push_back(x(i, 0) - 2 * x(i, 1) + 0.5 * noise(random) > 0);
    t.push_back(0.05 * static_cast<double>(i));
    y.push_back(3 * std::exp(-0.7 * t.back()) + 1 + 0.02 * noise(random) +
                (i % 10 == 0 ? 4 : 0));  // a tenth are outliers
  }

  example::heading("Logistic regression, 2 weights, 200 points");
  // cut: minimize
  auto found = kt::minimize(cost, {0.0, 0.0}, kt::given(x, labels));
  if (!found) std::cout << found.message() << '\n';
  auto newton =
      kt::minimize(cost, {0.0, 0.0}, kt::given(x, labels), kt::newton{.gradient_tolerance = 1e-10});
  // end cut
  std::printf("  L-BFGS    %8.5f %8.5f  cost %.6f  %2d evaluations\n", found.x(0), found.x(1),
              found.value, found.evaluations);
  std::printf("  Newton    %8.5f %8.5f  cost %.6f  %2d evaluations\n", newton.x(0), newton.x(1),
              newton.value, newton.evaluations);

  // cut: sensitivity
  auto fit = kt::minimize(penalized, {0.0, 0.0}, kt::given(x, labels, 0.01), kt::newton{});
  auto by_penalty = kt::minimizer_sensitivity<3>(penalized, fit.x, kt::given(x, labels, 0.01));
  // How |w|^2 changes with each label and with the penalty.
  xt::xtensor<double, 1> weights = 2 * fit.x;
  auto [by_labels, of_penalty] =
      kt::minimizer_sensitivity<2, 3>(penalized, fit.x, weights, kt::given(x, labels, 0.01));
  // end cut
  std::printf("  by the penalty %8.3f %8.3f\n", by_penalty(0), by_penalty(1));
  bool const agrees = by_labels.size() == 200 &&
                      std::abs(of_penalty - xt::sum(weights * by_penalty)()) <
                          1e-9 * std::abs(of_penalty);

  example::heading("3 exp(-0.7 t) + 1, a tenth of 200 points 4 too high");
  // cut: least squares
  auto start = std::tuple(1.0, 1.0, 0.0);  // a value for each member
  auto plain = kt::least_squares(residuals, start, kt::given(t, y));
  auto robust =
      kt::least_squares(residuals, start, kt::given(t, y), {.loss = kt::loss::cauchy(0.1)});
  auto [height, rate, base] = robust.x;  // kt::values<curve>
  // end cut
  std::printf("  squares   %8.5f %8.5f %8.5f  %2d evaluations\n", kt::get<&curve::height>(plain.x),
              kt::get<&curve::rate>(plain.x), kt::get<&curve::base>(plain.x), plain.evaluations);
  std::printf("  cauchy    %8.5f %8.5f %8.5f  %2d evaluations\n", height, rate, base,
              robust.evaluations);

  example::heading("x^2 + y^2 = 4, exp(x) + y = 1");
  // cut: root
  auto root = kt::root(equations, {1.0, -1.0});
  // end cut
  std::printf("  root      %8.5f %8.5f  largest equation %.0e  %2d evaluations\n\n", root.x(0),
              root.x(1), root.value, root.evaluations);

  bool const good = agrees && found && newton && robust && root &&
                    std::abs(newton.value - found.value) < 1e-9 && std::abs(height - 3) < 0.05 &&
                    std::abs(rate - 0.7) < 0.05 && std::abs(base - 1) < 0.05;
  std::printf("  %s\n", good ? example::green("good").c_str() : example::red("bad").c_str());
  return good ? 0 : 1;
}
