// Problems of Moré, Garbow and Hillstrom (1981), as residuals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>

namespace kt = kroton;

namespace problems {

using two = kt::fixed<double, 2>;
using four = kt::fixed<double, 4>;

constexpr auto rosenbrock = [](two x) { return stack<0>(10 * (x(1) - sqr(x(0))), 1 - x(0)); };
constexpr auto powell = [](four x) {  // its Jacobian at the minimum, 0, is singular
  return stack<0>(x(0) + 10 * x(1), 2.23606797749979 * (x(2) - x(3)), sqr(x(1) - 2 * x(2)),
                  3.1622776601683795 * sqr(x(0) - x(3)));
};
constexpr auto wood = [](four x) {
  return stack<0>(10 * (x(1) - sqr(x(0))), 1 - x(0), 9.486832980505138 * (x(3) - sqr(x(2))),
                  1 - x(2), 3.1622776601683795 * (x(1) + x(3) - 2),
                  (x(1) - x(3)) / 3.1622776601683795);
};
constexpr auto beale = [](two x) {
  auto a = x(0), b = x(1);
  return stack<0>(1.5 - a * (1 - b), 2.25 - a * (1 - sqr(b)), 2.625 - a * (1 - b * b * b));
};
constexpr auto brown = [](two x) {  // badly scaled
  return stack<0>(x(0) - 1e6, x(1) - 2e-6, x(0) * x(1) - 2);
};

}  // namespace problems

/// Whether two sequences of numbers agree.
template <class X>
bool agrees(X const& x, std::vector<double> const& with, double tolerance = 1e-6) {
  if (x.size() != with.size()) return false;
  for (std::size_t i = 0; i < with.size(); ++i)
    if (!(std::abs(static_cast<double>(x.flat(i)) - with[i]) <= tolerance)) return false;
  return true;
}
