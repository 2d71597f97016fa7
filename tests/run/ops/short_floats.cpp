// half and bfloat16: stored in 16 bits, computed with as float.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/short_floats.hpp"

#include "run/temporary_folder.hpp"

#include <kroton/npz.hpp>

#include <algorithm>

namespace kt = kroton;

using kt::half;

namespace {

constexpr auto fast_run = kt::mode::fast_run;

}  // namespace

TEST_CASE("formulas of 16 bits are those of float, rounded once") {
  testing::require_float_then_rounded<half>(testing::computing, fast_run);
}
TEST_CASE("what moves elements of 16 bits does not change them") {
  testing::require_float_then_rounded<kt::bfloat16>(testing::moving, fast_run);
}
TEST_CASE("gradients of 16 bits are those of float, rounded once") {
  testing::require_float_then_rounded<half>(testing::differentiated, fast_run);
}

TEST_CASE("conversions to 16 bits that are asked for round, others do not") {
  auto const f = kt::function([](kt::scalar<kt::bfloat16> a, kt::fscalar b, kt::scalar<half> c) {
    auto const rounded = kt::cast<float>(kt::cast<kt::bfloat16>(b));
    return kt::outputs(a * a, a + b, a * c, kt::cast<kt::bfloat16>(b), rounded, (a * a + 1) - a * a,
                       kt::cast<int>(c), kt::cast<half>(kt::cast<double>(b) / 3), a > c);
  });
  float const b = 1.23456f;
  auto const [square, sum, product, short_b, rounded, one, whole, third, more] =
      f(kt::bfloat16(3.1), b, half(7.7));
  static_assert(std::is_same_v<decltype(square), kt::bfloat16 const>);
  static_assert(std::is_same_v<decltype(sum), float const>);
  static_assert(std::is_same_v<decltype(product), float const>);
  float const a = kt::bfloat16(3.1), c = half(7.7);
  CHECK(square == kt::bfloat16(a * a));
  CHECK(sum == a + b);
  CHECK(product == a * c);
  CHECK(short_b == kt::bfloat16(b));
  CHECK(rounded == static_cast<float>(kt::bfloat16(b)));
  CHECK(one == 1.f);
  CHECK(whole == 7);
  CHECK(third == half(double(b) / 3));
  CHECK_FALSE(more);
}

TEST_CASE("what has been computed in 16 bits is rounded where that is asked for") {
  auto const f = kt::function([](kt::vector<half> a) {
    return kt::outputs(kt::cast<float>(kt::cast<half>(a * a)), kt::cast<half>(a * a) * 1024 - a * a * 1024,
                       nan_to_num(a * 60000));
  });
  auto const a = testing::waves<half, 1>({9}, .3);
  auto const [rounded, lost, finite] = f(a);
  for (std::size_t i = 0; i < 9; ++i) {
    float const square = a(i) * a(i);
    CHECK(rounded(i) == half(square));
    CHECK(lost(i) == half((half(square) - square) * 1024));
    CHECK(finite(i) == half(std::clamp(a(i) * 60000, -65504.f, 65504.f)));
  }
}

TEST_CASE("literals and constants of 16 bits are stored as such") {
  auto const f = kt::function([](kt::vector<half> x, kt::scalar<kt::bfloat16> s) {
    auto const sums = kt::scan([](kt::scalar<half> q, kt::scalar<half> state) { return state + q; },
                               kt::sequences(x), kt::outputs_info(0.5f));
    auto const tenth = kt::cast<kt::bfloat16>(kt::cast<float>(s) * 0 + 0.1f);
    return kt::outputs(sums, tenth, kt::stack(s, tenth), kt::full<half>(0.3f, 2),
                       kt::constant({half(1.1f), half(2)}), x + half(0.1f));
  });
  auto const [sums, tenth, stacked, filled, constant, more] =
      f(xt::xtensor<half, 1>{half(1), half(2)}, kt::bfloat16(3));
  CHECK(sums(0) == 1.5f);
  CHECK(sums(1) == 3.5f);
  CHECK(tenth == kt::bfloat16(0.1f));
  CHECK(stacked(1) == kt::bfloat16(0.1f));
  CHECK(filled(1) == half(0.3f));
  CHECK(constant(0) == half(1.1f));
  CHECK(more(1) == half(2 + half(0.1f)));
  auto const small = kt::function(
      [](kt::fixed<half, 2> x) { return x + kt::constant({half(1.1f), half(2)}); });
  CHECK(small(xt::xtensor<half, 1>{half(1), half(2)})(0) == half(1 + half(1.1f)));
  auto const bytes = kt::function([](kt::vector<half> x) { return x * 2; });
  CHECK(bytes(xt::xtensor<std::int8_t, 1>{-3, 4})(0) == -6.f);
}

TEST_CASE("elements of 16 bits are converted in loops of other types, whatever the layout") {
  auto const f = kt::function([](kt::vector<half> x, kt::vector<kt::bfloat16> y, kt::dvector z) {
    return kt::outputs(x * y, x + z, kt::cast<kt::bfloat16>(z * 2), kt::cast<half>(y));
  });
  for (std::size_t n : {0u, 1u, 7u, 16u, 31u, 1000u}) {
    auto const x = testing::waves<half, 1>({2 * n}, .3);
    auto const y = testing::waves<kt::bfloat16, 1>({n}, .9);
    auto const z = testing::waves<double, 1>({n}, .1);
    auto const even = xt::view(x, xt::range(0, 2 * n, 2));
    auto const [product, sum, rounded, other] = f(even, y, z);
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(product(i) == float(x(2 * i)) * float(y(i)));
      CHECK(sum(i) == double(float(x(2 * i))) + z(i));
      CHECK(rounded(i).bits == kt::bfloat16(z(i) * 2).bits);
      CHECK(other(i).bits == half(float(y(i))).bits);
    }
  }
}

TEST_CASE("shared variables of 16 bits are updated, and small known extents are formulas") {
  kt::shared<half, 1> w(testing::waves<half, 1>({3}, .5));
  auto const before = w.get_value();
  auto const step = kt::function(
      [](kt::vector<half> x, kt::vector<half> w) {
        auto cost = sum(sqr(x - w));
        return kt::outputs(cost).update(w, w - 0.25 * grad(cost, w));
      },
      w);
  auto const x = testing::waves<half, 1>({3}, 2.);
  step(x);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(w.get_value()(i) == half(before(i) + .5f * (x(i) - before(i))));

  auto const small = kt::function(
      [](kt::fixed<half, 3> x) { return kt::stack(dot(x, x), x(0), 2 * x(1)); });
  auto const s = small(x);
  CHECK(s(0) == half(x(0) * x(0) + x(1) * x(1) + x(2) * x(2)));
  CHECK(s(1) == x(0));
  CHECK(s(2) == half(2 * x(1)));
}

TEST_CASE("loops keep states of 16 bits, and have gradients") {
  auto const f = kt::function([](kt::matrix<kt::bfloat16> xs, kt::vector<kt::bfloat16> start) {
    auto all = kt::scan(
        [](kt::vector<kt::bfloat16> x, kt::vector<kt::bfloat16> s) { return x + 0.5 * s; },
        kt::sequences(xs), kt::outputs_info(start));
    return kt::outputs(all, grad(sum(all(-1)), start));
  });
  auto const xs = testing::waves<kt::bfloat16, 2>({4, 3}, .4);
  auto const start = testing::waves<kt::bfloat16, 1>({3}, 1.);
  auto const [all, gradient] = f(xs, start);
  for (std::size_t i = 0; i < 3; ++i) {
    kt::bfloat16 state = start(i);
    for (std::size_t t = 0; t < 4; ++t) {
      state = kt::bfloat16(xs(t, i) + .5f * state);
      CHECK(all(t, i) == state);
    }
    CHECK(gradient(i) == kt::bfloat16(0.0625f));
  }
}

TEST_CASE("arrays of 16 bits are read from files and written to them") {
  temporary_folder const folder;
  auto const h = testing::waves<half, 2>({3, 4}, .3);
  auto const b = testing::waves<kt::bfloat16, 1>({5}, .3);
  std::string const file = folder.path("x.npy");
  kt::save(file, h);
  CHECK((kt::load<half, 2>(file) == h));
  CHECK((kt::load<float, 2>(file) == testing::as_floats(h)));
  CHECK_THROWS_WITH((kt::load<kt::bfloat16, 2>(file)),
                    Catch::Contains("elements of type float16, which would be narrowed"));
  kt::save(file, b);
  CHECK((kt::load<kt::bfloat16, 1>(file) == b));
}
