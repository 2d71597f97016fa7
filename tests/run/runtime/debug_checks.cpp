// What the debug modes hold against a function, and what not: small elements next to large ones, sums that cancel, overflow.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/reference.hpp"

#include <kroton/runtime.hpp>
#include <kroton/runtime/finite.hpp>

using namespace reference;

namespace {

constexpr auto wrong = kt::rules(kt::rule<"wrong_sine">([](auto a) { return sin(a) >> 2 * tanh(a); }));

template <class F, class... A>
std::string refused(F const& f, A const&... arguments) {
  return sentence<kt::debug_error>([&] { f(arguments...); });
}

}  // namespace

TEST_CASE("mode debug: a small element is held to its own size next to a large one", "[runtime]") {
  auto f = kt::function([](kt::dvector x, kt::dvector y) { return y + sin(x); }, kt::mode::debug.with<wrong>());
  // sin(x) is lost next to 1e16, but not next to 0.
  CHECK(refused(f, vec<double>{1e-4, 0}, vec<double>{1e16, 1}) == "");
  std::string const text = refused(f, vec<double>{0, 1e-4}, vec<double>{1e16, 0});
  CAPTURE(text);
  CHECK(text.find("output 1 differs at element 1 of 2: it is 0.00019999999") != std::string::npos);
  CHECK(text.find("the rule \"wrong_sine\" changes the value") != std::string::npos);
  auto single = kt::function([](kt::fvector x, kt::fvector y) { return y + sin(x); }, kt::mode::debug.with<wrong>());
  CHECK(refused(single, vec<float>{0, 1e-3f}, vec<float>{1e8f, 0}).find("differs at element 1") != std::string::npos);
}

TEST_CASE("mode debug does not hold the order of a product or a sum that cancels against it", "[runtime]") {
  auto f = kt::function([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), 2 * c); }, kt::mode::debug);
  for (std::size_t n : {3u, 20u}) {
    mat<double> a = xt::zeros<double>({n, 2 * n}), b = xt::zeros<double>({2 * n, n}), c = xt::zeros<double>({n, n});
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        // dot(a, b) cancels to next to nothing in every second column.
        a(i, j) = std::sin(static_cast<double>(3 * i + j * j)), a(i, j + n) = a(i, j);
        b(i, j) = std::cos(static_cast<double>(i * i + j)), b(i + n, j) = j % 2 == 0 ? -b(i, j) * (1 + 1e-15) : b(i, j);
        c(i, j) = i == j ? 1 : 0;
      }
    CHECK(refused(f, a, b, c) == "");
  }
  auto g = kt::function([](kt::dvector x, kt::dvector y) { return std::tuple((x + y) - x - y, x * y - y * x + 1e-3 * x, (x + 1) * (x + 1) - x * x - 1); },
                        kt::mode::debug);
  CHECK(refused(g, vec<double>{1e10, 0.1, 3.3}, vec<double>{0.1, 1e9, -3.3}) == "");
}

TEST_CASE("mode debug: neither an overflow on the way nor subnormal steps are held against a stable form", "[runtime]") {
  auto f = kt::function(
      [](kt::dvector x) {
        auto p = 1 / (1 + exp(-x));
        return std::tuple(grad(sum(p), x), log(erfc(x)), 1 - erf(x));
      },
      kt::mode::debug);
  vec<double> x = vec<double>::from_shape({3001});
  for (std::size_t i = 0; i < x.size(); ++i) x(i) = -740 + 1480.0 * static_cast<double>(i) / 3000;
  CHECK(refused(f, x) == "");
  // What does not depend on the overflow is checked all the same.
  auto g = kt::function([](kt::dvector a) { return sin(a) + 1 / exp(1e3 * a); }, kt::mode::debug.with<wrong>());
  CHECK(refused(g, vec<double>{1}) == "");
  CHECK(refused(g, vec<double>{1, 0.01}).find("output 1 differs at element 1 of 2") != std::string::npos);
}

TEST_CASE("mode debug_finite watches sums, products and products of matrices", "[runtime]") {
  auto f = kt::function([](kt::dmatrix x, kt::dvector y) { return std::tuple(sum(x), prod(x, kt::axis<1>), dot(x, y), max(x)); },
                        kt::mode::debug_finite);
  vec<double> const one{1, 1};
  CHECK(refused(f, mat<double>{{1, 2}, {3, 4}}, one) == "");
  CHECK(refused(f, mat<double>{{1e308, 1e308}, {-1e308, -2e307}}, one).find("kt::mode::debug_finite: ") == 0);
  CHECK(refused(f, mat<double>{{1e200, 1e200}, {3, 4}}, one).find("kt::mode::debug_finite: prod of finite elements is not finite") == 0);
  CHECK(refused(f, mat<double>{{1e200, 1}, {3, 4}}, vec<double>{1e200, 1}).find("kt::mode::debug_finite: dot of finite elements is not finite") == 0);
  CHECK(refused(f, mat<double>{{1, infinity}, {3, 4}}, one) == "");  // it came in with the argument
  CHECK(refused(f, mat<double>{{1, 2}, {3, 4}}, vec<double>{1, not_a_number}) == "");

  auto g = kt::function([](kt::fvector x) { return sum(x); }, kt::mode::debug_finite);
  CHECK(refused(g, vec<float>{3e38f, 3e38f}).find("sum of finite elements is not finite") != std::string::npos);
  CHECK(refused(g, vec<float>::from_shape({0})) == "");
  // The infinity of one call is not remembered in the next.
  CHECK(refused(g, vec<float>{std::numeric_limits<float>::infinity()}) == "");
  CHECK(refused(g, vec<float>{-3e38f, -3e38f}).find("sum of finite elements is not finite") != std::string::npos);
}

TEST_CASE("mode debug_finite with a bound refuses large values, too") {
  constexpr auto mode = kt::mode::debug_finite.within<1e10>();
  auto f = kt::function([](kt::dvector x, kt::dvector y) { return std::tuple(x * y + 1, sum(x), dot(x, y)); }, mode);
  CHECK(refused(f, vec<double>{1e5, 1}, vec<double>{1e5 - 1, 2}) == "");
  CHECK(refused(f, vec<double>{3e5, 1}, vec<double>{1e5, 2}).find("kt::mode::debug_finite: mul(300000, 100000) is 30000000000: the bound is 1e+10\n") == 0);
  CHECK(refused(f, vec<double>{-3e5, 1}, vec<double>{1e5, 2}).find("mul(-300000, 100000) is -30000000000: the bound is 1e+10") != std::string::npos);
  CHECK(refused(f, vec<double>{9e9, 9e9}, vec<double>{0, 0}).find("sum of elements within the bound is not: the bound is 1e+10") != std::string::npos);
  CHECK(refused(f, vec<double>{9e4, 9e4}, vec<double>{9e4, 9e4}).find("dot of elements within the bound is not") != std::string::npos);
  CHECK(refused(f, vec<double>{2e10, 1}, vec<double>{1, 2}) == "");  // it came in with the argument
  // The shared variable stays as it was.
  kt::shared w(1e9);
  auto step = kt::function([](kt::dscalar rate, kt::dscalar w) { return kt::outputs(w).update(w, w * rate); }, w, mode.excluding<"softplus">());
  CHECK(refused(step, 9.0) == "");
  CHECK(refused(step, 9.0).find("mul(9000000000, 9) is 81000000000") != std::string::npos);
  CHECK(w.get_value() == 9e9);
  CHECK(refused(kt::function([](kt::dscalar x) { return log(x); }, mode), -1.0).find("log(-1) is ") != std::string::npos);
  auto z = kt::function([](kt::zscalar z) { return z * z; }, kt::mode::debug_finite.within<50>());
  CHECK(refused(z, std::complex<double>(1, 6)) == "");
  CHECK(refused(z, std::complex<double>(5, 6)).find("mul((5,6), (5,6)) is (-11,60): the bound is 50") != std::string::npos);
  kt::runtime::graph g;
  auto x = g.input<float, 1>("x");
  auto h = g.function({x}, 1 / x, kt::mode::debug_finite.within<100>());
  CHECK(refused(h, vec<float>{2, 0.125f}) == "");
  CHECK(refused(h, vec<float>{2, 0.00390625f}).find("div(1, 0.00390625) is 256: the bound is 100") != std::string::npos);
}

TEST_CASE("the check for finite values tells apart any number of results of a loop", "[runtime]") {
  double const nothing = not_a_number, far = infinity;
  kt::core::array_ref one;
  one.bytes = 8;
  auto bytes = [](double const& x) { return reinterpret_cast<std::byte*>(const_cast<double*>(&x)); };
  auto const f64 = kt::element::float64;
  for (int other : {1, 63, 64, 65, 1000}) {
    kt::runtime::finite_check check;
    // The reduction for the other result reads NaN, that for result 0 makes an infinity of finite elements.
    check.see({kt::core::identity<kt::op::max>(), f64, f64, bytes(nothing), nullptr, 0, 1, other});
    one.data = bytes(nothing);
    check.see_whole({kt::core::identity<kt::op::max>(), f64, one, nullptr, 0, other});
    CHECK(check.found() == "");
    check.see({kt::core::identity<kt::op::max>(), f64, f64, bytes(nothing), nullptr, 0, 1, other});
    one.data = bytes(far);
    check.see_whole({kt::core::identity<kt::op::sum>(), f64, one, nullptr, 0, 0});
    CHECK(check.found() == "sum of finite elements is not finite");
  }
}
