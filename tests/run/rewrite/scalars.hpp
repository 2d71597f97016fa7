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
using mat3 = kt::fixed<double, 3, 3>;

inline fixed_array<3> const x{0.5, -1.25, 2}, y{1.5, 0.75, -0.25};
inline fixed_array<3, 3> const A{{1, 2, -3}, {0.5, 4, 1}, {-2, 0.25, 3}};

/// Compiled, interpreted, and without the pass a function gives the same.
template <class F, class... X>
void check_elements(F const& f, X const&... arguments) {
  loop_tests::check_agreement(kt::mode::interpret.excluding<"scalar_replacement">(), {1e-13, 1e-14},
                              f, arguments...);
}
/// Whether what is computed are numbers alone.
template <class F>
bool computes_with_numbers(F const& f) {
  using function = decltype(kt::function(f));
  kt::graph const g = kt::functions::graph_of_compiled<function>::optimized();
  bool all = true;
  for (int id = 0; id < g.size(); ++id)
    all = all && (g.type(id).rank == 0 || g.is<kt::op::input>(id) || g.is<kt::op::reshape>(id) ||
                  g.is<kt::op::dimshuffle>(id) || g.is<kt::op::make_vector>(id));
  return all;
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
