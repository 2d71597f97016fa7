// Arguments of other extents for a program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "../program.hpp"

#include <optional>

namespace fuzz {

/// The program with `to` wherever an argument's axis has the extent `from`, of the same elements
/// over and over.
program with_extent(program p, long from, long to);

/// The program with one axis so long that an array has more than 16384 elements, where the work
/// grows with the axis only.
std::optional<program> with_long_axis(program const& p);

}  // namespace fuzz
