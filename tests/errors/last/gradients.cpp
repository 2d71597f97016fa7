// Gradients and updates.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake bind_grad_one: needs several values, but y is one variable: write auto a = y
namespace bind_grad_one {
auto f = kt::function([](kt::dvector x, kt::dvector w) { auto [a, b] = grad(sum(x * w), w); return a + b; });
}

// mistake grad_vector: kt::grad: the cost must be a scalar: use sum(cost) or mean(cost)
namespace grad_vector {
auto f = kt::function([](kt::dvector x) { return grad(x * x, x); });
}

// mistake grad_integer: kt::grad: an integer does not change continuously
namespace grad_integer {
auto f = kt::function([](kt::lvector n) { return grad(sum(n * 0.5), n); });
}

// mistake grad_integer_cost: kt::grad: the cost is an integer or a bool
namespace grad_integer_cost {
auto f = kt::function([](kt::dvector x) { return grad(argmax(x), x); });
}

// mistake grad_number: kt::grad: after the cost, pass the variables to differentiate by
namespace grad_number {
auto f = kt::function([](kt::dvector x) { return grad(sum(x), 2.0); });
}

// mistake grad_nothing: kt::grad: after the cost, pass the variables to differentiate by
namespace grad_nothing {
auto f = kt::function([](kt::dvector x) { return grad(sum(x)); });
}

// mistake update_rank: update: the new value's rank differs from the parameter's
namespace update_rank {
kt::shared w(xt::xtensor<double, 1>{1., 2.});
auto f = kt::function([](kt::dvector w) { return kt::outputs(sum(w)).update(w, sum(w)); }, w);
}

// mistake update_type: update: the new value's element type differs from the parameter's
namespace update_type {
kt::shared n(0);
auto f = kt::function([](kt::iscalar n) { return kt::outputs(n).update(n, n / 2); }, n);
}

// mistake update_array: update: the new value must be an expression of the parameter's rank and element type
namespace update_array {
kt::shared w(xt::xtensor<double, 1>{1., 2.});
auto f = kt::function([](kt::dvector w) { return kt::outputs(sum(w)).update(w, xt::xtensor<double, 1>{1., 2.}); }, w);
}

// mistake update_free: update: only a parameter bound to a
namespace update_free {
auto f = kt::function([](kt::dvector x, kt::dvector w) { return kt::outputs(x).update(w, w + x); });
}
