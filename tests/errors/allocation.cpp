// Tensors from extents that are none, and tensors of numbers where a variable is needed.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// An extent is a count.
// expect: kt: an extent must be an integer or an integer scalar
namespace float_extent {
auto f = kt::function([](kt::dscalar x) { return zeros(x, 2); });
}

// A count is not negative.
// expect: kt: an extent of a tensor must not
namespace negative_extent {
auto f = kt::function([](kt::dvector x) { return x + kt::ones<double>(-1); });
}

// A vector does not fit into a scalar's place.
// expect: kt: the value has more dimensions than there are extents
namespace value_rank {
auto f = kt::function([](kt::dmatrix x) { return alloc(x, 3); });
}

