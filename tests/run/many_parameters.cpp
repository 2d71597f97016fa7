// Functions of as many parameters as one likes.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <utility>

namespace kt = kroton;

namespace {

template <std::size_t>
using scalar = kt::dscalar;
template <std::size_t>
using vector = kt::dvector;

constexpr auto sum_of_all = [](auto... x) { return (x + ...); };

}  // namespace

TEST_CASE("a function of 80 parameters") {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto add = kt::function<scalar<I>...>(sum_of_all);
    CHECK(add(static_cast<double>(I)...) == 80 * 79 / 2);

    auto add_vectors = kt::function<vector<I>...>(sum_of_all);
    auto const numbered = [](std::size_t i) { return xt::xtensor<double, 1>{1, static_cast<double>(i)}; };
    CHECK((add_vectors(numbered(I)...) == xt::xtensor<double, 1>{80, 80 * 79 / 2}));
    auto const last_is_longer = [&](std::size_t i) {
      return i < 79 ? numbered(i) : xt::xtensor<double, 1>{1, 2, 3};
    };
    CHECK_THROWS_WITH(add_vectors(last_is_longer(I)...), Catch::Contains("parameter 80 (dvector) is 3"));
  }(std::make_index_sequence<80>{});
}
