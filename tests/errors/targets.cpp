// Targets of into whose elements cannot hold those of the output.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

namespace kt = kroton;

auto doubled = kt::function([](kt::dvector x) { return 2 * x; });
auto total = kt::function([](kt::dvector x) { return sum(x); });
auto counted = kt::function([](kt::lvector x) { return std::tuple(x, sum(x)); });
xt::xtensor<double, 1> x{1, 2, 3};
xt::xtensor<std::int64_t, 1> n{1, 2, 3};

// errors: at most 7

// expect: into: a target's elements are narrower than those of its output
// expect: target<1>, kroton::met::element<float>, kroton::wanted::element<double>
namespace floats {
xt::xtensor<float, 1> y;
auto run = [] { doubled.into(y, x); };
}

// expect: target<1>, kroton::met::element<long
namespace integers {
xt::xarray<std::int64_t> y;
auto run = [] { doubled.into(y, x); };
}

// A view, and a number.
namespace parts {
xt::xtensor<float, 2> m({3, 3});
float s = 0;
auto run = [] {
  doubled.into(xt::view(m, 0), x);
  total.into(s, x);
};
}

// Not even where every value would fit; and one target of several.
// expect: target<2>, kroton::met::element<int>, kroton::wanted::element<long
// expect: target<2>, kroton::met::element<double>, kroton::wanted::element<long
namespace several {
int s = 0;
double d = 0;
xt::xtensor<std::int64_t, 1> y;
auto run = [] {
  counted.into(std::tie(y, s), n);
  counted.into(std::tie(y, d), n);
};
}

// Of graphs that are made at run time.
// expect: target<1>, kroton::met::element<int>, kroton::wanted::element<double>
namespace run_time {
void run() {
  kt::runtime::graph g;
  auto v = g.input<double, 1>("v");
  xt::xtensor<int, 1> y;
  g.function({v}, v * 2).into(y, x);
}
}
