// What cannot become a function.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A traced lambda is known by its type alone.
// expect: kt::function: the lambda captures variables; pass them as parameters instead
namespace captures {
double rate = 0.1;
auto make() {
  double r = rate;
  return kt::function([r](kt::dvector x) { return r * x; });
}
}

// Parameters are symbolic.
// expect: kt::function: a parameter of the lambda is not a kt::variable
namespace parameter_no_variable {
auto f = kt::function([](double x) { return x; });
}

// An int for a double.
// expect: kt::function: a shared variable differs in element type, rank or struct from the parameter it is bound to
namespace shared_type {
kt::shared s(0);
auto f = kt::function([](kt::dscalar w) { return w; }, s);
}

// Every shared variable is a parameter.
// expect: kt::function: more shared variables than parameters
namespace shared_too_many {
kt::shared a(0.0), b(0.0);
auto f = kt::function([](kt::dscalar w) { return w; }, a, b);
}

// Two outputs, one target.
// expect: kt::function: into takes one target for each output; tie several with std::tie
namespace into_count {
auto f = kt::function([](kt::dvector x) { return std::tuple(x, sum(x)); });
void g(xt::xtensor<double, 1>& y) {
  auto all = std::tie(y);
  f.into(all, y);
}
}

// One is missing.
// expect: kt::function: the number of arguments differs from the number of parameters that are not bound to shared variables
namespace argument_count {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return x + y; });
auto y = f(xt::xtensor<double, 1>{1., 2.});
}

// A number is not a variable.
// expect: a plain number is not an output
namespace number_as_output {
auto f = kt::function([](kt::dvector x) { return std::tuple(sum(x), 1.0); });
}
