// The step of logistic regression against loops written by hand: time as a ratio, and the same values after 25 steps.
// SPDX-License-Identifier: BSD-3-Clause
//
// Build with -O3 -march=native -lopenblas; run pinned: OPENBLAS_NUM_THREADS=1 taskset -c 1 ./logistic_regression
#include <kroton/kroton.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace kt = kroton;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto p = 1 / (1 + exp(-dot(x, w) - b));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(w * w);
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(p).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

/// The same step as one would write it.
struct plain_model {
  std::size_t rows, columns;
  std::vector<double> w, gradient, p;
  double b = 0;

  plain_model(std::size_t r, std::size_t c) : rows(r), columns(c), w(c), gradient(c), p(r) {}
  void step(double const* x, double const* y) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double gb = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      double const* const row = x + i * columns;
      double z = b;
      for (std::size_t j = 0; j < columns; ++j) z += row[j] * w[j];
      p[i] = 1 / (1 + std::exp(-z));
      double const d = (p[i] - y[i]) / static_cast<double>(rows);
      gb += d;
      for (std::size_t j = 0; j < columns; ++j) gradient[j] += d * row[j];
    }
    for (std::size_t j = 0; j < columns; ++j) w[j] -= 0.1 * (gradient[j] + 0.02 * w[j]);
    b -= 0.1 * gb;
  }
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}
template <class F>
void round(std::vector<double>& to, std::size_t repeat, F f) {
  double const start = now();
  for (std::size_t i = 0; i < repeat; ++i) {
    f();
    asm volatile("" ::: "memory");
  }
  to.push_back((now() - start) / static_cast<double>(repeat));
}

bool compare(std::size_t rows, std::size_t columns) {
  auto x = xt::xtensor<double, 2>::from_shape({rows, columns});
  auto y = xt::xtensor<double, 1>::from_shape({rows}), p = y;
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = std::sin(static_cast<double>(i * i % 10007));
  for (std::size_t i = 0; i < rows; ++i) y(i) = i % 3 == 0;
  kt::shared w(xt::xtensor<double, 1>(xt::zeros<double>({columns})));
  kt::shared b(0.0);
  auto f = kt::function(step, w, b);
  plain_model plain(rows, columns);

  for (int i = 0; i < 25; ++i) {
    f.into(p, x, y);
    plain.step(x.data(), y.data());
  }
  double worst = std::abs(b.get_value() - plain.b);
  auto const weights = w.get_value();
  for (std::size_t j = 0; j < columns; ++j) worst = std::max(worst, std::abs(weights(j) - plain.w[j]));
  for (std::size_t i = 0; i < rows; ++i) worst = std::max(worst, std::abs(p(i) - plain.p[i]));
  bool const same = worst <= 1e-10;  // false for NaN, too

  std::vector<double> ours, loops;
  std::size_t const repeat = std::max<std::size_t>(1, 2'000'000 / (rows * columns));
  for (int i = 0; i < 25; ++i) {
    round(ours, repeat, [&] { f.into(p, x, y); });
    round(loops, repeat, [&] { plain.step(x.data(), y.data()); });
  }
  std::printf("| %zu x %zu | %.2f us | %.2f us | %.2f | %.1e%s |\n", rows, columns, median(ours) * 1e6, median(loops) * 1e6,
              median(ours) / median(loops), worst, same ? "" : " TOO MUCH");
  return same;
}

}  // namespace

int main() {
  std::printf("| step | kroton | by hand | ratio | difference |\n|---|---|---|---|---|\n");
  bool const small = compare(4, 100), large = compare(400, 784);
  return small && large ? 0 : 1;
}
