// kt::print inside an expression: what is printed, when, and what passes through it.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <iostream>
#include <sstream>

using namespace reference;

namespace {
/// What a call prints.
template <class Call>
std::string printed(Call call) {
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  call();
  std::cout.rdbuf(before);
  return text.str();
}
/// What one computation prints, as often as a call computes.
std::string per_call(std::string const& text) { return runs_once ? text : text + text; }
}  // namespace

TEST_CASE("print shows a value whenever it is computed, and gives it") {
  auto f = kt::function([](kt::dvector x) { return exp(kt::print("the scaled vector", 2 * x)); });
  vec<double> y;
  CHECK(printed([&] { y = f(vec<double>{0, 1.5}); }) == per_call("the scaled vector = [0 3]\n"));
  CHECK(mismatch(y, [](auto i) { return i == 0 ? 1 : std::exp(3.0); }, 1e-15) == "");
  CHECK(printed([&] { f(vec<double>{-1}); }) == per_call("the scaled vector = [-2]\n"));
}

TEST_CASE("print shows numbers, matrices, bools, views and parts of long arrays") {
  auto scalar = kt::function([](kt::dscalar x) { return kt::print("x", x) + 1; });
  CHECK(printed([&] { CHECK(scalar(0.5) == 1.5); }) == per_call("x = 0.5\n"));
  auto matrix = kt::function([](kt::dmatrix x) { return std::tuple(kt::print("transposed", x.T()), kt::print("", x > 1)); });
  std::string const text = printed([&] { matrix(mat<double>{{1, 2, 3}, {4, 5, 6}}); });
  CHECK(text.find("transposed = [[1 4]\n [2 5]\n [3 6]]\n") != std::string::npos);
  CHECK(text.find(" = [[false true true]\n [true true true]]\n") != std::string::npos);
  auto bytes = kt::function([](kt::bvector x) { return kt::print("bytes", x); });
  CHECK(printed([&] { bytes(vec<std::int8_t>{65, -1}); }) == per_call("bytes = [65 -1]\n"));
  CHECK(printed([&] { bytes(vec<std::int8_t>(std::array<std::size_t, 1>{0})); }) == per_call("bytes = []\n"));
  CHECK(printed([&] { bytes(xt::zeros<std::int8_t>({2000})); }) == per_call("bytes = [0 0 0 ... 0 0 0]\n"));
}

TEST_CASE("gradients pass a print, whose operand has one") {
  auto f = kt::function([](kt::dvector x) { return grad(sum(sqr(kt::print("x", x))), x); });
  vec<double> g;
  CHECK(printed([&] { g = f(vec<double>{1, 2}); }) == per_call("x = [1 2]\n"));
  CHECK(mismatch(g, [](auto i) { return 2. * static_cast<double>(i + 1); }) == "");
}
