// debugprint of functions of run-time graphs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/print/debugprint.hpp>
#include <kroton/runtime/function.hpp>

namespace kroton {

/// Prints a function of a run-time graph: the graph as optimized, and the interpreter's steps.
template <class Result>
void debugprint(runtime::function<Result> const& f, std::ostream& out = std::cout) {
  out << "optimized\n";
  debugprint(f.compiled().optimized(), out);
  out << "steps\n";
  graph g = f.compiled().optimized();
  plan::planner const plan(g);
  printing::print_steps(g, printing::steps_of(plan), out);
}

namespace runtime {

/// Describes the steps of an interpreted program.
class plan_source {
 public:
  explicit plan_source(program const& p) : program_(p) {}
  std::string_view op_name(int i) const { return program_.step_text(i); }
  printing::planned_loop loop(int i, cpu::step_view const& s) const {
    loop_code const& code = *program_.loop(i);
    bool reduces = false;
    for (int k = 0; k < s.info.result_count; ++k)
      reduces = reduces || code.facts().result[k].reduction;
    return printing::planned_loop::of(code.space_of(s), code.facts(),
                                      " " + std::string(program_.step_text(i)), reduces);
  }
  std::string choice(int, cpu::step_view const&) const { return {}; }
  bool takes_as_one(cpu::frame&, int) const { return false; }
  static bool joins(int, cpu::step_view const&) { return false; }
  static bool gathers(int, cpu::step_view const&) { return false; }
  static cpu::indirect_array elements(int, cpu::step_view const&) { return {}; }

 private:
  program const& program_;
};

}  // namespace runtime

/// Prints a function of a run-time graph and its plan for given extents: see debugprint of a static
/// function. Each input is given by its shape, kt::shape(10, 1000). Throws kt::shape_error as a
/// call would; nothing is computed.
template <class Result, int... Rank>
  requires(sizeof...(Rank) > 0)
void debugprint(runtime::function<Result> const& f, std::ostream& out,
                shape_t<Rank> const&... shapes) {
  runtime::program const& p = f.compiled();
  cpu::frame frame(p.tables());
  std::int64_t zero[sizeof...(Rank)]{};
  int position = 0;
  auto bind = [&](auto const& shape) {
    if (position >= p.tables().parameters.size())
      throw value_error("kt::debugprint: more shapes than inputs");
    core::array_ref r;
    r.rank = static_cast<int>(std::size(shape.extents));
    if (r.rank != p.tables().parameters[position].type.rank)
      throw shape_error("kt::debugprint: the rank of shape " + std::to_string(position + 1) +
                        " is not that of its input");
    r.data = reinterpret_cast<std::byte*>(&zero[position]);
    for (int d = 0; d < r.rank; ++d) r.extents[d] = shape.extents[static_cast<std::size_t>(d)];
    r.make_contiguous_strides();
    frame.bind(position++, r);
  };
  (bind(shapes), ...);
  if (position != p.tables().parameters.size())
    throw value_error("kt::debugprint: fewer shapes than inputs");
  std::ostringstream plan;  // first: nothing is printed if the extents do not match
  printing::refuse_computed_extents(p.tables());
  p.find_extents(frame);
  printing::print_plan(frame, runtime::plan_source(p), plan,
                       [] { return "in the frame, by the interpreter"; });
  debugprint(f, out);
  out << plan.str();
}
template <class Result, int... Rank>
  requires(sizeof...(Rank) > 0)
void debugprint(runtime::function<Result> const& f, shape_t<Rank> const&... shapes) {
  debugprint(f, std::cout, shapes...);
}

/// Prints a run-time graph's variable as recorded.
inline void debugprint(term const& t, std::ostream& out = std::cout) {
  graph shown = *t.of;
  shown.results().clear();
  shown.results().push_back(t.id);
  debugprint(shown, out);
}

}  // namespace kroton
