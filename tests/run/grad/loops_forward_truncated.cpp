// Forward mode through loops with truncated gradients: the adjoint of reverse mode.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() < 1e-12;
}

}  // namespace

TEST_CASE("pushforwards through truncated loops") {
  auto const f = kt::function([](kt::dvector x, kt::dscalar s, kt::dscalar a, kt::dvector start, kt::dvector dx) {
    auto step = [](auto e, auto s, auto a) { return a * s + e; };
    auto y = scan(step, kt::sequences(x), kt::outputs_info(s), kt::non_sequences(a), kt::truncate_gradient(2));
    auto last = foldl(step, kt::sequences(x), kt::outputs_info(s), kt::non_sequences(a), kt::truncate_gradient(2));
    auto z = scan([&](auto e, auto before, auto s) { return sin(s) * before + a * e; }, kt::sequences(x),
                  kt::outputs_info(kt::taps<-2, -1>(start)), kt::truncate_gradient(2));
    auto one = ones_like(a);
    return std::tuple(rop(y, x, dx), rop(y, s, one), rop(y, a, one), rop(last, a, one), rop(last, s, one),
                      sum(cos(y) * rop(z, x, dx)) - sum(lop(z, x, cos(y)) * dx), sum(cos(y) * rop(z, start, start)) - sum(lop(z, start, cos(y)) * start),
                      sum(cos(y) * rop(z, a, one)) - lop(z, a, cos(y)));
  });
  vector const start{0.3, 0.4};
  {
    // y = 11, 24, 51: the last two steps count.
    auto const [by_x, by_s, by_a, last_by_a, last_by_s, of_x, of_start, of_a] = f(vector{1, 2, 3}, 5., 2., start, vector{1, 10, 100});
    CHECK(same(by_x, vector{0, 10, 120}));
    CHECK(same(by_s, vector{0, 0, 0}));
    CHECK(same(by_a, vector{0, 11, 24 + 2 * 11}));
    CHECK(last_by_a == 24 + 2 * 11);
    CHECK(last_by_s == 0);
    CHECK(std::abs(of_x) < 1e-12);
    CHECK(std::abs(of_start) < 1e-12);
    CHECK(std::abs(of_a) < 1e-12);
  }
  auto const [by_x, by_s, by_a, last_by_a, last_by_s, of_x, of_start, of_a] = f(vector{1, 2}, 5., 2., start, vector{1, 10});
  CHECK(same(by_x, vector{1, 12}));
  CHECK(same(by_s, vector{2, 4}));
  CHECK(same(by_a, vector{5, 11 + 2 * 5}));
  CHECK(last_by_s == 4);
  CHECK(std::abs(of_x) < 1e-12);
  CHECK(std::abs(of_start) < 1e-12);
  CHECK(std::abs(of_a) < 1e-12);
}
