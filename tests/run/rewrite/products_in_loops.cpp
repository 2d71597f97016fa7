// Products that are sums in the loops that compute their factors: batches of one row or one column,
// and products of vectors with rows or columns that are joined.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <string_view>

using namespace reference;

namespace {

template <class Record>
kt::graph optimized_products(Record record) {
  kt::runtime::graph g;
  auto const a = g.input<double, 2>("a"), b = g.input<double, 2>("b");
  std::apply([&](auto const&... each) { (g.recording().results().push_back(each.id), ...); },
             record(a, b, g.input<double, 1>("v")));
  return kt::optimize(g.recording(), kt::stage::specialize);
}
bool computes(kt::graph const& g, std::string_view op) {
  for (int id = 0; id < g.size(); ++id)
    if (g[id].op->name == op) return true;
  return false;
}

/// What all points of b exert on each point of a, in two forms.
constexpr auto weights = [](auto square, auto v) { return v / (1 + square); };
constexpr auto by_einsum = [](auto a, auto b, auto v) {
  auto d = kt::dimshuffle<'x', 0, 1>(b) - kt::dimshuffle<0, 'x', 1>(a);
  return kt::einsum<"ij,ijk->ik">(weights(sum(sqr(d), kt::axis<2>), v), d);
};
constexpr auto by_points = [](auto a, auto b, auto v) {
  return kt::vmap<0>([&](auto p) {
    auto d = b - p;
    return dot(weights(sum(sqr(d), kt::axis<1>), v), d);
  })(a);
};
constexpr auto by_columns = [](auto a, auto b, auto v) {
  auto d = kt::dimshuffle<'x', 0, 1>(b) - kt::dimshuffle<0, 'x', 1>(a);
  auto w = weights(sum(sqr(d), kt::axis<2>), v);
  return batched_dot(kt::dimshuffle<0, 2, 1>(d), kt::dimshuffle<0, 1, 'x'>(w))(
      kt::slice(), kt::slice(), 0);
};
template <auto Form>
constexpr auto with_gradient = [](auto a, auto b, auto v) {
  auto forces = Form(a, b, v);
  return std::tuple(forces, grad(sum(sqr(forces)), v));
};

/// Features of rows of two numbers, times their weights.
constexpr auto features = [](auto a, auto v) {
  auto x = a(kt::slice(), 0), y = a(kt::slice(), 1);
  return dot(kt::stack<1>(ones_like(x), x, exp(y), x * y), v);
};
constexpr auto features_of_rows = [](auto a, auto v) {
  auto x = a(kt::slice(), 0), y = a(kt::slice(), 1);
  return dot(v, kt::stack<0>(ones_like(x), x, exp(y), x * y));
};

}  // namespace

TEST_CASE("products in loops: batches of one row or column", "[rewrite]") {
  CHECK(!computes(optimized_products(with_gradient<by_einsum>), "batched_dot"));
  CHECK(!computes(optimized_products(with_gradient<by_points>), "batched_dot"));
  CHECK(!computes(optimized_products(with_gradient<by_columns>), "batched_dot"));
  // What is in memory is left to BLAS.
  CHECK(computes(optimized_products([](auto a, auto b, auto) {
                   return std::tuple(batched_dot(kt::dimshuffle<0, 'x', 1>(a),
                                                 kt::dimshuffle<0, 1, 'x'>(b)));
                 }),
                 "batched_dot"));
  // So are products with what a loop makes of as much.
  kt::runtime::graph full;
  auto const vectors = full.input<double, 2>("a");
  auto const matrices = full.input<double, 3>("b");
  auto const made = exp(kt::dimshuffle<0, 2, 1>(matrices)) + kt::dimshuffle<'x', 0, 1>(vectors);
  auto const left_out = batched_dot(kt::dimshuffle<0, 'x', 1>(vectors), made);
  full.recording().results().push_back(left_out.id);
  CHECK(computes(kt::optimize(full.recording(), kt::stage::specialize), "batched_dot"));
  auto const check = [](auto const& f) {
    for (std::size_t n : {1, 5, 70})
      for (std::size_t m : {1, 9, 33})
        for (std::size_t d : {1, 2, 3, 5}) {
          CAPTURE(n, m, d);
          mat<double> a(std::array{n, d}), b(std::array{m, d}), forces = xt::zeros<double>({n, d});
          vec<double> v(std::array{m}), by_v = xt::zeros<double>({m});
          int k = 0;
          for (double& x : a) x = std::sin(0.7 * ++k);
          for (double& x : b) x = std::sin(0.7 * ++k);
          for (double& x : v) x = std::sin(0.7 * ++k);
          auto const share = [&](std::size_t i, std::size_t j) {
            double square = 1;
            for (std::size_t c = 0; c < d; ++c) square += (b(j, c) - a(i, c)) * (b(j, c) - a(i, c));
            return 1 / square;
          };
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < m; ++j)
              for (std::size_t c = 0; c < d; ++c)
                forces(i, c) += v(j) * share(i, j) * (b(j, c) - a(i, c));
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < m; ++j)
              for (std::size_t c = 0; c < d; ++c)
                by_v(j) += 2 * forces(i, c) * share(i, j) * (b(j, c) - a(i, c));
          auto const [found, found_by_v] = f(a, b, v);
          CHECK((xt::allclose(found, forces, 1e-11, 1e-11)));
          CHECK((xt::allclose(found_by_v, by_v, 1e-11, 1e-11)));
        }
  };
  using matrix_of = kt::dmatrix;
  check(kt::function([](matrix_of a, matrix_of b, kt::dvector v) {
    return with_gradient<by_einsum>(a, b, v);
  }));
  check(kt::function([](matrix_of a, matrix_of b, kt::dvector v) {
    return with_gradient<by_points>(a, b, v);
  }));
  check(kt::function([](matrix_of a, matrix_of b, kt::dvector v) {
    return with_gradient<by_columns>(a, b, v);
  }));
}

TEST_CASE("products in loops: rows and columns that are joined", "[rewrite]") {
  auto const g = optimized_products([](auto a, auto, auto v) {
    auto of_columns = features(a, v), of_rows = features_of_rows(a, v);
    return std::tuple(of_columns, of_rows, grad(sum(sqr(of_columns)), v));
  });
  CHECK(!computes(g, "join"));
  CHECK(!computes(g, "dot"));
  auto const check = [](auto const& f) {
    for (std::size_t n : {1, 7, 100}) {
      CAPTURE(n);
      mat<double> a(std::array{n, std::size_t{2}});
      int k = 0;
      for (double& x : a) x = std::sin(0.7 * ++k);
      vec<double> const v{0.5, -1, 2, 3};
      vec<double> values(std::array{n}), by_v = xt::zeros<double>({4});
      for (std::size_t i = 0; i < n; ++i) {
        double const x = a(i, 0), y = a(i, 1), each[4] = {1, x, std::exp(y), x * y};
        values(i) = 0;
        for (std::size_t c = 0; c < 4; ++c) values(i) += each[c] * v(c);
        for (std::size_t c = 0; c < 4; ++c) by_v(c) += 2 * values(i) * each[c];
      }
      auto const [found, found_by_v] = f(a, v);
      CHECK((xt::allclose(found, values, 1e-12, 1e-12)));
      CHECK((xt::allclose(found_by_v, by_v, 1e-11, 1e-11)));
    }
    CHECK_THROWS_AS(f(mat<double>(xt::ones<double>({3, 2})), vec<double>{1, 2, 3}),
                    kt::shape_error);
  };
  check(kt::function([](kt::dmatrix a, kt::dvector v) {
    auto values = features(a, v);
    return std::tuple(values, grad(sum(sqr(values)), v));
  }));
  check(kt::function([](kt::dmatrix a, kt::dvector v) {
    auto values = features_of_rows(a, v);
    return std::tuple(values, grad(sum(sqr(values)), v));
  }));
}
