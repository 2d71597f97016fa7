// What a lambda returns: outputs, and updates of shared parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/call.hpp>
#include <kroton/core/structure.hpp>

#include <array>
#include <tuple>
#include <utility>

namespace kroton {

/// An update assigns a parameter a value of its own rank and element type; plain numbers convert.
template <class P, class V>
concept update_has_the_rank_and_element_type_of_its_parameter =
    number<V> || (core::static_operand<V> && rank_of<P> == core::static_rank<V>() &&
                  std::same_as<value_type_of<P>, typename std::remove_cvref_t<V>::value_type>);

/// An update assigns a struct parameter a struct of the same type.
template <class P, class V>
concept update_is_of_the_same_struct_as_its_parameter = std::same_as<P, V>;

namespace core {

/// Outputs after a rejected update: kt::function reports no further errors about them.
struct refused_outputs {
  template <class P, class N>
  constexpr refused_outputs update(P const&, N const&) const {
    return {};
  }
  template <class R>
  constexpr refused_outputs update(R const&) const {
    return {};
  }
};

template <class V>
concept typed_or_structured = typed<V> || structured<V>;
/// A variable, a struct of variables or a tensor of numbers.
template <class V>
concept returnable = typed_or_structured<V> || placeable<V>;
}

/// Outputs of a function, in order, with the updates that follow them: `kt::outputs(a, b).update(w,
/// new_w)`.
template <core::returnable... V>
class output_list {
 public:
  constexpr explicit output_list(V const&... values) : values_(values...) {}
  /// With updates that have been recorded elsewhere.
  constexpr output_list(std::tuple<V...> const& values, graph* of,
                        core::list<core::update> const& updates)
      : of_(of), values_(values), updates_(updates) {}

  /// Assigns the shared variable bound to `parameter` a new value after every output is computed;
  /// either all updates of a call happen, or none. Each parameter can be updated once.
  template <typed P, operand N>
    requires update_has_the_rank_and_element_type_of_its_parameter<P, N>
  constexpr output_list update(P const& parameter, N const& value) const {
    output_list result = *this;
    graph& g = *parameter.of;
    int position = -1;
    for (int i = 0; i < g.parameters().size(); ++i)
      if (g.parameters()[i] == parameter.id) position = i;
    if (position < 0) g.fail("update: the first argument must be a parameter of the function");
    int id = -1;
    if constexpr (number<N>) {
      if (rank_of<P> != 0)
        g.fail("update: a tensor cannot be updated with a number; write full_like(w, number)");
      id = g.literal(value, core::element_of<value_type_of<P>>());
    } else {
      id = core::node_of(g, value, core::element_of<value_type_of<P>>());
    }
    if (position >= 0) result.add(&g, {position, id});
    return result;
  }
  /// Takes over the updates of other outputs, such as those that kt::scan gives if its body updates
  /// parameters; not their values.
  template <class... W>
  constexpr output_list update(output_list<W...> const& other) const {
    output_list result = *this;
    for (auto const& u : other.updates()) result.add(other.of(), u);
    return result;
  }
  /// Gives every member of a struct parameter its new value.
  template <structured P, core::typed_or_structured N>
    requires update_is_of_the_same_struct_as_its_parameter<P, N>
  constexpr output_list update(P const& parameter, N const& value) const {
    output_list result = *this;
    if constexpr (compound<P>) {
      auto const update_member = [&](auto const& member, auto const& given) {
        if (member.id != given.id) result = result.update(member, given);
      };
      auto const old = core::leaves(parameter), next = core::leaves(value);
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (update_member(std::get<I>(old), std::get<I>(next)), ...);
      }(std::make_index_sequence<std::tuple_size_v<decltype(old)>>{});
      return result;
    }
    memberwise(
        [&](auto const& member, auto const& given) {
          result = result.update(member, given);
          return given;
        },
        parameter, value);
    return result;
  }

  /// Rejects anything that is not a value of the parameter's type, with a sentence.
  template <class P, class N>
    requires(!(typed<P> && operand<N> &&
               update_has_the_rank_and_element_type_of_its_parameter<P, N>) &&
             !(structured<P> && update_is_of_the_same_struct_as_its_parameter<P, N>))
  constexpr core::refused_outputs update(P const&, N const&) const {
    if constexpr (!typed<P> && !structured<P>)
      static_assert(
          is_accepted<met::type<P>>,
          "update: the first argument must be a parameter of the lambda that is bound to a "
          "kt::shared");
    else if constexpr (structured<P> || structured<N>)
      static_assert(is_accepted<met::type<N>, wanted::type<P>>,
                    "update: a struct parameter must be updated with a struct of its own type");
    else if constexpr (!core::static_operand<N>)
      static_assert(is_accepted<met::type<N>, wanted::type<P>>,
                    "update: the new value must be an expression of the parameter's rank and "
                    "element type; the elements of an array are not known at compile time");
    else if constexpr (rank_of<P> != core::static_rank<N>())
      static_assert(is_accepted<met::rank<core::static_rank<N>()>, wanted::rank<rank_of<P>>>,
                    "update: the new value's rank differs from the parameter's");
    else
      static_assert(
          is_accepted<met::element<typename N::value_type>, wanted::element<value_type_of<P>>>,
          "update: the new value's element type differs from the parameter's: convert it with "
          "kt::cast<T>(value)");
    return {};
  }

  constexpr std::tuple<V...> const& values() const& { return values_; }
  constexpr std::tuple<V...> values() && { return values_; }
  constexpr core::list<core::update> const& updates() const& { return updates_; }
  constexpr core::list<core::update> updates() && { return updates_; }
  /// The graph of the updated parameters; null if there are none.
  constexpr graph* of() const { return of_; }

 private:
  constexpr void add(graph* of, core::update const& added) {
    of_ = of;
    for (auto const& u : updates_)
      if (u.parameter == added.parameter) of->fail("update: a parameter is updated twice");
    updates_.push_back(added);
  }

  graph* of_ = nullptr;
  std::tuple<V...> values_;
  core::list<core::update> updates_;
};

/// The outputs of a function, to which updates can be added; none for a function that only updates.
template <core::returnable... V>
constexpr auto outputs(V const&... values) {
  return output_list<V...>(values...);
}

namespace core {

/// The variables in a lambda's result, in order; tuples, pairs, arrays and structs may nest.
template <class R>
constexpr auto result_variables(graph& g, R const& result) {
  if constexpr (typed<R>) {
    return std::tuple<variable<value_type_of<R>, rank_of<R>>>(result);
  } else if constexpr (placeable<R>) {
    return std::tuple(result.in(g));
  } else if constexpr (structured<R>) {
    return result_variables(g, leaves(result));
  } else if constexpr (requires { result.updates(); }) {
    return result_variables(g, result.values());
  } else if constexpr (number<R>) {
    static_assert(!number<R>,
                  "kt::function: the lambda must return variables; a plain number is not an "
                  "output");
  } else {
    return std::apply(
        [&](auto const&... part) { return std::tuple_cat(result_variables(g, part)...); }, result);
  }
}
template <class R>
using result_variables_t =
    decltype(result_variables(std::declval<graph&>(), std::declval<R const&>()));

/// Records a lambda's result in the graph.
template <class R>
constexpr void record_results(graph& g, R const& result) {
  std::apply(
      [&](auto const&... v) { (g.results().push_back(node_of(g, v, element::float64)), ...); },
      result_variables(g, result));
  if constexpr (requires { result.updates(); })
    for (auto const& u : result.updates()) g.updates().push_back(u);
}

}  // namespace core
}  // namespace kroton
