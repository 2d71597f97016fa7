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

// mistake runtime_call, after others: kt::function: the lambda cannot be traced at compile time, for the reason given above
#if defined(MISTAKE_runtime_call)
double rate();
auto f = kt::function([](kt::dvector x) { return rate() * x; });
#endif

// mistake generic_body, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_generic_body)
auto f = kt::function<kt::dvector>([](auto x) { return sum(x + undeclared); });
#endif

// mistake generic_member, after others: kt::function: the lambda has an error, shown above
#if defined(MISTAKE_generic_member)
auto f = kt::function<kt::dvector>([](auto x) { return sum(x.squared()); });
#endif
