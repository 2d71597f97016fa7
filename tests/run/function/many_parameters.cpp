// Functions of as many parameters as one likes.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <array>
#include <utility>

namespace kt = kroton;

namespace {

template <std::size_t>
using scalar = kt::dscalar;
template <std::size_t>
using vector = kt::dvector;

constexpr auto sum_of_all = [](auto... x) { return (x + ...); };

template <class O>
constexpr auto counting_up(O const& all) {
  return all;
}
template <class O, class P, class... Rest>
constexpr auto counting_up(O const& all, P const& first, Rest const&... rest) {
  return counting_up(all.update(first, first + 1), rest...);
}
constexpr auto count_up = [](auto... w) { return counting_up(kt::outputs((2 * w)...), w...); };

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

TEST_CASE("a function of 70 shared variables, all updated, and 70 outputs") {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    std::array shared{((void)I, kt::shared(static_cast<double>(I)))...};
    auto f = kt::function<scalar<I>...>(count_up, shared[I]...);
    auto const first = f();
    CHECK(std::get<69>(first) == 138);
    auto const second = f();
    CHECK(((std::get<I>(second) == 2 * (static_cast<double>(I) + 1)) && ...));
    CHECK(((shared[I].get_value() == static_cast<double>(I) + 2) && ...));
  }(std::make_index_sequence<70>{});
}
