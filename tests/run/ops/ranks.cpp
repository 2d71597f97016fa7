// Arrays of 8 dimensions, the most there are, and what is said of more where the compiler does not know.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <vector>

namespace kt = kroton;

namespace {

constexpr auto spread = [](auto x) { return x(kt::newaxis) * 2 + sum(x(0), kt::axis<0>); };

struct one_more : kt::operation<"one_more", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) {
    kt::tensor_type t = a.input(0);
    ++t.rank;
    return t;
  }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int) { return {kt::core::extent_source::one}; }
};

}  // namespace

TEST_CASE("an array has 8 dimensions") {
  xt::xtensor<double, 7> const x(std::array<std::size_t, 7>{1, 2, 1, 3, 1, 2, 1}, 1.0);
  kt::runtime::graph g;
  auto const a = g.input<double, 7>("a");
  auto const y = g.function({a}, spread(a))(x);
  CHECK(y.dimension() == 8);
  CHECK(y.shape() == std::array<std::size_t, 8>{1, 1, 2, 1, 3, 1, 2, 1});
  CHECK(xt::allclose(y, kt::function<kt::variable<double, 7>>(spread)(x)));
}

TEST_CASE("more than 8 dimensions are an error at run time") {
  kt::runtime::graph g;
  CHECK_THROWS_WITH(g.input(kt::tensor_type{kt::element::float64, 9, 0}), "an input has at most 8 dimensions, not 9");
  CHECK_THROWS_WITH(kt::runtime::array(kt::element::float64, std::vector<std::size_t>(9, 1)),
                    "an array has at most 8 dimensions, not 9");
  kt::term x = g.input(kt::tensor_type{kt::element::float64, 8, 0}, "x");
  kt::term const more{x.of, x.of->apply<one_more>({x.id})};
  CHECK_THROWS_WITH(g.function({x}, {more}), "kt: a tensor has at most 8 dimensions, but an expression has 9");
}
