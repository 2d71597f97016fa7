// Products of matrices whose elements are added up, and products with what is the same along an
// axis, are products with vectors and sums.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <string_view>

using namespace reference;

namespace {

constexpr auto upright = [](auto v) { return kt::dimshuffle<0, 'x'>(v); };
// x: n x p, v: p x k, w: n x k
constexpr auto sums = [](auto x, auto v, auto w) {
  return std::tuple(sum(dot(x, v), kt::axis<1>), sum(w - 3 * dot(abs(x), v), kt::axis<0>),
                    sum(dot(cos(x), v)) + sum(w),
                    sum(0.5 * dot(sqr(x), sqr(v)) - sqr(w) + dot(x, sqr(v)), kt::axis<1>));
};
constexpr auto repeated = [](auto x, auto v, auto w) {
  auto ones = kt::ones_like(w);  // n x k
  auto rows = sum(w, kt::axis<1>), columns = sum(v, kt::axis<0>);
  return std::tuple(dot(x.T(), ones), dot(x.T(), ones * upright(rows)), dot(x.T(), ones * columns),
                    dot(ones * upright(rows), v.T()), dot(ones * columns, v.T()),
                    dot(rows, ones * 2), dot(ones, columns), dot(columns, ones.T()));
};
/// What the optimizer makes of such a function.
template <class F>
kt::graph optimized(F const& f) {
  kt::runtime::graph g;
  auto results = f(g.input<double, 2>("x"), g.input<double, 2>("v"), g.input<double, 2>("w"));
  std::apply([&](auto const&... each) { (g.recording().results().push_back(each.id), ...); },
             results);
  return kt::optimize(g.recording(), kt::stage::specialize);
}
/// The number of products of two matrices.
int products(kt::graph const& g) {
  int found = 0;
  for (int id = 0; id < g.size(); ++id)
    found += g[id].op->name == std::string_view("dot") && g.type(id).rank == 2 ? 1 : 0;
  return found;
}
mat<double> numbers(std::size_t n, std::size_t d, double shift) {
  mat<double> x(std::array<std::size_t, 2>{n, d});
  for (std::size_t i = 0; i < x.size(); ++i)
    x.flat(i) = shift + std::sin(double(i * 7919 % 10'007));
  return x;
}
/// A product of two matrices, the first of which may be transposed.
mat<double> product(mat<double> const& a, mat<double> const& b, bool transposes = false) {
  std::size_t const n = transposes ? a.shape(1) : a.shape(0),
                    m = transposes ? a.shape(0) : a.shape(1);
  mat<double> p(std::array<std::size_t, 2>{n, b.shape(1)});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < b.shape(1); ++j) {
      p(i, j) = 0;
      for (std::size_t k = 0; k < m; ++k) p(i, j) += (transposes ? a(k, i) : a(i, k)) * b(k, j);
    }
  return p;
}

}  // namespace

TEST_CASE("summed products: no product of matrices is left", "[rewrite]") {
  CHECK(products(optimized(sums)) == 0);
  CHECK(products(optimized(repeated)) == 0);
  // A product that something else reads is there anyway.
  CHECK(products(optimized([](auto x, auto v, auto w) {
          auto p = dot(x, v);
          return std::tuple(sum(p - w, kt::axis<1>), exp(p));
        })) == 1);
}

TEST_CASE("summed products: values", "[rewrite]") {
  auto const f =
      kt::function([](kt::dmatrix x, kt::dmatrix v, kt::dmatrix w) { return sums(x, v, w); });
  for (std::size_t n : {1, 2, 9})
    for (std::size_t p : {1, 5})
      for (std::size_t k : {1, 4}) {
        CAPTURE(n, p, k);
        mat<double> const x = numbers(n, p, 0.1), v = numbers(p, k, -0.4), w = numbers(n, k, 0.6),
                          xv = product(x, v), absolute = product(xt::abs(x), v),
                          cosines = product(xt::cos(x), v),
                          squares = product(xt::square(x), xt::square(v)),
                          mixed = product(x, xt::square(v));
        auto const results = f(x, v, w);
        vec<double> const rows = std::get<0>(results), columns = std::get<1>(results),
                          last = std::get<3>(results);
        CHECK((xt::allclose(rows, xt::sum(xv, {1}), 1e-12, 1e-12)));
        CHECK((xt::allclose(columns, xt::sum(w - 3 * absolute, {0}), 1e-12, 1e-12)));
        CHECK(std::get<2>(results) == Approx(xt::sum(cosines)() + xt::sum(w)()).epsilon(1e-12));
        CHECK((
            xt::allclose(last, xt::sum(0.5 * squares - xt::square(w) + mixed, {1}), 1e-12, 1e-12)));
      }
}

TEST_CASE("products with repeated rows and columns: values", "[rewrite]") {
  auto const f =
      kt::function([](kt::dmatrix x, kt::dmatrix v, kt::dmatrix w) { return repeated(x, v, w); });
  for (std::size_t n : {1, 2, 9})
    for (std::size_t p : {1, 5})
      for (std::size_t k : {1, 4}) {
        CAPTURE(n, p, k);
        mat<double> const x = numbers(n, p, 0.1), v = numbers(p, k, -0.4), w = numbers(n, k, 0.6),
                          ones = xt::ones_like(w);
        mat<double> const rows =
                              ones * xt::view(xt::eval(xt::sum(w, {1})), xt::all(), xt::newaxis()),
                          columns = ones * xt::eval(xt::sum(v, {0})), back = xt::transpose(v);
        auto const r = f(x, v, w);
        mat<double> const all[] = {std::get<0>(r), std::get<1>(r), std::get<2>(r), std::get<3>(r),
                                   std::get<4>(r)},
                          expected[] = {product(x, ones, true), product(x, rows, true),
                                        product(x, columns, true), product(rows, back),
                                        product(columns, back)};
        for (int i = 0; i < 5; ++i) {
          CAPTURE(i);
          REQUIRE((all[i].shape() == expected[i].shape()));
          CHECK((xt::allclose(all[i], expected[i], 1e-12, 1e-12)));
        }
        vec<double> const a = std::get<5>(r), b = std::get<6>(r), c = std::get<7>(r);
        CHECK((xt::allclose(a, 2 * xt::sum(w)() * xt::ones<double>({k}), 1e-12, 1e-12)));
        CHECK((xt::allclose(b, xt::sum(v)() * xt::ones<double>({n}), 1e-12, 1e-12)));
        CHECK((xt::allclose(c, xt::sum(v)() * xt::ones<double>({n}), 1e-12, 1e-12)));
      }
}

TEST_CASE("products with repeated rows: extents are checked as they were", "[rewrite]") {
  auto const f = kt::function(
      [](kt::dmatrix x, kt::dvector v, kt::dscalar n) { return dot(x, kt::ones_like(v)) * n; });
  CHECK_THROWS_AS(f(numbers(3, 4, 0), std::vector<double>(5), 1.), kt::shape_error);
  CHECK_NOTHROW(f(numbers(3, 4, 0), std::vector<double>(4), 1.));
}

TEST_CASE("summed products: sums over more axes than a product has", "[rewrite]") {
  auto const f = kt::function([](kt::dtensor3 t, kt::dmatrix a, kt::dmatrix b) {
    return sum(t + dot(a, b), kt::axis<0>);
  });
  auto const g = kt::function([](kt::dtensor3 t, kt::dmatrix a, kt::dmatrix b, kt::dscalar s) {
    return sum(t * t + s * dot(a, b), kt::axis<1>);
  });
  xt::xtensor<double, 3> t(std::array<std::size_t, 3>{2, 3, 5});
  for (std::size_t i = 0; i < t.size(); ++i) t.flat(i) = std::cos(double(i));
  mat<double> const a = numbers(3, 4, 0.1), b = numbers(4, 5, -0.3), ab = product(a, b);
  mat<double> const over_first = f(t, a, b), over_second = g(t, a, b, 0.5);
  CHECK((xt::allclose(over_first, xt::sum(t + ab, {0}), 1e-12, 1e-12)));
  CHECK((xt::allclose(over_second, xt::sum(t * t + 0.5 * ab, {1}), 1e-12, 1e-12)));
}

TEST_CASE("products with repeated columns: of a vector", "[rewrite]") {
  auto const f = kt::function([](kt::dvector u, kt::dvector v, kt::dmatrix w) {
    auto columns = upright(u) * kt::ones_like(w);
    return std::tuple(dot(columns, v), dot(u, columns));
  });
  for (std::size_t n : {1, 2, 5}) {
    vec<double> const u = xt::linspace<double>(0.5, 2, n), v = xt::linspace<double>(-1, 0.25, 3);
    auto const results = f(u, v, numbers(n, 3, 0));
    vec<double> const by_columns = std::get<0>(results), by_rows = std::get<1>(results);
    CHECK((xt::allclose(by_columns, u * xt::sum(v)(), 1e-12, 1e-12)));
    CHECK((xt::allclose(by_rows, xt::ones<double>({3}) * xt::sum(u * u)(), 1e-12, 1e-12)));
  }
}
