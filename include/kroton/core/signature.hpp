// The parameter types of a callable.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/structure.hpp>

#include <tuple>

namespace kroton::core {

template <class M>
struct member_signature;
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) const> {
  using type = std::tuple<std::remove_cvref_t<P>...>;
};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...)> {
  using type = std::tuple<std::remove_cvref_t<P>...>;
};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) const noexcept> : member_signature<R (C::*)(P...) const> {};
template <class C, class R, class... P>
struct member_signature<R (C::*)(P...) noexcept> : member_signature<R (C::*)(P...)> {};

template <class F>
struct signature_of {};
template <class F>
  requires requires { typename F::parameters; }
struct signature_of<F> {
  using type = typename F::parameters;
};
template <class F>
  requires(!requires { typename F::parameters; } && requires { &F::operator(); })
struct signature_of<F> {
  using type = typename member_signature<decltype(&F::operator())>::type;
};

/// The parameters of a lambda as a std::tuple; a generic lambda has none.
template <class F>
using parameters_of = typename signature_of<F>::type;
template <class F>
concept has_signature = requires { typename signature_of<F>::type; };

template <class Tuple>
inline constexpr bool all_variables = false;
template <class... P>
inline constexpr bool all_variables<std::tuple<P...>> = ((typed<P> || structured<P>) && ...);

}  // namespace kroton::core
