// Reductions by NCCL in functions on GPUs: by mpiexec -n 2 with two GPUs, compared with MPI's on the CPU. With one rank, what
// it would do is compiled, and nothing is sent.
// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

#include <kroton/cuda/nccl.hpp>

#include <limits>

namespace kt = kroton;
using namespace gpu_tests;

namespace {

xt::xtensor<float, 2> of_rank(int rank, std::size_t n) {
  xt::xtensor<float, 2> x(std::array<std::size_t, 2>{n, 7});
  for (std::size_t i = 0; i < x.size(); ++i) x.flat(i) = static_cast<float>(std::sin(double(i) + rank));
  x(0, 1) = 2;  // a tie
  if (rank == 0) x(0, 0) = std::numeric_limits<float>::quiet_NaN();
  return x;
}

constexpr auto all_kinds = [](kt::fmatrix x) {
  return std::tuple(kt::all_reduce(x, kt::sum), kt::all_reduce(x.T(), kt::mean), kt::all_reduce(x, kt::max),
                    kt::all_reduce(x, kt::min));
};
constexpr auto gradients = [](kt::fmatrix x) {
  return std::tuple(grad(sum(sqr(kt::all_reduce(x, kt::mean))), x), grad(sum(kt::all_reduce(x, kt::max)), x));
};
constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w) {
  auto const own = mean(sqr(dot(x, w) - y));
  auto [cost, gradient] = kt::all_reduce(std::tuple(own, grad(own, w)), kt::mean);
  return kt::outputs(cost).update(w, w - 0.1 * gradient);
};

void values() {
  kt::distributed::communicator const world;
  for (std::size_t n : {3, 20'000}) {
    xt::xtensor<float, 2> const x = of_rank(world.rank(), n);
    compare("values", kt::cuda::function(all_kinds)(x), kt::function(all_kinds)(x));
    compare("gradients", kt::cuda::function(gradients)(x), kt::function(gradients)(x));
  }
}
void training() {
  kt::cuda::shared there(ramp(5));
  kt::shared here(ramp(5));
  auto const on_gpu = kt::cuda::function(step, there);
  auto const on_cpu = kt::function(step, here);
  for (int i = 0; i < 5; ++i) compare("cost of a step", on_gpu(grid(40, 5), ramp(40)), on_cpu(grid(40, 5), ramp(40)));
  compare("weights", there.storage(), here.get_value());
}

}  // namespace

int main() {
  kt::distributed::communicator const world;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) == cudaSuccess && devices >= world.size()) {
    kt::cuda::check(cudaSetDevice(world.rank()), "cudaSetDevice");
  } else if (world.size() > 1) {
    std::printf("Fewer GPUs than ranks: nothing to compare.\n");
    return 0;
  }
  return run_all({}, {values, training});
}
