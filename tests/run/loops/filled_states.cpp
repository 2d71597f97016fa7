// Arrays that a loop fills: derivatives of any kind, options, errors, and what stays an array.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/filled.hpp"

#include <complex>
#include <cstdint>
#include <string>

namespace kt = kroton;

using namespace loop_tests;

namespace {

constexpr auto squares_added = [](auto x) {
  return foldl([](auto i, auto y) { return inc_subtensor(y(i + 1), sqr(y(i))); }, kt::sequences(kt::arange(x.shape(0) - 1)),
               kt::outputs_info(x));
};

constexpr auto squares_computed = [](auto x) {
  auto rest = scan([](auto e, auto y) { return e + sqr(y); }, kt::sequences(x(kt::slice(1, kt::none))), kt::outputs_info(x(0)));
  return concatenate(x(kt::slice(0, 1)), rest);
};

constexpr auto derivatives = [](auto f, kt::dvector x, kt::dmatrix m) {
  auto y = f(x);
  auto in_steps = map([&](auto row) { return grad(sum(sqr(f(row))), row); }, kt::sequences(m));
  return std::tuple(hessian(sum(sqr(y)), x), jacobian(y, x), rop(y, x, cos(x)), rop(grad(sum(sqr(y)), x), x, cos(x)), in_steps);
};

constexpr auto slope_of_steps = [](auto x, auto... options) {
  auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i + 1), sin(y(i)) + y(i + 1)); },
                 kt::sequences(kt::arange(x.shape(0) - 1)), kt::outputs_info(x), options...);
  return grad(sum(sqr(y)), x);
};

constexpr auto doubled = [](auto x, auto n) {
  return foldl([&](auto i, auto y) { return set_subtensor(y(i + 1), 2 * y(i)); }, kt::sequences(kt::arange(n)), kt::outputs_info(x));
};

constexpr auto summed = [](auto x) {
  return foldl([](auto i, auto y) { return set_subtensor(y(i), y(i - 1) + y(i - 2)); }, kt::sequences(kt::arange(2, x.shape(0))),
               kt::outputs_info(x));
};

/// What a call says.
template <class F, class... A>
std::string error_of(F&& f, A const&... a) {
  try {
    f(a...);
  } catch (kt::error const& e) { return e.what(); }
  return "";
}

}  // namespace

TEST_CASE("scan_fill: Hessians, Jacobians, tangents, batches, and loops in loops", "[loops][passes]") {
  constexpr auto filled = [](kt::dvector x, kt::dmatrix m) { return derivatives(squares_added, x, m); };
  constexpr auto plain = [](kt::dvector x, kt::dmatrix m) { return derivatives(squares_computed, x, m); };
  agree(filled, plain, some(4), table(3, 4));
  constexpr auto slope = [](kt::dvector x) { return grad(sum(sqr(squares_added(x))), x); };
  constexpr auto plain_slope = [](kt::dvector x) { return grad(sum(sqr(squares_computed(x))), x); };
  matrix const m = table(3, 4);
  CHECK((xt::allclose(matrix(kt::function(kt::vmap<0>(slope))(m)), matrix(kt::function(kt::vmap<0>(plain_slope))(m)))));
}

TEST_CASE("scan_fill: what stays an array", "[loops][passes]") {
  constexpr auto whole = [](kt::dvector x) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i), sum(y)); }, kt::sequences(kt::arange(x.shape(0))), kt::outputs_info(x));
    return std::tuple(y, grad(sum(sqr(y)), x));
  };
  constexpr auto wraps = [](kt::dvector x) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i), 2 * y(i - 1)); }, kt::sequences(kt::arange(x.shape(0))), kt::outputs_info(x));
    return std::tuple(y, grad(sum(sqr(y)), x));
  };
  constexpr auto given = [](kt::dvector x, kt::lscalar j) {
    auto y = foldl([&](auto i, auto y) { return set_subtensor(y(i), 2 * y(j)); }, kt::sequences(kt::arange(x.shape(0))), kt::outputs_info(x));
    return std::tuple(y, grad(sum(sqr(y)), x));
  };
  CHECK(selections_left(whole) > 0);
  auto const [y, gy] = kt::function(whole)(vector{1, 2});
  CHECK((y == vector{3, 5}));
  CHECK((xt::allclose(gy, vector{16, 26})));
  auto const [z, gz] = kt::function(wraps)(vector{1, 2});
  CHECK((z == vector{4, 8}));
  CHECK((xt::allclose(gz, vector{0, 80})));
  auto const [v, gv] = kt::function(given)(vector{1, 2}, 1);
  CHECK((v == vector{4, 4}));
  CHECK((xt::allclose(gv, vector{0, 32})));
}

TEST_CASE("scan_fill: the gradient of some steps, with checkpoints and snapshots", "[loops][passes]") {
  constexpr auto plain = [](kt::dvector x) { return slope_of_steps(x); };
  constexpr auto checkpoints = [](kt::dvector x) { return slope_of_steps(x, kt::checkpoint(3)); };
  constexpr auto snapshots = [](kt::dvector x) { return slope_of_steps(x, kt::snapshots(2)); };
  constexpr auto truncated = [](kt::dvector x) { return slope_of_steps(x, kt::truncate_gradient(20)); };
  agree(checkpoints, plain, some(11));
  agree(snapshots, plain, some(11));
  agree(truncated, plain, some(11));
}

TEST_CASE("scan_fill: an array that is too short is the error of the step that finds no place", "[loops][passes]") {
  constexpr auto value = [](kt::dvector x, kt::lscalar n) { return doubled(x, n); };
  constexpr auto slope = [](kt::dvector x, kt::lscalar n) { return grad(sum(sqr(doubled(x, n))), x); };
  constexpr auto linear = [](kt::dvector x, kt::lscalar n) { return grad(sum(doubled(x, n)), x); };
  std::string const words = "step 2 of a scan: index 3 is out of range: extent 0 of parameter 1 (dvector) is 3";
  CHECK(error_of(kt::function(value), some(3), 5) == words);
  CHECK(error_of(kt::function(slope), some(3), 5) == words);
  CHECK(error_of(kt::function(linear), some(3), 5) == words);
  CHECK((kt::function(value)(vector{1, 0, 0, 7}, 2) == vector{1, 2, 4, 7}));
  CHECK((kt::function(linear)(vector{1, 0, 0, 7}, 2) == vector{7, 0, 0, 1}));
  CHECK((kt::function(linear)(vector{1, 2}, 0) == vector{1, 1}));
  CHECK((kt::function(value)(vector(std::array<std::size_t, 1>{0}), 0).size() == 0));
  // Steps that nobody needs do not ask
  constexpr auto branch = [](kt::dvector x, kt::lscalar n) { return kt::ifelse(n < x.shape(0), doubled(x, n), x); };
  CHECK((kt::function(branch)(vector{1, 2}, 5) == vector{1, 2}));
  CHECK((kt::function(branch)(vector{1, 2}, 1) == vector{1, 2}));
}

TEST_CASE("scan_fill: other numbers", "[loops][passes]") {
  constexpr auto integers = [](kt::lvector x) { return summed(x); };
  constexpr auto floats = [](kt::fvector x) { return std::tuple(summed(x), grad(sum(sqr(summed(x))), x)); };
  constexpr auto complex = [](kt::zvector x) { return summed(x); };
  constexpr auto halves = [](kt::variable<kt::half, 1> x) { return kt::cast<float>(summed(x)); };
  CHECK((kt::function(integers)(xt::xtensor<std::int64_t, 1>{1, 1, 0, 0, 0, 0}) == xt::xtensor<std::int64_t, 1>{1, 1, 2, 3, 5, 8}));
  auto const [y, g] = kt::function(floats)(xt::xtensor<float, 1>{1, 1, 0, 0});
  CHECK((y == xt::xtensor<float, 1>{1, 1, 2, 3}));
  CHECK((g == xt::xtensor<float, 1>{12, 18, 0, 0}));
  using z = std::complex<double>;
  CHECK((kt::function(complex)(xt::xtensor<z, 1>{1, z(0, 1), 0, 0}) == xt::xtensor<z, 1>{1, z(0, 1), z(1, 1), z(1, 2)}));
  CHECK((kt::function(halves)(xt::xtensor<kt::half, 1>{kt::half(1), kt::half(1), kt::half(0), kt::half(0)}) ==
         xt::xtensor<float, 1>{1, 1, 2, 3}));
}
