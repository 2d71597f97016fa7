// Functions of std.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <algorithm>

namespace kt = kroton;

// mistake std_exp: kt: std::exp takes numbers: for a variable write exp(x)
namespace std_exp {
auto f = kt::function([](kt::dvector x) { return std::exp(x); });
}

// mistake std_pow: kt: std::pow takes numbers: for variables write pow(x, y)
namespace std_pow {
auto f = kt::function([](kt::dvector x) { return std::pow(x, 2); });
}

// mistake std_abs: kt: std::abs takes numbers: for a variable write abs(x)
namespace std_abs {
auto f = kt::function([](kt::dvector x) { return std::abs(x); });
}

// mistake std_fmax: kt: std::fmax takes numbers: for variables write fmax(x, y)
namespace std_fmax {
auto f = kt::function([](kt::dvector x) { return std::fmax(x, 0.0); });
}

// mistake std_signbit: kt: std::signbit takes numbers: for a variable write signbit(x)
namespace std_signbit {
auto f = kt::function([](kt::dvector x) { return std::signbit(x); });
}

// mistake std_max: kt: std::max takes numbers: for variables write maximum(x, y)
namespace std_max {
auto f = kt::function([](kt::dvector x) { return std::max(x, 0.0); });
}

// mistake std_max_two: kt: std::max takes numbers: for variables write maximum(x, y)
namespace std_max_two {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return std::max(x, y); });
}

// mistake std_sqrt_scalar: kt: std::sqrt takes numbers
namespace std_sqrt_scalar {
auto f = kt::function([](kt::dscalar x) { return std::sqrt(x); });
}

// mistake std_atan2: kt: std::atan2 takes numbers: for variables write atan2(y, x)
namespace std_atan2 {
auto f = kt::function([](kt::dscalar x, kt::dscalar y) { return std::atan2(x, y); });
}
