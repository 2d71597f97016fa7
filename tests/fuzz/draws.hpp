// Draws from a stream of random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "record.hpp"

#include <string_view>
#include <vector>

namespace fuzz {

/// A draw as users write it: $0 is the stream, # the extents.
struct draw_function {
  std::string_view text;
  kt::term (*record)(kt::rng const& r, call const& c, std::vector<kt::term> const& values);
};

/// All of them, by number.
std::vector<draw_function> const& draw_functions();

/// Records a draw of which the first operand is the stream. Its extents are those of the second
/// one, of rank 1 or 2, or axes.
kt::term record_draw(kt::graph& g, call const& c, std::vector<kt::term> const& values,
                     recorded_arguments const& of);

/// The states that the streams of a program have after its draws, as results behind the others.
void record_states(kt::graph& g, recorded_arguments const& of);

/// A stream of a kind and a seed, as an argument: its state.
argument stream_of(argument_kind kind, std::uint32_t seed);

}  // namespace fuzz
