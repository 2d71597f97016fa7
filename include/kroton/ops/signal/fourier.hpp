// Discrete Fourier transforms along axes: of complex numbers, of real ones and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/ops/indexing/along_axis.hpp>
#include <kroton/ops/linear_algebra/solving.hpp>
#include <kroton/ops/shapes/creation.hpp>
#include <kroton/ops/shapes/rearranging.hpp>

namespace kroton {
namespace ops {

/// How many coefficients of n real numbers there are that are not conjugates of others: n/2 + 1.
inline constexpr core::affine half_of{1, 2, 2};

/// A transform along the axis that is the first attribute needs something to transform.
constexpr void require_elements(extent_source count, list<extent_pair>& pairs) {
  pairs.push_back({{extent_source::zero}, count, condition::index});
}
/// Along an axis of n/2 + 1 coefficients: `once` for the first one and, if n is even, the last one,
/// which are not conjugates of others; `twice` for the rest.
constexpr term by_multiplicity(term coefficients, int axis, term n, double once, double twice) {
  element const e = real_of(coefficients.element());
  graph& g = *coefficients.of;
  term const k = iota(extent(coefficients, axis));
  term const alone = call<op::bit_or>(call<op::eq>(k, 0), call<op::eq>(k * 2, n));
  term const factor =
      call<op::where>(alone, term{&g, g.literal(once, e)}, term{&g, g.literal(twice, e)});
  list<int> pattern;
  for (int d = 0; d < coefficients.rank(); ++d) pattern.push_back(d == axis ? 0 : -1);
  return coefficients * permute(factor, pattern);
}

}  // namespace ops

namespace op {

/// y(k) is the sum of x(j) exp(-2 pi i j k / n), along the axis that is the first attribute; with
/// the other sign in the exponent if the second attribute is 1.
struct dft : operation<"dft", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    return ops::extent_of_first(a, d);
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    int const axis = static_cast<int>(a.attribute(0));
    if (!a.input(0).broadcasts(axis))
      ops::require_elements({core::extent_source::dimension, 0, axis}, pairs);
  }
  // Its matrix is symmetric.
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    return {{term{g.of,
                  g.of->apply<dft>({g.id}, {y.of->attribute(y.id, 0), y.of->attribute(y.id, 1)})}}};
  }
};

/// The first n/2 + 1 coefficients of n real numbers, along the axis (the attribute); the others are
/// conjugates of these.
struct real_dft : operation<"real_dft", 1> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool is_holomorphic = false;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.element = core::complex_of(t.element);
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    core::extent_source of = ops::extent_of_first(a, d);
    if (d == a.attribute(0) && !a.input(0).broadcasts(d)) of.by = ops::half_of;
    return of;
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    dft::constraints(a, pairs);
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x);
};

/// n real numbers from the n/2 + 1 coefficients that are not conjugates of others, along the axis
/// (the attribute): `real_dft` with the other sign and without 1 / n. The imaginary parts of
/// coefficients that are their own conjugates do not count. The second operand is n.
struct dft_to_real : operation<"dft_to_real", 2> {
  static constexpr auto own = core::own_function::typed;
  static constexpr bool takes_complex = true, is_holomorphic = false;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.element = core::real_of(t.element);
    std::uint32_t const axis = 1u << a.attribute(0);
    t.broadcast = a.of->is_literal(a.inputs[1], 1) ? t.broadcast | axis : t.broadcast & ~axis;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (d == a.attribute(0)) return {core::extent_source::value, 1, 0};
    return ops::extent_of_first(a, d);
  }
  static constexpr void constraints(core::application const& a,
                                    core::list<core::extent_pair>& pairs) {
    int const axis = static_cast<int>(a.attribute(0));
    core::extent_source const n{core::extent_source::value, 1, 0};
    core::extent_source half = n;
    half.by = ops::half_of;
    ops::require_elements(n, pairs);
    pairs.push_back({half, ops::extent_of_first(a, axis)});
  }
  static constexpr core::gradient_list<2> pullback(term g, term x, term coefficients, term n) {
    int const axis = static_cast<int>(x.of->attribute(x.id, 0));
    (void)coefficients;
    term const of{g.of, g.of->apply<real_dft>({g.id}, {axis})};
    return {{ops::by_multiplicity(of, axis, n, 1, 2), term{}}};
  }
};

constexpr core::gradient_list<1> real_dft::pullback(term g, term y, term x) {
  int const axis = static_cast<int>(y.of->attribute(y.id, 0));
  term const n = ops::extent(x, axis), halved = ops::by_multiplicity(g, axis, n, 1, 0.5);
  return {{term{g.of, g.of->apply<dft_to_real>({halved.id, n.id}, {axis})}}};
}

}  // namespace op

/// Which transform divides, of n elements along an axis: the inverse one by n (backward), each by
/// the square root of n (ortho), the other one by n (forward). (numpy.fft's `norm`)
enum class norm { backward, ortho, forward };

namespace ops {

/// The element types of a transform: integers and bools are computed as float64.
constexpr element coefficient_element(element e) { return complex_of(linear_element(e)); }

/// x along an axis cut off behind n elements, or with zeros up to n of them.
constexpr term with_length(term x, int axis, term n) {
  term const has = extent(x, axis);
  if (has.id == n.id) return x;
  term const kept = call<op::minimum>(has, n);
  list<term> extents;
  for (int d = 0; d < x.rank(); ++d) extents.push_back(d == axis ? n - kept : extent(x, d));
  term const zeros = alloc({x.of, x.of->literal(0, x.element())}, extents);
  list<term> parts;
  parts.push_back(axis_range(x, axis, integer(*x.of, 0), kept, 1));
  parts.push_back(zeros);
  return join(parts, axis);
}
/// A transform divided as its norm says.
constexpr term divided(term y, term n, enum norm by, bool inverse) {
  if (by == (inverse ? norm::forward : norm::backward)) return y;
  term const count{y.of, y.of->cast(n.id, real_of(y.element()))};
  return y / (by == norm::ortho ? call<op::sqrt>(count) : count);
}
constexpr term complex_dft(term x, int axis, enum norm by, bool inverse) {
  term const y{x.of, x.of->apply<op::dft>({x.id}, {axis, inverse})};
  return divided(y, extent(x, axis), by, inverse);
}
constexpr term real_dft(term x, int axis, enum norm by) {
  term const y{x.of, x.of->apply<op::real_dft>({x.id}, {axis})};
  return divided(y, extent(x, axis), by, false);
}
constexpr term dft_to_real(term x, int axis, term n, enum norm by) {
  term const y{x.of, x.of->apply<op::dft_to_real>({x.id, n.id}, {axis})};
  return divided(y, n, by, true);
}

/// What a transform is told besides its operand: a length, an axis, a norm, in any order.
template <class Option>
struct fourier_option {
  static constexpr int lengths = is_extent<Option>() ? 1 : 0, axes = 0, norms = 0, axis = -1;
};
template <>
struct fourier_option<enum norm> {
  static constexpr int lengths = 0, axes = 0, norms = 1, axis = -1;
};
template <int... Axes>
struct fourier_option<axis_t<Axes...>> {
  static constexpr int lengths = 0, axes = sizeof...(Axes), norms = 0;
  static constexpr int axis = (Axes + ... + 0);  // of one
};
template <class... Options>
struct fourier_options {
  static constexpr int lengths = (fourier_option<Options>::lengths + ... + 0),
                       axes = (fourier_option<Options>::axes + ... + 0),
                       norms = (fourier_option<Options>::norms + ... + 0);
  static constexpr bool known = lengths <= 1 && norms <= 1 && axes <= 1 &&
                                lengths + norms + axes == static_cast<int>(sizeof...(Options));
  /// As it is given, from the end if negative.
  static constexpr int axis =
      axes == 0
          ? -1
          : ((fourier_option<Options>::axes != 0 ? fourier_option<Options>::axis : 0) + ... + 0);
  static constexpr enum norm by(Options const&... options) {
    enum norm found = norm::backward;
    [[maybe_unused]] auto const look = [&](auto const& option) {
      if constexpr (fourier_option<std::remove_cvref_t<decltype(option)>>::norms != 0)
        found = option;
    };
    (look(options), ...);
    return found;
  }
  /// The length, or `otherwise`.
  static constexpr term length(term otherwise, Options const&... options) {
    term found = otherwise;
    [[maybe_unused]] auto const look = [&](auto const& option) {
      if constexpr (fourier_option<std::remove_cvref_t<decltype(option)>>::lengths != 0)
        found = as_int64(*otherwise.of, option);
    };
    (look(options), ...);
    return found;
  }
};

/// Reports options that are not those of a transform, and an axis outside the rank.
template <class X, class... Options>
constexpr bool fourier_options_fit() {
  using options = fourier_options<Options...>;
  static_assert(options::known,
                "kt: a Fourier transform takes a length (an integer or an integer scalar), one "
                "kt::axis<...> and a norm (kt::norm::backward, ortho or forward), each at most "
                "once, as in fft(x, 64, kt::axis<0>, kt::norm::ortho)");
  if constexpr (typed<X> && options::known) {
    constexpr bool within = axis_is_within_the_rank<rank_of<X>, options::axis>;
    static_assert(within,
                  "kt: the axis of a Fourier transform is outside the rank of its operand, which "
                  "has at least one axis");
    return within;
  }
  return options::known;
}
/// Whether an operand's type allows real numbers only.
template <class X>
constexpr bool real_numbers_fit() {
  constexpr bool fits = !is_complex_operand<X>();
  static_assert(fits,
                "kt::rfft: takes real numbers; the transform of complex ones is fft(x), of their "
                "real parts rfft(real(x))");
  return fits;
}
/// A result whose element type follows from that of a typed operand.
template <bool Complex, class X>
constexpr auto transformed(term y) {
  if constexpr (typed<X>) {
    constexpr element e = linear_element(element_of<value_type_of<X>>());
    return variable<value_t<Complex ? complex_of(e) : real_of(e)>, rank_of<X>>(y);
  } else {
    return y;
  }
}
constexpr term as_coefficients(term x) {
  return {x.of, x.of->cast(x.id, coefficient_element(x.element()))};
}

/// fft and ifft.
template <class X, class... Options>
constexpr auto complex_transform(X const& x, bool inverse, Options const&... options) {
  using given = fourier_options<Options...>;
  if constexpr (fourier_options_fit<X, Options...>()) {
    int const axis = from_front(given::axis, term(x).rank());
    term const whole = as_coefficients(x);
    term const operand = with_length(whole, axis, given::length(extent(whole, axis), options...));
    return transformed<true, X>(complex_dft(operand, axis, given::by(options...), inverse));
  } else {
    return transformed<true, X>(as_coefficients(x));
  }
}

}  // namespace ops

/// The discrete Fourier transform along the last axis, or along `kt::axis<...>`: y(k) is the sum of
/// x(j) exp(-2 pi i j k / n). A length n as a second argument, an integer or an integer scalar,
/// cuts x off or adds zeros. `kt::norm` says which transform divides. The result has the shape of
/// x, except for that length; its elements are complex64 for float32 and complex64, else
/// complex128. Throws kt::value_error if there is nothing to transform. (numpy.fft.fft)
template <symbolic X, class... Options>
constexpr auto fft(X const& x, Options const&... options) {
  return ops::complex_transform(x, false, options...);
}
/// The inverse of `fft`, with the same options: it divides by n unless a norm says otherwise.
/// (numpy.fft.ifft)
template <symbolic X, class... Options>
constexpr auto ifft(X const& x, Options const&... options) {
  return ops::complex_transform(x, true, options...);
}
/// The first n/2 + 1 coefficients of the transform of real numbers; the others are conjugates of
/// these. Options and errors as in `fft`. (numpy.fft.rfft)
template <symbolic X, class... Options>
constexpr auto rfft(X const& x, Options const&... options) {
  using given = ops::fourier_options<Options...>;
  if constexpr (ops::fourier_options_fit<X, Options...>() && ops::real_numbers_fit<X>()) {
    if (core::is_complex(term(x).element()))
      term(x).of->fail("kt::rfft: takes real numbers; the transform of complex ones is fft(x)");
    int const axis = ops::from_front(given::axis, term(x).rank());
    term const whole = ops::linear_operand(x);
    term const n = given::length(ops::extent(whole, axis), options...);
    return ops::transformed<true, X>(
        ops::real_dft(ops::with_length(whole, axis, n), axis, given::by(options...)));
  } else {
    return ops::transformed<true, X>(ops::as_coefficients(x));
  }
}
/// n real numbers from the n/2 + 1 coefficients that `rfft` gives; n is the second argument, else
/// twice the number of coefficients less two, an even number. The imaginary parts of the first
/// coefficient and, if n is even, of the last one do not count. Coefficients are cut off, or zeros
/// added. (numpy.fft.irfft)
template <symbolic X, class... Options>
constexpr auto irfft(X const& x, Options const&... options) {
  using given = ops::fourier_options<Options...>;
  if constexpr (ops::fourier_options_fit<X, Options...>()) {
    int const axis = ops::from_front(given::axis, term(x).rank());
    term const whole = ops::as_coefficients(x);
    term const count = ops::extent(whole, axis);
    term const n = given::length((count - 1) * 2, options...);
    term const half = given::lengths == 0 ? count : call<op::floordiv>(n, 2) + 1;
    return ops::transformed<false, X>(
        ops::dft_to_real(ops::with_length(whole, axis, half), axis, n, given::by(options...)));
  } else {
    return ops::transformed<false, X>(
        term{x.of, x.of->cast(x.id, core::real_of(ops::linear_element(term(x).element())))});
  }
}

}  // namespace kroton
