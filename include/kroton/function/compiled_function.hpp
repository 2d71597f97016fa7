// Compiled functions: bound to their shared variables, and called with arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/arrays/adapted.hpp>
#include <kroton/cpu/call/arrays/pointed.hpp>
#include <kroton/cpu/call/arrays/targets.hpp>
#include <kroton/function/call_faults.hpp>
#include <kroton/function/copying.hpp>
#include <kroton/function/donation.hpp>
#include <kroton/function/equal_updates.hpp>
#include <kroton/function/executor.hpp>
#include <kroton/function/structure.hpp>
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
    constexpr std::string_view instead =
        functions::makes_default_updates<F>
            ? "; bind it once with its default update, and else as kt::no_default_update(w)"
            : "";
    if constexpr (bound > 1)
      cpu::require_updates_of_their_own(shared_, executor_.tables(), instead,
                                        functions::equal_updates<F>{});
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

  /// A copy that is bound to other shared variables of the same types: `f.copy(w, b)` in place of
  /// all, in their order, or `f.copy(kt::swap(w, other))` of single ones; with kt::delete_updates
  /// without updates. All are those that were passed to kt::function, then those of kt::givens,
  /// then those that default updates read. Nothing else is compiled for it, except without updates.
  /// Throws kt::value_error if it is not bound to what is to be exchanged, or that is exchanged
  /// twice. (theano's Function.copy)
  template <class... O>
  auto copy(O const&... options) const {
    constexpr bool deletes = (std::is_same_v<O, functions::delete_updates_t> || ...);
    using kept = std::conditional_t<deletes, typename functions::deleting_updates<F>::type, F>;
    using copied = compiled_function<kept, Mode, parameters, Shared...>;
    if constexpr (!functions::takes_copy_options<std::tuple<Shared...>, O...>()) {
      return core::refused_function{};
    } else {
      constexpr bool has_outputs = !deletes || output_count > 0;
      static_assert(has_outputs,
                    "kt::function: a copy without updates of a function that gives nothing");
      if constexpr (!has_outputs) return core::refused_function{};
      else
        return std::apply([](Shared const&... each) { return copied(each...); },
                          functions::exchanged(shared_, options...));
    }
  }

  /// The executor, for prints and profiles.
  executor_type const& executor() const { return executor_; }

 private:
  template <class Targets, class... A>
  void call_into(Targets& targets, A const&... arguments) const {
    executor_.run_or_abandon([&] {
      cpu::require_memory_of_their_own(targets, shared_, [&](int s) {
        bool is_updated = false;
        for (auto const& u : executor_.tables().updates)
          is_updated = is_updated || u.parameter == free + s;
        return is_updated;
      });
      call(targets, arguments...);
    });
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
      executor_.run_or_abandon([&] { call(targets, arguments...); });
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

}  // namespace kroton
