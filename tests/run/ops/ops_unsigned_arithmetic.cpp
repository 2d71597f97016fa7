// Arithmetic of unsigned integers of every width, extreme values and all lengths of tails included.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/ops_integers.hpp"

TEST_CASE("arithmetic of unsigned integers") {
  ops_integers::check_arithmetic<std::uint8_t>();
  ops_integers::check_arithmetic<std::uint16_t>();
  ops_integers::check_arithmetic<std::uint32_t>();
  ops_integers::check_arithmetic<std::uint64_t>();
}
