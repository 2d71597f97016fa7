// Loops of a band that one launch takes row by row.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

constexpr auto normalized = [](auto x) {
  auto centred = x - mean(x, kt::axis<1>, kt::keepdims);
  return centred / sqrt(mean(sqr(centred), kt::axis<1>, kt::keepdims) + 1e-5f);
};

}  // namespace

TEST_CASE("device rows: softmax and layer normalization, of every length around packs and blocks") {
  for (std::size_t n : {1, 3, 40})
    for (std::size_t m : {1, 4, 5, 36, 128, 1300}) {
      INFO(n << " x " << m);
      agree([](kt::fmatrix x) { return std::tuple(softmax(x), log_softmax(x)); },
            grid<float>(n, m));
      agree([](kt::dmatrix x) { return normalized(x); }, grid(n, m));
    }
}

TEST_CASE("device rows: one launch") {
  auto const x = grid<float>(40, 36);
  CHECK(launches_of([](kt::fmatrix x) { return softmax(x); }, x) == 1);
  CHECK(launches_of([](kt::fmatrix x) { return log_softmax(x); }, x) == 1);
  CHECK(launches_of([](kt::fmatrix x) { return normalized(x); }, x) == 1);
  CHECK(launches_of([](kt::ftensor3 x) { return softmax(x); },
                    xt::eval(xt::cast<float>(cube(4, 5, 6)))) == 1);
  // Rows of a transposed matrix, and few long rows, are better taken loop by loop.
  CHECK(launches_of([](kt::fmatrix x) { return softmax(x.T()); }, x) > 1);
  CHECK(launches_of([](kt::fmatrix x) { return softmax(x); }, grid<float>(2, 20000)) > 1);
}

TEST_CASE("device rows: other axes, transposed rows, few long rows") {
  agree([](kt::ftensor3 x) { return softmax(x); }, xt::eval(xt::cast<float>(cube(4, 5, 6))));
  agree([](kt::dtensor3 x) { return log_softmax(x) * x; }, cube(3, 1, 7));
  agree([](kt::dmatrix x) { return softmax(x.T()); }, grid(40, 36));
  agree([](kt::dmatrix x) { return softmax(x, kt::axis<0>); }, grid(40, 36));
  agree([](kt::dmatrix x) { return softmax(x); }, grid(2, 20000));
  // Square: rows and columns have one extent, and both are normalized.
  agree([](kt::dmatrix x) {
    auto a = x - mean(x, kt::axis<1>, kt::keepdims);
    return a / (1 + sum(sqr(a), kt::axis<1>, kt::keepdims)) + sum(a, kt::axis<0>);
  }, grid(33, 33));
  // A row's number that belongs to another row.
  agree([](kt::dmatrix x) {
    auto s = sum(exp(x), kt::axis<1>);
    return std::tuple(x / s, x / dimshuffle<0, 'x'>(s));
  }, grid(33, 33));
}

TEST_CASE("device rows: extents of zero and one in every position") {
  constexpr auto f = [](kt::fmatrix x, kt::frow r, kt::fcol c) {
    auto s = sum(x, kt::axis<1>, kt::keepdims);
    auto e = exp(x + r) * s + c;
    return std::tuple(s, sum(e, kt::axis<1>), e, sum(e * e, kt::axis<1>) * 2);
  };
  constexpr auto g = [](kt::ftensor3 x) {
    auto e = exp(x);
    auto s = sum(e, kt::axis<2>, kt::keepdims), t = sum(e, kt::axis<1, 2>, kt::keepdims);
    auto q = e / s;
    return std::tuple(q * q, sum(q * x, kt::axis<2>), e / t, sum(e * t, kt::axis<1, 2>));
  };
  for (std::size_t n : {0, 1, 3})
    for (std::size_t m : {0, 1, 4}) {
      INFO(n << " x " << m);
      agree(f, grid<float>(n, m), grid<float>(1, m), grid<float>(n, 1));
      for (std::size_t k : {0, 1, 8}) agree(g, xt::eval(xt::cast<float>(cube(n, m, k))));
    }
}

TEST_CASE("device rows: gradients, operands of other types, results in place") {
  agree([](kt::dmatrix x, kt::dmatrix g) { return lop(softmax(x), x, g); }, grid(40, 36),
        grid(40, 36));
  agree([](kt::dmatrix x, kt::dmatrix g) { return lop(normalized(x), x, g); }, grid(40, 36),
        grid(40, 36));
  agree([](kt::fmatrix x, kt::matrix<std::int8_t> mask, kt::dvector scale) {
    auto e = exp(x) * cast<float>(sqr(mask) > 9);
    return std::tuple(e / sum(e, kt::axis<1>, kt::keepdims) * scale, max(e, kt::axis<1>));
  }, grid<float>(40, 36), grid<std::int8_t>(40, 36), ramp(36));
  xt::xtensor<float, 2> const start = grid<float>(40, 36);
  device_shared<float, 2> w(start);
  auto f = kt::cuda::function_on<device>(
      [](kt::fmatrix w) { return kt::outputs(max(w)).update(w, softmax(w)); }, w);
  (void)f();
  auto const once = kt::function([](kt::fmatrix x) { return softmax(x); });
  CHECK(xt::allclose(w.get_value(), once(start), 1e-6, 1e-7));
  (void)f();
  CHECK(xt::allclose(w.get_value(), once(once(start)), 1e-6, 1e-7));
}

TEST_CASE("device rows: which operands move along a row is known from their types") {
  using kt::input, kt::apply, kt::with, kt::expression;
  using group = expression<input<float, 0, 2>, input<float, 1, 1>, input<float, 2, 2, 2>,
                           apply<kt::op::mul, 0, 1>, apply<kt::op::add, 3, 2>>;
  // A matrix, a row, a column; the output.
  static_assert(kt::cuda::packs_of<group>::moving_along(1) == 0b1011);
  static_assert(kt::cuda::packs_of<group>::moving_along(2) == 0b1101);
}
