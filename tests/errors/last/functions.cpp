// What kt::function takes, and that nothing follows its refusal.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <iostream>

namespace kt = kroton;

// mistake returns_nothing: kt::function: the lambda returns something other than variables
namespace returns_nothing {
auto f = kt::function([](kt::dvector x) { exp(x); });
}

// mistake returns_number: kt::function: the lambda must return variables
namespace returns_number {
auto f = kt::function([](kt::dvector x) { return 1.0; });
}

// mistake captures_used: kt::function: the lambda captures variables
namespace captures_used {
double make(double r) { auto f = kt::function([&](kt::dscalar x) { return r * x; }); double y = f(1.0); std::cout << f(2.0) << "\n"; return y + f(3.0); }
}

// mistake generic: kt::function<types...>(lambda)
namespace generic {
auto f = kt::function([](auto x) { return x + 1; });
}

// mistake generic_count: or does not accept these parameters
namespace generic_count {
auto f = kt::function<kt::dvector>([](auto x, auto y) { return x + y; });
}

// mistake parameter_double: kt::function: a parameter of the lambda is not a kt::variable
namespace parameter_double {
auto f = kt::function([](double x) { return x * 2; });
}

// mistake parameter_reference: kt::function: the lambda does not accept these parameters
namespace parameter_reference {
auto f = kt::function([](kt::dvector& x) { x += 1; return x; });
}

// mistake not_callable: kt::function: pass a lambda that takes variables
namespace not_callable {
auto f = kt::function(3.0);
}

// mistake pass_array_function: kt::function: after the lambda, pass the kt::shared
namespace pass_array_function {
xt::xtensor<double, 1> a{1., 2.};
auto f = kt::function([](kt::dvector x) { return x + 1; }, a);
}

// mistake shared_rank: kt::function: a shared variable differs in element type, rank or struct from the parameter
namespace shared_rank {
kt::shared w(xt::xtensor<double, 2>{{1., 2.}});
auto f = kt::function([](kt::dvector w) { return w; }, w);
}
