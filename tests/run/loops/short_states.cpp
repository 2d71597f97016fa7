// States of 16 bits: rounded at each step however a loop is computed, with gradients that are not.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

namespace kt = kroton;

using kt::half;

namespace {

// 2048 and 1 make 2048 again, since 2049 is no half.
constexpr auto counts = [](kt::scalar<half> start, kt::scalar<half> one) {
  auto const step = [](auto state, auto one) { return state + one; };
  return kt::scan(step, kt::outputs_info(start), kt::n_steps(3), kt::non_sequences(one));
};

// Each step reads the whole of x.
constexpr auto gradients = [](kt::vector<half> x, kt::scalar<half> start, auto... options) {
  auto const rows = kt::scan([=](auto element, auto state) { return element * sum(x) + state; },
                             kt::sequences(x), kt::outputs_info(start), options...);
  auto cost = sum(rows);
  return kt::outputs(grad(cost, x), grad(cost, start), rop(rows, x, x));
};

void check_gradients(auto const& f) {
  xt::xtensor<half, 1> const x{half(1), half(2), half(3)};
  auto const [by_x, by_start, along_x] = f(x, half(0.5f));
  // Rows are 0.5 + 6 * (1, 3, 6): the elements count 3, 2 and 1 times, their sum 1 + 3 + 6 times.
  CHECK((by_x == xt::xtensor<half, 1>{half(28), half(22), half(16)}));
  CHECK(by_start == 3.f);
  CHECK((along_x == xt::xtensor<half, 1>{half(12), half(36), half(72)}));
}

}  // namespace

TEST_CASE("states of 16 bits are rounded at each step, also where steps are written out") {
  for (auto const& states : {kt::function(counts)(half(2048), half(1)),
                             kt::function(counts, kt::mode::interpret)(half(2048), half(1))})
    CHECK((states == xt::xtensor<half, 1>{half(2048), half(2048), half(2048)}));
}

TEST_CASE("gradients of loops by what each step reads of 16 bits") {
  auto const plain = [](kt::vector<half> x, kt::scalar<half> start) { return gradients(x, start); };
  auto const with_snapshots = [](kt::vector<half> x, kt::scalar<half> start) {
    return gradients(x, start, kt::snapshots(1));
  };
  check_gradients(kt::function(plain));
  check_gradients(kt::function(plain, kt::mode::interpret));
  check_gradients(kt::function(with_snapshots, kt::mode::interpret));
}

TEST_CASE("what all steps of a loop move at once keeps its 16 bits") {
  auto const f = kt::function(
      [](kt::vector<kt::bfloat16> x) {
        auto const widen = [](auto element) { return kt::dimshuffle<'x'>(element); };
        return kt::foldl(widen, kt::sequences(x), kt::outputs_info(kt::none))(-1, kt::slice());
      },
      kt::mode::interpret);
  CHECK(f(xt::xtensor<kt::bfloat16, 1>{kt::bfloat16(2), kt::bfloat16(3)})(0) == 3.f);
}
