// What blocks keep of the rows that they are at: copies of operands, and what only a run needs.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

namespace {

/// A device whose blocks have so many bytes.
template <int Bytes>
struct device_with : device {
  static kt::cuda::device_facts facts() {
    auto facts = device::facts();
    facts.bytes_of_block = Bytes;
    return facts;
  }
  template <class... Step>
  static void launch_rows(kt::cuda::row_steps<Step...> steps,
                          kt::cuda::row_arguments<Step...> const& a) {
    CHECK((a.bytes_of_lane == 0 ||
           a.bytes_of_lane * a.shape().lanes + steps.bytes_for(facts().threads) <= Bytes));
    device::launch_rows(steps, a);
  }
};
/// One that gives lanes less memory than they are to have.
struct narrow_device : device {
  template <class... Step>
  static void launch_rows(kt::cuda::row_steps<Step...> steps, kt::cuda::row_arguments<Step...> a) {
    REQUIRE(a.bytes_of_lane > 0);
    a.bytes_of_lane -= 16;
    device::launch_rows(steps, a);
  }
};

}  // namespace

TEST_CASE("device row memory: operands that have less axes than the rows, and other ones") {
  auto const x = grid<float>(40, 36);
  agree([](kt::fmatrix x, kt::fvector b) { return softmax(x + b); }, x, ramp<float>(36));
  agree([](kt::fmatrix x, kt::fmatrix w, kt::fvector b) { return softmax(dot(x, w) + b); },
        grid<float>(40, 7), grid<float>(7, 36), ramp<float>(36));
  agree([](kt::fmatrix x, kt::frow b) { return softmax(x + b); }, x, grid<float>(1, 36));
  agree([](kt::fvector x) { return softmax(reshape<2>(x, 40, 36)); }, ramp<float>(1440));
  agree([](kt::fmatrix x) { return softmax(reshape<2>(x, 40, 36)); }, grid<float>(2, 720));
  agree([](kt::dtensor3 x, kt::dmatrix m) { return softmax(x * m + m); }, cube(5, 6, 8),
        grid(6, 8));
  agree(
      [](kt::fmatrix x, kt::fvector g, kt::fvector b) {
        auto y = x * g + b;
        auto centred = y - mean(y, kt::axis<1>, kt::keepdims);
        return centred / sqrt(mean(sqr(centred), kt::axis<1>, kt::keepdims) + 1e-5f) * g + b;
      },
      x, ramp<float>(36), ramp<float>(36));
}

TEST_CASE("device row memory: parts of an operand are not the operand") {
  auto const x = grid<float>(40, 36);
  agree(
      [](kt::fmatrix x) {
        auto part = x(kt::slice(), kt::slice(0, 32));
        return x / sum(exp(part), kt::axis<1>, kt::keepdims);
      },
      x);
  agree(
      [](kt::fmatrix x) {
        auto part = x(kt::slice(), kt::slice(0, 32));
        auto s = sum(x, kt::axis<1>, kt::keepdims);
        return std::tuple(exp(part) * s, x * s);
      },
      x);
  agree(
      [](kt::fmatrix x) {
        auto other = x(kt::slice(), kt::slice(4, 36));
        return exp(x(kt::slice(), kt::slice(0, 32))) / sum(exp(other), kt::axis<1>, kt::keepdims);
      },
      x);
  // Every second row is the first half of the rows of the same matrix by another name.
  agree(
      [](kt::fmatrix x) {
        auto some = x(kt::slice(0, 40, 2)), half = x(kt::slice(0, 20));
        auto s = sum(exp(some), kt::axis<1>, kt::keepdims) + sum(half, kt::axis<1>, kt::keepdims);
        return some * half / s;
      },
      x);
}

TEST_CASE("device row memory: one loop that reads an array twice") {
  constexpr auto f = [](kt::fmatrix x, kt::lscalar n, kt::lscalar m) {
    auto a = x(kt::slice(n, kt::none)), b = x(kt::slice(m, kt::none));  // the same if n is m
    return tanh(a + 2 * b) / sum(exp(a * b), kt::axis<1>, kt::keepdims);
  };
  agree(f, grid<float>(40, 36), 0, 0);
  agree(f, grid<float>(40, 36), 3, 3);
}

TEST_CASE("device row memory: two results where one operand has been") {
  auto const x = grid<float>(40, 36);
  agree(
      [](kt::fmatrix x) {
        auto r = x(kt::slice(kt::none, kt::none, -1));
        auto a = exp(x), b = sin(r);
        auto s = sum(a, kt::axis<1>, kt::keepdims), t = sum(b, kt::axis<1>, kt::keepdims);
        return a / s + b * t;
      },
      x);
  agree(
      [](kt::fmatrix x) {
        auto r = x(kt::slice(kt::none, kt::none, -1));
        auto a = exp(x + r), b = tanh(x * r);
        auto s = sum(a + b, kt::axis<1>, kt::keepdims);
        return a / s + b * b * s;
      },
      x);
}

TEST_CASE("device row memory: blocks that have little of it, or none") {
  constexpr auto f = [](kt::fmatrix x) {
    auto e = exp(x - max(x, kt::axis<1>, kt::keepdims));
    return std::tuple(e / sum(e, kt::axis<1>, kt::keepdims), log_softmax(sin(x)));
  };
  auto const x = grid<float>(40, 128);
  auto const expected = kt::function(f)(x);
  require_same(kt::cuda::function_on<device_with<100000>>(f)(x), expected, 64);
  require_same(kt::cuda::function_on<device_with<3000>>(f)(x), expected, 64);
  require_same(kt::cuda::function_on<device_with<600>>(f)(x), expected, 64);
}

TEST_CASE("device row memory: the emulated device detects writes outside it") {
  auto f = kt::cuda::function_on<narrow_device>([](kt::fmatrix x) { return softmax(x); });
  CHECK_THROWS_AS(f(grid<float>(40, 36)), kt::error);
}
