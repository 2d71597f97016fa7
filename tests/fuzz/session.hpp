// A run of the fuzzer: how many programs, from which seed, for how long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "generate.hpp"
#include "shrink.hpp"
#include "variants.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <set>

namespace fuzz {

/// The program of a seed: as generated, now and then of integers at their ends, with a loop, with extents that are known, of
/// functions of the library, with special values or with a shape that does not fit.
inline program program_of(std::uint64_t seed) {
  dice kind(~seed);
  int const drawn = kind.below(16);
  program p = drawn < 2   ? generator::of_integers(seed).run()
              : drawn < 6 ? generator::of_loops(seed).run()
              : drawn < 8 ? generator::of_known_extents(seed).run()
              : drawn < 12 ? generator::of_library(seed).run()
                           : generator(seed).run();
  dice random(seed);
  int const variant = random.below(8);
  if (variant == 0) return with_special_values(p, random);
  if (variant == 1) return with_other_shape(p, random);
  return p;
}

struct session {
  std::uint64_t seed = 0;
  long programs = 1000;
  double seconds = 1e9;      // at most
  int failures = 10;         // after which it ends
  check_options options{};
  bool progress = false;

  long done = 0, compared = 0;
  std::vector<std::string> reports{};  // of failures, one each

  /// Runs it and gives the number of failing programs.
  int run() {
    auto const begin = std::chrono::steady_clock::now();
    auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    int failed = 0;
    double shown = 0;
    for (; done < programs && failed < failures && elapsed() < seconds; ++done) {
      std::uint64_t const own = seed + static_cast<std::uint64_t>(done);
      program p;
      std::optional<failure> found;
      try {
        p = program_of(own);
        found = check(p, options, &compared);
      } catch (std::logic_error const& e) {
        ++failed;
        reports.push_back("seed " + std::to_string(own) + ": the fuzzer itself: " + e.what() + "\n");
        if (progress) std::printf("\n%s", reports.back().c_str()), std::fflush(stdout);
        continue;
      }
      if (progress && elapsed() > shown + 2) {
        shown = elapsed();
        std::fprintf(stderr, "%ld graphs, %.0f a second, %d failures\n", done, static_cast<double>(done) / shown, failed);
      }
      if (!found) continue;
      ++failed;
      reports.push_back(report(p, *found, options, own));
      if (progress) std::printf("\n%s", reports.back().c_str()), std::fflush(stdout);
    }
    return failed;
  }
};

}  // namespace fuzz
