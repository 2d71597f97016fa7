// Values as written, their bounds, and comparisons with them.
// SPDX-License-Identifier: BSD-3-Clause
#include "truth.hpp"

#include "compressed.hpp"
#include "record.hpp"
#include "scalar.hpp"

#include <kroton/ops/conditional.hpp>
#include <kroton/ops/loop/layout.hpp>

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace fuzz {

namespace {

using kt::runtime::array;

array array_of(argument const& a) {
  array result(a.type.element, {a.shape.begin(), a.shape.end()});
  kt::runtime::visit_element(a.type.element, [&]<class T>(std::type_identity<T>) {
    T* const to = result.data<T>();
    for (std::size_t i = 0; i < a.data.size(); ++i) to[i] = number_as<T>(a.data[i]);
  });
  return result;
}
template <class T>
array vector_of(kt::element e, std::vector<T> const& all) {
  return array_of({{e, 1, 0}, {static_cast<long>(all.size())}, {all.begin(), all.end()}});
}
/// The arrays of a sparse matrix.
std::vector<array> arrays_of_matrix(argument const& a) {
  compressed const m(a);
  std::vector<array> all;
  all.push_back(vector_of(kt::element::float64, m.values));
  all.push_back(vector_of(kt::element::int32, m.indices));
  all.push_back(vector_of(kt::element::int32, m.starts));
  all.push_back(array_of({{kt::element::int64, 0, 0}, {}, {static_cast<real>(m.inner)}}));
  return all;
}
tensor tensor_of(array const& a) {
  tensor t;
  t.type = a.element_type();
  t.shape.assign(a.shape().begin(), a.shape().end());
  kt::runtime::visit_element(a.element_type(), [&]<class T>(std::type_identity<T>) {
    T const* const from = a.data<T>();
    for (std::size_t i = 0; i < a.size(); ++i) t.data.push_back(number_as<real>(from[i]));
  });
  return t;
}

bool has_choice(kt::graph const& g) {
  for (auto const& body : g.bodies())
    if (has_choice(*body)) return true;
  for (int id = 0; id < g.size(); ++id)
    if (g.is<kt::op::ifelse>(id)) return true;
  return false;
}
/// Whether a loop computes what nothing reads: it is asked for or not, as passes over loops see fit.
bool has_unread_results(kt::graph const& g) {
  for (auto const& body : g.bodies())
    if (has_unread_results(*body)) return true;
  kt::core::list<bool> const live = g.live();
  kt::core::list<bool> read(g.size());
  for (int id : g.results()) read[id] = true;
  for (int id = 0; id < g.size(); ++id)
    if (live[id] && !g.is<kt::op::item>(id))
      for (int in : g.inputs(id)) read[in] = true;
  for (int id = 0; id < g.size(); ++id) {
    if (!live[id] || !g.is<kt::op::scan>(id)) continue;
    int results = read[id] ? 1 : 0;
    for (int item = id; item < g.size(); ++item)
      results += g.is<kt::op::item>(item) && g.input_of(item, 0) == id && read[item] ? 1 : 0;
    if (results < kt::ops::layout_of(g, id).tapes()) return true;
  }
  return false;
}
bool has_sparse_matrices(program const& p) {
  bool found = p.has(&is_sparse);
  for (call const& c : p.calls) found = found || c.kind == call_kind::sparse;
  return found;
}
std::string shown(std::vector<long> const& shape) {
  std::string text = "(";
  for (long e : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(e);
  return text + ")";
}

}  // namespace

bool has_loop(kt::graph const& g) {
  kt::core::list<bool> const live = g.live();
  for (int id = 0; id < g.size(); ++id)
    if (live[id] && g.is<kt::op::scan>(id)) return true;
  return false;
}

/// How an element differs from what it should be; empty where it does not, or where nothing can be
/// said.
std::string truth::difference(int id, long i, real got, bool ieee, long& compared) const {
  evaluator const& values = *values_;
  tensor const& want = values[id];
  unsigned char const flags = want.flags[static_cast<std::size_t>(i)];
  if ((flags & (out_of_range | undecided)) != 0 ||
      (!ieee && (flags & (not_finite | reordered)) != 0))
    return {};
  // 0 times infinity next to what is stored.
  if (is_sparse_ && !std::isfinite(got) && meets_infinity()) return {};
  real const x = want.data[static_cast<std::size_t>(i * values.lanes())];
  real bound = 0;
  bool agree = got == x || (std::isnan(x) && std::isnan(got));
  if (kt::core::is_float(want.type) && std::isfinite(x)) {
    real const spread = values.spread(id, i, !ieee);
    if (!std::isfinite(spread)) return {};
    real const tiny = want.type == kt::element::float64 ? real(std::numeric_limits<double>::min())
                                                        : real(std::numeric_limits<float>::min());
    bound = 200 * spread + 64 * roundoff(want.type) * std::abs(x) + 64 * tiny;
    // A spread of the size of the value itself says that nothing of it is left.
    if (bound > std::abs(x) && bound > 1e-2L) return {};
    agree = kt::core::is_short(want.type)
                ? nearest(got, want.type) >= nearest(x - bound, want.type) &&
                      nearest(got, want.type) <= nearest(x + bound, want.type)
                : std::abs(got - x) <= bound;
  }
  ++compared;
  if (agree) return {};
  std::ostringstream text;
  text.precision(20);
  text << "element " << i << " is " << got << ", as written " << x << " (bound "
       << static_cast<double>(bound) << ")";
  return text.str();
}

outcome run(kt::graph g, std::vector<argument> const& arguments) {
  return outcome::of([&] {
    kt::runtime::program const p(std::move(g), kt::runtime::builtin_kernels());
    kt::cpu::frame f(p.tables());
    std::vector<array> given, results;
    for (argument const& a : arguments) {
      if (is_sparse(a.kind))
        for (array& part : arrays_of_matrix(a)) given.push_back(std::move(part));
      else given.push_back(array_of(a));
    }
    for (std::size_t k = 0; k < given.size(); ++k) f.bind(static_cast<int>(k), given[k].ref());
    kt::runtime::run_program(p, f, results);
    std::vector<tensor> outputs;
    for (array const& a : results) outputs.push_back(tensor_of(a));
    return outputs;
  });
}

truth::truth(program const& p)
    : is_sparse_(has_sparse_matrices(p)), arguments_(inputs_for_reference(p.arguments)) {
  record(graph_, p, false);
  if (!graph_.error().empty()) return;
  int const recorded = graph_.size();
  kt::ops::collect_constraints(graph_);
  if (!graph_.error().empty()) return;
  // What conditions on extents add to the graph may fail where the expression does not.
  record(plain_, p);
  if (!plain_.error().empty()) return;
  if (plain_.size() != recorded && !is_sparse_) throw std::logic_error("recording is not repeatable");
  try {
    values_.emplace(plain_, arguments_, true);
  } catch (unsettled const&) { return; } catch (index_error const& e) {
    wrong_index_ = true;
    wrong_shapes_ = e.what();
  } catch (std::domain_error const& e) { wrong_shapes_ = e.what(); }
  // A branch that is not taken may ask for an element that is not there, and does not where it is
  // not computed.
  unknown_ =
      !wrong_shapes_.empty() && (has_choice(graph_) || has_unread_results(graph_));
}

bool truth::meets_infinity() const {
  for (int id = 0; id < plain_.size(); ++id)
    for (unsigned char f : (*values_)[id].flags)
      if ((f & not_finite) != 0) return true;
  return false;
}

bool truth::fails_somewhere() const {
  kt::graph all = plain_;
  all.results() = {};  // then everything is computed
  try {
    evaluator const values(all, arguments_, false);
    return false;
  } catch (std::logic_error const&) { return true; }  // or is no part of a program, as in a batch
}

std::vector<std::vector<long>> truth::shapes() const {
  std::vector<std::vector<long>> all;
  for (int id : plain_.results()) all.push_back((*values_)[id].shape);
  return all;
}

std::optional<failure> truth::set_written(outcome const& o, long& compared) {
  written_ = o;
  if (wrong_index_ && (o.exception.empty() || o.exception == "value_error")) return {};
  // What the planner or the interpreter refuses as written, it may refuse in any form.
  if (o.exception == "value_error" && wrong_shapes_.empty()) {
    refused_ = o.text.find("extent depends") != std::string::npos ||
               o.text.find("64 arrays") != std::string::npos;
    if (refused_) return {};
    return failure{0, "exception", o.exception + ": " + o.text, {}};
  }
  // What nothing reads may not fit: the start of a state, a sparse matrix, the extents of a draw.
  refused_ = o.exception == "shape_error" && wrong_shapes_.empty() &&
             (fails_somewhere() || has_unread_results(graph_));
  if (refused_) return {};
  if (o.exception.empty() != wrong_shapes_.empty())
    return failure{
        0,
        "exception",
        o.exception.empty() ? "no exception, but " + wrong_shapes_ : o.exception + ": " + o.text,
        {}};
  if (!o.exception.empty()) return {};
  return fault_of_values(o, true, compared);
}

std::optional<failure> truth::fault_of(outcome const& o, bool ieee, long& compared) const {
  if (wrong_index_ && (o.exception.empty() || o.exception == "value_error")) return {};
  // What all steps share is computed before the loop, so its error may come first.
  if (o.is_refused() && written_.is_refused() && has_loop(graph_)) return {};
  if (o.exception != written_.exception)
    return failure{
        0,
        "exception",
        (o.exception.empty() ? "no exception" : o.exception + ": " + o.text) + "; as written " +
            (written_.exception.empty() ? "none" : written_.exception + ": " + written_.text),
        {}};
  if (!o.exception.empty()) return {};
  return fault_of_values(o, ieee, compared);
}

std::optional<failure> truth::fault_of_values(outcome const& o, bool ieee, long& compared) const {
  for (std::size_t k = 0; k < o.outputs.size(); ++k) {
    int const id = plain_.results()[static_cast<int>(k)];
    tensor const &want = (*values_)[id], &got = o.outputs[k];
    std::string const which = "output " + std::to_string(k + 1) + ": ";
    if (got.type != want.type)
      return failure{
          0, "type", which + "an element type of " + std::string(kt::core::name_of(got.type)), {}};
    if (got.shape != want.shape)
      return failure{0,
                     "shape",
                     which + "the shape " + shown(got.shape) + ", as written " + shown(want.shape),
                     {}};
    for (long i = 0; i < want.count(); ++i)
      if (std::string const text =
              difference(id, i, got.data[static_cast<std::size_t>(i)], ieee && !is_sparse_, compared);
          !text.empty())
        return failure{0, "value", which + text, {}};
  }
  return {};
}

}  // namespace fuzz
