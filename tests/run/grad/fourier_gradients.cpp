// Gradients of Fourier transforms, of any order and in both modes, and transforms of many rows by
// vmap.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

vec<double> wave(I n) {
  vec<double> x(std::array<I, 1>{n});
  for (I i = 0; i < n; ++i) x(i) = std::sin(1.7 * static_cast<double>(i) + 0.3);
  return x;
}
constexpr auto bend = [](auto y) { return sum(sqr(real(y)) * imag(y) + tanh(imag(y))); };

}  // namespace

TEST_CASE("gradients of Fourier transforms against differences") {
  constexpr auto half = [](kt::dvector x) { return bend(rfft(x)); };
  constexpr auto whole = [](kt::dvector x) {
    return bend(ifft(fft(x, 6) * fft(sin(x), 6), kt::norm::ortho));
  };
  constexpr auto back = [](kt::dvector re, kt::dvector im) {
    return sum(tanh(irfft(kt::complex(re, im), 5))) + sum(sqr(irfft(kt::complex(re, im))));
  };
  constexpr auto plane = [](kt::dmatrix x) {
    return bend(rfft2(x)) + sum(sqr(irfft2(rfft2(x) * rfft2(cos(x)))));
  };
  for (I n : {3, 4, 7, 8}) {
    CAPTURE(n);
    CHECK(kt::verify_grad(half, wave(n)));
    CHECK(kt::verify_grad(whole, wave(n)));
    CHECK(kt::verify_grad(back, wave(n), vec<double>(wave(n) + 0.5)));
  }
  CHECK(kt::verify_grad(plane, mat<double>(xt::reshape_view(wave(20), {5, 4}))));
}

TEST_CASE("forward mode and Hessians of Fourier transforms") {
  // The energy of a spectrum is that of the numbers, times n: the gradient is 2 n x, the Hessian 2
  // n.
  auto f = kt::function([](kt::dvector x, kt::dvector v) {
    auto energy = sum(sqr(abs(fft(x))));
    return std::tuple(
        energy, grad(energy, x), hessian(energy, x), rop(rfft(sqr(x)), x, v), rfft(2 * x * v),
        kt::vmap([](kt::dvector r) { return irfft(rfft(r) * 2, r.shape(0)); })(outer(x, v)));
  });
  I const n = 7;
  vec<double> const x = wave(n), v = 1 / (2 + wave(n));
  auto const [energy, g, h, pushed, expected, rows] = f(x, v);
  double sum = 0;
  for (double one : x) sum += one * one;
  CHECK(energy == Approx(7 * sum).epsilon(1e-13));
  CHECK(mismatch(g, [&](I i) { return 14 * x(i); }, 1e-12, 1e-12) == "");
  CHECK(mismatch(h, [&](I i, I j) { return i == j ? 14.0 : 0.0; }, 1e-12, 1e-12) == "");
  CHECK(mismatch(pushed, [&](I k) { return expected(k); }, 1e-12, 1e-12) == "");
  CHECK(mismatch(rows, [&](I i, I j) { return 2 * x(i) * v(j); }, 1e-12, 1e-12) == "");
}

TEST_CASE("numbers move out of transforms, complex ones where the result is complex") {
  auto f = kt::function([](kt::zvector z, kt::cscalar c, kt::dscalar s) {
    return std::tuple(irfft(z * c), irfft(z / s), fft(z * c), irfft(z) * s);
  });
  vec<std::complex<double>> const z{{1, 2}, {3, -1}, {2, 0}};
  auto const [turned, divided, forth, times] = f(z, std::complex<float>(0, 1), 2.0);
  // The coefficients of i z are -2 and 0, of which real parts count, and 1 + 3i between them.
  CHECK(mismatch(turned, [](I j) { return vec<double>{0, -2, -1, 1}(j); }, 1e-14, 1e-14) == "");
  CHECK(mismatch(divided, [&](I j) { return times(j) / 4; }, 1e-14, 1e-14) == "");
  CHECK(std::abs(forth(0) - std::complex<double>(-1, 6)) < 1e-14);
}

TEST_CASE("convolutions by transforms, and frequencies") {
  auto f = kt::function([](kt::dvector a, kt::dvector b, kt::dmatrix m, kt::dmatrix k) {
    return std::tuple(fftconvolve(a, b, kt::border::valid), fftconvolve(a, b, kt::border::half),
                      fftconvolve(a, b), fftconvolve(m, k), fftconvolve(a, kt::complex(b, b)),
                      kt::fftfreq(a.shape(0)), kt::rfftfreq(a.shape(0), 0.5));
  });
  for (I n : {1, 6, 7, 50}) {
    CAPTURE(n);
    vec<double> const a = wave(n), b = wave(4);
    mat<double> const m = xt::reshape_view(wave(12), {3, 4}), k = xt::reshape_view(wave(4), {2, 2});
    auto const [valid, middle, line, plane, complex, whole, half] = f(a, b, m, k);
    REQUIRE(line.size() == n + 3);
    auto const at = [&](I i) {
      double sum = 0;
      for (I j = 0; j < 4; ++j)
        if (i >= j && i - j < n) sum += a(i - j) * b(j);
      return sum;
    };
    CHECK(mismatch(line, at, 1e-13, 1e-13) == "");
    REQUIRE(valid.size() == (n < 4 ? 5 - n : n - 3));
    CHECK(mismatch(valid, [&](I i) { return at(i + std::min<I>(n, 4) - 1); }, 1e-13, 1e-13) == "");
    REQUIRE(middle.size() == n);
    CHECK(mismatch(middle, [&](I i) { return at(i + 1); }, 1e-13, 1e-13) == "");
    CHECK(mismatch(
              complex, [&](I i) { return std::complex<double>(at(i), at(i)); }, 1e-13, 1e-13) ==
          "");
    CHECK(mismatch(
              plane,
              [&](I i, I j) {
                double sum = 0;
                for (I p = 0; p < 2; ++p)
                  for (I q = 0; q < 2; ++q)
                    if (i >= p && i - p < 3 && j >= q && j - q < 4)
                      sum += m(i - p, j - q) * k(p, q);
                return sum;
              },
              1e-13, 1e-13) == "");
    REQUIRE(plane.shape()[1] == 5);
    double const size = static_cast<double>(n);
    CHECK(mismatch(
              whole,
              [&](I i) { return (static_cast<double>(i) - (i >= (n + 1) / 2 ? size : 0)) / size; },
              1e-15, 1e-15) == "");
    REQUIRE(half.size() == n / 2 + 1);
    CHECK(mismatch(
              half, [&](I i) { return static_cast<double>(i) / (size * 0.5); }, 1e-15, 1e-15) ==
          "");
  }
}
