// Running sums and products along an axis, and what their gradients need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/op/panels.hpp>
#include <kroton/ops/along_axes/scans.hpp>

namespace kroton::cpu {

/// What a float scan accumulates in, as sums do.
template <class T>
using scan_value = std::conditional_t<
    std::is_same_v<T, float>, double,
    std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;

/// Carries a value along each line, from its end backwards where asked to: carried = next(carried,
/// i-th operands).
template <class T, std::size_t N, class Next>
void scan_lines(array_ref const* const (&arrays)[N], int axis, bool backwards, scan_value<T> first,
                Next next) {
  std::ptrdiff_t const n = arrays[0]->extents[axis];
  T* const out = reinterpret_cast<T*>(arrays[N - 1]->data);
  for_each_panel(arrays, axis, [&](panel<N> const& given) {
    panel<N> const p = given;  // a copy that does not escape, for registers
    std::ptrdiff_t const first_i = backwards ? n - 1 : 0, next_i = backwards ? -1 : 1;
    if (p.width == 1) {
      scan_value<T> one = first;
      for (std::ptrdiff_t k = 0, i = first_i; k < n; ++k, i += next_i) {
        one = next(one, p, i, 0);
        out[p.at(N - 1, i, 0)] = static_cast<T>(one);
      }
      return;
    }
    scan_value<T> carried[panel<N>::widest];
    for (std::ptrdiff_t j = 0; j < p.width; ++j) carried[j] = first;
    for (std::ptrdiff_t k = 0, i = first_i; k < n; ++k, i += next_i) {
      for (std::ptrdiff_t j = 0; j < p.width; ++j) {
        carried[j] = next(carried[j], p, i, j);
        out[p.at(N - 1, i, j)] = static_cast<T>(carried[j]);
      }
    }
  });
}

template <>
struct kernel<op::cumsum> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const* const arrays[] = {&call.operand(0), &call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
    using value = scan_value<T>;
    scan_lines<T>(arrays, static_cast<int>(call.attribute(0)), call.attribute(1) != 0, value(),
                  [x](value sum, panel<2> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                    return ops::plus(sum, static_cast<value>(x[p.at(0, i, j)]));
                  });
  }
};

template <>
struct kernel<op::shift> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const* const arrays[] = {&call.operand(0), &call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
    T* const out = reinterpret_cast<T*>(arrays[1]->data);
    int const axis = static_cast<int>(call.attribute(0));
    std::ptrdiff_t const n = arrays[0]->extents[axis], by = call.attribute(1) != 0 ? -1 : 1;
    T const moved_in = core::converted<T>(call.attribute(2));
    for_each_panel(arrays, axis, [&](panel<2> const& p) {
      for (std::ptrdiff_t i = 0; i < n; ++i)
        for (std::ptrdiff_t j = 0; j < p.width; ++j)
          out[p.at(1, i, j)] = i - by < 0 || i - by >= n ? moved_in : x[p.at(0, i - by, j)];
    });
  }
};

template <>
struct kernel<op::recurrence> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const* const arrays[] = {&call.operand(0), &call.operand(1), &call.result()};
    T const* const v = reinterpret_cast<T const*>(arrays[0]->data);
    T const* const x = reinterpret_cast<T const*>(arrays[1]->data);
    int const axis = static_cast<int>(call.attribute(0));
    bool const backwards = call.attribute(1) != 0;
    std::ptrdiff_t const first = backwards ? arrays[0]->extents[axis] - 1 : 0;
    using value = scan_value<T>;
    scan_lines<T>(arrays, axis, backwards, value(),
                  [=](value carried, panel<3> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                    value const term = static_cast<value>(v[p.at(0, i, j)]);
                    if (i == first) return term;
                    value const factor = static_cast<value>(x[p.at(1, backwards ? i + 1 : i, j)]);
                    return ops::plus(term, times(factor, carried));
                  });
  }
};

template <>
struct kernel<op::cumprod> {
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const* const arrays[] = {&call.operand(0), &call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0]->data);
    using value = scan_value<T>;
    scan_lines<T>(arrays, static_cast<int>(call.attribute(0)), false, value(1),
                  [x](value product, panel<2> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                    return times(product, static_cast<value>(x[p.at(0, i, j)]));
                  });
  }
};

}  // namespace kroton::cpu
