// Loops on a device: states stay there from step to step.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

constexpr auto network = [](kt::dtensor3 x, kt::dmatrix w, kt::dmatrix u, kt::dvector b) {
  return scan([=](kt::dmatrix row, kt::dmatrix h) { return tanh(dot(row, w) + dot(h, u) + b); },
              kt::sequences(x), kt::outputs_info(zeros<double>(x.shape(1), b.shape(0))));
};

}  // namespace

TEST_CASE("device loops: a recurrent network and its gradients") {
  auto const x = cube(6, 4, 3);
  agree(network, x, grid(3, 5), grid(5, 5), ramp(5));
  agree(
      [](kt::dtensor3 x, kt::dmatrix w, kt::dmatrix u, kt::dvector b) {
        auto h = network(x, w, u, b);
        return grad(sum(sqr(h(-1))), w, u, b);
      },
      x, grid(3, 5), grid(5, 5), ramp(5));
  // Nothing moves.
  auto f = kt::cuda::function_on<device>(
      [](kt::dtensor3 x, kt::dmatrix w, kt::dmatrix u, kt::dvector b) {
        auto h = network(x, w, u, b);
        return std::tuple(sum(h(-1)), grad(sum(sqr(h(-1))), u));
      });
  static_assert(kt::cuda::transfers(f).to_host + kt::cuda::transfers(f).to_device == 0);
  device_array<double, 3> const xd(x);
  device_array<double, 2> const w(grid(3, 5)), u(grid(5, 5));
  device_array<double, 1> const b(ramp(5));
  (void)f(xd, w, u, b);
  device_counts const counts = guarded_memory::counted([&] { (void)f(xd, w, u, b); });
  CHECK(counts.fetched + counts.sent == 0);
  CHECK(counts.allocated == 2);
}

TEST_CASE("device loops: taps, several states, conditions, last values") {
  agree(
      [](kt::dmatrix x, kt::dmatrix s) {
        return scan([](auto row, auto before,
                       auto now) { return now * 0.5 + before * 0.25 + tanh(row) * sum(now); },
                    kt::sequences(x), kt::outputs_info(kt::taps<-2, -1>(s)));
      },
      grid(7, 3), grid(2, 3));
  agree(
      [](kt::dmatrix x, kt::dvector s) {
        auto [a, b] = scan([](auto row, auto now,
                              auto many) { return std::tuple(now * row + 1, many + sum(now)); },
                           kt::sequences(x), kt::outputs_info(s, 0.0));
        return std::tuple(a(-1), b);
      },
      grid(7, 3), ramp(3));
  agree(
      [](kt::dvector s) {
        return scan(
            [](auto now) { return kt::until(sum(now * now) < 1e-3, now * 0.5); },
            kt::outputs_info(s), kt::n_steps(50));
      },
      ramp(6));
  agree(
      [](kt::dmatrix x) {
        return foldl([](auto row, auto sum) { return sum * 0.5 + sort(row); }, kt::sequences(x),
                 kt::outputs_info(zeros<double>(x.shape(1))));
      },
      grid(5, 4));
}

TEST_CASE("device loops: of numbers alone they run on the host") {
  constexpr auto f = [](kt::dvector x) {
    return scan([](auto v, auto s) { return tanh(s * v + 1); }, kt::sequences(x),
                kt::outputs_info(0.5));
  };
  agree(f, ramp(30));
  agree(
      [](kt::dvector x) {
        return grad(sum(scan([](auto v, auto s) { return tanh(s * v + 1); }, kt::sequences(x),
                             kt::outputs_info(0.5))),
                    x);
      },
      ramp(30));
}

TEST_CASE("device loops: no steps, other extents, loops in loops") {
  auto f = kt::cuda::function_on<device>(network);
  auto g = kt::function(network);
  for (std::size_t n : {3, 0, 5, 1})
    require_same(f(cube(n, 4, 3), grid(3, 5), grid(5, 5), ramp(5)),
                 g(cube(n, 4, 3), grid(3, 5), grid(5, 5), ramp(5)), 64);
  agree(
      [](kt::dtensor3 x) {
        return scan(
            [](kt::dmatrix rows, kt::dvector s) {
              return foldl([](auto row, auto t) { return tanh(t + row); }, kt::sequences(rows), kt::outputs_info(s));
            },
            kt::sequences(x), kt::outputs_info(zeros<double>(x.shape(2))));
      },
      cube(3, 4, 5));
}
