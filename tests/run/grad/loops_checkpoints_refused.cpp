// What loops in segments refuse, also where nothing but their gradients is read.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/grad/loops.hpp"

namespace kt = kroton;
using namespace loop_tests;

TEST_CASE("checkpoint: sequences that are too short", "[loops][errors]") {
  auto const f = kt::function([](kt::dvector x, kt::lscalar n) {
    return scan([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0.0),
                kt::n_steps(n), kt::checkpoint(2))(-1);
  });
  CHECK(f(vector{1, 2, 3, 4}, 3) == 6);
  CHECK_THROWS_WITH(f(vector{1, 2, 3, 4}, 5), Catch::Contains("5"));
}

namespace {

// A loop that goes beyond sequences of 4 and starts of 2 rows, where nothing of it is read but
// derivatives.
constexpr auto beyond = [](auto option, kt::dvector x, kt::dvector start, kt::lscalar n) {
  return scan([](auto e, auto first, auto last) { return e * first + last; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-3, -1>(start)), kt::n_steps(n), option);
};
void refuses_short_operands(auto const& f) {
  vector const x{1, 2, 3, 4}, start{0.5, 0.25, 0.125};
  CHECK_NOTHROW(f(x, start, 4));
  CHECK_THROWS_WITH(f(x, start, 5), Catch::Contains("4") && Catch::Contains("5"));
  CHECK_THROWS_WITH(f(x, vector{0.5, 0.25}, 4), Catch::Contains("2") && Catch::Contains("3"));
  CHECK_THROWS_WITH(f(x, start, -1), Catch::Contains("-1"));
}

}  // namespace

TEST_CASE("checkpoint: operands that are too short for values, gradients, tangents, slices",
          "[loops][errors]") {
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return beyond(kt::checkpoint(2), x, start, n);
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return grad(sum(beyond(kt::checkpoint(2), x, start, n)), x, start);
  }));
  // Of a sum of rows that are linear in it, the gradient needs no row
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return grad(
        sum(scan([](auto e, auto s, auto t) { return e + s + t; }, kt::sequences(x),
                 kt::outputs_info(kt::taps<-3, -1>(start)), kt::n_steps(n), kt::checkpoint(2))),
        x);
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return rop(beyond(kt::checkpoint(2), x, start, n), x, kt::ones_like(x));
  }));
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    return kt::vmap([=](kt::dscalar a) { return beyond(kt::checkpoint(2), a * x, a * start, n); })(
        x);
  }));
  // Segments in the step of another loop, whose states and elements are the operands
  refuses_short_operands(kt::function([](kt::dvector x, kt::dvector start, kt::lscalar n) {
    auto y = foldl([=](kt::dvector s) { return s + beyond(kt::checkpoint(2), x * s(0), s, n)(-1); },
                   kt::outputs_info(start), kt::n_steps(2));
    return grad(sum(y), x);
  }));
}

TEST_CASE("checkpoint: what is refused while it is recorded", "[loops][errors]") {
  auto const refused = [](auto option, auto condition) {
    kt::graph g;
    kt::dvector const x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
    scan([=](auto e, auto s) { return condition(s + e); }, kt::sequences(x), kt::outputs_info(0.0),
         option);
    return std::string(g.error());
  };
  CHECK(refused(kt::checkpoint(0), [](auto s) { return s; }) ==
        "kt::checkpoint: a segment has at least one step");
  CHECK(refused(kt::checkpoint(3), [](auto s) { return kt::until(s > 1, s); }) ==
        "kt::checkpoint: a loop that kt::until stops cannot be divided into segments, since the "
        "number of its steps is not known before: "
        "use kt::snapshots(c)");
}
