// Calls of loops that are refused, in words: numbers of steps, sequences and starts that are too short.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xtensor.hpp>

#include <string>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

/// The error of a call, which is an Error.
template <class Error, class F, class... A>
std::string error_of(F const& f, A const&... arguments) {
  try {
    f(arguments...);
  } catch (Error const& e) {
    return e.what();
  }
  return "no error";
}
/// The error of a function that is compiled, interpreted, and run as it is written.
template <class Error, class F, class... A>
std::string error_in_all_stages(F const& f, A const&... arguments) {
  std::string const text = error_of<Error>(kt::function(f), arguments...);
  CHECK(error_of<Error>(kt::function(f, kt::mode::interpret), arguments...) == text);
  CHECK_THAT(error_of<Error>(kt::function(f, kt::mode::debug), arguments...), Catch::Contains(text));
  return text;
}

constexpr auto doubling = [](kt::dscalar s, kt::lscalar n) {
  return scan([](auto s) { return 2 * s; }, kt::outputs_info(s), kt::n_steps(n));
};
constexpr auto running = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
  return scan([](auto a, auto b, auto s) { return s + a * b; }, kt::sequences(x, y), kt::outputs_info(0), kt::n_steps(n));
};
constexpr auto fibonacci = [](kt::lvector start) {
  return scan([](auto before, auto last) { return before + last; }, kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(3));
};

}  // namespace

TEST_CASE("scan: a negative number of steps", "[loops]") {
  CHECK(error_in_all_stages<kt::value_error>(doubling, 1., -1) == "scan: n_steps is -1, but must not be negative");
  CHECK(kt::function(doubling)(1., 0).size() == 0);
  CHECK(error_in_all_stages<kt::value_error>([](kt::dscalar s) {
    return scan([](auto s) { return 2 * s; }, kt::outputs_info(s), kt::n_steps(-7));
  }, 1.) == "scan: n_steps is -7, but must not be negative");
  // The number that an expression gives.
  CHECK(error_in_all_stages<kt::value_error>([](kt::dvector x) {
    return foldl([](auto s) { return 2 * s; }, kt::outputs_info(x(0)), kt::n_steps(x.shape(0) - 3));
  }, vector{1, 2}) == "scan: n_steps is -1, but must not be negative");
}

TEST_CASE("scan: sequences that are too short for n_steps", "[loops]") {
  vector const two{1, 2}, three{1, 2, 3};
  CHECK(error_in_all_stages<kt::shape_error>(running, three, two, 3) ==
        "scan: n_steps is 3, but the sequence of the body's parameter 2 has elements for 2 steps: extent 0 of parameter 2 (dvector) is 2");
  CHECK(error_in_all_stages<kt::shape_error>(running, two, three, 3) ==
        "scan: n_steps is 3, but the sequence of the body's parameter 1 has elements for 2 steps: extent 0 of parameter 1 (dvector) is 2");
  // Longer ones are cut.
  vector const first = kt::function(running)(three, two, 1);
  CHECK(first == vector{1});
  // With taps a sequence has elements for fewer steps.
  CHECK(error_in_all_stages<kt::shape_error>([](kt::dvector x, kt::lscalar n) {
    return scan([](auto a, auto b) { return b - a; }, kt::sequences(kt::taps<-1, 0>(x)), kt::n_steps(n));
  }, two, 2) == "scan: n_steps is 2, but the sequence of the body's parameter 1 has elements for 1 step");
  CHECK(error_in_all_stages<kt::shape_error>([](kt::dvector x, kt::lscalar n) {
    return scan([](auto e) { return e * e; }, kt::sequences(x), kt::n_steps(n), kt::go_backwards);
  }, two, 3) == "scan: n_steps is 3, but the sequence of the body's parameter 1 has elements for 2 steps: extent 0 of parameter 1 (dvector) is 2");
}

TEST_CASE("scan: sequences that are too short for their taps", "[loops]") {
  constexpr auto sums = [](kt::dvector x, kt::dvector y) {
    return kt::map([](auto z, auto a, auto b, auto c) { return a + b + c + z; }, kt::sequences(y, kt::taps<-2, -1, 0>(x)));
  };
  vector const none(std::array<std::size_t, 1>{0}), one{1}, two{1, 2}, three{1, 2, 3}, four{1, 2, 3, 4};
  CHECK(error_in_all_stages<kt::shape_error>(sums, one, four) ==
        "scan: the taps of a sequence, of which parameter 2 of the body is the first, need 2 elements besides those of a step, but it has 1: "
        "extent 0 of parameter 1 (dvector) is 1");
  CHECK_THAT(error_in_all_stages<kt::shape_error>(sums, none, none), Catch::Contains("but it has 0"));
  {
    auto const f = kt::function(sums);
    CHECK(f(two, four).size() == 0);
    CHECK((f(three, four) == vector{7}));
  }
  CHECK(kt::function(sums, kt::mode::interpret)(two, four).size() == 0);
  // A loop in a loop, a condition, and a number of steps, which is what is asked for then
  constexpr auto nested = [](kt::dmatrix x) {
    return kt::map(
        [](auto row) {
          return foldl([](auto a, auto b, auto s) { return a * b + s; }, kt::sequences(kt::taps<-1, 1>(row)), kt::outputs_info(0.0));
        },
        kt::sequences(x));
  };
  xt::xtensor<double, 2> const narrow{{1}, {2}}, wide{{1, 2, 3}, {2, 3, 4}};
  CHECK_THAT(error_in_all_stages<kt::shape_error>(nested, narrow), Catch::Contains("need 2 elements besides those of a step, but it has 1"));
  CHECK((kt::function(nested)(wide) == vector{3, 8}));
  constexpr auto stopped = [](kt::dvector x) {
    return scan([](auto a, auto b) { return kt::until(a > b, a + b); }, kt::sequences(kt::taps<0, 1>(x)));
  };
  CHECK_THAT(error_in_all_stages<kt::shape_error>(stopped, none), Catch::Contains("need 1 element besides those of a step, but it has 0"));
  CHECK((kt::function(stopped)(three) == vector{3, 5}));
  constexpr auto counted = [](kt::dvector x) {
    return scan([](auto a, auto b) { return b - a; }, kt::sequences(kt::taps<0, 1>(x)), kt::n_steps(0));
  };
  CHECK(kt::function(counted)(none).size() == 0);
}

TEST_CASE("scan: starts with fewer rows than taps need", "[loops]") {
  using integers = xt::xtensor<std::int64_t, 1>;
  CHECK(error_in_all_stages<kt::shape_error>(fibonacci, integers{1}) ==
        "scan: a start has 1 row, but the taps of its state need 2: extent 0 of parameter 1 (lvector) is 1");
  CHECK(error_in_all_stages<kt::shape_error>([](kt::dmatrix start) {
    return scan([](auto fourth) { return -fourth; }, kt::outputs_info(kt::taps<-4>(start)), kt::n_steps(1));
  }, matrix(std::array<std::size_t, 2>{0, 2})) ==
        "scan: a start has 0 rows, but the taps of its state need 4: extent 0 of parameter 1 (dmatrix) is 0");
}

TEST_CASE("scan: extents of a step that do not match", "[loops]") {
  vector const two{1, 2}, three{1, 2, 3};
  CHECK(error_in_all_stages<kt::shape_error>([](kt::dmatrix x, kt::dvector h) {
    return scan([](auto row, auto h) { return row * h; }, kt::sequences(x), kt::outputs_info(h));
  }, matrix{{1, 2}}, three) ==
        "scan: what a step reads does not fit, or a state changes its shape: extent 1 of parameter 1 (dmatrix) is 2, extent 0 of parameter 2 (dvector) is 3");
  CHECK(error_in_all_stages<kt::shape_error>([](kt::dvector h, kt::dvector w) {
    return scan([&](auto) { return w; }, kt::outputs_info(h), kt::n_steps(3));
  }, two, three) ==
        "scan: what a step reads does not fit, or a state changes its shape: extent 0 of parameter 2 (dvector) is 3, extent 0 of parameter 1 (dvector) is 2");
  CHECK_THAT(error_of<kt::shape_error>(kt::function([](kt::dvector h, kt::dvector w) {
    return scan([&](auto h) { return concatenate<0>(h, w); }, kt::outputs_info(h), kt::n_steps(3));
  }), two, three), Catch::EndsWith("or a state changes its shape: a computed extent is 5, extent 0 of a state (dvector) that starts as parameter 1 is 2"));
}

TEST_CASE("scan: a call that is refused leaves everything as it was", "[loops]") {
  kt::shared total(0.0);
  auto const f = kt::function([](kt::dvector x, kt::dvector y, kt::lscalar n, kt::dscalar total) {
    auto s = foldl([](auto a, auto b, auto s) { return s + a * b; }, kt::sequences(x, y), kt::outputs_info(0), kt::n_steps(n));
    return kt::outputs(s).update(total, total + s);
  }, total);
  vector const two{1, 2}, three{1, 2, 3};
  CHECK(f(two, three, 2) == 5);
  CHECK_THROWS_AS(f(two, three, 3), kt::shape_error);
  CHECK_THROWS_AS(f(two, three, -1), kt::value_error);
  CHECK(total.get_value() == 5);
  CHECK(f(three, three, 3) == 14);
}

TEST_CASE("scan: errors of gradients are those of the loop", "[loops]") {
  auto const gradient = [](kt::dvector x, kt::dvector y, kt::lscalar n) {
    return grad(scan([](auto a, auto b, auto s) { return s * a + b; }, kt::sequences(x, y), kt::outputs_info(1), kt::n_steps(n))(-1), x, y);
  };
  CHECK(error_in_all_stages<kt::shape_error>(gradient, vector{1, 2, 3}, vector{1, 2}, 3) ==
        "scan: n_steps is 3, but the sequence of the body's parameter 2 has elements for 2 steps: extent 0 of parameter 2 (dvector) is 2");
}

TEST_CASE("scan: a body in error is refused with checkpoints, too", "[loops]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  auto sizes = g.input<std::int64_t, 1>("sizes");
  scan([&](auto n, auto s) { return std::tuple(x(kt::slice(n)), s + 1); }, kt::sequences(sizes), kt::outputs_info(kt::none, 0.0),
       kt::checkpoint(2));
  CHECK_THAT(std::string(x.of->error()), Catch::Contains("would differ in shape"));
}
