// Graphs as text. A graph is a line for each node, in their order, as in
//
//     kroton graph 1
//     0 = input float64[?,1] : 0 "x"
//     1 = literal float64[] : 0.5
//     2 = mul float64[?,1] 0 1
//     3 = scan float64[?] 2 : body 0 17
//     parameters 0
//     result 3
//     end
//
// with the operands of a node, and behind the colon its attributes. Where it owns a body, the first
// of them is the number of a graph in front of all nodes, from "body" to "end".
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/catalogue/table.hpp>
#include <kroton/core/read_number.hpp>
#include <kroton/runtime/source/extract.hpp>
#include <kroton/runtime/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iomanip>
#include <istream>
#include <ostream>
#include <sstream>
#include <string>

namespace kroton::runtime {
namespace detail {

template <class... Op>
constexpr auto ops_by_name(boost::mp11::mp_list<Op...>) {
  // With its type, since clang counts the elements of an array that is to find it out.
  std::array<core::op_info const*, sizeof...(Op) + 1> all{&info<Op>..., &info<op::cast>};
  std::ranges::sort(all, {}, &core::op_info::name);
  return all;
}

inline core::op_info const* op_named(std::string_view name) {
  static constexpr auto all = ops_by_name(op::all_ops{});
  static_assert(std::ranges::adjacent_find(all, {}, &core::op_info::name) == all.end(),
                "a name stands for one op");
  auto const found = std::ranges::lower_bound(all, name, {}, &core::op_info::name);
  return found != all.end() && (*found)->name == name ? *found : nullptr;
}

class graph_writer {
 public:
  explicit graph_writer(std::ostream& to) : to_(to) {}

  void write(kroton::graph const& g) {
    for (core::body const& b : g.bodies()) {
      to_ << "body\n";
      write(*b);
    }
    core::list<bool> written = g.live();
    for (int id : g.parameters()) written[id] = true;
    core::list<int> number(g.size(), -1);
    int count = 0;
    for (int id = 0; id < g.size(); ++id) {
      if (!written[id]) continue;
      number[id] = count++;
      to_ << number[id] << " = " << g[id].op->name << ' ';
      write_type(g.type(id));
      for (int in : g.inputs(id)) to_ << ' ' << number[in];
      write_attributes(g, id);
      to_ << '\n';
    }
    to_ << "parameters";
    for (int id : g.parameters()) to_ << ' ' << number[id];
    to_ << '\n';
    for (int id : g.results()) to_ << "result " << number[id] << '\n';
    for (auto const& u : g.updates())
      to_ << "update " << u.parameter << ' ' << number[u.value] << '\n';
    for (auto const& c : g.constraints())
      to_ << "condition " << static_cast<long long>(c.kind) << ' ' << c.op->name << ' '
          << number[c.left] << ' ' << number[c.right] << '\n';
    to_ << "end\n";
  }

 private:
  void write_type(tensor_type const& t) {
    to_ << core::name_of(t.element) << '[';
    for (int d = 0; d < t.rank; ++d)
      to_ << (d > 0 ? "," : "") << ((t.broadcast >> d & 1u) != 0 ? '1' : '?');
    to_ << ']';
  }
  void write_attributes(kroton::graph const& g, int id) {
    bool const is_input = g.is<op::input>(id);
    if (g.is_literal(id)) {
      to_ << " : ";
      write_number(g, id);
      return;
    }
    core::op_info const* const known = op_named(g[id].op->name);
    if (!is_input && (known == nullptr || !(*known == *g[id].op)))
      throw value_error("kt::runtime: the op " + std::string(g[id].op->name) +
                        " is not one of Kroton's, and a graph with it cannot be written");
    if (g[id].attribute_count > 0) to_ << " :";
    for (int k = 0; k < g[id].attribute_count; ++k) {
      if (k == 0 && g[id].op->has_body) to_ << " body " << number_of_body(g, g.attribute(id, 0));
      else to_ << ' ' << g.attribute(id, k);
    }
    if (is_input && !g.name(id).empty()) to_ << ' ' << std::quoted(std::string(g.name(id)));
  }
  // The shortest text that is this number; of NaN its bits.
  void write_number(kroton::graph const& g, int id) {
    if (!core::is_continuous(g.type(id).element)) {
      to_ << g.literal_bits(id);
      return;
    }
    double const value = g.literal_value(id);
    if (std::isnan(value)) {
      to_ << "bits " << g.literal_bits(id);
      return;
    }
    std::array<char, 32> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    to_.write(digits.data(), end.ptr - digits.data());
  }
  static int number_of_body(kroton::graph const& g, long long address) {
    int at = 0;
    while (g.bodies()[at].address() != address) ++at;
    return at;
  }

  std::ostream& to_;
};

class graph_reader {
 public:
  graph_reader(std::istream& from, std::deque<std::string>& names) : from_(from), names_(names) {}

  kroton::graph read() {
    if (next() != "kroton" || next() != "graph" || next() != "1")
      fail("a graph begins with \"kroton graph 1\"");
    end_line();
    return read_body();
  }

 private:
  [[noreturn]] void fail(std::string const& what) const {
    throw value_error("kt::runtime: line " + std::to_string(line_number_) + " of a graph: " + what);
  }
  // The next word of the line, empty at its end.
  std::string next() {
    if (!in_line_) read_line();
    std::string word;
    line_ >> word;
    return word;
  }
  void read_line() {
    std::string text;
    if (!std::getline(from_, text)) fail("the text ends before the graph does");
    ++line_number_;
    line_ = std::istringstream(text);
    in_line_ = true;
  }
  void end_line() {
    std::string const rest = next();
    if (!rest.empty()) fail("\"" + rest + "\" follows where the line should end");
    in_line_ = false;
  }
  template <class Number>
  Number number(std::string const& word, char const* what) const {
    Number value{};
    if (!core::read_number(word, value)) fail("\"" + word + "\" is not " + what);
    return value;
  }
  int node(core::list<int> const& image, std::string const& word) const {
    int const at = number<int>(word, "the number of a node");
    if (at < 0 || at >= image.size()) fail("no node " + word + " comes before this line");
    return image[at];
  }

  kroton::graph read_body() {
    kroton::graph g;
    core::list<int> image;
    core::list<long long> bodies;
    for (;;) {
      std::string const word = next();
      if (word == "end") {
        end_line();
        return g;
      }
      if (word == "body") {
        end_line();
        bodies.push_back(g.intern(core::body(read_body())));
        continue;
      }
      if (word == "parameters") read_parameters(g, image);
      else if (word == "result") g.results().push_back(node(image, next()));
      else if (word == "update") read_update(g, image);
      else if (word == "condition") read_condition(g, image);
      else read_node(g, image, bodies, word);
      end_line();
    }
  }
  void read_parameters(kroton::graph& g, core::list<int> const& image) {
    core::list<int> parameters;
    for (std::string word; line_ >> word;) {
      int const id = node(image, word);
      if (!g.is<op::input>(id)) fail("node " + word + " is not an input");
      parameters.push_back(id);
    }
    g.set_parameters(parameters);
  }
  void read_update(kroton::graph& g, core::list<int> const& image) {
    int const parameter = number<int>(next(), "the number of a parameter");
    if (parameter < 0 || parameter >= g.parameters().size()) fail("no such parameter");
    g.updates().push_back({parameter, node(image, next())});
  }
  void read_condition(kroton::graph& g, core::list<int> const& image) {
    auto const kind = static_cast<core::condition>(number<long long>(next(), "a condition"));
    core::op_info const* const op = known_op(next());
    int const left = node(image, next()), right = node(image, next());
    g.constraints().push_back({left, right, op, kind});
  }
  core::op_info const* known_op(std::string const& name) const {
    core::op_info const* const op = op_named(name);
    if (op == nullptr) fail("\"" + name + "\" is not an op of Kroton's");
    return op;
  }
  tensor_type type(std::string const& word) const {
    auto const bracket = word.find('[');
    if (bracket == std::string::npos || word.back() != ']') fail("\"" + word + "\" is not a type");
    tensor_type t{element::boolean, 0, 0};
    std::size_t e = 0;
    while (e < core::element_types &&
           core::name_of(static_cast<element>(e)) != std::string_view(word).substr(0, bracket))
      ++e;
    if (e == core::element_types) fail("\"" + word + "\" is not a type");
    t.element = static_cast<element>(e);
    for (std::size_t at = bracket + 1; at + 1 < word.size(); at += 2) {
      bool const is_one = word[at] == '1', ends = at + 2 == word.size();
      if ((!is_one && word[at] != '?') || (!ends && word[at + 1] != ',') ||
          t.rank == core::max_rank)
        fail("\"" + word + "\" is not a type");
      t.broadcast |= static_cast<std::uint32_t>(is_one) << t.rank;
      ++t.rank;
    }
    return t;
  }

  void read_node(kroton::graph& g, core::list<int>& image, core::list<long long> const& bodies,
                 std::string const& first) {
    if (number<int>(first, "the number of a node") != image.size() || next() != "=")
      fail("the line of node " + std::to_string(image.size()) + " is missing");
    std::string const name = next();
    tensor_type const t = type(next());
    core::list<int> operands;
    std::string word = next();
    for (; !word.empty() && word != ":"; word = next()) operands.push_back(node(image, word));
    if (name == "input") image.push_back(read_input(g, t));
    else if (name == "literal") image.push_back(read_literal(g, t));
    else image.push_back(read_application(g, name, t, operands, bodies));
  }
  int read_input(kroton::graph& g, tensor_type t) {
    int const id = g.input(t, number<int>(next(), "the position of an input"));
    std::string name;
    if (line_ >> std::quoted(name)) {
      names_.push_back(name);
      g.names().push_back({id, names_.back()});
    }
    return id;
  }
  int read_literal(kroton::graph& g, tensor_type t) {
    std::string const word = next();
    if (word == "bits")
      return g.literal_of_bits(number<std::int64_t>(next(), "the bits of a number"), t.element);
    if (core::is_continuous(t.element))
      return g.literal(number<double>(word, "a number"), t.element);
    return g.literal_of_bits(number<std::int64_t>(word, "an integer"), t.element);
  }
  int read_application(kroton::graph& g, std::string const& name, tensor_type t,
                       core::list<int> const& operands, core::list<long long> const& bodies) {
    core::op_info const* const op = known_op(name);
    if (op->arity >= 0 && op->read(operands.size()) != op->arity)
      fail(name + " takes " + std::to_string(op->arity) + " operands, not " +
           std::to_string(op->read(operands.size())));
    core::list<long long> attributes;
    for (std::string word; line_ >> word;) {
      if (word != "body") {
        attributes.push_back(number<long long>(word, "an attribute"));
        continue;
      }
      int const body = number<int>(next(), "the number of a body");
      if (body < 0 || body >= bodies.size()) fail("no such body");
      attributes.push_back(bodies[body]);
    }
    if (op->has_body && attributes.empty()) fail(name + " owns a body");
    return g.add(op, t, operands, attributes);
  }

  std::istream& from_;
  std::deque<std::string>& names_;
  std::istringstream line_{};
  bool in_line_ = false;
  int line_number_ = 0;
};

}  // namespace detail

KROTON_RUNTIME_INLINE void write_graph(std::ostream& to, kroton::graph const& g) {
  to << "kroton graph 1\n";
  detail::graph_writer(to).write(g);
}

KROTON_RUNTIME_INLINE read_terms read_graph(std::istream& from, kroton::graph& to,
                                            std::deque<std::string>& names) {
  kroton::graph const g = detail::graph_reader(from, names).read();
  read_terms found;
  core::list<int> image(g.size(), -1);
  for (int id : g.parameters()) {
    image[id] = to.input(g.type(id), to.parameters().size());
    if (!g.name(id).empty()) to.names().push_back({image[id], g.name(id)});
    found.inputs.push_back({&to, image[id]});
  }
  copy_nodes(g, to, core::list<bool>(g.size(), true), image);
  for (int id : g.results()) found.outputs.push_back({&to, image[id]});
  return found;
}

}  // namespace kroton::runtime
