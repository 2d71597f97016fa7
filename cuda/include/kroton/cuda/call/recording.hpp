// Calls as graphs: what a call of a layout seen before launches is collected, and launched at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/call/work_list.hpp>

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

namespace kroton::cuda {

/// What a function keeps of its calls on a Device that `records`. A call is cut where the host
/// waits, transfers or frees. The first call of a layout launches as it goes, and counts; from the
/// second on, the work of each part with enough launches is collected. Where it is what one of the
/// part's graphs does, that is launched; otherwise a graph is made of it, or brought up to it.
template <class Device>
class recorded_calls {
  struct layout;

 public:
  /// Extents of all parameters: calls that share them launch the same kernels.
  using layout_key = std::vector<std::ptrdiff_t>;

  /// One call, while it takes its steps.
  class call {
   public:
    /// `bytes`: what the call reads and writes, about.
    call(recorded_calls& calls, layout_key const& key, std::size_t bytes)
        : calls_(calls), outer_(current()), bytes_(bytes) {
      // A function that a step of another one calls is a call of its own.
      interrupt();
      layout_ = Device::may_record() ? calls.find(key) : nullptr;
      is_first_ = layout_ != nullptr && layout_->parts.empty();
      current() = layout_ != nullptr ? this : nullptr;
      begin_part();
    }
    call(call const&) = delete;
    call& operator=(call const&) = delete;
    ~call() {
      current() = outer_;
      if (layout_ == nullptr) return;
      if (is_first_) layout_->parts.clear();  // it did not end
      // The host may count on what is collected, also where the call ends early.
      try {
        calls_.collected_.run();
      } catch (...) {}
      calls_.collected_.clear();
    }
    /// After the last step.
    void end() {
      if (layout_ == nullptr) return;
      end_part();
      if (failure_) std::rethrow_exception(failure_);
      if (is_first_) layout_->choose(bytes_);
      is_first_ = false;
    }

   private:
    friend class recorded_calls;

    void begin_part() {
      if (layout_ == nullptr || gave_up_) return;
      auto& parts = layout_->parts;
      if (is_first_ && parts.size() <= most_parts) parts.emplace_back();
      is_collecting_ = next_part_ < parts.size() && parts[next_part_].is_worth_it;
      ++next_part_;
    }
    void end_part() {
      if (!std::exchange(is_collecting_, false)) return;
      work_list& work = calls_.collected_;
      struct cleared {
        work_list& list;
        ~cleared() { list.clear(); }
      } const at_end{work};
      if (work.size() > 0) layout_->parts[next_part_ - 1].launch(work);
    }

    recorded_calls& calls_;
    call* outer_;
    layout* layout_ = nullptr;
    std::size_t bytes_, next_part_ = 0;
    bool is_first_ = false, is_collecting_ = false, gave_up_ = false;
    std::exception_ptr failure_;
  };

  /// Does something on the device, or collects it. Run: a lambda without captures.
  template <class Run, class... A>
  static void do_or_collect(Run run, A const&... arguments) {
    call* const c = current();
    if (c == nullptr) return run(arguments...);
    if (c->is_collecting_) {
      if (c->calls_.collected_.size() == most_launches) interrupt();
    } else if (c->is_first_) {
      if (c->layout_->parts.back().launches == most_launches) interrupt();
      ++c->layout_->parts.back().launches;
    }
    if (c->is_collecting_) c->calls_.collected_.add(run, arguments...);
    else run(arguments...);
  }
  /// Launches what is collected: before the host waits, transfers or frees.
  static void interrupt() {
    call* const c = current();
    if (c == nullptr) return;
    c->end_part();
    c->begin_part();
  }
  /// The same where nothing may be thrown.
  static void interrupt_quietly() noexcept {
    try {
      interrupt();
    } catch (...) { current()->failure_ = std::current_exception(); }
  }
  /// From here on, a call launches as it goes.
  static void give_up() {
    call* const c = current();
    if (c == nullptr) return;
    c->end_part();
    c->gave_up_ = true;
  }

 private:
  // A graph pays from about so many launches on.
  static constexpr int fewest_launches = 4;
  // A kernel that moves more takes longer than its launch, so that the host is ahead anyway.
  static constexpr std::size_t most_bytes_of_launch = std::size_t{16} << 20;
  // What launches other kernels at each call is not built for each.
  static constexpr int most_builds = 16;
  static constexpr std::size_t most_parts = 16, most_layouts = 4;
  // A device should not wait until a long loop is collected.
  static constexpr int most_launches = 1000;
  // Results take turns in memory, and so may arguments.
  static constexpr std::size_t most_graphs = 4;

  struct made_graph {
    work_list work;
    typename Device::graph graph;
  };
  struct part {
    int launches = 0, builds = 0;
    bool is_worth_it = false;
    std::vector<made_graph> graphs;
    std::size_t oldest = 0;

    void launch(work_list& work) {
      for (made_graph& g : graphs)
        if (Device::fits(g.graph) && g.work == work) return Device::launch_graph(g.graph);
      made_graph* const g = record(work);
      if (g != nullptr) return Device::launch_graph(g->graph);
      graphs.clear();
      is_worth_it = false;
      work.run();
    }
    // Null where it cannot, or need not, be recorded.
    made_graph* record(work_list& work) {
      if (builds > most_builds) return nullptr;
      try {
        if (graphs.size() < most_graphs) oldest = graphs.size(), graphs.emplace_back();
        made_graph& g = graphs[oldest];
        oldest = (oldest + 1) % most_graphs;
        g.work.clear();
        if (Device::record(g.graph, work)) ++builds;
        std::swap(g.work, work);
        return &g;
      } catch (std::exception const&) { return nullptr; }
    }
  };
  struct layout {
    layout_key key;
    std::vector<part> parts;

    void choose(std::size_t bytes) {
      std::size_t launches = 0;
      for (part const& p : parts) launches += static_cast<std::size_t>(p.launches);
      if (parts.size() > most_parts || bytes > launches * most_bytes_of_launch) return;
      for (part& p : parts) p.is_worth_it = p.launches >= fewest_launches;
    }
  };

  static call*& current() {
    static thread_local call* now = nullptr;
    return now;
  }
  // Null where there are too many: a function whose extents change with each call launches as it
  // goes.
  layout* find(layout_key const& key) {
    for (layout& l : layouts_)
      if (l.key == key) return &l;
    if (layouts_.size() == most_layouts) return nullptr;
    layouts_.reserve(most_layouts);
    layouts_.push_back({key, {}});
    return &layouts_.back();
  }

  std::vector<layout> layouts_;
  work_list collected_;
};

}  // namespace kroton::cuda
