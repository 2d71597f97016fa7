// The test program's main function.
// SPDX-License-Identifier: BSD-3-Clause
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include <kroton/cpu/machine.hpp>

#include <cstdlib>

namespace {

// With KROTON_TEST_BAND_BYTES=1 every band takes every row by itself, however small the matrices.
[[maybe_unused]] bool const narrow = [] {
  char const* const bytes = std::getenv("KROTON_TEST_BAND_BYTES");
  if (bytes) kroton::cpu::machine::band_bytes = std::atol(bytes);
  return bytes != nullptr;
}();

}  // namespace
