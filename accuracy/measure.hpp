// The errors of a problem as written, in the ieee mode and optimized.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "compiled.hpp"
#include "sampling.hpp"

#include <optional>

namespace accuracy {

struct settings {
  std::size_t points = 256;
  std::uint64_t seed = 1;
  bool gradient = false;
  std::vector<std::string> excluded{}, included{};
};

/// The errors at the points of one sampling, by the ways of compiling.
struct errors {
  sample points{};
  std::vector<double> results[std::size(ways)]{};
  double mean[std::size(ways)]{};  // in bits

  double of(way w) const { return mean[static_cast<int>(w)]; }
  double bits(way w, std::size_t point) const {
    return error_bits(results[static_cast<int>(w)][point], points.exact[point]);
  }
  /// The number of points where the expression as written is right to one bit, and another way
  /// gives an infinity, NaN or a zero that is none.
  std::size_t lost(way w) const;
  bool lost_at(way w, std::size_t point) const;
};

struct measurement {
  problem of{};  // with --gradient: the problem's derivative, for exact values
  std::string text[std::size(ways)]{};
  std::vector<std::string> rules{};
  errors by[2];  // sampling::all, sampling::middle; without points where these are hard to find

  errors const& in(sampling s) const { return by[static_cast<int>(s)]; }
};

/// A sampling counts if it has this many points.
inline constexpr std::size_t fewest_points = 16;

/// Measures a problem; nothing for gradients of problems that have none or several variables.
std::optional<measurement> measure(problem const& p, settings const& how);

}  // namespace accuracy
