// Draws in loops inside of mapped functions: one draw for all slices in each step.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

namespace mapped_draws {

namespace kt = kroton;

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

// A walk for each element, by a loop for each and by a loop over steps of all.
constexpr auto mapped = [](kt::dvector x, kt::rng r) {
  return kt::vmap([=](kt::dscalar start) {
    return scan([=](kt::dscalar at) { return at + 0.5 * r.uniform() + r.normal(kt::size()); },
                kt::outputs_info(start), kt::n_steps(5));
  })(x);
};
constexpr auto stepped = [](kt::dvector x, kt::rng r) {
  return scan(
             [=](kt::dvector at) {
               return at + 0.5 * r.uniform(x.shape(0)) + r.normal(x.shape(0));
             },
             kt::outputs_info(x), kt::n_steps(5))
      .T();
};

// Normal numbers of MRG31k3p come in pairs, which stay within a slice.
constexpr auto mapped_uniform = [](kt::dvector x, kt::rng r) {
  return kt::vmap([=](kt::dscalar start) {
    return scan([=](kt::dscalar at) { return 0.5 * at + r.uniform(3)(1) * r.uniform(); },
                kt::outputs_info(start), kt::n_steps(5));
  })(x);
};
constexpr auto stepped_uniform = [](kt::dvector x, kt::rng r) {
  return scan(
             [=](kt::dvector at) {
               return 0.5 * at + r.uniform(x.shape(0), 3).T()(1) * r.uniform(x.shape(0));
             },
             kt::outputs_info(x), kt::n_steps(5))
      .T();
};

template <class Streams, class Mode, class F, class G>
void check_same(F one, G other, Mode mode) {
  Streams s(7), t(7);
  auto f = kt::function(one, s, mode);
  auto g = kt::function(other, t, mode);
  for (std::size_t n : {1u, 4u, 40u})
    for (int call = 0; call < 2; ++call) {
      vector const x = xt::linspace<double>(0, 1, n);
      matrix const a = f(x), b = g(x);
      REQUIRE(a.shape() == b.shape());
      CHECK(xt::allclose(a, b, 1e-14, 1e-14));
      for (std::size_t i = 1; i < n; ++i) CHECK(a(i, 0) - x(i) != a(i - 1, 0) - x(i - 1));
    }
}

TEST_CASE("random: loops of a mapped function draw as one loop over all slices does") {
  check_same<kt::philox_streams>(mapped, stepped, kt::mode::fast_run);
  check_same<kt::philox_streams>(mapped, stepped, kt::mode::interpret);
  check_same<kt::random_streams>(mapped, stepped, kt::mode::fast_run);
  check_same<kt::mrg_random_streams>(mapped_uniform, stepped_uniform, kt::mode::fast_run);
  check_same<kt::mrg_random_streams>(mapped_uniform, stepped_uniform, kt::mode::interpret);
}

// What has no mapped operand, loops in loops, and draws behind the loop, which go on from there.
constexpr auto nested = [](kt::dvector x, kt::rng r) {
  auto const zero = 0 * x(0);
  auto const sums = kt::vmap([=](kt::dscalar) {
    auto const outer = [=](kt::dscalar at) {
      auto const inner = [=](kt::dscalar part) { return part * 0.5 + r.uniform(); };
      return at + scan(inner, kt::outputs_info(zero), kt::n_steps(3))(-1);
    };
    return scan(outer, kt::outputs_info(zero), kt::n_steps(4))(-1);
  })(x);
  return std::tuple(sums, r.uniform(2));
};
constexpr auto nested_steps = [](kt::dvector x, kt::rng r) {
  auto const zero = 0 * x;
  auto const outer = [=](kt::dvector at) {
    auto const inner = [=](kt::dvector part) { return part * 0.5 + r.uniform(x.shape(0)); };
    return at + scan(inner, kt::outputs_info(zero), kt::n_steps(3))(-1);
  };
  auto const sums = scan(outer, kt::outputs_info(zero), kt::n_steps(4))(-1);
  return std::tuple(sums, r.uniform(2));
};
template <class Streams>
void check_nested() {
  Streams s(11), t(11);
  auto f = kt::function(nested, s);
  auto g = kt::function(nested_steps, t);
  for (int call = 0; call < 2; ++call) {
    vector const x = xt::ones<double>({50});
    auto const [a, b] = f(x);
    auto const [c, d] = g(x);
    CHECK(xt::allclose(a, c, 1e-14, 1e-14));
    CHECK((b == d));
  }
}
TEST_CASE("random: mapped loops in loops draw, and the stream goes on behind them") {
  check_nested<kt::philox_streams>();
  check_nested<kt::random_streams>();
  check_nested<kt::mrg_random_streams>();
}

// The reverse loop has the numbers of the forward one: the derivative of a product of factors
// (1 + a u) by a is the product times the sum of u / (1 + a u).
constexpr auto growth = [](kt::dvector x, kt::dscalar a, kt::rng r) {
  auto const ends = kt::vmap([=](kt::dscalar start) {
    return scan([=](kt::dscalar at) { return at * (1 + a * r.uniform()); },
                kt::outputs_info(start), kt::n_steps(6))(-1);
  })(x);
  return std::tuple(ends, grad(sum(ends), a));
};
TEST_CASE("random: a gradient through mapped loops has the numbers of their steps") {
  kt::philox_streams s(3);
  auto f = kt::function(growth, s);
  vector const x = {1.0, 2.0, -0.5};
  auto at = [&](double a) {
    kt::philox_streams t(3);
    return kt::function(growth, t)(x, a);
  };
  double const h = 1e-5;
  double const difference =
      (xt::sum(std::get<0>(at(0.3 + h)))() - xt::sum(std::get<0>(at(0.3 - h)))()) / (2 * h);
  CHECK(std::get<1>(f(x, 0.3)) == Approx(difference).epsilon(1e-8));
}

}  // namespace mapped_draws
