// Operands that are no operands, refused in words: arrays, and shared variables, beside symbolic variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>

#include <iterator>
#include <utility>

namespace kroton::core {

/// What a user may take for an operand: a container, an array expression, a C array, a kt::shared.
template <class X>
concept array_like = requires(X& x) { std::begin(x); } || requires(X& x) { x.get_value(); };

/// Operands of which one is symbolic and one an array.
template <class... X>
concept arrays_beside_variables = (symbolic<X> || ...) && (array_like<std::remove_reference_t<X>> || ...);

/// Goes on with the first symbolic operand, so that no second error follows.
template <class A, class... B>
constexpr auto refuse_array(A const& a, B const&... b) {
  constexpr bool is_array = arrays_beside_variables<A, B...>;
  static_assert(!is_array, "kt: an array, or a kt::shared, is no operand: make it a parameter of the lambda; "
                           "kt::function(lambda, shared...) binds shared variables");
  if constexpr (symbolic<A>) return a;
  else return refuse_array(b...);
}

}  // namespace kroton::core

namespace kroton {

// The parameters are those of the operators of array libraries, than which these are more constrained.
#define KROTON_REFUSE_ARRAYS(name)                \
  template <class A, class B>                     \
    requires core::arrays_beside_variables<A, B>  \
  constexpr auto name(A&& a, B&& b) {             \
    return core::refuse_array(a, b);              \
  }
KROTON_REFUSE_ARRAYS(operator+)
KROTON_REFUSE_ARRAYS(operator-)
KROTON_REFUSE_ARRAYS(operator*)
KROTON_REFUSE_ARRAYS(operator/)
KROTON_REFUSE_ARRAYS(operator%)
KROTON_REFUSE_ARRAYS(operator==)
KROTON_REFUSE_ARRAYS(operator!=)
KROTON_REFUSE_ARRAYS(operator<)
KROTON_REFUSE_ARRAYS(operator<=)
KROTON_REFUSE_ARRAYS(operator>)
KROTON_REFUSE_ARRAYS(operator>=)
KROTON_REFUSE_ARRAYS(operator&)
KROTON_REFUSE_ARRAYS(operator|)
KROTON_REFUSE_ARRAYS(operator^)
KROTON_REFUSE_ARRAYS(pow)
KROTON_REFUSE_ARRAYS(floordiv)
KROTON_REFUSE_ARRAYS(maximum)
KROTON_REFUSE_ARRAYS(minimum)
KROTON_REFUSE_ARRAYS(dot)
#undef KROTON_REFUSE_ARRAYS

#define KROTON_REFUSE_ARRAYS(name)                \
  template <class C, class A, class B>            \
    requires core::arrays_beside_variables<C, A, B> \
  constexpr auto name(C&& c, A&& a, B&& b) {      \
    return core::refuse_array(c, a, b);           \
  }
KROTON_REFUSE_ARRAYS(where)
KROTON_REFUSE_ARRAYS(ifelse)
KROTON_REFUSE_ARRAYS(cond)
#undef KROTON_REFUSE_ARRAYS

}  // namespace kroton
