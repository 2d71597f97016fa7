// A table of numbers with a class in the last column, read from a CSV file whose lines may be malformed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <xtensor/xtensor.hpp>

namespace example {

struct table {
  xt::xtensor<double, 2> x;            // a row for each example
  xt::xtensor<std::int64_t, 1> y;      // its class, 0 or 1
  std::string classes[2];
  std::vector<std::string> problems;   // "line 17: ..." of each line that was left out
};

inline std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    auto const comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\r')) field.remove_suffix(1);
    fields.push_back(field);
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

/// True when all of `field` is one finite number.
template <std::integral T>
bool parse(std::string_view field, T& value) {
  auto const [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
  return problem == std::errc{} && end == field.data() + field.size();
}
inline bool parse(std::string_view field, double& value) {
  std::string const text(field);
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && text.find_first_of("xX") == text.npos && std::isfinite(value);
}

/// Reads "rows,features,name of class 0,name of class 1" and then "feature,...,feature,class" lines. A line that does not
/// fit is left out and noted in `problems`; a file without a usable line is an exception.
inline table read_table(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::string line;
  std::getline(file, line);
  auto const header = split(line);
  std::size_t announced = 0, features = 0;
  if (header.size() != 4 || !parse(header[0], announced) || !parse(header[1], features) || features == 0)
    throw std::runtime_error(path + ":1: expected 'rows,features,class 0,class 1'");

  table t;
  t.classes[0] = header[2];
  t.classes[1] = header[3];
  std::vector<double> values;
  std::vector<std::int64_t> labels;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \r") == std::string::npos) continue;
    auto const complain = [&](std::string const& what) {
      t.problems.push_back("line " + std::to_string(number) + ": " + what);
    };
    auto const fields = split(line);
    if (fields.size() != features + 1) {
      complain(std::to_string(fields.size()) + " fields instead of " + std::to_string(features + 1));
      continue;
    }
    std::vector<double> row(features);
    std::size_t read = 0;
    while (read < features && parse(fields[read], row[read])) ++read;
    std::int64_t label = -1;
    if (read < features)
      complain("'" + std::string(fields[read]) + "' in column " + std::to_string(read + 1) + " is not a finite number");
    else if (!parse(fields[features], label) || (label != 0 && label != 1))
      complain("class '" + std::string(fields[features]) + "' is neither 0 nor 1");
    else {
      values.insert(values.end(), row.begin(), row.end());
      labels.push_back(label);
    }
  }
  if (labels.empty())
    throw std::runtime_error(path + ": no usable line" + (t.problems.empty() ? "" : "; " + t.problems.front()));
  if (labels.size() + t.problems.size() != announced)
    t.problems.push_back("line 1: announces " + std::to_string(announced) + " rows, there are " +
                         std::to_string(labels.size() + t.problems.size()));
  t.x.resize({labels.size(), features});
  std::copy(values.begin(), values.end(), t.x.begin());
  t.y.resize({labels.size()});
  std::copy(labels.begin(), labels.end(), t.y.begin());
  return t;
}

}  // namespace example
