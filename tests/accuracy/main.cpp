// Measures the errors of the functions of SIMD batches for the instructions that it is compiled for, and writes its two columns of the
// table in docs/pitfalls.md: `accuracy FILE`. Without a file it prints them.
// SPDX-License-Identifier: BSD-3-Clause
#include "measure.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

namespace {

using namespace accuracy;
namespace math = kroton::math;
using row = std::map<std::string, std::string>;  // column: figure
using table = std::map<std::string, row>;        // function: row

#if defined(__AVX512F__)
constexpr char const* instructions = "AVX-512";
#elif defined(__AVX2__)
constexpr char const* instructions = "AVX2";
#else
constexpr char const* instructions = "SSE2";
#endif
constexpr char const* columns[] = {"float64, AVX-512", "float64, AVX2", "float64, SSE2", "float32, AVX-512", "float32, AVX2", "float32, SSE2"};

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Measures one function, and rounds its error up.
template <class T, class F>
void note(table& all, char const* name, F f, quad (*exact)(quad), double low, double high) {
  found<T> const worst = largest_error<T>(f, exact, low, high);
  char figure[32];
  std::snprintf(figure, sizeof figure, "%.1f", std::ceil(worst.error * 10) / 10);
  all[name][std::string(sizeof(T) == 8 ? "float64, " : "float32, ") + instructions] = figure;
  std::fprintf(stderr, "%-9s %s  %.3f at %.17g\n", name, sizeof(T) == 8 ? "float64" : "float32", worst.error, static_cast<double>(worst.x));
}

template <class T>
void measure(table& all) {
#define MEASURE(name, low, high) note<T>(all, #name, [](auto x) { return math::name(x); }, &exactly::name, low, high);
  MEASURE(exp, -infinity, infinity)
  MEASURE(exp2, -infinity, infinity)
  MEASURE(expm1, -infinity, infinity)
  MEASURE(cbrt, -infinity, infinity)
  MEASURE(log, 0, infinity)
  MEASURE(log2, 0, infinity)
  MEASURE(log10, 0, infinity)
  MEASURE(log1p, -1, infinity)
  MEASURE(sin, -infinity, infinity)
  MEASURE(cos, -infinity, infinity)
  MEASURE(tan, -infinity, infinity)
  MEASURE(asin, -1, 1)
  MEASURE(acos, -1, 1)
  MEASURE(atan, -infinity, infinity)
  MEASURE(sinh, -infinity, infinity)
  MEASURE(cosh, -infinity, infinity)
  MEASURE(tanh, -infinity, infinity)
  MEASURE(asinh, -infinity, infinity)
  MEASURE(acosh, 1, infinity)
  MEASURE(atanh, -1, 1)
  MEASURE(erf, -infinity, infinity)
  MEASURE(erfc, -infinity, infinity)
  MEASURE(erfcx, -infinity, infinity)
  MEASURE(logerfc, -infinity, infinity)
  MEASURE(sigmoid, -infinity, infinity)
  MEASURE(softplus, -infinity, infinity)
  MEASURE(log1mexp, -infinity, 0)
  // Below 0 they have zeros, next to which no relative error is small.
  MEASURE(gammaln, 0, infinity)
  MEASURE(digamma, 0, infinity)
  MEASURE(trigamma, -1000, infinity)
#undef MEASURE
}

constexpr char const* begin = "<!-- errors: written by tests/accuracy -->\n";
constexpr char const* end = "<!-- end of errors -->\n";

std::vector<std::string> cells(std::string const& line) {
  std::vector<std::string> found;
  std::istringstream in(line.substr(1));
  for (std::string cell; std::getline(in, cell, '|');) {
    std::erase(cell, ' ');
    found.push_back(cell);
  }
  return found;
}

/// The figures of the other columns, from the table that is there.
void read_others(std::string const& text, table& all) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> const row = cells(line);
    std::string const name = row[0].substr(1, row[0].size() - 2);
    for (std::size_t i = 0; i < std::size(columns) && i + 1 < row.size(); ++i)
      if (!all[name].contains(columns[i])) all[name][columns[i]] = row[i + 1];
  }
}

std::string text_of(table& all) {
  std::ostringstream out;
  out << "|";
  for (char const* column : columns) out << " | " << column;
  out << " |\n|---|---|---|---|---|---|---|\n";
  for (auto& [name, row] : all) {
    out << "| `" << name << "`";
    for (char const* column : columns) out << " | " << row[column];
    out << " |\n";
  }
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  table all;
  measure<double>(all);
  measure<float>(all);
  if (argc < 2) return std::cout << text_of(all), 0;
  std::ifstream file(argv[1]);
  std::string page{std::istreambuf_iterator<char>(file), {}};
  std::size_t const from = page.find(begin), to = page.find(end);
  if (from == std::string::npos || to == std::string::npos) return std::cerr << argv[1] << " has no table of errors\n", 1;
  std::size_t const first = from + std::string(begin).size();
  read_others(page.substr(first, to - first), all);
  std::ofstream(argv[1]) << page.replace(first, to - first, text_of(all));
}
