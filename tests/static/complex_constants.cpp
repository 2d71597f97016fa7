// Arithmetic of complex numbers that are known is done by the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include "rewrite_support.hpp"

using namespace rewrite_test;
using c128 = std::complex<double>;

inline constexpr kt::tensor_type complexes{kt::element::complex128, 1, 0}, singles{kt::element::complex64, 1, 0};

#define EQUAL(left, right) static_assert(fast(complexes, EXPRESSION(left), EXPRESSION(right)))

EQUAL((c128(0, 2) * a * c128(0, 3)), -6 * a);
EQUAL((c128(1, 2) * a * c128(3, -1)), (c128(5, 5) * a));
EQUAL((a / c128(0, 2)), (c128(0, -0.5) * a));
EQUAL((c128(0, 2) * (c128(0, 2) * b)), -4 * b);
EQUAL((conj(c128(2, 1) * a)), (c128(2, -1) * conj(a)));
static_assert(fast(singles, EXPRESSION((c128(0, 2) * a * c128(0, 3))), EXPRESSION(-6 * a)));
static_assert(size_of(complexes, EXPRESSION((a + c128(1, 2) + c128(3, -2))), kt::stage::specialize) == 2);  // the sum and 4
// What may leave the range of the type stays.
static_assert(!fast(singles, EXPRESSION((c128(0, 1e20) * a * c128(0, 1e20))), EXPRESSION(-1e40 * a)));
