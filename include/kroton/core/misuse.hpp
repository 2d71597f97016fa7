// Uses of a variable as a number, an array or a condition. Each is rejected with a sentence at the
// user's line.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <cstddef>
#include <tuple>

namespace kroton {

template <class Value, int Rank>
template <class I>
constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> variable<Value, Rank>::operator[](
    I const&) const {
  static_assert(
      is_accepted<variable, I>,
      "kt: x[i] is not defined for a variable: write x(i), x(i, j), x(kt::slice(first, last))");
  this->of->fail(core::said_above);
  using element_type = variable<Value, (Rank > 0 ? Rank - 1 : 0)>;
  return element_type(term{this->of, core::stand_in(*this->of, element_type::parameter_type)});
}

template <class Value, int Rank>
template <std::same_as<bool> B>
constexpr variable<Value, Rank>::operator B() const {
  static_assert(is_accepted<variable, B>,
                "kt: a variable has no value yet, so if, while, for and ?: cannot test it: write "
                "where(c, a, b), which chooses element by element, or ifelse(c, a, b), which "
                "computes one branch");
  this->of->fail(core::said_above);
  return false;
}

template <class Value, int Rank>
constexpr variable<Value, Rank>::operator double() const {
  static_assert(is_accepted<variable, double>,
                "kt: a variable has no value yet and does not convert to a number: keep it as auto "
                "y = x; kt::cast<T>(x) converts its elements; call Kroton's functions, exp(x) "
                "rather than std::exp(x)");
  this->of->fail(core::said_above);
  return 0;
}

template <class Value, int Rank>
template <class V>
constexpr variable<Value, Rank>& variable<Value, Rank>::refuse_assignment() {
  static_assert(is_accepted<met::type<V>, wanted::type<variable>>,
                "kt: only a variable of the same element type and rank can be assigned: write auto "
                "y = ..., kt::cast<T>(y), or full_like(x, number)");
  this->of->fail(core::said_above);
  return *this;
}

template <class Value, int Rank>
template <class V>
constexpr variable<Value, Rank> const& variable<Value, Rank>::operator=(V const&) const&& {
  static_assert(is_accepted<met::type<V>, wanted::type<variable>>,
                "kt: the result of an expression cannot be assigned to: name it, auto y = ...; to "
                "write a part of x, use x = set_subtensor(x(i), value)");
  this->of->fail(core::said_above);
  return *this;
}

template <class Value, int Rank>
constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> const* variable<Value, Rank>::begin() const {
  static_assert(is_accepted<variable>,
                "kt: a variable has no elements yet to loop over: write the operation for the "
                "whole tensor, as in sum(x), or loop over numbers and use x(i)");
  this->of->fail(core::said_above);
  return nullptr;
}
template <class Value, int Rank>
constexpr variable<Value, (Rank > 0 ? Rank - 1 : 0)> const* variable<Value, Rank>::end() const {
  return nullptr;
}

/// Instantiated by `auto [a, b] = grad(cost, w)`, which unpacks one variable into two.
template <std::size_t I, class T, int Rank>
constexpr variable<T, Rank> get(variable<T, Rank> const& x) {
  if constexpr (I == 0)
    static_assert(is_accepted<variable<T, Rank>>,
                  "kt: auto [a, b] = y needs several values, but y is one variable: write auto a = "
                  "y; grad(cost, w, b) gives one gradient for each of w and b");
  x.of->fail(core::said_above);
  return x;
}

}  // namespace kroton

// Claims two elements, the first of which is rejected: a sentence here would not stop clang from
// reading the members.
template <class T, int Rank>
struct std::tuple_size<kroton::variable<T, Rank>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I, class T, int Rank>
struct std::tuple_element<I, kroton::variable<T, Rank>> {
  using type = kroton::variable<T, Rank>;
};
