// What tests of arrays that loops fill share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/loops/agreement.hpp"

#include <tuple>

namespace loop_tests {

inline vector some(std::size_t n) { return 0.7 * xt::sin(xt::arange<double>(static_cast<double>(n)) + 1); }
inline matrix table(std::size_t n, std::size_t m) { return xt::reshape_view(some(n * m), {n, m}); }

/// How many ops of the bodies of a graph write or read parts of arrays.
inline int selections_in_bodies(kroton::graph const& g) {
  int found = 0;
  for (auto const& body : g.bodies())
    for (int id = 0; id < body->size(); ++id)
      found += body->is<kroton::op::subtensor>(id) || body->is<kroton::op::inc_subtensor>(id) ||
               body->is<kroton::op::set_subtensor>(id);
  return found;
}
template <class F>
int selections_left(F const& f) {
  return selections_in_bodies(kroton::optimize(kroton::graph_of(f).get(), kroton::stage::specialize));
}

/// Compiled and interpreted, a function gives what another one does. That one is interpreted,
/// which builds faster.
template <class F, class Other, class... A>
void agree(F const& f, Other const& other, A const&... arguments) {
  auto const check = [&]<class R>(R const& found, R const& wanted) {
    if constexpr (requires { found.shape(); }) CHECK((xt::allclose(found, wanted, 1e-12, 1e-12)));
    else
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        CHECK((xt::allclose(std::get<I>(found), std::get<I>(wanted), 1e-12, 1e-12) && ...));
      }(std::make_index_sequence<std::tuple_size_v<R>>{});
  };
  auto const wanted = kroton::function(other, kroton::mode::interpret)(arguments...);
  check(kroton::function(f)(arguments...), wanted);
  check(kroton::function(f, kroton::mode::interpret)(arguments...), wanted);
}

}  // namespace loop_tests
