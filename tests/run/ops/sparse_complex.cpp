// Sparse matrices of complex numbers: against dense ones, and gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/complex.hpp"

using namespace complex_tests;
using namespace std::complex_literals;
using zcsr = kt::csr<c128>;
using zcsc = kt::csc<c128>;

namespace {

// Of 4 x 4 elements the diagonal and one more in each line.
template <class T = c128, class M = kt::csr_array<T>>
M made(unsigned seed) {
  vec<T> values(std::array<std::size_t, 1>{8});
  auto const z = numbers<double>(8, seed);
  for (std::size_t i = 0; i < 8; ++i)
    if constexpr (kt::core::is_complex_number<T>) values(i) = T(z(i));
    else values(i) = z(i).real();
  return {values, std::vector{0, 2, 1, 3, 0, 2, 1, 3}, std::vector{0, 2, 4, 6, 8}, {4, 4}};
}

// The largest difference of elements.
constexpr auto distance = [](auto const& x, auto const& y) {
  if constexpr (kt::sparse<decltype(x)>) return max(abs(dense_from_sparse(x) - y));
  else return max(abs(x - y));
};

}  // namespace

TEST_CASE("complex sparse matrices compute what dense ones do", "[sparse]") {
  auto f = kt::function([](zcsr a, zcsc b, kt::csr<double> r, kt::zmatrix da, kt::zmatrix db,
                           kt::dmatrix dr, kt::zmatrix x, kt::zvector v) {
    return kt::stack<0>(
        distance(dot(a, b), dot(da, db)), distance(dot(a, x), dot(da, x)),
        distance(dot(x, b), dot(x, db)), distance(dot(r, v), dot(dr, v)),
        distance(a + r, da + dr), distance(b * a, db * da), distance(conj(a.T()), conj(da.T())),
        distance(sampling_dot(x, x, b), dot(x, x.T()) * db), distance(csr_from_dense(db), db),
        distance(vstack(a, a) * 2i, kt::concatenate<0>(da, da) * 2i),
        distance(sin(a) - x * a, sin(da) - x * da), distance(imag(a), imag(da)),
        distance(real(a) + angle(a), real(da) + angle(da)), distance(abs(b), abs(db)),
        distance(diag(a), diag(da)), distance(sum(a, kt::axis<0>), sum(da, kt::axis<0>)),
        abs(sum(a) - sum(da)), abs(a(2, 0) - da(2, 0)), distance(b / v, db / v));
  });
  auto const a = made(1);
  auto const b = made<c128, kt::csc_array<c128>>(2);
  auto const r = made<double>(3);
  vec<double> const distances = f(a, b, r, a.to_dense(), b.to_dense(), r.to_dense(),
                                  complex_tests::matrix(4, 4, 4), numbers(4, 5));
  CHECK(reference::mismatch(distances, [](auto) { return 0.; }, 0, 1e-14) == "");
}

TEST_CASE("gradients of complex sparse matrices", "[sparse]") {
  CHECK(kt::verify_grad(
      [](zcsr a, zcsc b, kt::csr<double> r, kt::zvector v) {
        return sum(sqr(abs(dot(a, v) + dot(v, r)))) + sum(real(dot(a, b).data())) +
               sum(imag(sqr((conj(a) * r + b).data()))) + abs(sum(a)) +
               sum(abs(sampling_dot(kt::outer(v, v), kt::outer(v, conj(v)), a).data()));
      },
      made(1), made<c128, kt::csc_array<c128>>(2), made<double>(3), numbers(4, 5)));
}
