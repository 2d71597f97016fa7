// Rejected loops: what the types of the arguments and of the body say, and what stands in for the
// results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/misuse.hpp>
#include <kroton/ops/loop/types.hpp>

#include <algorithm>
#include <array>

namespace kroton {

struct rng;

}  // namespace kroton

namespace kroton::ops {

/// What can be wrong with a loop, in the order in which it is looked for.
enum class scan_fault {
  none,
  argument,
  repeated_argument,
  states_of_map,
  no_operand,
  passed_stream,
  scalar_sequence,
  no_taps,
  taps_of_constant,
  taps_without_start,
  taps_of_later_steps,
  repeated_taps,
  start_without_rows,
  floating_steps,
  nothing_symbolic,
  parameter_count,
  element_parameter,
  state_parameter,
  constant_parameter,
  number_result,
  unknown_steps,
  stop_condition,
  result_count,
  state_rank,
  state_element
};

/// A fault, the number of the argument, parameter or state that has it, from 1 (of result_count:
/// how many results there are), and the types or numbers that do not match.
template <scan_fault What, int At = 0, class Met = void, class Wanted = void>
struct scan_fault_at {
  static constexpr scan_fault what = What;
  static constexpr int at = At;
  using met = Met;
  using wanted = Wanted;
};
using no_scan_fault = scan_fault_at<scan_fault::none>;

/// The first type of a tuple for which a test holds, counted from 1; 0 if there is none.
template <class Tuple, class Test>
constexpr int first_that(Test test) {
  int at = 0, found = 0;
  [&]<class... X>(std::type_identity<std::tuple<X...>>) {
    ((++at, found = found == 0 && test(std::type_identity<X>{}) ? at : found), ...);
  }(std::type_identity<Tuple>{});
  return found;
}

/// Type number `At` of a tuple, counted from 1.
template <class Tuple, int At>
using number_of = boost::mp11::mp_at_c<Tuple, static_cast<std::size_t>(At) - 1>;

// ---- the arguments --------------------------------------------------------------------------

template <class... A>
constexpr bool is_any_repeated() {
  int sequences = 0, outputs = 0, constants = 0, steps = 0;
  ((sequences += is_kind<sequence_arguments, A>, outputs += is_kind<output_arguments, A>,
    constants += is_kind<constant_arguments, A>, steps += is_kind<step_count, A>),
   ...);
  return std::max({sequences, outputs, constants, steps}) > 1;
}
template <class X>
inline constexpr bool is_scan_operand = operand<X> || structured<X>;
template <class X>
constexpr bool is_scalar() {
  return operand<X> && (number<X> || core::static_operand<X>) && core::static_rank<X>() == 0;
}
template <class X>
constexpr bool is_integer_scalar() {
  if constexpr (core::static_operand<X>)
    return is_scalar<X>() && core::is_integer(core::static_element_of<X>());
  else return symbolic<X> || (std::is_integral_v<X> && !std::is_same_v<X, bool>);
}
template <class X>
constexpr bool are_taps_negative() {
  if constexpr (taps_of<X>::given) return taps_of<X>::all_negative;
  else return true;
}
template <class X>
constexpr bool do_taps_differ() {
  if constexpr (taps_of<X>::given) return taps_of<X>::all_differ;
  else return true;
}
template <class X>
constexpr bool has_rows_for_taps() {
  if constexpr (taps_of<X>::given)
    return taps_of<X>::is_one_step_back || !is_scalar<typename taps_of<X>::of>();
  else return true;
}

/// The fault of the arguments by themselves.
template <class Sequences, class Outputs, class Constants, class Steps>
constexpr auto fault_of_operands() {
  using enum scan_fault;
  using all = boost::mp11::mp_append<Sequences, Outputs, Constants>;
  // kt::none is for outputs.
  constexpr int strange = first_that<all>([]<class X>(std::type_identity<X>) {
    return !is_scan_operand<typename taps_of<X>::of> &&
           !(std::is_same_v<typename taps_of<X>::of, none_t> &&
             boost::mp11::mp_contains<Outputs, X>::value);
  });
  constexpr int stream =
      first_that<all>([]<class X>(std::type_identity<X>) { return std::is_same_v<X, rng>; });
  constexpr int scalar = first_that<Sequences>([]<class X>(std::type_identity<X>) {
    return is_scalar<typename taps_of<X>::of>() || std::is_same_v<typename taps_of<X>::of, none_t>;
  });
  constexpr int empty =
      first_that<all>([]<class X>(std::type_identity<X>) { return taps_of<X>::count == 0; });
  constexpr int constant =
      first_that<Constants>([]<class X>(std::type_identity<X>) { return taps_of<X>::given; });
  constexpr int nothing = first_that<Outputs>([]<class X>(std::type_identity<X>) {
    return taps_of<X>::given && std::is_same_v<typename taps_of<X>::of, none_t>;
  });
  constexpr int later =
      first_that<Outputs>([]<class X>(std::type_identity<X>) { return !are_taps_negative<X>(); });
  constexpr int twice =
      first_that<Outputs>([]<class X>(std::type_identity<X>) { return !do_taps_differ<X>(); });
  constexpr int few =
      first_that<Outputs>([]<class X>(std::type_identity<X>) { return !has_rows_for_taps<X>(); });
  constexpr int floating =
      first_that<Steps>([]<class X>(std::type_identity<X>) { return !is_integer_scalar<X>(); });
  if constexpr (strange != 0) {
    using of = typename taps_of<number_of<all, strange>>::of;
    return scan_fault_at<no_operand, strange, met::type<of>>();
  } else if constexpr (stream != 0) {
    return scan_fault_at<passed_stream, stream>();
  } else if constexpr (scalar != 0) {
    return scan_fault_at<scalar_sequence, scalar>();
  } else if constexpr (empty != 0) {
    return scan_fault_at<no_taps>();
  } else if constexpr (constant != 0) {
    return scan_fault_at<taps_of_constant, constant>();
  } else if constexpr (nothing != 0) {
    return scan_fault_at<taps_without_start, nothing>();
  } else if constexpr (later != 0) {
    return scan_fault_at<taps_of_later_steps, later>();
  } else if constexpr (twice != 0) {
    return scan_fault_at<repeated_taps, twice>();
  } else if constexpr (few != 0) {
    return scan_fault_at<start_without_rows, few>();
  } else if constexpr (floating != 0) {
    using n = std::tuple_element_t<0, Steps>;
    return scan_fault_at<floating_steps, floating, met::type<n>>();
  } else if constexpr (!any_symbolic<boost::mp11::mp_append<all, Steps>>) {
    return scan_fault_at<nothing_symbolic>();
  } else {
    return no_scan_fault();
  }
}

// ---- the body -------------------------------------------------------------------------------

/// Whether a declared parameter takes what it gets.
template <class Declared, class Given>
constexpr bool takes_parameter() {
  if constexpr (typed<Declared> && typed<Given>) return std::derived_from<Given, Declared>;
  else return !number<Declared> && std::is_convertible_v<Given const&, Declared>;
}
/// The first parameter that does not, from 1; 0 if there is none.
template <class Declared, class Given>
constexpr int first_other_parameter() {
  return []<std::size_t... P>(std::index_sequence<P...>) {
    int found = 0;
    ((found = found == 0 && !takes_parameter<std::tuple_element_t<P, Declared>,
                                             std::tuple_element_t<P, Given>>()
                  ? static_cast<int>(P) + 1
                  : found),
     ...);
    return found;
  }(std::make_index_sequence<std::tuple_size_v<Given>>{});
}
/// What a parameter of the body stands for.
template <class Given, class Sequences, class Constants>
constexpr scan_fault fault_of_parameter(int at) {
  int const elements = static_cast<int>(std::tuple_size_v<Sequences>),
            constants = static_cast<int>(std::tuple_size_v<Constants>),
            all = static_cast<int>(std::tuple_size_v<Given>);
  return at <= elements          ? scan_fault::element_parameter
         : at <= all - constants ? scan_fault::state_parameter
                                 : scan_fault::constant_parameter;
}
/// The fault of a body for which the parameters are Given, as a tuple.
template <class Body, class Elements, class Given, class Constants>
constexpr auto fault_of_parameters() {
  constexpr int given = static_cast<int>(std::tuple_size_v<Given>);
  if constexpr (requires { typename Body::whole; }) {
    return fault_of_parameters<typename Body::whole, typename Body::elements,
                               typename Body::template whole_parameters<Given>,
                               typename Body::constants>();
  } else if constexpr (core::has_signature<Body>) {
    using declared = core::parameters_of<Body>;
    constexpr int count = static_cast<int>(std::tuple_size_v<declared>);
    if constexpr (count != given) {
      return scan_fault_at<scan_fault::parameter_count, 0, met::arguments<given>,
                           wanted::parameters<count>>();
    } else if constexpr (constexpr int at = first_other_parameter<declared, Given>(); at != 0) {
      return scan_fault_at<fault_of_parameter<Given, Elements, Constants>(at), at,
                           met::type<number_of<Given, at>>,
                           wanted::type<number_of<declared, at>>>();
    } else {
      return no_scan_fault();
    }
  } else if constexpr (!body_call<Given>::template is_possible<Body>) {
    return scan_fault_at<scan_fault::parameter_count, 0, met::arguments<given>>();
  } else {
    return no_scan_fault();
  }
}

/// Whether a body returns no variable in some place.
template <class R>
inline constexpr bool has_no_variable = number<R> || std::is_void_v<R>;
template <class... R>
inline constexpr bool has_no_variable<std::tuple<R...>> =
    sizeof...(R) == 0 || (has_no_variable<std::remove_cvref_t<R>> || ...);
template <class A, class B>
inline constexpr bool has_no_variable<std::pair<A, B>> = has_no_variable<std::tuple<A, B>>;
template <class R, std::size_t N>
inline constexpr bool has_no_variable<std::array<R, N>> = N == 0 || has_no_variable<R>;

template <class Start, class Made>
inline constexpr bool is_state_of_other_rank = false;
template <class Start, class Made>
inline constexpr bool is_state_of_other_element = false;
template <typed Start, typed Made>
inline constexpr bool is_state_of_other_rank<Start, Made> = rank_of<Start> != rank_of<Made>;
template <typed Start, typed Made>
inline constexpr bool is_state_of_other_element<Start, Made> =
    !std::is_same_v<value_type_of<Start>, value_type_of<Made>>;

/// What a body receives of a state; of an output that is not one, none_t.
template <class Start>
struct state_before : std::tuple_element<0, typename state_parameters<Start>::type> {};
template <>
struct state_before<none_t> {
  using type = none_t;
};
/// The first state that a body changes in this way, from 1; 0 if there is none.
template <class Starts, class Results, class Test>
constexpr int first_state(Test test) {
  return [&]<std::size_t... U>(std::index_sequence<U...>) {
    int found = 0;
    ((found =
          found == 0 && test(std::type_identity<
                                 typename state_before<std::tuple_element_t<U, Starts>>::type>{},
                             std::type_identity<std::tuple_element_t<U, Results>>{})
              ? static_cast<int>(U) + 1
              : found),
     ...);
    return found;
  }(std::make_index_sequence<std::tuple_size_v<Starts>>{});
}

/// The fault of what a body returns.
template <class Starts, class Results>
constexpr auto fault_of_results() {
  using enum scan_fault;
  constexpr std::size_t starts = std::tuple_size_v<Starts>, results = std::tuple_size_v<Results>;
  if constexpr (starts != 0 && starts != results) {
    constexpr int count = static_cast<int>(results);
    return scan_fault_at<result_count, count, met::arguments<count>,
                         wanted::arguments<static_cast<int>(starts)>>();
  } else {
    constexpr int rank = first_state<Starts, Results>(
        []<class S, class M>(std::type_identity<S>, std::type_identity<M>) {
          return is_state_of_other_rank<S, M>;
        });
    constexpr int element = first_state<Starts, Results>(
        []<class S, class M>(std::type_identity<S>, std::type_identity<M>) {
          return is_state_of_other_element<S, M>;
        });
    constexpr int at = rank != 0 ? rank : element;
    if constexpr (at != 0) {
      using before = typename state_before<number_of<Starts, at>>::type;
      using made = number_of<Results, at>;
      return scan_fault_at<rank != 0 ? state_rank : state_element, at, met::type<made>,
                           wanted::type<before>>();
    } else {
      return no_scan_fault();
    }
  }
}

// ---- all of it ------------------------------------------------------------------------------

/// The arguments of a scan by their kinds, as tuples.
template <class... A>
struct scan_arguments {
  template <template <class...> class Kind>
  using all_of = decltype(collected<Kind>(std::declval<A const&>()...));
  using sequences = all_of<sequence_arguments>;
  using outputs = all_of<output_arguments>;
  using constants = all_of<constant_arguments>;
  using steps = all_of<step_count>;
};

/// The condition in what a body returns, and whether it may be one.
template <class Returned>
struct condition_of {
  static constexpr bool is_accepted = true;
  using type = void;
};
template <class C, class R>
struct condition_of<stopping<C, R>> {
  static constexpr bool is_accepted = [] {
    if constexpr (core::static_operand<C>)
      return is_scalar<C>() && core::is_bool(core::static_element_of<C>());
    else return symbolic<C>;
  }();
  using type = C;
};

/// The fault of `Call`, a scan_call of these arguments. What comes after the first fault is not
/// instantiated.
template <class Call, class Body, class... A>
constexpr auto fault_of_body() {
  using all = scan_arguments<A...>;
  using parameters = typename Call::first_parameters;
  using of_parameters = decltype(fault_of_parameters<Body, typename Call::elements, parameters,
                                                     typename all::constants>());
  if constexpr (of_parameters::what != scan_fault::none) {
    return of_parameters();
  } else {
    using result = typename body_call<parameters>::template result<Body>;
    using returned = typename body_call<parameters>::template returned<Body>;
    if constexpr (has_no_variable<result>) {
      return scan_fault_at<scan_fault::number_result, 0, met::type<result>>();
    } else if constexpr (std::tuple_size_v<typename all::steps> == 0 && !is_stopping<returned> &&
                         std::tuple_size_v<typename all::sequences> == 0) {
      return scan_fault_at<scan_fault::unknown_steps>();
    } else if constexpr (!condition_of<returned>::is_accepted) {
      using met_condition = met::type<typename condition_of<returned>::type>;
      return scan_fault_at<scan_fault::stop_condition, 0, met_condition>();
    } else {
      using starts = decltype(Call::starts_of(std::declval<typename all::outputs const&>()));
      return fault_of_results<starts, typename Call::template results<starts>>();
    }
  }
}
/// Whether a body without parameters says itself which graph it is in, by what it captures.
template <class Body>
inline constexpr bool has_graph = false;
template <class Body>
  requires std::is_invocable_v<Body const&>
inline constexpr bool has_graph<Body> =
    can_name_graph<std::remove_cvref_t<std::invoke_result_t<Body const&>>>;

template <template <class...> class Call, class Body, class... A>
constexpr auto fault_of_scan() {
  using all = scan_arguments<A...>;
  if constexpr (constexpr int strange = first_that<std::tuple<A...>>(
                    []<class X>(std::type_identity<X>) { return !is_scan_argument<X>; });
                strange != 0) {
    return scan_fault_at<scan_fault::argument, strange + 1>();
  } else if constexpr (is_any_repeated<A...>()) {
    return scan_fault_at<scan_fault::repeated_argument>();
  } else {
    using of_operands = decltype(fault_of_operands<typename all::sequences, typename all::outputs,
                                                   typename all::constants, typename all::steps>());
    if constexpr (of_operands::what != scan_fault::none &&
                  !(of_operands::what == scan_fault::nothing_symbolic && has_graph<Body>)) {
      return of_operands();
    } else {
      using call =
          Call<Body, typename all::sequences, typename all::outputs, typename all::constants>;
      return fault_of_body<call, Body, A...>();
    }
  }
}

}  // namespace kroton::ops
