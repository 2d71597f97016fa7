// Where the largest and the smallest element of a line stand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/panels.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>
#include <kroton/cpu/simd/positions.hpp>
#include <kroton/ops/along_axes/positions.hpp>

namespace kroton::cpu {

/// In a dense line without NaN; else -1. Positions are counted in the type of the elements, which
/// holds all of such lines.
template <class Extreme, class T>
std::ptrdiff_t find_in_batches(T const* x, std::ptrdiff_t n) {
  auto const better = [](auto const& a, auto const& b) {
    if constexpr (std::is_same_v<Extreme, op::max>) return a > b;
    else return a < b;
  };
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

/// In lines of n elements, `across` from each other, whose results are `step` apart.
template <class Extreme, class T>
void find_positions(T const* x, std::ptrdiff_t along, std::ptrdiff_t n, std::ptrdiff_t across,
                    std::ptrdiff_t lines, std::int64_t* out, std::ptrdiff_t step) {
  constexpr std::ptrdiff_t short_line = 24;  // of which no batches are worth it
  if (across == 1 && along != 1) return find_side_by_side<Extreme>(x, along, n, lines, out, step);
  if (along != 1 || n <= short_line)
    return find_in_any_lines<Extreme>(x, along, n, across, lines, out, step);
  for (std::ptrdiff_t j = 0; j < lines; ++j) {
    T const* const line = x + j * across;
    std::int64_t& to = out[j * step];
    if constexpr (std::is_floating_point_v<T>) {
      to = find_in_batches<Extreme>(line, n);
      if (to < 0) to = find_in_line<Extreme>(line, 1, n);
    } else {
      to = find_in_integers<Extreme>(line, n);
    }
  }
}

/// In each line along the axis.
template <class Element, class Extreme>
void find_in_lines(core::invocation const& call) {
  using T = std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>;
  int const axis = static_cast<int>(call.attribute(0));
  core::array_ref const &from = call.operand(0), &to = call.result();
  T const* const x = reinterpret_cast<T const*>(from.data);
  std::int64_t* const out = reinterpret_cast<std::int64_t*>(to.data);
  std::ptrdiff_t const n = from.extents[axis];
  if (from.rank == 1) return find_positions<Extreme>(x, from.strides[0], n, 0, 1, out, 1);
  if (from.rank == 2)
    return find_positions<Extreme>(x, from.strides[axis], n, from.strides[1 - axis],
                                   from.extents[1 - axis], out, to.strides[0]);
  core::array_ref const places = with_axis(to, axis);
  core::array_ref const* const arrays[] = {&from, &places};
  for_each_panel(arrays, axis, [&](panel<2> const& p) {
    find_positions<Extreme>(x + p.begin[0], p.along[0], n, p.across[0], p.width, out + p.begin[1],
                            p.across[1]);
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
