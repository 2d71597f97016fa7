// A program of the run-time stage: a graph planned by the same planner as a static function, and
// its steps interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/frame.hpp>
#include <kroton/runtime/loop.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kroton::runtime {

class recorder;

/// An optimized graph, planned. The tables are those of a static program, so both use the same
/// frame and the same steps.
class program {
 public:
  /// Plans a graph that the optimizer has finished. Throws kt::value_error with the message that a
  /// static function would produce.
  /// Of a body, `of_body` says what its parameters are.
  program(kroton::graph optimized, kernel_library const& kernels,
          core::list<plan::parameter_info> const* of_body = nullptr);
  program(program const&) = delete;
  program& operator=(program const&) = delete;

  plan::program_tables const& tables() const { return tables_; }
  core::items<int> outputs() const { return made_->outputs; }
  kroton::graph const& optimized() const { return graph_; }
  int step_count() const { return tables_.steps.size(); }
  /// The code of a step that is a loop, otherwise null.
  loop_code const* loop(int step) const { return loops_[static_cast<std::size_t>(step)].get(); }
  /// The program of the body that a step runs, otherwise null.
  program const* body(int step) const { return bodies_[static_cast<std::size_t>(step)].get(); }
  core::op_info const* op(int step) const { return ops_[static_cast<std::size_t>(step)]; }
  std::string_view step_text(int step) const { return texts_[static_cast<std::size_t>(step)]; }

  /// Checks the bound parameters and lays out memory; does nothing if the last call had the same
  /// extents.
  void lay_out(cpu::frame& f) const;
  /// The first half of lay_out: extents, and the steps that compute some of them.
  void find_extents(cpu::frame& f) const;
  /// Runs the steps of a call; the observer of the frame, if there is one, sees them.
  void run(cpu::frame& f) const;
  void run_step(cpu::frame& f, int step) const;

 private:
  /// The element type of a step's first operand, by which its kernel is chosen.
  element deciding_type(plan::step_info const& step) const {
    return tables_.values[static_cast<int>(tables_.pool[step.first])].type;
  }
  void find_code(plan::planner const& plan, kernel_library const& kernels);
  std::unique_ptr<program> program_of_body(int scan, kernel_library const& kernels) const;

  kroton::graph graph_;
  std::deque<std::string> names_;  // a graph only refers to them
  std::optional<plan::tabulation> made_;
  std::vector<plan::constraint_info> constraints_;
  std::vector<std::unique_ptr<loop_code>> loops_;
  std::vector<core::op_info const*> ops_;
  std::vector<own_kernel> own_;  // of the steps of ops with their own kernels
  std::vector<std::unique_ptr<program>> bodies_;  // of the steps that run one
  std::vector<std::string> texts_;
  plan::program_tables tables_;
  bool fixed_layout_ = false;
};

}  // namespace kroton::runtime
