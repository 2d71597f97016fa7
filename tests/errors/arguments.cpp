// Arguments that cannot be passed.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Doubles do not fit floats.
// expect: kt::function: an argument's element type would be narrowed; convert it first
namespace argument_narrowed {
auto f = kt::function([](kt::fvector x) { return x; });
auto y = f(xt::xtensor<double, 1>{1., 2.});
}

// A matrix for a vector.
// expect: kt::function: an argument's rank differs from that of its parameter
namespace argument_rank {
auto f = kt::function([](kt::dvector x) { return x; });
auto y = f(xt::xtensor<double, 2>{{1., 2.}});
}

// A scalar for a vector.
// expect: kt::function: a shared variable differs in element type, rank or struct from the parameter it is bound to
namespace shared_rank {
kt::shared s(0.0);
auto f = kt::function([](kt::dvector x, kt::dvector w) { return x + w; }, s);
}
