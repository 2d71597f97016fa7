// Optimal control: the torque that swings a pendulum up, by Gauss-Newton steps with the sparse
// Jacobian of the residuals, against the same steps with the dense one.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/sparse_solve.hpp>

#include "terminal.hpp"

#include <chrono>
#include <cmath>
#include <numbers>

namespace kt = kroton;

constexpr double seconds = 4, gravity = 9.81;

// cut: residuals
// Each row of z is the angle, the angular velocity and the torque at one time; h is between two.
constexpr auto residuals = [](kt::dmatrix z, kt::dscalar h) {
  auto angle = z(kt::slice(), 0), speed = z(kt::slice(), 1), torque = z(kt::slice(), 2);
  auto const next = kt::slice(1, kt::none);
  auto const now = kt::slice(kt::none, -1);
  auto force = torque - gravity * sin(angle);
  auto moved = angle(next) - angle(now) - h / 2 * (speed(next) + speed(now)),
       pushed = speed(next) - speed(now) - h / 2 * (force(next) + force(now));
  auto ends = stack(angle(0), speed(0), angle(-1) - std::numbers::pi, speed(-1));
  auto weight = 300 / sqrt(h);  // of what is to be 0, next to the torque
  return concatenate(weight * moved, weight * pushed, 1000 * ends, sqrt(h) * torque);
};
// end cut

// cut: steps
// A step of Levenberg and Marquardt, whose damping is one more residual, 0 at z.
constexpr auto damped = [](kt::dmatrix z, kt::dscalar h, kt::dscalar damping) {
  auto from_here = flatten(z - stop_gradient(z));
  return concatenate(residuals(z, h), damping * from_here);
};
constexpr auto sparse_step = [](kt::dmatrix z, kt::dscalar h, kt::dscalar damping) {
  auto r = damped(z, h, damping);
  auto j = kt::sparse_jacobian(r, z);
  auto step = solve(dot(j.T(), j), dot(j.T(), r));
  return std::tuple(z - kt::reshape<2>(step, -1, 3), sum(sqr(r)), j.data().shape(0));
};
constexpr auto dense_step = [](kt::dmatrix z, kt::dscalar h, kt::dscalar damping) {
  auto r = damped(z, h, damping);
  auto j = kt::reshape<2>(jacobian(r, z), r.shape(0), -1);
  auto step = solve(dot(j.T(), j), dot(j.T(), r));
  return std::tuple(z - kt::reshape<2>(step, -1, 3), sum(sqr(r)), j.shape(0) * j.shape(1));
};
// end cut

struct swing {
  xt::xtensor<double, 2> z;
  double cost = 0, milliseconds = 0;
  std::int64_t stored = 0;
};

/// Steps from a straight line, until they no longer change the cost; the time is that of the last.
template <class Step>
swing solved(Step& step, std::size_t times, int steps) {
  swing s{xt::zeros<double>({times, std::size_t{3}})};
  double const h = seconds / static_cast<double>(times - 1);
  for (std::size_t i = 0; i < times; ++i)
    s.z(i, 0) = std::numbers::pi * static_cast<double>(i) / static_cast<double>(times - 1);
  double damping = 10;
  for (int k = 0; k < steps; ++k, damping *= 0.6) {
    auto const begin = std::chrono::steady_clock::now();
    auto [next, cost, stored] = step(s.z, h, damping);
    std::chrono::duration<double, std::milli> const taken =
        std::chrono::steady_clock::now() - begin;
    bool const is_done = k > 0 && std::abs(cost - s.cost) < 1e-9 * cost;
    s = swing{next, cost, taken.count(), stored};
    if (is_done) break;
  }
  return s;
}

int main() {
  auto sparse = kt::function(sparse_step);
  auto dense = kt::function(dense_step);

  example::heading("The swing");
  swing const shown = solved(sparse, 41, 100);
  for (std::size_t i = 0; i < 41; i += 2) {
    auto const at = static_cast<int>(std::lround(20 + 5 * shown.z(i, 0)));
    std::printf("  %4.1f s  torque %6.2f  |%*s\n", seconds * static_cast<double>(i) / 40,
                shown.z(i, 2), at, "o");
  }

  example::heading("A step, and the memory of the Jacobian: 8 bytes an element, 12 in a kt::csr");
  std::printf("  %6s  %20s  %20s\n", "times", "sparse", "dense");
  bool is_right = shown.cost < 50;
  for (std::size_t times : {41, 201, 401, 4'001, 40'001}) {
    swing const a = solved(sparse, times, 3);
    std::printf("  %6zu  %8.2f ms %6.2f MB", times, a.milliseconds,
                static_cast<double>(a.stored) * 12e-6);
    if (times < 1'000) {
      swing const b = solved(dense, times, 3);
      std::printf("  %8.2f ms %6.2f MB", b.milliseconds, static_cast<double>(b.stored) * 8e-6);
      is_right = is_right && xt::amax(xt::abs(a.z - b.z))() < 1e-6;
    }
    std::printf("\n");
  }
  return is_right ? 0 : 1;
}
