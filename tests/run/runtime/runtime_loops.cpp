// The interpreter's loops: of any number of arrays, with sums of floats as good as those of doubles; and the arrays that they read.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using kt::runtime::array;
using I = std::size_t;

namespace {

/// The results of a function for a list of arguments.
std::vector<array> call(auto const& f, std::vector<array> const& arguments) {
  std::vector<array const*> addresses;
  for (array const& a : arguments) addresses.push_back(&a);
  std::vector<array> results;
  f.into(results, kt::core::items<array const*>(addresses));
  return results;
}

/// Element i of operand k: different for all.
double element_of(I k, I i) { return 0.5 + static_cast<double>(k) / 128 - static_cast<double>(i % 997) / 1024; }

}  // namespace

TEST_CASE("run-time graph: a fused loop of a hundred operands", "[runtime]") {
  constexpr I count = 100;
  for (auto const& [rows, columns] : {std::pair<I, I>{1, 1}, {3, 5}, {2, 3000}, {0, 4}}) {
    CAPTURE(rows, columns);
    kt::runtime::graph g;
    std::vector<kt::term> inputs;
    for (I k = 0; k < count; ++k) inputs.push_back(g.input<double, 2>());
    kt::term total = inputs[0];
    for (I k = 1; k < count; ++k) total = k % 2 == 0 ? total + inputs[k] : total * inputs[k] - static_cast<double>(k);
    auto f = g.function(inputs, {total, sum(total, kt::axis<0>)});
    std::vector<array> arguments;
    for (I k = 0; k < count; ++k) {
      auto& a = arguments.emplace_back(kt::element::float64, std::vector<I>{rows, columns});
      for (I i = 0; i < a.size(); ++i) a.data<double>()[i] = element_of(k, i);
    }
    auto value = [&](I i) {
      double v = element_of(0, i);
      for (I k = 1; k < count; ++k) v = k % 2 == 0 ? v + element_of(k, i) : v * element_of(k, i) - static_cast<double>(k);
      return v;
    };
    auto const results = call(f, arguments);
    CHECK(mismatch(results[0].as<double, 2>(), [&](I i, I j) { return value(i * columns + j); }, 1e-11, 1e-11) == "");
    CHECK(mismatch(results[1].as<double, 1>(), [&](I j) {
            double v = 0;
            for (I i = 0; i < rows; ++i) v += value(i * columns + j);
            return v;
          }, 1e-11, 1e-11) == "");
  }
}

TEST_CASE("run-time graph: a fused loop of two hundred results, of which half are sums of floats", "[runtime]") {
  constexpr I count = 100, rows = 7, columns = 600;
  kt::runtime::graph g;
  auto const x = g.input<float, 2>("x");
  std::vector<kt::term> outputs;
  for (I k = 0; k < count; ++k) {
    auto const y = x * static_cast<float>(k + 1);
    outputs.push_back(y);
    outputs.push_back(k % 2 == 0 ? kt::term(sum(y + 1, kt::axis<1>)) : kt::term(sum(sqr(y))));
  }
  auto const f = g.function({x}, outputs);
  mat<float> wide(std::array<I, 2>{2 * rows, columns + 1});
  for (I i = 0; i < wide.size(); ++i) wide.data()[i] = static_cast<float>(element_of(3, i));
  auto const a = xt::view(wide, xt::range(0, 2 * rows, 2), xt::range(1, columns + 1));
  std::vector<array> const results = f(a);
  REQUIRE(results.size() == 2 * count);
  for (I k : {I(0), I(1), I(62), I(63), I(64), I(98), I(99)}) {
    CAPTURE(k);
    auto const factor = static_cast<float>(k + 1);
    CHECK(mismatch(results[2 * k].as<float, 2>(), [&](I i, I j) { return factor * a(i, j); }, 1e-7) == "");
    double squares = 0;
    vec<double> by_row = xt::zeros<double>({rows});
    for (I i = 0; i < rows; ++i)
      for (I j = 0; j < columns; ++j) {
        double const y = static_cast<double>(factor) * static_cast<double>(a(i, j));
        squares += y * y;
        by_row(i) += y + 1;
      }
    if (k % 2 == 0) CHECK(mismatch(results[2 * k + 1].as<float, 1>(), [&](I i) { return by_row(i); }, 1e-6) == "");
    else CHECK(close(results[2 * k + 1].as<float, 0>(), squares, 1e-6));
  }
}

TEST_CASE("run-time graph: sums and products of floats are rounded once", "[runtime]") {
  kt::runtime::graph g;
  auto const x = g.input<float, 1>("x");
  auto const f = g.function({x}, std::tuple(sum(x), mean(x), prod(1 + x), max(x)));
  constexpr I size = 10'000'019;
  vec<float> x_of(std::array<I, 1>{size}), small = x_of;
  std::uint32_t state = 1;
  double product = 1;
  float largest = -1;
  // The second half takes away what the first half adds; what is left is the number in the middle.
  for (I i = 0; i < size; ++i) {
    state = state * 1664525u + 1013904223u;
    x_of(i) = i < size / 2 ? static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-31f : i == size / 2 ? 0.25f : -x_of(size - 1 - i);
    small(i) = x_of(i) * 0x1p-11f;
    product *= static_cast<double>(1 + small(i));
    largest = std::max(largest, x_of(i));
  }
  auto const [total, average, unused, top] = f(x_of);
  (void)unused;
  CHECK(close(total, 0.25, 1e-7));
  CHECK(close(average, 0.25 / size, 1e-7));
  CHECK(top == largest);
  CHECK(close(std::get<2>(f(small)), product, 1e-7));
}

TEST_CASE("run-time arrays: sizes that overflow are refused", "[runtime]") {
  CHECK_THROWS_WITH(array(kt::element::float64, {I(1) << 61, 8}),
                    "an array exceeds the address space: (2305843009213693952, 8)");
  CHECK_THROWS_AS(array(kt::element::float64, {I(1) << 60}), kt::value_error);
  CHECK_THROWS_AS(array(kt::element::int8, {I(1) << 32, I(1) << 32}), kt::value_error);
  CHECK_THROWS_AS(array(kt::element::int8, {I(0) - 1}), kt::value_error);
  // As in NumPy, the other extents count where one is 0: strides are products of them.
  CHECK_THROWS_AS(array(kt::element::float64, {I(1) << 61, 8, 0}), kt::value_error);
  CHECK(array(kt::element::float64, {I(1) << 40, 8, 0}).size() == 0);
}

TEST_CASE("run-time graph: rows and columns are checked at every call, in every form", "[runtime]") {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x");
  auto const r = g.input<kt::row<double>>("r");
  auto const c = g.input({kt::element::float64, 2, 0b10}, "c");
  auto const f = g.function({x, r, c}, {x + r * c});
  mat<double> const a = xt::ones<double>({2, 3}), row = 2 * xt::ones<double>({1, 3}), column = 3 * xt::ones<double>({2, 1});
  std::string const wrong_row = "extent 0 of r is 2, but it must be 1", wrong_column = "extent 1 of c is 3, but it must be 1";
  for (int times = 0; times < 2; ++times) {
    CHECK(f(a, row, column)[0].as<double, 2>()(1, 2) == 7);
    CHECK_THROWS_WITH(f(a, a, column), wrong_row);
    CHECK_THROWS_WITH(f(a, a, column), wrong_row);
    CHECK_THROWS_WITH(f(a, row, a), wrong_column);
    CHECK_THROWS_WITH(f(array(a), array(row), array(a)), wrong_column);
    CHECK_THROWS_WITH(call(f, {array(a), array(a), array(column)}), wrong_row);
    CHECK_THROWS_AS(f(a, mat<double>(std::array<I, 2>{0, 3}), column), kt::shape_error);
  }
  CHECK_THROWS_WITH(g.input({kt::element::float64, 1, 0b10}), "an input has a broadcast flag for a dimension that it does not have");
  CHECK_THROWS_AS(g.input({kt::element::float64, 9, 0}), kt::shape_error);
}
