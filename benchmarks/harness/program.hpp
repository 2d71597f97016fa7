// A benchmark program: its command line, its tables, and where they go.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "result.hpp"

#include <time.h>

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

/// What the command line asks for.
struct options {
  bool quick = false;
  bool markdown = false;
  int rounds = 9;
  double sample_seconds = 5e-3;  ///< the least duration of one sample
  int core = -1;                 ///< the processor to stay on; negative: the last one
  bool list = false;
  std::string baseline;
  std::string json, svg;
  std::string filter;
};

/// One program. It keeps to one core and to one thread of the libraries unless threads are its subject. Speeds are relative to
/// the fastest of the contestants whose names begin as `baseline` does, or to the first one.
class program {
 public:
  /// Reads the command line; ends the program with a message where that is wrong or asks for help. May start the program again
  /// with the environment in which libraries keep to one thread.
  program(std::string name, std::string about, int argc, char** argv, std::string baseline = "by hand", bool threads = false);

  bench::options const& options() const { return options_; }
  /// What tells the time: the thread's own, which other programs do not use up, or the clock where there are several threads.
  clockid_t clock() const { return threads_ ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID; }
  /// Whether the filter asks for this case of this table.
  bool selected(std::string const& title, std::string const& column) const;
  /// A size at which a smoke run need not be.
  bool skips(double items) const { return options_.quick && items > 1e5; }

  /// Takes a case; those of one table follow each other.
  void record(std::string const& title, unit const& u, column c);
  void progress(std::string const& text) const;

  /// Prints how much the slowest of the contestants with such names takes of the fastest: forms of
  /// the same formula.
  void compare_forms(std::string const& name);
  /// Prints what is left, writes the files, and gives the exit status: 1 where Kroton or the baseline was wrong.
  int finish();

 private:
  void print_last();

  std::string name_, about_;
  bench::options options_;
  std::regex filter_;
  std::vector<table> tables_;
  std::size_t printed_ = 0;
  bool wrong_ = false, threads_;
};

}  // namespace bench
