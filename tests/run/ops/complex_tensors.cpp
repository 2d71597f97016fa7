// Complex arrays: types, arguments, views, reductions, products, choices, shared variables, prints.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>
#include <vector>

#include "run/complex.hpp"

using namespace complex_tests;
using namespace std::complex_literals;

namespace {

template <class A, class B>
using sum_of = kt::value_type_of<decltype(std::declval<kt::vector<A>>() + std::declval<kt::vector<B>>())>;
template <class A, class N>
using beside = kt::value_type_of<decltype(std::declval<kt::vector<A>>() * std::declval<N>())>;

// As NumPy's; a literal widens nothing within its precision.
static_assert(std::is_same_v<sum_of<c64, float>, c64>);
static_assert(std::is_same_v<sum_of<c64, double>, c128>);
static_assert(std::is_same_v<sum_of<c64, c128>, c128>);
static_assert(std::is_same_v<sum_of<c64, std::int16_t>, c64>);
static_assert(std::is_same_v<sum_of<c64, std::int32_t>, c128>);
static_assert(std::is_same_v<sum_of<c64, bool>, c64>);
static_assert(std::is_same_v<sum_of<c128, std::uint64_t>, c128>);
static_assert(std::is_same_v<beside<c64, double>, c64>);
static_assert(std::is_same_v<beside<c64, c128>, c64>);
static_assert(std::is_same_v<beside<float, c128>, c64>);
static_assert(std::is_same_v<beside<double, c64>, c128>);
static_assert(std::is_same_v<beside<std::int16_t, c64>, c64>);
static_assert(std::is_same_v<beside<std::int32_t, c64>, c128>);
static_assert(std::is_same_v<beside<std::int16_t, c128>, c128>);
static_assert(std::is_same_v<kt::value_type_of<decltype(abs(std::declval<kt::cmatrix>()))>, float>);
static_assert(std::is_same_v<kt::value_type_of<decltype(std::declval<kt::zscalar>() == 1)>, bool>);

}  // namespace

TEST_CASE("complex arithmetic over rows of every length") {
  auto f = kt::function([](kt::zvector z, kt::dvector x, kt::cvector w, kt::zscalar s) {
    return std::tuple(z + x, z * w - s, s / z, -z, c128(1, 2) * w, x * 2i, 3 * z + 2 * z, kt::cast<std::complex<float>>(z), kt::cast<bool>(z),
                      where(x > 0, z, 1i), where(abs(z) < 1, w, 0), z == conj(z), z != z);
  });
  for (std::size_t n : reference::lengths) {
    CAPTURE(n);
    auto const z = numbers(n);
    auto const x = reference::numbers<double>(n, 3);
    auto const w = numbers<float>(n, 4);
    c128 const s = 0.5 - 1i;
    auto const r = f(z, x, w, s);
    auto check = [&]<std::size_t K>(std::integral_constant<std::size_t, K>, auto value, double tolerance) {
      auto const& got = std::get<K>(r);
      REQUIRE(got.size() == n);
      vec<c128> want(std::array<std::size_t, 1>{n});
      for (std::size_t i = 0; i < n; ++i) want(i) = c128(value(i));
      CAPTURE(K);
      CHECK(difference_of(got, want, tolerance) == "");
    };
#define AT(k) std::integral_constant<std::size_t, k>{}
    check(AT(0), [&](auto i) { return z(i) + x(i); }, 0);
    check(AT(1), [&](auto i) { return z(i) * c128(w(i)) - s; }, 1e-15);
    check(AT(2), [&](auto i) { return s / z(i); }, 1e-14);
    check(AT(3), [&](auto i) { return -z(i); }, 0);
    check(AT(4), [&](auto i) { return (1.f + 2if) * w(i); }, 1e-6);
    check(AT(5), [&](auto i) { return x(i) * 2i; }, 0);
    check(AT(6), [&](auto i) { return 5. * z(i); }, 1e-15);
    check(AT(7), [&](auto i) { return c64(z(i)); }, 0);
    check(AT(8), [&](auto i) { return z(i) != 0.; }, 0);
    check(AT(9), [&](auto i) { return x(i) > 0 ? z(i) : 1i; }, 0);
    check(AT(10), [&](auto i) { return std::abs(z(i)) < 1 ? c128(w(i)) : 0; }, 0);
    check(AT(11), [&](auto i) { return z(i).imag() == 0; }, 0);
    check(AT(12), [&](auto) { return false; }, 0);
#undef AT
  }
}

TEST_CASE("complex arguments and results of every kind") {
  auto f = kt::function([](kt::zvector z) { return std::tuple(2 * z, sum(z)); });
  std::vector<c128> const list{1. + 1i, 2i, 3.};
  c64 const array[] = {{1, 1}, {0, 2}, {3, 0}};
  std::vector<double> const reals{1, 2, 3};
  xt::xarray<c128> const wide = xt::adapt(list, {3});
  vec<c128> const twice{{2, 2}, {0, 4}, {6, 0}};
  CHECK((f(list) == std::tuple(twice, 4. + 3i)));
  CHECK((f(array) == std::tuple(twice, 4. + 3i)));
  CHECK((f(wide) == std::tuple(twice, 4. + 3i)));
  CHECK((f(reals) == std::tuple(vec<c128>{2, 4, 6}, c128(6))));
  // A view of every second element, backwards.
  vec<c128> const z{1i, 2i, 3i, 4i, 5i};
  CHECK((f(xt::view(z, xt::range(4, xt::placeholders::_, -2))) == std::tuple(vec<c128>{10i, 6i, 2i}, 9i)));

  auto g = kt::function([](kt::zscalar a, kt::cscalar b) { return std::tuple(a * b, conj(b), abs(a)); });
  CHECK((g(1. + 1i, 2.f) == std::tuple(2. + 2i, c64(2), std::sqrt(2.))));
  CHECK((g(3, 1if) == std::tuple(3i, -1if, 3.)));

  auto into = kt::function([](kt::zmatrix a) { return a + a.T(); });
  mat<c128> const a = matrix(3, 3);
  mat<c128> target = xt::zeros<c128>({5, 3});
  auto part = xt::view(target, xt::range(1, 4), xt::all());
  into.into(part, a);
  CHECK(difference_of(mat<c128>(part), mat<c128>(a + xt::transpose(a)), 1e-15) == "");
  CHECK_THROWS_AS(kt::function([](kt::zvector u, kt::zvector v) { return u + v; })(list, vec<c128>{1.}), kt::shape_error);
}

TEST_CASE("complex reductions over axes") {
  auto f = kt::function([](kt::ztensor3 t) {
    return std::tuple(sum(t), sum(t, kt::axis<1>), sum(t, kt::axis<-1>, kt::keepdims), mean(t, kt::axis<0, 2>), prod(t, kt::axis<0>), any(t, kt::axis<0>),
                      all(t), sum(t * conj(t)));
  });
  for (std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{0}}) {
    CAPTURE(n);
    xt::xtensor<c128, 3> t(std::array<std::size_t, 3>{2, n, 3});
    auto const z = numbers(2 * n * 3);
    std::copy(z.begin(), z.end(), t.begin());
    auto const [total, second, last, middle, product, some, every, squares] = f(t);
    CHECK(close(total, std::accumulate(t.begin(), t.end(), c128()), 1e-14));
    if (n > 0) {
      CHECK(difference_of(second, mat<c128>(xt::sum(t, {1})), 1e-14) == "");
      CHECK(difference_of(last, xt::xtensor<c128, 3>(xt::sum(t, {2}, xt::keep_dims)), 1e-14) == "");
      CHECK(difference_of(product, mat<c128>(xt::prod(t, {0})), 1e-14) == "");
    } else {  // where xtensor's reductions add to null pointers
      CHECK(second == xt::zeros<c128>({2, 3}));
      CHECK((last.shape() == std::array<std::size_t, 3>{2, 0, 1}));
      CHECK((product.shape() == std::array<std::size_t, 2>{0, 3}));
    }
    double norm = 0;
    for (auto const& e : t) norm += std::norm(e);
    CHECK(close(squares, norm, 1e-13));
    CHECK(every);
    CHECK(std::all_of(some.begin(), some.end(), [](bool b) { return b; }));
    for (std::size_t i = 0; i < n; ++i) {
      c128 expected = 0;
      for (std::size_t k = 0; k < 6; ++k) expected += t(k / 3, i, k % 3) / 6.;
      CHECK(close(middle(i), expected, 1e-14));
    }
  }
}

TEST_CASE("complex sums of single precision accumulate in double") {
  auto f = kt::function([](kt::cmatrix a) { return std::tuple(sum(a), mean(a, kt::axis<1>), sum(a, kt::axis<0>)); });
  mat<c64> a(std::array<std::size_t, 2>{3, 100000});
  a.fill(c64(0.1f, -0.2f));
  auto const [total, means, columns] = f(a);
  CHECK(close(c128(total) / 300000., c128(0.1f, -0.2f), 1e-7));
  CHECK(close(c128(means(1)), c128(0.1f, -0.2f), 1e-7));
  CHECK(close(c128(columns(7)), c128(0.3f, -0.6f), 1e-6));
}

TEST_CASE("complex products of vectors and matrices do not conjugate") {
  auto f = [](auto a, auto b, auto x, auto y) {
    return std::tuple(dot(a, b), dot(a, x), dot(y, a), dot(x, x), dot(a.T(), a), dot(conj(a).T(), dot(b, b.T())), 2i * dot(a, b) + a, dot(x, real(x)));
  };
  auto compare = [&]<class T>(std::type_identity<T>, auto const& call, std::size_t n, double tolerance) {
    using C = std::complex<T>;
    CAPTURE(n, sizeof(T));
    mat<C> const a = matrix<T>(n, n, 1), b = matrix<T>(n, n, 2);
    vec<C> const x = numbers<T>(n, 3), y = numbers<T>(n, 4);
    auto const [ab, ax, ya, xx, ata, chain, sum, half] = call(a, b, x, y);
    auto multiply = [&](auto const& l, auto const& r) {
      mat<c128> p = xt::zeros<c128>({n, n});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          for (std::size_t k = 0; k < n; ++k) p(i, j) += c128(l(i, k)) * c128(r(k, j));
      return p;
    };
    mat<c128> const at = xt::transpose(a), ah = xt::conj(at), product = multiply(a, b);
    CHECK(difference_of(ab, product, tolerance) == "");
    CHECK(difference_of(ata, multiply(at, a), tolerance) == "");
    CHECK(difference_of(chain, multiply(ah, multiply(b, mat<C>(xt::transpose(b)))), n * tolerance) == "");
    CHECK(difference_of(sum, mat<c128>(2i * product + a), tolerance) == "");
    c128 inner = 0, mixed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      c128 row = 0, column = 0;
      for (std::size_t k = 0; k < n; ++k) {
        row += c128(a(i, k)) * c128(x(k));
        column += c128(y(k)) * c128(a(k, i));
      }
      CHECK(close(c128(ax(i)), row, tolerance));
      CHECK(close(c128(ya(i)), column, tolerance));
      inner += c128(x(i)) * c128(x(i));
      mixed += c128(x(i)) * static_cast<double>(x(i).real());
    }
    CHECK(close(c128(xx), inner, tolerance));
    CHECK(close(c128(half), mixed, tolerance));
  };
  auto wide = kt::function<kt::zmatrix, kt::zmatrix, kt::zvector, kt::zvector>(f);
  auto narrow = kt::function<kt::cmatrix, kt::cmatrix, kt::cvector, kt::cvector>(f);
  for (std::size_t n : {1, 2, 5, 33}) {
    compare(std::type_identity<double>{}, wide, n, 1e-13);
    compare(std::type_identity<float>{}, narrow, n, 1e-4);
  }
}

TEST_CASE("complex views, indices and conditions") {
  auto f = [](kt::zmatrix a, kt::zvector x, kt::lscalar i) {
    auto row = a(i);
    auto part = a(kt::slice(1, kt::none), kt::slice(kt::none, kt::none, -1));
    return std::tuple(row * 1i, part, sum(part * x(kt::newaxis, kt::slice(0, 3)), kt::axis<0>), kt::reshape<1>(a.T(), -1), a(-1, 0),
                      ifelse(i > 0, x, conj(x)), kt::full_like(x, 2.i), imag(kt::zeros_like(x)), flatten(a + a(0)));
  };
  auto check = [&](auto const& call) {
    mat<c128> const a = matrix(4, 3);
    vec<c128> const x = numbers(3, 9);
    auto const [row, part, sums, flat, corner, chosen, full, none, added] = call(a, x, 2);
    auto const last = call(a, x, 0);
    CHECK(close(row(1), a(2, 1) * 1i, 1e-15));
    CHECK((part.shape()[0] == 3 && part(0, 0) == a(1, 2) && part(2, 1) == a(3, 1)));
    CHECK(close(sums(0), (a(1, 2) + a(2, 2) + a(3, 2)) * x(0), 1e-15));
    CHECK((flat.size() == 12 && flat(1) == a(1, 0) && flat(4) == a(0, 1)));
    CHECK((corner == a(3, 0) && chosen == x && std::get<5>(last)(1) == std::conj(x(1))));
    CHECK((full(2) == 2i && none(0) == 0 && added(4) == a(1, 1) + a(0, 1)));
  };
  check(kt::function(f));
  check(kt::function(f, kt::mode::interpret));
  check(kt::function(f, kt::mode::debug));
}

TEST_CASE("complex shared variables are updated") {
  kt::shared z(c128(1, 1));
  kt::shared w(vec<c64>{1if, 2.f});
  static_assert(std::is_same_v<decltype(w), kt::shared<c64, 1>>);
  auto step = kt::function(
      [](kt::dscalar a, kt::zscalar z, kt::cvector w) { return kt::outputs(abs(z)).update(z, z * a * 1i).update(w, w + 1.f); }, z, w);
  CHECK(step(2) == std::sqrt(2.));
  CHECK(step(0.5) == 2 * std::sqrt(2.));
  CHECK(z.get_value() == -1. - 1i);
  CHECK((w.get_value() == vec<c64>{{2, 1}, {4, 0}}));
  w.set_value(vec<c64>{3if});
  step(1);
  CHECK((w.get_value() == vec<c64>{c64(1, 3)}));
  // Descent along the gradient: the point of the disk nearest to 2 + 2i.
  auto descend = kt::function([](kt::zscalar z) {
    auto cost = sqr(abs(z - c128(2, 2))) + 3 * sqr(abs(z));
    return kt::outputs(cost).update(z, z - 0.1 * grad(cost, z));
  }, z);
  for (int i = 0; i < 200; ++i) descend();
  CHECK(close(z.get_value(), 0.5 + 0.5i, 1e-12));
}

TEST_CASE("complex run-time graphs") {
  kt::runtime::graph g;
  auto z = g.input<c128, 1>("z");
  auto x = g.input<double, 1>("x");
  auto f = g.function({z, x}, std::tuple(exp(z * 1i) + x, sum(abs(z)), grad(sum(abs(z) * x), z)));
  vec<c128> const at{1. + 1i, -2i};
  auto const [e, s, slope] = f(at, vec<double>{1, 2});
  CHECK(close(e(1), std::exp(2.) + 2, 1e-14));
  CHECK(close(s, std::sqrt(2.) + 2, 1e-15));
  CHECK(close(slope(1), -2i, 1e-15));
  // Real arrays are complex ones, but not the other way round.
  CHECK(close(std::get<1>(f(vec<double>{3, -4}, vec<double>{0, 0})), 7, 1e-15));
  CHECK_THROWS_AS(f(at, at), kt::value_error);
}

TEST_CASE("what complex numbers do not have is refused") {
  auto refused = [](auto f) {
    kt::runtime::graph g;
    auto z = g.input<c128, 1>("z");
    try {
      g.function({z}, {kt::term(f(z))});
    } catch (kt::error const& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refused([](auto z) { return exp(z); }) == "");
  std::string const words(kt::core::no_complex_numbers);
  CHECK(refused([](auto z) { return z < 1; }) == words);
  CHECK(refused([](auto z) { return 2i >= z; }) == words);
  CHECK(refused([](auto z) { return maximum(z, 1.); }) == words);
  CHECK(refused([](auto z) { return floor(z); }) == words);
  CHECK(refused([](auto z) { return z % 2; }) == words);
  CHECK(refused([](auto z) { return sigmoid(z); }) == words);
  CHECK(refused([](auto z) { return complex(z, z); }) == words);
  CHECK(refused([](auto z) { return max(z); }) == words);
  CHECK(refused([](auto z) { return softmax(z); }) == words);
  CHECK(refused([](auto z) { return kt::cast<double>(kt::term(z)); }) == words);
}

TEST_CASE("complex expressions are printed") {
  auto f = kt::function([](kt::zvector z, kt::cscalar s) { return c128(1, 2) * conj(z) + s; });
  std::ostringstream text;
  kt::debugprint(f, text);
  for (char const* words : {"parameter 1 (zvector)", "parameter 2 (cscalar)", "complex : zscalar", "conj : zvector", "cast{complex128}"}) {
    CAPTURE(words, text.str());
    CHECK(text.str().find(words) != std::string::npos);
  }
  auto g = kt::function([](kt::zvector z) { return sum(kt::print("z", z)); });
  auto* const before = std::cout.rdbuf(text.rdbuf());
  c128 const total = g(vec<c128>{1. + 2i, 3.});
  std::cout.rdbuf(before);
  CHECK(total == 4. + 2i);
  CHECK(text.str().find("z = [(1,2) (3,0)]") != std::string::npos);
}
