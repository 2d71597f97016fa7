// verify_grad: compares a gradient with finite differences.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>
#include <kroton/grad/reverse.hpp>

#include <algorithm>
#include <cmath>

namespace kroton {
namespace functions {

/// The sum of the result of F, and its gradients with respect to all floating-point parameters.
template <class F, class Parameters>
struct checked_callable;
template <class F, class... P>
struct checked_callable<F, std::tuple<P...>> {
  using parameters = std::tuple<P...>;

  // For a complex value, the sum of both parts, so that both count.
  template <class V>
  static constexpr auto total(V const& value) {
    if constexpr (is_complex_number<value_type_of<V>>) return total(real(value) + imag(value));
    else if constexpr (rank_of<V> == 0) return value;
    else return sum(value);
  }
  constexpr auto operator()(P const&... x) const {
    auto const cost = total(F{}(x...));
    graph& g = *cost.of;
    gradient_request request(g);
    request.option(disconnected::zero);
    request.seed(cost.id, g.literal(1, cost.type().element));
    auto ask = [&](auto const& p) {
      if constexpr (is_continuous(element_of<value_type_of<decltype(p)>>())) request.option(p);
    };
    (ask(x), ...);
    request.run();
    return std::tuple_cat(std::tuple(cost), answer(request, x)...);
  }

 private:
  template <class X>
  static constexpr auto answer(gradient_request& request, X const& x) {
    if constexpr (is_continuous(element_of<value_type_of<X>>())) return gradient_tuple(request, x);
    else return std::tuple<>();
  }
};

}  // namespace functions

/// The result of verify_grad: true if every derivative agrees.
struct gradient_check {
  bool agrees = true;
  double error = 0;  ///< largest |gradient - difference| / max(1, |gradient|, |difference|)
  std::size_t parameter = 0;  ///< where it is: the position of the parameter among all
  std::size_t element = 0;    ///< and of the element in it, in row-major order
  explicit operator bool() const { return agrees; }
};

namespace functions {

/// verify_grad of a callable of variables.
template <class F, class... A>
gradient_check checked_gradient(A const&... arguments) {
  using parameters = core::parameters_of<F>;
  auto call = function(functions::checked_callable<F, parameters>{});
  gradient_check found;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    auto values =
        std::tuple(cpu::to_container<value_type_of<std::tuple_element_t<I, parameters>>,
                                     rank_of<std::tuple_element_t<I, parameters>>>(arguments)...);
    auto const at = std::apply(call, values);
    auto cost_here = [&] {
      auto const result = std::apply(call, values);
      if constexpr (cpu::is_tuple<std::remove_cvref_t<decltype(result)>>)
        return static_cast<double>(std::get<0>(result));
      else return static_cast<double>(result);
    };
    auto check = [&]<std::size_t K>(std::integral_constant<std::size_t, K>, auto const& gradient) {
      using T = value_type_of<std::tuple_element_t<K, parameters>>;
      static_assert(!is_short_float<T>,
                    "kt::verify_grad: differences of numbers of 16 bits are too coarse: verify the "
                    "same formula of float");
      constexpr bool single = core::real_of(core::element_of<T>()) == element::float32;
      auto& x = std::get<K>(values);
      // Varies a real number, which may be a part of an element.
      auto compare = [&]<class R>(R& part, double expected, std::size_t position) {
        R const before = part;
        double const h =
            (single ? 1e-2 : 1e-3) * std::max(1.0, std::abs(static_cast<double>(before)));
        auto shifted = [&](double by) {
          part = static_cast<R>(static_cast<double>(before) + by);
          double const value = cost_here();
          part = before;
          return value;
        };
        double const difference =
            (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
        double const error = std::abs(difference - expected) /
                             std::max({1.0, std::abs(difference), std::abs(expected)});
        if (!(error <= (single ? 2e-2 : 1e-6))) found.agrees = false;
        if (!(error <= found.error)) found = {found.agrees, error, K, position};
      };
      auto compare_element = [&](T& element, T const& slope, std::size_t position) {
        if constexpr (core::is_complex_number<T>) {
          auto* const parts = reinterpret_cast<typename T::value_type*>(&element);
          compare(parts[0], static_cast<double>(slope.real()), position);
          compare(parts[1], static_cast<double>(slope.imag()), position);
        } else {
          compare(element, static_cast<double>(slope), position);
        }
      };
      if constexpr (number<decltype(x)>) compare_element(x, gradient, 0);
      else
        for (std::size_t i = 0; i < x.size(); ++i) compare_element(x.flat(i), gradient.flat(i), i);
    };
    auto each = [&]<std::size_t K>(std::integral_constant<std::size_t, K> k) {
      if constexpr (core::is_continuous(
                        core::element_of<value_type_of<std::tuple_element_t<K, parameters>>>())) {
        constexpr std::size_t before = [] {
          std::size_t n = 0;
          [&]<std::size_t... J>(std::index_sequence<J...>) {
            ((n += core::is_continuous(
                       core::element_of<value_type_of<std::tuple_element_t<J, parameters>>>())
                       ? 1u
                       : 0u),
             ...);
          }(std::make_index_sequence<K>{});
          return n;
        }();
        check(k, std::get<before + 1>(at));
      }
    };
    (each(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<std::tuple_size_v<parameters>>{});
  return found;
}

}  // namespace functions

/// Compares the gradient of f (of the sum of its elements, if it returns a tensor) with central
/// differences of fourth order at the given arguments, for every floating-point and complex
/// parameter, for complex ones in both parts. Values agree if the relative error is at most 1e-6,
/// or 2e-2 for float. (theano.gradient.verify_grad)
template <class F, class... A>
  requires core::has_signature<F>
gradient_check verify_grad(F const&, A const&... arguments) {
  using parameters = core::parameters_of<F>;
  if constexpr (core::any_structured<parameters>) {
    using flat = functions::flattened_t<F, parameters>;
    return std::apply([](auto const&... each) { return verify_grad(flat{}, each...); },
                      flat::leaves_of_arguments(arguments...));
  } else {
    return functions::checked_gradient<F>(arguments...);
  }
}

}  // namespace kroton
