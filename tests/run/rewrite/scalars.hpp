// What tests of functions of small arrays share: arrays, results with and without the pass, and
// what calls compute with.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/loops/agreement.hpp"
#include "run/reference.hpp"

#include <xtensor/xfixed.hpp>

namespace scalar_tests {

namespace kt = kroton;

template <std::size_t... N>
using fixed_array = xt::xtensor_fixed<double, xt::xshape<N...>>;
using vec3 = kt::fixed<double, 3>;
using vec4 = kt::fixed<double, 4>;
using mat3 = kt::fixed<double, 3, 3>;
using mat4 = kt::fixed<double, 4, 4>;

inline fixed_array<3> const x{0.5, -1.25, 2}, y{1.5, 0.75, -0.25};
inline fixed_array<4> const z{1, -2, 0.5, 4};
inline fixed_array<3, 3> const A{{1, 2, -3}, {0.5, 4, 1}, {-2, 0.25, 3}};
// Its first pivot is 0, and the second one after an exchange.
inline fixed_array<3, 3> const P{{0, 2, 1}, {4, 2, 0.5}, {2, 1, -3}};
inline fixed_array<3, 3> const singular{{1, 2, 3}, {2, 4, 6}, {1, 0, 1}};
inline fixed_array<4, 4> const M{{0.5, 4, -2, 1}, {-8, 1, 0, 2}, {3, 3, 1, -1}, {1, -2, 7, 0.25}};

/// Compiled, interpreted, and without the pass a function gives the same.
template <class F, class... X>
void check_elements(F const& f, X const&... arguments) {
  loop_tests::check_agreement(kt::mode::interpret.excluding<"scalar_replacement">(), {1e-13, 1e-14},
                              f, arguments...);
}
/// Whether something holds for all nodes of what runs.
template <class F, class Holds>
bool all_nodes(F const& f, Holds holds) {
  using function = decltype(kt::function(f));
  kt::graph const g = kt::functions::graph_of_compiled<function>::optimized();
  bool all = true;
  for (int id = 0; id < g.size(); ++id) all = all && holds(g, id);
  return all;
}
/// Whether what is computed are numbers alone.
template <class F>
bool computes_with_numbers(F const& f) {
  return all_nodes(f, [](kt::graph const& g, int id) {
    return g.type(id).rank == 0 || g.is<kt::op::input>(id) || g.is<kt::op::reshape>(id) ||
           g.is<kt::op::dimshuffle>(id) || g.is<kt::op::make_vector>(id);
  });
}
/// That calls load elements, compute with numbers, and store elements.
template <class F>
void check_calls(F const&) {
  using executor = typename F::executor_type;
  if constexpr (reference::runs_compiled) STATIC_REQUIRE(executor::is_of_elements);
}
template <class F>
void check_of_numbers(F const& f) {
  CHECK(computes_with_numbers(f));
  check_calls(kt::function(f));
}

}  // namespace scalar_tests
