// Functions on a device.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda/emulated.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;
using namespace kroton;
using device = kt::cuda::emulated<>;

xt::xtensor<double, 1> const zeros_on_host = xt::zeros<double>({3});
kt::shared<double, 1> on_host(zeros_on_host);
kt::cuda::shared<double, 1, device> on_device(zeros_on_host);
constexpr auto step = [](kt::dvector x, kt::dvector w) { return kt::outputs(sum(x)).update(w, w + x); };

// expect: kt::cuda::function: a shared variable is not on the device; it needs a kt::cuda::shared
namespace variable_of_the_host {
auto f = kt::cuda::function_on<device>(step, on_host);
}

// expect: kt::function: a shared variable is on a device; it needs a kt::shared
namespace variable_of_the_device {
auto f = kt::function(step, on_device);
}

// expect: kt::function: a shared variable differs in element type, rank or struct
namespace variable_of_another_rank {
kt::cuda::shared<double, 2, device> matrix(xt::xtensor<double, 2>{{1}});
auto f = kt::cuda::function_on<device>(step, matrix);
}

// expect: kt::cuda::function: a step has no form for the device, and the mode allows no transfers
namespace sorted {
auto f = kt::cuda::function_on<device>([](kt::dvector x) { return sort(x * 2); }, kt::mode::fast_run.no_transfers());
}

// expect: kt::cuda::function: the host has to read a number that the device computes
namespace branch_by_a_sum {
auto f = kt::cuda::function_on<device>([](kt::dvector x) { return ifelse(sum(x) > 0, x * 2, x * 3); },
                                       kt::mode::fast_run.no_transfers());
}

// expect: kt::cuda::function: this mode needs the CPU, kt::function
namespace compared_at_each_call {
auto f = kt::cuda::function_on<device>([](kt::dvector x) { return x * 2; }, kt::mode::debug);
}

// expect: kt::function: the lambda captures variables
namespace captured {
double const factor = std::rand();
auto make = [] {
  double local = factor;
  return kt::cuda::function_on<device>([local](kt::dvector x) { return x * local; });
};
auto f = make();
}

// expect: into: the output is on a device, so its target is an array there
namespace target_of_the_host {
auto f = kt::cuda::function_on<device>([](kt::dvector x) { return x * 2; });
xt::xtensor<double, 1> y;
void run() { f.into(y, zeros_on_host); }
}

// expect: into: a target is const and cannot be written to
namespace target_of_constant_elements {
auto f = kt::cuda::function_on<device>([](kt::dvector x) { return x * 2; });
kt::cuda::array_view<double const, 1, device> y(nullptr, {3});
void run() { f.into(y, zeros_on_host); }
}

// expect: kt::cuda::array: an array has 0 to 8 dimensions
namespace nine_dimensions {
kt::cuda::array<double, 9, device> a;
}
