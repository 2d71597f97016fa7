// Where the largest and the smallest element of a line stand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/panels.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/ops/positions.hpp>

namespace kroton::cpu {

/// In any line. First which element, then where: each goes without branches, which nothing would
/// foretell.
template <class T, class Better>
std::ptrdiff_t find_in_line(T const* x, std::ptrdiff_t stride, std::ptrdiff_t n, Better better) {
  T best = x[0];
  bool are_numbers = best == best;
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    T const v = x[i * stride];
    best = better(v, best) ? v : best;
    are_numbers &= v == v;
  }
  std::ptrdiff_t found = 0;
  if (are_numbers)
    for (std::ptrdiff_t i = n - 1; i >= 0; --i) found = x[i * stride] == best ? i : found;
  else
    for (std::ptrdiff_t i = n - 1; i >= 0; --i) found = x[i * stride] != x[i * stride] ? i : found;
  return found;
}

/// In a dense line without NaN; else -1. Positions are counted in the type of the elements, which
/// holds all of such lines.
template <class Extreme, class T, class Better>
std::ptrdiff_t find_in_batches(T const* x, std::ptrdiff_t n, Better better) {
  using B = xsimd::batch<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  constexpr std::ptrdiff_t longest = std::ptrdiff_t{1} << 24;
  if (n < width || n > longest) return -1;
  alignas(64) T lane[B::size];
  for (std::size_t k = 0; k < B::size; ++k) lane[k] = static_cast<T>(k);
  B const numbers = B::load_aligned(lane);
  // Two chains, so that no comparison waits for the one before.
  B best[2], at[2] = {numbers, numbers};
  best[0] = best[1] = B::load_unaligned(x);
  auto are_numbers = best[0] == best[0];
  auto const look = [&](int chain, std::ptrdiff_t i) {
    B const v = B::load_unaligned(x + i);
    auto const is_better = better(v, best[chain]);
    are_numbers = are_numbers & (v == v);
    best[chain] = xsimd::select(is_better, v, best[chain]);
    at[chain] = xsimd::select(is_better, numbers + B(static_cast<T>(i)), at[chain]);
  };
  std::ptrdiff_t i = width;
  for (; i + 2 * width <= n; i += 2 * width) {
    look(0, i);
    look(1, i + width);
  }
  if (i + width <= n) look(0, i);
  if (n % width != 0) look(1, n - width);
  if (!xsimd::all(are_numbers)) return -1;
  auto const is_second = better(best[1], best[0]) | ((best[1] == best[0]) & (at[1] < at[0]));
  B const most = xsimd::select(is_second, best[1], best[0]),
          where = xsimd::select(is_second, at[1], at[0]);
  constexpr int half = static_cast<int>(width / 2);
  B const found(cpu::horizontal_from<cpu::among_numbers<Extreme>, half>(most));
  B const places = xsimd::select(most == found, where, B(static_cast<T>(longest)));
  return static_cast<std::ptrdiff_t>(
      cpu::horizontal_from<cpu::among_numbers<op::min>, half>(places));
}

/// In each line along the axis.
template <class T, class Extreme>
void find_in_lines(core::invocation const& call) {
  auto const better = [](auto const& a, auto const& b) {
    if constexpr (std::is_same_v<Extreme, op::max>) return a > b;
    else return a < b;
  };
  int const axis = static_cast<int>(call.attribute(0));
  core::array_ref const places = with_axis(call.result(), axis);
  core::array_ref const* const arrays[] = {&call.operand(0), &places};
  T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
  std::int64_t* const out = reinterpret_cast<std::int64_t*>(arrays[1]->data);
  for_each_panel(arrays, axis, [&](panel<2> const& p) {
    std::ptrdiff_t const n = arrays[0]->extents[axis];
    if constexpr (std::is_floating_point_v<T>)
      if (p.width == 1 && p.along[0] == 1)
        if (std::ptrdiff_t const found = find_in_batches<Extreme>(x + p.begin[0], n, better);
            found >= 0) {
          out[p.begin[1]] = found;
          return;
        }
    if (p.width == 1) {
      out[p.begin[1]] = find_in_line(x + p.begin[0], p.along[0], n, better);
      return;
    }
    T best[panel<2>::widest];
    std::int64_t at[panel<2>::widest]{};
    for (std::ptrdiff_t j = 0; j < p.width; ++j) best[j] = x[p.at(0, 0, j)];
    for (std::ptrdiff_t i = 1; i < n; ++i)
      for (std::ptrdiff_t j = 0; j < p.width; ++j) {
        T const v = x[p.at(0, i, j)];
        bool const takes = better(v, best[j]) | ((v != v) & (best[j] == best[j]));
        best[j] = takes ? v : best[j];
        at[j] = takes ? i : at[j];
      }
    for (std::ptrdiff_t j = 0; j < p.width; ++j) out[p.at(1, 0, j)] = at[j];
  });
}

template <>
struct kernel<op::argmax> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    find_in_lines<T, op::max>(call);
  }
};

template <>
struct kernel<op::argmin> {
  template <class T>
    requires std::is_arithmetic_v<T>
  static void run(core::invocation const& call) {
    find_in_lines<T, op::min>(call);
  }
};

}  // namespace kroton::cpu
