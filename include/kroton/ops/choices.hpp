// Choices between several: by conditions, by functions of conditions, by a number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/assertion.hpp>
#include <kroton/ops/elementwise/selection.hpp>

#include <tuple>
#include <utility>

namespace kroton {
namespace ops {

/// What a piece is at x: its value, or its function of x.
template <class F, class X>
constexpr auto piece_at(F const& f, X const& x) {
  if constexpr (operand<F>) return f;
  else return f(x);
}

template <class Y, class X>
constexpr auto pieces_over(Y const& otherwise, X const&) {
  return otherwise;
}
template <class Y, class X, class C, class F, class... More>
constexpr auto pieces_over(Y const& otherwise, X const& x, C const& condition, F const& f,
                           More const&... more) {
  return pieces_over(where(condition, piece_at(f, x), otherwise), x, more...);
}

}  // namespace ops

/// Of pairs of a condition and a value, the value whose condition holds first, elementwise with
/// broadcasting; what comes last alone, else 0, where none holds: `select(x < 0, a, x > 1, b, c)`.
/// Gradients of what is not taken are 0. (numpy.select)
template <operand C, operand X, operand... Rest>
  requires operands<C, X, Rest...>
constexpr auto select(C const& condition, X const& value, Rest const&... rest) {
  if constexpr (sizeof...(Rest) == 0) return where(condition, value, 0);
  else if constexpr (sizeof...(Rest) == 1) return where(condition, value, rest...);
  else return where(condition, value, select(rest...));
}

/// A function that is defined in pieces: pairs of a condition and a value or a function of x, of
/// which the last one that holds counts, elementwise; what comes last alone, else 0, where none
/// holds: `piecewise(x, x < 0, [](auto v) { return -v; }, x > 1, 1)`. All functions are computed
/// for all elements, but the gradients of those that are not taken are 0. (numpy.piecewise)
template <symbolic X, class... Piece>
constexpr auto piecewise(X const& x, Piece const&... piece) {
  constexpr std::size_t count = sizeof...(Piece);
  static_assert(count >= 2, "kt::piecewise: takes pairs of a condition and a value or a function");
  auto const all = std::tie(piece...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    if constexpr (count % 2 == 0) return ops::pieces_over(0, x, std::get<I>(all)...);
    else
      return ops::pieces_over(ops::piece_at(std::get<count - 1>(all), x), x, std::get<I>(all)...);
  }(std::make_index_sequence<count - count % 2>{});
}

namespace ops {

template <class I, class X, class... More>
constexpr auto choice_from(I const& index, int at, X const& x, More const&... more) {
  if constexpr (sizeof...(More) == 0) return x;
  else return where(eq(index, at), x, choice_from(index, at + 1, more...));
}

}  // namespace ops

/// Elementwise, the choice whose number, from 0, the index is; everything broadcasts. An index that
/// is no number of a choice throws kt::value_error. Gradients of what is not taken are 0.
/// (numpy.choose with mode="raise")
template <symbolic I, operand... X>
constexpr auto choose(I const& index, X const&... choice) {
  constexpr bool is_choice = !ops::is_continuous_operand<I>() && sizeof...(X) >= 2;
  static_assert(is_choice, "kt::choose: takes an integer and two or more choices");
  if constexpr (is_choice)
    return ops::choice_from(
        ops::asserted_positions("kt::choose: an index is outside of the choices", index,
                                static_cast<int>(sizeof...(X))),
        0, choice...);
  else return index;
}

}  // namespace kroton
