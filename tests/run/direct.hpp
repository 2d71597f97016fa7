// What the tests of direct calls share: arguments that only the frame takes, and which way a call went.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "run/reference.hpp"

#include <algorithm>
#include <vector>

namespace direct {

using namespace reference;

/// The same elements with gaps between them.
template <class T>
auto strided(vec<T> const& v) {
  vec<T> wide(std::array<std::size_t, 1>{2 * v.size() + 1});
  for (std::size_t i = 0; i < v.size(); ++i) wide(2 * i) = v(i);
  return xt::strided_view(std::move(wide), {xt::range(0, static_cast<std::ptrdiff_t>(2 * v.size()), 2)});
}
/// A matrix whose columns lie without gaps.
template <class T>
xt::xtensor<T, 2, xt::layout_type::column_major> by_columns(mat<T> const& m) {
  return m;
}

/// The program of a function is one that may go past the frame.
template <class F>
void check_direct(F const&) {
  if constexpr (runs_compiled) STATIC_REQUIRE(F::executor_type::is_direct);
}
/// No call has needed the frame so far.
template <class F>
void check_past_frame(F const& f) {
  if constexpr (runs_compiled) CHECK(!f.executor().has_used_frame());
}
template <class F>
void check_in_frame(F const& f) {
  if constexpr (runs_compiled) CHECK(f.executor().has_used_frame());
}

}  // namespace direct
