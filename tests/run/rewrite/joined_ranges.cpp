// Ranges that are joined become one range only where the same is done to both.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

using namespace reference;

TEST_CASE("joined ranges of different conversions stay two", "[rewrite]") {
  auto f = kt::function([](kt::dvector v) {
    return concatenate<0>(kt::cast<double>(kt::cast<float>(v(kt::slice(0, 2)))),
                          kt::cast<double>(kt::cast<std::int32_t>(v(kt::slice(2, 4)))));
  });
  auto const joined = f(vec<double>{1.5, 2.5, 2.7, -3.7});
  CHECK(joined == vec<double>{1.5, 2.5, 2, -3});
}

TEST_CASE("joined ranges of one tensor are one range", "[rewrite]") {
  constexpr auto halves = [](kt::dvector v) {
    return concatenate<0>(exp(v(kt::slice(0, 2))), exp(v(kt::slice(2, 4))));
  };
  constexpr auto whole = [](kt::dvector v) { return exp(v(kt::slice(0, 4))); };
  STATIC_REQUIRE(std::is_same_v<kt::canonical<halves>, kt::canonical<whole>>);
}
