// Loops: scan with every kind of state, and the folds, compiled and interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;
using integers = xt::xtensor<std::int64_t, 1>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && (a.size() == 0 || xt::amax(xt::abs(a - b))() <= 1e-14);
}

/// The same function compiled, interpreted, and as it is written.
template <class F, class Check, class... A>
void in_all_stages(F const& f, Check check, A const&... arguments) {
  check(kt::function(f)(arguments...));
  check(kt::function(f, kt::mode::interpret)(arguments...));
  check(kt::function(f, kt::mode::debug)(arguments...));
}

vector empty() { return vector(std::array<std::size_t, 1>{0}); }

}  // namespace

TEST_CASE("scan: a recurrence, and an output that does not feed back", "[loops]") {
  matrix const X{{1, 2}, {3, 4}, {-5, 0.5}}, W{{0.1, 0.2}, {0.3, 0.4}};
  vector const h0{0.5, 0.6};
  auto const f = [](kt::dmatrix X, kt::dvector h0, kt::dmatrix W) {
    return scan(
        [](kt::dvector x, kt::dvector h, kt::dmatrix W) {
          auto y = tanh(dot(W, h) + x);
          return std::tuple(y, sum(y));
        },
        kt::sequences(X), kt::outputs_info(h0, kt::none), kt::non_sequences(W));
  };
  matrix states{{0, 0}, {0, 0}, {0, 0}};
  vector sums{0, 0, 0}, h = h0;
  for (std::size_t t = 0; t < 3; ++t) {
    vector next{0, 0};
    for (std::size_t i = 0; i < 2; ++i) next(i) = std::tanh(W(i, 0) * h(0) + W(i, 1) * h(1) + X(t, i));
    h = next;
    xt::view(states, t) = h;
    sums(t) = h(0) + h(1);
  }
  in_all_stages(
      f,
      [&](auto const& found) {
        CHECK(same(std::get<0>(found), states));
        CHECK(same(std::get<1>(found), sums));
      },
      X, h0, W);
}

TEST_CASE("scan: states that read several earlier steps", "[loops]") {
  in_all_stages(
      [](kt::lvector start, kt::lscalar n) {
        return scan([](auto before, auto last) { return before + last; }, kt::outputs_info(kt::taps<-2, -1>(start)),
                    kt::n_steps(n));
      },
      [](integers const& found) { CHECK(found == integers{2, 3, 5, 8, 13, 21, 34}); }, integers{1, 1}, 7);
  // The first rows of a longer start count; taps need not be neighbours, nor in order.
  in_all_stages(
      [](kt::dvector start) {
        return scan([](auto last, auto fourth) { return last + 10 * fourth; },
                    kt::outputs_info(kt::taps<-1, -4>(start)), kt::n_steps(3));
      },
      [](vector const& found) { CHECK(found == vector{14, 34, 64}); }, vector{1, 2, 3, 4, 99});
  // Rows that are arrays.
  in_all_stages(
      [](kt::dmatrix start) {
        return scan([](auto before, auto last) { return last - before; }, kt::outputs_info(kt::taps<-2, -1>(start)),
                    kt::n_steps(4));
      },
      [](matrix const& found) { CHECK(found == matrix{{2, -1}, {-1, -3}, {-3, -2}, {-2, 1}}); },
      matrix{{1, 3}, {3, 2}});
}

TEST_CASE("scan: sequences with past and future taps", "[loops]") {
  vector const x{1, 2, 3, 4, 5, 6}, y{10, 20, 30, 40, 50, 60};
  in_all_stages([](kt::dvector x) { return map([](auto a, auto b, auto c) { return 100 * a + 10 * b + c; },
                                               kt::sequences(kt::taps<-1, 0, 2>(x))); },
                [](vector const& found) { CHECK(found == vector{124, 235, 346}); }, x);
  // Steps for which all elements exist: the shortest sequence counts.
  in_all_stages([](kt::dvector x, kt::dvector y) { return map([](auto a, auto b, auto c) { return 100 * a + 10 * b + c; },
                                                              kt::sequences(kt::taps<-2, 0>(x), y)); },
                [](vector const& found) { CHECK(found == vector{140, 260, 380, 500}); }, x, y);
  // From the end on; earlier elements stay earlier.
  in_all_stages([](kt::dvector x) { return scan([](auto a, auto b) { return 10 * a + b; },
                                                kt::sequences(kt::taps<-1, 0>(x)), kt::go_backwards); },
                [](vector const& found) { CHECK(found == vector{56, 45, 34, 23, 12}); }, x);
  // A longer sequence is cut.
  in_all_stages([](kt::dvector x) { return scan([](auto a) { return -a; }, kt::sequences(x), kt::n_steps(2)); },
                [](vector const& found) { CHECK(found == vector{-1, -2}); }, x);
}

TEST_CASE("scan: variables of the enclosing lambda are captured", "[loops]") {
  in_all_stages(
      [](kt::dvector x, kt::dscalar a) {
        auto const twice = 2 * a;
        return scan([&](auto e, auto s) { return e * twice + s + x(0); }, kt::sequences(x), kt::outputs_info(0));
      },
      [](vector const& found) { CHECK(found == vector{7, 20, 39}); }, vector{1, 2, 3}, 3.);
  // Their extents, too.
  in_all_stages(
      [](kt::dmatrix x, kt::dvector w) {
        return scan([&](auto row, auto s) { return s + row * w + w.shape(0); }, kt::sequences(x), kt::outputs_info(zeros_like(w)));
      },
      [](matrix const& found) { CHECK(found == matrix{{5, 8}, {14, 18}}); }, matrix{{3, 2}, {7, 8 / 3.}}, vector{1, 3});
}

TEST_CASE("scan: loops in loops", "[loops]") {
  // Each row's running sum, and the sum of these before.
  in_all_stages(
      [](kt::dmatrix x) {
        return scan(
            [](auto row, auto before) {
              return before + scan([](auto e, auto s) { return e + s; }, kt::sequences(row), kt::outputs_info(0.0));
            },
            kt::sequences(x), kt::outputs_info(zeros_like(x(0))));
      },
      [](matrix const& found) { CHECK(found == matrix{{1, 3, 6}, {5, 12, 21}}); }, matrix{{1, 2, 3}, {4, 5, 6}});
  // The inner loop reads what the outer one captures.
  in_all_stages(
      [](kt::dvector x, kt::dvector y, kt::dscalar a) {
        return map([&](auto e) { return sum(map([&](auto f) { return a * e * f; }, kt::sequences(y))); }, kt::sequences(x));
      },
      [](vector const& found) { CHECK(found == vector{60, 120}); }, vector{1, 2}, vector{1, 2, 3}, 10.);
}

TEST_CASE("folds give the final state, or the start", "[loops]") {
  auto const left = [](kt::dvector x) {
    return foldl([](auto e, auto s) { return s / 2 + e; }, kt::sequences(x), kt::outputs_info(8));
  };
  auto const right = [](kt::dvector x) {
    return foldr([](auto e, auto s) { return s / 2 + e; }, kt::sequences(x), kt::outputs_info(8));
  };
  in_all_stages(left, [](double found) { CHECK(found == 5.25); }, vector{1, 2, 3});
  in_all_stages(right, [](double found) { CHECK(found == 4); }, vector{1, 2, 4});
  in_all_stages(left, [](double found) { CHECK(found == 8); }, empty());
  in_all_stages([](kt::dvector x) { return reduce([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0)); },
                [](double found) { CHECK(found == 6); }, vector{1, 2, 3});
  // Two states, arrays among them, and an output of every step.
  in_all_stages(
      [](kt::dvector x, kt::dvector v) {
        return foldl([](auto e, auto s, auto u) { return std::tuple(s + e, u * e, e * e); }, kt::sequences(x),
                     kt::outputs_info(0, v, kt::none));
      },
      [](auto const& found) {
        CHECK(std::get<0>(found) == 6);
        CHECK(std::get<1>(found) == vector{6, 12});
        CHECK(std::get<2>(found) == vector{1, 4, 9});
      },
      vector{1, 2, 3}, vector{1, 2});
}

TEST_CASE("scan: no steps give empty results of exact shape", "[loops]") {
  auto const f = [](kt::dmatrix x, kt::dvector h) {
    return scan([](auto row, auto h) { return std::tuple(h + sum(row), outer(row, h)); }, kt::sequences(x), kt::outputs_info(h, kt::none));
  };
  in_all_stages(
      f,
      [](auto const& found) {
        CHECK(std::get<0>(found).shape() == std::array<std::size_t, 2>{0, 2});
        CHECK(std::get<1>(found).shape() == std::array<std::size_t, 3>{0, 3, 2});
      },
      matrix(std::array<std::size_t, 2>{0, 3}), vector{1, 2});
}

TEST_CASE("scan: a start that is a number takes the type of its state", "[loops]") {
  in_all_stages([](kt::dvector x) { return scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0)); },
                [](vector const& found) { CHECK(found == vector{1.5, 4}); }, vector{1.5, 2.5});
  in_all_stages([](kt::lvector x) { return scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0)); },
                [](integers const& found) { CHECK(found == integers{1, 3}); }, integers{1, 2});
  in_all_stages([](kt::fvector x) { return scan([](kt::fscalar e, kt::fscalar s) { return e + s; }, kt::sequences(x), kt::outputs_info(0)); },
                [](xt::xtensor<float, 1> const& found) { CHECK(found == xt::xtensor<float, 1>{1, 3}); }, xt::xtensor<float, 1>{1, 2});
}

TEST_CASE("scan: numbers as non-sequences, and as starts with a tap", "[loops]") {
  in_all_stages([](kt::dvector x) {
    return scan([](auto e, auto s, auto w) { return e + s * w; }, kt::sequences(x), kt::outputs_info(kt::taps<-1>(1)),
                kt::non_sequences(2));
  }, [](vector const& found) { CHECK(found == vector{3, 8}); }, vector{1, 2});
  in_all_stages([](kt::fvector x) {
    return scan([](kt::fscalar e, kt::fscalar w) { return e * w; }, kt::sequences(x), kt::non_sequences(0.5));
  }, [](xt::xtensor<float, 1> const& found) { CHECK(found == xt::xtensor<float, 1>{1, 2}); }, xt::xtensor<float, 1>{2, 4});
}

TEST_CASE("scan: results that are parameters, constants or each other", "[loops]") {
  in_all_stages(
      [](kt::dmatrix x, kt::dvector w) {
        return scan([](auto row, auto before, auto w) { return std::tuple(row, row, before, w, row.T(), zeros_like(row)); },
                    kt::sequences(x), kt::outputs_info(w, kt::none, kt::none, kt::none, kt::none, kt::none), kt::non_sequences(w));
      },
      [](auto const& found) {
        matrix const x{{1, 2}, {3, 4}};
        CHECK(std::get<0>(found) == x);
        CHECK(std::get<1>(found) == x);
        CHECK(std::get<2>(found) == matrix{{5, 6}, {1, 2}});
        CHECK(std::get<3>(found) == matrix{{5, 6}, {5, 6}});
        CHECK(std::get<4>(found) == x);
        CHECK(std::get<5>(found) == matrix{{0, 0}, {0, 0}});
      },
      matrix{{1, 2}, {3, 4}}, vector{5, 6});
}

TEST_CASE("scan: outputs that are views of what a step reads", "[loops]") {
  in_all_stages(
      [](kt::tensor3<double> x) { return map([](auto rows) { return rows.T(); }, kt::sequences(x)); },
      [](xt::xtensor<double, 3> const& found) { CHECK(found == xt::xtensor<double, 3>{{{1, 3}, {2, 4}}, {{5, 7}, {6, 8}}}); },
      xt::xtensor<double, 3>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
}

TEST_CASE("scan: views of arguments as sequences, and calls of other extents", "[loops]") {
  auto const f = kt::function([](kt::dmatrix x) {
    return scan([](auto column, auto s) { return s + column; }, kt::sequences(x.T()), kt::outputs_info(zeros_like(x.T()(0))));
  });
  CHECK(same(f(matrix{{1, 2, 3}, {4, 5, 6}}), matrix{{1, 4}, {3, 9}, {6, 15}}));
  CHECK(same(f(matrix{{1, 2}, {4, 5}, {7, 8}}), matrix{{1, 4, 7}, {3, 9, 15}}));
  CHECK(same(f(matrix{{1, 2, 3}, {4, 5, 6}}), matrix{{1, 4}, {3, 9}, {6, 15}}));
}

TEST_CASE("scan: what does not fit is refused before the first step", "[loops]") {
  auto const f = kt::function([](kt::dmatrix x, kt::dvector h, kt::lscalar n) {
    return scan([](auto row, auto h) { return row * h; }, kt::sequences(x), kt::outputs_info(h), kt::n_steps(n));
  });
  matrix const x{{1, 2}, {3, 4}};
  CHECK(same(f(x, vector{1, 1}, 2), matrix{{1, 2}, {3, 8}}));
  CHECK_THROWS_AS(f(x, vector{1, 1}, 3), kt::shape_error);
  CHECK_THROWS_AS(f(x, vector{1, 1, 1}, 2), kt::shape_error);
  CHECK_THROWS_AS(f(x, vector{1, 1}, -1), kt::error);
  auto const growing = kt::function([](kt::dvector h, kt::dvector w) {
    return scan([&](auto h) { return h + sum(outer(w, h), kt::axis<1>); }, kt::outputs_info(h), kt::n_steps(3));
  });
  CHECK(same(growing(vector{1, 2}, vector{1, 1}), matrix{{4, 5}, {13, 14}, {40, 41}}));
  CHECK_THROWS_AS(growing(vector{1, 2}, vector{1, 1, 1}), kt::shape_error);
}

TEST_CASE("scan: an error of a step names it", "[loops]") {
  auto const f = kt::function([](kt::dvector x, kt::lvector at) {
    return map([&](auto i) { return x(i); }, kt::sequences(at));
  });
  CHECK(same(f(vector{1, 2, 3}, integers{2, 0, -1}), vector{3, 1, 3}));
  CHECK_THROWS_WITH(f(vector{1, 2, 3}, integers{2, 0, 5}), Catch::StartsWith("step 2 of a scan: index 5 is out of range"));
  CHECK(same(f(vector{1, 2, 3}, integers{2, 0, -1}), vector{3, 1, 3}));
}
