// kt::assert_that inside an expression: when it throws, what passes through it, and when it is gone.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using Catch::Equals;

namespace {
int count_of_assertions(kt::graph const& g) {
  kt::graph const optimized = kt::functions::prepare(g, kt::stage::specialize, {});
  int count = 0;
  for (int id = 0; id < optimized.size(); ++id) count += optimized.is<kt::op::assertion>(id) ? 1 : 0;
  return count;
}
}  // namespace

TEST_CASE("an assertion gives its operand where its condition holds, and else throws its message") {
  auto f = kt::function([](kt::dvector x) { return sqrt(kt::assert_that("a root of what is negative", x >= 0, x)); });
  vec<double> const y = f(vec<double>{0, 4});
  CHECK(mismatch(y, [](auto i) { return i == 0 ? 0. : 2.; }) == "");
  CHECK_THROWS_MATCHES(f(vec<double>{0, -4}), kt::value_error, Catch::Message("a root of what is negative"));
  CHECK_NOTHROW(f(vec<double>(std::array<std::size_t, 1>{0})));

  auto scalar = kt::function([](kt::dscalar x, kt::lscalar n) { return x / cast<double>(kt::assert_that("n is 0", n != 0, n)); });
  CHECK(scalar(1., 2) == 0.5);
  CHECK_THROWS_WITH(scalar(1., 0), Equals("n is 0"));
}

TEST_CASE("an assertion that fails leaves shared variables as they were") {
  kt::shared s(vec<double>{1, 2});
  auto f = kt::function(
      [](kt::dvector x, kt::dvector s) { return kt::outputs(sum(x)).update(s, kt::assert_that("too large", s + x < 5, s + x)); }, s);
  f(vec<double>{1, 1});
  CHECK_THROWS_WITH(f(vec<double>{0, 2}), Equals("too large"));
  vec<double> const now = s.get_value();
  CHECK(mismatch(now, [](auto i) { return static_cast<double>(i + 2); }) == "");
}

TEST_CASE("gradients pass an assertion") {
  auto f = kt::function([](kt::dvector x) { return grad(sum(sqr(kt::assert_that("negative", x >= 0, x))), x); });
  vec<double> const g = f(vec<double>{1, 2});
  CHECK(mismatch(g, [](auto i) { return 2. * static_cast<double>(i + 1); }) == "");
  CHECK_THROWS_WITH(f(vec<double>{-1, 2}), Equals("negative"));
}

TEST_CASE("an assertion in a branch is checked where the branch is taken") {
  auto f = kt::function([](kt::dscalar c, kt::dvector x) { return ifelse(c > 0, sum(exp(kt::assert_that("negative", x >= 0, x))), 0.); });
  CHECK(f(0., vec<double>{-1}) == 0);
  CHECK_THROWS_WITH(f(1., vec<double>{-1}), Equals("negative"));
}

TEST_CASE("an assertion under vmap asks for all slices") {
  auto f = kt::function(kt::vmap([](kt::dvector row) { return sum(kt::assert_that("negative", row >= 0, row)); }));
  vec<double> const sums = f(mat<double>{{1, 2}, {3, 4}});
  CHECK(mismatch(sums, [](auto i) { return i == 0 ? 3. : 7.; }) == "");
  CHECK_THROWS_WITH(f(mat<double>{{1, 2}, {3, -4}}), Equals("negative"));
}

TEST_CASE("an assertion whose condition is known to hold is gone, and one in another is one") {
  CHECK(count_of_assertions(kt::graph_of([](kt::dvector x) { return exp(kt::assert_that("", true, x)); })) == 0);
  CHECK(count_of_assertions(kt::graph_of([](kt::dmatrix x) {
          return exp(kt::assert_that("a message of some length", x.shape(0) == x.shape(0), x));
        })) == 0);
  CHECK(count_of_assertions(kt::graph_of([](kt::dvector x) {
          auto const positive = x > 0;
          return kt::assert_that("a message of some length", positive, kt::assert_that("a message of some length", positive, x));
        })) == 1);
  CHECK(count_of_assertions(kt::graph_of([](kt::dvector x) {
          auto const positive = x > 0;
          return kt::assert_that("a message of some length", positive, kt::assert_that("another message of that length", positive, x));
        })) == 2);
  CHECK(count_of_assertions(kt::graph_of([](kt::dvector x) { return exp(kt::assert_that("", false, x)); })) == 1);
}
