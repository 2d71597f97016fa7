// Functions of complex numbers against NumPy's values, in double and single precision, compiled and interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/complex.hpp"
#include "run/complex_values.hpp"

using namespace complex_tests;
namespace is = complex_values;

namespace {

constexpr auto functions = [](auto z) {
  return std::tuple(exp(z), exp2(z), expm1(z), log(z), log2(z), log10(z), log1p(z), sqrt(z), sqr(z), inv(z), sin(z), cos(z), tan(z), asin(z),
                    acos(z), atan(z), sinh(z), cosh(z), tanh(z), asinh(z), acosh(z), atanh(z), conj(z));
};
constexpr auto real_functions = [](auto z) { return std::tuple(abs(z), real(z), imag(z), angle(z)); };

std::complex<double> const* const expected[] = {
    is::exp_of,     is::exp2_of, is::expm1_of, is::log_of,    is::log2_of,   is::log10_of,  is::log1p_of, is::sqrt_of,
    is::square_of,  is::reciprocal_of, is::sin_of, is::cos_of, is::tan_of,   is::arcsin_of, is::arccos_of, is::arctan_of,
    is::sinh_of,    is::cosh_of, is::tanh_of,  is::arcsinh_of, is::arccosh_of, is::arctanh_of, is::conj_of};
std::complex<double> const* const expected_reals[] = {is::abs_of, is::real_of, is::imag_of, is::angle_of};

template <class T>
vec<std::complex<T>> points() {
  vec<std::complex<T>> z(std::array<std::size_t, 1>{std::size(is::points)});
  for (std::size_t i = 0; i < z.size(); ++i) z(i) = static_cast<std::complex<T>>(is::points[i]);
  return z;
}

/// Results against a table for each.
template <class... V, std::size_t N>
void check_all(std::tuple<V...> const& got, std::complex<double> const* const (&want)[N], double tolerance) {
  static_assert(sizeof...(V) == N);
  std::size_t k = 0;
  std::apply(
      [&](auto const&... values) {
        auto one = [&](auto const& v) {
          CAPTURE(k);
          CHECK(difference(v, want[k++], tolerance) == "");
        };
        (one(values), ...);
      },
      got);
}

}  // namespace

TEST_CASE("complex functions are NumPy's") {
  auto const z = points<double>();
  check_all(kt::function<kt::zvector>(functions)(z), expected, 1e-14);
  check_all(kt::function<kt::zvector>(real_functions)(z), expected_reals, 1e-15);
  check_all(kt::function<kt::zvector>(functions, kt::mode::interpret)(z), expected, 1e-14);
  check_all(kt::function<kt::zvector>(real_functions, kt::mode::interpret)(z), expected_reals, 1e-15);
}

TEST_CASE("complex functions in single precision") {
  auto const z = points<float>();
  // Values of the points as they are rounded.
  auto const exact = kt::function<kt::zvector>(functions);
  auto const wide = std::apply([](auto const&... v) { return std::tuple(v...); }, exact(vec<std::complex<double>>(xt::cast<std::complex<double>>(z))));
  auto const got = kt::function<kt::cvector>(functions)(z);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    auto one = [](auto const& v, auto const& w, std::size_t k) {
      static_assert(std::is_same_v<typename std::remove_cvref_t<decltype(v)>::value_type, std::complex<float>>);
      CAPTURE(k);
      CHECK(difference(v, w.data(), 2e-6) == "");
    };
    (one(std::get<K>(got), std::get<K>(wide), K), ...);
  }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(got)>>>{});
}

TEST_CASE("complex powers, quotients and products are NumPy's") {
  using namespace std::complex_literals;
  auto f = [](kt::zvector z, kt::zvector w) {
    return std::tuple(pow(z, 2), pow(z, 3), pow(z, -2), pow(z, 0.5), pow(z, 1. / 3), pow(z, c128(2, 1)), pow(z, 0), z / w, z * w);
  };
  std::complex<double> const* const want[] = {is::power_0, is::power_1, is::power_2, is::power_3, is::power_4,
                                              is::power_5, is::power_6, is::quotient, is::product};
  auto const z = points<double>();
  vec<std::complex<double>> const w = xt::roll(z, 1);
  check_all(kt::function(f)(z, w), want, 2e-14);
  check_all(kt::function(f, kt::mode::ieee)(z, w), want, 2e-14);
  check_all(kt::function(f, kt::mode::fast_compile)(z, w), want, 2e-14);
}

TEST_CASE("complex functions at zero, infinity and beyond the range of products") {
  auto f = kt::function([](kt::zvector z) { return std::tuple(sgn(z), abs(z), z / (2 * z), pow(z, 2.5), exp(z), z == z, real(z) + imag(z), angle(z)); });
  double const inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  vec<std::complex<double>> z{{0, 0}, {1e200, 1e200}, {inf, 0}, {nan, 0}, {-inf, 1}, {0, -2}};
  auto const [direction, size, half, power, e, same, sum, angle] = f(z);
  CHECK(direction(0) == 0.);
  CHECK(close(direction(1), {std::sqrt(0.5), std::sqrt(0.5)}, 1e-15));
  CHECK(direction(2) == 1.);
  CHECK(std::isnan(direction(3).real()));
  CHECK(direction(4) == -1.);
  CHECK(direction(5) == std::complex<double>(0, -1));
  CHECK((size(1) == std::hypot(1e200, 1e200) && size(2) == inf && std::isnan(size(3))));
  CHECK(half(1) == 0.5);
  CHECK(power(0) == 0.);
  CHECK(e(4) == 0.);
  CHECK((angle(0) == 0 && close(angle(4), 4 * std::atan(1.), 1e-15) && sum(5) == -2));
  (void)same;
}

TEST_CASE("real tensors have the parts of complex ones") {
  auto f = kt::function([](kt::dvector x, kt::ivector n, kt::fvector s) {
    static_assert(std::is_same_v<decltype(angle(n)), kt::dvector> && std::is_same_v<decltype(angle(s)), kt::fvector>);
    static_assert(std::is_same_v<decltype(real(n)), kt::ivector> && std::is_same_v<decltype(imag(n)), kt::ivector>);
    static_assert(std::is_same_v<decltype(complex(s, s)), kt::cvector> && std::is_same_v<decltype(complex(n, x)), kt::zvector> &&
                  std::is_same_v<decltype(complex(s, 1)), kt::cvector>);
    return std::tuple(real(x), imag(x), conj(n), angle(x), angle(n), complex(x, s), complex(1, n), real(n) + imag(n));
  });
  vec<double> x{-1.5, 2, 0};
  vec<std::int32_t> n{-1, 0, 7};
  vec<float> s{1, -2, 3};
  double const pi = 4 * std::atan(1.);
  auto const [re, im, same, angle_x, angle_n, z, w, parts] = f(x, n, s);
  CHECK((re == x && im == vec<double>{0, 0, 0} && same == n && parts == n));
  CHECK((angle_x == vec<double>{pi, 0, 0} && angle_n == vec<double>{pi, 0, 0}));
  CHECK((z == vec<c128>{{-1.5, 1}, {2, -2}, {0, 3}}));
  CHECK((w == vec<c128>{{1, -1}, {1, 0}, {1, 7}}));
}
