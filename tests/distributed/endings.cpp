// A program of which one rank ends, gets stuck or is killed, for endings.sh.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/distributed.hpp>
#include <kroton/kroton.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace kt = kroton;

int main(int, char** arguments) {
  std::string const how = arguments[1];
  kt::distributed::communicator const world;
  world.timeout(std::chrono::seconds(how == "killed" ? 80 : 2));
  auto const sum = kt::function([](kt::dscalar x) { return kt::all_reduce(x, kt::sum); });
  if (sum(1) != world.size()) return 2;
  std::printf("rank %d is process %d\n", world.rank(), static_cast<int>(getpid()));
  std::fflush(stdout);
  if (world.rank() == 1 && how == "ended") return 0;
  if (world.rank() == 1)
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  try {
    sum(1);
  } catch (kt::distributed::error const& e) {
    std::printf("rank %d: %s\n", world.rank(), e.what());
    return how == "ended" ? 0 : 3;
  }
}
