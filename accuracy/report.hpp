// What is printed of measurements, and the record of earlier ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "measure.hpp"

#include <filesystem>
#include <iosfwd>

namespace accuracy {

/// The table: how many problems get better and worse, for Hamming's and the others, for both
/// samplings, and the mean errors. In Markdown.
void print_table(std::vector<measurement> const& all, std::ostream& out);

/// The problems that get worse by more than half a bit in the default mode, or that lose points,
/// with the first such point.
void print_worse(std::vector<measurement> const& all, std::ostream& out);

/// One line for each problem and sampling: the mean errors.
void print_list(std::vector<measurement> const& all, std::ostream& out);

/// A problem in full: expressions, rules, errors, and points where it gets worse.
void print_problem(measurement const& m, std::ostream& out);

/// Draws the errors of a problem, as written and optimized, against its first variable.
void draw_svg(measurement const& m, sampling how, std::ostream& out);

/// Writes the mean errors to a file.
void write_record(std::vector<measurement> const& all, settings const& how,
                  std::filesystem::path const& file);

/// Compares with a record; prints what got worse by more than half a bit, in the default mode or
/// ieee, and returns whether nothing did. A record of another seed or number of points is not
/// compared. Problems that one of both lacks are named.
bool agrees_with_record(std::vector<measurement> const& all, settings const& how,
                        std::filesystem::path const& file, bool whole, std::ostream& out);

}  // namespace accuracy
