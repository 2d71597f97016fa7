// Fourier transforms along several axes, spectra moved to the middle, frequencies, and convolutions
// by transforms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/signal/fourier.hpp>
#include <kroton/ops/signal/windows.hpp>

namespace kroton {

namespace op {

/// The smallest number of the form 2^a 3^b 5^c that is not less than x: a length whose transform is
/// fast. (scipy.fft.next_fast_len)
struct fast_length : elementwise<"fast_length", 1> {
  using types = signatures::bitwise;
  static constexpr auto pullback = no_gradient;
  template <class R>
  KROTON_FN static R value(R given) {
    long long const x = static_cast<long long>(given);
    long long best = 1;
    while (best < x) best *= 2;
    for (long long five = 1; five < best; five *= 5)
      for (long long three = five; three < best; three *= 3) {
        long long number = three;
        while (number < x) number *= 2;
        if (number < best) best = number;
      }
    return static_cast<R>(best);
  }
};

}  // namespace op

namespace ops {

/// The axes of a transform along several ones, in the order in which they are given: by default all
/// of the operand, or its last two.
template <bool All, class... Options>
struct fourier_axes {
  static constexpr bool known = false;
};
template <bool All>
struct fourier_axes<All> {
  static constexpr bool known = true;
  static constexpr bool within(int rank) { return rank >= (All ? 1 : 2); }
  static constexpr list<int> of(int rank) {
    list<int> axes;
    for (int d = All ? 0 : rank - 2; d < rank; ++d) axes.push_back(d);
    return axes;
  }
};
template <bool All, int... Axes>
struct fourier_axes<All, axis_t<Axes...>> {
  static constexpr bool known = sizeof...(Axes) > 0;
  static constexpr bool within(int rank) {
    long long named = 0;
    ((named |= 1ll << (from_front(Axes, rank) & 31)), ...);
    return ((Axes >= -rank && Axes < rank) && ...) &&
           std::popcount(static_cast<unsigned long long>(named)) ==
               static_cast<int>(sizeof...(Axes));
  }
  static constexpr list<int> of(int rank) { return {from_front(Axes, rank)...}; }
};
template <bool All, class... Options>
struct fourier_axes<All, enum norm, Options...> : fourier_axes<All, Options...> {};
template <bool All, int... Axes>
struct fourier_axes<All, axis_t<Axes...>, enum norm> : fourier_axes<All, axis_t<Axes...>> {};

template <bool All, class X, class... Options>
constexpr bool fourier_axes_fit() {
  using given = fourier_axes<All, Options...>;
  static_assert(given::known,
                "kt: a Fourier transform along several axes takes kt::axis<...> and a norm "
                "(kt::norm::backward, ortho or forward), as in fft2(x, kt::axis<0, 1>, "
                "kt::norm::ortho)");
  if constexpr (typed<X> && given::known) {
    constexpr bool within = given::within(rank_of<X>);
    static_assert(within,
                  "kt: the axes of a Fourier transform are within the rank of its operand, each "
                  "one once; fft2 and its like take the last two unless axes are given");
    return within;
  }
  return given::known;
}

template <bool All, class X, class... Options>
constexpr auto complex_transforms(X const& x, bool inverse, Options const&... options) {
  term y = as_coefficients(x);
  if constexpr (fourier_axes_fit<All, X, Options...>())
    for (int axis : fourier_axes<All, Options...>::of(y.rank()))
      y = complex_dft(y, axis, fourier_options<Options...>::by(options...), inverse);
  return transformed<true, X>(y);
}
/// The last of the axes is the one of real numbers.
template <bool All, class X, class... Options>
constexpr auto real_transforms(X const& x, Options const&... options) {
  if constexpr (fourier_axes_fit<All, X, Options...>() && real_numbers_fit<X>()) {
    list<int> const axes = fourier_axes<All, Options...>::of(term(x).rank());
    enum norm const by = fourier_options<Options...>::by(options...);
    term y = real_dft(linear_operand(x), axes[axes.size() - 1], by);
    for (int k = axes.size() - 2; k >= 0; --k) y = complex_dft(y, axes[k], by, false);
    return transformed<true, X>(y);
  } else {
    return transformed<true, X>(as_coefficients(x));
  }
}
template <bool All, class X, class... Options>
constexpr auto transforms_to_real(X const& x, Options const&... options) {
  term y = as_coefficients(x);
  if constexpr (fourier_axes_fit<All, X, Options...>()) {
    list<int> const axes = fourier_axes<All, Options...>::of(y.rank());
    enum norm const by = fourier_options<Options...>::by(options...);
    for (int k = 0; k + 1 < axes.size(); ++k) y = complex_dft(y, axes[k], by, true);
    int const last = axes[axes.size() - 1];
    y = dft_to_real(y, last, (extent(y, last) - 1) * 2, by);
    return transformed<false, X>(y);
  } else {
    return transformed<false, X>(call<op::real>(y));
  }
}

/// Each axis moved by half its extent, rounded down or up.
template <bool Inverse, class X, class... Options>
constexpr auto shifted_spectrum(X const& x, Options const&...) {
  constexpr bool has_norm = fourier_options<Options...>::norms > 0;
  static_assert(!has_norm, "kt: fftshift and ifftshift take axes only");
  term y = x;
  if constexpr (fourier_axes_fit<true, X, Options...>())
    for (int axis : fourier_axes<true, Options...>::of(y.rank())) {
      term const n = extent(y, axis);
      y = rolled(y, call<op::floordiv>(Inverse ? n + 1 : n, 2), axis);
    }
  return X(y);
}

}  // namespace ops

/// `fft` along the last two axes, or along those of `kt::axis<...>`; the norm counts for each.
/// (numpy.fft.fft2)
template <symbolic X, class... Options>
constexpr auto fft2(X const& x, Options const&... options) {
  return ops::complex_transforms<false>(x, false, options...);
}
/// The inverse of `fft2`. (numpy.fft.ifft2)
template <symbolic X, class... Options>
constexpr auto ifft2(X const& x, Options const&... options) {
  return ops::complex_transforms<false>(x, true, options...);
}
/// `rfft` along the last one of the axes, then `fft` along the others. (numpy.fft.rfft2)
template <symbolic X, class... Options>
constexpr auto rfft2(X const& x, Options const&... options) {
  return ops::real_transforms<false>(x, options...);
}
/// The inverse of `rfft2`, where the last axis had an even extent. (numpy.fft.irfft2)
template <symbolic X, class... Options>
constexpr auto irfft2(X const& x, Options const&... options) {
  return ops::transforms_to_real<false>(x, options...);
}
/// `fft` along all axes, or along those of `kt::axis<...>`. (numpy.fft.fftn)
template <symbolic X, class... Options>
constexpr auto fftn(X const& x, Options const&... options) {
  return ops::complex_transforms<true>(x, false, options...);
}
/// The inverse of `fftn`. (numpy.fft.ifftn)
template <symbolic X, class... Options>
constexpr auto ifftn(X const& x, Options const&... options) {
  return ops::complex_transforms<true>(x, true, options...);
}
/// `rfft` along the last axis, then `fft` along the others; or along those of `kt::axis<...>`.
/// (numpy.fft.rfftn)
template <symbolic X, class... Options>
constexpr auto rfftn(X const& x, Options const&... options) {
  return ops::real_transforms<true>(x, options...);
}
/// The inverse of `rfftn`, where the last axis had an even extent. (numpy.fft.irfftn)
template <symbolic X, class... Options>
constexpr auto irfftn(X const& x, Options const&... options) {
  return ops::transforms_to_real<true>(x, options...);
}

/// The coefficient of frequency 0 moved to the middle of each axis, or of those of `kt::axis<...>`.
/// (numpy.fft.fftshift)
template <symbolic X, class... Options>
constexpr auto fftshift(X const& x, Options const&... options) {
  return ops::shifted_spectrum<false>(x, options...);
}
/// The inverse of `fftshift`. (numpy.fft.ifftshift)
template <symbolic X, class... Options>
constexpr auto ifftshift(X const& x, Options const&... options) {
  return ops::shifted_spectrum<true>(x, options...);
}

/// The frequencies of the coefficients of `fft`, in cycles per unit of the spacing d of n samples:
/// 0, 1, ..., -2, -1 over n d. n is an integer scalar of an expression. (numpy.fft.fftfreq)
template <operand N, operand D = double>
  requires extents_are_integer_scalars_of_an_expression<N>
constexpr dvector fftfreq(N const& count, D const& spacing = 1.0) {
  graph& g = *core::graph_of_operands(count);
  term const n = ops::as_int64(g, count), k = ops::iota(n);
  term const is_late = call<op::ge>(k * 2, n + call<op::mod>(n, 2));
  term const signed_k = k - call<op::where>(is_late, n, term{&g, g.literal(0, element::int64)});
  return dvector(call<op::div>(signed_k, n * spacing));
}
/// The frequencies of the coefficients of `rfft`: 0, 1, ..., n/2 over n d. (numpy.fft.rfftfreq)
template <operand N, operand D = double>
  requires extents_are_integer_scalars_of_an_expression<N>
constexpr dvector rfftfreq(N const& count, D const& spacing = 1.0) {
  graph& g = *core::graph_of_operands(count);
  term const n = ops::as_int64(g, count);
  return dvector(call<op::div>(ops::iota(call<op::floordiv>(n, 2) + 1), n * spacing));
}

namespace op {

/// Not the op of any node: it names the condition that both arrays have elements.
struct fftconvolve : core::named_condition<"fftconvolve"> {};

}  // namespace op

namespace ops {

/// The condition that there are elements along an axis, in the name of `fftconvolve`.
constexpr void require_elements(term n) {
  graph& g = *n.of;
  if (!g.is_literal(n.id))
    g.constraints().push_back(
        {n.id, integer(g, 1).id, core::identity<op::fftconvolve>(), condition::at_least});
  else if (g.literal_bits(n.id) < 1) g.fail("kt::fftconvolve: an array has no elements");
}

/// A convolution over all axes, of arrays of one rank and element type.
constexpr term convolved_by_transforms(term a, term b, window_border border) {
  bool const is_real = !is_complex(a.element());
  int const last = a.rank() - 1, conditions = a.of->constraints().size();
  list<term> counts, lengths;
  for (int d = 0; d <= last; ++d) {
    require_elements(extent(a, d));
    require_elements(extent(b, d));
    counts.push_back(extent(a, d) + extent(b, d) - 1);
    lengths.push_back(call<op::fast_length>(counts[d]));
  }
  auto const spectrum = [&](term x) {
    for (int d = 0; d <= last; ++d) x = with_length(x, d, lengths[d]);
    x = is_real ? real_dft(x, last, norm::backward) : complex_dft(x, last, norm::backward, false);
    for (int d = 0; d < last; ++d) x = complex_dft(x, d, norm::backward, false);
    return x;
  };
  term y = spectrum(a) * spectrum(b);
  for (int d = 0; d < last; ++d) y = complex_dft(y, d, norm::backward, true);
  y = is_real ? dft_to_real(y, last, lengths[last], norm::backward)
              : complex_dft(y, last, norm::backward, true);
  for (int d = 0; d <= last; ++d) {
    term begin = integer(*a.of, 0), count = counts[d];
    if (border != window_border::full) count = extent(a, d);
    if (border == window_border::half) begin = call<op::floordiv>(extent(b, d) - 1, 2);
    if (border == window_border::valid) {
      begin = call<op::minimum>(extent(a, d), extent(b, d)) - 1;
      count = call<op::maximum>(extent(a, d), extent(b, d)) - begin;
    }
    y = axis_range(y, d, begin, count, 1);
  }
  take_conditions(y, conditions);
  return y;
}

}  // namespace ops

/// The convolution of two arrays of one rank over all axes, by transforms of fast lengths. Each
/// axis has the sum of both extents less one; with `kt::border::half` as a third argument the
/// middle of it, as long as a, with `kt::border::valid` where the shorter one lies within the
/// other. Faster than a direct one where both are long; errors are those of a transform, relative
/// to the largest element. Integers give float64. Throws kt::shape_error for arrays without
/// elements. (scipy.signal.fftconvolve, modes 'full', 'same' and 'valid')
template <symbolic A, symbolic B, class Border = border::full_t>
constexpr auto fftconvolve(A const& a, B const& b, Border = {}) {
  constexpr bool is_half = std::is_same_v<Border, border::half_t>,
                 is_valid = std::is_same_v<Border, border::valid_t>;
  static_assert(is_half || is_valid || std::is_same_v<Border, border::full_t>,
                "kt::fftconvolve: takes two arrays and kt::border::full, half or valid");
  using enum ops::window_border;
  constexpr ops::window_border how = is_half ? half : is_valid ? valid : full;
  element const e = ops::linear_element(term(a).element(), term(b).element());
  term const left{a.of, a.of->cast(a.id, e)}, right{a.of, a.of->cast(b.id, e)};
  if constexpr (typed<A> && typed<B>) {
    using result = variable<core::value_t<ops::static_linear_element<A, B>()>, rank_of<A>>;
    constexpr bool same_rank = rank_of<A> == rank_of<B> && rank_of<A> >= 1;
    static_assert(same_rank, "kt::fftconvolve: takes two arrays of one rank, which is at least 1");
    if constexpr (same_rank) return result(ops::convolved_by_transforms(left, right, how));
    else return result(left);
  } else {
    return ops::convolved_by_transforms(left, right, how);
  }
}

}  // namespace kroton
