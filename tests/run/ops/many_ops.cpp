// More kinds of ops in one function than a program has room for at first.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <utility>

namespace kt = kroton;

namespace {

constexpr int count = 520;

template <int I>
constexpr char name_of[] = {'p', 'l', 'u', 's', char('0' + I / 100), char('0' + I / 10 % 10), char('0' + I % 10), 0};

template <int I>
struct plus : kt::elementwise<name_of<I>, 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x + R(I);
  }
};

constexpr auto all = [](kt::dscalar x) {
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    int const each[] = {(x = kt::call<plus<I>>(x), 0)...};
    (void)each;
    return x;
  }(std::make_integer_sequence<int, count>{});
};

}  // namespace

TEST_CASE("a function of 520 kinds of ops") {
  double const right = 0.5 + count * (count - 1) / 2;
  CHECK(kt::function(all)(0.5) == right);
  kt::runtime::graph g;
  auto const x = g.input<double, 0>("x");
  CHECK(g.function({x}, all(x))(0.5) == right);
}
