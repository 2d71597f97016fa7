// Givens: parameters of a lambda replaced by values of another one when a function is made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/bound_streams.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

namespace kroton {
namespace functions {

/// The values of the parameters Which, as an option of kt::function: what G returns, and what its
/// last parameters are bound to.
template <class G, class Bound, int... Which>
struct given_values {
  Bound bound;
};
template <class X>
inline constexpr bool is_given = false;
template <class G, class Bound, int... Which>
inline constexpr bool is_given<given_values<G, Bound, Which...>> = true;
template <class G, class Bound, int... Which>
inline constexpr bool extends_function<given_values<G, Bound, Which...>> = true;
/// Whether parameters can be bound to it.
template <class X>
inline constexpr bool is_bound_option = is_shared<without_default_update_t<X>> || is_stream<X>;

/// What a callable returns, as a tuple: a single value, or each of several.
template <class R>
constexpr auto each_given(R const& r) {
  if constexpr (operand<R> || structured<R>) return std::tuple<R>(r);
  else return std::apply([](auto const&... v) { return std::make_tuple(v...); }, r);
}
template <class G, class Parameters>
using given_types = decltype(each_given(std::declval<typename result_on<G, Parameters>::type>()));

/// Whether a parameter of this element type can hold a number, rounded if it is a floating-point
/// one.
template <class Number>
constexpr bool holds(element e, Number value) {
  if constexpr (core::is_complex_number<Number>) {
    return holds(e, value.real()) && holds(e, value.imag());
  } else if (core::is_continuous(e)) {
    constexpr double most = std::numeric_limits<double>::max();
    auto const is_finite = [](double x) { return -most <= x && x <= most; };
    return !is_finite(static_cast<double>(value)) ||
           is_finite(core::literal_value(core::literal_bits(value, e), e));
  } else if constexpr (std::is_floating_point_v<Number>) {
    return false;
  } else {
    if (core::is_bool(e)) return value == Number{} || value == Number{1};
    auto const bits = static_cast<std::int64_t>(value);
    bool const is_negative = value < Number{};
    if (e == element::uint64) return !is_negative;
    return is_negative == (bits < 0) && core::wrap(bits, e) == bits;
  }
}

/// Whether a number of type V can stand for a parameter of this element type, if its value does.
template <number V>
constexpr bool number_stands_for(element e) {
  if constexpr (core::is_complex_number<V>) return core::is_complex(e);
  else return core::is_continuous(e) || !core::is_continuous(core::element_of<V>());
}
/// Whether a value can stand where a parameter does.
template <class P, class V>
constexpr bool stands_for() {
  if constexpr (std::derived_from<V, P>) return true;
  else if constexpr (!typed<P> || !std::is_same_v<P, variable<value_type_of<P>, rank_of<P>>>)
    return false;
  else if constexpr (placeable<V>)
    return core::static_rank<V>() == rank_of<P> &&
           std::is_same_v<typename V::value_type, value_type_of<P>>;
  else if constexpr (number<V>)
    return rank_of<P> == 0 && number_stands_for<V>(core::element_of<value_type_of<P>>());
  else return false;
}
template <class P, class V>
constexpr decltype(auto) standing_for([[maybe_unused]] graph* g, V const& v) {
  if constexpr (placeable<V>) return v.in(*g);
  else if constexpr (number<V>) {
    constexpr element e = core::element_of<value_type_of<P>>();
    if (!holds(e, v))
      g->fail("kt::givens: a number is out of range for the element type of its parameter");
    return P(term{g, g->literal(v, e)});
  } else {
    return (v);
  }
}

template <class X>
constexpr graph* graph_of_parameter(X const& x) {
  if constexpr (structured<X>) return std::get<0>(core::leaves(x)).of;
  else return x.of;
}

/// F with what G gives in place of the parameters Which. Its parameters are those of F; the free
/// ones of G stand where the first of Which was, and the bound ones behind all others.
template <class F, class Parameters, class G, std::size_t Bound, int... Which>
struct given_function;
template <class F, class... P, class G, std::size_t Bound, int... Which>
struct given_function<F, std::tuple<P...>, G, Bound, Which...> {
 private:
  using all = std::tuple<P...>;
  using own = parameters_of<G>;
  static constexpr std::size_t count = sizeof...(P), own_count = std::tuple_size_v<own>,
                               free = own_count - Bound, kept = count - sizeof...(Which),
                               first = std::min({static_cast<std::size_t>(Which)...});
  /// The number of a replaced parameter's value, or that of all values.
  static constexpr std::size_t value_for(std::size_t i) {
    std::array<std::size_t, sizeof...(Which)> const which{static_cast<std::size_t>(Which)...};
    return static_cast<std::size_t>(std::find(which.begin(), which.end(), i) - which.begin());
  }
  static constexpr bool is_replaced(std::size_t i) { return value_for(i) < sizeof...(Which); }
  static constexpr std::size_t place(std::size_t i) {
    std::size_t at = i > first ? free : 0;
    for (std::size_t k = 0; k < i; ++k) at += is_replaced(k) ? 0u : 1u;
    return at;
  }
  static constexpr std::size_t place_of_own(std::size_t i) {
    return i < free ? first + i : kept + i;
  }
  template <std::size_t At, std::size_t I = 0>
  static auto at() {
    if constexpr (I < own_count) {
      if constexpr (place_of_own(I) == At)
        return std::type_identity<std::tuple_element_t<I, own>>{};
      else return at<At, I + 1>();
    } else if constexpr (!is_replaced(I - own_count) && place(I - own_count) == At) {
      return std::type_identity<std::tuple_element_t<I - own_count, all>>{};
    } else {
      return at<At, I + 1>();
    }
  }
  template <std::size_t... I>
  static std::tuple<typename decltype(at<I>())::type...> joined(std::index_sequence<I...>);

 public:
  using parameters = decltype(joined(std::make_index_sequence<kept + own_count>{}));

  template <class... X>
  constexpr auto operator()(X const&... x) const {
    auto const given = std::tie(x...);
    auto const values = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return each_given(G{}(std::get<place_of_own(I)>(given)...));
    }(std::make_index_sequence<own_count>{});
    graph* g = nullptr;
    ((g = graph_of_parameter(x)), ...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return F{}(argument<I>(g, given, values)...);
    }(std::index_sequence_for<P...>{});
  }

 private:
  template <std::size_t I, class Given, class Values>
  static constexpr decltype(auto) argument(graph* g, Given const& given, Values const& values) {
    if constexpr (is_replaced(I))
      return standing_for<std::tuple_element_t<I, all>>(g, std::get<value_for(I)>(values));
    else return std::get<place(I)>(given);
  }
};

/// The first parameter of Which whose value does not fit, or -1.
template <class Parameters, class Values, int... Which>
constexpr int unfit_value() {
  int found = -1;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((found = found < 0 &&
                      !stands_for<std::tuple_element_t<static_cast<std::size_t>(Which), Parameters>,
                                  std::tuple_element_t<I, Values>>()
                  ? Which
                  : found),
     ...);
  }(std::make_index_sequence<sizeof...(Which)>{});
  return found;
}
template <int... Which>
constexpr bool are_distinct() {
  std::array<int, sizeof...(Which)> const which{Which...};
  for (int w : which)
    if (w < 0 || std::count(which.begin(), which.end(), w) != 1) return false;
  return !which.empty();
}

/// Whether the values of a kt::givens can be given for parameters; if not, a sentence says why. Any
/// other option can be, but not what kt::givens has refused.
template <class Parameters, class Option>
constexpr bool takes_givens(std::type_identity<Option>) {
  return true;
}
template <class Parameters, class Bound, int... Which>
constexpr bool takes_givens(std::type_identity<given_values<void, Bound, Which...>>) {
  return false;
}
template <class Parameters, class G, class Bound, int... Which>
constexpr bool takes_givens(std::type_identity<given_values<G, Bound, Which...>>) {
  constexpr bool are_parameters =
      ((static_cast<std::size_t>(Which) < std::tuple_size_v<Parameters>) && ...);
  static_assert(are_parameters,
                "kt::givens: kt::givens<0, 2>(g) replaces the parameters 0 and 2 of the function's "
                "lambda, which has fewer");
  if constexpr (are_parameters) {
    using values = given_types<G, parameters_of<G>>;
    constexpr bool are_as_many = std::tuple_size_v<values> == sizeof...(Which);
    static_assert(are_as_many,
                  "kt::givens: the lambda returns one value for each parameter that is replaced, "
                  "several as a std::tuple");
    if constexpr (are_as_many) {
      constexpr int unfit = unfit_value<Parameters, values, Which...>();
      static_assert(is_accepted<of::parameter<unfit + 1>> || unfit < 0,
                    "kt::givens: a value differs from the parameter that it replaces in element "
                    "type, rank, struct, or in what the parameter's type says of extents");
      constexpr bool is_parameter_left = std::tuple_size_v<Parameters> > sizeof...(Which) ||
                                         std::tuple_size_v<parameters_of<G>> > 0;
      static_assert(is_parameter_left,
                    "kt::givens: a function of numbers alone has no parameter left: keep one, or "
                    "bind one to a kt::shared");
      return unfit < 0 && is_parameter_left;
    }
  }
  return false;
}

}  // namespace functions

/// An option of kt::function, which replaces parameters of its lambda by values of another lambda:
/// `kt::function(cost, kt::givens<0, 1>([](kt::lscalar i, kt::dmatrix all) {...}, data), w)`. The
/// lambda, which has no captures, returns one value for each parameter that is named, several as a
/// std::tuple. Its last parameters are bound to shared variables and streams, if some are passed;
/// the others become parameters of the function in the place of the first that is replaced. A
/// number stands for a scalar whose element type holds it; a floating-point one for no integer.
/// (theano.function's givens)
template <int... Which, class G, class... S>
auto givens(G const&, S const&... bound) {
  constexpr bool is_lambda = std::is_class_v<G> && functions::valueless<G>;
  static_assert(is_lambda, "kt::givens: the values come from a lambda without captures");
  if constexpr (!is_lambda) {
    return functions::given_values<void, std::tuple<S...>, Which...>{{bound...}};
  } else {
    constexpr bool are_named = functions::are_distinct<Which...>();
    constexpr bool has_types = functions::has_signature<G>;
    constexpr bool are_bound = (functions::is_bound_option<S> && ...);
    static_assert(are_named,
                  "kt::givens: name each parameter that is replaced, once: kt::givens<0, 2>(g)");
    static_assert(has_types, "kt::givens: the parameters of the lambda have types, not auto");
    static_assert(are_bound,
                  "kt::givens: after the lambda, pass the shared variables and streams that its "
                  "last parameters are bound to");
    if constexpr (are_named && has_types && are_bound) {
      constexpr bool are_few = sizeof...(S) <= std::tuple_size_v<functions::parameters_of<G>>;
      static_assert(are_few, "kt::givens: more shared variables than parameters of the lambda");
      if constexpr (are_few)
        return functions::given_values<G, std::tuple<S...>, Which...>{{bound...}};
      else return functions::given_values<void, std::tuple<>, Which...>{};
    } else {
      return functions::given_values<void, std::tuple<>, Which...>{};
    }
  }
}

}  // namespace kroton
