// Functions: a lambda compiled, bound to its shared variables, and called with arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/executor.hpp>
#include <kroton/compile/known_extents.hpp>
#include <kroton/compile/narrowing.hpp>
#include <kroton/compile/shared.hpp>
#include <kroton/compile/signature.hpp>
#include <kroton/compile/structure.hpp>
#include <kroton/cpu/targets.hpp>

#include <functional>
#include <tuple>

namespace kroton {

/// A compiled function: what kt::function gives. Calling it with arrays computes its outputs and applies its updates. Copies
/// share the shared variables and have a workspace of their own, so that one copy a thread is safe.
template <class F, class Mode, class Parameters, class... Shared>
class compiled_function;

namespace core {
template <class F>
struct shape_plan;
}

template <class F, class Mode, class... P, class... Shared>
class compiled_function<F, Mode, std::tuple<P...>, Shared...> {
  static constexpr int bound = static_cast<int>(sizeof...(Shared));
  static constexpr int free = static_cast<int>(sizeof...(P)) - bound;
  using result = decltype(std::declval<F>()(std::declval<P>()...));
  using result_tuple = core::result_variables_t<result>;
  static constexpr std::size_t output_count = std::tuple_size_v<result_tuple>;
  template <std::size_t K>
  using output_t = typename decltype(core::output_container<F, Mode, bound, K, std::tuple_element_t<K, result_tuple>, P...>())::type;

 public:
  using executor_type = core::executor<Mode::run, F, Mode, bound, P...>;

  /// Throws kt::value_error where one shared variable is bound to several parameters that are updated.
  explicit compiled_function(Shared const&... shared) : shared_(shared...) {
    if constexpr (bound > 1) core::require_updates_of_their_own(shared_, executor_.tables());
  }

  /// One output gives its value, several a std::tuple, updates alone void. Throws kt::shape_error, kt::value_error or
  /// kt::linalg_error; then nothing is updated.
  template <class... A>
  auto operator()(A const&... arguments) const {
    check_count<A...>();
    if constexpr (core::holds_structure<result>) {
      auto all = outputs(every_output{}, arguments...);
      return core::with_structures<result>(all);
    } else if constexpr (output_count > 1) {
      return outputs(every_output{}, arguments...);
    } else if constexpr (output_count == 1) {
      return std::get<0>(outputs(every_output{}, arguments...));
    } else {
      outputs(every_output{}, arguments...);
    }
  }

  /// Writes into arrays of the caller: `f.into(y, a, b)`, for several outputs `f.into(std::tie(y, z), a, b)`. Owning
  /// containers are resized, views must fit. An output that overlaps an argument is computed aside and copied; targets that overlap
  /// each other, or a shared variable that the call updates, are a kt::value_error.
  template <class Out, class... A>
  void into(Out&& out, A const&... arguments) const {
    check_count<A...>();
    if constexpr (core::holds_structure<result>) {
      auto targets = core::targets_of<result>(out);
      call_into(targets, arguments...);
    } else if constexpr (output_count == 1 && !core::is_tuple<std::remove_cvref_t<Out>>) {
      auto targets = std::tuple<std::remove_reference_t<Out>&>(out);
      call_into(targets, arguments...);
    } else {
      static_assert(std::tuple_size_v<std::remove_cvref_t<Out>> == output_count,
                    "kt::function: into takes one target for each output; tie several with std::tie");
      call_into(out, arguments...);
    }
  }

  /// What runs the calls, for prints and profiles.
  executor_type const& executor() const { return executor_; }

 private:
  template <class... A>
  static constexpr void check_count() {
    static_assert(sizeof...(A) == core::argument_count<F>(free),
                  "kt::function: the number of arguments is not that of the parameters that are not bound to shared variables");
  }

  using every_output = std::make_index_sequence<output_count>;

  template <class Targets, class... A>
  void call_into(Targets& targets, A const&... arguments) const {
    if constexpr (!core::take_outputs<Targets, result_tuple>) {
      core::refuse_narrowing(std::type_identity<Targets>{}, std::type_identity<result_tuple>{});
    } else {
      core::require_memory_of_their_own(targets, shared_, [&](int s) {
        bool is_updated = false;
        for (auto const& u : executor_.tables().updates) is_updated = is_updated || u.parameter == free + s;
        return is_updated;
      });
      call(targets, arguments...);
    }
  }
  template <class Targets, class... A>
  void call(Targets& targets, A const&... arguments) const {
    core::with_memory_errors([&] {
      with_leaves([&](auto const&... each) { executor_.run(targets, shared_, each...); }, arguments...);
    });
  }
  template <std::size_t... K, class... A>
  KROTON_INLINE auto outputs(std::index_sequence<K...>, A const&... arguments) const {
    using results = std::tuple<output_t<K>...>;
    if constexpr (executor_type::is_scalar) {
      return with_leaves([&](auto const&... each) { return executor_.template values<results>(shared_, each...); }, arguments...);
    } else {
      results all;
      auto targets = std::tie(std::get<K>(all)...);
      call(targets, arguments...);
      return all;
    }
  }
  /// Calls with core::argument objects of what the arguments are or, if they are structs, hold.
  template <class Call, class... A>
  static KROTON_INLINE decltype(auto) with_leaves(Call const& call, A const&... arguments) {
    if constexpr (core::is_flattened<F>)
      return std::apply([&](auto const&... each) { return with_arguments(call, each...); }, F::leaves_of_arguments(arguments...));
    else return with_arguments(call, arguments...);
  }
  template <class Call, class... A>
  static KROTON_INLINE decltype(auto) with_arguments(Call const& call, A const&... arguments) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      using all = std::tuple<P...>;
      constexpr bool fit = (core::extents_fit<std::tuple_element_t<I, all>, A>() && ...);
      static_assert(fit, "kt::function: an argument's extents, which its type tells, are not those of its kt::fixed parameter");
      return call(core::argument<value_type_of<std::tuple_element_t<I, all>>, rank_of<std::tuple_element_t<I, all>>, A>(arguments)...);
    }(std::make_index_sequence<static_cast<std::size_t>(free)>{});
  }

  friend core::shape_plan<compiled_function>;
  [[no_unique_address]] std::tuple<Shared...> shared_;
  [[no_unique_address]] mutable executor_type executor_;
};

/// A compiled function without its type, for members and containers:
/// `kt::callable<xt::xtensor<double, 1>(xt::xtensor<double, 2> const&)> g = f;`
template <class Signature>
using callable = std::function<Signature>;

namespace core {

template <class X>
inline constexpr bool is_mode = requires { typename X::kroton_mode; };
template <class X>
inline constexpr bool is_shared = false;
template <class T, int Rank>
inline constexpr bool is_shared<shared<T, Rank>> = true;

template <class P, class S>
inline constexpr bool binds = false;
template <typed P, class T, int Rank>
inline constexpr bool binds<P, shared<T, Rank>> = std::same_as<value_type_of<P>, T> && rank_of<P> == Rank;
template <structured P>
inline constexpr bool binds<P, shared<P>> = true;

template <int Skip, class Parameters, class... S>
constexpr bool all_bind() {
  bool result = true;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((result = result && binds<std::tuple_element_t<I + Skip, Parameters>, S>), ...);
  }(std::make_index_sequence<sizeof...(S)>{});
  return result;
}

template <class F, class Mode, class Parameters, int Bound>
struct executor_of;
template <class F, class Mode, class... P, int Bound>
struct executor_of<F, Mode, std::tuple<P...>, Bound> {
  using type = executor<Mode::run, F, Mode, Bound, P...>;
};

/// A function in a mode whose executor is defined in another header.
template <class F, class Parameters, class Mode, class... S>
auto with_executor(S const&... shared) {
  constexpr bool is_defined =
      requires { sizeof(typename executor_of<F, Mode, Parameters, static_cast<int>(sizeof...(S))>::type); };
  if constexpr (is_defined) {
    return compiled_function<F, Mode, Parameters, S...>(shared...);
  } else {
    static_assert(is_defined, "kt::mode: this mode needs the run-time stage: #include <kroton/runtime.hpp>");
    return refused_function{};
  }
}

template <class F, class Parameters, class Mode, class... S>
auto make_function(S const&... shared) {
  constexpr int count = static_cast<int>(std::tuple_size_v<Parameters>);
  if constexpr (!std::is_empty_v<F>) {
    static_assert(std::is_empty_v<F>, "kt::function: the lambda captures variables; pass them as parameters instead");
    return refused_function{};
  } else if constexpr (!all_variables<Parameters>) {
    static_assert(all_variables<Parameters>,
                  "kt::function: a parameter of the lambda is no kt::variable (for auto parameters write kt::function<types...>(lambda))");
    return refused_function{};
  } else if constexpr (!sound_structures<Parameters>) {
    static_assert(sound_structures<Parameters>,
                  "kt::function: a struct parameter is an aggregate whose members, declared with BOOST_HANA_DEFINE_STRUCT, are all "
                  "variables or such structs");
    return refused_function{};
  } else if constexpr (static_cast<int>(sizeof...(S)) > count) {
    static_assert(static_cast<int>(sizeof...(S)) <= count, "kt::function: more shared variables than parameters");
    return refused_function{};
  } else if constexpr (!all_bind<count - static_cast<int>(sizeof...(S)), Parameters, S...>()) {
    static_assert(all_bind<count - static_cast<int>(sizeof...(S)), Parameters, S...>(),
                  "kt::function: a shared variable's element type or rank is not that of the parameter it is bound to, or its struct");
    return refused_function{};
  } else if constexpr (any_structured<Parameters>) {
    using flat = flattened_t<F, Parameters>;
    return std::apply([](auto const&... each) { return make_function<flat, typename flat::parameters, Mode>(each...); },
                      std::tuple_cat(leaves_of_shared(shared)...));
  } else if constexpr (Mode::run == execution::interpreted) {
    return with_executor<F, Parameters, Mode>(shared...);
  } else {
    using result = compiled_function<F, Mode, Parameters, S...>;
    using p = traced_evaluation<F, Mode, static_cast<int>(sizeof...(S)), Parameters>;
    constexpr bool is_traced = is_evaluated<p>;
    if constexpr (!is_traced) {
      static_assert(is_traced,
                    "kt::function: the lambda cannot be traced in the compiler, for the reason given above; a long program may need "
                    "larger limits: -fconstexpr-steps (clang), -fconstexpr-ops-limit (g++)");
      return refused_function{};
    } else if constexpr (p::made.error == said_above) {
      return refused_function{};
    } else if constexpr (!p::made.error.empty()) {
      refuse<p>(std::make_index_sequence<line_count(p::made.error)>{});
      return refused_function{};
    } else if constexpr (Mode::run == execution::compiled) {
      return result(shared...);
    } else {
      return with_executor<F, Parameters, Mode>(shared...);
    }
  }
}

/// The mode of a function that is given none. A test suite may choose another one.
#if defined(KROTON_DEFAULT_MODE)
using default_mode = std::remove_const_t<decltype(mode::KROTON_DEFAULT_MODE)>;
#else
using default_mode = std::remove_const_t<decltype(mode::fast_run)>;
#endif

template <class F, class Parameters, class... O>
auto make_function_of(O const&... options) {
  if constexpr (sizeof...(O) == 0) {
    return make_function<F, Parameters, default_mode>();
  } else {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      auto const all = std::tie(options...);
      using last = std::remove_cvref_t<std::tuple_element_t<sizeof...(O) - 1, std::tuple<O...>>>;
      if constexpr (is_mode<last>) return make_function<F, Parameters, last>(std::get<I>(all)...);
      else return make_function<F, Parameters, default_mode>(options...);
    }(std::make_index_sequence<sizeof...(O) - 1>{});
  }
}

}  // namespace core

/// Compiles a captureless lambda over symbolic variables into a function of arrays. Further arguments are shared variables,
/// bound to the lambda's trailing parameters, and, last, a mode. (theano.function)
template <class F, class... O>
  requires core::has_signature<F>
auto function(F const&, O const&... options) {
  return core::make_function_of<F, core::parameters_of<F>>(options...);
}
/// The same for a generic lambda, with the parameter types given: `kt::function<kt::dvector, kt::dmatrix>(f)`.
template <core::typed_or_structured... P, class F, class... O>
  requires(sizeof...(P) > 0)
auto function(F const&, O const&... options) {
  return core::make_function_of<F, std::tuple<P...>>(options...);
}

/// Refuses a generic lambda without parameter types, in words.
template <class F, class... O>
  requires(!core::has_signature<F> && std::is_class_v<F> && std::is_empty_v<F>)
core::refused_function function(F const&, O const&...) {
  static_assert(core::has_signature<F>, "kt::function: for auto parameters write kt::function<types...>(lambda)");
  return {};
}

}  // namespace kroton
