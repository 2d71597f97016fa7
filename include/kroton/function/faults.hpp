// Mistakes in the arguments of kt::function, found one after another, so that one mistake gives one
// sentence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/signature.hpp>
#include <kroton/function/auto_parameters.hpp>
#include <kroton/function/executor.hpp>
#include <kroton/function/known_extents.hpp>
#include <kroton/function/shared.hpp>
#include <kroton/function/structure.hpp>
#include <kroton/ops/random/rng.hpp>

#include <tuple>

namespace kroton::functions {

template <class X>
inline constexpr bool is_mode = requires { typename X::kroton_mode; };
template <class X>
inline constexpr bool is_shared = false;
template <class T, int Rank>
inline constexpr bool is_shared<shared<T, Rank>> = true;

template <class P, class S>
inline constexpr bool binds = false;
template <typed P, class T, int Rank>
inline constexpr bool binds<P, shared<T, Rank>> =
    std::same_as<value_type_of<P>, T> && rank_of<P> == Rank;
template <structured P>
inline constexpr bool binds<P, shared<P>> = true;

/// Why kt::function rejects its arguments. Checked in this order; only the first is reported.
enum class function_fault {
  none,
  not_callable,     // not a function object
  body,             // a lambda with an error in its body
  generic,          // auto parameters without types
  body_or_generic,  // one of the two, on a compiler that does not distinguish them
  captures,
  parameter,  // a parameter that is not a variable
  rank,       // a parameter with too many dimensions
  structure,  // a struct with other members
  option,     // neither a shared variable nor, in the last position, a mode
  too_many_shared,
  stream,        // a kt::rng that is not bound to a stream
  binding,       // a shared variable of another type than its parameter
  call,          // it cannot be called with these parameters
  body_or_call,  // or has an error in its body: a lambda without a signature
  result,        // it returns something other than variables
  number,        // one of them a plain number
  trace,         // the constant evaluation did not complete
  text,          // the trace recorded an error message
  silent,        // already rejected with a sentence
};

/// A fault, and the number of the parameter or option with the fault, from 0.
struct function_fault_at {
  function_fault fault = function_fault::none;
  int at = 0;
};

// ---- what is called -------------------------------------------------------------------------

/// Whether a lambda without a signature has an error in its body, which removes its type, or auto
/// parameters. g++ writes the types of parameters into a lambda's name. In clang, a lambda with an
/// error has no call operator.
template <class F>
constexpr function_fault missing_signature() {
  std::string_view const name = __PRETTY_FUNCTION__;
  if (name.find("auto:") != name.npos) return function_fault::generic;
  if (name.find("<lambda(") != name.npos) return function_fault::body;
#if defined(__clang__)
  if (name.find("(lambda at ") != name.npos)
    return has_auto_parameters<F> ? function_fault::generic : function_fault::body;
#endif
  return function_fault::body_or_generic;
}

/// The first option that is out of place, or -1.
template <class... O>
constexpr int misplaced_option() {
  int at = 0, found = -1;
  [[maybe_unused]] auto look = [&](bool shared_variable, bool a_mode) {
    bool const last = at == static_cast<int>(sizeof...(O)) - 1;
    if (found < 0 && !shared_variable && !(a_mode && last)) found = at;
    ++at;
  };
  (look(is_shared<O>, is_mode<O>), ...);
  return found;
}

/// The first parameter whose shared variable does not match, or -1.
template <class Parameters, class... S>
constexpr int unbound_parameter() {
  constexpr std::size_t skip = std::tuple_size_v<Parameters> - sizeof...(S);
  int found = -1;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((found = found < 0 && !binds<std::tuple_element_t<I + skip, Parameters>, S>
                  ? static_cast<int>(I + skip)
                  : found),
     ...);
  }(std::make_index_sequence<sizeof...(S)>{});
  return found;
}

template <class Parameters>
constexpr int first_that_is_no_variable() {
  int at = 0, found = -1;
  [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    ((found = found < 0 && !(typed<P> || structured<P>) ? at : found, ++at), ...);
  }(std::type_identity<Parameters>{});
  return found;
}

/// The first kt::rng that is not bound to a stream, or -1.
template <class Parameters>
constexpr int first_unbound_stream() {
  int at = 0, found = -1;
  [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    ((found = found < 0 && std::is_same_v<P, rng> ? at : found, ++at), ...);
  }(std::type_identity<Parameters>{});
  return found;
}

template <class P>
constexpr int rank_of_parameter() {
  if constexpr (typed<P>) return rank_of<P>;
  else return 0;
}
/// The first parameter with too many dimensions, or -1.
template <class Parameters>
constexpr int first_of_high_rank() {
  int at = 0, found = -1;
  [&]<class... P>(std::type_identity<std::tuple<P...>>) {
    ((found = found < 0 && rank_of_parameter<P>() > max_rank ? at : found, ++at), ...);
  }(std::type_identity<Parameters>{});
  return found;
}

template <class F, class Parameters>
struct call_on;
template <class F, class... P>
struct call_on<F, std::tuple<P...>> {
  static constexpr bool is_defined = std::is_invocable_v<F, P const&...>;
};
template <class F, class Parameters>
struct result_on;
template <class F, class... P>
struct result_on<F, std::tuple<P...>> {
  using type = std::remove_cvref_t<std::invoke_result_t<F, P const&...>>;
};

// ---- what it returns ------------------------------------------------------------------------

template <class R>
struct fault_of_result {
  static constexpr function_fault value = typed_or_structured<R> || placeable<R>
                                              ? function_fault::none
                                          : number<R> ? function_fault::number
                                                      : function_fault::result;
};
constexpr function_fault first_fault(std::initializer_list<function_fault> faults) {
  for (function_fault f : faults)
    if (f != function_fault::none) return f;
  return function_fault::none;
}
template <class... R>
struct fault_of_result<std::tuple<R...>> {
  static constexpr function_fault value =
      first_fault({function_fault::none, fault_of_result<R>::value...});
};
template <class A, class B>
struct fault_of_result<std::pair<A, B>> : fault_of_result<std::tuple<A, B>> {};
template <class R, std::size_t N>
struct fault_of_result<std::array<R, N>> : fault_of_result<R> {};
template <>
struct fault_of_result<refused_outputs> {
  static constexpr function_fault value = function_fault::silent;
};
template <class... V>
struct fault_of_result<output_list<V...>> : fault_of_result<std::tuple<V...>> {};

/// Whether a lambda that returns something other than variables has already been rejected with a
/// sentence, as `c ? 1.0 : 0.0` is.
template <class F, class Parameters>
struct call_of_body;
template <class F, class... P>
struct call_of_body<F, std::tuple<P...>> {
  static constexpr bool is_refused() {
    graph g;
    int position = 0;
    auto next = [&]<class V>(std::type_identity<V>) {
      return V(term{&g, g.input(V::parameter_type, position++)});
    };
    std::tuple<P...> const parameters{next(std::type_identity<P>{})...};
    std::apply([](auto const&... p) { (void)F{}(p...); }, parameters);
    return g.error() == said_above;
  }
};
template <class F, class Parameters>
inline constexpr bool is_refused_in_its_body =
    !any_structured<Parameters> && requires { requires call_of_body<F, Parameters>::is_refused(); };

// ---- all of it ------------------------------------------------------------------------------

/// The constant evaluation of a lambda; for structs, that of their variables.
template <class F, class Mode, class Parameters, class... S>
struct evaluation_of {
  using type = traced_evaluation<F, Mode, static_cast<int>(sizeof...(S)), Parameters>;
};
template <class F, class Mode, class Parameters, class... S>
  requires any_structured<Parameters>
struct evaluation_of<F, Mode, Parameters, S...> {
  using flat = flattened_t<F, Parameters>;
  static constexpr auto leaves =
      std::tuple_size_v<decltype(std::tuple_cat(leaves_of_shared(std::declval<S const&>())...))>;
  using type = traced_evaluation<flat, Mode, static_cast<int>(leaves), typename flat::parameters>;
};

template <class F, class Parameters, class Mode, class... S>
constexpr function_fault_at fault_of_program() {
  using enum function_fault;
  if constexpr (sizeof...(S) > std::tuple_size_v<Parameters>) {
    return {too_many_shared};
  } else if constexpr (unbound_parameter<Parameters, S...>() >= 0) {
    return {binding, unbound_parameter<Parameters, S...>()};
  } else if constexpr (!call_on<F, Parameters>::is_defined) {
    return {has_signature<F> ? call : body_or_call};
  } else if constexpr (constexpr function_fault met =
                           fault_of_result<typename result_on<F, Parameters>::type>::value;
                       met != none) {
    if constexpr (met == silent) return {silent};
    else return {is_refused_in_its_body<F, Parameters> ? silent : met};
  } else if constexpr (Mode::run == execution::interpreted) {
    return {};
  } else {
    using evaluated = typename evaluation_of<F, Mode, Parameters, S...>::type;
    if constexpr (!is_evaluated<evaluated>) return {trace};
    else if constexpr (evaluated::made.error == said_above) return {silent};
    else return {evaluated::made.error.empty() ? none : text};
  }
}

/// The fault of F on these parameters. Checks after the first fault are not instantiated.
template <class F, class Parameters, class Mode, class... S>
constexpr function_fault_at fault_of_function() {
  using enum function_fault;
  if constexpr (!std::is_empty_v<F>) return {captures};
  else if constexpr (first_that_is_no_variable<Parameters>() >= 0)
    return {parameter, first_that_is_no_variable<Parameters>()};
  else if constexpr (first_of_high_rank<Parameters>() >= 0)
    return {rank, first_of_high_rank<Parameters>()};
  else if constexpr (!sound_structures<Parameters>) return {structure};
  else if constexpr (first_unbound_stream<Parameters>() >= 0)
    return {stream, first_unbound_stream<Parameters>()};
  else return fault_of_program<F, Parameters, Mode, S...>();
}

/// The default mode of a function. A test suite may choose another one.
#if defined(KROTON_DEFAULT_MODE)
using default_mode = std::remove_const_t<decltype(mode::KROTON_DEFAULT_MODE)>;
#else
using default_mode = std::remove_const_t<decltype(mode::fast_run)>;
#endif

/// The shared variables and the mode among the options.
template <class Mode, class... S>
struct function_options {
  using mode = Mode;
  template <class F, class Parameters>
  static constexpr function_fault_at fault() {
    return fault_of_function<F, Parameters, Mode, S...>();
  }
  template <class F, class Parameters>
  using evaluated = typename evaluation_of<F, Mode, Parameters, S...>::type;
};
template <class... O>
constexpr auto options_among() {
  if constexpr (sizeof...(O) == 0) {
    return function_options<default_mode>{};
  } else {
    using all = std::tuple<O...>;
    using last = std::tuple_element_t<sizeof...(O) - 1, all>;
    if constexpr (is_mode<last>)
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return function_options<last, std::tuple_element_t<I, all>...>{};
      }(std::make_index_sequence<sizeof...(O) - 1>{});
    else return function_options<default_mode, O...>{};
  }
}

/// The fault of kt::function<P...>(f, options...).
template <class F, class... P, class... O>
constexpr function_fault_at fault_of_request(std::type_identity<std::tuple<P...>>,
                                             std::type_identity<std::tuple<O...>>) {
  using enum function_fault;
  if constexpr (misplaced_option<O...>() >= 0) {
    return {option, misplaced_option<O...>()};
  } else {
    using options = decltype(options_among<O...>());
    if constexpr (sizeof...(P) > 0) return options::template fault<F, std::tuple<P...>>();
    else if constexpr (has_signature<F>) return options::template fault<F, parameters_of<F>>();
    else if constexpr (!std::is_class_v<F>) return {not_callable};
    else return {missing_signature<F>()};
  }
}

/// The evaluation of a request.
template <class F, class Parameters, class... O>
using evaluated_on = typename decltype(options_among<O...>())::template evaluated<F, Parameters>;

/// Whether a derivative in a program is 0 for lack of a connection, of which the compiler should
/// warn. What is interpreted is not evaluated by the compiler.
template <class F, class Parameters, class... O>
constexpr bool has_disconnected() {
  using options = decltype(options_among<O...>());
  if constexpr (options::mode::run == execution::interpreted) return false;
  else return evaluated_on<F, Parameters, O...>::made.has_disconnected;
}
template <class F>
[[deprecated(
    "kt::disconnected::warn: a cost or a tensor does not depend on a variable it is differentiated "
    "by, so that the derivative is 0")]]
constexpr void warn_of_disconnected() {}

/// A parameter and the shared variable passed for it.
template <int At, class Parameters, class... O>
struct binding_at {
  static constexpr std::size_t at = static_cast<std::size_t>(At);
  static constexpr std::size_t count =
      sizeof...(O) - (is_mode<std::tuple_element_t<sizeof...(O) - 1, std::tuple<O...>>> ? 1 : 0);
  using wanted = std::tuple_element_t<at, Parameters>;
  using shared =
      std::tuple_element_t<at - (std::tuple_size_v<Parameters> - count), std::tuple<O...>>;
};

/// The error message of a trace as a type that is never completed.
template <class Program, std::size_t... K>
kroton_error<to_text<line_of(Program::made.error, K).size()>(line_of(Program::made.error, K))...>
    sentence_on(std::index_sequence<K...>);
template <class Program>
decltype(sentence_on<Program>(std::make_index_sequence<line_count(Program::made.error)>{}))
sentence_of();

}  // namespace kroton::functions
