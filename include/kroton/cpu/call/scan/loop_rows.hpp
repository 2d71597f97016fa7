// Where the rows of a loop lie, and where a loop stands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/scan/growing_rows.hpp>

#include <cstddef>
#include <vector>

namespace kroton::cpu {

/// Rows one after the other, of which the last `keep` are stored: row r lies where row r - keep
/// was. `bytes` is negative where the rows of a stack lie from the last one to the first.
struct row_store {
  std::byte* base = nullptr;
  std::ptrdiff_t bytes = 0, keep = 1;  // from row to row; how many

  /// All rows of a stack, as the loop makes them.
  static row_store of_stack(std::byte* data, std::ptrdiff_t bytes, std::ptrdiff_t rows,
                            bool backwards) {
    if (backwards) return {data + (rows - 1) * bytes, -bytes, rows};
    return {data, bytes, rows};
  }

  std::byte* row(std::ptrdiff_t r) const { return base + r % keep * bytes; }
  std::byte* next(std::byte* row) const {
    row += bytes;
    return row == base + keep * bytes ? base : row;
  }
};

/// What a step reads, and how far from it the next row is.
struct row_cursor {
  std::byte* at = nullptr;
  std::ptrdiff_t bytes = 0;
};

/// Where a loop stands before a step: by input of the body, what this step reads; by tape, its rows
/// and where the step stores one.
template <class Side>
struct interrupted_scan {
  std::ptrdiff_t step = 0;
  std::vector<row_cursor> read;
  std::vector<row_store> rows;
  std::vector<std::byte*> written;
  std::vector<growing_rows<Side>> grown;
};

}  // namespace kroton::cpu
