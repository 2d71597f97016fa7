// Rows: loops of many operands, and many loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

/// A matrix and the slices of a tensor from number `First` on.
template <int First, class X, int... I>
constexpr auto add_slices(X x, kt::ftensor3 y, std::integer_sequence<int, I...>) {
  return (x + ... + y(First + I));
}
template <class X>
constexpr auto normalized(X x) {
  return x / sum(exp(x), kt::axis<1>, kt::keepdims);
}

}  // namespace

TEST_CASE("device rows: more arrays than a word has bits") {
  agree(
      [](kt::fmatrix x, kt::ftensor3 y) {
        auto e = tanh(add_slices<0>(x, y, std::make_integer_sequence<int, 66>{}));
        return e * sum(e, kt::axis<1>, kt::keepdims);
      },
      grid<float>(9, 8), xt::eval(xt::cast<float>(cube(66, 9, 8))));
}

TEST_CASE("device rows: more operands than one launch takes") {
  constexpr auto f = [](kt::fmatrix x, kt::ftensor3 y) {
    constexpr std::make_integer_sequence<int, 50> all;
    auto a = normalized(tanh(add_slices<0>(x, y, all)));
    auto b = normalized(tanh(add_slices<50>(a, y, all)));
    auto c = normalized(tanh(add_slices<100>(b, y, all)));
    return normalized(tanh(add_slices<150>(c, y, all)));
  };
  auto const x = grid<float>(9, 8);
  auto const y = xt::eval(xt::cast<float>(cube(200, 9, 8)));
  agree(f, x, y);
  CHECK(launches_of(f, x, y) == 2);
}

TEST_CASE("device rows: more loops than one launch takes") {
  constexpr auto f = [](kt::fmatrix x) {
    auto a = normalized(tanh(normalized(tanh(normalized(tanh(normalized(x)))))));
    return normalized(tanh(normalized(tanh(normalized(tanh(normalized(tanh(a))))))));
  };
  auto const x = grid<float>(40, 36);
  agree(f, x);
  CHECK(launches_of(f, x) == 2);
}
