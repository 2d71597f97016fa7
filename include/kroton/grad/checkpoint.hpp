// Checkpoints: what a gradient needs is computed again instead of being kept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/own_gradient.hpp>
#include <kroton/ops/after.hpp>

namespace kroton {
namespace calculus {

/// A parameter of a callable, for a second computation that begins when the gradients are there.
template <class X>
constexpr X again_after(X const& x, list<int> const& gradients) {
  auto const waiting = [&](term leaf) {
    list<int> operands{leaf.id};
    operands.append(gradients.data(), gradients.size());
    return term{leaf.of, leaf.of->apply(identity<op::after>(), operands)};
  };
  return std::apply(
      [&](auto const&... leaf) {
        term const again[] = {waiting(leaf)...};
        return std::get<0>(from_terms(std::type_identity<std::tuple<X>>{}, again));
      },
      core::leaves(x));
}

/// The pullback of F by computing it once more.
template <class F>
struct recomputed {
  constexpr auto operator()(auto const& g, auto const&, auto const&... x) const {
    auto const gradients = as_tuple(g);
    list<int> awaited;
    std::apply([&](auto const&... one) { (awaited.push_back(one.id), ...); }, gradients);
    return std::apply([&](auto const&... again) { return pulled_back(gradients, again...); },
                      std::tuple(again_after(x, awaited)...));
  }

 private:
  static constexpr auto pulled_back(auto const& gradients, auto const&... x) {
    auto const y = as_tuple(F{}(x...));
    gradient_request request(*std::get<0>(gradients).of);
    request.option(disconnected::zero);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (request.seed(std::get<I>(y).id, std::get<I>(gradients).id), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(y)>>>{});
    (request.option(x), ...);
    request.run();
    return std::tuple_cat(gradient_tuple(request, x)...);
  }
};

}  // namespace calculus

/// A callable that computes f and keeps nothing of it for its gradient but the parameters: what the
/// gradient needs is computed again when it is needed, at the price of a second evaluation. f is a
/// callable without captures: what it depends on are its parameters, variables or structs of them.
/// It returns a variable or a tuple of them. (jax.checkpoint; theano.scan_checkpoints)
template <calculus::stateless_callable F>
constexpr auto checkpointed(F const&) {
  return calculus::with_pullback_of<F, calculus::recomputed<F>>{};
}
/// Rejects captures: a gradient with respect to them would be lost.
template <class F>
  requires(!calculus::stateless_callable<F>)
constexpr auto checkpointed(F const& f) {
  static_assert(is_accepted<met::type<F>>,
                "kt::checkpointed: pass a callable without captures; give it what it captures as "
                "parameters");
  return f;
}

}  // namespace kroton
