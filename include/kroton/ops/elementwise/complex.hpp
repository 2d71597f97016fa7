// Complex numbers, elementwise: construction from two real ones, their parts, conjugate and angle.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/record.hpp>
#include <kroton/math/functions.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>

namespace kroton {

namespace signatures {

/// Two real numbers to one complex number: operands are promoted and become floating-point.
struct pair_of_parts {
  // The result has no literal of its type
  static constexpr bool takes_floats = false, takes_integers = false;
  static constexpr core::signature of(element const* e, int count) {
    element const part = core::floating(core::promote_all(e, count));
    return {core::complex_of(part), {part, part, part}};
  }
};
/// A real property that is not an integer: as `real_part`, but integers become floating-point.
struct floating_part {
  static constexpr bool takes_floats = true, takes_integers = false;
  static constexpr core::signature of(element const* e, int count) {
    element const to = core::floating(core::promote_all(e, count));
    return {core::real_of(to), {to, to, to}};
  }
};

}  // namespace signatures

// Gradients are dL/dx + i dL/dy; for the real operands of these ops, dL/dx.
namespace op {

struct real : elementwise<"real", 1> {
  static constexpr bool takes_complex = true;
  using types = signatures::real_part;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return x.real();
    else return x;
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term) { return {{g}}; }
};

struct imag : elementwise<"imag", 1> {
  static constexpr bool takes_complex = true;
  using types = signatures::real_part;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return x.imag();
    else return R(0);
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term x);
};

struct complex : elementwise<"complex", 2> {
  static constexpr bool is_holomorphic = false;
  using types = signatures::pair_of_parts;
  template <class R>
  KROTON_FN static std::complex<R> value(R re, R im) {
    return {re, im};
  }
  static constexpr core::gradient_list<2> pullback(term g, term, term, term) {
    return {{call<real>(g), call<imag>(g)}};
  }
};

constexpr core::gradient_list<1> imag::pullback(term g, term, term x) {
  if (core::is_complex(x.element())) return {{call<complex>(0, g)}};
  return {{core::zero_beside(g)}};
}

struct conj : elementwise<"conj", 1> {
  static constexpr law laws = law::involution | law::odd;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  using types = signatures::promoted;
  template <class R>
  KROTON_FN static R value(R x) {
    if constexpr (core::is_complex_number<R>) return R(x.real(), -x.imag());
    else return x;
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term) { return {{call<conj>(g)}}; }
};

struct angle : elementwise<"angle", 1> {
  static constexpr bool takes_complex = true;
  using types = signatures::floating_part;
  template <class R>
  KROTON_FN static auto value(R x) {
    if constexpr (core::is_complex_number<R>) return math::atan2(x.imag(), x.real());
    else return math::atan2(R(0), x);
  }
  static constexpr core::gradient_list<1> pullback(term g, term, term x) {
    if (!core::is_complex(x.element())) return {{core::zero_beside(g)}};
    term const turned = call<complex>(-call<imag>(x), call<real>(x));
    return {{call<where>(call<eq>(x, 0), 0, turned * (g / call<sqr>(call<abs>(x))))}};
  }
};

}  // namespace op

namespace ops {

// For complex z, y = z / |z| only rotates: along i y, by the part of g in that direction over |z|.
constexpr term pull_back_sgn(term g, term y, term z) {
  if (!is_complex(z.element())) return zero_beside(g);
  term const turned = call<op::complex>(-call<op::imag>(y), call<op::real>(y));
  term const along = -call<op::imag>(call<op::conj>(g) * y) / call<op::abs>(z);
  return call<op::where>(call<op::eq>(z, 0), 0, turned * along);
}

template <class T>
constexpr int complex_literal(graph& g, std::complex<T> const& z, element e) {
  if (!is_complex(e)) {
    g.fail("a complex number was passed for a tensor of real numbers");
    return g.literal(z.real(), e);
  }
  double const im = static_cast<double>(z.imag());
  if (__builtin_bit_cast(std::int64_t, im) == 0) return g.literal(z.real(), e);
  element const part = real_of(e);
  int const parts[] = {g.literal(z.real(), part), g.literal(z.imag(), part)};
  return g.apply(identity<op::complex>(), parts, 2);
}

/// Whether an operand's type says that it is complex.
template <class X>
constexpr bool is_complex_operand() {
  if constexpr (typed<X>) return is_complex_number<value_type_of<X>>;
  else return false;
}
/// Whether an operand is known to be real.
template <symbolic X>
constexpr bool is_real(X const& x) {
  if constexpr (typed<X>) return !is_complex_operand<X>();
  else return !is_complex(x.element());
}

}  // namespace ops

/// The complex number with the given real and imaginary parts, elementwise with broadcasting:
/// float32 parts give complex64, others complex128. (numpy: re + 1j * im)
template <class A, class B>
  requires operands<A, B>
constexpr result_of<op::complex, A, B> complex(A const& re, B const& im) {
  return call<op::complex>(re, im);
}
/// Real part, elementwise; a real tensor is returned unchanged. (numpy.real)
template <symbolic X>
constexpr result_of<op::real, X> real(X const& x) {
  if constexpr (!ops::is_complex_operand<X>())
    if (ops::is_real(x)) return result_of<op::real, X>(term(x));
  return call<op::real>(x);
}
/// Imaginary part, elementwise; zeros for a real tensor. (numpy.imag)
template <symbolic X>
constexpr result_of<op::imag, X> imag(X const& x) {
  return call<op::imag>(x);
}
/// Complex conjugate, elementwise; a real tensor is returned unchanged. (numpy.conj)
template <symbolic X>
constexpr result_of<op::conj, X> conj(X const& x) {
  if (ops::is_real(x)) return result_of<op::conj, X>(term(x));
  return call<op::conj>(x);
}
/// Angle in [-pi, pi], elementwise; pi for negative real numbers; its gradient at 0 is 0.
/// (numpy.angle)
template <symbolic X>
constexpr result_of<op::angle, X> angle(X const& x) {
  return call<op::angle>(x);
}

}  // namespace kroton
