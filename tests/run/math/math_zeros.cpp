// Zeros, infinities and NaN of batches are those of numbers, signs of zeros too, for every instruction set.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cpu/simd/math.hpp>

#include "run/reference.hpp"

#include <vector>

using namespace reference;
namespace math = kroton::math;

namespace {

template <class R>
std::vector<R> ends() {
  using limits = std::numeric_limits<R>;
  std::vector<R> x;
  for (R v : {R(0), limits::denorm_min(), limits::min(), R(1e-30), R(0.5), R(0.6931471805599453), R(1), R(2), R(80), R(105), R(750), R(1e30),
              limits::max(), limits::infinity()}) {
    x.push_back(v);
    x.push_back(-v);
  }
  x.push_back(limits::quiet_NaN());
  return x;
}

template <class R, class F>
void agrees(char const* name, F f) {
  using batch = xsimd::batch<R>;
  for (R x : ends<R>()) {
    // Next to lanes of its kind, and to harmless ones.
    for (R other : {x, R(0.25)}) {
      R lanes[batch::size];
      std::fill_n(lanes, batch::size, other);
      lanes[0] = x;
      R const got = f(batch::load_unaligned(lanes)).get(0), want = f(x);
      CAPTURE(name, x, other, got, want);
      CHECK(std::isnan(got) == std::isnan(want));
      CHECK((got == 0) == (want == 0));
      CHECK(std::isinf(got) == std::isinf(want));
      if (!std::isnan(want)) CHECK(std::signbit(got) == std::signbit(want));
    }
  }
}

}  // namespace

#define AGREES(name) agrees<TestType>(#name, [](auto x) { return math::name(x); });

TEMPLATE_TEST_CASE("ends of arithmetic and elementary functions of batches", "[math][simd]", double, float) {
  AGREES(neg) AGREES(abs) AGREES(sgn) AGREES(sqr) AGREES(inv) AGREES(sqrt) AGREES(floor) AGREES(ceil) AGREES(round) AGREES(trunc)
  AGREES(exp) AGREES(exp2) AGREES(expm1) AGREES(log) AGREES(log2) AGREES(log10) AGREES(log1p)
  AGREES(sin) AGREES(cos) AGREES(tan) AGREES(asin) AGREES(acos) AGREES(atan)
  AGREES(sinh) AGREES(cosh) AGREES(tanh) AGREES(asinh) AGREES(acosh) AGREES(atanh)
}

TEMPLATE_TEST_CASE("ends of special functions of batches", "[math][simd]", double, float) {
  AGREES(erf) AGREES(erfc) AGREES(erfcx) AGREES(logerfc) AGREES(gammaln) AGREES(digamma) AGREES(trigamma)
  AGREES(sigmoid) AGREES(softplus) AGREES(log1mexp)
}

TEST_CASE("signs of zeros in loops over arrays are those of numbers", "[math][simd]") {
  auto const f = kt::function([](kt::dvector x) { return std::tuple(-x, logerfc(x), log1mexp(x), log1p(-x)); });
  vec<double> x(std::array<std::size_t, 1>{64}, 0.0);
  for (std::size_t i = 0; i < 64; i += 2) x(i) = -0.0;
  auto const [negative, logarithm, unused, less] = f(x);
  auto const [first, second, far, third] = f(vec<double>(std::array<std::size_t, 1>{64}, -infinity));
  for (std::size_t i = 0; i < 64; ++i) {
    bool const is_negative = i % 2 == 0;
    CHECK((negative(i) == 0 && std::signbit(negative(i)) == !is_negative));
    CHECK((logarithm(i) == 0 && std::signbit(logarithm(i)) == !is_negative));
    CHECK((less(i) == 0 && std::signbit(less(i)) == !is_negative));
    CHECK((far(i) == 0 && std::signbit(far(i))));
  }
}
