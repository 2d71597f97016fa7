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
