// Sparse derivatives that do not exist.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Most often a mistake.
// expect: kt::sparse_jacobian: the tensor does
namespace disconnected {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return kt::sparse_jacobian(x * x, y); });
}

// expect: kt::sparse_jacobian: the tensor is not of real floating-point numbers
namespace of_integers {
auto f = kt::function([](kt::lvector n, kt::dvector x) { return kt::sparse_jacobian(n * n, x); });
}
namespace of_complex_numbers {
auto f = kt::function([](kt::zvector z) { return kt::sparse_jacobian(z * z, z); });
}
namespace of_a_number {
auto f = kt::function([](kt::dvector x) { return kt::sparse_jacobian(2.0, x); });
}

// expect: kt::sparse_jacobian: after y, pass real floating-point variables
namespace by_integers {
auto f = kt::function([](kt::lvector n) { return kt::sparse_jacobian(n * 0.5, n); });
}
namespace by_nothing {
auto f = kt::function([](kt::dvector x) { return kt::sparse_jacobian(x); });
}

// expect: kt::sparse_hessian: the cost must be a floating-point scalar: use sum(cost) or mean(cost)
namespace hessian_of_a_vector {
auto f = kt::function([](kt::dvector x) { return kt::sparse_hessian(x * x, x); });
}
// expect: kt::sparse_hessian: after the cost, pass real floating-point variables
namespace hessian_by_integers {
auto f = kt::function([](kt::lvector n) { return kt::sparse_hessian(sum(n * 0.5), n); });
}
