// Distinct elements of copies are those of what is copied.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <utility>

using namespace reference;

namespace {

bool has_copies(kt::graph const& g) {
  return kt::functions::prepare(g, kt::stage::specialize, {}).has<kt::op::alloc, kt::op::reshape>();
}
constexpr auto of_repeated = [](kt::dvector x) { return kt::unique(kt::repeat(x, 3)); };
constexpr auto of_tiled = [](kt::dvector x) { return kt::unique(kt::tile(x, 2)); };
constexpr auto of_spread = [](kt::dmatrix x) { return kt::unique(kt::broadcast_to(x, 2, x.shape(0), x.shape(1))); };
constexpr auto of_counted = [](kt::dvector x, kt::lscalar n) { return kt::unique(kt::repeat(x, n)); };
constexpr auto of_number = [](kt::dscalar x) { return kt::unique(x); };

}  // namespace

TEST_CASE("distinct elements of copies are found among the originals", "[rewrite]") {
  CHECK_FALSE(has_copies(kt::graph_of(of_repeated)));
  CHECK_FALSE(has_copies(kt::graph_of(of_tiled)));
  CHECK_FALSE(kt::functions::prepare(kt::graph_of(of_spread), kt::stage::specialize, {}).has<kt::op::alloc>());
  CHECK_FALSE(kt::functions::prepare(kt::graph_of(of_number), kt::stage::specialize, {}).has<kt::op::sort>());

  vec<double> const x{3, 1, 3, NAN, 2}, distinct{1, 2, 3};
  auto const check = [&](vec<double> const& found) {
    REQUIRE(found.size() == 4);
    CHECK(mismatch(vec<double>(xt::view(found, xt::range(0, 3))), [&](auto i) { return distinct(static_cast<std::size_t>(i)); }) == "");
    CHECK(std::isnan(found(3)));
  };
  check(kt::function(of_repeated)(x));
  check(kt::function(of_tiled)(x));
  vec<double> const of_matrix = kt::function(of_spread)(mat<double>{{2, 1}, {1, 2}});
  CHECK(mismatch(of_matrix, [](auto i) { return static_cast<double>(i + 1); }) == "");
  vec<double> const of_scalar = kt::function(of_number)(7.);
  CHECK((of_scalar.size() == 1 && of_scalar(0) == 7));
}

TEST_CASE("copies stay where there may be none", "[rewrite]") {
  CHECK(has_copies(kt::graph_of(of_counted)));
  auto f = kt::function(of_counted);
  vec<double> const some = f(vec<double>{2, 1, 2}, 2), none = f(vec<double>{2, 1, 2}, 0);
  CHECK(mismatch(some, [](auto i) { return static_cast<double>(i + 1); }) == "");
  CHECK(none.size() == 0);
}
