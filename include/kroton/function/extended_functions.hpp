// kt::function with givens and default updates among its options.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/default_update.hpp>
#include <kroton/function/givens.hpp>
#include <kroton/function/stream_functions.hpp>

#include <tuple>

namespace kroton {

// Declared here, because what givens are bound to may have default updates.
template <class... P, class F, class... O>
  requires(functions::extends_function<O> || ...)
auto function(F const& f, O const&... options);

namespace functions {

/// Whether a lambda can be called with these parameters. If not, kt::function says why.
template <class F, class Parameters>
concept can_be_extended =
    std::is_empty_v<F> && std::tuple_size_v<Parameters> != 0 && call_on<F, Parameters>::is_defined;

/// The options other than kt::givens, as a tuple.
template <class... O>
auto without_givens(O const&... options) {
  return std::tuple_cat([](auto const& o) {
    if constexpr (is_given<std::remove_cvref_t<decltype(o)>>) return std::tuple<>();
    else return std::tuple(o);
  }(options)...);
}

/// The kt::givens among options.
template <class... O>
auto givens_among(O const&... options) {
  return std::get<0>(std::tuple_cat([](auto const& o) {
    if constexpr (is_given<std::remove_cvref_t<decltype(o)>>) return std::tuple(o);
    else return std::tuple<>();
  }(options)...));
}
template <std::size_t Count, class Options>
auto first_options(Options const& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::make_tuple(std::get<I>(all)...);
  }(std::make_index_sequence<Count>{});
}

/// The default updates of what is bound to the last parameters of F.
template <class Parameters, class Bound>
struct default_updates;
template <class... P, class... S>
struct default_updates<std::tuple<P...>, std::tuple<S...>> {
  static constexpr std::size_t skip = sizeof...(P) - sizeof...(S);
  template <class X>
  struct others_of {
    using type = std::tuple<>;
  };
  template <class X>
    requires has_default_update<X>
  struct others_of<X> {
    using type = typename X::others_type;
  };
  template <std::size_t I>
  using bound = std::tuple_element_t<I, std::tuple<S...>>;
  template <std::size_t I>
  static constexpr std::size_t count = std::tuple_size_v<typename others_of<bound<I>>::type>;
  /// Where the parameters begin that the update of I reads.
  template <std::size_t I>
  static constexpr std::size_t further() {
    if constexpr (I == 0) return sizeof...(P);
    else return further<I - 1>() + count<I - 1>;
  }
  template <std::size_t I>
  static auto update() {
    if constexpr (has_default_update<bound<I>>)
      return std::tuple<
          update_of_parameter<skip + I, typename bound<I>::update_type, further<I>(), count<I>>>();
    else return std::tuple<>();
  }
  template <class... X>
  static std::tuple<parameter_of_shared_t<X>...> parameters_for(std::tuple<X...> const&);

  using others = decltype(std::tuple_cat(std::declval<typename others_of<S>::type>()...));
  using parameters = decltype(parameters_for(std::declval<others>()));
  /// Whether each is bound to a parameter of its type.
  static constexpr bool fit = []<std::size_t... I>(std::index_sequence<I...>) {
    return (
        (!has_default_update<bound<I>> || binds<std::tuple_element_t<skip + I, std::tuple<P...>>,
                                                without_default_update_t<bound<I>>>) &&
        ...);
  }(std::index_sequence_for<S...>{});

  template <class F>
  static auto applied_to() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return []<class... U>(std::tuple<U...>) {
        return updated_function<F, std::tuple<P...>, parameters, U...>{};
      }(std::tuple_cat(update<I>()...));
    }(std::index_sequence_for<S...>{});
  }
};

/// The shared variables that the default updates of others read.
template <class... S>
auto others_read_by(std::tuple<S...> const& bound) {
  auto const others = [](auto const& x) {
    if constexpr (has_default_update<std::remove_cvref_t<decltype(x)>>) return x.others();
    else return std::tuple<>();
  };
  return std::apply([&](auto const&... x) { return std::tuple_cat(others(x)...); }, bound);
}

/// A lambda that takes the place of the user's, and the options of kt::function that belong to it.
template <class F, class Options>
struct extended {
  F f;
  Options options;
};
template <class F, class Options>
extended(F, Options) -> extended<F, Options>;

/// With the values of given parameters. What they are bound to stands behind what F is bound to.
template <class F, class Parameters, class G, class Hidden, int... Which, class Bound, class Mode>
auto with_givens(given_values<G, Hidden, Which...> const& given, Bound const& bound,
                 Mode const& mode) {
  constexpr std::size_t hidden = std::tuple_size_v<Hidden>;
  return extended{given_function<F, Parameters, G, hidden, Which...>{},
                  std::tuple_cat(bound, given.bound, mode)};
}
/// With default updates, if all that is bound fits; otherwise without, for kt::function to refuse.
template <class Parameters, class F, class... S, class Mode>
auto with_default_updates(F const& f, std::tuple<S...> const& bound, Mode const& mode) {
  auto const plain =
      std::apply([](auto const&... x) { return std::tuple(without_default_update(x)...); }, bound);
  if constexpr (sizeof...(S) <= std::tuple_size_v<Parameters>) {
    using updates = default_updates<Parameters, std::tuple<S...>>;
    if constexpr (updates::fit)
      return extended{updates::template applied_to<F>(),
                      std::tuple_cat(plain, others_read_by(bound), mode)};
    else return extended{f, std::tuple_cat(plain, mode)};
  } else {
    return extended{f, std::tuple_cat(plain, mode)};
  }
}

}  // namespace functions

/// The same with kt::givens, and with shared variables that have a default update.
template <class... P, class F, class... O>
  requires(functions::extends_function<O> || ...)
auto function(F const& f, O const&... options) {
  using parameters = typename decltype(functions::given_parameters<F, P...>())::type;
  constexpr int givens = (static_cast<int>(functions::is_given<O>) + ... + 0);
  static_assert(givens <= 1,
                "kt::givens: name all parameters that are replaced in one: kt::givens<0, 2>(g)");
  if constexpr (givens > 1) {
    return core::refused_function{};
  } else if constexpr (!functions::can_be_extended<F, parameters>) {
    return kroton::function<P...>(f);
  } else if constexpr (!(functions::takes_givens<parameters>(std::type_identity<O>{}) && ...)) {
    return core::refused_function{};
  } else {
    constexpr std::size_t count = functions::count_of_bound<O...> - givens;
    auto const all = functions::without_givens(options...);
    auto const mode = functions::last_options<count>(all);
    auto const bound = functions::first_options<count>(all);
    auto const made = [&] {
      if constexpr (givens == 0) return functions::with_default_updates<parameters>(f, bound, mode);
      else
        return functions::with_givens<F, parameters>(functions::givens_among(options...), bound,
                                                     mode);
    }();
    // Called here and not deeper: compilers print the instantiation stack after an error.
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      if constexpr (std::is_same_v<decltype(made.f), F>)
        return kroton::function<P...>(f, std::get<I>(made.options)...);
      else return kroton::function(made.f, std::get<I>(made.options)...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(made.options)>>{});
  }
}

}  // namespace kroton
