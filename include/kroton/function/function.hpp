// Functions: a lambda compiled, bound to its shared variables, and called with arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/adapted.hpp>
#include <kroton/cpu/call/pointed.hpp>
#include <kroton/cpu/call/targets.hpp>
#include <kroton/function/call_faults.hpp>
#include <kroton/function/callable.hpp>
#include <kroton/function/donation.hpp>
#include <kroton/function/faults.hpp>
#include <kroton/function/target_faults.hpp>

#include <tuple>

namespace kroton {

/// A compiled function, the result of kt::function. A call with arrays computes its outputs and
/// applies its updates. Copies share the shared variables and have separate workspaces, so one copy
/// per thread is safe.
template <class F, class Mode, class Parameters, class... Shared>
class compiled_function;

namespace printing {
template <class F>
struct shape_plan;
}

template <class F, class Mode, class... P, class... Shared>
class compiled_function<F, Mode, std::tuple<P...>, Shared...>
    : functions::refuses_braces<std::make_index_sequence<functions::argument_count<F>(
          static_cast<int>(sizeof...(P) - sizeof...(Shared)))>> {
  static constexpr int bound = static_cast<int>(sizeof...(Shared));
  static constexpr int free = static_cast<int>(sizeof...(P)) - bound;
  static constexpr int wanted_arguments = static_cast<int>(functions::argument_count<F>(free));
  using parameters = std::tuple<P...>;
  using result = decltype(std::declval<F>()(std::declval<P>()...));
  using result_tuple = core::result_variables_t<result>;
  static constexpr std::size_t output_count = std::tuple_size_v<result_tuple>;
  using every_output = std::make_index_sequence<output_count>;
  template <std::size_t K>
  using output_t =
      typename decltype(functions::output_container<
                        F, Mode, bound, K, std::tuple_element_t<K, result_tuple>, P...>())::type;

  template <std::size_t... K>
  static std::tuple<output_t<K>...> values_of_outputs(std::index_sequence<K...>);
  using result_values = decltype(values_of_outputs(every_output{}));
  using target = typename Mode::target;
  using checks =
      functions::argument_checks<target, wanted_arguments, functions::is_flattened<F>, parameters>;

 public:
  using executor_type = functions::executor<Mode::run, F, Mode, bound, P...>;

  /// Throws kt::value_error if one shared variable is bound to several parameters that are updated.
  explicit compiled_function(Shared const&... shared) : shared_(shared...) {
    if constexpr (bound > 1) cpu::require_updates_of_their_own(shared_, executor_.tables());
  }

  /// Returns the value of a single output, a std::tuple of several, or void if there are only
  /// updates. Throws kt::shape_error, kt::value_error or kt::linalg_error; then nothing is updated.
  template <class... A>
  auto operator()(A const&... arguments) const {
    if constexpr ((cpu::adapted_argument<A> || ...)) {
      return (*this)(cpu::adapted(arguments)...);
    } else if constexpr (!checks::template takes<A...>()) {
      if constexpr (functions::holds_structure<result> || output_count == 1)
        return core::refused_value{};
      else if constexpr (output_count > 1) return result_values{};
    } else if constexpr (functions::holds_structure<result>) {
      auto all = outputs(every_output{}, arguments...);
      return functions::with_structures<result>(all);
    } else if constexpr (output_count > 1) {
      return outputs(every_output{}, arguments...);
    } else if constexpr (output_count == 1) {
      return std::get<0>(outputs(every_output{}, arguments...));
    } else {
      outputs(every_output{}, arguments...);
    }
  }
  /// The same with arguments that are given away: `x = f(std::move(x))`, `f(g(x))`. An output of
  /// the same type takes over the memory of one in which it can be computed, element by element or
  /// as changed parts; that argument is empty then. A call that refuses them changes none.
  template <class... A>
    requires(functions::is_donated<A, result_values> || ...)
  auto operator()(A&&... arguments) const {
    if constexpr (!target::is_host || functions::is_flattened<F> ||
                  functions::holds_structure<result> ||
                  (cpu::adapted_argument<std::remove_cvref_t<A>> || ...) ||
                  !checks::template takes<std::remove_cvref_t<A>...>()) {
      return (*this)(std::as_const(arguments)...);
    } else {
      functions::donated_targets<result_values, A...> all(executor_.tables(), arguments...);
      auto targets = all.targets();
      call_into(targets, std::as_const(arguments)...);
      if constexpr (output_count == 1) return std::get<0>(all.take());
      else return all.take();
    }
  }
  using functions::refuses_braces<
      std::make_index_sequence<functions::argument_count<F>(free)>>::operator();

  /// Writes into arrays of the caller: `f.into(y, a, b)`, or for several outputs
  /// `f.into(std::tie(y, z), a, b)`. Owning containers are resized, views must match. An output
  /// that overlaps an argument, and cannot overwrite it, is copied there in the end; targets that
  /// overlap each other, or a shared variable that the call updates, throw kt::value_error.
  template <class Out, class... A>
  void into(Out&& out, A const&... arguments) const {
    using given = std::remove_cvref_t<Out>;
    constexpr bool is_tied = output_count != 1 || cpu::is_tuple<given>;
    if constexpr ((cpu::adapted_argument<A> || ...)) {
      into(std::forward<Out>(out), cpu::adapted(arguments)...);
    } else if constexpr (cpu::adapts_targets<Out>) {
      cpu::with_adapted_targets(out, [&](auto& targets) { into(targets, arguments...); });
    } else if constexpr (functions::holds_structure<result>) {
      if constexpr (checks::template takes<A...>()) {
        auto targets = functions::targets_of<result>(out);
        if constexpr (functions::takes_targets<result_values, decltype(targets)>())
          call_into(targets, arguments...);
      }
    } else if constexpr (!is_tied) {
      if constexpr (functions::takes_targets<result_values, std::tuple<Out>>() &&
                    checks::template takes<A...>()) {
        auto targets = std::tuple<std::remove_reference_t<Out>&>(out);
        call_into(targets, arguments...);
      }
    } else if constexpr (functions::count_of_targets<given> != static_cast<int>(output_count)) {
      static_assert(is_accepted<met::targets<functions::count_of_targets<given>>,
                                wanted::targets<static_cast<int>(output_count)>>,
                    "kt::function: into takes one target for each output; tie several with "
                    "std::tie: f.into(std::tie(y, z), x)");
    } else if constexpr (functions::takes_targets<result_values, functions::targets_in<Out>>() &&
                         checks::template takes<A...>()) {
      call_into(out, arguments...);
    }
  }

  /// The executor, for prints and profiles.
  executor_type const& executor() const { return executor_; }

 private:
  template <class Targets, class... A>
  void call_into(Targets& targets, A const&... arguments) const {
    cpu::require_memory_of_their_own(targets, shared_, [&](int s) {
      bool is_updated = false;
      for (auto const& u : executor_.tables().updates)
        is_updated = is_updated || u.parameter == free + s;
      return is_updated;
    });
    call(targets, arguments...);
  }
  template <class Targets, class... A>
  void call(Targets& targets, A const&... arguments) const {
    cpu::with_memory_errors([&] {
      with_leaves([&](auto const&... each) { executor_.run(targets, shared_, each...); },
                  arguments...);
    });
  }
  template <std::size_t... K, class... A>
  KROTON_INLINE auto outputs(std::index_sequence<K...>, A const&... arguments) const {
    using results = std::tuple<output_t<K>...>;
    if constexpr (executor_type::is_scalar) {
      return with_leaves(
          [&](auto const&... each) { return executor_.template values<results>(shared_, each...); },
          arguments...);
    } else {
      results all;
      auto targets = std::tie(std::get<K>(all)...);
      call(targets, arguments...);
      return all;
    }
  }
  /// Calls with cpu::argument objects for the arguments, or for the members of those that are
  /// structs.
  template <class Call, class... A>
  static KROTON_INLINE decltype(auto) with_leaves(Call const& call, A const&... arguments) {
    if constexpr (functions::is_flattened<F>)
      return std::apply([&](auto const&... each) { return with_arguments(call, each...); },
                        F::leaves_of_arguments(arguments...));
    else return with_arguments(call, arguments...);
  }
  template <class Call, class... A>
  static KROTON_INLINE decltype(auto) with_arguments(Call const& call, A const&... arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using all = parameters;
      if constexpr (functions::is_flattened<F>) {
        constexpr bool fit = (functions::extents_fit<std::tuple_element_t<I, all>, A>() && ...);
        static_assert(fit,
                      "kt::function: an argument's extents, known from its type, differ from those "
                      "of its kt::fixed parameter");
      }
      return call(typename target::template argument<value_type_of<std::tuple_element_t<I, all>>,
                                                     rank_of<std::tuple_element_t<I, all>>, A>(
          arguments)...);
    }(std::make_index_sequence<static_cast<std::size_t>(free)>{});
  }

  friend printing::shape_plan<compiled_function>;
  [[no_unique_address]] std::tuple<Shared...> shared_;
  [[no_unique_address]] mutable executor_type executor_;
};

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
