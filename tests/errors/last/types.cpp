// Element types and extents that an op does not take.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <string>

namespace kt = kroton;

// mistake cast_to_string: kt::cast: the element type must be bool, an integer, kt::half, kt::bfloat16, float, double or a std::complex of the last two
namespace cast_to_string {
auto f = kt::function([](kt::dvector x) { return kt::cast<std::string>(x); });
}

// mistake reshape_extents: kt::reshape: reshape<R>(x, ...) takes R extents
namespace reshape_extents {
auto f = kt::function([](kt::dvector x) { return reshape<2>(x, 3); });
}
