// Tensors from extents that are none, and tensors of numbers where a variable is needed.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// An extent is a count.
// expect: kt: an extent is an integer or an integer scalar
namespace float_extent {
auto f = kt::function([](kt::dscalar x) { return zeros(x, 2); });
}

// A count is not negative.
// expect: kt: an extent of a tensor must not
namespace negative_extent {
auto f = kt::function([](kt::dvector x) { return x + kt::ones<double>(-1); });
}

// A vector does not fit into a scalar's place.
// expect: kt: the value has more dimensions than extents are given
namespace value_rank {
auto f = kt::function([](kt::dmatrix x) { return alloc(x, 3); });
}

// Nothing says which graph it would belong to.
// expect: kt::function: a tensor of numbers belongs to no variable: add it to zeros_like(x), or give it an extent x.shape(0)
namespace no_variable {
auto f = kt::function([](kt::dvector) { return kt::zeros<double>(3); });
}
