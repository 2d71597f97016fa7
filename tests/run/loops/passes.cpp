// The passes over scans: what is left of a graph, and that nothing changes in what it computes.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/passes.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("scan_clean: what nothing reads is gone", "[loops]") {
  auto const f = [](kt::dvector x, kt::dvector y, kt::dscalar a, kt::dscalar b) {
    auto [s, t, u] =
        scan([](auto e, auto f, auto s, auto t, auto a,
                auto b) { return std::tuple(s * a + e, t * b + f, e * f); },
             kt::sequences(x, y), kt::outputs_info(0.0, 1.0, kt::none), kt::non_sequences(a, b));
    return s;
  };
  kt::graph const g = optimized(f);
  CHECK(body(g).parameters().size() == 3);
  CHECK(body(g).results().size() == 1);
  check_without(f, vector{1, 2, 3}, vector{1, 2, 3}, 2., 3.);
}

TEST_CASE("scan_clean: equal operands, states and outputs are there once", "[loops]") {
  auto const f = [](kt::dvector x, kt::dscalar a) {
    return scan([](auto e, auto f, auto s, auto t, auto b,
                   auto c) { return std::tuple(sin(s * b) + e, sin(t * c) + f, e * s, f * t); },
                kt::sequences(x, x), kt::outputs_info(a, a, kt::none, kt::none),
                kt::non_sequences(a, a));
  };
  kt::graph const g = optimized(f);
  CHECK(body(g).parameters().size() == 3);
  CHECK(body(g).results().size() == 2);
  check_without(f, vector{1, 2, 3}, 2.);
}

TEST_CASE("scan_push_out_non_seq: what is the same in every step leaves the loop", "[loops]") {
  auto const f = [](kt::dvector h, kt::dmatrix A, kt::dmatrix B) {
    return scan([](auto h, auto A, auto B) { return tanh(dot(A + B, h) * exp(sum(A))); },
                kt::outputs_info(h), kt::non_sequences(A, B), kt::n_steps(40));
  };
  kt::graph const inner = body(optimized(f));
  CHECK(count(inner, "add") == 0);
  CHECK(count(inner, "exp") == 0);
  CHECK(count(inner, "sum") == 0);
  check_without(f, h0, W, U);
}

TEST_CASE("scan_push_out_seq: products of elements are one product", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dvector h, kt::dmatrix W, kt::dmatrix U) {
    return scan([&](auto x, auto h) { return tanh(dot(W, h) + dot(U, sin(x))); }, kt::sequences(X),
                kt::outputs_info(h));
  };
  kt::graph const g = optimized(f);
  CHECK(count(g, "dot") == 1);
  CHECK(count(body(g), "dot") + count(body(g), "gemm") == 1);
  CHECK(count(body(g), "sin") == 0);
  check_without(f, X, h0, W, U);
}

TEST_CASE("scan_push_out_seq: a loop without states is gone", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dmatrix W, kt::dvector v) {
    return map([&](auto x) { return std::tuple(dot(W, x), sum(exp(x)), x, 2 * v); },
               kt::sequences(X));
  };
  CHECK(count(optimized(f), "scan") == 0);
  check_without(f, X, W, h0);
  auto const mixed = [](kt::dmatrix X, kt::dvector y) {
    return scan([](auto x, auto y) { return softmax(x) * y; }, kt::sequences(X, y));
  };
  CHECK(count(optimized(mixed), "scan") == 0);
  check_without(mixed, X, vector{1, 2, 3});
  // An index that depends on an element keeps its loop.
  auto const indexed = [](kt::dvector x, kt::lvector at) {
    return map([&](auto i) { return x(i); }, kt::sequences(at));
  };
  CHECK(kt::function(indexed)(vector{1, 2, 3}, xt::xtensor<std::int64_t, 1>{2, 0})(0) == 3);
}

TEST_CASE("scan_push_out_seq: what follows the states is computed behind the loop", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dvector h, kt::dmatrix W, kt::dmatrix V) {
    return scan(
        [&](auto x, auto h) {
          auto n = tanh(dot(W, h) + x);
          return std::tuple(n, softmax(dot(V, n)));
        },
        kt::sequences(X), kt::outputs_info(h, kt::none));
  };
  kt::graph const g = optimized(f);
  CHECK(count(body(g), "dot") + count(body(g), "gemm") == 1);
  CHECK(count(g, "dot") == 1);
  check_without(f, X, h0, W, U);
}

TEST_CASE("scan_save_mem: of what is read at the end only the last value is kept", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dvector h) {
    auto [s, t] = scan(
        [](auto x, auto h) {
          auto n = tanh(h) + x;
          return std::tuple(n, n * h);
        },
        kt::sequences(X), kt::outputs_info(h, kt::none));
    return std::tuple(s(-1), sum(t(-1)), t(-1, 0));
  };
  kt::graph const g = optimized(f);
  for (int id = 0; id < g.size(); ++id) CHECK(g.type(id).rank < 3);
  CHECK(count(g, "subtensor") == 1);
  check_without(f, X, h0);
  CHECK_THROWS_AS(kt::function(f)(matrix(std::array<std::size_t, 2>{0, 2}), h0), kt::error);
}

TEST_CASE("scan: shapes alone need no loop", "[loops]") {
  auto const f = [](kt::dmatrix X, kt::dvector h) {
    return scan([](auto x, auto h) { return tanh(h) + x; }, kt::sequences(X), kt::outputs_info(h))
        .shape();
  };
  CHECK(count(optimized(f), "scan") == 0);
  xt::xtensor<std::int64_t, 1> const shape = kt::function(f)(X, h0);
  CHECK(shape == xt::xtensor<std::int64_t, 1>{4, 2});
}

TEST_CASE("scan_push_out_seq: the shortest sequence counts, even if nothing reads it", "[loops]") {
  auto const f = [](kt::dvector x, kt::dvector y) {
    return scan([](auto a, auto, auto s) { return std::tuple(s + a, exp(a)); }, kt::sequences(x, y),
                kt::outputs_info(0.0, kt::none));
  };
  check_without(f, vector{1, 2, 3, 4}, vector{1, 2});
  check_without(
      [](kt::dvector x, kt::dvector y) {
        return map([](auto a, auto) { return 2 * a; }, kt::sequences(x, y));
      },
      vector{1, 2, 3, 4}, vector{1, 2});
}

TEST_CASE("an output of a loop is the last factor of a product that is added to a row") {
  auto const f = kt::function([](kt::dmatrix a, kt::dmatrix x, kt::dvector b, kt::dvector start) {
    auto [s, y] = scan([](auto e, auto s) { return std::tuple(s * e, s - e); }, kt::sequences(x),
                       kt::outputs_info(start, kt::none));
    return dot(a, y) + b;
  });
  matrix const found =
      f(matrix{{1, 2}, {3, 4}}, matrix{{1, 2}, {3, 4}}, vector{10, 20}, vector{5, 6});
  // y = 4, 4; 5 - 3, 12 - 4
  CHECK(found == matrix{{18, 40}, {30, 64}});
}

TEST_CASE("scan: exponentials of matrices are not stored for all steps", "[loops]") {
  // The gradient of logsumexp is a softmax of what the forward loop has stored, a matrix in each
  // step.
  auto const forward = [](kt::dmatrix seen, kt::dmatrix moves) {
    auto a = scan(
        [&](auto now, auto before) {
          return now + logsumexp(kt::dimshuffle<0, 'x'>(before) + moves, kt::axis<0>);
        },
        kt::sequences(seen), kt::outputs_info(seen(0)));
    return grad(logsumexp(a(-1)), seen, moves);
  };
  check_without(forward, X, W);
  kt::graph const g = optimized(forward);
  int stacks = 0;
  for (int id = 0; id < g.size(); ++id) stacks += g.type(id).rank == 3 ? 1 : 0;
  CHECK(stacks == 0);
}
