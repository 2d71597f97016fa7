// Targets of into whose elements cannot hold those of the output.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

namespace kt = kroton;

auto doubled = kt::function([](kt::dvector x) { return 2 * x; });
auto total = kt::function([](kt::dvector x) { return sum(x); });
auto counted = kt::function([](kt::lvector x) { return std::tuple(x, sum(x)); });
xt::xtensor<double, 1> x{1, 2, 3};
xt::xtensor<std::int64_t, 1> n{1, 2, 3};

// errors: at most 4

// expect: into would narrow
// expect: output 1
// expect: target of float32
namespace floats {
xt::xtensor<float, 1> y;
auto run = [] { doubled.into(y, x); };
}

// expect: target of int64
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
// expect: output 2
// expect: target of int32
// expect: target of float64
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
namespace run_time {
void run() {
  kt::runtime::graph g;
  auto v = g.input<double, 1>("v");
  xt::xtensor<float, 1> y;
  g.function({v}, v * 2).into(y, x);
}
}
