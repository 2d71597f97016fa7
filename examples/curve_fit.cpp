// A peak on a sloping background, fitted to 100 points by Newton's method with five parameters. The compiler derives the
// gradient and the Hessian from the cost function; the gradient is compared with one derived by hand.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "terminal.hpp"

#include <random>
#include <sstream>

namespace kt = kroton;
constexpr int n = 5;
using vector = std::array<double, n>;
using matrix = std::array<vector, n>;

// ---- the problem ---------------------------------------------------------------------------------

constexpr auto model = [](auto t, auto base, auto slope, auto height, auto centre, auto width) {
  auto u = (t - centre) / width;
  return base + slope * t + height * exp(-u * u);
};

constexpr auto cost = [](auto t, auto y, auto... p) {
  auto residual = model(t, p...) - y;
  return sum(residual * residual);
};

// The cost, its gradient (5 numbers) and its Hessian (25), in one function.
constexpr auto derivatives = [](kt::dvector t, kt::dvector y, auto... p) {
  auto value = cost(t, y, p...);
  return std::tuple(value, grad(value, p...), hessian(value, p...));
};

// The same gradient by hand, in plain numbers.
vector gradient_by_hand(std::vector<double> const& t, std::vector<double> const& y, vector const& p) {
  auto const [base, slope, height, centre, width] = p;
  vector g{};
  for (std::size_t i = 0; i < t.size(); ++i) {
    double const u = (t[i] - centre) / width, peak = std::exp(-u * u);
    double const residual = base + slope * t[i] + height * peak - y[i];
    double const of_model[] = {1, t[i], peak, height * peak * 2 * u / width, height * peak * 2 * u * u / width};
    for (int k = 0; k < n; ++k) g[k] += 2 * residual * of_model[k];
  }
  return g;
}

// ---- Newton's method -----------------------------------------------------------------------------

// Solves a x = b by Cholesky's method; false when a is not positive definite.
bool solve(matrix a, vector b, vector& x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      if (i == j && !(a[i][i] > 0)) return false;
      a[i][j] = i == j ? std::sqrt(a[i][i]) : a[i][j] / a[j][j];
    }
    for (int k = 0; k < i; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) b[i] -= a[k][i] * x[k];
    x[i] = b[i] / a[i][i];
  }
  return true;
}

int main() {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.05);
  vector const truth{1, 0.5, 3, 4, 0.8};
  std::vector<double> t, y;
  for (int i = 0; i < 100; ++i) {
    t.push_back(0.1 * i);
    double const u = (t.back() - truth[3]) / truth[4];
    y.push_back(truth[0] + truth[1] * t.back() + truth[2] * std::exp(-u * u) + noise(random));
  }

  using d = kt::dscalar;
  auto f = kt::function<kt::dvector, kt::dvector, d, d, d, d, d>(derivatives);
  double value = 0;
  vector gradient{};
  matrix hessian{};
  auto evaluate = [&](vector const& p) {
    auto const all = std::apply([&](auto... v) { return f(t, y, v...); }, p);
    auto const flat = std::apply([](auto... v) { return std::array{v...}; }, all);
    value = flat[0];
    for (int i = 0; i < n; ++i) {
      gradient[i] = flat[1 + i];
      for (int j = 0; j < n; ++j) hessian[i][j] = flat[1 + n + n * i + j];
    }
  };

  // Newton's step, with a multiple of the diagonal added as long as the cost would rise (Levenberg and Marquardt).
  example::heading("Fit of a peak, 5 parameters, 100 points");
  std::ostringstream steps;
  kt::debugprint(f, steps);
  std::string const what = steps.str();
  std::printf("  cost, gradient and Hessian together:%s\n", what.substr(what.rfind("\n", what.size() - 2) + 2).c_str());
  vector p{0.5, 0.3, 2, 3.7, 1};
  double damping = 1e-3, worst = 0;
  evaluate(p);
  std::printf("  step      cost      base     slope    height    centre     width   |gradient - by hand|\n");
  for (int step = 0; step <= 50; ++step) {
    vector const by_hand = gradient_by_hand(t, y, p);
    double difference = 0, length = 0;
    for (int i = 0; i < n; ++i) {
      difference = std::max(difference, std::abs(gradient[i] - by_hand[i]));
      length = std::max(length, std::abs(gradient[i]));
    }
    worst = std::max(worst, difference / std::max(1., length));
    std::printf("  %4d %10.5f", step, value);
    for (double v : p) std::printf(" %9.5f", v);
    std::printf("   %.1e\n", difference);
    if (length < 1e-9) break;

    for (double const before = value; damping < 1e12;) {
      matrix damped = hessian;
      for (int i = 0; i < n; ++i) damped[i][i] += damping * std::max(std::abs(hessian[i][i]), 1e-6);
      vector delta{}, next = p;
      bool better = solve(damped, gradient, delta);
      if (better) {
        for (int i = 0; i < n; ++i) next[i] -= delta[i];
        evaluate(next);
        better = value <= before;
      }
      if (better) {
        p = next;
        damping *= 0.1;
        break;
      }
      evaluate(p);
      damping *= 10;
    }
  }

  double off = 0;
  for (int i = 0; i < n; ++i) off = std::max(off, std::abs(p[i] - truth[i]));
  bool const good = off < 0.1 && worst < 1e-12;
  std::printf("\n  %s: the parameters are within %.3f of the true ones, the gradients agree to %.0e\n\n",
              good ? example::green("good").c_str() : example::red("bad").c_str(), off, worst);
  return good ? 0 : 1;
}
