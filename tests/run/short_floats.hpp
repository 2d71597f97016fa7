// Functions of arrays of 16 bits beside the same ones of float: what they compute is rounded once,
// where it is stored.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace testing {

template <class T, std::size_t Rank>
xt::xtensor<T, Rank> waves(std::array<std::size_t, Rank> const& shape, double step) {
  xt::xtensor<T, Rank> a(shape);
  for (std::size_t i = 0; i < a.size(); ++i) a.flat(i) = T(3 * std::sin(1 + step * double(i)));
  return a;
}
template <std::size_t Rank, class T>
xt::xtensor<float, Rank> as_floats(xt::xtensor<T, Rank> const& a) {
  return xt::cast<float>(a);
}

template <class T>
void require_rounded(T got, float wanted) {
  CHECK(got.bits == T(wanted).bits);
}
template <class T, std::size_t Rank>
void require_rounded(xt::xtensor<T, Rank> const& got, xt::xtensor<float, Rank> const& wanted) {
  REQUIRE(got.shape() == wanted.shape());
  int failed = 0;
  for (std::size_t i = 0; i < got.size(); ++i) failed += got.flat(i).bits != T(wanted.flat(i)).bits;
  CHECK(failed == 0);
}
template <class... T, class... U>
void require_rounded(std::tuple<T...> const& got, std::tuple<U...> const& wanted) {
  static_assert(sizeof...(T) == sizeof...(U));
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (require_rounded(std::get<I>(got), std::get<I>(wanted)), ...);
  }(std::index_sequence_for<T...>{});
}

/// A generic lambda of two matrices, on elements of T and on floats of the same values.
template <class T, class F, class Mode>
void require_float_then_rounded(F f, Mode mode) {
  auto const a = waves<T, 2>({5, 7}, .7), b = waves<T, 2>({5, 7}, 1.9);
  auto const on_short = kroton::function<kroton::matrix<T>, kroton::matrix<T>>(f, mode);
  auto const on_floats = kroton::function<kroton::fmatrix, kroton::fmatrix>(f, mode);
  require_rounded(on_short(a, b), on_floats(as_floats(a), as_floats(b)));
}

inline constexpr auto computing = [](auto x, auto y) {
  return kroton::outputs(softmax(x * 2 + y), dot(x, y.T()), where(x > y, x, 0.25) - exp(-y),
                         mean(x * y, kroton::axis<0>), sum(x), max(x, kroton::axis<1>),
                         cumsum(x, kroton::axis<1>), sort(y, kroton::axis<0>),
                         x * kroton::cast<std::int8_t>(y > 0));
};
inline constexpr auto moving = [](auto x, auto y) {
  return kroton::outputs(x(kroton::slice(1, 4), kroton::slice(kroton::none, kroton::none, -1)).T(),
                         kroton::concatenate<0>(x, y), x(argmax(y, kroton::axis<1>) % 5),
                         reshape<2>(x.T(), 5, 7), set_subtensor(x(1), y(2)), full_like(x, 0.3f), x,
                         kroton::stack(x(0), 2 * y(1)));
};
inline constexpr auto differentiated = [](auto x, auto y) {
  auto cost = sum(tanh(dot(x, y.T()))) + sum(x(1)) + sum(sqr(x.T()(2))) + x(0, 0) * y(3, 3);
  return kroton::outputs(grad(cost, x), grad(cost, y));
};

}  // namespace testing
