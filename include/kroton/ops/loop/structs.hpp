// Structs of variables as arguments of a scan: the loop goes over their members, the body receives
// them whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/faults.hpp>

namespace kroton::ops {

template <class A>
inline constexpr bool any_struct_in = false;
template <template <class...> class Kind, class... X>
  requires is_scan_argument<Kind<X...>>
inline constexpr bool any_struct_in<Kind<X...>> = (structured<typename taps_of<X>::of> || ...);

/// An operand as the variables that it consists of, each with the operand's taps.
template <class X>
constexpr auto variables_of(X const& x) {
  if constexpr (structured<X>) return core::leaves(x);
  else return std::tuple<X>(x);
}
template <structured S, int... Steps>
constexpr auto variables_of(tapped<S, Steps...> const& x) {
  return std::apply(
      [](auto const&... member) {
        return std::tuple<tapped<std::remove_cvref_t<decltype(member)>, Steps...>...>{{member}...};
      },
      core::leaves(x.of));
}
/// The same for all operands in an argument of a scan.
template <template <class...> class Kind, class... V>
constexpr Kind<V...> argument_of(std::tuple<V...> const& variables) {
  return {variables};
}
template <class A>
constexpr A with_variables(A const& argument) {
  return argument;
}
template <template <class...> class Kind, class... X>
  requires any_struct_in<Kind<X...>>
constexpr auto with_variables(Kind<X...> const& argument) {
  return argument_of<Kind>(std::apply(
      [](auto const&... x) { return std::tuple_cat(variables_of(x)...); }, argument.all));
}

/// The parameters of a body for one argument: one for each of `Taps` steps, an X without `Axes`
/// leading axes. The variables that they consist of are ordered by member, then by step.
template <class X, int Axes, std::size_t Taps>
struct parameter_group {
  using type = X;
  static constexpr bool has_elements = Axes > 0;
  static constexpr std::size_t taps = Taps, size = Taps * core::leaf_count<X>();

 private:
  template <class M>
  using of_member =
      boost::mp11::mp_repeat_c<std::tuple<typename element_variable<M, Axes>::type>, Taps>;

 public:
  /// The variables of a struct.
  using variables =
      boost::mp11::mp_apply<boost::mp11::mp_append,
                            boost::mp11::mp_push_front<
                                boost::mp11::mp_transform<of_member, core::leaves_t<X>>,
                                std::tuple<>>>;
};
template <class X>
struct sequence_group : parameter_group<typename taps_of<X>::of, 1, taps_of<X>::count> {};
template <class X>
struct state_group : parameter_group<X, 0, 1> {};
template <>
struct state_group<none_t> : parameter_group<none_t, 0, 0> {};
template <class X, int... Steps>
struct state_group<tapped<X, Steps...>>
    : parameter_group<X, taps_of<tapped<X, Steps...>>::is_one_step_back ? 0 : 1, sizeof...(Steps)> {
};
template <class X>
struct constant_group : parameter_group<X, 0, 1> {};

/// The type of a parameter that a body declares.
template <class Body, std::size_t At>
struct declared_parameter {
  using type = none_t;
};
template <core::has_signature Body, std::size_t At>
  requires(At < std::tuple_size_v<core::parameters_of<Body>>)
struct declared_parameter<Body, At> {
  using type = std::remove_cvref_t<std::tuple_element_t<At, core::parameters_of<Body>>>;
};

template <class S, class... V>
inline constexpr bool consists_of = false;
template <class... M, class... V>
  requires(sizeof...(M) == sizeof...(V))
inline constexpr bool consists_of<std::tuple<M...>, V...> =
    ((rank_of<M> == rank_of<V> && std::is_same_v<value_type_of<M>, value_type_of<V>>)&&...);

template <structured S, class... V>
constexpr S built_from(V const&... members) {
  term const all[] = {members...};
  int k = 0;
  auto next = [&]<class M>(std::type_identity<M>) { return M(all[k++]); };
  return core::build<S>(next);
}
/// A whole struct is of its own type. That of elements has other members: the body names its type,
/// or receives a tuple of them.
template <class Group, class Declared, class... V>
constexpr auto struct_parameter(V const&... members) {
  if constexpr (!Group::has_elements) {
    return built_from<typename Group::type>(members...);
  } else if constexpr (structured<Declared>) {
    if constexpr (consists_of<core::leaves_t<Declared>, V...>)
      return built_from<Declared>(members...);
    else return std::tuple<V...>(members...);
  } else {
    return std::tuple<V...>(members...);
  }
}

/// From the variables that a scan gives a body to the body's parameters.
template <class Body, class... Group>
struct body_arguments {
  template <std::size_t G>
  using group = std::tuple_element_t<G, std::tuple<Group...>>;

  template <class Flat>
  static constexpr auto of(Flat const& variables) {
    return [&]<std::size_t... G>(std::index_sequence<G...>) {
      return std::tuple_cat(of_group<G>(variables)...);
    }(std::index_sequence_for<Group...>{});
  }
  /// The types of the variables where the body declares those of its parameters.
  static constexpr auto declared() {
    return [&]<std::size_t... G>(std::index_sequence<G...>) {
      return std::type_identity<
          boost::mp11::mp_append<std::tuple<>, typename decltype(declared_in<G>())::type...>>{};
    }(std::index_sequence_for<Group...>{});
  }

 private:
  static constexpr std::size_t before(std::size_t g, bool variables) {
    std::size_t const taps[] = {Group::taps..., 0}, sizes[] = {Group::size..., 0};
    std::size_t sum = 0;
    for (std::size_t k = 0; k < g; ++k) sum += variables ? sizes[k] : taps[k];
    return sum;
  }
  template <std::size_t G>
  static constexpr auto declared_in() {
    if constexpr (structured<typename group<G>::type>)
      return std::type_identity<typename group<G>::variables>{};
    else
      return []<std::size_t... K>(std::index_sequence<K...>) {
        return std::type_identity<
            std::tuple<typename declared_parameter<Body, before(G, false) + K>::type...>>{};
      }(std::make_index_sequence<group<G>::size>{});
  }
  template <std::size_t G, class Flat>
  static constexpr auto of_group(Flat const& variables) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::make_tuple(of_tap<G, K>(variables)...);
    }(std::make_index_sequence<group<G>::taps>{});
  }
  template <std::size_t G, std::size_t K, class Flat>
  static constexpr auto of_tap(Flat const& variables) {
    constexpr std::size_t first = before(G, true) + K;
    if constexpr (!structured<typename group<G>::type>) {
      return std::get<first>(variables);
    } else {
      using declared = typename declared_parameter<Body, before(G, false) + K>::type;
      return [&]<std::size_t... M>(std::index_sequence<M...>) {
        return struct_parameter<group<G>, declared>(
            std::get<first + M * group<G>::taps>(variables)...);
      }(std::make_index_sequence<group<G>::size / group<G>::taps>{});
    }
  }
};

template <class Body, class Arguments>
inline constexpr bool takes_all = false;
template <class Body, class... P>
inline constexpr bool takes_all<Body, std::tuple<P...>> =
    std::is_invocable_v<Body const&, P const&...>;

template <class Body, class... Group>
struct declared_variables {};
template <core::has_signature Body, class... Group>
struct declared_variables<Body, Group...> {
  using parameters = typename decltype(body_arguments<Body, Group...>::declared())::type;
};

/// A body on the variables of its structs.
template <class Body, class... Group>
class body_on_variables : public declared_variables<Body, Group...> {
  using arguments = body_arguments<Body, Group...>;
  template <class... P>
  static constexpr bool takes =
      takes_all<Body, decltype(arguments::of(std::declval<std::tuple<P...>>()))>;

 public:
  constexpr explicit body_on_variables(Body const& of) : of_(of) {}

  /// What the body receives, in place of these variables, and the part of it that are elements or
  /// constants.
  using whole = Body;
  template <class Variables>
  using whole_parameters = decltype(arguments::of(std::declval<Variables>()));
  template <template <class...> class Kind>
  using part = boost::mp11::mp_repeat_c<
      std::tuple<none_t>, (std::size_t{0} + ... + (is_kind<Kind, Group> ? Group::taps : 0))>;
  using elements = part<sequence_group>;
  using constants = part<constant_group>;

  template <class... P>
    requires(sizeof...(P) == (Group::size + ... + 0) && takes<P...>)
  constexpr auto operator()(P const&... variables) const {
    return std::apply(of_, arguments::of(std::tuple<P...>(variables...)));
  }

 private:
  Body const& of_;
};

template <class Body, class Sequences, class Outputs, class Constants>
struct body_on_variables_of;
template <class Body, class... S, class... O, class... C>
struct body_on_variables_of<Body, std::tuple<S...>, std::tuple<O...>, std::tuple<C...>> {
  using type =
      body_on_variables<Body, sequence_group<S>..., state_group<O>..., constant_group<C>...>;
};
template <class Body, class... A>
constexpr auto on_variables(Body const& body, A const&...) {
  using all = scan_arguments<A...>;
  return typename body_on_variables_of<Body, typename all::sequences, typename all::outputs,
                                       typename all::constants>::type(body);
}

}  // namespace kroton::ops
