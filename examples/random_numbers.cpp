// The programs of docs/random.md, in their order; each checks what the page says.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void check(bool holds, char const* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) std::exit(1);
}

void streams() {
  // cut: dropout
  kt::philox_streams stream(42);
  auto dropout = kt::function(
      [](kt::dmatrix x, kt::rng r) {
        auto keep = r.uniform(x.shape(0), x.shape(1)) < 0.8;
        return where(keep, x / 0.8, 0.0);
      },
      stream);
  matrix x = xt::ones<double>({100, 50});
  matrix first = dropout(x), second = dropout(x);  // other elements are dropped
  // end cut
  check(first != second, "dropout");
  double const share = xt::sum(first)() / 5000;
  check(std::abs(share - 1) < 0.05, "the mean is kept");

  // cut: numpy
  kt::random_streams numpy(42);  // numpy.random.RandomState(42)
  auto draws = kt::function([](kt::rng r) { return std::tuple{r.uniform(2), r.normal(3)}; }, numpy);
  auto [u, z] = draws();  // random_sample(2), normal(size=3)
  // end cut
  check(u == vector{0.3745401188473625, 0.9507143064099162} &&
            std::abs(z(0) - 1.2790043577105656) < 2,
        "NumPy");

  // cut: order
  // Braces: C++ evaluates what stands between them from left to right.
  auto ordered = [](kt::rng r) { return std::tuple{r.uniform(3), r.normal(3)}; };
  // Or one after the other.
  auto named = [](kt::rng r) {
    auto a = r.uniform(3);
    auto b = r.normal(3);
    return std::tuple(a, b);
  };
  // end cut
  kt::philox_streams one(1), other(1);
  check(kt::function(ordered, one)() == kt::function(named, other)(), "order");
}

void states() {
  // cut: states
  kt::philox_streams stream(7);
  auto draw = kt::function([](kt::rng r) { return r.normal(4); }, stream);
  auto state = stream.get_state();  // a vector of uint32, for kt::save
  vector a = draw(), b = draw();
  stream.set_state(state);
  vector again = draw();  // a
  stream.seed(7);         // as at the beginning
  // end cut
  check(a == again && a != b, "states");
  check(draw() == a, "seed");
}

void distributions() {
  kt::philox_streams stream(3);
  // cut: parameters
  auto f = kt::function(
      [](kt::dvector mean, kt::dvector p, kt::rng r) {
        auto n = mean.shape(0);
        return std::tuple{r.normal(mean, 0.1),                  // as many as there are means
                          r.normal(mean, 0.1, kt::size(5, n)),  // five rows of them
                          r.poisson(3.0, kt::size(n)),          // int64
                          r.uniform<float>(n, 2),               // extents alone
                          r.choice(3, kt::size(4), p),          // four of 0, 1, 2 with weights p
                          r.choice(3, kt::size(2), kt::replace<false>),
                          r.permutation(n)};
      },
      stream);
  // end cut
  auto [one, five, counts, floats, chosen, distinct, order] =
      f(vector{1, 2, 3}, vector{0.2, 0.3, 0.5});
  check(one.size() == 3 && five.shape()[0] == 5 && floats.shape()[1] == 2 &&
            distinct(0) != distinct(1),
        "parameters");
  check(counts.size() == 3 && chosen.size() == 4 && order(0) + order(1) + order(2) == 3,
        "counts and positions");
}

void gradients() {
  kt::philox_streams stream(5);
  // cut: gradients
  // The mean of exp(z) over normal z, and its derivatives by their mean and deviation, from 100,000
  // samples.
  auto f = kt::function(
      [](kt::dscalar mu, kt::dscalar sigma, kt::rng r) {
        auto estimate = mean(exp(r.normal(mu, sigma, kt::size(100000))));
        return std::tuple(estimate, grad(estimate, mu), grad(estimate, sigma));
      },
      stream);
  auto [value, by_mu, by_sigma] = f(0.0, 0.5);
  double exact = std::exp(0.125);  // exp(mu + sigma^2 / 2); by mu the same, by sigma half of it
  // end cut
  check(std::abs(value - exact) < 0.01 && std::abs(by_mu - exact) < 0.01 &&
            std::abs(by_sigma - exact / 2) < 0.02,
        "gradients");
}

void loops() {
  kt::philox_streams stream(6);
  // cut: loops
  // Random walks: in each step a number for each walk.
  auto walks = kt::function(
      [](kt::dvector starts, kt::lscalar steps, kt::rng r) {
        auto step = [=](kt::dvector at) { return at + r.normal(starts.shape(0)); };
        return scan(step, kt::outputs_info(starts), kt::n_steps(steps))(-1);
      },
      stream);
  // A map has numbers of its own for each slice.
  auto noisy = kt::function(
      [](kt::dmatrix x, kt::rng r) {
        return kt::vmap([=](kt::dvector row) { return row + r.normal(); })(x);
      },
      stream);
  // end cut
  vector const ends = walks(vector(xt::zeros<double>({4000})), 25);
  double square = 0;
  for (double e : ends) square += e * e / 4000;
  check(std::abs(square - 25) < 3, "walks");
  matrix const rows = noisy(matrix(xt::zeros<double>({2, 3})));
  check(rows(0, 0) == rows(0, 2) && rows(0, 0) != rows(1, 0), "slices");
}

int main() {
  streams();
  states();
  distributions();
  gradients();
  loops();
}
