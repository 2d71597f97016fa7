// What complex numbers do not have.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// No order: neither comparisons nor extrema, nor remainders, which are made of them.
// expect: not defined for complex numbers
namespace less {
auto f = kt::function([](kt::zvector z) { return z < 1; });
}

// expect: kt::cast: a complex number does not convert to a real one: use real(z), imag(z) or abs(z)
namespace narrowing {
auto f = kt::function([](kt::zvector z) { return kt::cast<double>(z); });
}

// expect: kt::grad: the cost is complex
namespace cost {
auto f = kt::function([](kt::zvector z) { return grad(sum(z), z); });
}

// expect: kt::function: an argument's element type would be narrowed; convert it first
namespace arguments {
auto f = kt::function([](kt::dvector x, kt::cvector z) { return x + z; });
auto y = f(xt::xtensor<std::complex<double>, 1>{}, xt::xtensor<std::complex<double>, 1>{});
}
