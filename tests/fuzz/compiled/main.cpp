// Runs the programs of all batches it is linked with. Exits with 1 where one is wrong, or a call
// path was not taken.
// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <cstdio>
#include <cstring>
#include <exception>

// --some-paths: batches that are too small for every path.
int main(int argc, char** argv) {
  fuzz::tally all;
  for (fuzz::listed const& p : fuzz::listed::all()) {
    fuzz::trial to(fuzz::subject_of(p.seed), all);
    std::size_t const before = all.failures.size();
    try {
      p.run(to);
    } catch (std::exception const& e) {
      all.failures.push_back("seed " + std::to_string(p.seed) + ": the fuzzer itself: " + e.what() +
                             "\n");
    }
    for (std::size_t k = before; k < all.failures.size(); ++k) {
      std::printf("\n%s", all.failures[k].c_str());
      std::fflush(stdout);
    }
  }
  all.print();
#if defined(KROTON_FUZZ_DEVICE)
  constexpr bool has_device = true;
#else
  constexpr bool has_device = false;
#endif
  bool const every =
      all.has_every_path(has_device) || (argc > 1 && std::strcmp(argv[1], "--some-paths") == 0);
  if (!every) std::printf("a call path was not taken\n");
  return all.failures.empty() && every ? 0 : 1;
}
