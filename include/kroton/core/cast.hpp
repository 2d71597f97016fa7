// Conversion to another element type, as an op and as a function.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>

namespace kroton {

namespace op {

struct cast {
  template <class To, class R>
  KROTON_FN static To value(R x) {
    return core::convert<To>(x);
  }
};

}  // namespace op

namespace core {

template <class T, class X>
constexpr bool drops_imaginary_part() {
  if constexpr (typed<X>)
    return is_complex_number<value_type_of<X>> && !is_complex_number<T> && !std::is_same_v<T, bool>;
  else return false;
}

/// A conversion that the library makes: what is of the type already, or computed for it, is not
/// rounded.
template <class T, typed X>
constexpr variable<T, rank_of<X>> as_type(X const& x) {
  return variable<T, rank_of<X>>(term{x.of, x.of->store(x.id, element_of<T>())});
}

}  // namespace core

/// Converts to element type T. Floats are truncated to integers and saturate at the ends of their
/// range, and NaN becomes the lowest integer. Integers wrap. Conversion to bool tests whether a
/// value is not 0. Gradients are converted back; none flows through integers and bools. A complex
/// number converts to bool (whether it is not 0), and to no other real type. (numpy.ndarray.astype)
template <class T, symbolic X>
constexpr auto cast(X const& x) {
  static_assert(
      number<T> || is_accepted<T>,
      "kt::cast: the element type must be bool, an integer, kt::half, kt::bfloat16, float, double "
      "or a std::complex of the last two");
  using Value = std::conditional_t<number<T>, T, double>;
  static_assert(!core::drops_imaginary_part<T, X>(),
                "kt::cast: a complex number does not convert to a real one: use real(z), imag(z) "
                "or abs(z)");
  constexpr element to = core::element_of<Value>();
  if (!typed<X> && core::is_complex(x.element()) && !core::is_complex(to) && !core::is_bool(to))
    x.of->fail(core::no_complex_numbers);
  term const result{x.of, x.of->round(x.id, to)};
  if constexpr (!number<T>) x.of->fail(core::said_above);
  if constexpr (typed<X>) return variable<Value, rank_of<X>>(result);
  else return result;
}

}  // namespace kroton
