// Gradients that do not exist.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Most often a mistake.
// expect: kt::grad: the cost does not depend
namespace grad_disconnected {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return grad(sum(x), y); });
}

// A vector has a Jacobian, not a gradient.
// expect: kt::grad: the cost must be a scalar: use sum(cost) or mean(cost)
namespace grad_vector_cost {
auto f = kt::function([](kt::dvector x) { return grad(x * x, x); });
}

// Integers do not change continuously.
// expect: kt::grad: an integer does not change continuously
namespace grad_by_integer {
auto f = kt::function([](kt::lvector n) { return grad(sum(n * 0.5), n); });
}

// expect: kt::rop: y does not depend on x
namespace rop_disconnected {
auto f = kt::function([](kt::dvector x, kt::dvector v) {
  return rop(scan([](auto e) { return 2 * e; }, kt::sequences(kt::stop_gradient(x))), x, v);
});
}

// A captured variable would have no gradient.
// expect: kt::checkpointed: pass a callable without captures
namespace checkpoint_captures {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return sum(kt::checkpointed([w](auto v) { return v * w; })(x));
});
}

// expect: kt::with_pullback: the pullback must return a gradient for each parameter
namespace pullback_forgets {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return grad(sum(kt::with_pullback([](auto a, auto b) { return a * b; },
                                    [](auto g, auto, auto, auto b) { return g * b; })(x, w)),
              x);
});
}

// expect: kt::with_pullback, kt::checkpointed: the callable must return a variable
namespace checkpoint_of_a_number {
auto f = kt::function([](kt::dvector x) { return kt::checkpointed([](auto) { return 1.; })(x) * x; });
}

// expect: kt::with_pullback, kt::checkpointed: call the result with variables
namespace checkpoint_at_a_number {
auto f = kt::function([](kt::dvector x) { return x * kt::checkpointed([](auto a, auto b) { return a * b; })(x, 2.); });
}
// expect: kt::grad_clip: takes a variable and two bounds
namespace clip_by_one_bound {
auto f = kt::function([](kt::dvector x) { return grad_clip(x, 1.); });
}
// expect: kt::grad_scale: takes a variable and a factor
namespace scale_by_nothing {
auto f = kt::function([](kt::dvector x) { return grad_scale(x); });
}

// expect: kt::grad_clip, kt::grad_scale: a
namespace clip_by_a_matrix {
auto f = kt::function([](kt::dvector x, kt::dmatrix m) { return grad_clip(x, -1, m); });
}

// expect: kt::with_pullback: the pullback takes the gradient of the result, the result and
namespace pullback_of_two {
auto f = kt::function([](kt::dvector x) {
  return grad(sum(kt::with_pullback([](auto v) { return v * v; },
                                    [](auto g, auto v) { return g * v; })(x)),
              x);
});
}

// expect: kt::taylor: pass a callable without
namespace taylor_captures {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return std::get<1>(kt::taylor<1>([w](auto v) { return v * w; })(x, 1));
});
}

// expect: kt::taylor: pass the parameters, and
namespace taylor_without_a_direction {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return std::get<1>(kt::taylor<1>([](auto v, auto u) { return v * u; })(x, w, 1));
});
}

// expect: kt::taylor: a direction is a variable
namespace taylor_along_words {
auto f = kt::function([](kt::dvector x) {
  return std::get<1>(kt::taylor<1>([](auto v) { return v * v; })(x, "up"));
});
}

// expect: kt::taylor: a direction must have
namespace taylor_along_a_matrix {
auto f = kt::function([](kt::dvector x, kt::dmatrix m) {
  return std::get<1>(kt::taylor<1>([](auto v) { return v * v; })(x, m));
});
}

// expect: kt::subgraph_grad: pass a floating-point
namespace part_of_a_vector {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return std::get<0>(subgraph_grad(x * w, kt::ends(x), w));
});
}
