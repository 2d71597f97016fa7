// kroton_fuzz N [seed]: random programs through every stage and mode. kroton_fuzz --seconds S [seed]: as many as fit.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

int main(int argc, char** argv) {
  fuzz::session s;
  s.progress = true;
  int next = 1;
  if (next + 1 < argc && std::strcmp(argv[next], "--seconds") == 0) {
    s.programs = 1'000'000'000;
    s.seconds = std::atof(argv[next + 1]);
    next += 2;
  } else if (next < argc) {
    s.programs = std::atol(argv[next++]);
  }
  s.seed = std::random_device{}() * 1'000'000ull;
  if (next < argc) {
    char* end = nullptr;
    s.seed = std::strtoull(argv[next], &end, 0);
    if (end == argv[next] || *end != '\0') {
      std::fprintf(stderr, "the seed is not a number: %s\n", argv[next]);
      return 2;
    }
  }
  std::printf("seed %llu\n", static_cast<unsigned long long>(s.seed));
  int const failed = s.run();
  std::printf("%ld graphs, %ld elements compared, %d failures\n", s.done, s.compared, failed);
  return failed == 0 ? 0 : 1;
}
