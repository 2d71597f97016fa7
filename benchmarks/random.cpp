// Random numbers: arrays of them, and a dropout, against loops by hand in vectors and NumPy's
// Generator.
// SPDX-License-Identifier: BSD-3-Clause
#include "hand/random.hpp"
#include "harness/contest.hpp"
#include "harness/python.hpp"

#include <kroton/kroton.hpp>

#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace kt = kroton;

namespace {

using vec = xt::xtensor<double, 1>;
using batch = xsimd::batch<double>;
constexpr std::uint32_t seed = 42;

constexpr auto uniform = [](kt::dvector x, kt::rng r) { return r.uniform(x.shape(0)); };
constexpr auto normal = [](kt::dvector x, kt::rng r) { return r.normal(x.shape(0)); };
constexpr auto dropout = [](kt::dvector x, kt::rng r) {
  return where(r.uniform(x.shape(0)) < 0.3, 0.0, x);
};

/// What all programs write to, and what they read.
struct arrays {
  explicit arrays(std::size_t n) : x(xt::ones<double>({n})), y(xt::zeros<double>({n})) {}
  vec x, y;
  bench::python python;

  void numpy(bench::contest& c, char const* statement) {
    if (!bench::python::available()) return;
    python.array("x", x);
    python.array("y", y);
    python.run("import numpy as np; g = np.random.default_rng(42)");
    c.add_unchecked("NumPy", python.loop(statement));
  }
};

template <class Run>
void for_sizes(bench::program& p, char const* title, Run run) {
  for (int power = 4; power <= 7; ++power) {
    auto const n = static_cast<std::size_t>(std::pow(10, power));
    bench::contest c(p, title, bench::nanoseconds("an element"), "1e" + std::to_string(power),
                     static_cast<double>(n));
    if (!c) continue;
    arrays all(n);
    c.output(all.y).tolerance(1e-12);
    run(c, all, n);
    c.measure();
  }
}

void uniforms(bench::program& p) {
  for_sizes(p, "uniform, Philox", [](bench::contest& c, arrays& a, std::size_t n) {
    kt::philox_streams s(seed);
    auto f = kt::function(uniform, s);
    double* const y = a.y.data();
    // Every call draws the numbers of the first one.
    c.add("by hand", [=] {
      hand::for_uniform(
          seed, 0, n, [=](std::size_t i, batch u) { u.store_unaligned(y + i); },
          [=](std::size_t i, double u) { y[i] = u; });
    });
    c.add("Kroton", [=, &a]() mutable {
      s.seed(seed);
      f.into(a.y, a.x);
    });
    a.numpy(c, "g.random(out=y)");
    std::mt19937_64 twister(seed);
    c.add_unchecked("std::mt19937_64", [=]() mutable {
      std::uniform_real_distribution<double> u;
      for (std::size_t i = 0; i < n; ++i) y[i] = u(twister);
    });
  });
  for_sizes(p, "uniform, MRG31k3p", [](bench::contest& c, arrays& a, std::size_t n) {
    kt::mrg_random_streams s(seed);
    auto f = kt::function(uniform, s);
    double* const y = a.y.data();
    c.add("by hand",
          [=, states = hand::mrg_states(seed, 15360)]() mutable { states.uniform(y, n); });
    c.add("Kroton", [=, &a]() mutable { f.into(a.y, a.x); });
  });
}

void normals(bench::program& p) {
  for_sizes(p, "normal, Philox", [](bench::contest& c, arrays& a, std::size_t n) {
    kt::philox_streams s(seed);
    auto f = kt::function(normal, s);
    c.add("Kroton", [=, &a]() mutable {
      s.seed(seed);
      f.into(a.y, a.x);
    });
    a.numpy(c, "g.standard_normal(out=y)");
    double* const y = a.y.data();
    std::mt19937_64 twister(seed);
    c.add_unchecked("std::mt19937_64", [=]() mutable {
      std::normal_distribution<double> z;
      for (std::size_t i = 0; i < n; ++i) y[i] = z(twister);
    });
  });
}

void dropouts(bench::program& p) {
  for_sizes(p, "where(u < 0.3, 0, x), Philox", [](bench::contest& c, arrays& a, std::size_t n) {
    kt::philox_streams s(seed);
    auto f = kt::function(dropout, s);
    double *const y = a.y.data(), *const x = a.x.data();
    c.add("by hand", [=] {
      hand::for_uniform(
          seed, 0, n,
          [=](std::size_t i, batch u) {
            xsimd::select(u < batch(0.3), batch(0.0), batch::load_unaligned(x + i))
                .store_unaligned(y + i);
          },
          [=](std::size_t i, double u) { y[i] = u < 0.3 ? 0 : x[i]; });
    });
    c.add("Kroton", [=, &a]() mutable {
      s.seed(seed);
      f.into(a.y, a.x);
    });
    a.numpy(c, "g.random(out=y); y[:] = np.where(y < 0.3, 0, x)");
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("random", "Random numbers", argc, argv);
  uniforms(p);
  normals(p);
  dropouts(p);
  return p.finish();
}
