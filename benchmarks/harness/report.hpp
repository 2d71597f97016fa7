// The forms in which tables leave the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "result.hpp"

#include <string>
#include <vector>

namespace bench {

/// The columns of a table for a terminal, or in Markdown: the figure, and in brackets the speed relative to the baseline with
/// half the distance of its quartiles.
std::string table_text(table const& t, bool markdown);

/// How many times longer the slowest of the contestants whose names begin so takes than the
/// fastest, for each case with several: a table, and below it the worst.
std::string forms_text(std::vector<table> const& tables, std::string const& name, bool markdown);

/// Everything, as JSON.
std::string json_text(std::string const& program, std::vector<table> const& tables);

/// A chart for each table: bars of the speed relative to the baseline, by case, on a logarithmic axis where they differ widely.
std::string svg_text(std::string const& program, std::vector<table> const& tables);

/// A number with three digits that count.
std::string three_digits(double x);

}  // namespace bench
