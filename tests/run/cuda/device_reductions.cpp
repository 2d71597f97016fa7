// Reductions on a device, of every shape and over any axes, are those of the CPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

TEST_CASE("device reductions: rows and columns of every size around the edges of blocks") {
  constexpr auto f = [](kt::dmatrix x) {
    return std::tuple(sum(x * x), sum(x, kt::axis<0>), sum(exp(x), kt::axis<1>));
  };
  auto on_device = kt::cuda::function_on<device>(f);
  auto on_cpu = kt::function(f);
  for (std::size_t n : {0, 1, 2, 5, 31, 32, 33, 65})
    for (std::size_t m : {0, 1, 3, 32, 33, 300, 1500}) {
      INFO(n << " x " << m);
      require_same(on_device(grid(n, m)), on_cpu(grid(n, m)), 256);
    }
  // Many elements for one result: blocks share them.
  require_same(on_device(grid(3, 20000)), on_cpu(grid(3, 20000)), 2000);
  require_same(on_device(grid(20000, 3)), on_cpu(grid(20000, 3)), 2000);
}

TEST_CASE("device reductions: packs of elements, and what is behind the last one") {
  constexpr auto f = [](kt::fmatrix x, kt::fvector row, kt::fcol column, kt::fscalar a) {
    return std::tuple(sum(x * row, kt::axis<1>), max(x + column * a, kt::axis<1>),
                      sum(x * row + column, kt::axis<0>), sum(exp(x) * row));
  };
  for (std::size_t n : {1, 3, 40})
    for (std::size_t m : {1, 3, 4, 5, 8, 36, 128, 129, 1028, 1300}) {
      INFO(n << " x " << m);
      agree(f, grid<float>(n, m), ramp<float>(m), grid<float>(n, 1), 0.5f);
    }
  // Rows that begin in the middle of a pack, and rows with gaps.
  auto const x = grid<float>(9, 64);
  agree([](kt::fmatrix x) { return sum(x(kt::slice(), kt::slice(1, kt::none)), kt::axis<1>); }, x);
  agree([](kt::fmatrix x) { return sum(x(kt::slice(), kt::slice(4, 60)), kt::axis<1>); }, x);
  agree([](kt::fmatrix x) { return sum(x(kt::slice(), kt::slice(0, 64, 2)), kt::axis<1>); }, x);
  // Operands of several sizes; the loop also stores elementwise results.
  agree([](kt::fmatrix x, kt::matrix<double> y, kt::matrix<std::int8_t> z) {
    auto v = x * y + z;
    return std::tuple(v, sum(v, kt::axis<1>), sum(cast<float>(v), kt::axis<1>));
  }, grid<float>(9, 64), grid(9, 64), grid<std::int8_t>(9, 64));
}

TEST_CASE("device reductions: what moves along both axes decides how blocks lie") {
  // A product by columns: the vector must not make neighbours take elements that are far apart.
  kt::cuda::space_over<2> kept, reduced;
  kept.rank = reduced.rank = 1;
  kept.strides[0][0] = 1, reduced.strides[0][0] = 256;  // a matrix
  kept.strides[0][1] = 0, reduced.strides[0][1] = 1;    // a vector
  CHECK_FALSE(kt::cuda::lies_along_reduced(kept, reduced, 2));
  std::swap(kept.strides[0][0], reduced.strides[0][0]);
  CHECK(kt::cuda::lies_along_reduced(kept, reduced, 2));
}

TEST_CASE("device reductions: any axes of three") {
  constexpr auto f = [](kt::dtensor3 x) {
    return std::tuple(sum(x, kt::axis<0>), sum(x, kt::axis<1>), sum(x, kt::axis<2>),
                      sum(x, kt::axis<0, 1>), sum(x, kt::axis<0, 2>), sum(x, kt::axis<1, 2>),
                      max(x, kt::axis<1>, kt::keepdims), sum(x));
  };
  agree(f, cube(4, 5, 6));
  agree(f, cube(1, 70, 3));
  agree(f, cube(40, 1, 33));
  agree([](kt::dtensor3 x) { return sum(x.T() * 2, kt::axis<1>); }, cube(4, 50, 6));
}

TEST_CASE("device reductions: each op and element type") {
  agree([](kt::dmatrix x) { return std::tuple(prod(x, kt::axis<0>), max(x), min(x, kt::axis<1>)); },
        grid(9, 40));
  agree([](kt::fmatrix x) { return std::tuple(sum(x), prod(x, kt::axis<1>), max(x, kt::axis<0>)); },
        grid<float>(17, 50));
  agree([](kt::imatrix x) { return std::tuple(sum(x), max(x, kt::axis<0>), prod(x, kt::axis<1>)); },
        grid<std::int32_t>(17, 50));
  agree([](kt::matrix<std::uint8_t> x) { return std::tuple(sum(x), min(x, kt::axis<0>)); },
        xt::eval(xt::cast<std::uint8_t>(xt::abs(grid<std::int32_t>(17, 50)))));
  agree([](kt::dmatrix x) { return std::tuple(any(x > 0.9, kt::axis<0>), all(x < 1, kt::axis<1>)); },
        grid(17, 50));
  xt::xtensor<double, 2> with_nan = grid(5, 40);
  with_nan(2, 7) = std::numeric_limits<double>::quiet_NaN();
  agree([](kt::dmatrix x) { return std::tuple(max(x, kt::axis<1>), min(x), sum(x, kt::axis<1>)); },
        with_nan);
}

TEST_CASE("device reductions: sums of floats are as exact as on the CPU") {
  xt::xtensor<float, 1> x = xt::ones<float>({30000});
  x *= 0.1f;
  auto f = kt::cuda::function_on<device>([](kt::fvector v) { return sum(v); });
  CHECK(f(x).get_value() == Approx(3000.0).epsilon(1e-6));
}

TEST_CASE("device reductions: the same bits each time") {
  auto f = kt::cuda::function_on<device>([](kt::fmatrix x) {
    return std::tuple(sum(sin(x)), sum(x, kt::axis<0>), sum(x, kt::axis<1>));
  });
  auto const x = grid<float>(130, 700);
  auto const [a, b, c] = f(x);
  auto const [d, e, g] = f(x);
  CHECK(a.get_value() == d.get_value());
  CHECK((b.get_value() == e.get_value()));
  CHECK((c.get_value() == g.get_value()));
}

TEST_CASE("device reductions: elementwise results beside them, written over an operand") {
  agree([](kt::dmatrix x) { return std::tuple(x * 2, sum(x), sum(x * 2, kt::axis<1>)); },
        grid(13, 37));
  // exp(x) dies in the loop that stores its multiple.
  agree([](kt::dmatrix x) {
    auto e = exp(x);
    return std::tuple(e / sum(e, kt::axis<1>, kt::keepdims), mean(e));
  }, grid(13, 37));
}

TEST_CASE("device reductions: more outputs than one launch takes") {
  agree([](kt::dmatrix x) {
    return std::tuple(sum(x, kt::axis<1>), sum(x * x, kt::axis<1>), sum(exp(x), kt::axis<1>),
                      sum(sin(x), kt::axis<1>), sum(cos(x), kt::axis<1>), sum(tanh(x), kt::axis<1>),
                      sum(abs(x), kt::axis<1>), sum(x * x * x, kt::axis<1>),
                      sum(1 / (2 + x), kt::axis<1>), sum(sqrt(2 + x), kt::axis<1>),
                      sum(log(2 + x), kt::axis<1>), sum(erf(x), kt::axis<1>),
                      sum(expm1(x), kt::axis<1>), max(x, kt::axis<1>), min(x, kt::axis<1>),
                      sum(atan(x), kt::axis<1>), sum(sinh(x), kt::axis<1>),
                      sum(cosh(x), kt::axis<1>));
  }, grid(13, 37));
}

TEST_CASE("device reductions: softmax, layer normalization and their gradients") {
  agree([](kt::dmatrix x) { return softmax(x); }, grid(13, 37));
  agree([](kt::dmatrix x) { return log_softmax(x); }, grid(13, 37));
  agree([](kt::dmatrix x) {
    auto centred = x - mean(x, kt::axis<1>, kt::keepdims);
    return centred / sqrt(mean(centred * centred, kt::axis<1>, kt::keepdims) + 1e-5);
  }, grid(13, 37));
  agree([](kt::dmatrix x) { return grad(sum(sqr(softmax(x))), x); }, grid(13, 37));
  agree([](kt::dvector x) { return std::tuple(var(x), logsumexp(x), norm(x)); }, ramp(300));
  agree([](kt::dmatrix x) { return grad(max(x) + sum(max(x, kt::axis<0>)), x); }, grid(7, 11));
}

TEST_CASE("device reductions: an empty slice has no extremum") {
  auto f = kt::cuda::function_on<device>([](kt::dmatrix x) { return max(x, kt::axis<1>); });
  CHECK_THROWS_AS(f(grid(3, 0)), kt::value_error);
  CHECK(f(grid(0, 3)).size() == 0);
}
