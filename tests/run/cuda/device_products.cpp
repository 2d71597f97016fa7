// Products on a device: each pairing of vectors and matrices in every layout.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace testing;

TEST_CASE("device products: vectors and matrices") {
  agree([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); }, grid(13, 37), grid(37, 8));
  agree([](kt::dmatrix a, kt::dvector v) { return dot(a, v); }, grid(13, 37), ramp(37));
  agree([](kt::dvector v, kt::dmatrix a) { return dot(v, a); }, ramp(13), grid(13, 37));
  agree([](kt::dvector v, kt::dvector w) { return dot(v, w); }, ramp(300), ramp(300));
  agree([](kt::fmatrix a, kt::fmatrix b) { return dot(a, b); }, grid<float>(13, 37),
        grid<float>(37, 8));
  agree([](kt::imatrix a, kt::imatrix b) { return dot(a, b); }, grid<std::int32_t>(13, 37),
        grid<std::int32_t>(37, 8));
  agree([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); }, grid(13, 0), grid(0, 8));
  agree([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); }, grid(1, 37), grid(37, 1));
  agree([](kt::dmatrix a, kt::dmatrix b) { return dot(a, b); }, grid(0, 37), grid(37, 3));
}

TEST_CASE("device products: any strides") {
  agree([](kt::dmatrix a, kt::dmatrix b) { return dot(a.T(), b.T()); }, grid(37, 13), grid(8, 37));
  agree([](kt::dmatrix a, kt::dmatrix b) {
    return dot(a(kt::slice(kt::none, kt::none, 2), kt::slice(kt::none, kt::none, -1)),
               b(kt::slice(kt::none, kt::none), kt::slice(1, kt::none, 3)));
  }, grid(13, 20), grid(20, 17));
  agree([](kt::dmatrix a, kt::dvector v) { return dot(a.T(), v(kt::slice(kt::none, kt::none, -1))); },
        grid(37, 13), ramp(37));
}

TEST_CASE("device products: added to what there is, scaled, in chains") {
  agree([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dscalar s) {
    return c - s * dot(a, b);
  }, grid(13, 37), grid(37, 8), grid(13, 8), 0.25);
  agree([](kt::dmatrix a, kt::dvector v, kt::dvector w) { return 2 * w + 3 * dot(a, v); },
        grid(13, 37), ramp(37), ramp(13));
  agree([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return dot(dot(a, b), c); }, grid(20, 5),
        grid(5, 30), grid(30, 7));
  agree([](kt::dmatrix a, kt::dmatrix b, kt::dvector v) { return dot(dot(a, b), v); }, grid(20, 5),
        grid(5, 30), ramp(30));
  // The factor is a result of the device.
  agree([](kt::dmatrix a, kt::dmatrix b, kt::dmatrix c) { return c + sum(a) * dot(a, b); },
        grid(13, 37), grid(37, 8), grid(13, 8));
}

TEST_CASE("device products: gradients and complex numbers") {
  agree([](kt::dmatrix a, kt::dmatrix b) { return grad(sum(sqr(dot(a, b))), a, b); }, grid(13, 37),
        grid(37, 8));
  agree([](kt::zmatrix a, kt::zmatrix b) { return dot(a, b); },
        xt::eval(grid(5, 6) + grid(5, 6) * std::complex<double>(0, 1)),
        xt::eval(grid(6, 3) - grid(6, 3) * std::complex<double>(0, 2)));
}
