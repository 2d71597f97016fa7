// What was measured: tables of contestants by cases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "statistics.hpp"

#include <string>
#include <vector>

namespace bench {

/// What a table shows: `scale` times the seconds for an item, or items a second.
struct unit {
  std::string name;
  double scale = 1;
  bool rate = false;

  /// The figure of `items` items in so many seconds.
  double of(double seconds, double items) const { return rate ? scale * items / seconds : scale * seconds / items; }
};

inline unit nanoseconds(std::string const& item) { return {"ns " + item, 1e9, false}; }
inline unit per_second(std::string const& item) { return {item + "/s", 1, true}; }

/// One contestant in one case.
struct entry {
  std::string contestant;
  bool wrong = false;   ///< its values differ from the first contestant's
  double error = 0;     ///< the largest difference, relative to 1 + |value|
  quartiles seconds{};  ///< of one run
  quartiles speed{};    ///< the baseline's time over its own, of the same round
};

/// One case, such as a size: what ran interleaved.
struct column {
  std::string label;
  double items = 1;
  std::string baseline;
  std::vector<entry> entries;

  /// The entry of a contestant; null where it did not take part.
  entry const* find(std::string const& contestant) const {
    for (entry const& e : entries)
      if (e.contestant == contestant) return &e;
    return nullptr;
  }
};

/// Cases of one workload.
struct table {
  std::string title;
  bench::unit unit;
  std::vector<column> columns;

  /// All contestants, in the order in which they first appear.
  std::vector<std::string> contestants() const {
    std::vector<std::string> names;
    for (column const& c : columns)
      for (entry const& e : c.entries)
        if (std::find(names.begin(), names.end(), e.contestant) == names.end()) names.push_back(e.contestant);
    return names;
  }
};

}  // namespace bench
