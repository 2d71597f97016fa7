// What has more than 8 dimensions.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

using five = kt::variable<double, 5>;
using eight = kt::variable<double, 8>;

// mistake parameter: kt::function: a parameter has at most 8 dimensions
#if defined(MISTAKE_parameter)
auto f = kt::function([](kt::dscalar x, kt::variable<double, 9> y) { return x + sum(y); });
#endif

// mistake shared: kt::shared: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_shared)
kt::shared<double, 9> nine(xt::xtensor<double, 9>{});
#endif

// mistake numbers: kt: a tensor has 0 to 8 dimensions, but more extents are given
#if defined(MISTAKE_numbers)
auto f = kt::function([](kt::dscalar x) { return sum(x + kt::zeros<double>(1, 2, 1, 2, 1, 2, 1, 2, 1)); });
#endif

// mistake filled: kt: a tensor has 0 to 8 dimensions, but more extents are given
#if defined(MISTAKE_filled)
auto f = kt::function([](kt::dscalar x) { return sum(kt::full(x, 1, 2, 1, 2, 1, 2, 1, 2, 1)); });
#endif

// mistake newaxis: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_newaxis)
auto f = kt::function([](eight x) { return sum(x(kt::newaxis)); });
#endif

// mistake stack: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_stack)
auto f = kt::function([](eight x) { return sum(kt::stack(x, x)); });
#endif

// mistake reshape: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_reshape)
auto f = kt::function([](eight x) { return sum(kt::reshape<9>(x, 1, 1, 1, 1, 1, 1, 1, 1, 1)); });
#endif

// mistake broadcast_to: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_broadcast_to)
auto f = kt::function([](kt::dscalar x) { return sum(kt::broadcast_to(x, 1, 2, 1, 2, 1, 2, 1, 2, 1)); });
#endif

// mistake take: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_take)
auto f = kt::function([](eight x, kt::lmatrix i) { return sum(kt::take(x, i, kt::axis<0>)); });
#endif

// mistake index: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_index)
auto f = kt::function([](eight x, kt::lmatrix i) { return sum(x(i)); });
#endif

// mistake dot: kt::variable: a tensor has 0 to 8 dimensions
#if defined(MISTAKE_dot)
auto f = kt::function([](eight x, five y) { return sum(dot(x, y)); });
#endif

// An op of one's own, whose result no variable holds.
// mistake own_op: dimensions, but an expression has 9
#if defined(MISTAKE_own_op)
struct one_more : kt::operation<"one_more", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) {
    kt::tensor_type t = a.input(0);
    ++t.rank;
    return t;
  }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int) { return {kt::core::extent_source::one}; }
};
struct whole : kt::operation<"whole", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return {a.input(0).element, 0, 0}; }
};
auto f = kt::function([](eight x) {
  int const node = x.of->apply<one_more>({x.id});
  return kt::dscalar(kt::term{x.of, x.of->apply<whole>({node})});
});
#endif
