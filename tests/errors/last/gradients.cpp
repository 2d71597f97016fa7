// Gradients and updates.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake bind_grad_one: needs several values, but y is one variable: write auto a = y
#if defined(MISTAKE_bind_grad_one)
auto f = kt::function([](kt::dvector x, kt::dvector w) { auto [a, b] = grad(sum(x * w), w); return a + b; });
#endif

// mistake grad_vector: kt::grad: the cost must be a scalar: use sum(cost) or mean(cost)
#if defined(MISTAKE_grad_vector)
auto f = kt::function([](kt::dvector x) { return grad(x * x, x); });
#endif

// mistake grad_integer: kt::grad: an integer does not change continuously
#if defined(MISTAKE_grad_integer)
auto f = kt::function([](kt::lvector n) { return grad(sum(n * 0.5), n); });
#endif

// mistake grad_integer_cost: kt::grad: the cost is an integer or a bool
#if defined(MISTAKE_grad_integer_cost)
auto f = kt::function([](kt::dvector x) { return grad(argmax(x), x); });
#endif

// mistake grad_number: kt::grad: after the cost, pass the variables to differentiate by
#if defined(MISTAKE_grad_number)
auto f = kt::function([](kt::dvector x) { return grad(sum(x), 2.0); });
#endif

// mistake grad_nothing: kt::grad: after the cost, pass the variables to differentiate by
#if defined(MISTAKE_grad_nothing)
auto f = kt::function([](kt::dvector x) { return grad(sum(x)); });
#endif

// mistake update_rank: update: the new value's rank differs from the parameter's
#if defined(MISTAKE_update_rank)
kt::shared w(xt::xtensor<double, 1>{1., 2.});
auto f = kt::function([](kt::dvector w) { return kt::outputs(sum(w)).update(w, sum(w)); }, w);
#endif

// mistake update_type: update: the new value's element type differs from the parameter's
#if defined(MISTAKE_update_type)
kt::shared n(0);
auto f = kt::function([](kt::iscalar n) { return kt::outputs(n).update(n, n / 2); }, n);
#endif

// mistake update_array: update: the new value must be an expression of the parameter's rank and element type
#if defined(MISTAKE_update_array)
kt::shared w(xt::xtensor<double, 1>{1., 2.});
auto f = kt::function([](kt::dvector w) { return kt::outputs(sum(w)).update(w, xt::xtensor<double, 1>{1., 2.}); }, w);
#endif

// mistake update_free: update: only a parameter bound to a
#if defined(MISTAKE_update_free)
auto f = kt::function([](kt::dvector x, kt::dvector w) { return kt::outputs(x).update(w, w + x); });
#endif
