// What is said of a file that is refused.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/npz.hpp>

#include <string>

namespace testing {

/// The text of the kt::file_error that f throws; empty where it throws none.
template <class F>
std::string refused(F const& f) {
  try {
    f();
  } catch (kroton::file_error const& e) { return e.what(); }
  return "";
}

}  // namespace testing
