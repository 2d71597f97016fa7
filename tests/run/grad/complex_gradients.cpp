// Gradients of real costs by complex variables: dL/dx + i dL/dy, against differences in both directions.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/complex.hpp"

using namespace complex_tests;
using namespace std::complex_literals;

namespace {

vec<c128> points() { return {0.5 + 0.25i, -1.25 + 0.75i, -0.5 - 1.5i, 1.5 - 0.5i}; }

}  // namespace

TEST_CASE("gradients of holomorphic functions") {
  auto elementary = [](kt::zvector z, kt::zvector w) {
    return std::tuple(exp(z) + exp2(w), expm1(z) * log(w), log2(z) / log10(w), log1p(z) - sqrt(w));
  };
  auto all = [](auto f, auto... x) { return kt::verify_grad(f, x...); };
  (void)elementary;
  CHECK(all([](kt::zvector z) { return exp(z) * exp2(z) + expm1(z) * log(z) - log2(z) / log10(z) + log1p(z) * sqrt(z); }, points()));
  CHECK(all([](kt::zvector z) { return sin(z) * cos(z) + tan(z) * sinh(z) - cosh(z) * tanh(z) + sqr(z) * inv(z + 2); }, points()));
  CHECK(all([](kt::zvector z) { return asin(z) * acos(z) + atan(z) * asinh(z) - acosh(z) * atanh(z); }, points()));
  CHECK(all([](kt::zvector z, kt::zvector w) { return z * w / (z - 3i) - pow(z, 3) + pow(w, 2.5) * pow(z, w) + pow(2.i, z) + pow(z, c128(1, 1)); },
            points(), vec<c128>(points() * 0.5)));
}

TEST_CASE("gradients of functions that are not holomorphic") {
  auto cost = [](kt::zvector z, kt::dvector x) {
    return abs(z) * real(z) + sqr(abs(z + x)) - imag(z) * angle(z) + real(conj(z) * exp(z)) + imag(sgn(z - 1i)) + abs(complex(x, real(z)) * z) +
           real(complex(sin(x), 2)) + abs(x * 2i * conj(conj(z) + x));
  };
  CHECK(kt::verify_grad(cost, points(), vec<double>{1, -0.5, 2, 0.25}));
  auto single = [](kt::cvector z, kt::fvector x) { return abs(z * x) + real(z * z * x); };
  CHECK(kt::verify_grad(single, vec<c64>(xt::cast<c64>(points())), vec<float>{1, -0.5f, 2, 0.25f}));
}

namespace {

/// The sum of the squared absolute values of a complex vector, as an op with a function of its own: a real result.
struct energy : kt::operation<"energy", 1> {
  static constexpr bool takes_complex = true;
  static constexpr kt::tensor_type type(kt::core::application const&) { return {kt::element::float64, 0, 0}; }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int) { return {}; }
  static constexpr auto pullback(auto g, auto, auto z) { return kt::inputs(2 * g * z); }
  static void run(kt::core::invocation const& call) {
    kt::core::array_ref const& z = call.operand(0);
    double total = 0;
    for (std::ptrdiff_t i = 0; i < z.extents[0]; ++i) total += std::norm(reinterpret_cast<c128 const*>(z.data)[i * z.strides[0]]);
    *reinterpret_cast<double*>(call.result().data) = total;
  }
};
constexpr auto energy_of = [](kt::zvector z) { return kt::dscalar(kt::term{z.of, z.of->apply<energy>({z.id})}); };

}  // namespace

TEST_CASE("the gradient of a slice by slice op with a real result is that of the op") {
  vec<c128> const z{1. + 2i, 3. - 1i};
  vec<c128> const one = kt::function(kt::grad(energy_of))(z);
  CHECK((one == vec<c128>{2. + 4i, 6. - 2i}));
  auto rows = kt::function([](kt::zmatrix m) { return grad(sum(kt::vmap<0>(energy_of)(m)), m); });
  mat<c128> const many = rows(mat<c128>{{1. + 2i, 3. - 1i}, {1i, 2.}});
  CHECK((many == mat<c128>{{2. + 4i, 6. - 2i}, {2i, 4.}}));
}

TEST_CASE("gradients through complex tensors") {
  // Broadcasting, real operands, choices, reductions, products and views.
  auto cost = [](kt::zmatrix a, kt::zvector z, kt::dvector x, kt::zscalar s) {
    auto y = dot(a, z * x) + s;
    auto chosen = where(x > 0, z * s, conj(z));
    return real(sum(y * conj(y))) + abs(sum(chosen)) + real(prod(z + s)) + abs(mean(dot(a.T(), conj(a)))) + imag(dot(z, y)) +
           abs(a(0, 1) * s) + sum(abs(kt::reshape<1>(a, -1)(kt::slice(1, 4)))) + real(dot(dot(x, a), conj(z))) + abs(sum(a * x, kt::axis<1>)(2)) +
           real(ifelse(real(s) > 0, s * s, sin(s)));
  };
  vec<c128> const z{1. + 2i, 0.5 - 1i, -1. + 0.5i};
  CHECK(kt::verify_grad(cost, matrix(3, 3), z, vec<double>{1, -2, 0.5}, 0.5 - 0.25i));
  auto with_zero = [](kt::zvector z) { return real(prod(z) * 1i); };
  CHECK(kt::verify_grad(with_zero, vec<c128>{1. + 1i, 0., 2i}));
}

TEST_CASE("gradients through what moves complex elements") {
  auto cost = [](kt::zvector z, kt::zvector w, kt::lvector i) {
    auto joined = kt::concatenate<0>(z, conj(w));
    return sum(abs(take(joined, i))) + real(sum(set_subtensor(z(kt::slice(0, 2)), w(kt::slice(0, 2))) * w)) + abs(sum(cumsum(z) * w)) +
           real(trace(outer(z, w))) + sum(abs(inc_subtensor(z(1), w(0))));
  };
  CHECK(kt::verify_grad(cost, points(), vec<c128>(points() * (0.5 - 1i)), vec<std::int64_t>{0, 4, 5, 1}));
}

TEST_CASE("gradients of gradients by complex variables") {
  auto second = [](kt::zvector z, kt::zvector v) {
    auto g = grad(sum(abs(exp(z))) + real(sum(z * z * conj(z))), z);
    return real(sum(conj(g) * v)) + sum(abs(g));
  };
  CHECK(kt::verify_grad(second, points(), vec<c128>(points() * 1i)));
}

TEST_CASE("the convention: the gradient points where a real cost rises") {
  auto f = kt::function([](kt::zscalar z, kt::dscalar x) {
    return std::tuple(grad(abs(z), z), grad(real(z * c128(3, 4)), z), grad(real(z), z), grad(imag(z), z), grad(sqr(abs(z)), z), grad(imag(x * z), x),
                      grad(real(exp(z)), z));
  });
  c128 const z = 3. - 4i;
  auto const [size, product, re, im, square, by_real, holomorphic] = f(z, 2);
  CHECK(close(size, 0.6 - 0.8i, 1e-15));
  CHECK(close(product, 3. - 4i, 1e-15));
  CHECK((re == 1. && im == 1i && square == 2. * z && by_real == -4));
  CHECK(close(holomorphic, std::conj(std::exp(z)), 1e-14));
  // Where there is no direction there is no slope.
  auto const zero = f(0, 1);
  CHECK((std::get<0>(zero) == 0. && std::get<4>(zero) == 0.));
}

TEST_CASE("pushforwards and pullbacks of complex functions") {
  auto f = kt::function([](kt::zvector z, kt::zvector v, kt::zvector u) {
    auto y = exp(z) * conj(z);
    return std::tuple(rop(y, z, v), lop(y, z, u));
  });
  auto const z = points(), v = vec<c128>(points() * (0.3 + 1i)), u = vec<c128>(xt::conj(points()) + 1i);
  auto const [forward, back] = f(z, v, u);
  double pushed = 0, pulled = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    c128 const e = std::exp(z(i)), slope = e * std::conj(z(i)) * v(i) + e * std::conj(v(i));
    CHECK(close(forward(i), slope, 1e-13));
    pushed += (std::conj(u(i)) * forward(i)).real();
    pulled += (std::conj(back(i)) * v(i)).real();
  }
  CHECK(std::abs(pushed - pulled) < 1e-12);
}
