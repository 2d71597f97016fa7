// Running sums and products along an axis, and what their gradients need.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/panels.hpp>
#include <kroton/ops/along_axis.hpp>
#include <kroton/ops/reduction.hpp>

namespace kroton {
namespace core {

/// What a float scan accumulates in, as sums do.
template <class T>
using scan_value = std::conditional_t<std::is_same_v<T, float>, double,
                                      std::conditional_t<std::is_same_v<T, std::complex<float>>, std::complex<double>, T>>;

/// Carries a value along each line, from its end backwards where asked to: carried = next(carried, i-th operands).
template <class T, std::size_t N, class Next>
void scan_lines(array_ref const (&arrays)[N], int axis, bool backwards, scan_value<T> first, Next next) {
  std::ptrdiff_t const n = arrays[0].extents[axis];
  T* const out = reinterpret_cast<T*>(arrays[N - 1].data);
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

/// A scan's node: attributes are the axis, and 1 to run from the end.
template <class Op>
constexpr term scan_along(term x, int axis, bool backwards) {
  return {x.of, x.of->apply<Op>({x.id}, {axis, backwards})};
}

}  // namespace core

namespace op {

struct cumsum : operation<"cumsum", 1> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) { return core::extent_of_first(a, d); }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    return {{term{g.of, g.of->apply<cumsum>({g.id}, {y.of->attribute(y.id, 0), 1 - y.of->attribute(y.id, 1)})}}};
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const arrays[] = {call.operand(0), call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0].data);
    using value = core::scan_value<T>;
    core::scan_lines<T>(arrays, static_cast<int>(call.attribute(0)), call.attribute(1) != 0, value(),
                        [x](value sum, core::panel<2> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                          return core::plus(sum, static_cast<value>(x[p.at(0, i, j)]));
                        });
  }
};

/// Elements moved by one along the axis (the first attribute), forward, or backwards where the second attribute is 1; 0 moves
/// in, or 1 where the third attribute says so.
struct shift : operation<"shift", 1> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) { return core::extent_of_first(a, d); }
  static constexpr core::gradient_list<1> pullback(term g, term y, term) {
    return {{term{g.of, g.of->apply<shift>({g.id}, {y.of->attribute(y.id, 0), 1 - y.of->attribute(y.id, 1), 0})}}};
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const arrays[] = {call.operand(0), call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0].data);
    T* const out = reinterpret_cast<T*>(arrays[1].data);
    int const axis = static_cast<int>(call.attribute(0));
    std::ptrdiff_t const n = arrays[0].extents[axis], by = call.attribute(1) != 0 ? -1 : 1;
    T const moved_in = core::converted<T>(call.attribute(2));
    core::for_each_panel(arrays, axis, [&](core::panel<2> const& p) {
      for (std::ptrdiff_t i = 0; i < n; ++i)
        for (std::ptrdiff_t j = 0; j < p.width; ++j)
          out[p.at(1, i, j)] = i - by < 0 || i - by >= n ? moved_in : x[p.at(0, i - by, j)];
    });
  }
};

/// y(i) = v(i) + x(i) y(i-1) along the axis (the first attribute); where the second attribute is 1, y(i) = v(i) + x(i+1)
/// y(i+1). Each is the other's transpose with respect to v.
struct recurrence : operation<"recurrence", 2> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.broadcast &= a.input(1).broadcast;
    return t;
  }
  static constexpr core::extent_source extent(core::application const& a, int d) {
    if (!a.input(0).broadcasts(d)) return {core::extent_source::dimension, 0, d};
    return a.input(1).broadcasts(d) ? core::extent_source{} : core::extent_source{core::extent_source::dimension, 1, d};
  }
  static constexpr void constraints(core::application const& a, core::list<core::extent_pair>& pairs) {
    core::equal_but_along(a, 0, 1, -1, pairs);
  }
  static constexpr core::gradient_list<2> pullback(term g, term y, term, term x) {
    long long const axis = y.of->attribute(y.id, 0), backwards = y.of->attribute(y.id, 1);
    term const to_v{g.of, g.of->apply<recurrence>({g.id, x.id}, {axis, 1 - backwards})};
    // x(i) has multiplied y(i-1) into y(i), or y(i) into y(i-1).
    term const into = backwards != 0 ? to_v : y;
    term const before{g.of, g.of->apply<shift>({into.id}, {axis, 0, 0})};
    return {{to_v, (backwards != 0 ? y : to_v) * before}};
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const arrays[] = {call.operand(0), call.operand(1), call.result()};
    T const* const v = reinterpret_cast<T const*>(arrays[0].data);
    T const* const x = reinterpret_cast<T const*>(arrays[1].data);
    int const axis = static_cast<int>(call.attribute(0));
    bool const backwards = call.attribute(1) != 0;
    std::ptrdiff_t const first = backwards ? arrays[0].extents[axis] - 1 : 0;
    using value = core::scan_value<T>;
    core::scan_lines<T>(arrays, axis, backwards, value(),
                        [=](value carried, core::panel<3> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                          value const term = static_cast<value>(v[p.at(0, i, j)]);
                          if (i == first) return term;
                          value const factor = static_cast<value>(x[p.at(1, backwards ? i + 1 : i, j)]);
                          return core::plus(term, core::times(factor, carried));
                        });
  }
};

// The gradient divides by no element: what stands before an element is a running product again, and what comes after it follows
// from R(i) = g(i) + x(i+1) R(i+1).
struct cumprod : operation<"cumprod", 1> {
  static constexpr bool takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const& a, int d) { return core::extent_of_first(a, d); }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x) {
    long long const axis = y.of->attribute(y.id, 0);
    term const before{g.of, g.of->apply<shift>({y.id}, {axis, 0, 1})};
    term const after{g.of, g.of->apply<recurrence>({g.id, x.id}, {axis, 1})};
    return {{before * after}};
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const arrays[] = {call.operand(0), call.result()};
    T const* const x = reinterpret_cast<T const*>(arrays[0].data);
    using value = core::scan_value<T>;
    core::scan_lines<T>(arrays, static_cast<int>(call.attribute(0)), false, value(1),
                        [x](value product, core::panel<2> const& p, std::ptrdiff_t i, std::ptrdiff_t j) {
                          return core::times(product, static_cast<value>(x[p.at(0, i, j)]));
                        });
  }
};

}  // namespace op

namespace core {

/// Records a scan along one axis, or of all elements as one line.
template <class Op, class X, class... Options>
constexpr auto scanned(X const& x, Options...) {
  using options = reduction_options<Options...>;
  int const rank = x.type().rank;
  term const wide{x.of, x.of->cast(x.id, accumulated(x.type().element))};
  long long const axes = options::axes(rank);
  term const line = options::everything && rank != 1 ? reshape(wide, {count_of(wide, axes)}) : wide;
  int const axis = options::everything ? 0 : std::countr_zero(static_cast<unsigned long long>(axes));
  term const result{x.of, x.of->apply(identity<Op>(), {{line.id}}, {{axis, 0}})};
  if constexpr (typed<X>) {
    static_assert(options::everything || std::popcount(static_cast<unsigned long long>(options::axes(rank_of<X>))) == 1,
                  "kt: cumsum and cumprod run along one axis, or over all elements in row-major order");
    return variable<value_t<accumulated(element_of<value_type_of<X>>())>, options::everything ? 1 : rank_of<X>>(result);
  } else {
    return result;
  }
}

}  // namespace core

/// Running sums along `kt::axis<...>`, or of all elements in row-major order as a vector; bools and signed integers give int64,
/// unsigned uint64. (numpy.cumsum)
template <symbolic X, class... Options>
  requires one_axis_within_the_rank<X, Options...>
constexpr auto cumsum(X const& x, Options... options) {
  return core::scanned<op::cumsum>(x, options...);
}
/// Running products, as `cumsum`; gradients are right where elements are 0. (numpy.cumprod)
template <symbolic X, class... Options>
  requires one_axis_within_the_rank<X, Options...>
constexpr auto cumprod(X const& x, Options... options) {
  return core::scanned<op::cumprod>(x, options...);
}

}  // namespace kroton
