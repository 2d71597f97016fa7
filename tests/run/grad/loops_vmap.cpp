// Loops that are mapped: a loop over batches gives what a loop for each slice gives.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using tensor = xt::xtensor<double, 3>;

matrix const W{{0.1, 0.2}, {-0.3, 0.4}}, starts{{0.5, 0.6}, {-1, 2}, {0, 0.25}};
tensor const X{{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}, {0.7, -0.6}},
               {{1, -1}, {0.5, 0.25}, {-2, 0.125}, {0.3, 0.9}},
               {{0, 0.5}, {-0.25, 1.5}, {0.6, -0.7}, {0.8, 0.1}}};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-13;
}
template <class T>
auto slice(T const& x, std::size_t k) {
  return xt::eval(xt::view(x, k));
}

constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  auto [h, norms] = scan([&](auto x, auto h) { auto next = tanh(dot(w, h) + x); return std::tuple(next, sum(next * next)); },
                         kt::sequences(x), kt::outputs_info(h0, kt::none));
  return std::tuple(h, norms);
};

}  // namespace

TEST_CASE("vmap of a loop: sequences, starts and both") {
  auto const one = kt::function(recurrent);
  auto const all = kt::function(kt::vmap<0, 1>(recurrent));
  auto const by_sequence = kt::function(kt::vmap<0>(recurrent));
  auto const by_start = kt::function(kt::vmap<1>(recurrent));
  auto const by_weights = kt::function(kt::vmap<2>(recurrent));
  tensor weights(std::array<std::size_t, 3>{3, 2, 2});
  for (std::size_t k = 0; k < 3; ++k) xt::view(weights, k) = W * (1.0 + static_cast<double>(k));
  auto const [h, norms] = all(X, starts, W);
  auto const [hx, nx] = by_sequence(X, slice(starts, 1), W);
  auto const [hs, ns] = by_start(slice(X, 1), starts, W);
  auto const [hw, nw] = by_weights(slice(X, 1), slice(starts, 1), weights);
  for (std::size_t k = 0; k < 3; ++k) {
    auto const [h1, n1] = one(slice(X, k), slice(starts, k), W);
    CHECK(same(h1, slice(h, k)));
    CHECK(same(n1, slice(norms, k)));
    auto const [h2, n2] = one(slice(X, k), slice(starts, 1), W);
    CHECK(same(h2, slice(hx, k)));
    CHECK(same(n2, slice(nx, k)));
    auto const [h3, n3] = one(slice(X, 1), slice(starts, k), W);
    CHECK(same(h3, slice(hs, k)));
    CHECK(same(n3, slice(ns, k)));
    auto const [h4, n4] = one(slice(X, 1), slice(starts, 1), slice(weights, k));
    CHECK(same(h4, slice(hw, k)));
    CHECK(same(n4, slice(nw, k)));
  }
  // No slices, and no steps.
  auto const [none, no_norms] = all(tensor(std::array<std::size_t, 3>{0, 4, 2}), matrix(std::array<std::size_t, 2>{0, 2}), W);
  CHECK(none.shape() == std::array<std::size_t, 3>{0, 4, 2});
  CHECK(no_norms.shape() == std::array<std::size_t, 2>{0, 4});
  auto const [still, no_steps] = all(tensor(std::array<std::size_t, 3>{3, 0, 2}), starts, W);
  CHECK(still.shape() == std::array<std::size_t, 3>{3, 0, 2});
  CHECK(no_steps.shape() == std::array<std::size_t, 2>{3, 0});
}

TEST_CASE("vmap of a loop: several taps, last values, and what is the same for all slices") {
  // The count depends on no slice; the last state only on the start.
  auto const f = [](kt::dvector start, kt::dvector x, kt::dscalar a) {
    auto [y, count, s] = scan([&](auto e, auto third, auto last, auto n, auto s) {
                                return std::tuple(sin(a * last) + e * third + n, n + 1, s * e);
                              },
                              kt::sequences(x), kt::outputs_info(kt::taps<-3, -1>(start), 0.0, a));
    auto product = foldl([&](auto e, auto p) { return p * (e + a); }, kt::sequences(start), kt::outputs_info(1.0));
    return std::tuple(y, count, s, product);
  };
  matrix const start{{0.1, 0.2, 0.3}, {1, -1, 2}};
  vector const x{0.5, -0.25, 1.5, 0.75}, a{0.7, -2};
  auto const [y, count, s, product] = kt::function(kt::vmap<0>(f))(start, x, 0.7);
  auto const [y2, count2, s2, product2] = kt::function(kt::vmap<2>(f))(slice(start, 0), x, a);
  auto const one = kt::function(f);
  for (std::size_t k = 0; k < 2; ++k) {
    auto const [y1, count1, s1, p1] = one(slice(start, k), x, 0.7);
    CHECK(same(y1, slice(y, k)));
    CHECK(same(count1, slice(count, k)));
    CHECK(same(s1, slice(s, k)));
    CHECK(product(k) == Approx(p1).epsilon(1e-14));
    auto const [y3, count3, s3, p3] = one(slice(start, 0), x, a(k));
    CHECK(same(y3, slice(y2, k)));
    CHECK(same(count3, slice(count2, k)));
    CHECK(same(s3, slice(s2, k)));
    CHECK(product2(k) == Approx(p3).epsilon(1e-14));
  }
}

TEST_CASE("vmap of loops in loops, and vmap inside of a body") {
  auto const f = [](kt::dmatrix X, kt::dscalar a) {
    return scan([&](auto row, auto before) {
      return scan([&](auto e, auto s) { return tanh(s + a * e); }, kt::sequences(row), kt::outputs_info(before))(-1);
    }, kt::sequences(X), kt::outputs_info(a));
  };
  auto const one = kt::function(f);
  matrix const by_array = kt::function(kt::vmap<0>(f))(X, 0.3);
  vector const a{0.3, -2};
  matrix const by_scalar = kt::function(kt::vmap<1>(f))(slice(X, 0), a);
  for (std::size_t k = 0; k < 3; ++k) CHECK(same(vector(one(slice(X, k), 0.3)), slice(by_array, k)));
  for (std::size_t k = 0; k < 2; ++k) CHECK(same(vector(one(slice(X, 0), a(k))), slice(by_scalar, k)));

  // Each row is mapped in each step, by a function that has a loop.
  auto const inside = kt::function([](kt::dtensor3 x) {
    return kt::map([](kt::dmatrix rows) {
      return kt::vmap<0>([](kt::dvector row) {
        return foldl([](auto e, auto s) { return s / (2 + e); }, kt::sequences(row), kt::outputs_info(1.0));
      })(rows);
    }, kt::sequences(x));
  });
  matrix const found = inside(X);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 4; ++j) CHECK(found(i, j) == Approx(1 / (2 + X(i, j, 0)) / (2 + X(i, j, 1))).epsilon(1e-14));

  // Two mapped axes.
  auto const pairs = kt::function([](kt::dmatrix x, kt::dmatrix y) {
    return kt::vmap<0>([&](kt::dvector a) {
      return kt::vmap<0>([&](kt::dvector b) {
        return foldl([](auto p, auto q, auto s) { return s * p + q; }, kt::sequences(a, b), kt::outputs_info(1.0));
      })(y);
    })(x);
  });
  matrix const of_pairs = pairs(starts, W);
  REQUIRE(of_pairs.shape() == std::array<std::size_t, 2>{3, 2});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      CHECK(of_pairs(i, j) == Approx((starts(i, 0) + W(j, 0)) * starts(i, 1) + W(j, 1)).epsilon(1e-14));
}

TEST_CASE("vmap and map: a loop without states, n_steps, backwards, choices") {
  auto const f = [](kt::dvector x, kt::dscalar a) {
    auto squares = kt::map([&](auto e) { return ifelse(gt(a, 0), e * e, e + a); }, kt::sequences(x));
    auto y = scan([&](auto e, auto s) { return where(lt(e, 0), s, s * a + e); }, kt::sequences(x), kt::outputs_info(a), kt::n_steps(2),
                  kt::go_backwards);
    return std::tuple(squares, y);
  };
  matrix const x{{1, 2, 3}, {-1, 5, 4}};
  vector const a{2, -3};
  auto const [squares, y] = kt::function(kt::vmap<0, 1>(f))(x, a);
  CHECK(same(squares, matrix{{1, 4, 9}, {-4, 2, 1}}));
  CHECK(same(y, matrix{{7, 16}, {13, -34}}));
}
