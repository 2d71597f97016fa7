// Sparse Hessians: of a chain, whose pattern is known while the program compiles, and of a grid,
// whose pattern is found by the first call.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/contest.hpp"

#include <kroton/kroton.hpp>

#include <cmath>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

constexpr auto chain = [](kt::dvector x) {
  auto next = x(kt::slice(1, kt::none)), here = x(kt::slice(kt::none, -1));
  return sum(100 * sqr(next - sqr(here)) + sqr(1 - here));
};
constexpr auto grid = [](kt::dmatrix x) {
  auto down = x(kt::slice(1, kt::none)) - x(kt::slice(kt::none, -1)),
       right = x(kt::slice(), kt::slice(1, kt::none)) - x(kt::slice(), kt::slice(kt::none, -1));
  return sum(sqr(sqr(down))) + sum(sqr(sqr(right))) + sum(sqr(x));
};

// Rows of three elements; the first and the last have two.
void chain_values(double const* x, double* v, std::size_t n) {
  *v++ = 1200 * x[0] * x[0] - 400 * x[1] + 2;
  *v++ = -400 * x[0];
  for (std::size_t i = 1; i + 1 < n; ++i, v += 3) {
    v[0] = -400 * x[i - 1];
    v[1] = 1200 * x[i] * x[i] - 400 * x[i + 1] + 202;
    v[2] = -400 * x[i];
  }
  *v++ = -400 * x[n - 2];
  *v++ = 200;
}
void chain_pattern(int* index, int* start, std::size_t n) {
  int k = 0;
  for (std::size_t i = 0; i < n; ++i) {
    start[i] = k;
    int const row = static_cast<int>(i);
    if (i > 0) index[k++] = row - 1;
    index[k++] = row;
    if (i + 1 < n) index[k++] = row + 1;
  }
  start[n] = k;
}
// Rows of three to five elements.
void grid_values(double const* x, double* v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double const here = x[i * n + j];
      double sum = 2;
      auto const other = [&](std::size_t at) {
        double const d = here - x[at], coupling = 12 * d * d;
        sum += coupling;
        return -coupling;
      };
      if (i > 0) *v++ = other((i - 1) * n + j);
      if (j > 0) *v++ = other(i * n + j - 1);
      double* const diagonal = v++;
      if (j + 1 < n) *v++ = other(i * n + j + 1);
      if (i + 1 < n) *v++ = other((i + 1) * n + j);
      *diagonal = sum;
    }
}

void chains(bench::program& p) {
  auto values = kt::function(
      [](kt::dvector x) { return kt::sparse_hessian(chain(x), x).data(); });
  auto whole = kt::function([](kt::dvector x) { return kt::sparse_hessian(chain(x), x); });
  for (std::size_t n : {10'000, 100'000, 1'000'000}) {
    vector x(std::array{n});
    for (std::size_t i = 0; i < n; ++i) x(i) = std::sin(1.3 * static_cast<double>(i));
    auto ours = whole(x), theirs = ours;
    std::vector<int> index(ours.size()), start(n + 1);
    if (bench::contest c(p, "values of the Hessian of a chain", bench::nanoseconds("a row"),
                         std::to_string(n), static_cast<double>(n));
        c) {
      vector v = ours.data();
      c.tolerance(1e-9);
      c.add("Kroton", [&] { values.into(v, x); }, [&] { return v; });
      c.add(
          "by hand", [&] { chain_values(x.data(), theirs.data().data(), n); },
          [&] { return theirs.data(); });
      c.measure();
    }
    if (bench::contest c(p, "values and pattern", bench::nanoseconds("a row"), std::to_string(n),
                         static_cast<double>(n));
        c) {
      c.tolerance(1e-9);
      c.add("Kroton", [&] { whole.into(ours, x); }, [&] { return ours.data(); });
      c.add(
          "by hand",
          [&] {
            chain_values(x.data(), theirs.data().data(), n);
            chain_pattern(index.data(), start.data(), n);
          },
          [&] { return theirs.data(); });
      c.measure();
    }
  }
}

void grids(bench::program& p) {
  auto values = kt::function(
      [](kt::dmatrix x) { return kt::sparse_hessian(grid(x), x).data(); });
  for (std::size_t n : {100, 300}) {
    bench::contest c(p, "values of the Hessian of a grid", bench::nanoseconds("a row"),
                     std::to_string(n) + " x " + std::to_string(n), static_cast<double>(n * n));
    if (!c) continue;
    matrix x(std::array{n, n});
    for (std::size_t i = 0; i < n * n; ++i) x.data()[i] = std::sin(1.3 * static_cast<double>(i));
    vector ours = values(x), theirs = ours;
    c.tolerance(1e-9);
    c.add("Kroton", [&] { values.into(ours, x); }, [&] { return ours; });
    c.add("by hand", [&] { grid_values(x.data(), theirs.data(), n); }, [&] { return theirs; });
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("sparse_derivatives", "sparse Hessians", argc, argv);
  chains(p), grids(p);
  return p.finish();
}
