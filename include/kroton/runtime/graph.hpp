// Graphs recorded at run time: the same operators as in a lambda, the same optimizer, an
// interpreter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/variable.hpp>
#include <kroton/function/mode.hpp>
#include <kroton/runtime/function.hpp>
#include <kroton/runtime/make.hpp>
#include <kroton/runtime/text.hpp>

#include <deque>
#include <initializer_list>

namespace kroton::runtime {

/// A graph under construction. Variables refer to it: it is neither copied nor moved, and outlives
/// them.
///
///     kt::runtime::graph g;
///     auto x = g.input<double, 2>("x");
///     auto f = g.function({x}, tanh(dot(x, x.T())));
///     xt::xtensor<double, 2> y = f(a);
class graph {
 public:
  graph() = default;
  graph(graph const&) = delete;
  graph& operator=(graph const&) = delete;

  /// A new input of element type T and the given rank; the name appears in errors and prints.
  template <class T, int Rank>
  variable<T, Rank> input(std::string_view name = {}) {
    return input<variable<T, Rank>>(name);
  }
  /// The same, given the type of a variable, such as kt::drow, whose first extent is 1 and
  /// broadcasts.
  template <typed V>
  V input(std::string_view name = {}) {
    return V(input(V::parameter_type, name));
  }
  /// An input whose type is known only at run time. Throws kt::shape_error if it has more than 8
  /// dimensions, or a broadcast flag for a dimension that it does not have.
  term input(tensor_type type, std::string_view name = {}) {
    if (type.rank > core::max_rank)
      throw shape_error(core::message({"an input has at most 8 dimensions, not ", int{type.rank}}));
    if (type.broadcast >> type.rank != 0)
      throw shape_error("an input has a broadcast flag for a dimension that it does not have");
    term const t{&graph_, graph_.input(type, graph_.parameters().size())};
    if (!name.empty()) named(t, names_.emplace_back(name));
    return t;
  }

  /// The function of these inputs that computes one variable, optimized with a mode.
  /// (theano.function) Throws kt::value_error if an input is not an input of this graph (a
  /// constant, a computed value), is given twice, or is missing.
  template <typed V, class Mode = std::remove_const_t<decltype(mode::fast_run)>>
  auto function(std::initializer_list<term> inputs, V const& output, Mode = {}) const {
    return make<cpu::container_t<value_type_of<V>, rank_of<V>>, Mode>(inputs, {output});
  }
  /// Several variables: the function returns a std::tuple.
  template <typed... V, class Mode = std::remove_const_t<decltype(mode::fast_run)>>
  auto function(std::initializer_list<term> inputs, std::tuple<V...> const& outputs,
                Mode = {}) const {
    return std::apply(
        [&](auto const&... v) {
          return make<std::tuple<cpu::container_t<value_type_of<V>, rank_of<V>>...>, Mode>(inputs,
                                                                                           {v...});
        },
        outputs);
  }
  /// Variables in braces, of any type: the function returns a std::vector of kt::runtime::array.
  template <class Mode = std::remove_const_t<decltype(mode::fast_run)>>
  auto function(std::initializer_list<term> inputs, std::initializer_list<term> outputs,
                Mode = {}) const {
    return make<std::vector<array>, Mode>(inputs, outputs);
  }
  /// The same for lists that are made at run time.
  template <class Mode = std::remove_const_t<decltype(mode::fast_run)>>
  auto function(std::vector<term> const& inputs, std::vector<term> const& outputs,
                Mode = {}) const {
    return make<std::vector<array>, Mode>(inputs, outputs);
  }

  /// Writes what some outputs need as text, which `read` records again, also in another program.
  /// Throws kt::value_error as `function` does, and for ops of one's own.
  void write(std::ostream& to, std::vector<term> const& inputs,
             std::vector<term> const& outputs) const {
    core::list<int> in, out;
    for (term const& t : inputs) in.push_back(own(t));
    for (term const& t : outputs) out.push_back(own(t));
    write_graph(to, extract(graph_, in, out));
  }
  /// Records a graph that `write` has written, with new inputs of the same names, and returns its
  /// inputs and outputs. Throws kt::value_error with the number of the line for any other text.
  read_terms read(std::istream& from) { return read_graph(from, graph_, names_); }

  /// The graph itself, for other ways of recording and for printing.
  kroton::graph& recording() { return graph_; }
  kroton::graph const& recording() const { return graph_; }

 private:
  template <class Result, class Mode, class Inputs, class Outputs = std::initializer_list<term>>
  runtime::function<Result> make(Inputs const& inputs, Outputs const& outputs) const {
    core::list<int> in, out;
    for (term const& t : inputs) in.push_back(own(t));
    for (term const& t : outputs) out.push_back(own(t));
    kroton::graph const written = extract(graph_, in, out);
    std::shared_ptr<supervisor const> checked;
    constexpr auto bound = functions::bound_of<Mode>();
    if (Mode::run == execution::debugged || bound)
      checked = std::make_shared<supervisor>(written, Mode::last, Mode::options(), bound);
    return runtime::function<Result>(make_program(written, Mode::last, Mode::options()),
                                     std::move(checked), Mode::run == execution::profiled,
                                     watchers_of<Mode>());
  }
  int own(term const& t) const {
    if (t.of != &graph_)
      throw value_error("a function's inputs and outputs belong to the graph that it is made from");
    return t.id;
  }

  kroton::graph graph_;
  std::deque<std::string> names_;
};

}  // namespace kroton::runtime
