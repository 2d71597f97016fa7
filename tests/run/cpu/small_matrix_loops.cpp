// Loops of small matrices, whose extents the compiler knows, or only calls know.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>

using namespace reference;
using I = std::size_t;

namespace {

/// The likelihood of numbers that are seen of a state.
constexpr auto filter = [](auto y, auto F, auto Q, auto h, auto noise, auto mean, auto covariance) {
  auto [m, P, terms] = scan(
      [&](auto y, auto m, auto P) {
        auto ahead = dot(F, m);
        auto spread = dot(F, dot(P, F.T())) + Q;
        auto seen = dot(spread, h);
        auto error = y - dot(h, ahead), variance = dot(h, seen) + noise;
        auto gain = seen / variance;
        return std::tuple(ahead + gain * error, spread - outer(gain, seen),
                          log(variance) + sqr(error) / variance);
      },
      kt::sequences(y), kt::outputs_info(mean, covariance, kt::none));
  return std::tuple(m, P, terms);
};
template <class T, class F>
auto run(F& f, I n, I steps) {
  mat<T> a = matrix<T>(n, n, 1, -1, 1), q = xt::eye<T>(n), p = xt::eye<T>(n);
  a = a / static_cast<T>(n);
  return f(numbers<T>(steps, 2, -1, 1), a, q, numbers<T>(n, 3, 0.1, 1), T(0.5),
           numbers<T>(n, 4, -1, 1), p);
}
template <class Made, class Expected>
void same(Made const& made, Expected const& expected, double e) {
  CHECK(mismatch(
            std::get<0>(made),
            [&](I i, I j) { return static_cast<double>(std::get<0>(expected)(i, j)); }, e,
            e) == "");
  CHECK(mismatch(
            std::get<1>(made),
            [&](I i, I j, I k) { return static_cast<double>(std::get<1>(expected)(i, j, k)); }, e,
            e) == "");
  CHECK(mismatch(
            std::get<2>(made), [&](I i) { return static_cast<double>(std::get<2>(expected)(i)); },
            e, e) == "");
}

}  // namespace

TEST_CASE("a loop of matrices with known extents is that of matrices with the same extents",
          "[small]") {
  auto check = [](auto extent) {
    constexpr int n = decltype(extent)::value;
    using M = kt::fixed<double, n, n>;
    using V = kt::fixed<double, n>;
    auto known = kt::function<kt::dvector, M, M, V, kt::dscalar, V, M>(filter);
    auto plain = kt::function<kt::dvector, kt::dmatrix, kt::dmatrix, kt::dvector, kt::dscalar,
                              kt::dvector, kt::dmatrix>(filter, kt::mode::interpret);
    CAPTURE(n);
    same(run<double>(known, n, 7), run<double>(plain, n, 7), 1e-12);
    same(run<double>(known, n, 1), run<double>(plain, n, 1), 1e-12);
  };
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 3>{});
  check(std::integral_constant<int, 6>{});
}

TEST_CASE("one function takes loops of square matrices of all extents in turn", "[small]") {
  auto f = kt::function<kt::dvector, kt::dmatrix, kt::dmatrix, kt::dvector, kt::dscalar,
                        kt::dvector, kt::dmatrix>(filter);
  auto plain = kt::function<kt::dvector, kt::dmatrix, kt::dmatrix, kt::dvector, kt::dscalar,
                            kt::dvector, kt::dmatrix>(filter, kt::mode::interpret);
  for (I n : {4, 2, 3, 1, 4, 5, 8, 40, 2, 3, 4}) {
    CAPTURE(n);
    same(run<double>(f, n, 6), run<double>(plain, n, 6), 1e-12);
  }
  auto g = kt::function<kt::fvector, kt::fmatrix, kt::fmatrix, kt::fvector, kt::fscalar,
                        kt::fvector, kt::fmatrix>(filter);
  auto plain_floats = kt::function<kt::fvector, kt::fmatrix, kt::fmatrix, kt::fvector, kt::fscalar,
                                   kt::fvector, kt::fmatrix>(filter, kt::mode::interpret);
  for (I n : {4, 2, 3, 7}) same(run<float>(g, n, 6), run<float>(plain_floats, n, 6), 1e-4);
  // No steps, and extents that do not fit, of which one is like the others.
  CHECK(std::get<2>(run<double>(f, 3, 0)).size() == 0);
  auto const ones = vec<double>{1, 1, 1};
  CHECK_THROWS_AS(
      f(ones, matrix<double>(3, 3), matrix<double>(3, 3), ones, 0.5, ones, matrix<double>(4, 4)),
      kt::shape_error);
  CHECK_THROWS_AS(
      f(ones, matrix<double>(3, 2), matrix<double>(3, 3), ones, 0.5, ones, matrix<double>(3, 3)),
      kt::shape_error);
}

TEST_CASE("loops of small matrices with several extents", "[small]") {
  constexpr auto step = [](kt::dmatrix x, kt::dmatrix A, kt::dmatrix B, kt::dvector s) {
    return scan([&](auto e, auto s) { return dot(A, s) + dot(B, e); }, kt::sequences(x),
                kt::outputs_info(s));
  };
  auto f = kt::function(step);
  auto plain = kt::function(step, kt::mode::interpret);
  for (I n : {2, 3, 4})
    for (I m : {1, 2, 3, 4, 9}) {
      auto const x = matrix<double>(5, m, 1, -1, 1), A = matrix<double>(n, n, 2, -1, 1),
                 B = matrix<double>(n, m, 3, -1, 1);
      auto const s = numbers<double>(n, 4, -1, 1);
      auto const made = f(x, A, B, s), expected = plain(x, A, B, s);
      CAPTURE(n, m);
      CHECK(mismatch(made, [&](I i, I j) { return expected(i, j); }, 1e-13, 1e-13) == "");
    }
}
