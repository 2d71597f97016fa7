// What kt::minimize and kt::least_squares refuse, and how they end where they cannot converge.
// SPDX-License-Identifier: BSD-3-Clause
#include <run/minimize/problems.hpp>

#include <boost/hana/define_struct.hpp>

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

constexpr auto rosenbrock = [](problems::two x) { return sum(sqr(problems::rosenbrock(x))); };
constexpr auto logarithm = [](kt::dvector x) { return sum(x - log(x)); };  // NaN below 0
constexpr auto downhill = [](kt::dscalar x) { return -exp(x); };
constexpr auto jump = [](kt::dscalar x) {  // its gradient leads to where the value is higher
  return where(x > 1, x, x + 10);
};
constexpr auto fit = [](kt::dvector p, kt::dvector t, kt::dvector y) {
  return p(0) + p(1) * t - y;
};
constexpr auto root_of = [](kt::dvector p) { return sqrt(p); };

struct pair : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(pair, (kt::dvector, a), (kt::dscalar, b));
};
constexpr auto squares = [](pair p) { return sum(sqr(p.a)) + sqr(p.b); };

}  // namespace

TEST_CASE("minimize: starts that are refused", "[minimize]") {
  CHECK_THROWS_WITH(kt::minimize(logarithm, std::vector{1.0, missing}),
                    "kt::minimize: element 1 of the start is NaN");
  CHECK_THROWS_WITH(kt::minimize(logarithm, std::vector{-INFINITY, 1.0}),
                    "kt::minimize: element 0 of the start is infinite");
  CHECK_THROWS_WITH(kt::minimize(logarithm, std::vector<double>{}),
                    "kt::minimize: the start is empty: there is nothing to vary");
  CHECK_THROWS_WITH(kt::minimize(logarithm, std::vector{1.0, -1.0}),
                    "kt::minimize: the value at the start is NaN");
  CHECK_THROWS_WITH(kt::minimize(logarithm, std::vector{1.0, 0.0}),
                    "kt::minimize: the value at the start is infinite");
  CHECK_THROWS_AS(kt::minimize(logarithm, std::vector{1.0, -1.0}), kt::value_error);
  CHECK_THROWS_WITH(kt::minimize(squares, std::tuple(std::vector{1.0, missing}, 1.0)),
                    "kt::minimize: element 1 of a of the start is NaN");
  CHECK_THROWS_WITH(kt::minimize(squares, std::tuple(std::vector{1.0}, missing)),
                    "kt::minimize: element 0 of b of the start is NaN");
  CHECK_THROWS_AS(kt::minimize(rosenbrock, std::vector{1.0, 2.0, 3.0}), kt::shape_error);
}

TEST_CASE("least_squares: starts and data that are refused", "[minimize]") {
  std::vector<double> const none, t{0, 1, 2}, y{0, 1};
  std::vector<double> const start{0, 0};
  CHECK_THROWS_WITH(kt::least_squares(fit, start, kt::given(none, none)),
                    "kt::least_squares: the lambda returns no elements at the start");
  CHECK_THROWS_AS(kt::least_squares(fit, start, kt::given(t, y)), kt::shape_error);
  CHECK_THROWS_WITH(kt::least_squares(fit, std::vector{missing, 0.0}, kt::given(t, t)),
                    "kt::least_squares: element 0 of the start is NaN");
  CHECK_THROWS_WITH(kt::least_squares(root_of, std::vector{1.0, 0.0}),
                    "kt::least_squares: a result of the lambda at the start, or a derivative of "
                    "it, is not finite");
}

TEST_CASE("minimize: limits", "[minimize]") {
  std::vector<double> const start{-1.2, 1};
  auto const r = kt::minimize(rosenbrock, start, {.max_iterations = 5});
  CHECK_FALSE(r.converged);
  CHECK(r.why == kt::ending::max_iterations);
  CHECK(r.iterations == 5);
  CHECK(r.value < 24.2);
  auto const e = kt::minimize(rosenbrock, start, {.max_evaluations = 7});
  CHECK(e.why == kt::ending::max_evaluations);
  CHECK(e.evaluations <= 8);
  CHECK(e.value < 24.2);
  // The value belongs to the point
  CHECK(kt::function(rosenbrock)(e.x) == Approx(e.value));
  auto const n = kt::minimize(rosenbrock, start, kt::newton{.max_iterations = 3});
  CHECK(n.why == kt::ending::max_iterations);
  auto const s = kt::least_squares(problems::rosenbrock, start, {.max_evaluations = 4});
  CHECK(s.why == kt::ending::max_evaluations);
  CHECK(s.evaluations == 4);
  CHECK(s.message() == "not converged: the limit of evaluations was reached (max_evaluations)");
  auto const none = kt::minimize(rosenbrock, start, {.max_iterations = 0});
  CHECK(none.iterations == 0);
  CHECK(agrees(none.x, start, 0));
}

TEST_CASE("minimize: steps out of the domain are shortened", "[minimize]") {
  auto const r = kt::minimize(logarithm, std::vector{20.0, 0.01, 3.0});
  CHECK(r.converged);
  CHECK(agrees(r.x, {1, 1, 1}));
  auto const n = kt::minimize(logarithm, std::vector{20.0, 0.01, 3.0}, kt::newton{});
  CHECK(n.converged);
  CHECK(agrees(n.x, {1, 1, 1}));
}

TEST_CASE("minimize: no minimum", "[minimize]") {
  auto const r = kt::minimize(downhill, 0.0);
  CHECK_FALSE(r.converged);
  CHECK(r.why == kt::ending::unbounded);
  CHECK(r.value == -INFINITY);
  auto const n = kt::minimize(downhill, 0.0, kt::newton{});
  CHECK_FALSE(n.converged);
  CHECK(n.why == kt::ending::unbounded);
  auto const j = kt::minimize(jump, 1.0 + 1e-13);
  CHECK_FALSE(j.converged);
  CHECK(j.why == kt::ending::no_decrease);
}

namespace {
constexpr auto kink = [](kt::dvector x) { return sum(pow(abs(x), 1.5)) - 7; };  // no Hessian at 0
}  // namespace

TEST_CASE("minimize, Newton: a Hessian that is not finite", "[minimize]") {
  CHECK_THROWS_WITH(kt::minimize(kink, {1.0, 0.0}, kt::newton{}),
                    "kt::minimize: the Hessian at the start is not finite");
  CHECK_THROWS_WITH(kt::minimize(logarithm, {1.0, -1.0}, kt::newton{}),
                    "kt::minimize: the value at the start is NaN");
  auto const r = kt::minimize(kink, {1.0, -2.0}, kt::newton{});
  CHECK(std::isfinite(r.value));
  CHECK(r.value == Approx(-7).margin(1e-6));
  CHECK(agrees(kt::minimize(kink, {1.0, -2.0}).x, {0, 0}, 1e-6));
}
