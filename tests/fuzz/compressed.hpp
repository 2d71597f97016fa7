// Sparse arguments as the arrays that a sparse matrix consists of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program.hpp"

namespace fuzz {

/// Line by line what is stored, the index of each, where lines begin and the last one ends, and the
/// extent that indices count.
struct compressed {
  std::vector<double> values{};
  std::vector<int> indices{}, starts{0};
  long inner = 0;

  explicit compressed(argument const& a) {
    bool const by_rows = a.kind == argument_kind::csr;
    long const lines = a.shape[by_rows ? 0 : 1];
    inner = a.shape[by_rows ? 1 : 0];
    for (long i = 0; i < lines; ++i) {
      for (long j = 0; j < inner; ++j) {
        auto const at = static_cast<std::size_t>(by_rows ? i * inner + j : j * lines + i);
        if (a.stored[at] == 0) continue;
        values.push_back(static_cast<double>(a.data[at]));
        indices.push_back(static_cast<int>(j));
      }
      starts.push_back(static_cast<int>(values.size()));
    }
  }
};

}  // namespace fuzz
