// Ranks that differ, and ranks that fail: an error on all of them, no hang, and in step again.
// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/tests.hpp"

#include <kroton/runtime.hpp>

#include <xtensor/xarray.hpp>

namespace {

// Refuses before the reduction, and after it.
constexpr auto step = [](kt::dvector x, kt::dvector w) {
  auto const checked = kt::assert_that("x is finite", all(isfinite(x)), x);
  auto const total = kt::all_reduce(checked, kt::sum);
  auto const next = w + kt::assert_that("w is small", sum(w) < 100, total);
  return kt::outputs(sum(total)).update(w, next);
};

vector const ones{1, 1}, wrong{1, std::numeric_limits<double>::infinity()};

template <class Mode>
void check_failures(Mode mode) {
  auto const world = all_ranks();
  bool const is_last = world.rank() == world.size() - 1;
  double const n = world.size();
  kt::shared w(vector{0, 0});
  auto const f = kt::function(step, w, mode);
  std::string const last = "rank " + std::to_string(world.size() - 1);
  auto const check_call = [&] {
    vector const before = w.get_value();
    CHECK(f(ones) == 2 * n);
    CHECK((w.get_value() == before + n));
  };
  check_call();

  // Before the reduction: the others wait for it.
  std::string text = thrown([&] { f(is_last ? wrong : ones); });
  CHECK((is_last ? text == "x is finite" : contains(text, last + " has left a call by an error")));
  CHECK((w.get_value() == vector{n, n}));
  check_call();

  // Arguments that are refused.
  text = thrown([&] { f(is_last ? vector{1, 2, 3} : ones); });
  CHECK(contains(text, is_last ? "extent 0 of parameter 1" : last + " has left a call by an error"));
  check_call();
  text = thrown([&] { f(is_last ? xt::xarray<int>{{1, 2}} : xt::xarray<int>{1, 1}); });
  CHECK(contains(text, is_last ? "rank 2" : last + " has left a call by an error"));
  check_call();

  // After it, the others learn of it in their next call. Its variables are behind.
  vector const kept = w.get_value();
  if (is_last) w.set_value(vector{1000, 0});
  text = thrown([&] { f(ones); });
  CHECK(text == (is_last ? "w is small" : ""));
  if (is_last) w.set_value(kept);
  if (!is_last) {
    text = thrown([&] { f(ones); });
    CHECK(contains(text, last + " has left a call by an error"));
  }
  world.broadcast(w);
  if (world.size() > 1) CHECK((w.get_value() == kept + n));
  check_call();

  // All of them fail, each by itself.
  CHECK(thrown([&] { f(wrong); }) == "x is finite");
  check_call();
}

}  // namespace

TEST_CASE("a rank whose call throws tells the others, and all go on") { check_failures(kt::mode::fast_run); }
TEST_CASE("so does one whose functions are interpreted") { check_failures(kt::mode::interpret); }

TEST_CASE("so does one whose targets are refused") {
  auto const world = all_ranks();
  kt::shared w(vector{1, 2});
  auto const f = kt::function([](kt::dvector x, kt::dvector old) { return kt::outputs(kt::all_reduce(x, kt::sum)).update(old, 2 * old); }, w);
  vector y{0, 0};
  std::string const text = thrown([&] { world.rank() == 0 ? f.into(w.storage(), ones) : f.into(y, ones); });
  CHECK(contains(text, world.rank() == 0 ? "shared variable" : "rank 0 has left a call by an error"));
  f.into(y, ones);
  CHECK((y == world.size() * ones));
}

TEST_CASE("so does one with functions of run-time graphs, in debug mode, too") {
  auto const world = all_ranks();
  kt::runtime::graph g;
  auto const x = g.input<kt::dvector>("x");
  auto const f = g.function({x}, sum(kt::all_reduce(kt::assert_that("x is finite", all(isfinite(x)), x), kt::sum)), kt::mode::debug);
  auto const check = [&](auto const& refused, std::string const& own) {
    std::string const text = thrown([&] { world.rank() == 0 ? f(refused) : f(ones); });
    CHECK(contains(text, world.rank() == 0 ? own : "rank 0 has left a call by an error"));
    CHECK(f(ones) == 2 * world.size());
  };
  check(wrong, "x is finite");
  check(wrong, "x is finite");  // again: all know of the last one
  check(matrix{{1}}, "x");
}

TEST_CASE("a rank whose call throws tells the others also after a broadcast that was refused") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  kt::shared w(vector{0, 0});
  kt::shared unlike_w(0.0f);
  CHECK(!thrown<kt::distributed::error>([&] { world.rank() == 1 ? world.broadcast(unlike_w) : world.broadcast(w); }).empty());
  auto const f = kt::function(step, w);
  std::string const text = thrown([&] { f(world.rank() == 1 ? wrong : ones); });
  CHECK((world.rank() == 1 ? text == "x is finite" : contains(text, "rank 1 has left a call by an error")));
  CHECK(f(ones) == 2 * world.size());
}

TEST_CASE("ranks with different extents are named on all of them, with both extents") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  std::size_t const n = world.rank() == 1 ? 4 : 3;
  auto const f = kt::function([](kt::dmatrix x, kt::dvector v) {
    auto const [a, b] = kt::all_reduce(std::tuple(v, x), kt::sum);
    return std::tuple(a, b);
  });
  CHECK(thrown<kt::shape_error>([&] { f(matrix::from_shape({2, n}), vector{1}); }) ==
        "kt::all_reduce: value 2 has the extents (2, 3) on rank 0, but (2, 4) on rank 1");
  auto const [a, b] = f(matrix{{1}}, vector{2});
  CHECK(a(0) == 2 * world.size());
}

TEST_CASE("ranks that ask for different things are named, with both") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  auto const f = kt::function([](kt::dscalar x) { return kt::all_reduce(x, kt::sum); });
  auto const g = kt::function([](kt::fscalar x) { return kt::all_reduce(x, kt::max); });
  CHECK(thrown<kt::distributed::error>([&] { world.rank() == 1 ? g(1.0f) : f(1); }) ==
        "kt::all_reduce: rank 0 asks for the sum of a value of float64 (number 1 of its function), but rank 1 for the max of a value of "
        "float32 (number 1 of its function)");
  CHECK(f(1) == world.size());
}
