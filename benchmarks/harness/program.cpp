// The command line of a benchmark program, and its output.
// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include "machine.hpp"
#include "report.hpp"

#include <kroton/core/file.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

constexpr char const* usage = R"(
    --filter REGEX    only the tables and cases, "title, case", in which it is found
    --quick           a smoke run: small sizes, short samples
    --rounds N        rounds of all contestants in turn, 9
    --baseline NAME   what speeds are relative to: the fastest of those whose names begin so
    --markdown        tables in Markdown
    --json FILE       everything as JSON
    --svg FILE        a chart of each table
    --core N          the processor to stay on; the last one
    --list            what there is, without running it
)";

[[noreturn]] void stop(std::string const& why) {
  std::fprintf(stderr, "%s%s", why.c_str(), usage);
  std::exit(2);
}

bench::options read(int argc, char** argv, std::string const& about, std::string const& baseline) {
  bench::options o;
  o.baseline = baseline;
  for (int i = 1; i < argc; ++i) {
    std::string const name = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) stop(name + " needs a value");
      return argv[i];
    };
    if (name == "--quick") {
      o.quick = true;
      o.rounds = 3;
      o.sample_seconds = 2e-4;
    } else if (name == "--markdown")
      o.markdown = true;
    else if (name == "--list")
      o.list = true;
    else if (name == "--filter")
      o.filter = value();
    else if (name == "--baseline")
      o.baseline = value();
    else if (name == "--json")
      o.json = value();
    else if (name == "--svg")
      o.svg = value();
    else if (name == "--rounds")
      o.rounds = std::atoi(value().c_str());
    else if (name == "--core")
      o.core = std::atoi(value().c_str());
    else if (name == "--help")
      stop(about);
    else
      stop("unknown: " + name);
  }
  if (o.rounds < 1) stop("--rounds: at least 1");
  return o;
}

void write(std::string const& path, std::string const& text) {
  try {
    kroton::core::write_file(path, text);
  } catch (kroton::file_error const& e) {
    std::fprintf(stderr, "%s\n", e.what());
    std::exit(2);
  }
}

}  // namespace

program::program(std::string name, std::string about, int argc, char** argv, std::string baseline, bool threads)
    : name_(std::move(name)), about_(std::move(about)), options_(read(argc, argv, about_, baseline)), threads_(threads) {
  if (!threads) {
    with_one_thread(argv);
    options_.core = keep_to(options_.core);
  }
  try {
    filter_ = std::regex(options_.filter);
  } catch (std::regex_error const& e) {
    stop(std::string("--filter: ") + e.what());
  }
  if (options_.list) return;
  char const* const line = options_.markdown ? "- " : "";
  for (auto const& [what, value] : machine()) std::printf("%s%s: %s\n", line, what.c_str(), value.c_str());
  std::printf("%s", line);
  char const* comma = "";
  for (auto const& [what, value] : peers()) {
    std::printf("%s%s %s", comma, what.c_str(), value.c_str());
    comma = ", ";
  }
  std::printf(
      "\n%s%s; medians of %d rounds in turn, in brackets the speed relative to \"%s\" and half the distance of its quartiles\n",
      line, threads ? "no fixed processor" : ("one thread on processor " + std::to_string(options_.core)).c_str(),
      options_.rounds, options_.baseline.c_str());
  std::fflush(stdout);
}

bool program::selected(std::string const& title, std::string const& column) const {
  std::string const text = title + ", " + column;
  bool const yes = std::regex_search(text, filter_);
  if (yes && options_.list) std::printf("%s\n", text.c_str());
  return yes && !options_.list;
}

void program::progress(std::string const& text) const {
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\e[K%.100s", text.c_str());
}

// A peer's wrong values are its own affair; the table shows them.
static bool is_peer(std::string const& contestant, std::string const& baseline) {
  return !contestant.starts_with("Kroton") && !contestant.starts_with("by hand") && !contestant.starts_with(baseline);
}

void program::record(std::string const& title, unit const& u, column c) {
  for (entry const& e : c.entries)
    if (e.wrong) {
      std::fprintf(stderr, "\nWRONG: %s, %s, %s: differs by %g\n", title.c_str(), c.label.c_str(), e.contestant.c_str(),
                   e.error);
      wrong_ = wrong_ || !is_peer(e.contestant, options_.baseline);
    }
  if (tables_.empty() || tables_.back().title != title) {
    print_last();
    tables_.push_back({title, u, {}});
  }
  tables_.back().columns.push_back(std::move(c));
}

void program::print_last() {
  if (printed_ == tables_.size()) return;
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\e[K");
  std::printf("\n%s", table_text(tables_.back(), options_.markdown).c_str());
  std::fflush(stdout);
  printed_ = tables_.size();
}

void program::compare_forms(std::string const& name) {
  print_last();
  std::printf("\n%s", forms_text(tables_, name, options_.markdown).c_str());
}

int program::finish() {
  print_last();
  if (tables_.empty() && !options_.list) stop("no table has \"" + options_.filter + "\"");
  if (!options_.json.empty()) write(options_.json, json_text(name_, tables_));
  if (!options_.svg.empty()) write(options_.svg, svg_text(name_, tables_));
  return wrong_;
}

}  // namespace bench
