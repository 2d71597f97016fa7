// Results written to memory that the caller has a pointer to.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <xtensor/xfixed.hpp>

#include <span>

using namespace reference;

namespace {

using vec3 = kt::fixed<double, 3>;
constexpr auto outer_product = [](kt::dvector x, kt::dvector y) {
  return kt::outputs(outer(x, y), sum(x));
};
constexpr auto doubled = [](vec3 x) { return kt::outputs(2 * x, sum(x)); };

}  // namespace

TEST_CASE("into_pointer takes results of any rank, row by row") {
  auto f = kt::function(outer_product);
  double memory[8] = {};
  double total = 0;
  f.into(std::tuple<kroton::cpu::pointed_array<double, 2>, double&>(
             kt::into_pointer(memory + 1, 2, 3), total),
         vec<double>{1, 2}, vec<double>{3, 4, 5});
  CHECK(std::vector(memory, memory + 8) == std::vector<double>{0, 3, 4, 5, 6, 8, 10, 0});
  CHECK(total == 3);
  auto g = kt::function([](kt::dvector x) { return exp(x); });
  g.into(kt::into_pointer(memory, 2), vec<double>{0, 0});
  CHECK(memory[1] == 1);
  kt::function([](kt::dvector x) {
    return sum(x);
  }).into(kt::into_pointer(memory + 7), vec<double>{3, 4});
  CHECK(memory[7] == 7);
}

TEST_CASE("into_pointer takes elements of small arrays") {
  auto f = kt::function(doubled);
  double memory[4] = {1, 2, 3, 0};
  auto all = std::tuple(kt::into_pointer(memory, 3), kt::into_pointer(memory + 3));
  f.into(all, std::span<double const, 3>(memory, 3));
  CHECK(std::vector(memory, memory + 4) == std::vector<double>{2, 4, 6, 6});
}

TEST_CASE("into_pointer may point to an argument, but not to another target") {
  auto f = kt::function([](kt::dvector x) {
    return std::tuple(x + 1, cumsum(x(kt::slice(kt::none, kt::none, -1))));
  });
  double memory[6] = {1, 2, 3};
  auto apart = std::tuple(kt::into_pointer(memory, 3), kt::into_pointer(memory + 3, 3));
  f.into(apart, std::span<double const>(memory, 3));
  CHECK(std::vector(memory, memory + 6) == std::vector<double>{2, 3, 4, 3, 5, 6});
  auto same = std::tuple(kt::into_pointer(memory, 3), kt::into_pointer(memory + 2, 3));
  CHECK_THROWS_WITH(f.into(same, vec<double>{1, 2, 3}),
                    Catch::Contains("targets 1 and 2 share memory"));
  CHECK(memory[0] == 2);
}

TEST_CASE("into_pointer refuses results of other extents, and negative extents") {
  auto f = kt::function([](kt::dvector x) { return exp(x); });
  double memory[3] = {7, 7, 7};
  CHECK_THROWS_AS(f.into(kt::into_pointer(memory, 3), vec<double>{0, 0}), kt::shape_error);
  CHECK(memory[0] == 7);
  CHECK_THROWS_WITH(kt::into_pointer(memory, -1), Catch::Contains("an extent is -1"));
}

TEST_CASE("into_pointer converts where nothing is lost") {
  auto f = kt::function([](kt::fvector x) { return 2 * x; });
  double memory[2] = {};
  f.into(kt::into_pointer(memory, 2), vec<float>{1, 3});
  CHECK(memory[1] == 6);
}
