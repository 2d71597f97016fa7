// The seed of tests with random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>
#include <random>

/// A generator that is always the same, so that a change is judged by what it changes; `./dev fuzz` gives other seeds.
inline std::mt19937 seeded_generator() {
  char const* const given = std::getenv("KROTON_TEST_SEED");
  return std::mt19937(given == nullptr ? 20260u : static_cast<unsigned>(std::strtoull(given, nullptr, 0)));
}
