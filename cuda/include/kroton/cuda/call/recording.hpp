// Calls as graphs: what a call of a layout seen before launches is recorded, and launched at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

namespace kroton::cuda {

/// What a function keeps of its calls on a Device that `records`. A call is cut where the host
/// waits or transfers. The first call of a layout launches as it goes, and counts; from the second
/// on, each part with enough launches is recorded anew, which is cheaper than to launch, and
/// updates the graph of that part.
template <class Device>
class recorded_calls {
 public:
  /// Extents of all parameters: calls that share them launch the same.
  using layout_key = std::vector<std::ptrdiff_t>;

  /// One call, while it takes its steps.
  class call {
   public:
    /// `bytes`: what the call reads and writes, about.
    call(recorded_calls& calls, layout_key const& key, std::size_t bytes)
        : layout_(current() == nullptr && Device::may_record() ? calls.find(key) : nullptr),
          bytes_(bytes) {
      if (layout_ == nullptr) return;
      is_first_ = layout_->parts.empty();
      current() = this;
      begin_part();
    }
    call(call const&) = delete;
    call& operator=(call const&) = delete;
    ~call() {
      if (layout_ == nullptr) return;
      if (is_recording_) Device::drop_recording();
      if (is_first_) layout_->parts.clear();  // it did not end
      current() = nullptr;
    }
    /// After the last step.
    void end() {
      if (layout_ == nullptr) return;
      end_part();
      if (refused_) std::rethrow_exception(refused_);
      if (is_first_) layout_->choose(bytes_);
      is_first_ = false;
    }

   private:
    friend class recorded_calls;

    void begin_part() {
      ++part_;
      if (is_first_) layout_->parts.emplace_back();
      else if (part_ < layout_->parts.size() && layout_->parts[part_].is_worth_it)
        is_recording_ = Device::begin_recording();
    }
    void end_part() {
      if (!std::exchange(is_recording_, false)) return;
      part& p = layout_->parts[part_];
      if (Device::end_recording(p.graph) && ++p.builds > most_builds) p.is_worth_it = false;
    }

    struct recorded_calls::layout* layout_;
    std::size_t bytes_, part_ = static_cast<std::size_t>(-1);
    bool is_first_ = false, is_recording_ = false;
    std::exception_ptr refused_;
  };

  /// Before the device does something: for counting.
  static void launches() {
    if (call* const c = current(); c != nullptr && c->is_first_)
      ++c->layout_->parts.back().launches;
  }
  /// Before the host waits, transfers or frees: what is recorded so far is launched.
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
    } catch (...) { current()->refused_ = std::current_exception(); }
  }

 private:
  // A graph pays from about so many launches on.
  static constexpr int fewest_launches = 4;
  // A kernel that moves more takes longer than its launch, so that the host is ahead anyway.
  static constexpr std::size_t most_bytes_of_launch = std::size_t{16} << 20;
  // What launches something else at each call is not built for each.
  static constexpr int most_builds = 8;
  static constexpr std::size_t most_parts = 16, most_layouts = 4;

  struct part {
    int launches = 0, builds = 0;
    bool is_worth_it = false;
    typename Device::graph graph;
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
    if (layouts_.capacity() < most_layouts) layouts_.reserve(most_layouts);
    layouts_.push_back({key, {}});
    return &layouts_.back();
  }

  std::vector<layout> layouts_;
};

}  // namespace kroton::cuda
