// Ops that compute by a function of their own: by element type, with attributes, with several outputs.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace reference;
namespace core = kt::core;

namespace {

/// The sum of a vector, its sum of squares (of no gradient), and itself times the attribute: outputs of rank 0 and 1.
struct three_ways : kt::operation<"three_ways", 1> {
  static constexpr int outputs = 3;
  static constexpr kt::tensor_type type(core::application const& a, int output) {
    kt::tensor_type t = a.input(0);
    if (output < 2) t.rank = 0;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d, int) { return {core::extent_source::dimension, 0, d}; }
  static constexpr auto pullback(core::several const& g, core::several const& y, kt::term x) {
    kt::term result = kt::ops::expand_like(kt::term{x.of, x.of->literal(0, x.element())}, x);
    if (g.has(0)) result = result + g[0];
    if (g.has(1)) result = result + 2 * g[1] * x;
    if (g.has(2)) result = result + g[2] * static_cast<double>(x.of->attribute(y[0].id, 0));
    return kt::inputs(result);
  }
  template <class T>
  static void run(core::invocation const& call) {
    core::array_ref const& x = call.operand(0);
    auto at = [&](std::ptrdiff_t i) { return reinterpret_cast<T const*>(x.data)[i * x.strides[0]]; };
    T sum{}, squares{};
    for (std::ptrdiff_t i = 0; i < x.extents[0]; ++i) {
      sum = static_cast<T>(sum + at(i));
      squares = static_cast<T>(squares + at(i) * at(i));
      if (call.result(2).data != nullptr)
        reinterpret_cast<T*>(call.result(2).data)[i] = static_cast<T>(static_cast<T>(call.attribute(0)) * at(i));
    }
    *reinterpret_cast<T*>(call.result(0).data) = sum;
    if (call.result(1).data != nullptr) *reinterpret_cast<T*>(call.result(1).data) = squares;
  }
};
template <class T>
constexpr auto ways(kt::variable<T, 1> const& x) {
  kt::term const node{x.of, x.of->template apply<three_ways>({x.id}, {3})};
  return std::tuple(kt::variable<T, 0>(node), kt::variable<T, 0>(core::output_of(node, 1)), kt::variable<T, 1>(core::output_of(node, 2)));
}

constexpr auto all_three = []<class T>(kt::variable<T, 1> x) { return ways(x + x - x); };
constexpr auto second_and_third = [](kt::dvector x) {
  auto [sum, squares, tripled] = ways(2 * x);
  return std::tuple(sqrt(squares), tripled + 1, squares + tripled);
};
constexpr auto cost = [](kt::dvector x) {
  auto [sum, squares, tripled] = ways(sin(x));
  return sum * squares + kt::sum(sqr(tripled));
};
constexpr auto cost_of_one = [](kt::dvector x) { return std::get<1>(ways(x)); };

}  // namespace

TEST_CASE("an op has several outputs, of which any may be asked for", "[own]") {
  auto f = kt::function<kt::dvector>(all_three);
  auto const [sum, squares, tripled] = f(vec<double>{1, 2, 3});
  CHECK(sum == 6);
  CHECK(squares == 14);
  CHECK((tripled == vec<double>{3, 6, 9}));
  auto const [root, more, mixed] = kt::function(second_and_third)(vec<double>{1, 2, 3});
  CHECK(root == Approx(std::sqrt(56.0)));
  CHECK((more == vec<double>{7, 13, 19}));
  CHECK((mixed == vec<double>{62, 68, 74}));
}

TEST_CASE("an op that runs by type runs on each", "[own]") {
  auto const [sum, squares, tripled] = kt::function<kt::ivector>(all_three)(vec<std::int32_t>{1, 2, 3});
  CHECK(sum == 6);
  CHECK(squares == 14);
  CHECK((tripled == vec<std::int32_t>{3, 6, 9}));
}

TEST_CASE("gradients of several outputs meet in one pullback", "[own]") {
  CHECK(kt::verify_grad(cost, vec<double>{0.1, 0.7, -0.4}));
  CHECK((kt::function(kt::grad(cost_of_one))(vec<double>{1, 2, 3}) == vec<double>{2, 4, 6}));
}

TEST_CASE("the interpreter runs them too", "[own]") {
  auto const [sum, squares, tripled] = kt::function<kt::wvector>(all_three, kt::mode::interpret)(vec<std::int16_t>{1, 2, 3});
  CHECK(sum == 6);
  CHECK(squares == 14);
  CHECK((tripled == vec<std::int16_t>{3, 6, 9}));
  CHECK(kt::function(cost_of_one, kt::mode::interpret)(vec<double>{1, 2, 3}) == 14);
}
