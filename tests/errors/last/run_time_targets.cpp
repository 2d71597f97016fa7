// Targets of into, of functions of run-time graphs.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

namespace kt = kroton;

// mistake run_time_narrow: into: a target's elements are narrower than those of its output
namespace run_time_narrow {
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<float, 1> y;
  g.function({x}, x * 2).into(y, xt::xtensor<double, 1>{1., 2.});
}
}

// mistake run_time_rank: into: a target's rank differs from that of its output
namespace run_time_rank {
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<double, 2> y;
  g.function({x}, x * 2).into(y, xt::xtensor<double, 1>{1., 2.});
}
}

// mistake run_time_untied: kt::runtime: into takes one target for each output
namespace run_time_untied {
void f(kt::runtime::graph& g, kt::dvector x) {
  xt::xtensor<double, 1> y;
  g.function({x}, std::tuple(x * 2, sum(x))).into(y, xt::xtensor<double, 1>{1., 2.});
}
}
