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

/// Says what comes of a call.
template <class Call>
void attempt(int rank, Call const& call) {
  try {
    call();
  } catch (kt::error const& e) {
    std::printf("rank %d: %s\n", rank, e.what());
    std::fflush(stdout);
  }
}

int run(std::string const& how) {
  auto const sum = kt::function([](kt::dscalar x) {
    auto const before = kt::assert_that("x is small", x < 10, x);
    return kt::assert_that("x is not negative", x >= 0, kt::all_reduce(before, kt::sum));
  });
  if (how == "failed") {  // all ranks, and no one is told before there is MPI
    attempt(0, [&] { sum(10); });
    int has_begun = 0;
    MPI_Initialized(&has_begun);
    if (has_begun) return 4;
  }
  kt::distributed::communicator const world;
  world.timeout(std::chrono::seconds(how == "killed" ? 80 : how == "late" ? 1 : 2));
  int const rank = world.rank();
  if (sum(1) != world.size()) return 2;
  std::printf("rank %d is process %d\n", rank, static_cast<int>(getpid()));
  std::fflush(stdout);
  if (how == "failed") {  // after the last reduction; the last rank hears of the end when it calls again
    bool const is_last = rank == world.size() - 1;
    attempt(rank, [&] { sum(is_last ? -1 : 1); });
    if (is_last) attempt(rank, [&] { sum(1); });
    return 0;
  }
  if (how == "both") {  // one fails, one ends, one asks
    if (rank != 1) attempt(rank, [&] { sum(rank == 0 ? 10 : 1); });
    return 0;
  }
  if (how == "late") {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(3));
    attempt(rank, [&] { sum(1); });
    if (rank == 0) std::this_thread::sleep_for(std::chrono::seconds(3));  // with work of its own
    return 3;
  }
  if (rank == 1 && (how == "ended" || how == "own")) return 0;
  if (rank == 1)
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  attempt(rank, [&] { sum(1); });
  return how == "ended" || how == "own" ? 0 : 3;
}

int main(int, char** arguments) {
  std::string const how = arguments[1];
  if (how == "own") MPI_Init(nullptr, nullptr);  // a program that begins and ends MPI by itself
  int const status = run(how);
  if (how == "own") MPI_Finalize();
  return status;
}
