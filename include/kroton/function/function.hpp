// kt::function: a lambda traced, compiled and bound to shared variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/callable.hpp>
#include <kroton/function/compiled_function.hpp>
#include <kroton/function/faults.hpp>

#include <tuple>

namespace kroton {
namespace functions {

template <class F, class Mode, class Parameters, int Bound>
struct executor_of;
template <class F, class Mode, class... P, int Bound>
struct executor_of<F, Mode, std::tuple<P...>, Bound> {
  using type = executor<Mode::run, F, Mode, Bound, P...>;
};

/// A function in a mode whose executor is defined in another header.
template <class F, class Parameters, class Mode, class... S>
inline constexpr bool has_executor = requires {
  sizeof(typename executor_of<F, Mode, Parameters, static_cast<int>(sizeof...(S))>::type);
};

template <class F, class Parameters, class Mode, class... S>
auto make_function(S const&... shared) {
  if constexpr (any_structured<Parameters>) {
    using flat = flattened_t<F, Parameters>;
    return std::apply(
        [](auto const&... each) {
          return make_function<flat, typename flat::parameters, Mode>(each...);
        },
        std::tuple_cat(leaves_of_shared(shared)...));
  } else if constexpr (!Mode::target::template takes_shared<S...>()) {
    return refused_function{};
  } else if constexpr (Mode::run == execution::compiled) {
    using mode = typename Mode::target::template mode_for<Mode, S...>;
    using program = traced_program<F, mode, static_cast<int>(sizeof...(S)), Parameters>;
    if constexpr (mode::target::template takes_program<program>())
      return compiled_function<F, mode, Parameters, S...>(shared...);
    else return refused_function{};
  } else {
    constexpr bool is_defined = has_executor<F, Parameters, Mode, S...>;
    static_assert(is_defined,
                  "kt::mode: this mode needs the run-time stage: #include <kroton/runtime.hpp>");
    if constexpr (is_defined) return compiled_function<F, Mode, Parameters, S...>(shared...);
    else return refused_function{};
  }
}

template <class F, class Parameters, class... O>
auto make_function_of(O const&... options) {
  using mode = typename decltype(options_among<O...>())::mode;
  if constexpr (sizeof...(O) == 0) {
    return make_function<F, Parameters, mode>();
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const all = std::tie(options...);
      using last = std::remove_cvref_t<std::tuple_element_t<sizeof...(O) - 1, std::tuple<O...>>>;
      if constexpr (is_mode<last>) return make_function<F, Parameters, mode>(std::get<I>(all)...);
      else return make_function<F, Parameters, mode>(options...);
    }(std::make_index_sequence<sizeof...(O) - 1>{});
  }
}

template <class F, class... P>
constexpr auto given_parameters() {
  if constexpr (sizeof...(P) > 0) return std::type_identity<std::tuple<P...>>{};
  else if constexpr (has_signature<F>) return std::type_identity<parameters_of<F>>{};
  else return std::type_identity<std::tuple<>>{};
}

}  // namespace functions

/// Compiles a captureless lambda over symbolic variables into a function of arrays. Further
/// arguments are shared variables and streams of random numbers, bound to the lambda's trailing
/// parameters, and finally a mode.
/// For a generic lambda, name the parameter types: `kt::function<kt::dvector, kt::dmatrix>(f)`.
/// (theano.function)
template <class... P, class F, class... O>
auto function(F const&, O const&... options) {
  using enum functions::function_fault;
  using given = std::tuple<O...>;
  using parameters = typename decltype(functions::given_parameters<F, P...>())::type;
  // Checked first and in this function: clang prints the instantiation stack after an error in a
  // generic lambda's body.
  if constexpr (sizeof...(P) > 0 && (typed<P> && ...))
  (void)
    requires(F const& f, P const&... p)
  {
    f(p...);
  };
  constexpr auto met = functions::fault_of_request<F>(std::type_identity<std::tuple<P...>>{},
                                                      std::type_identity<given>{});
  constexpr auto at = static_cast<std::size_t>(met.at);
  if constexpr (met.fault == none) {
    if constexpr (functions::has_disconnected<F, parameters, O...>())
      functions::warn_of_disconnected<F>();
    return functions::make_function_of<F, parameters>(options...);
  } else {
    // Checked here and not deeper: clang prints the instantiation stack after an error.
    if constexpr (met.fault == not_callable) {
      static_assert(is_accepted<F>,
                    "kt::function: pass a lambda that takes variables, or another function object "
                    "without data; wrap a function: [](kt::dvector x) { return f(x); }");
    } else if constexpr (met.fault == body) {
      static_assert(is_accepted<F>, "kt::function: the lambda has an error, shown above");
    } else if constexpr (met.fault == generic) {
      static_assert(is_accepted<F>,
                    "kt::function: for auto parameters write kt::function<types...>(lambda)");
    } else if constexpr (met.fault == body_or_generic) {
      static_assert(is_accepted<F>,
                    "kt::function: the lambda has an error, shown above, or auto parameters: "
                    "for auto parameters write kt::function<types...>(lambda)");
    } else if constexpr (met.fault == captures) {
      static_assert(is_accepted<F>,
                    "kt::function: the lambda captures variables; pass them as parameters instead");
    } else if constexpr (met.fault == parameter) {
      static_assert(
          is_accepted<of::parameter<met.at + 1>, met::type<std::tuple_element_t<at, parameters>>>,
          "kt::function: a parameter of the lambda is not a kt::variable, such as kt::dvector, or "
          "a struct of them");
    } else if constexpr (met.fault == rank) {
      static_assert(is_accepted<of::parameter<met.at + 1>,
                                met::rank<rank_of<std::tuple_element_t<at, parameters>>>>,
                    "kt::function: a parameter has at most 8 dimensions");
    } else if constexpr (met.fault == structure) {
      static_assert(is_accepted<parameters>,
                    "kt::function: a struct parameter is an aggregate whose members, declared with "
                    "BOOST_HANA_DEFINE_STRUCT, are all "
                    "variables or such structs");
    } else if constexpr (met.fault == option) {
      static_assert(
          is_accepted<of::argument<met.at + 2>, met::type<std::tuple_element_t<at, given>>>,
          "kt::function: after the lambda, pass the kt::shared variables that its last parameters "
          "are bound to, then a mode if needed; arrays and numbers are arguments of the call");
    } else if constexpr (met.fault == too_many_shared) {
      static_assert(
          is_accepted<met::shared<sizeof...(O)>, wanted::parameters<std::tuple_size_v<parameters>>>,
          "kt::function: more shared variables than parameters");
    } else if constexpr (met.fault == stream) {
      static_assert(is_accepted<of::parameter<met.at + 1>>,
                    "kt::function: a kt::rng is a parameter that is bound to a random stream: "
                    "kt::philox_streams s(42); kt::function(lambda, s)");
    } else if constexpr (met.fault == binding) {
      using binds = functions::binding_at<met.at, parameters, O...>;
      static_assert(is_accepted<of::parameter<met.at + 1>, met::type<typename binds::shared>,
                                wanted::type<typename binds::wanted>>,
                    "kt::function: a shared variable differs in element type, rank or struct from "
                    "the parameter it is bound to");
    } else if constexpr (met.fault == call) {
      static_assert(is_accepted<F, wanted::type<parameters>>,
                    "kt::function: the lambda does not accept these parameters: it has a different "
                    "number of them, or takes one by reference; take them by value");
    } else if constexpr (met.fault == body_or_call) {
      static_assert(is_accepted<F, wanted::type<parameters>>,
                    "kt::function: the lambda has an error, shown above, or does not accept these "
                    "parameters: it has a different number of them, or takes one by reference; "
                    "take them by value");
    } else if constexpr (met.fault == result) {
      using result = typename functions::result_on<F, parameters>::type;
      // Reported already, where it was rejected.
      if constexpr (!core::any_refused<result>) {
        static_assert(
            is_accepted<met::type<result>>,
            "kt::function: the lambda returns something other than variables: return one, "
            "a std::tuple of them, or kt::outputs(...) with updates");
      }
    } else if constexpr (met.fault == number) {
      static_assert(is_accepted<met::type<typename functions::result_on<F, parameters>::type>>,
                    "kt::function: the lambda must return variables; a plain number is not an "
                    "output: zeros_like(x) + 1.0 is a tensor of them");
    } else if constexpr (met.fault == trace) {
      static_assert(is_accepted<F>,
                    "kt::function: the lambda cannot be traced at compile time, for the reason "
                    "given above: an error; a function or a variable that is not constexpr (to "
                    "print x write kt::print(\"x\", x) instead of using std::cout); a long program "
                    "may need larger limits: -fconstexpr-steps (clang), -fconstexpr-ops-limit and "
                    "-fconstexpr-loop-limit (g++)");
    } else if constexpr (met.fault == text) {
      decltype(functions::sentence_of<functions::evaluated_on<F, parameters, O...>>()) sentence;
      (void)sentence;
    }
    return core::refused_function{};
  }
}

// Rejects the name of a function template, which does not match any template parameter. clang calls
// a function that takes anything; g++ calls none, and prints for each candidate why it does not
// match.
#if defined(__clang__)
template <class... P>
core::refused_function function(...) {
  static_assert(is_accepted<P...>,
                "kt::function: a function template has no type of its own: wrap it in a lambda, "
                "[](kt::dvector x) { return f(x); }");
  return {};
}
#else
template <class... P, class... O>
core::refused_function function(
    core::kroton_error<text{
        "kt::function: a function template has no type of its own: wrap it in a lambda, "
        "[](kt::dvector x) { return f(x); }"}> const&,
    O const&...);
#endif

}  // namespace kroton
