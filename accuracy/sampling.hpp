// Points at which a problem is computed, with exact values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "expression.hpp"

#include <cstdint>

namespace accuracy {

/// How inputs are drawn. All doubles: every bit pattern is as likely as any other. Middle: a random
/// sign and a magnitude from 2^-20 to 2^20, every double of them as likely as any other. Variables
/// that the condition bounds are drawn between the bounds.
enum class sampling { all, middle };

struct sample {
  /// The coordinates, one list for each variable.
  std::vector<std::vector<double>> columns{};
  std::vector<double> exact{};
  std::size_t size() const { return exact.size(); }
};

/// The number of doubles from zero to x, with the sign of x.
std::int64_t ordinal(double x);

/// The error of a result in bits: log2 of one plus the number of doubles from it to the exact
/// value; 64 for NaN. (Herbie)
double error_bits(double result, double exact);

/// Up to `count` points that the condition admits and where the exact value is a finite double;
/// fewer where they are hard to find. Equal seeds draw equal points for a problem, whatever the
/// rest of the collection.
sample draw(problem const& p, sampling how, std::size_t count, std::uint64_t seed);

}  // namespace accuracy
