// half and bfloat16 in the interpreter and in debug mode.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/short_floats.hpp"

#include <kroton/runtime.hpp>

namespace kt = kroton;

TEST_CASE("interpreted formulas of 16 bits are those of float, rounded once") {
  testing::require_float_then_rounded<kt::bfloat16>(testing::computing, kt::mode::interpret);
  testing::require_float_then_rounded<kt::half>(testing::moving, kt::mode::interpret);
}
TEST_CASE("debug mode compares gradients of 16 bits") {
  testing::require_float_then_rounded<kt::half>(testing::differentiated, kt::mode::debug);
}

TEST_CASE("run-time graphs have elements of 16 bits") {
  kt::runtime::graph g;
  auto const x = g.input<kt::half, 1>("x");
  auto const f = g.function({x}, std::tuple(sum(x * x), x + 1, kt::cast<double>(x)));
  auto const values = testing::waves<kt::half, 1>({9}, .4);
  auto const [squares, more, wide] = f(values);
  static_assert(std::is_same_v<decltype(squares), kt::half const>);
  double exact = 0;
  for (kt::half v : values) exact += double(v) * double(v);
  CHECK(squares == kt::half(exact));
  CHECK(more(3) == kt::half(values(3) + 1));
  CHECK(wide(3) == values(3));
  CHECK_THROWS_AS(f(xt::xtensor<float, 1>{1, 2}), kt::value_error);
}
