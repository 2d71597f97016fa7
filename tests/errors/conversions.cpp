// Variables that are made from something else than a variable of their type.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// Each is one error, and nothing follows it.
// errors: at most 13

// expect: kt::variable: a variable of another rank does not convert: write x(i), x(kt::newaxis), reshape
namespace other_ranks {
auto f = kt::function([](kt::dmatrix m) { return kt::dvector(m) + 1; });
auto g = kt::function([](kt::dmatrix m) { return kt::dtensor3{m}; });
auto h = kt::function([](kt::dmatrix m) -> kt::dscalar { return m; });
}  // namespace other_ranks

// expect: kt::variable: a variable of another element type does not convert: write kt::cast<T>(x)
namespace other_elements {
auto f = kt::function([](kt::dscalar x) { return static_cast<kt::scalar<int>>(x); });
auto g = kt::function([](kt::dmatrix m, kt::fvector v) {
  v = m(0);
  return v;
});
auto h = kt::function([](kt::dmatrix m) {
  auto doubled = [](kt::lmatrix x) { return 2 * x; };
  return doubled(m);
});
}  // namespace other_elements

// A matrix does not become a row by being called one.
// expect: kt::variable: only a parameter can be declared as a kt::row, kt::col or kt::fixed
namespace declared_extents {
auto f = kt::function([](kt::dmatrix m) { return kt::drow(m) + m; });
auto g = kt::function([](kt::dmatrix m) { return kt::dcol(m + 1); });
auto h = kt::function([](kt::dmatrix m) { return kt::fixed<double, 2, 2>(m); });
auto i = kt::function([](kt::drow r, kt::dmatrix m) {
  r = m;
  return r;
});
}  // namespace declared_extents

// expect: kt::variable: a number does not convert to a variable: write the number itself
namespace numbers {
auto f = kt::function([](kt::dvector x) {
  kt::dscalar total = 0.0;
  for (int i = 0; i < 3; ++i) total = total + x(i);
  return total;
});
auto g = kt::function([](kt::dvector x) { return x + kt::lscalar(2); });
}  // namespace numbers

// The type is forgotten first.
// expect: kt::variable: the term has another
namespace terms {
auto f = kt::function([](kt::dmatrix m) { return kt::dvector(kt::term(m)); });
}

// expect: kt::variable: the variable holds no
namespace nothing {
auto f = kt::function([](kt::dvector x) {
  kt::dvector y;
  return x + y;
});
}
