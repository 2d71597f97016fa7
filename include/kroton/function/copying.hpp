// Copies of functions that are bound to other shared variables, or that update none.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/bound_streams.hpp>
#include <kroton/function/structure.hpp>

#include <boost/mp11/algorithm.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <tuple>

namespace kroton {
namespace functions {

/// The variables behind a shared variable, a struct or a stream: what a function is bound to.
template <class X>
auto leaves_of_bound(X const& x) {
  if constexpr (is_stream<X>) return std::tuple_cat(x.template bind<1>());
  else return leaves_of_shared(without_default_update(x));
}
template <class X>
inline constexpr bool is_exchangeable = is_shared<without_default_update_t<X>>;
/// A stream with one state. Those of other streams are made for the draws of a function.
template <class X>
  requires is_stream<X>
inline constexpr bool is_exchangeable<X> = X::generator != ops::generator::mrg;

/// One shared variable in place of another, as an option of a copy.
template <class Leaves>
struct exchange {
  Leaves from, to;
};
/// An exchange that was refused.
template <>
struct exchange<void> {};
template <class X>
inline constexpr bool is_exchange = false;
template <class Leaves>
inline constexpr bool is_exchange<exchange<Leaves>> = true;

// An object, so that an unqualified swap(a, b) of the standard library does not find it.
struct swap_function {
  template <class S, class Z>
  auto operator()(S const& from, Z const& to) const {
    constexpr bool are_shared = is_exchangeable<S> && is_exchangeable<Z>;
    static_assert(are_shared,
                  "kt::swap: takes a shared variable that a function is bound to and the one that "
                  "takes its place; of streams those with a single state");
    if constexpr (are_shared) {
      using leaves = decltype(leaves_of_bound(from));
      constexpr bool are_alike = std::is_same_v<leaves, decltype(leaves_of_bound(to))>;
      static_assert(are_alike,
                    "kt::swap: a shared variable takes the place of one of its own element type, "
                    "rank or struct");
      if constexpr (are_alike) return exchange<leaves>{leaves_of_bound(from), leaves_of_bound(to)};
      else return exchange<void>{};
    } else {
      return exchange<void>{};
    }
  }
};

struct delete_updates_t {};

/// F without the updates that it returns.
template <class F>
struct without_updates {
  template <class... X>
  constexpr auto operator()(X const&... x) const {
    auto const result = F{}(x...);
    if constexpr (requires { result.updates(); })
      return std::apply([](auto const&... v) { return kroton::outputs(v...); }, result.values());
    else return result;
  }
};
template <class F>
struct deleting_updates {
  using type = without_updates<F>;
};
template <class F, class... P>
struct deleting_updates<flattened<F, P...>> {
  using type = flattened<without_updates<F>, P...>;
};

/// The variables of all options that are shared ones.
template <class... O>
auto leaves_of_options(O const&... options) {
  return std::tuple_cat([](auto const& o) {
    if constexpr (is_exchangeable<std::remove_cvref_t<decltype(o)>>) return leaves_of_bound(o);
    else return std::tuple<>();
  }(options)...);
}
/// Whether an option, if it is an exchange, is one of a variable that may be among Shared.
template <class Shared, class Option>
inline constexpr bool may_exchange = true;
template <class... S, class... L>
inline constexpr bool may_exchange<std::tuple<S...>, exchange<std::tuple<L...>>> =
    (boost::mp11::mp_contains<std::tuple<S...>, L>::value && ...);

/// Whether a function that is bound to Shared can be copied with these options; if not, a sentence
/// says why.
template <class Shared, class... O>
constexpr bool takes_copy_options() {
  constexpr int bound = (static_cast<int>(is_exchangeable<O>) + ... + 0);
  constexpr int exchanges = (static_cast<int>(is_exchange<O>) + ... + 0);
  constexpr int others = (static_cast<int>(std::is_same_v<O, delete_updates_t>) + ... + 0);
  constexpr bool are_options =
      bound + exchanges + others == sizeof...(O) && (bound == 0 || exchanges == 0);
  static_assert(are_options,
                "kt::function: copy takes shared variables in place of all that the function is "
                "bound to, or kt::swap(old, other) for some of them, and kt::delete_updates");
  if constexpr (!are_options || (std::is_same_v<O, exchange<void>> || ...)) {
    return false;
  } else if constexpr (bound > 0) {
    using given = decltype(leaves_of_options(std::declval<O const&>()...));
    constexpr bool are_all = std::is_same_v<given, Shared>;
    static_assert(are_all,
                  "kt::function: copy takes as many shared variables as the function is bound to, "
                  "in their order, of their element types and ranks; those of kt::givens and what "
                  "default updates read count, too; kt::swap(old, other) exchanges single ones");
    return are_all;
  } else {
    constexpr bool may_be_bound = (may_exchange<Shared, O> && ...);
    static_assert(may_be_bound,
                  "kt::swap: the function is bound to no shared variable of this type");
    return may_be_bound;
  }
}

/// Puts `to` in the place of `from` where `of` is that. Says whether it did.
template <class S, class L>
bool exchanged_one(S const& of, S& at, L const& from, L const& to) {
  if constexpr (std::is_same_v<S, L>) {
    if (&of.storage() != &from.storage()) return false;
    at = to;
    return true;
  } else {
    return false;
  }
}
/// Throws kt::value_error where options exchange one variable more than once.
template <class... O>
void require_different_exchanges(O const&... options) {
  auto const leaves = std::tuple_cat([](auto const& o) {
    if constexpr (is_exchange<std::remove_cvref_t<decltype(o)>>) return o.from;
    else return std::tuple<>();
  }(options)...);
  std::apply(
      [](auto const&... s) {
        std::array<void const*, sizeof...(s)> all{std::addressof(s.storage())...};
        std::sort(all.begin(), all.end(), std::less<>());
        if (std::adjacent_find(all.begin(), all.end()) != all.end())
          throw value_error("kt::swap: the same shared variable is exchanged twice");
      },
      leaves);
}
template <class... S, class Option>
void exchange_in(std::tuple<S...> const& old, std::tuple<S...>& all, Option const& option) {
  if constexpr (is_exchange<Option>) {
    bool found = false;
    auto const look_for = [&](auto const& from, auto const& to) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((found = exchanged_one(std::get<I>(old), std::get<I>(all), from, to) || found), ...);
      }(std::index_sequence_for<S...>{});
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      (look_for(std::get<K>(option.from), std::get<K>(option.to)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(option.from)>>{});
    if (!found) throw value_error("kt::swap: the function is not bound to this shared variable");
  }
}
/// What a copy is bound to.
template <class Shared, class... O>
Shared exchanged(Shared const& old, O const&... options) {
  if constexpr ((is_exchangeable<O> || ...)) {
    return leaves_of_options(options...);
  } else {
    Shared all = old;
    require_different_exchanges(options...);
    (exchange_in(old, all, options), ...);
    return all;
  }
}

}  // namespace functions

/// For a copy of a function: what is bound to the first shared variable, struct or stream is bound
/// to the second, of the same type: `f.copy(kt::swap(w, other))`. (theano's Function.copy(swap=))
inline constexpr functions::swap_function swap{};
/// For a copy of a function: without the updates that its lambda returns; draws still advance their
/// streams. (theano's Function.copy(delete_updates=True))
inline constexpr functions::delete_updates_t delete_updates{};

}  // namespace kroton
