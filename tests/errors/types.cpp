// Operations that an element type does not have.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Bits of floats mean nothing here.
// expect: kt: & is the bitwise and, of integers and bools: compare first
namespace bitwise_floats {
auto f = kt::function([](kt::dvector x) { return x & x; });
}

// They meet in float64, as in NumPy.
// expect: bitwise operators take integers
namespace bitwise_signs {
auto f = kt::function([](kt::lvector x, kt::vector<std::uint64_t> y) { return x & y; });
}

// As in NumPy.
// expect: kt: bools have no difference, as in NumPy: write a ^ b or a & ~b
namespace bool_minus {
auto f = kt::function([](kt::vector<bool> a, kt::vector<bool> b) { return a - b; });
}

// A literal never widens a tensor.
// expect: an integer literal is out of range
namespace literal_range {
auto f = kt::function([](kt::bvector x) { return x + 200; });
}

// Its value is a fraction.
// expect: kt::pow: an integer to a negative
namespace integer_power {
auto f = kt::function([](kt::lvector x) { return pow(x, -1); });
}
