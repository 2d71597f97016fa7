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

  /// All contestants, those of one case in its order.
  std::vector<std::string> contestants() const {
    std::vector<std::string> names;
    for (column const& c : columns) {
      auto place = names.begin();
      for (entry const& e : c.entries) {
        auto const known = std::find(names.begin(), names.end(), e.contestant);
        place = (known == names.end() ? names.insert(place, e.contestant) : known) + 1;
      }
    }
    return names;
  }
  /// What the speeds of all cases are relative to: the part of the name that their baselines share.
  std::string baseline() const {
    std::string shared = columns.front().baseline;
    for (column const& c : columns) {
      auto const end = std::mismatch(shared.begin(), shared.end(), c.baseline.begin(), c.baseline.end()).first;
      shared.erase(end, shared.end());
    }
    while (!shared.empty() && (shared.back() == ' ' || shared.back() == ',' || shared.back() == ':')) shared.pop_back();
    return shared;
  }
};

}  // namespace bench
