// One program through every stage and mode: all have to agree with its evaluation as written.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "truth.hpp"

#include <kroton/rewrite/optimize.hpp>

#include <span>

namespace fuzz {

/// A way in which a program is computed. The first is the graph as it was recorded, on the interpreter.
struct configuration {
  std::string_view name;
  kt::stage last = kt::stage::specialize;
  bool ieee = false;
  bool optimized = true;
  bool runs = true;  // on the interpreter; else the fuzzer's own evaluation of the optimized graph
  bool lacks_pass = false;     // one of those over loops, another one for each program
  bool differentiates = false;  // compares its gradient with differences, and nothing else
};
inline constexpr configuration configurations[] = {
    {"as written", kt::stage::canonicalize, true, false, true},
    {"canonicalize", kt::stage::canonicalize, false, true, false},
    {"stabilize", kt::stage::stabilize, false, true, false},
    {"ieee, canonicalize", kt::stage::canonicalize, true, true, false},
    {"ieee, stabilize", kt::stage::stabilize, true, true, false},
    {"canonicalize, lowered", kt::stage::canonicalize, false, true, true},
    {"fast_run", kt::stage::specialize, false, true, true},
    {"ieee", kt::stage::specialize, true, true, true},
    {"fast_run, one pass less", kt::stage::specialize, false, true, true, true},
    {"gradient", kt::stage::canonicalize, false, false, false, false, true},
};

struct check_options {
  std::span<kt::rewrite::book_view const> extra{};        // rules of one's own
  std::span<std::string_view const> excluded{};
  int only = -1;                                       // one configuration, or all
};

/// Computes a program in every configuration and gives the first disagreement. `compared` counts the elements that could be
/// compared.
std::optional<failure> check(program const& p, check_options const& options = {}, long* compared = nullptr);

/// What the interpreter gives for a graph as it was recorded.
outcome run_as_written(kt::graph const& g, std::vector<argument> const& arguments);

}  // namespace fuzz
