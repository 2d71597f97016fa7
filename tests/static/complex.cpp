// What the optimizer makes of complex numbers: what holds for them, and what holds for real numbers only.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;
using namespace std::complex_literals;

namespace {

template <auto f, auto g>
constexpr bool same = std::is_same_v<kt::canonical<f>, kt::canonical<g>>;
#define OF_Z(...) [](kt::zvector z) { return __VA_ARGS__; }
#define OF_ZW(...) [](kt::zvector z, kt::zvector w) { return (void)z, (void)w, __VA_ARGS__; }
#define OF_ZX(...) [](kt::zvector z, kt::dvector x) { return (void)z, (void)x, __VA_ARGS__; }

// The normal form of sums and products.
static_assert(same<OF_Z(z + z - 3 * z), OF_Z(-z)>);
static_assert(same<OF_ZW(z * w / z), OF_ZW(1 * w)>);
static_assert(same<OF_ZW((z * w) * w / w * z), OF_ZW(sqr(z) * w)>);
static_assert(same<OF_ZW(z * w + z * w * 1i), OF_ZW(w * z * (1 + 1i * z / z))>);
static_assert(same<OF_Z(sqrt(z) * sqrt(z)), OF_Z(1 * z)>);
static_assert(same<OF_Z(sqr(sqrt(z))), OF_Z(1 * z)>);
static_assert(same<OF_Z(pow(pow(z, 0.5), 4)), OF_Z(sqr(z))>);
static_assert(same<OF_ZW(exp(z) * exp(w)), OF_ZW(exp(z + w))>);
static_assert(same<OF_Z(sqr(exp(z))), OF_Z(exp(2 * z))>);
static_assert(same<OF_Z(exp(log(z))), OF_Z(1 * z)>);
static_assert(same<OF_Z(sin(asin(z))), OF_Z(1 * z)>);

// Branches: a root does not undo a square, nor a logarithm an exponential.
static_assert(!same<OF_Z(sqrt(sqr(z))), OF_Z(kt::cast<std::complex<double>>(abs(z)))>);
static_assert(!same<OF_Z(sqrt(sqr(z))), OF_Z(1 * z)>);
static_assert(!same<OF_Z(sqrt(exp(z))), OF_Z(exp(0.5 * z))>);
static_assert(!same<OF_Z(pow(pow(z, 3), 0.5)), OF_Z(pow(z, 1.5))>);
static_assert(!same<OF_Z(log(exp(z))), OF_Z(1 * z)>);
static_assert(!same<OF_Z(log(sqr(z))), OF_Z(2 * log(z))>);
static_assert(!same<OF_Z(sqr(abs(z))), OF_Z(abs(sqr(z)))>);
static_assert(!same<OF_Z(abs(exp(z))), OF_Z(real(exp(z)))>);

// Parts and conjugates.
static_assert(same<OF_Z(conj(conj(z))), OF_Z(1 * z)>);
static_assert(same<OF_ZW(conj(z * conj(w) + 2)), OF_ZW(conj(z) * w + 2)>);
static_assert(same<OF_ZX(conj(z * x)), OF_ZX(conj(z) * x)>);
static_assert(same<OF_ZX(real(complex(x, 2 * x))), OF_ZX(1 * x)>);
static_assert(same<OF_ZX(imag(complex(x, 2 * x))), OF_ZX(2 * x)>);
static_assert(same<OF_ZX(complex(real(z), imag(z))), OF_ZX(1 * z)>);
static_assert(same<OF_ZX(imag(conj(z))), OF_ZX(-imag(z))>);
static_assert(same<OF_ZX(real(kt::cast<std::complex<double>>(x))), OF_ZX(1 * x)>);
static_assert(same<OF_Z(abs(conj(z))), OF_Z(abs(z))>);
static_assert(same<OF_Z(sqr(abs(z))), OF_Z(sqr(real(z)) + sqr(imag(z)))>);
static_assert(same<OF_Z(grad(sum(sqr(abs(z))), z)), OF_Z(2 * z)>);
static_assert(same<OF_ZW(grad(real(sum(conj(w) * z)), z)), OF_ZW(1 * w)>);

// Rules of one's own are for real numbers, unless they say otherwise.
constexpr auto square = [](auto a) { return sin(a) * a >> cos(a); };
constexpr auto real_rules = kt::rules(kt::rule<"one">(square));
constexpr auto complex_rules = kt::rules(kt::rule<"other">(square).complex());
constexpr auto with_real = kt::mode::fast_run.with<real_rules>();
constexpr auto with_complex = kt::mode::fast_run.with<complex_rules>();
static_assert(std::is_same_v<kt::canonical<OF_Z(sin(z) * z), with_real>, kt::canonical<OF_Z(sin(z) * z)>>);
static_assert(std::is_same_v<kt::canonical<OF_Z(sin(z) * z), with_complex>, kt::canonical<OF_Z(cos(z))>>);

}  // namespace
