// Default updates that are one update where the variables are: those of parameters that one shared
// variable is bound to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/freeze/program.hpp>
#include <kroton/function/default_update.hpp>

namespace kroton::functions {

/// How many updates F makes, of parameters that are not structs.
template <class F, class... P>
constexpr int count_of_updates(std::type_identity<std::tuple<P...>>) {
  return freeze::trace<F, P...>().updates().size();
}

/// Which updates of a function are equal if their variables are.
template <class F>
struct equal_updates {
  /// Whether the updates number k and l of a program are, of its parameters p and q; `same` says
  /// which parameters are bound to one variable.
  template <class Same>
  static constexpr bool are(int, int, int, int, Same const&) {
    return false;
  }
};
template <class F, class... P>
struct equal_updates<flattened<F, P...>> : equal_updates<F> {};

template <class F, class... P, class... Q, class... U>
struct equal_updates<updated_function<F, std::tuple<P...>, std::tuple<Q...>, U...>> {
  template <class Same>
  static constexpr bool are(int k, int l, int p, int q, Same const& same) {
    if constexpr ((has_equal_one<U>() || ...)) {
      // Those of the lambda itself come first.
      constexpr int own = [] {
        if constexpr ((structured<P> || ...))
          return count_of_updates<flattened<F, P...>>(std::type_identity<core::leaves_t<P...>>());
        else return count_of_updates<F>(std::type_identity<std::tuple<P...>>());
      }();
      return k >= own && l >= own && (are_of_one<U>(p, q, same) || ...);
    } else {
      return false;
    }
  }

 private:
  template <std::size_t I>
  using parameter = std::tuple_element_t<I, std::tuple<P..., Q...>>;
  /// The variables of parameters from `at` on.
  static constexpr int leaves_before(std::size_t at) {
    std::size_t leaves = 0, next = 0;
    ((leaves += next++ < at ? core::leaf_count<P>() : 0), ...);
    ((leaves += next++ < at ? core::leaf_count<Q>() : 0), ...);
    return static_cast<int>(leaves);
  }

  /// Whether two are updates by one lambda, which reads further variables of the same types.
  template <class A, class B>
  static constexpr bool are_alike() {
    if constexpr (!std::is_same_v<typename A::update_type, typename B::update_type> ||
                  !std::is_same_v<parameter<A::at>, parameter<B::at>> || A::count != B::count)
      return false;
    else
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return (std::is_same_v<parameter<A::further + I>, parameter<B::further + I>> && ...);
      }(std::make_index_sequence<A::count>{});
  }
  template <class A>
  static constexpr bool has_equal_one() {
    return (are_alike<A, U>() + ... + 0) > 1;
  }
  template <class A, class Same>
  static constexpr bool are_of_one(int p, int q, Same const& same) {
    return (are_of<A, U>(p, q, same) || ...);
  }
  /// Whether these are the updates of p and of q, and read the same variables.
  template <class A, class B, class Same>
  static constexpr bool are_of(int p, int q, Same const& same) {
    if constexpr (!are_alike<A, B>()) return false;
    else {
      int const leaf = p - leaves_before(A::at);
      if (leaf < 0 || leaf >= static_cast<int>(core::leaf_count<parameter<A::at>>()) ||
          leaf != q - leaves_before(B::at))
        return false;
      int const from = leaves_before(A::further), to = leaves_before(B::further);
      bool all = true;
      for (int i = 0; i < leaves_before(A::further + A::count) - from; ++i)
        all = all && same(from + i, to + i);
      return all;
    }
  }
};

}  // namespace kroton::functions
