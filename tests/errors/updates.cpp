// Updates that cannot be made.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// An argument of the call has nowhere to keep a new value.
// expect: update: only a parameter bound to a
namespace update_not_shared {
auto f = kt::function([](kt::dvector x, kt::dvector w) { return kt::outputs(x).update(w, w + x); });
}

// A computed value cannot be assigned.
// expect: update: the first argument must be a
namespace update_no_parameter {
kt::shared<double, 1> s(xt::xtensor<double, 1>{1.});
auto f = kt::function([](kt::dvector w) { return kt::outputs().update(w + 1, w); }, s);
}

// Which of two values would it be?
// expect: update: a parameter is updated twice
namespace update_twice {
kt::shared s(1.0);
auto f = kt::function([](kt::dscalar w) { return kt::outputs().update(w, w + 1).update(w, w + 2); }, s);
}

// A shared variable keeps its type.
// expect: update: the new value's element type differs from the parameter's
namespace update_type {
kt::shared s(0);
auto f = kt::function([](kt::iscalar n) { return kt::outputs().update(n, n / 2); }, s);
}

// What is bound has to fit as without givens and default updates.
constexpr auto two = [](kt::dvector x, kt::dscalar a) { return a * x; };
// expect: kt::function: a shared variable differs in element type, rank or struct from the
namespace given_and_bound {
kt::shared<double, 1> s(xt::xtensor<double, 1>{1.});
auto f = kt::function(two, s, kt::givens<0>([](kt::dvector b) { return b; }));
}

// expect: kt::function: a shared variable differs in element type, rank or struct from the
namespace default_and_bound {
kt::shared<double, 1> s(xt::xtensor<double, 1>{1.});
auto f = kt::function(two, kt::with_default_update(s, [](kt::dvector x) { return x + 1; }));
}

// expect: kt::function: more shared variables than parameters
namespace default_and_too_many {
kt::shared s(1.0);
auto f = kt::function([](kt::dscalar x) { return x; }, kt::with_default_update(s, [](kt::dscalar x) { return x + 1; }), s);
}
