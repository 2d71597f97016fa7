// Shared variables with an update of their own, which functions make where they make no other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/faults.hpp>
#include <kroton/function/shared.hpp>
#include <kroton/function/values.hpp>

#include <array>
#include <tuple>

namespace kroton {
namespace functions {

/// The parameter that a shared variable is bound to.
template <class S>
struct parameter_of_shared;
template <class T, int Rank>
  requires(Rank >= 0)
struct parameter_of_shared<shared<T, Rank>> : std::type_identity<variable<T, Rank>> {};
template <class P>
struct parameter_of_shared<shared<P, -1>> : std::type_identity<P> {};
template <class S>
using parameter_of_shared_t = typename parameter_of_shared<S>::type;

/// A shared variable with a default update: a handle to the same value, of another type.
template <class S, class Update, class... Others>
class default_updated : public S {
 public:
  using update_type = Update;
  using others_type = std::tuple<Others...>;

  default_updated(S const& s, Others const&... others) : S(s), others_(others...) {}
  /// The variable without its update.
  S const& plain() const { return *this; }
  /// What the update reads besides the variable itself.
  others_type const& others() const { return others_; }

 private:
  others_type others_;
};
template <class X>
inline constexpr bool has_default_update = false;
template <class S, class U, class... O>
inline constexpr bool has_default_update<default_updated<S, U, O...>> = true;

/// A shared variable without its default update; everything else unchanged.
template <class X>
auto const& without_default_update(X const& x) {
  if constexpr (has_default_update<X>) return x.plain();
  else return x;
}
template <class X>
using without_default_update_t =
    std::remove_cvref_t<decltype(without_default_update(std::declval<X const&>()))>;

/// An update of the parameter At of a function; U reads it and `Count` others from Further on.
template <std::size_t At, class U, std::size_t Further, std::size_t Count>
struct update_of_parameter {
  using update_type = U;
  static constexpr std::size_t at = At, further = Further, count = Count;

  /// The outputs with this update, unless they have one of that parameter already.
  template <class Outputs, class Given>
  static constexpr Outputs added(Outputs const& outputs, Given const& given) {
    auto const& parameter = std::get<At>(given);
    auto const next = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return U{}(parameter, std::get<Further + I>(given)...);
    }(std::make_index_sequence<Count>{});
    if constexpr (structured<std::remove_cvref_t<decltype(parameter)>>) {
      auto const old = core::leaves(parameter), values = core::leaves(next);
      Outputs all = outputs;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        ((all = added_to(all, std::get<I>(old), std::get<I>(values))), ...);
      }(std::make_index_sequence<std::tuple_size_v<decltype(old)>>{});
      return all;
    } else {
      return added_to(outputs, parameter, next);
    }
  }

 private:
  template <class Outputs, class X, class V>
  static constexpr Outputs added_to(Outputs const& outputs, X const& parameter, V const& next) {
    for (auto const& u : outputs.updates())
      if (parameter.of->parameters()[u.parameter] == parameter.id) return outputs;
    return outputs.update(parameter, next);
  }
};

/// What a lambda returns, as outputs.
template <class R>
constexpr auto each_returned(R const& r) {
  if constexpr (core::returnable<R>) return std::tuple<R>(r);
  else return std::apply([](auto const&... v) { return std::tuple_cat(each_returned(v)...); }, r);
}
template <class R>
constexpr auto as_outputs(R const& r) {
  if constexpr (requires { r.updates(); }) return r;
  else return std::apply([](auto const&... v) { return kroton::outputs(v...); }, each_returned(r));
}

/// F with default updates. The parameters that they read behind those of F are further ones.
template <class F, class Parameters, class Further, class... Updates>
struct updated_function;
template <class F, class... P, class... Further, class... Updates>
struct updated_function<F, std::tuple<P...>, std::tuple<Further...>, Updates...> {
  using parameters = std::tuple<P..., Further...>;

  template <class... X>
  constexpr auto operator()(X const&... x) const {
    auto const given = std::tie(x...);
    auto const result = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return F{}(std::get<I>(given)...);
    }(std::index_sequence_for<P...>{});
    if constexpr (fault_of_result<std::remove_const_t<decltype(result)>>::value ==
                  function_fault::none) {
      auto all = as_outputs(result);
      ((all = Updates::added(all, given)), ...);
      return all;
    } else {
      return result;
    }
  }
};

/// Whether a function makes default updates.
template <class F>
inline constexpr bool makes_default_updates = false;
template <class F, class P, class Further, class... Updates>
inline constexpr bool makes_default_updates<updated_function<F, P, Further, Updates...>> = true;
template <class F, class... P>
inline constexpr bool makes_default_updates<flattened<F, P...>> = makes_default_updates<F>;

/// Whether U makes a value of the parameter's type from a parameter P and others.
template <class U, class P, class... Others>
constexpr bool makes_an_update() {
  if constexpr (!call_on<U, std::tuple<P, Others...>>::is_defined) {
    return false;
  } else {
    using next = typename result_on<U, std::tuple<P, Others...>>::type;
    if constexpr (structured<P>) return std::same_as<next, P>;
    else if constexpr (operand<next>)
      return update_has_the_rank_and_element_type_of_its_parameter<P, next>;
    else return false;
  }
}

}  // namespace functions

/// A handle to a shared variable with an update that every function makes that it is bound to:
/// `auto calls = kt::with_default_update(n, [](kt::lscalar n) { return n + 1; })`. A function whose
/// lambda updates the parameter itself makes that update alone; one that is bound to n, or to
/// kt::no_default_update(calls), makes none. The update may read further shared variables, which
/// are passed behind it and are its further parameters. A function that calls is bound to twice
/// makes the update once; two different updates of n are a kt::value_error: bind calls once, and
/// else kt::no_default_update(calls). (Theano's shared.default_update)
template <class S, class U, class... Others>
auto with_default_update(S const& s, U const&, Others const&... others) {
  using plain = functions::without_default_update_t<S>;
  constexpr bool are_shared =
      functions::is_shared<plain> &&
      (functions::is_shared<functions::without_default_update_t<Others>> && ...);
  constexpr bool is_lambda = std::is_class_v<U> && functions::valueless<U>;
  static_assert(are_shared,
                "kt::with_default_update: takes a kt::shared, a lambda, and further kt::shared "
                "variables that the lambda reads");
  static_assert(is_lambda,
                "kt::with_default_update: the update is a lambda without captures; pass the shared "
                "variables that it reads behind it");
  if constexpr (are_shared && is_lambda) {
    constexpr bool is_update = functions::makes_an_update<
        U, functions::parameter_of_shared_t<plain>,
        functions::parameter_of_shared_t<functions::without_default_update_t<Others>>...>();
    static_assert(is_update,
                  "kt::with_default_update: the lambda takes the variable and the further ones, "
                  "and returns a value of the variable's element type and rank, or of its struct");
    using updated =
        functions::default_updated<plain, U, functions::without_default_update_t<Others>...>;
    if constexpr (is_update)
      return updated(functions::without_default_update(s),
                     functions::without_default_update(others)...);
    else return plain(functions::without_default_update(s));
  } else {
    return functions::without_default_update(s);
  }
}

}  // namespace kroton
