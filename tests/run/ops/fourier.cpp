// Fourier transforms against the sums that define them: lengths, axes, norms, element types,
// layouts, gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;
using C = std::complex<double>;

namespace {

/// exp(-2 pi i j k / n), or with the other sign, exact to the last digits for large j k.
C turn(I j, I k, I n, double sign) {
  long double const angle =
      2 * std::acos(-1.0L) * static_cast<long double>(j * k % n) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), sign * static_cast<double>(std::sin(angle))};
}
template <class X>
C coefficient(X const& x, I n, I k, double sign = -1) {
  C sum = 0;
  for (I j = 0; j < std::min<I>(n, x.size()); ++j) sum += C(x(j)) * turn(j, k, n, sign);
  return sum;
}
vec<double> wave(I n) {
  vec<double> x(std::array<I, 1>{n});
  for (I i = 0; i < n; ++i)
    x(i) = std::sin(1.7 * static_cast<double>(i) + 0.3) + 0.1 * static_cast<double>(i % 5);
  return x;
}
vec<C> spiral(I n) {
  vec<C> x(std::array<I, 1>{n});
  for (I i = 0; i < n; ++i)
    x(i) = {std::sin(1.1 * static_cast<double>(i)), std::cos(2.3 * static_cast<double>(i) + 1)};
  return x;
}

constexpr auto of_real = [](kt::dvector x) {
  return std::tuple(fft(x), rfft(x), irfft(rfft(x), x.shape(0)), rfft(x, 12), fft(x, 4),
                    irfft(rfft(x), 6), rfft(x, kt::norm::ortho),
                    irfft(rfft(x, kt::norm::forward), x.shape(0), kt::norm::forward));
};
constexpr auto of_complex = [](kt::zvector z) {
  return std::tuple(fft(z), ifft(z), ifft(fft(z)), irfft(z), fft(z, kt::norm::ortho),
                    ifft(z, kt::norm::forward), fft(z, z.shape(0) * 2));
};

template <class F, class G>
void check_lengths(F const& real, G const& complex) {
  // Powers of two, products of small primes, odd ones, and primes that need a convolution.
  for (I n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 31, 37, 64, 101, 210, 254}) {
    CAPTURE(n);
    double const size = static_cast<double>(n);
    vec<double> const x = wave(n);
    auto const [whole, half, back, longer, cut, six, ortho, forward] = real(x);
    REQUIRE(whole.size() == n);
    REQUIRE(half.size() == n / 2 + 1);
    CHECK(mismatch(whole, [&](I k) { return coefficient(x, n, k); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(half, [&](I k) { return coefficient(x, n, k); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(back, [&](I j) { return x(j); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(forward, [&](I j) { return x(j); }, 1e-13, 1e-13) == "");
    REQUIRE(longer.size() == 7);
    CHECK(mismatch(longer, [&](I k) { return coefficient(x, 12, k); }, 1e-12, 1e-12) == "");
    REQUIRE(cut.size() == 4);
    CHECK(mismatch(cut, [&](I k) { return coefficient(x, 4, k); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(
              ortho, [&](I k) { return coefficient(x, n, k) / std::sqrt(size); }, 1e-12, 1e-12) ==
          "");
    // Six numbers from the four coefficients that count.
    REQUIRE(six.size() == 6);
    CHECK(mismatch(
              six,
              [&](I j) {
                double sum = 0;
                for (I k = 0; k < 4 && k < half.size(); ++k)
                  sum +=
                      (k == 0 || k == 3 ? 1 : 2) *
                      ((k == 0 || k == 3 ? C(half(k).real()) : half(k)) * turn(j, k, 6, 1)).real();
                return sum / 6;
              },
              1e-12, 1e-12) == "");

    vec<C> const z = spiral(n);
    auto const [there, inverse, both, as_real, scaled, undivided, twice] = complex(z);
    CHECK(mismatch(there, [&](I k) { return coefficient(z, n, k); }, 1e-12, 1e-12) == "");
    CHECK(
        mismatch(inverse, [&](I k) { return coefficient(z, n, k, 1) / size; }, 1e-12, 1e-12) == "");
    CHECK(mismatch(both, [&](I j) { return z(j); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(
              scaled, [&](I k) { return coefficient(z, n, k) / std::sqrt(size); }, 1e-12, 1e-12) ==
          "");
    CHECK(mismatch(undivided, [&](I k) { return coefficient(z, n, k, 1); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(twice, [&](I k) { return coefficient(z, 2 * n, k); }, 1e-12, 1e-12) == "");
  }
}

}  // namespace

TEST_CASE("Fourier transforms of every kind of length are the sums that define them") {
  // A single coefficient would give no numbers: irfft(z) asks for 2 (n - 1) of them.
  auto compiled = kt::function(of_real);
  auto complex = kt::function([](kt::zvector z) {
    return std::tuple(fft(z), ifft(z), ifft(fft(z)), z, fft(z, kt::norm::ortho),
                      ifft(z, kt::norm::forward), fft(z, z.shape(0) * 2));
  });
  check_lengths(compiled, complex);
  auto interpreted = kt::function(of_complex, kt::mode::interpret);
  CHECK_THROWS_AS(interpreted(spiral(1)), kt::value_error);
  for (I n : {2, 3, 8, 37}) {
    vec<C> const z = spiral(n);
    auto const [there, inverse, both, as_real, scaled, undivided, twice] = interpreted(z);
    CHECK(mismatch(there, [&](I k) { return coefficient(z, n, k); }, 1e-12, 1e-12) == "");
    CHECK(mismatch(twice, [&](I k) { return coefficient(z, 2 * n, k); }, 1e-12, 1e-12) == "");
    I const m = 2 * (n - 1);
    REQUIRE(as_real.size() == m);
    CHECK(mismatch(
              as_real,
              [&](I j) {
                double sum = z(0).real() + (z(n - 1).real() * turn(j, n - 1, m, 1)).real();
                for (I k = 1; k + 1 < n; ++k) sum += 2 * (z(k) * turn(j, k, m, 1)).real();
                return sum / static_cast<double>(m);
              },
              1e-12, 1e-12) == "");
  }
}

TEST_CASE("transforms along axes of arrays of any layout, and of other elements") {
  auto f = kt::function([](kt::dmatrix x) {
    return std::tuple(fft(x, kt::axis<0>), rfft(x), fft2(x), rfft2(x), irfftn(rfftn(x)),
                      ifft2(fft2(x, kt::norm::ortho), kt::norm::ortho), fftn(x, kt::axis<0>),
                      fftshift(x), ifftshift(fftshift(x, kt::axis<1>), kt::axis<1>));
  });
  auto check = [&](auto const& x) {
    I const n = x.shape()[0], m = x.shape()[1];
    auto along = [&](I k, I j) {
      C sum = 0;
      for (I i = 0; i < n; ++i) sum += x(i, j) * turn(i, k, n, -1);
      return sum;
    };
    auto plane = [&](I k, I l) {
      C sum = 0;
      for (I i = 0; i < n; ++i)
        for (I j = 0; j < m; ++j) sum += x(i, j) * turn(i, k, n, -1) * turn(j, l, m, -1);
      return sum;
    };
    auto const [first, rows, both, half, back, ortho, one, middle, there] = f(x);
    CHECK(mismatch(first, along, 1e-12, 1e-12) == "");
    CHECK(mismatch(one, along, 1e-12, 1e-12) == "");
    CHECK(mismatch(
              rows,
              [&](I i, I l) {
                C sum = 0;
                for (I j = 0; j < m; ++j) sum += x(i, j) * turn(j, l, m, -1);
                return sum;
              },
              1e-12, 1e-12) == "");
    CHECK(mismatch(both, plane, 1e-12, 1e-12) == "");
    REQUIRE(half.shape()[1] == m / 2 + 1);
    CHECK(mismatch(half, plane, 1e-12, 1e-12) == "");
    REQUIRE(back.shape()[1] == m);  // which is even
    CHECK(mismatch(back, [&](I i, I j) { return x(i, j); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(ortho, [&](I i, I j) { return C(x(i, j)); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(middle, [&](I i, I j) { return x((i + n - n / 2) % n, (j + m - m / 2) % m); }) ==
          "");
    CHECK(mismatch(there, [&](I i, I j) { return x(i, j); }) == "");
  };
  mat<double> const x = xt::reshape_view(wave(35 * 2), {7, 10});
  check(x);
  check(mat<double>(xt::transpose(mat<double>(xt::reshape_view(wave(30), {6, 5})))));
  check(xt::view(x, xt::range(0, 7, 2), xt::range(1, 9)));
  // A matrix without rows has nothing to transform along one axis, and no rows along the other.
  CHECK_THROWS_AS(f(mat<double>(std::array<I, 2>{0, 4})), kt::value_error);
  auto rows = kt::function([](kt::dmatrix x) { return rfft(x); });
  CHECK(rows(mat<double>(std::array<I, 2>{0, 4})).shape()[1] == 3);
  CHECK_THROWS_AS(rows(mat<double>(std::array<I, 2>{4, 0})), kt::value_error);

  auto types = kt::function([](kt::fvector x, kt::vector<int> i, kt::cvector c) {
    return std::tuple(rfft(x), fft(i), ifft(c));
  });
  vec<float> const floats = xt::cast<float>(wave(1000));
  vec<int> const integers{1, 2, 3, 4, 5};
  vec<std::complex<float>> const singles = xt::cast<std::complex<float>>(spiral(30));
  auto const [r, i, c] = types(floats, integers, singles);
  static_assert(std::is_same_v<decltype(r), vec<std::complex<float>> const> &&
                std::is_same_v<decltype(i), vec<C> const>);
  double error = 0, largest = 0;
  for (I k = 0; k < r.size(); ++k) {
    error = std::max(error, std::abs(C(r(k)) - coefficient(floats, 1000, k)));
    largest = std::max(largest, std::abs(C(r(k))));
  }
  CHECK(error <= 1e-7 * largest);
  CHECK(mismatch(i, [&](I k) { return coefficient(integers, 5, k); }, 1e-13, 1e-13) == "");
  CHECK(mismatch(
            c, [&](I k) { return std::complex<float>(coefficient(singles, 30, k, 1) / 30.0); },
            1e-6, 1e-6) == "");
}

TEST_CASE("fftconvolve needs elements, and exchanges arrays of which the second one is longer") {
  auto inside = kt::function([](kt::dvector a, kt::dvector b) { return fftconvolve(a, b, kt::border::valid); },
                             kt::mode::interpret);
  CHECK(inside(wave(5), wave(3)).size() == 3);
  vec<double> const x = wave(3), found = inside(x, vec<double>{1, 0, 0, 10, 0});
  CHECK(mismatch(found, [&](I i) { return i == 0 ? x(2) : i == 1 ? 10 * x(0) : 10 * x(1); }, 1e-13) == "");
  CHECK_THROWS_AS(inside(wave(3), wave(0)), kt::shape_error);
  auto full = kt::function([](kt::dvector a) { return fftconvolve(a, a); }, kt::mode::interpret);
  CHECK_THROWS_WITH(full(wave(0)), "fftconvolve: extent 0 of parameter 1 (dvector) is 0, but at least 1 is needed");
  CHECK_THROWS_WITH(kt::function([](kt::dvector a) { return rfft(a); }, kt::mode::interpret)(wave(0)),
                    "real_dft needs at least one element: extent 0 of parameter 1 (dvector) is 0");
}
