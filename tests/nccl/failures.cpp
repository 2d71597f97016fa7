// A program of which a call of NCCL fails on one rank, or never ends, for failures.sh.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda/emulated.hpp>
#include <kroton/kroton.hpp>

#include <kroton/cuda/nccl.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace kt = kroton;

struct device : kt::cuda::emulated_on<kt::cuda::host_memory, 32, 12> {
  static bool is_idle() {
    if (nccl_stand_in::fails("cudaStreamQuery"))
      throw kt::error("cudaStreamQuery: an illegal memory access was encountered");
    return nccl_stand_in::progress();
  }
};

int main(int, char** arguments) {
  std::string const call = arguments[1], who = arguments[2];
  kt::distributed::communicator const world;
  world.timeout(std::chrono::seconds(call == "silence" ? 2 : 60));
  int const rank = world.rank();
  using vector = xt::xtensor<double, 1>;
  kt::cuda::shared<double, 1, device> w(vector{1, 2});
  auto const step = kt::cuda::function_on<device>(
      [](kt::dvector x, kt::dvector weights) {
        auto const sum = kt::all_reduce(x, kt::sum);
        return kt::outputs(sum).update(weights, weights - sum);
      },
      w);
  // Both, when the ranks meet for the first time and later
  bool const at_once = call == "ncclGetUniqueId" || call == "ncclCommInitRankConfig";
  if (!at_once && vector(step(vector{1, 1}))(0) != world.size()) return 2;
  vector const before = w.get_value();
  auto& nccl = nccl_stand_in::now();
  if (who == "all" || who == std::to_string(rank)) nccl.fails = call;
  for (int i = 0; i < 2; ++i) {
    try {
      step(vector{1, 1});
      std::printf("rank %d: no error\n", rank);
    } catch (kt::distributed::error const& e) {
      std::printf("rank %d: %s\n", rank, e.what());
    }
    if (call == "ncclGetUniqueId") nccl.fails.clear();
  }
  bool const is_updated = vector(w.get_value()) != before;
  std::printf("rank %d: %d aborted, %s\n", rank, nccl.aborted, is_updated ? "updated" : "not updated");
  std::fflush(stdout);
  // The first rank that ends after a failure ends all: not before the others have said theirs.
  MPI_Barrier(MPI_COMM_WORLD);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  return 0;
}
