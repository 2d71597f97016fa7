// What tests of gradients of loops share beyond those of loops: comparisons of what several return.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/loops/agreement.hpp"

#include <type_traits>

namespace loop_tests {

inline vector const x0{0.5, -0.25, 1.5, 0.75};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}
/// Whether two tuples of numbers and arrays agree.
template <class A, class B>
void agree(A const& a, B const& b) {
  if constexpr (std::is_arithmetic_v<A>) {
    CHECK(a == Approx(b).epsilon(1e-13));
  } else {
    REQUIRE(a.shape() == b.shape());
    for (std::size_t i = 0; i < a.size(); ++i)
      CHECK(a.flat(i) == Approx(b.flat(i)).epsilon(1e-12).margin(1e-13));
  }
}
template <class... A, class... B>
void agree(std::tuple<A...> const& a, std::tuple<B...> const& b) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (agree(std::get<I>(a), std::get<I>(b)), ...);
  }(std::index_sequence_for<A...>{});
}

}  // namespace loop_tests
