// What kt::function takes, and that nothing follows its refusal.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <iostream>

namespace kt = kroton;

// mistake undeclared, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_undeclared)
auto f = kt::function([](kt::dvector x) { return x + undeclared; });
#endif

// mistake undeclared_used_more, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_undeclared_used_more)
auto f = kt::function([](kt::dvector x) { return kt::foo(x); });
void g() { auto y = f(xt::xtensor<double, 1>{1., 2.}); std::cout << y(0) + y[0] << y.size() << y.shape()[0] << '\n'; auto [a, b] = f(2.0); double s = f(3) + 1; xt::xtensor<double, 1> z = y * 2; for (double e : f(2)) s += e; kt::debugprint(f); auto h = f; if (y(0) > 1) return; auto t = std::get<0>(y); }
#endif

// mistake method_sum, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_method_sum)
auto f = kt::function([](kt::dvector x) { return x.sum(); });
#endif

// mistake returns_nothing: kt::function: the lambda returns something other than variables
#if defined(MISTAKE_returns_nothing)
auto f = kt::function([](kt::dvector x) { exp(x); });
#endif

// mistake returns_number: kt::function: the lambda must return variables
#if defined(MISTAKE_returns_number)
auto f = kt::function([](kt::dvector x) { return 1.0; });
#endif

// mistake captures_used: kt::function: the lambda captures variables
#if defined(MISTAKE_captures_used)
double make(double r) { auto f = kt::function([&](kt::dscalar x) { return r * x; }); double y = f(1.0); std::cout << f(2.0) << "\n"; return y + f(3.0); }
#endif

// mistake runtime_call, after others: kt::function: the lambda cannot be traced at compile time, for the reason given above
#if defined(MISTAKE_runtime_call)
double rate();
auto f = kt::function([](kt::dvector x) { return rate() * x; });
#endif

// mistake generic: kt::function<types...>(lambda)
#if defined(MISTAKE_generic)
auto f = kt::function([](auto x) { return x + 1; });
#endif

// mistake generic_body, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_generic_body)
auto f = kt::function<kt::dvector>([](auto x) { return sum(x + undeclared); });
#endif

// mistake generic_member, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_generic_member)
auto f = kt::function<kt::dvector>([](auto x) { return sum(x.squared()); });
#endif

// mistake generic_count: or does not accept these parameters
#if defined(MISTAKE_generic_count)
auto f = kt::function<kt::dvector>([](auto x, auto y) { return x + y; });
#endif

// mistake parameter_double: kt::function: a parameter of the lambda is not a kt::variable
#if defined(MISTAKE_parameter_double)
auto f = kt::function([](double x) { return x * 2; });
#endif

// mistake parameter_reference: kt::function: the lambda does not accept these parameters
#if defined(MISTAKE_parameter_reference)
auto f = kt::function([](kt::dvector& x) { x += 1; return x; });
#endif

// mistake not_callable: kt::function: pass a lambda that takes variables
#if defined(MISTAKE_not_callable)
auto f = kt::function(3.0);
#endif

// mistake pass_array_function: kt::function: after the lambda, pass the kt::shared
#if defined(MISTAKE_pass_array_function)
xt::xtensor<double, 1> a{1., 2.};
auto f = kt::function([](kt::dvector x) { return x + 1; }, a);
#endif

// mistake shared_rank: kt::function: a shared variable differs in element type, rank or struct from the parameter
#if defined(MISTAKE_shared_rank)
kt::shared w(xt::xtensor<double, 2>{{1., 2.}});
auto f = kt::function([](kt::dvector w) { return w; }, w);
#endif
