// What cannot be traced, and that a refused function leads to no second error.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// The compilers give their own reason, in one error or two.
// errors: at most 5

// The value of a function that runs later is not known to the compiler.
// expect: kt::function: the lambda cannot be traced at compile time, for the reason given above
namespace not_constexpr {
double rate();
auto f = kt::function([](kt::dvector x) { return rate() * x; });
auto y = f(xt::xtensor<double, 1>{1., 2.});
}

// However it is used.
// expect: kt::reshape: only one extent may be
namespace refused_and_used {
auto f = kt::function([](kt::dvector x) { return reshape<2>(x, -1, -1); });
auto y = f(xt::xtensor<double, 1>{1., 2.});
xt::xtensor<double, 2> z = f(xt::xtensor<double, 1>{1., 2.});
kt::callable<xt::xtensor<double, 2>(xt::xtensor<double, 1> const&)> g = f;
void h(xt::xtensor<double, 2>& target) { f.into(target, z); }
}

// The first error of a lambda is the only one.
// expect: kt::function: the lambda captures variables; pass them as parameters instead
namespace captures_and_used {
double call() {
  double rate = 0.1;
  auto f = kt::function([rate](kt::dscalar x) { return rate * x; });
  double const y = f(2.0);
  return y;
}
}
