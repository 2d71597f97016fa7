// vmap against loops over slices.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

template <class T>
using cube = xt::xtensor<T, 3>;
template <class T>
cube<T> tensor(I a, I b, I c, unsigned seed) {
  cube<T> t(std::array<I, 3>{a, b, c});
  vec<T> const v = numbers<T>(a * b * c, seed);
  for (I i = 0; i < v.size(); ++i) t.data()[i] = v(i);
  return t;
}

/// Every result of `whole` at leading index i is that of `one` for slice i.
template <class Whole, class One>
void check(Whole const& whole, One one, I n) {
  for (I i = 0; i < n; ++i) {
    auto const expected = one(i);
    [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto compare = [&]<std::size_t k>(std::integral_constant<std::size_t, k>) {
        I const output = k;
        CAPTURE(output, i);
        auto const& all = std::get<k>(whole);
        auto const& want = std::get<k>(expected);
        REQUIRE(all.shape()[0] == n);
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(want)>>) {
          CHECK(close(all(i), want, 1e-13, 1e-14));
        } else {
          REQUIRE(all.size() == n * want.size());
          for (I j = 0; j < want.size(); ++j) CHECK(close(all.data()[i * want.size() + j], want.data()[j], 1e-13, 1e-14));
        }
      };
      (compare(std::integral_constant<std::size_t, K>{}), ...);
    }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(expected)>>>{});
  }
}

// Ops of every kind on a vector, a matrix that is shared, and a number.
constexpr auto elementwise = [](kt::dvector x, kt::dmatrix w, kt::dscalar s) {
  return std::tuple(x * x + s, tanh(x) * w, where(x > s, x, 0.0), sum(x), s / max(x), mean(x), x + x.shape(0), kt::cast<std::int32_t>(10 * x) + 1,
                    prod(x, kt::keepdims) * w, kt::full_like(w, s), all(x > -2), w);
};
constexpr auto structural = [](kt::dvector x, kt::dmatrix w, kt::dscalar s) {
  using kt::slice, kt::none, kt::newaxis;
  return std::tuple(softmax(x), log_softmax(x), logsumexp(x), x(slice(1, none)), x(-1), x(newaxis, slice()) - x(slice(), newaxis), kt::reshape<2>(x, 2, -1),
                    flatten(w * x), sum(w * x, kt::axis<0>), kt::dimshuffle<'x', 0>(x) * s, x(slice(none, none, -2)), ifelse(sum(x) > s, x, -x),
                    ifelse(s > 0, x, 2 * x), kt::arange(x.shape(0)) * x, identity_like(w * x(0)));
};
constexpr auto products = [](kt::dmatrix a, kt::dmatrix b, kt::dvector v) {
  return std::tuple(dot(a, b), dot(v, a), dot(b, v), dot(v, v), dot(dot(a, b), v), dot(a.T(), b), sum(dot(a, b) * a));
};

constexpr auto loss = [](kt::dvector x, kt::dscalar y, kt::dvector w) { return log(1 + exp(-y * dot(x, w))) + max(w * x); };

}  // namespace

TEST_CASE("elementwise ops and reductions over slices") {
  auto one = kt::function(elementwise);
  auto all = kt::function(kt::vmap<0>(elementwise));
  mat<double> const x = matrix<double>(5, 4, 1), w = matrix<double>(3, 4, 2);
  check(all(x, w, 0.3), [&](I i) { return one(xt::view(x, i), w, 0.3); }, 5);
  // The shared matrix mapped too, and strided slices.
  auto both = kt::function(kt::vmap<0, 1>(elementwise));
  cube<double> const ws = tensor<double>(5, 3, 4, 3);
  check(both(x, ws, 0.3), [&](I i) { return one(xt::view(x, i), xt::view(ws, i), 0.3); }, 5);
  mat<double> const wide = matrix<double>(4, 5, 6);
  check(both(xt::transpose(wide), ws, 0.3), [&](I i) { return one(xt::view(wide, xt::all(), i), xt::view(ws, i), 0.3); }, 5);
  auto scalars = kt::function(kt::vmap<2>(elementwise));
  vec<double> const s = numbers<double>(3, 7);
  check(scalars(xt::view(x, 0), w, s), [&](I i) { return one(xt::view(x, 0), w, s(i)); }, 3);
  auto const nothing = all(mat<double>(std::array<I, 2>{0, 4}), w, 0.3);
  CHECK(std::get<1>(nothing).shape() == std::array<I, 3>{0, 3, 4});
  CHECK(std::get<3>(nothing).shape() == std::array<I, 1>{0});
}

TEST_CASE("shapes, indices and choices over slices") {
  auto one = kt::function(structural);
  mat<double> const x = matrix<double>(5, 4, 1), w = matrix<double>(3, 4, 2);
  auto first = kt::function(kt::vmap<0>(structural));
  check(first(x, w, 0.3), [&](I i) { return one(xt::view(x, i), w, 0.3); }, 5);
  // The conditions differ from slice to slice.
  auto two = kt::function(kt::vmap<0, 2>(structural));
  vec<double> const s = numbers<double>(5, 3);
  check(two(x, w, s), [&](I i) { return one(xt::view(x, i), w, s(i)); }, 5);
}

TEST_CASE("products over slices") {
  auto one = kt::function(products);
  mat<double> const a = matrix<double>(4, 4, 1), b = matrix<double>(4, 4, 2);
  vec<double> const v = numbers<double>(4, 3);
  cube<double> const as = tensor<double>(3, 4, 4, 4), bs = tensor<double>(3, 4, 4, 5);
  mat<double> const vs = matrix<double>(3, 4, 6);
  check(kt::function(kt::vmap<0>(products))(as, b, v), [&](I i) { return one(xt::view(as, i), b, v); }, 3);
  check(kt::function(kt::vmap<1, 2>(products))(a, bs, vs), [&](I i) { return one(a, xt::view(bs, i), xt::view(vs, i)); }, 3);
  check(kt::function(kt::vmap<0, 1, 2>(products))(as, bs, vs), [&](I i) { return one(xt::view(as, i), xt::view(bs, i), xt::view(vs, i)); }, 3);
}

TEST_CASE("gradients inside and outside of vmap, and vmap inside of vmap") {
  auto whole = kt::function([](kt::dmatrix x, kt::dvector y, kt::dvector w) {
    auto each = kt::vmap<0, 1>(loss)(x, y, w);
    return std::tuple(kt::vmap<0, 1>(kt::grad<2>(loss))(x, y, w), kt::vmap<0, 1>(kt::hessian<2>(loss))(x, y, w), grad(sum(each), w), jacobian(each, w),
                      kt::vmap<0, 1>(kt::jacobian<0>(kt::grad<2>(loss)))(x, y, w));
  });
  auto one = kt::function([](kt::dvector x, kt::dscalar y, kt::dvector w) {
    auto g = grad(loss(x, y, w), w);
    return std::tuple(g, hessian(loss(x, y, w), w), jacobian(g, x));
  });
  mat<double> const x = matrix<double>(6, 3, 1);
  vec<double> const y = numbers<double>(6, 2), w = numbers<double>(3, 3);
  auto const [gradients, hessians, total, jacobian, mixed] = whole(x, y, w);
  check(std::tie(gradients, hessians, mixed), [&](I i) { return one(xt::view(x, i), y(i), w); }, 6);
  CHECK(mismatch(jacobian, [&](I i, I j) { return gradients(i, j); }, 1e-13, 1e-14) == "");
  CHECK(mismatch(total, [&](I j) { return xt::sum(xt::view(gradients, xt::all(), j))(); }, 1e-13, 1e-14) == "");

  // A lambda inside another one may use that one's variables: all pairs of rows.
  auto pairs = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dvector scale) {
    auto distances = kt::vmap<0>([&](auto p) { return kt::vmap<0>([&](auto q) { return sum(sqr((p - q) * scale)); })(b); })(a);
    auto outer = kt::vmap<0>([&](kt::dvector p) { return kt::vmap<0>([&](kt::dscalar e) { return std::tuple(e * p, sum(a) + e, 2); })(p); })(a);
    return std::tuple(distances, grad(sum(distances), a), std::get<0>(outer), std::get<1>(outer), std::get<2>(outer));
  });
  mat<double> const a = matrix<double>(3, 4, 4), b = matrix<double>(2, 4, 5);
  vec<double> const scale = numbers<double>(4, 6);
  auto const [distances, slope, outer, sums, twos] = pairs(a, b, scale);
  auto part = [&](I i, I j, I k) { return (a(i, k) - b(j, k)) * scale(k); };
  CHECK(mismatch(distances, [&](I i, I j) {
    double sum = 0;
    for (I k = 0; k < 4; ++k) sum += part(i, j, k) * part(i, j, k);
    return sum;
  }, 1e-13) == "");
  CHECK(mismatch(slope, [&](I i, I k) { return 2 * scale(k) * (part(i, 0, k) + part(i, 1, k)); }, 1e-12, 1e-14) == "");
  CHECK(mismatch(outer, [&](I i, I j, I k) { return a(i, j) * a(i, k); }) == "");
  CHECK(mismatch(twos, [](I, I) { return 2; }) == "");
  CHECK(mismatch(sums, [&](I i, I j) { return xt::sum(a)() + a(i, j); }, 1e-13, 1e-14) == "");
}

TEST_CASE("vmap checks extents and keeps rows") {
  auto add = kt::function(kt::vmap<0, 1>([](kt::dvector a, kt::dvector b) { return a + b; }));
  CHECK_THROWS_AS(add(matrix<double>(3, 2), matrix<double>(4, 2)), kt::shape_error);
  CHECK_THROWS_AS(add(matrix<double>(3, 2), matrix<double>(3, 4)), kt::shape_error);
  // A declared row stays one in every slice.
  auto rows = kt::function(kt::vmap<0>([](kt::drow r, kt::dmatrix m) { return r + m; }));
  cube<double> const r = tensor<double>(2, 1, 3, 1);
  mat<double> const m = matrix<double>(4, 3, 2);
  CHECK(mismatch(rows(r, m), [&](I i, I j, I k) { return r(i, 0, k) + m(j, k); }) == "");
  CHECK_THROWS_AS(rows(tensor<double>(2, 4, 3, 1), m), kt::shape_error);
  // A leading axis that broadcasts is that of one slice, next to others of many.
  auto one_of_many = kt::function([](kt::drow r, kt::dmatrix m) { return kt::vmap<0, 1>([](auto a, auto b) { return std::tuple(a, a * b, b.shape(0)); })(r, m); });
  auto const [same, times, lengths] = one_of_many(mat<double>{{1, 2, 3}}, m);
  CHECK(mismatch(same, [](I, I k) { return static_cast<double>(k + 1); }) == "");
  CHECK(same.shape() == m.shape());
  CHECK(mismatch(times, [&](I j, I k) { return static_cast<double>(k + 1) * m(j, k); }) == "");
  CHECK(mismatch(lengths, [](I) { return 3; }) == "");
  auto generic = kt::function<kt::dmatrix, kt::dscalar>(kt::vmap([](auto x, auto s) { return std::pair(x * s, sum(x)); }));
  auto const [scaled, sums] = generic(m, 2.0);
  CHECK(mismatch(scaled, [&](I i, I j) { return 2 * m(i, j); }) == "");
  CHECK(mismatch(sums, [&](I i) { return m(i, 0) + m(i, 1) + m(i, 2); }, 1e-15) == "");
}

TEST_CASE("maps take numbers and constants") {
  auto f = kt::function(
      [](kt::dvector x, kt::fvector y) {
        return std::tuple(kt::vmap<0>([](auto a, auto b) { return a * b; })(x, 2.0),
                          kt::vmap<0>([](kt::fscalar a, kt::fscalar b) { return a + b; })(y, 1),
                          kt::vmap<0, 1>([](auto a, auto b) { return a * b; })(
                              x, kt::constant({1., 2., 4.})));
      },
      kt::mode::interpret);
  auto const [doubled, added, multiplied] = f(vec<double>{1, 2, 3}, vec<float>{1, 2});
  CHECK((doubled == vec<double>{2, 4, 6}));
  CHECK((added == vec<float>{2, 3}));
  CHECK((multiplied == vec<double>{1, 4, 12}));
}
