// Warnings of kt::disconnected::warn, taken for errors; what is connected has none.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

// flags g++: -Werror=deprecated-declarations
// flags clang: -Werror=deprecated-declarations

namespace kt = kroton;

auto connected = kt::function([](kt::dvector x, kt::dvector y) {
  return std::tuple(grad(sum(x * y), x, y, kt::disconnected::warn), jacobian(x, x, kt::disconnected::warn),
                    grad(sum(x), y, kt::disconnected::zero));
});

// mistake of_grad: kt::disconnected::warn: a cost or a tensor does not depend on a variable it is differentiated by, so that the derivative is 0
namespace of_grad {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return grad(sum(x), x, y, kt::disconnected::warn); });
}

// mistake of_jacobian: kt::disconnected::warn: a cost or a tensor does not depend on a variable it is differentiated by, so that the derivative is 0
namespace of_jacobian {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return jacobian(2 * x, y, kt::disconnected::warn); });
}

// mistake of_sparse_jacobian: kt::disconnected::warn: a cost or a tensor does not depend on a variable it is differentiated by, so that the derivative is 0
namespace of_sparse_jacobian {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return sparse_jacobian(2 * x, y, kt::disconnected::warn).data(); });
}

// mistake in_a_loop: kt::disconnected::warn: a cost or a tensor does not depend on a variable it is differentiated by, so that the derivative is 0
namespace in_a_loop {
auto f = kt::function([](kt::dvector x, kt::dscalar y) {
  return scan([](kt::dscalar e, kt::dscalar z) { return grad(sqr(e), z, kt::disconnected::warn); }, kt::sequences(x), kt::non_sequences(y));
});
}
