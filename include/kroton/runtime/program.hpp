// A program of the run-time stage: a graph planned by the same planner as a static function, and
// its steps interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/frame.hpp>
#include <kroton/runtime/loop.hpp>

#include <deque>
#include <memory>
#include <span>
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
  program(kroton::graph optimized, kernel_library const& kernels);
  program(program const&) = delete;
  program& operator=(program const&) = delete;

  core::program_tables const& tables() const { return tables_; }
  std::span<int const> outputs() const { return outputs_; }
  kroton::graph const& optimized() const { return graph_; }
  int step_count() const { return static_cast<int>(steps_.size()); }
  /// The code of a step that is a loop, otherwise null.
  loop_code const* loop(int step) const { return loops_[static_cast<std::size_t>(step)].get(); }
  core::op_info const* op(int step) const { return ops_[static_cast<std::size_t>(step)]; }
  std::string_view step_text(int step) const { return texts_[static_cast<std::size_t>(step)]; }

  /// Checks the bound parameters and lays out memory; does nothing if the last call had the same
  /// extents.
  void lay_out(core::frame& f) const;
  /// The first half of lay_out: extents, and the steps that compute some of them.
  void find_extents(core::frame& f) const;
  /// Runs the steps of a call, timed by a recorder if there is one.
  void run(core::frame& f, recorder* costs = nullptr) const;
  void run_step(core::frame& f, int step) const;

 private:
  void fill_values(core::planner const& plan, core::storage_plan const& memory);
  void fill_steps(core::planner const& plan, kernel_library const& kernels);

  kroton::graph graph_;
  std::deque<std::string> names_;  // a graph only refers to them
  std::vector<core::value_info> values_;
  std::vector<core::step_info> steps_;
  std::vector<long long> pool_;
  std::vector<core::planned_extent> extents_;
  std::vector<core::constraint_info> constraints_;
  std::vector<core::planned_update> updates_;
  std::vector<core::parameter_info> parameters_;
  std::vector<int> outputs_;
  std::vector<std::unique_ptr<loop_code>> loops_;
  std::vector<core::op_info const*> ops_;
  std::vector<own_kernel> own_;  // of the steps of ops with their own kernels
  std::vector<std::string> texts_;
  core::program_tables tables_;
  bool fixed_layout_ = false;
};

}  // namespace kroton::runtime
