// Numbers as values of parameters whose element type does not hold them.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// errors: at most 3

// expect: kt::givens: a number is out of range
namespace given_wide {
auto f = kt::function([](kt::bscalar n, kt::dscalar x) { return n * x; }, kt::givens<0>([] { return 300; }));
}

namespace given_negative {
auto f = kt::function([](kt::scalar<std::uint64_t> n, kt::dscalar x) { return n * x; }, kt::givens<0>([] { return -1; }));
}

namespace given_large {
auto f = kt::function([](kt::fscalar a, kt::dscalar x) { return a * x; }, kt::givens<0>([] { return 1e300; }));
}
