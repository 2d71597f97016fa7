// Structs of variables as arguments of a scan: the loop goes over their members, the body receives
// them whole.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/types.hpp>

namespace kroton::ops {

/// An argument as the variables that it consists of, each read at the argument's steps.
template <class X>
constexpr auto variables_of_argument(X const& x) {
  if constexpr (structured<X>) return core::leaves(x);
  else return std::tuple<X>(x);
}
template <structured S, int... Steps>
constexpr auto variables_of_argument(tapped<S, Steps...> const& x) {
  return std::apply(
      [](auto const&... member) {
        return std::tuple<tapped<std::remove_cvref_t<decltype(member)>, Steps...>...>{{member}...};
      },
      core::leaves(x.of));
}
template <class... X>
constexpr auto variables_of_arguments(std::tuple<X...> const& all) {
  return std::apply(
      [](auto const&... x) { return std::tuple_cat(variables_of_argument(x)...); }, all);
}

/// The parameters of a body for one argument: one for each of `Taps` steps, an X without `Axes`
/// leading axes. The variables that they consist of are ordered by member, then by step.
template <class X, int Axes, std::size_t Taps>
struct parameter_group {
  using type = X;
  static constexpr bool has_elements = Axes > 0;
  static constexpr std::size_t taps = Taps, size = Taps * core::leaf_count<X>();
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
  /// For each of these variables the parameter that the body declares for it, where it is one
  /// alone.
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
    return []<std::size_t... K>(std::index_sequence<K...>) {
      return std::type_identity<std::tuple<std::conditional_t<
          structured<typename group<G>::type>, none_t,
          typename declared_parameter<Body, before(G, false) + K>::type>...>>{};
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
  template <class... P>
    requires(sizeof...(P) == (Group::size + ... + 0) && takes<P...>)
  constexpr auto operator()(P const&... variables) const {
    return std::apply(of_, arguments::of(std::tuple<P...>(variables...)));
  }

 private:
  Body const& of_;
};

/// A body as a scan calls it: on variables alone.
template <class... S, class... O, class... C, class Body>
constexpr decltype(auto) on_variables(Body const& body, std::tuple<S...> const&,
                                      std::tuple<O...> const&, std::tuple<C...> const&) {
  if constexpr (core::any_structured<typename taps_of<S>::of..., typename taps_of<O>::of..., C...>)
    return body_on_variables<Body, sequence_group<S>..., state_group<O>..., constant_group<C>...>(
        body);
  else return (body);
}

template <class R>
inline constexpr std::size_t result_count =
    std::tuple_size_v<decltype(body_results(std::declval<graph&>(), std::declval<R const&>()))>;
template <class R, std::size_t K>
constexpr std::size_t results_before() {
  return [&]<std::size_t... J>(std::index_sequence<J...>) {
    return (result_count<std::tuple_element_t<J, R>> + ... + std::size_t{0});
  }(std::make_index_sequence<K>{});
}

/// What a scan makes of a result of type R of its body, whose first variable has number `At`, as a
/// tuple. A struct of last values is a struct again; the stacks of its members are a tuple, or
/// separate unless `Nested`.
template <class R, std::size_t At, class Made, bool Nested = true, class Flat>
constexpr auto in_form_of_result(Flat const& variables) {
  if constexpr (structured<R>) {
    return [&]<std::size_t... M>(std::index_sequence<M...>) {
      if constexpr (Made::template is_last<At>)
        return std::make_tuple(built_from<R>(std::get<At + M>(variables)...));
      else if constexpr (Nested)
        return std::make_tuple(std::make_tuple(std::get<At + M>(variables)...));
      else return std::make_tuple(std::get<At + M>(variables)...);
    }(std::make_index_sequence<result_count<R>>{});
  } else if constexpr (symbolic<R> || placeable<R>) {
    return std::make_tuple(std::get<At>(variables));
  } else {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return std::tuple_cat(
          in_form_of_result<std::tuple_element_t<K, R>, At + results_before<R, K>(), Made, Nested>(
              variables)...);
    }(std::make_index_sequence<std::tuple_size_v<R>>{});
  }
}

}  // namespace kroton::ops
