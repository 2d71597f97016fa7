// Running sums and products: element types, axes and layouts, accuracy, and gradients of any order, also where elements are 0.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto both = [](auto x) { return std::tuple(cumsum(x), cumprod(x)); };

constexpr auto weights = [](auto v) { return sin(v) + 2; };

template <class T, class... Mode>
void check_type(Mode... mode) {
  using wide = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, std::int64_t, std::uint64_t>;
  auto f = kt::function<kt::vector<T>>(both, mode...);
  for (I n : lengths) {
    CAPTURE(n, sizeof(T));
    vec<T> const x = bits<T>(n, static_cast<unsigned>(n) + 1);
    vec<wide> sums(std::array<I, 1>{n}), products = sums;
    std::uint64_t sum = 0, product = 1;  // wraps
    for (I i = 0; i < n; ++i) {
      sums(i) = static_cast<wide>(sum += static_cast<std::uint64_t>(static_cast<wide>(x(i))));
      products(i) = static_cast<wide>(product *= static_cast<std::uint64_t>(static_cast<wide>(x(i))));
    }
    auto const [s, p] = f(x);
    static_assert(std::is_same_v<decltype(s), vec<wide> const>);
    CHECK((s == sums));
    CHECK((p == products));
  }
}

}  // namespace

TEST_CASE("running sums and products of integers are as wide as sums") {
  check_type<bool>(kt::mode::interpret);
  check_type<std::int8_t>(kt::mode::interpret);
  check_type<std::uint32_t>();
  check_type<std::int64_t>();
}

TEST_CASE("scans along axes, of any layout") {
  auto f = kt::function([](kt::dtensor3 x) {
    return std::tuple(cumsum(x, kt::axis<0>), cumsum(x, kt::axis<1>), cumprod(x, kt::axis<-1>), cumsum(x));
  });
  auto check = [&](auto const& x) {
    I const m = x.shape()[1], k = x.shape()[2];
    auto sum = [](I size, auto at) {
      double s = 0;
      for (I i = 0; i <= size; ++i) s += at(i);
      return s;
    };
    auto const [first, second, last, flat] = f(x);
    CHECK(mismatch(first, [&](I i, I j, I l) { return sum(i, [&](I a) { return x(a, j, l); }); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(second, [&](I i, I j, I l) { return sum(j, [&](I a) { return x(i, a, l); }); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(flat, [&](I i) { return sum(i, [&](I a) { return x(a / (m * k), a / k % m, a % k); }); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(last, [&](I i, I j, I l) {
      double p = 1;
      for (I a = 0; a <= l; ++a) p *= x(i, j, a);
      return p;
    }, 1e-13) == "");
  };
  for (auto shape : {std::array<I, 3>{3, 4, 70}, {40, 3, 2}, {3, 40, 7}, {2, 5, 24}, {1, 1, 1}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}}) {
    xt::xtensor<double, 3> x(shape);
    vec<double> const from = numbers<double>(x.size());
    for (I i = 0; i < x.size(); ++i) x.data()[i] = from(i);
    check(x);
    check(xt::transpose(x));
  }
  CHECK((kt::function([](kt::dscalar x) { return cumsum(x); })(3.) == vec<double>{3}));
}

TEST_CASE("running sums of floats keep their digits, NaN stays") {
  auto f = kt::function<kt::fvector>(both);
  I const n = 1000000;
  auto const [sums, products] = f(vec<float>(std::array<I, 1>{n}, 0.1f));
  CHECK(close(sums(n - 1), static_cast<double>(0.1f) * n, 1e-7));
  CHECK(products(n - 1) == 0);
  auto const [s, p] = f(vec<float>{1, static_cast<float>(not_a_number), 2});
  CHECK(s(0) == 1);
  CHECK((std::isnan(s(1)) && std::isnan(s(2)) && std::isnan(p(2))));
}

TEST_CASE("gradients of scans, of first and second order") {
  vec<double> const x{0.5, -1.5, 2, 0.7, -0.3, 1.1};
  auto f = [](kt::dvector v) { return sum(cumsum(v) * weights(v)) + sum(cumprod(v) * weights(v)); };
  CHECK(kt::verify_grad(f, x));
  CHECK(kt::verify_grad([](kt::dvector v) { return sum(sqr(grad(sum(cumprod(v) * weights(v)), v))); }, x));
  CHECK(kt::verify_grad([](kt::dvector v) {
    auto const g = grad(sum(sqr(cumprod(v))), v);
    return sum(sqr(grad(sum(sqr(g)), v)));
  }, x));
  CHECK(kt::verify_grad([](kt::dmatrix m) { return sum(sqr(cumprod(m, kt::axis<0>)) + sqr(cumsum(m, kt::axis<1>)) + sqr(cumprod(m, kt::axis<1>))); },
                                mat<double>{{0.5, -1.5, 2}, {0.7, 0, 1.1}}));
}

TEST_CASE("the gradient of a running product is right where elements are 0") {
  constexpr auto gradient = [](kt::dvector x) { return grad(sum(cumprod(x)), x); };
  auto f = kt::function(gradient);
  auto g = kt::function(gradient, kt::mode::interpret);
  // y = (a, ab, abc, abcd): the derivative by each, by hand.
  auto by_hand = [](double a, double b, double c, double d) {
    return vec<double>{1 + b + b * c + b * c * d, a + a * c + a * c * d, a * b + a * b * d, a * b * c};
  };
  for (auto x : {std::array<double, 4>{2, 3, 5, 7}, {0, 3, 5, 7}, {2, 0, 5, 7}, {2, 3, 0, 7}, {2, 0, 5, 0}, {0, 0, 0, 0}}) {
    vec<double> const v{x[0], x[1], x[2], x[3]};
    CHECK((f(v) == by_hand(x[0], x[1], x[2], x[3])));
    CHECK((g(v) == by_hand(x[0], x[1], x[2], x[3])));
  }
}

TEST_CASE("scans, statistics and constants of complex numbers") {
  using C = std::complex<double>;
  using F = std::complex<float>;
  auto f = kt::function([](kt::zvector x, kt::cvector y) {
    return std::tuple(norm(x), var(x), stddev(y), cumsum(y), cumprod(x), x + kt::constant({C(1, 2), C(3, 4), C(0, -1)}),
                      y * kt::constant({F(1, 2), F(3, 4), F(0, -1)}), kt::zeros<C>(3) + x, take_along_axis(x, kt::constant({2, 0}), kt::axis<0>));
  });
  auto const [length, variance, deviation, sums, products, more, times, same, taken] =
      f(vec<C>{C(3, 4), C(0, 1), C(1, 0)}, vec<F>{F(3, 4), F(0, 1), F(1, 0)});
  static_assert(std::is_same_v<decltype(length), double const> && std::is_same_v<decltype(deviation), float const>);
  CHECK(close(length, std::sqrt(27.), 1e-15));
  CHECK(close(variance, 40. / 9, 1e-15));
  CHECK(close(deviation, std::sqrt(40. / 9), 1e-6));
  CHECK((sums == vec<F>{F(3, 4), F(3, 5), F(4, 5)}));
  CHECK((products == vec<C>{C(3, 4), C(-4, 3), C(-4, 3)}));
  CHECK((more == vec<C>{C(4, 6), C(3, 5), C(1, -1)}));
  CHECK((times == vec<F>{F(-5, 10), F(-4, 3), F(0, -1)}));
  CHECK((same == vec<C>{C(3, 4), C(0, 1), C(1, 0)}));
  CHECK((taken == vec<C>{C(1, 0), C(3, 4)}));
  CHECK(kt::verify_grad([](kt::dvector x) { return sum(sqr(abs(cumprod(kt::cast<C>(x) * C(0.6, 0.8) + C(0.1, 0.2))))); }, vec<double>{0.5, -1.5, 2}));
}
