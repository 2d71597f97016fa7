// Products of batches against loops.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

template <class T>
using cube = xt::xtensor<T, 3>;
template <class T>
cube<T> tensor(I a, I b, I c, unsigned seed) {
  cube<T> t(std::array<I, 3>{a, b, c});
  vec<T> const v = numbers<T>(a * b * c, seed, -9, 9);
  for (I i = 0; i < v.size(); ++i) t.data()[i] = v(i);
  return t;
}
template <class T, class A, class B>
auto inner(A const& a, B const& b, I n) {
  T sum = 0;
  for (I k = 0; k < n; ++k) sum = static_cast<T>(sum + a(k) * b(k));
  return sum;
}

template <class T>
void check_products() {
  double const bound = std::is_same_v<T, float> ? 1e-5 : 1e-13;
  auto f = kt::function([](kt::tensor3<T> a, kt::tensor3<T> b, kt::matrix<T> v, kt::vector<T> s) {
    return std::tuple(batched_dot(a, b), batched_dot(a, v), batched_dot(v, b), batched_dot(v, v), batched_dot(s, a), batched_dot(v, s));
  });
  for (auto [m, n, k] : {std::array<I, 3>{3, 4, 5}, {1, 4, 3}, {3, 1, 2}, {2, 2, 1}, {0, 2, 3}, {2, 3, 17}}) {
    auto const a = tensor<T>(2, m, k, 1), b = tensor<T>(2, k, n, 2);
    auto const v = matrix<T>(2, k, 3, -9, 9);
    auto const s = numbers<T>(2, 4, -9, 9);
    auto const [ab, av, vb, vv, sa, vs] = f(a, b, v, s);
    auto sum = [&](auto x, auto y) { return inner<T>(x, y, k); };
    CHECK(mismatch(ab, [&](I i, I r, I c) { return sum([&](I q) { return a(i, r, q); }, [&](I q) { return b(i, q, c); }); }, bound, bound * 100) == "");
    CHECK(mismatch(av, [&](I i, I r) { return sum([&](I q) { return a(i, r, q); }, [&](I q) { return v(i, q); }); }, bound, bound * 100) == "");
    CHECK(mismatch(vb, [&](I i, I c) { return sum([&](I q) { return v(i, q); }, [&](I q) { return b(i, q, c); }); }, bound, bound * 100) == "");
    CHECK(mismatch(vv, [&](I i) { return sum([&](I q) { return v(i, q); }, [&](I q) { return v(i, q); }); }, bound, bound * 100) == "");
    CHECK(mismatch(sa, [&](I i, I r, I q) { return static_cast<T>(s(i) * a(i, r, q)); }) == "");
    CHECK(mismatch(vs, [&](I i, I q) { return static_cast<T>(v(i, q) * s(i)); }) == "");
  }
}

}  // namespace

TEST_CASE("batched_dot of every pairing of ranks") {
  check_products<double>();
  check_products<float>();
  check_products<std::int32_t>();
}

TEST_CASE("batched_dot: more axes, strides, gradients and errors") {
  auto f = kt::function([](kt::dtensor4 a, kt::dtensor4 b) { return batched_dot(a, b); });
  auto const a = xt::eval(xt::reshape_view(tensor<double>(2, 6, 5, 1), {2, 2, 3, 5})), b = xt::eval(xt::reshape_view(tensor<double>(2, 20, 3, 2), {2, 4, 5, 3}));
  auto const ab = f(xt::xtensor<double, 4>(a), xt::xtensor<double, 4>(b));
  CHECK(ab.shape() == std::array<I, 5>{2, 2, 3, 4, 3});
  CHECK(mismatch(ab, [&](I i, I p, I q, I r, I t) { return inner<double>([&](I k) { return a(i, p, q, k); }, [&](I k) { return b(i, r, k, t); }, 5); }, 1e-13, 1e-13) == "");

  auto g = kt::function([](kt::dtensor3 x, kt::dtensor3 y) {
    auto z = batched_dot(x, y);
    return std::tuple(z, grad(sum(sqr(z)), x), jacobian(sum(z, kt::axis<1>), y), rop(z, x, x));
  });
  // Every axis strided.
  cube<double> const x = tensor<double>(3, 4, 2, 3), y = tensor<double>(2, 5, 4, 4);
  auto const xs = xt::transpose(x, {2, 0, 1}), ys = xt::transpose(y, {0, 2, 1});
  auto const [z, by_x, by_y, pushed] = g(xs, ys);
  auto product = [&](I i, I r, I c) { return inner<double>([&](I k) { return x(r, k, i); }, [&](I k) { return y(i, c, k); }, 4); };
  CHECK(mismatch(z, product, 1e-13, 1e-13) == "");
  CHECK(mismatch(pushed, product, 1e-13, 1e-13) == "");
  CHECK(mismatch(by_x, [&](I i, I r, I k) { return 2 * inner<double>([&](I c) { return product(i, r, c); }, [&](I c) { return y(i, c, k); }, 5); }, 1e-12, 1e-11) == "");
  CHECK(mismatch(by_y, [&](I i, I c, I j, I k, I d) { return i == j && c == d ? x(0, k, i) + x(1, k, i) + x(2, k, i) : 0; }, 1e-12, 1e-12) == "");
  CHECK_THROWS_WITH(g(tensor<double>(2, 3, 4, 1), tensor<double>(3, 4, 5, 2)), Catch::Contains("batched_dot"));
  CHECK_THROWS_AS(g(tensor<double>(2, 3, 4, 1), tensor<double>(2, 3, 5, 2)), kt::shape_error);
}
