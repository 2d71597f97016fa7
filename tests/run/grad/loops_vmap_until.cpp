// Folds that a condition stops under vmap: each slice takes as many steps as it needs.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

using namespace reference;

namespace {

// Doubles x until it is at least a, and counts the steps, the squares of which y adds up.
constexpr auto doubled = [](kt::dscalar a, kt::dvector x) {
  auto const [most, steps, squares] = kt::foldl(
      [&](auto x, auto n, auto y) {
        auto const next = 2 * x;
        return kt::until(max(next) >= a, next, n + 1., y + (n + 1.) * (n + 1.));
      },
      kt::outputs_info(x, zeros_like(a), kt::zeros<double>(2)), kt::n_steps(6));
  return std::tuple(most, steps, squares);
};

}  // namespace

TEST_CASE("slices of a fold take steps of their own, with mapped and shared operands") {
  auto const f = kt::function([](kt::dmatrix a, kt::dvector x) {
    auto const [most, steps, squares] = kt::vmap<0>([](kt::dvector a, kt::dvector x) { return kt::vmap<0>(doubled)(a, x); })(a, x);
    auto const [one, count, sums] = kt::vmap<1>(doubled)(a(0, 1), broadcast_to(x, 3, x.shape(0)));
    return std::tuple(most, steps, squares, one, count, sums);
  });
  mat<double> const a{{3, 40, 1}, {1e9, 0, 16}};
  auto const [most, steps, squares, one, count, sums] = f(a, vec<double>{1, -0.5});
  double const wanted[] = {2, 6, 1, 6, 1, 4};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      double const n = wanted[3 * i + k];
      CHECK(steps(i, k) == n);
      CHECK((most(i, k, 0) == std::exp2(n) && most(i, k, 1) == -std::exp2(n - 1)));
      CHECK((squares(i, k, 0) == n * (n + 1) * (2 * n + 1) / 6 && squares(i, k, 1) == squares(i, k, 0)));
    }
  for (std::size_t k = 0; k < 3; ++k) CHECK((count(k) == 6 && one(k, 0) == 64 && sums(k, 1) == 91));
  auto const nothing = f(mat<double>(std::array<std::size_t, 2>{1, 2}), vec<double>{1});
  CHECK(std::get<1>(nothing).shape()[1] == 2);
}
