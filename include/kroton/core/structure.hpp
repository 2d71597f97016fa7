// Structs of variables: their members in order, and structs made of members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <array>
#include <tuple>
#include <utility>

#include <boost/hana/define_struct.hpp>

namespace kroton {

/// Base of a struct of variables. Its members are variables, or such structs, and are declared with
/// Boost.Hana's macro, which is included here:
///   `struct layer : kt::structure { BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W),
///   (kt::dvector, b)); };`
/// One is made from its members by `layer{{}, W, b}`.
struct structure {};

/// A struct of variables.
template <class X>
concept structured = std::derived_from<std::remove_cvref_t<X>, structure>;

/// A struct whose members together are one value, such as a sparse matrix: only the member that
/// `continuous()` returns changes continuously, and `with_continuous(v)` is the struct with another
/// one. Arithmetic is that of the value and is defined with the struct.
template <class X>
concept compound = structured<X> && requires(std::remove_cvref_t<X> const& x) {
  x.with_continuous(x.continuous());
};

namespace core {

// Reads the macro's members by their form alone, so that only programs that use Hana include its
// headers.
template <class Pair>
struct member;
template <template <class, class> class Pair, class Name, template <class M, M> class Accessor,
          class M, M Pointer>
struct member<Pair<Name, Accessor<M, Pointer>>> {
  template <class S, class V>
  static V type_of(V S::*);

  using type = decltype(type_of(Pointer));
  static constexpr M pointer = Pointer;
  static constexpr std::string_view name() { return Name::c_str(); }
};

template <class Pairs>
struct member_list;
template <template <class...> class Tuple, class... Pair>
struct member_list<Tuple<Pair...>> {
  static constexpr std::size_t count = sizeof...(Pair);
  using sequence = std::index_sequence_for<Pair...>;
  template <std::size_t I>
  using at = member<std::tuple_element_t<I, std::tuple<Pair...>>>;
};

template <class S>
concept has_declared_members = requires { typename S::hana_accessors_impl; };

template <class S>
struct declared_members {
  using type = member_list<std::tuple<>>;
};
template <has_declared_members S>
struct declared_members<S> {
  using type = member_list<decltype(S::hana_accessors_impl::apply())>;
};
/// The members of a struct; empty if it declares none.
template <class S>
using members_of = typename declared_members<S>::type;
template <class S, std::size_t I>
using member_t = typename members_of<S>::template at<I>::type;

/// Calls f(member 0, member 1, ...), each a std::type_identity of a `member`.
template <class S, class F>
constexpr auto with_members(F const& f) {
  using list = members_of<S>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(std::type_identity<typename list::template at<I>>{}...);
  }(typename list::sequence{});
}

template <class P>
constexpr bool is_sound_parameter();
template <class S>
constexpr bool members_are_variables() {
  return with_members<S>([]<class... M>(std::type_identity<M>...) {
    return (is_sound_parameter<typename M::type>() && ...);
  });
}
/// Whether a parameter is a variable or a struct that contains only variables.
template <class P>
constexpr bool is_sound_parameter() {
  if constexpr (typed<P>) return true;
  else if constexpr (structured<P> && has_declared_members<P>)
    return std::is_aggregate_v<P> && members_are_variables<P>();
  else return false;
}

/// How many variables a parameter consists of.
template <class P>
constexpr std::size_t leaf_count() {
  if constexpr (structured<P>)
    return with_members<P>([]<class... M>(std::type_identity<M>...) {
      return (leaf_count<typename M::type>() + ... + 0);
    });
  else
    return 1;
}
/// The number of variables that precede member I of a struct.
template <class S, std::size_t I>
constexpr std::size_t leaves_before() {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return (leaf_count<member_t<S, J>>() + ... + std::size_t{0});
  }(std::make_index_sequence<I>{});
}

/// The variables of a struct in order, with nested structs expanded in place, as a std::tuple; a
/// variable alone gives one element.
template <class P>
constexpr auto leaves(P const& p) {
  if constexpr (structured<P>)
    return with_members<P>([&]<class... M>(std::type_identity<M>...) {
      return std::tuple_cat(leaves(p.*M::pointer)...);
    });
  else
    return std::tuple<P>(p);
}
/// The same of several parameters.
template <class... P>
using leaves_t = decltype(std::tuple_cat(leaves(std::declval<P const&>())...));

/// The leaves that derivatives are taken by: of a compound, its continuous member.
template <class P>
constexpr auto continuous_leaves(P const& p) {
  if constexpr (compound<P>) return std::tuple(p.continuous());
  else if constexpr (structured<P>)
    return with_members<P>([&]<class... M>(std::type_identity<M>...) {
      return std::tuple_cat(continuous_leaves(p.*M::pointer)...);
    });
  else
    return std::tuple<P>(p);
}

/// Makes a P from the results of next(std::type_identity<V>) for each of its variables in turn.
template <class P, class Next>
constexpr P build(Next& next) {
  if constexpr (structured<P>)
    return with_members<P>([&]<class... M>(std::type_identity<M>...) {
      return P{{}, build<typename M::type>(next)...};
    });
  else
    return next(std::type_identity<P>{});
}

template <class... P>
inline constexpr bool any_structured = (structured<P> || ...);
template <class... P>
inline constexpr bool any_structured<std::tuple<P...>> = any_structured<P...>;

}  // namespace core

/// The variables of a struct in order, with nested structs expanded in place, as a std::tuple.
template <structured S>
constexpr auto members(S const& s) {
  return core::leaves(s);
}

namespace core {

// The counterpart of a member: the same member of another struct, or a scalar.
template <class Member, class X>
constexpr auto const& beside_member(X const& x) {
  if constexpr (structured<X>) return x.*Member::pointer;
  else return x;
}
template <class V, class R>
inline constexpr bool memberwise_result_has_the_type_of_its_member =
    typed<R> && rank_of<V> == rank_of<R> && std::same_as<value_type_of<V>, value_type_of<R>>;
template <class V, class F, class... X>
constexpr V combine(F const& f, V const& v, X const&... x);
template <class Member, class F, class S, class... X>
constexpr auto combine_member(F const& f, S const& s, X const&... x) {
  return combine<typename Member::type>(f, s.*Member::pointer, beside_member<Member>(x)...);
}
template <class X>
constexpr auto continuous_member(X const& x) {
  if constexpr (compound<X>) return x.continuous();
  else return x;
}
// Of a compound, the continuous members of structs that agree in all others.
template <compound V, class F, class... X>
constexpr V combine_values(F const& f, V const& v, X const&... x) {
  [[maybe_unused]] auto const check = [&]<class Y>(Y const& y) {
    if constexpr (compound<Y>)
      if (!v.has_members_of(y))
        v.continuous().of->fail(
            "kt::structure: sparse members that are combined member by member must have one "
            "pattern: that of the same parameter");
  };
  (check(x), ...);
  return v.with_continuous(combine(f, v.continuous(), continuous_member(x)...));
}
template <class V, class F, class... X>
constexpr V combine(F const& f, V const& v, X const&... x) {
  if constexpr (compound<V>) {
    return combine_values(f, v, x...);
  } else if constexpr (structured<V>) {
    return with_members<V>([&]<class... M>(std::type_identity<M>...) {
      return V{{}, combine_member<M>(f, v, x...)...};
    });
  } else {
    using R = std::remove_cvref_t<decltype(f(v, x...))>;
    static_assert(memberwise_result_has_the_type_of_its_member<V, R>,
                  "kt::structure: the result for a member differs from the member in rank or "
                  "element type; convert with kt::cast");
    return V(term(f(v, x...)));
  }
}

}  // namespace core

/// A struct of the results of f for each variable of s and its counterparts in further structs of
/// the same type; a scalar is the counterpart of every variable: `kt::memberwise([](auto m, auto v)
/// { return m / sqrt(v); }, m, v)`.
template <class F, structured S, class... X>
constexpr S memberwise(F const& f, S const& s, X const&... x) {
  constexpr bool is_one_struct = ((std::same_as<S, X> || !structured<X>) && ...);
  static_assert(is_one_struct, "kt::structure: structs that are combined member by member must "
                               "have the same type");
  if constexpr (is_one_struct) return core::combine<S>(f, s, x...);
  else return s;
}

}  // namespace kroton
