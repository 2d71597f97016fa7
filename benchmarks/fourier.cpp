// Fourier transforms: of one line, of many, in two dimensions, and convolutions by them.
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/python.hpp"
#include "harness/report.hpp"

#include <kroton/kroton.hpp>

#if __has_include(<kissfft/kissfft.hh>)
#include <kissfft/kissfft.hh>
#endif

namespace kt = kroton;

namespace {

using number = std::complex<double>;
using reals = xt::xtensor<double, 1>;
using numbers = xt::xtensor<number, 1>;

constexpr auto values_of = [](auto const& z) {
  std::vector<double> parts;
  for (number const& c : z) parts.insert(parts.end(), {c.real(), c.imag()});
  return parts;
};

reals wave(std::size_t n) {
  reals x(std::array<std::size_t, 1>{n});
  for (std::size_t i = 0; i < n; ++i)
    x(i) = std::sin(1.3 * static_cast<double>(i)) + 0.01 * static_cast<double>(i % 7);
  return x;
}

// Powers of two, a product of small primes, and a prime.
constexpr std::size_t lengths[] = {64, 1000, 1009, 4096, 65536};

void complex_lines(bench::program& p) {
  auto f = kt::function([](kt::zvector z) { return fft(z); });
  for (std::size_t n : lengths) {
    bench::contest c(p, "fft of complex128", bench::nanoseconds("an element"), std::to_string(n),
                     static_cast<double>(n));
    if (!c) continue;
    reals const x = wave(2 * n);
    numbers z(std::array<std::size_t, 1>{n}), y = z;
    for (std::size_t i = 0; i < n; ++i) z(i) = {x(i), x(i + n)};
    c.tolerance(1e-9);
    auto const result = [&] { return values_of(y); };
    c.add("Kroton", [&] { f.into(y, z); }, result);
#if __has_include(<kissfft/kissfft.hh>)
    kissfft<double> const alone(n, false);
    c.add("KISS FFT alone", [&] { alone.transform(z.data(), y.data()); }, result);
#endif
    bench::python python;
    if (bench::python::available()) {
      python.array("a", x);
      python.run("z = a[:len(a) // 2] + 1j * a[len(a) // 2:]");
      c.add("NumPy", python.loop("np.fft.fft(z)"),
            [&] { return python.values("np.fft.fft(z).view(float)"); });
    }
    c.measure();
  }
}

void real_lines(bench::program& p) {
  auto f = kt::function([](kt::dvector x) { return rfft(x); });
  for (std::size_t n : lengths) {
    bench::contest c(p, "rfft of float64", bench::nanoseconds("an element"), std::to_string(n),
                     static_cast<double>(n));
    if (!c) continue;
    reals const x = wave(n);
    numbers y(std::array<std::size_t, 1>{n / 2 + 1});
    c.tolerance(1e-9);
    c.add("Kroton", [&] { f.into(y, x); }, [&] { return values_of(y); });
    bench::python python;
    if (bench::python::available()) {
      python.array("x", x);
      c.add("NumPy", python.loop("np.fft.rfft(x)"),
            [&] { return python.values("np.fft.rfft(x).view(float)"); });
    }
    c.measure();
  }
}

void filters(bench::program& p) {
  auto f =
      kt::function([](kt::dvector x, kt::dvector h) { return irfft(rfft(x) * h, x.shape(0)); });
  for (std::size_t n : lengths) {
    bench::contest c(p, "irfft(rfft(x) * h)", bench::nanoseconds("an element"), std::to_string(n),
                     static_cast<double>(n));
    if (!c) continue;
    reals const x = wave(n), h = wave(n / 2 + 1);
    reals y = x;
    c.tolerance(1e-9);
    c.add("Kroton", [&] { f.into(y, x, h); }, [&] { return y; });
    bench::python python;
    if (bench::python::available()) {
      python.array("x", x), python.array("h", h);
      char const* const text = "np.fft.irfft(np.fft.rfft(x) * h, len(x))";
      c.add("NumPy", python.loop(text), [&, text] { return python.values(text); });
    }
    c.measure();
  }
}

void many_lines(bench::program& p) {
  auto f = kt::function([](kt::dmatrix x) { return rfft(x); });
  auto g = kt::function([](kt::dmatrix x) { return rfft2(x); });
  for (bool plane : {false, true}) {
    bench::contest c(p, "512 rows of 512 numbers", bench::nanoseconds("an element"),
                     plane ? "rfft2" : "rfft of each", 512.0 * 512);
    if (!c) continue;
    xt::xtensor<double, 2> const x = xt::reshape_view(wave(512 * 512), {512, 512});
    xt::xtensor<number, 2> y(std::array<std::size_t, 2>{512, 257});
    c.tolerance(1e-9);
    auto const result = [&] { return values_of(y); };
    if (plane) c.add("Kroton", [&] { g.into(y, x); }, result);
    else c.add("Kroton", [&] { f.into(y, x); }, result);
    bench::python python;
    if (bench::python::available()) {
      python.array("x", x);
      std::string const text = plane ? "np.fft.rfft2(x)" : "np.fft.rfft(x)";
      c.add("NumPy", python.loop(text),
            [&, text] { return python.values("np.ascontiguousarray(" + text + ").view(float)"); });
    }
    c.measure();
  }
}

void convolutions(bench::program& p) {
  auto f = kt::function([](kt::dvector a, kt::dvector b) { return fftconvolve(a, b); });
  for (std::size_t n : {1'000, 100'000}) {
    bench::contest c(p, "convolution with 1000 numbers", bench::nanoseconds("an element"),
                     std::to_string(n), static_cast<double>(n));
    if (!c) continue;
    reals const a = wave(n), b = wave(1000);
    reals y(std::array<std::size_t, 1>{n + 999});
    c.tolerance(1e-7);
    auto const result = [&] { return y; };
    c.add("Kroton, fftconvolve", [&] { f.into(y, a, b); }, result);
    c.add(
        "by hand, without transforms",
        [&] {
          std::fill(y.begin(), y.end(), 0.0);
          for (std::size_t j = 0; j < b.size(); ++j)
            for (std::size_t i = 0; i < n; ++i) y.data()[i + j] += a.data()[i] * b.data()[j];
        },
        result);
    c.measure();
  }
}

}  // namespace

int main(int argc, char** argv) {
  bench::program p("fourier", "fourier: transforms of lines, and convolutions by them", argc, argv);
  complex_lines(p), real_lines(p), filters(p), many_lines(p), convolutions(p);
  return p.finish();
}
