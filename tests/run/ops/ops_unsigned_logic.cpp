// Logic of unsigned integers of every width, extreme values and all lengths of tails included.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/ops_integers.hpp"

TEST_CASE("logic of unsigned integers") {
  ops_integers::check_logic<std::uint8_t>();
  ops_integers::check_logic<std::uint16_t>();
  ops_integers::check_logic<std::uint32_t>();
  ops_integers::check_logic<std::uint64_t>();
}
