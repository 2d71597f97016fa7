// Mistakes in the arguments of kt::minimize, kt::least_squares and kt::root that types show: each
// gives one sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/faults.hpp>
#include <kroton/function/function.hpp>
#include <kroton/grad/transform.hpp>
#include <kroton/minimize/derivatives.hpp>
#include <kroton/minimize/unknowns.hpp>

namespace kroton::minimization {

enum class task { minimize, least_squares, root };

template <class P>
constexpr bool is_real_floating() {
  if constexpr (typed<P>) return std::is_floating_point_v<value_type_of<P>>;
  else if constexpr (core::is_sound_parameter<P>())
    return core::with_members<P>([]<class... M>(std::type_identity<M>...) {
      return (is_real_floating<typename M::type>() && ...);
    });
  else return false;
}

template <class P>
constexpr bool is_scalar_cost() {
  if constexpr (typed<P>) return rank_of<P> == 0 && is_real_floating<P>();
  else return false;
}

template <class R>
constexpr bool are_floating_results() {
  if constexpr (typed<R> || structured<R>) return is_real_floating<R>();
  else if constexpr (requires { std::tuple_size<R>::value; })
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return sizeof...(I) > 0 &&
             (are_floating_results<std::remove_cvref_t<std::tuple_element_t<I, R>>>() && ...);
    }(std::make_index_sequence<std::tuple_size_v<R>>{});
  else return false;
}

enum class start_fault { none, no_value, rank, narrowing };

/// Why a value cannot be the start of a parameter.
template <class P, class S>
constexpr start_fault fault_of_start() {
  using enum start_fault;
  if constexpr (requires(S const& s) { s.get_value(); })
    return fault_of_start<P, decltype(std::declval<S const&>().get_value())>();
  else if constexpr (structured<P>)
    return std::same_as<S, values<P>> || functions::tuple_of_values<S> ? none : no_value;
  else if constexpr (!functions::array_argument<S>) return no_value;
  else if constexpr (cpu::static_rank_of<S> >= 0 && cpu::static_rank_of<S> != rank_of<P>)
    return rank;
  else return cpu::is_lossless<cpu::element_t<S>, value_type_of<P>>() ? none : narrowing;
}

template <class F>
constexpr int parameter_count() {
  if constexpr (core::has_signature<F>)
    return static_cast<int>(std::tuple_size_v<core::parameters_of<F>>);
  else return 0;
}

/// Whether a lambda has no type because of an error in its body.
template <class F>
constexpr bool has_broken_body() {
  if constexpr (core::has_signature<F>) return false;
  else return functions::missing_signature<F>() == functions::function_fault::body;
}

/// Whether the result is one of the task; the sentence otherwise.
template <task Task, class F>
constexpr bool takes_result() {
  using result = typename functions::result_on<F, core::parameters_of<F>>::type;
  if constexpr (Task == task::minimize) {
    constexpr bool fits = is_scalar_cost<result>();
    static_assert(fits || is_accepted<met::type<result>>,
                  "kt::minimize: the lambda must return one floating-point scalar, the cost: use "
                  "sum(cost) or mean(cost); kt::least_squares takes residuals");
    return fits;
  } else {
    constexpr bool fits = are_floating_results<result>();
    static_assert(fits || is_accepted<met::type<result>>,
                  "kt::least_squares, kt::root: the lambda must return floating-point variables");
    return fits;
  }
}

/// Rejects wrong arguments with a sentence, and returns whether all are accepted.
template <task Task, class F, class S, class... D>
constexpr bool takes() {
  constexpr int given = static_cast<int>(sizeof...(D)), count = parameter_count<F>();
  if constexpr (!calculus::stateless_callable<F>) {
    static_assert(is_accepted<F>,
                  "kt::minimize, kt::least_squares, kt::root: pass a lambda without captures; what "
                  "it needs besides the unknowns are further parameters, given by kt::given(...)");
    return false;
  } else if constexpr (has_broken_body<F>()) {
    static_assert(is_accepted<F>,
                  "kt::minimize, kt::least_squares, kt::root: the lambda has an error, shown "
                  "above");
    return false;
  } else if constexpr (count == 0) {
    static_assert(is_accepted<F>,
                  "kt::minimize, kt::least_squares, kt::root: the lambda needs parameters with "
                  "types, [](kt::dvector x) { ... }, the first of which is varied");
    return false;
  } else {
    using P = std::tuple_element_t<0, core::parameters_of<F>>;
    if constexpr (!is_real_floating<P>()) {
      static_assert(is_accepted<met::type<P>>,
                    "kt::minimize, kt::least_squares, kt::root: the first parameter is varied, so "
                    "it must be a variable of real floating-point elements, or a struct of them");
      return false;
    } else if constexpr (given != count - 1) {
      static_assert(is_accepted<met::arguments<given>, wanted::arguments<count - 1>>,
                    "kt::minimize, kt::least_squares, kt::root: each parameter after the first "
                    "needs a value in kt::given(...)");
      return false;
    } else {
      constexpr start_fault fault = fault_of_start<P, S>();
      if constexpr (fault == start_fault::no_value)
        static_assert(is_accepted<S, wanted::type<P>>,
                      "kt::minimize, kt::least_squares, kt::root: the start must be a value of the "
                      "first parameter: an array or a number; for a struct, a kt::values or a "
                      "std::tuple of its members' values");
      else if constexpr (fault == start_fault::rank)
        static_assert(is_accepted<met::rank<cpu::static_rank_of<S>>, wanted::rank<rank_of<P>>>,
                      "kt::minimize, kt::least_squares, kt::root: the start's rank differs from "
                      "that of the first parameter");
      else if constexpr (fault == start_fault::narrowing)
        static_assert(
            is_accepted<met::element<cpu::element_t<S>>, wanted::element<value_type_of<P>>>,
            "kt::minimize, kt::least_squares, kt::root: the start's elements would be narrowed; "
            "convert them first");
      else return takes_result<Task, F>();
      return false;
    }
  }
}

/// The result of a rejected call, whose uses are accepted.
template <class F>
auto refused() {
  if constexpr (parameter_count<F>() == 0) {
    return optimum<core::refused_value>{};
  } else {
    using P = std::tuple_element_t<0, core::parameters_of<F>>;
    if constexpr (typed<P> || is_real_floating<P>())
      return optimum<functions::parameter_value_t<P>>{};
    else return optimum<core::refused_value>{};
  }
}

}  // namespace kroton::minimization
