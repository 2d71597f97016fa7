// What tests of passes over scans look at in a graph, and results without each of the passes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/loops/agreement.hpp"

#include <string_view>
#include <type_traits>

namespace loop_tests {

namespace kt = kroton;

using tensor = xt::xtensor<double, 3>;

template <class F>
kt::graph optimized(F const& f) {
  return kt::optimize(kt::graph_of(f).get(), kt::stage::specialize);
}
inline int count(kt::graph const& g, std::string_view op) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += g[id].op->name == op ? 1 : 0;
  return found;
}
/// The body of the only scan of a graph.
inline kt::graph body(kt::graph const& g) {
  REQUIRE(count(g, "scan") == 1);
  REQUIRE(g.bodies().size() == 1);
  return *g.bodies()[0];
}

template <class A, class B>
void check_same(A const& a, B const& b) {
  if constexpr (requires { a.shape(); }) {
    CHECK(a.shape() == b.shape());
    CHECK((a.size() == 0 || xt::amax(xt::abs(a - b))() < 1e-12));
  } else if constexpr (std::is_arithmetic_v<A>) {
    CHECK(a == Approx(b).epsilon(1e-12));
  } else {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check_same(std::get<I>(a), std::get<I>(b)), ...);
    }(std::make_index_sequence<std::tuple_size_v<A>>{});
  }
}
/// The same results without each of the passes, and without all of them.
template <class F, class... A>
void check_without(F const& f, A const&... arguments) {
  auto const expected = kt::function(f, suite::mode.excluding<"scan">())(arguments...);
  check_same(kt::function(f)(arguments...), expected);
  check_same(kt::function(f, kt::mode::interpret)(arguments...), expected);
  check_same(kt::function(f, suite::mode.excluding<"scan_push_out_sums">())(arguments...),
             expected);
  check_same(kt::function(f, suite::mode.excluding<"N3">())(arguments...), expected);
  check_same(kt::function(f, suite::mode.excluding<"scan_merge">())(arguments...), expected);
}

inline matrix const U{{1, -0.5}, {0.25, 2}};

}  // namespace loop_tests
