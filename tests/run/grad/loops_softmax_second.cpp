// Loops with sums of exponentials in second derivatives, forward mode, batches and checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using matrix = xt::xtensor<double, 2>;

constexpr auto value = [](kt::dmatrix seen, kt::dmatrix moves) {
  auto a = scan(
      [&](auto now, auto before) {
        return now + logsumexp(kt::dimshuffle<0, 'x'>(before) + moves, kt::axis<0>);
      },
      kt::sequences(seen), kt::outputs_info(seen(0)));
  return logsumexp(a(-1));
};
constexpr auto steps = [](kt::dmatrix seen, kt::dmatrix moves) {
  auto a = seen(0) + 0;
  for (int t = 0; t < 3; ++t)
    a = seen(t) + logsumexp(kt::dimshuffle<0, 'x'>(a) + moves, kt::axis<0>);
  return logsumexp(a);
};
template <class F>
constexpr auto second = [](kt::dmatrix seen, kt::dmatrix moves, kt::dmatrix v) {
  return grad(sum(grad(F{}(seen, moves), moves) * v), seen, moves);
};

template <class A, class B>
bool near(A const& a, B const& b, double most = 1e-14) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < most;
}

matrix const seen{{0.1, -0.7, 0.3}, {1.1, 0.2, -0.4}, {-0.6, 0.9, 0.5}},
    moves{{0.5, -1, 0.2}, {0.1, 0.3, -2}, {1.5, -0.3, 0.4}},
    v{{1, -2, 0.5}, {0.3, 0.7, -1}, {-0.2, 0.4, 2}};

}  // namespace

TEST_CASE("second derivatives of the forward algorithm") {
  auto const loop = kt::function(second<decltype(value)>);
  auto const same = kt::function(second<decltype(steps)>);
  auto const [of_seen, of_moves] = loop(seen, moves, v);
  auto const [s, m] = same(seen, moves, v);
  CHECK(near(of_seen, s, 1e-13));
  CHECK(near(of_moves, m, 1e-13));
}

TEST_CASE("the forward algorithm in forward mode") {
  auto const loop = kt::function([](kt::dmatrix seen, kt::dmatrix moves, kt::dmatrix v) {
    return std::tuple(rop(value(seen, moves), moves, v),
                      rop(grad(value(seen, moves), seen), moves, v));
  });
  auto const same = kt::function([](kt::dmatrix seen, kt::dmatrix moves, kt::dmatrix v) {
    return std::tuple(sum(grad(steps(seen, moves), moves) * v),
                      grad(sum(grad(steps(seen, moves), moves) * v), seen));
  });
  auto const [slope, change] = loop(seen, moves, v);
  auto const [same_slope, same_change] = same(seen, moves, v);
  CHECK(std::abs(slope - same_slope) < 1e-14);
  CHECK(near(change, same_change, 1e-13));
}

TEST_CASE("gradients of batches of the forward algorithm") {
  static constexpr auto one = [](kt::dmatrix seen, kt::dmatrix moves) {
    return grad(value(seen, moves), moves);
  };
  auto const batch = kt::function([](kt::dtensor3 all, kt::dmatrix moves) {
    return kt::vmap([&](kt::dmatrix seen) { return one(seen, moves); })(all);
  });
  auto const single = kt::function(one);
  xt::xtensor<double, 3> all(std::array<std::size_t, 3>{2, 3, 3});
  xt::view(all, 0) = seen;
  xt::view(all, 1) = -2 * seen;
  auto const both = batch(all, moves);
  CHECK(near(matrix(xt::view(both, 0)), single(seen, moves)));
  CHECK(near(matrix(xt::view(both, 1)), single(matrix(-2 * seen), moves)));
}

TEST_CASE("the forward algorithm without what its gradient stores") {
  auto const again = kt::function([](kt::dmatrix seen, kt::dmatrix moves) {
    auto a = scan(
        [&](auto now, auto before) {
          return now + logsumexp(kt::dimshuffle<0, 'x'>(before) + moves, kt::axis<0>);
        },
        kt::sequences(seen), kt::outputs_info(seen(0)), kt::checkpoint);
    return grad(logsumexp(a(-1)), seen, moves);
  });
  auto const same = kt::function(
      [](kt::dmatrix seen, kt::dmatrix moves) { return grad(steps(seen, moves), seen, moves); });
  auto const [of_seen, of_moves] = again(seen, moves);
  auto const [s, m] = same(seen, moves);
  CHECK(near(of_seen, s));
  CHECK(near(of_moves, m));
}
