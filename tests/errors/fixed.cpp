// Extents that the compiler knows and that do not fit.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Three elements and four.
// expect: kt::fixed: the extents of the
namespace fixed_operands {
auto f = kt::function([](kt::fixed<double, 3> a, kt::fixed<double, 4> b) { return a + b; });
}

// A product of matrices that do not follow each other.
// expect: kt::fixed: the extents of the
namespace fixed_product {
auto f = kt::function([](kt::fixed<double, 2, 3> a, kt::fixed<double, 2, 3> b) { return dot(a, b); });
}

// Images of four channels, and filters for six.
// expect: kt::fixed: the extents of the
namespace fixed_channels {
auto f = kt::function([](kt::fixed<double, 1, 4, 3, 3> x, kt::fixed<double, 2, 3, 2, 2> w) {
  return conv2d(x, w, kt::groups<2>);
});
}  // namespace fixed_channels

// The argument's type tells its extent.
// expect: kt::function: an argument's extents, known from its type, differ from those of its kt::fixed parameter
namespace fixed_argument {
auto f = kt::function([](kt::fixed<double, 3> a) { return 2 * a; });
auto y = f(std::array<double, 4>{1, 2, 3, 4});
}  // namespace fixed_argument

// No extents.
// expect: kt::fixed: the extents are missing
namespace fixed_scalar {
auto f = kt::function([](kt::fixed<double> a) { return 2 * a; });
}
