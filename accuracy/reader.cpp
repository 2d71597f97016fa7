// SPDX-License-Identifier: BSD-3-Clause
#include "reader.hpp"

#include <kroton/core/read_number.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>

namespace accuracy {

namespace {

/// A word, a text in quotes, or a list.
struct datum {
  std::string word{};
  bool quoted = false;
  bool list = false;
  std::vector<datum> parts{};
};

class tokens {
 public:
  explicit tokens(std::string_view text) : rest_(text) {}

  bool done() {
    skip();
    return rest_.empty();
  }
  datum next() {
    if (done()) throw std::runtime_error("a parenthesis is not closed");
    char const first = rest_.front();
    if (first == ')' || first == ']') throw std::runtime_error("a parenthesis too many");
    if (first == '(' || first == '[') return list();
    if (first == '"') {
      std::size_t const end = rest_.find('"', 1);
      if (end == rest_.npos) throw std::runtime_error("a quotation mark is not closed");
      datum d{std::string(rest_.substr(1, end - 1)), true};
      rest_.remove_prefix(end + 1);
      return d;
    }
    std::size_t const end = std::min(rest_.find_first_of("()[]\"; \t\r\n"), rest_.size());
    datum d{std::string(rest_.substr(0, end))};
    rest_.remove_prefix(end);
    return d;
  }

 private:
  datum list() {
    datum d;
    d.list = true;
    rest_.remove_prefix(1);
    while (!done() && rest_.front() != ')' && rest_.front() != ']') d.parts.push_back(next());
    if (rest_.empty()) throw std::runtime_error("a parenthesis is not closed");
    rest_.remove_prefix(1);
    return d;
  }
  void skip() {
    while (!rest_.empty()) {
      if (rest_.front() == ';') rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      else if (std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos)
        rest_.remove_prefix(1);
      else return;
    }
  }

  std::string_view rest_;
};

/// Makes nodes of an expression.
class builder {
 public:
  using names = std::map<std::string, int>;

  explicit builder(problem& p) : e_(p.nodes) {
    for (std::size_t k = 0; k < p.variables.size(); ++k) {
      e_.nodes.push_back({operation::variable, {}, 0, static_cast<int>(k)});
      variables_[p.variables[k]] = e_.size() - 1;
    }
  }
  int build(datum const& d) { return build(d, variables_); }

 private:
  int build(datum const& d, names const& known) {
    if (!d.list) return word(d.word, known);
    if (d.parts.empty() || d.parts[0].list) throw std::runtime_error("a list without a name");
    std::string const& head = d.parts[0].word;
    if (head == "let" || head == "let*") return let(d, known);
    std::vector<int> arguments;
    for (std::size_t k = 1; k < d.parts.size(); ++k) arguments.push_back(build(d.parts[k], known));
    return apply(head, arguments);
  }
  int word(std::string const& text, names const& known) {
    if (auto const found = known.find(text); found != known.end()) return found->second;
    if (text == "PI") return e_.number(std::numbers::pi);
    if (text == "E") return e_.number(std::numbers::e);
    double value = 0, below = 0;
    if (kroton::core::read_number(text, value)) return e_.number(value);
    std::size_t const bar = text.find('/');
    if (bar != text.npos && kroton::core::read_number(text.substr(0, bar), value) &&
        kroton::core::read_number(text.substr(bar + 1), below)) {
      int const above = e_.number(value);
      return e_.add(operation::div, {above, e_.number(below)});
    }
    throw std::runtime_error("unknown: " + text);
  }
  int let(datum const& d, names known) {
    if (d.parts.size() != 3) throw std::runtime_error("let takes names and a body");
    names const outside = known;
    bool const in_order = d.parts[0].word == "let*";
    for (datum const& binding : d.parts[1].parts) {
      if (binding.parts.size() != 2) throw std::runtime_error("let binds a name to a value");
      known[binding.parts[0].word] = build(binding.parts[1], in_order ? known : outside);
    }
    return build(d.parts[2], known);
  }
  int apply(std::string const& name, std::vector<int> const& a) {
    int const count = static_cast<int>(a.size());
    if (name == "-" && count == 1 && e_[a[0]].is == operation::number)
      return e_.number(-e_[a[0]].value);
    for (operation_info const& o : operations)
      if (o.name == name && o.arity == count) return e_.add(o.is, a);
    // Longer sums, products and chains of comparisons.
    for (operation_info const& o : operations) {
      if (o.name != name || o.arity != 2 || count < 1) continue;
      if (is_comparison(o.is)) return chain(o.is, a);
      if (o.is != operation::add && o.is != operation::mul && o.is != operation::both &&
          o.is != operation::either)
        continue;
      int all = a[0];
      for (int k = 1; k < count; ++k) all = e_.add(o.is, {all, a[static_cast<std::size_t>(k)]});
      return all;
    }
    throw std::runtime_error("no operation " + name + " of " + std::to_string(count));
  }
  int chain(operation o, std::vector<int> const& a) {
    if (a.size() < 2) throw std::runtime_error("a comparison of one number");
    int all = e_.add(o, {a[0], a[1]});
    for (std::size_t k = 2; k < a.size(); ++k) {
      int const next = e_.add(o, {a[k - 1], a[k]});
      all = e_.add(operation::both, {all, next});
    }
    return all;
  }

  expression& e_;
  names variables_;
};

problem read_problem(datum const& d, std::string const& source) {
  problem p;
  p.source = source;
  if (!d.list || d.parts.size() < 3 || d.parts[0].word != "FPCore")
    throw std::runtime_error("not an FPCore");
  for (datum const& v : d.parts[1].parts) p.variables.push_back(v.word);
  datum const* condition = nullptr;
  for (std::size_t k = 2; k + 2 < d.parts.size(); k += 2) {
    if (d.parts[k].word == ":name") p.name = d.parts[k + 1].word;
    else if (d.parts[k].word == ":pre") condition = &d.parts[k + 1];
    else throw std::runtime_error("unknown property " + d.parts[k].word);
  }
  try {
    builder nodes(p);
    p.body = nodes.build(d.parts.back());
    if (condition != nullptr) p.condition = nodes.build(*condition);
  } catch (std::runtime_error const& e) { throw std::runtime_error(p.name + ": " + e.what()); }
  return p;
}

std::string number_text(double value) {
  char text[32];
  auto const [end, fault] = std::to_chars(text, text + sizeof text, value);
  return {text, end};
}

}  // namespace

std::vector<problem> read(std::string_view text, std::string const& source) {
  std::vector<problem> all;
  for (tokens rest(text); !rest.done();) all.push_back(read_problem(rest.next(), source));
  return all;
}

std::vector<problem> read_folder(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".fpcore") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<problem> all;
  for (auto const& file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    try {
      for (problem& p : read(text.str(), file.stem().string())) all.push_back(std::move(p));
    } catch (std::runtime_error const& e) {
      throw std::runtime_error(file.string() + ": " + e.what());
    }
  }
  return all;
}

std::string text_of(problem const& p, int at) {
  node const& n = p.nodes[at];
  if (n.is == operation::number) return number_text(n.value);
  if (n.is == operation::variable) return p.variables[static_cast<std::size_t>(n.variable)];
  std::string text = "(";
  for (operation_info const& o : operations)
    if (o.is == n.is) text += o.name;
  for (int a : n.arguments) text += ' ' + text_of(p, a);
  return text + ')';
}

}  // namespace accuracy
