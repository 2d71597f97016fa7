// Arithmetic of signed integers of every width, extreme values and all lengths of tails included.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/ops_integers.hpp"

TEST_CASE("arithmetic of signed integers") {
  ops_integers::check_arithmetic<std::int8_t>();
  ops_integers::check_arithmetic<std::int16_t>();
  ops_integers::check_arithmetic<std::int32_t>();
  ops_integers::check_arithmetic<std::int64_t>();
}
