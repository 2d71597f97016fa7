// Indices that name no part.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake more_indices: kt::variable: more indices than the tensor has axes
namespace more_indices {
auto f = kt::function([](kt::dvector x) { return x(1, 2); });
}

// mistake index_of_float: kt::variable: an index must be an integer or an integer scalar, a kt::slice or kt::newaxis
namespace index_of_float {
auto f = kt::function([](kt::dvector x) { return x(1.5); });
}

// mistake index_of_string: kt::variable: an index must be an integer or an integer scalar, a kt::slice or kt::newaxis
namespace index_of_string {
auto f = kt::function([](kt::dvector x) { return x("all"); });
}

// mistake index_by_floats: kt::variable: an index must be an integer or an integer scalar, a kt::slice or kt::newaxis
namespace index_by_floats {
auto f = kt::function([](kt::dvector x, kt::dvector i) { return x(i); });
}
