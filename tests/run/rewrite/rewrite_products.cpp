// All multiples of one matrix product, with what is added to them, are one gemm.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <catch2/catch.hpp>

#include <cmath>

namespace {

namespace kt = kroton;
using kt::runtime::array;

constexpr kt::tensor_type number{kt::element::float64, 0, 0}, vector{kt::element::float64, 1, 0},
    matrix{kt::element::float64, 2, 0};

/// A formula of two numbers, three matrices and a vector.
using formula = kt::term (*)(kt::term a, kt::term b, kt::term x, kt::term y, kt::term z,
                             kt::term u);

kt::graph recorded(formula f) {
  kt::graph g;
  kt::tensor_type const types[] = {number, number, matrix, matrix, matrix, vector};
  kt::term p[6];
  for (int i = 0; i < 6; ++i) p[i] = {&g, g.input(types[i], i)};
  g.results().push_back(f(p[0], p[1], p[2], p[3], p[4], p[5]).id);
  kt::ops::collect_constraints(g);
  return g;
}

struct steps {
  int products = 0, gemms = 0;
};
steps count(kt::graph const& g) {
  steps found;
  auto const live = g.live();
  for (int id = 0; id < g.size(); ++id) {
    if (!live[id]) continue;
    bool const gemm = g.is<kt::op::gemm>(id);
    found.gemms += gemm;
    found.products += gemm || g.is<kt::op::dot>(id) || g.is<kt::op::product_chain>(id);
  }
  return found;
}

array value(kt::graph g, std::vector<array> const& with) {
  kt::runtime::function<std::vector<array>> const f(
      std::make_shared<kt::runtime::program>(std::move(g), kt::runtime::builtin_kernels()));
  std::vector<array const*> list;
  for (array const& a : with) list.push_back(&a);
  std::vector<array> result;
  f.into(result, {list.data(), static_cast<int>(list.size())});
  return result[0];
}

void is_one_gemm(char const* text, formula f) {
  CAPTURE(text);
  kt::graph const g = recorded(f), form = kt::mode::fast_run.prepare(g);
  steps const found = count(form);
  CHECK(found.gemms == 1);
  CHECK(found.products == 1);
  std::vector<array> with;
  for (std::vector<std::size_t> extents :
       {std::vector<std::size_t>{}, {}, {4, 4}, {4, 4}, {4, 4}, {4}}) {
    array x(kt::element::float64, extents);
    for (std::size_t i = 0; i < x.size(); ++i)
      x.data<double>()[i] = 0.3 + static_cast<double>((7 * i + 5 * with.size()) % 16) / 8;
    with.push_back(std::move(x));
  }
  array const want = value(kt::functions::prepare(g, kt::stage::as_written, {}), with),
              have = value(form, with);
  REQUIRE(want.shape() == have.shape());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK(have.data<double>()[i] == Approx(want.data<double>()[i]).epsilon(1e-12).margin(1e-12));
}
#define ONE_GEMM(...)                                                                          \
  is_one_gemm(                                                                                 \
      #__VA_ARGS__,                                                                            \
      [](kt::term a, kt::term b, kt::term x, kt::term y, kt::term z, kt::term u) -> kt::term { \
        return (void)a, (void)b, (void)x, (void)y, (void)z, (void)u, __VA_ARGS__;              \
      })

}  // namespace

TEST_CASE("B7: multiples of one product add up before it is multiplied", "[rewrite]") {
  ONE_GEMM(sqr(a) * dot(x, y) + b * dot(x, y) + z);
  ONE_GEMM(a * z - b * (2 * dot(x, y) + 3 * z));
  ONE_GEMM(a * (b * dot(x, y) + z) - z / b);
  ONE_GEMM(b * (dot(x, y) + z));
  ONE_GEMM(dot(x, y) / a + z / b);
  ONE_GEMM(dot(2 * x, y) * a + b * dot(x, 3 * y) + z);
  ONE_GEMM(dot(x, y) + transpose(z) * a - a * transpose(z) * b);
  ONE_GEMM((a + b) * dot(x, y) - a * dot(x, y) / b + sqr(z));
  ONE_GEMM(a * dot(x, u) + b * (dot(x, u) + u));
  ONE_GEMM(a * dot(dot(x, y), z) + b * dot(dot(x, y), z) + x);
  ONE_GEMM(dot(x, y) + u + z * a);
}
TEST_CASE("B7: a row or a column is added by the product, too", "[rewrite]") {
  ONE_GEMM(a * u + dot(x, y));
  ONE_GEMM(a * u - b * dot(x, y));
  ONE_GEMM(a * u + dot(x, u));
  ONE_GEMM(dot(x, y) + kt::dimshuffle<0, 'x'>(kt::dvector(u)) * a);
  ONE_GEMM(a * dot(x, y) + sqr(u) - b * dot(x, y));
}
TEST_CASE("B7: what feeds a loop stays in it", "[rewrite]") {
  kt::graph const g = recorded([](kt::term, kt::term, kt::term x, kt::term y, kt::term,
                                  kt::term u) -> kt::term { return exp(dot(x, y) + u); });
  CHECK(count(kt::mode::fast_run.prepare(g)).gemms == 0);
}
