// Measures the errors of a collection of problems as written and as Kroton computes them.
// SPDX-License-Identifier: BSD-3-Clause
#include "reader.hpp"
#include "report.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

using namespace accuracy;

constexpr char usage[] =
    R"(accuracy [options]: the errors of the collection, in bits, and whether they are as recorded
  --problem NAME     in full, the problems whose names contain NAME
  --worse            the problems that get worse, their expressions, and a point of each
  --list             the mean errors of every problem
  --gradient         first derivatives of the problems of one variable, by kt::grad
  --excluding A,B    without these rules
  --including A,B    with these, of what --excluding leaves out
  --svg NAME FILE    draws error against the first input of the first such problem
  --middle           with --svg: magnitudes from 2^-20 to 2^20, in place of all doubles
  --points N         points for each problem and sampling, 256 unless given
  --seed N           another draw of points, 1 unless given
  --record FILE      writes the mean errors
  --compare FILE     fails where an error is more than half a bit above one recorded
  --problems FOLDER  another collection
)";

struct arguments {
  settings how{};
  std::string name{}, svg{}, record{}, compare{}, folder = ACCURACY_PROBLEMS;
  bool worse = false, list = false, in_full = false;
  sampling drawn = sampling::all;
};

std::vector<std::string> words_of(std::string const& text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == ',') words.emplace_back();
    else words.back() += c;
  }
  return words;
}

std::uint64_t number_of(std::string const& option, std::string const& text) {
  std::uint64_t value = 0;
  auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size())
    throw std::runtime_error(option + " takes a number, not " + text);
  return value;
}

arguments read_arguments(std::vector<std::string> const& words) {
  arguments a;
  for (std::size_t k = 0; k < words.size(); ++k) {
    std::string const& word = words[k];
    auto const next = [&]() -> std::string const& {
      if (k + 1 == words.size()) throw std::runtime_error(word + " needs a value\n" + usage);
      return words[++k];
    };
    if (word == "--problem") a.name = next(), a.in_full = true;
    else if (word == "--worse") a.worse = true;
    else if (word == "--list") a.list = true;
    else if (word == "--gradient") a.how.gradient = true;
    else if (word == "--excluding") a.how.excluded = words_of(next());
    else if (word == "--including") a.how.included = words_of(next());
    else if (word == "--svg") a.name = next(), a.svg = next();
    else if (word == "--middle") a.drawn = sampling::middle;
    else if (word == "--points") a.how.points = number_of(word, next());
    else if (word == "--seed") a.how.seed = number_of(word, next());
    else if (word == "--record") a.record = next();
    else if (word == "--compare") a.compare = next();
    else if (word == "--problems") a.folder = next();
    else throw std::runtime_error("unknown: " + word + '\n' + usage);
  }
  if (a.how.points < fewest_points)
    throw std::runtime_error("--points takes at least " + std::to_string(fewest_points));
  require_rules(a.how.excluded);
  require_rules(a.how.included);
  return a;
}

std::vector<measurement> measure_all(arguments const& a) {
  std::vector<problem> problems = read_folder(a.folder);
  std::vector<std::string> names;
  for (problem const& p : problems) {
    if (std::find(names.begin(), names.end(), p.name) != names.end())
      throw std::runtime_error("two problems have the name " + p.name);
    names.push_back(p.name);
  }
  std::vector<measurement> all;
  for (problem const& p : problems)
    if (p.name.find(a.name) != p.name.npos)
      if (auto m = measure(p, a.how)) all.push_back(std::move(*m));
  if (all.empty()) throw std::runtime_error("no problem has a name with " + a.name);
  return all;
}

int run(arguments const& a) {
  std::vector<measurement> const all = measure_all(a);
  if (!a.svg.empty()) {
    std::ofstream out(a.svg);
    for (measurement const& m : all)
      if (m.in(a.drawn).points.size() != 0) {
        draw_svg(m, a.drawn, out);
        return out.flush() ? EXIT_SUCCESS : EXIT_FAILURE;
      }
    throw std::runtime_error(a.name + " has too few points");
  }
  if (a.in_full)
    for (measurement const& m : all) print_problem(m, std::cout);
  if (a.worse) print_worse(all, std::cout);
  if (a.list) print_list(all, std::cout);
  if (!a.in_full) print_table(all, std::cout);
  if (!a.record.empty()) write_record(all, a.how, a.record);
  bool good = true;
  if (!a.compare.empty())
    good = agrees_with_record(all, a.how, a.compare, a.name.empty(), std::cout);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> const words(argv + 1, argv + argc);
    if (std::find(words.begin(), words.end(), "--help") != words.end()) {
      std::cout << usage;
      return EXIT_SUCCESS;
    }
    return run(read_arguments(words));
  } catch (std::exception const& e) {
    std::cerr << e.what() << '\n';
    return EXIT_FAILURE;
  }
}
