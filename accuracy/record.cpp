// The record of mean errors: a line for each problem and sampling, tabs between the columns.
// SPDX-License-Identifier: BSD-3-Clause
#include "report.hpp"

#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <stdexcept>

namespace accuracy {

namespace {

constexpr double tolerance = 0.5;

std::string header(settings const& how) {
  return "seed " + std::to_string(how.seed) + ", points " + std::to_string(how.points) +
         (how.gradient ? ", gradients" : "");
}

struct entry {
  double written = 0, ieee = 0, optimized = 0;
};
using record = std::map<std::string, entry>;

std::string key(measurement const& m, sampling s) {
  return m.of.source + '\t' + m.of.name + '\t' + (s == sampling::all ? "all" : "middle");
}

record record_of(std::vector<measurement> const& all) {
  record r;
  for (measurement const& m : all)
    for (sampling s : {sampling::all, sampling::middle})
      if (errors const& e = m.in(s); e.points.size() != 0)
        r[key(m, s)] = {e.of(way::written), e.of(way::ieee), e.of(way::optimized)};
  return r;
}

record read_record(std::ifstream& in) {
  record r;
  for (std::string line; std::getline(in, line);) {
    std::size_t end = 0;
    for (int tab = 0; tab < 3; ++tab) end = line.find('\t', end) + 1;
    entry e;
    std::istringstream numbers(line.substr(end));
    if (end == 0 || !(numbers >> e.written >> e.ieee >> e.optimized))
      throw std::runtime_error("not a line of a record: " + line);
    r[line.substr(0, end - 1)] = e;
  }
  return r;
}

}  // namespace

void write_record(std::vector<measurement> const& all, settings const& how,
                  std::filesystem::path const& file) {
  std::ofstream out(file);
  out << header(how) << '\n';
  out.setf(std::ios::fixed);
  out.precision(2);
  for (auto const& [name, e] : record_of(all))
    out << name << '\t' << e.written << '\t' << e.ieee << '\t' << e.optimized << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

bool agrees_with_record(std::vector<measurement> const& all, settings const& how,
                        std::filesystem::path const& file, bool whole, std::ostream& out) {
  std::ifstream in(file);
  std::string first;
  if (!std::getline(in, first)) {
    out << "no record " << file.string() << '\n';
    return true;
  }
  if (first != header(how)) {
    out << "not compared with " << file.string() << ", which is of " << first << '\n';
    return true;
  }
  record const old = read_record(in), now = record_of(all);
  bool good = true;
  // Functions of another processor's vectors may be less precise: then so is what is written.
  auto const compare = [&](std::string const& name, char const* way, double was, double is,
                           double written_now, double written_then) {
    double const gone_up = written_now > written_then ? written_now - written_then : 0;
    if (is <= was + gone_up + tolerance) return;
    good = false;
    out << "worse than recorded, " << way << ": " << name << "\t" << was << " bits, now " << is
        << '\n';
  };
  for (auto const& [name, is] : now) {
    auto const was = old.find(name);
    if (was == old.end()) {
      out << "not in the record: " << name << '\n';
      continue;
    }
    double const now_written = is.written, then = was->second.written;
    compare(name, "optimized", was->second.optimized, is.optimized, now_written, then);
    compare(name, "ieee", was->second.ieee, is.ieee, now_written, then);
  }
  for (auto const& [name, e] : old)
    if (whole && !now.contains(name)) {
      good = false;
      out << "recorded, but not measured: " << name << '\n';
    }
  return good;
}

}  // namespace accuracy
