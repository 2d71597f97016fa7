// Values of a reduction that are reduced before all of its values are there.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/abandon.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/distributed/background.hpp>
#include <kroton/distributed/messages.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

namespace kroton::distributed {

/// What a call has begun of its next reduction. Values are copied, so that the call may throw at
/// any time; they are exchanged in the background. Small ones wait until they fill a message.
class early {
 public:
  /// Of the call that this thread is in. A user's op may call a function that reduces, too: what
  /// the call around it has begun stays its own.
  static early& get();
  /// What a call that has thrown has begun. When nothing is under way any more.
  static void forget_all() noexcept;
  explicit early(background& thread) : background_(thread) {}

  /// Of value `position` of a request for several.
  template <class T>
  void begin(request const& whole, int position, core::array_ref const& value) {
    group& g = all_groups::current();
    if (!g.overlaps()) return;
    if (!listed_) listed_ = whole;
    listed_->add(position, value);
    std::ptrdiff_t const count = value.size();
    if (count >= large<T>) {
      T* const at = reinterpret_cast<T*>(next_block(count * std::ptrdiff_t{sizeof(T)}));
      parts_.push_back({position, copied(value, at), send(g, at, count)});
      return;
    }
    if (filled_ == 0) open_ = next_block(2 * large<T> * std::ptrdiff_t{sizeof(T)});
    waiting_.push_back({position, copied(value, reinterpret_cast<T*>(open_) + filled_), 0});
    filled_ += count;
    if (filled_ < large<T>) return;
    long long const task = send(g, reinterpret_cast<T*>(open_), filled_);
    for (part p : waiting_) parts_.push_back({p.position, p.value, task});
    waiting_.clear();
    filled_ = 0;
  }

  bool has_begun(int position) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](part const& p) { return p.position == position; });
  }
  /// Calls take(position, reduced value) for each that was sent. Throws what went wrong. Then
  /// nothing is under way, also of the calls around this one: this thread may use MPI.
  template <class Take>
  void finish(Take take) {
    for (part const& p : parts_) {
      background_.wait(p.task);
      take(p.position, p.value);
    }
    background_.wait();
    forget();
  }

 private:
  struct part {
    int position;
    core::array_ref value;
    long long task;
  };

  struct calls;
  static calls*& made() {
    static calls* all = nullptr;
    return all;
  }
  void forget() noexcept {
    background_.settle(parts_.empty() ? background::none : parts_.front().task);
    parts_.clear();
    waiting_.clear();
    listed_.reset();
    filled_ = 0;
    used_ = 0;
  }
  std::byte* next_block(std::ptrdiff_t bytes) {
    if (used_ == memory_.size()) memory_.emplace_back();
    return memory_[used_++].room(static_cast<std::size_t>(bytes));
  }
  template <class T>
  static core::array_ref copied(core::array_ref const& value, T* memory) {
    core::array_ref to = value;
    to.data = reinterpret_cast<std::byte*>(memory);
    to.make_contiguous_strides();
    core::copy(to, value);
    return to;
  }
  // The ranks agree on all values since the last message, since extents decide what is sent.
  template <class T>
  long long send(group& g, T* values, std::ptrdiff_t count) {
    request mine = *std::move(listed_);
    listed_.reset();
    return background_.add([&g, values, count, mine = std::move(mine)] {
      g.agree(mine, haste::none);
      reduce_calmly(g, values, count, mine.what());
    });
  }

  std::vector<part> parts_, waiting_;  // sent, and those in the message that is not full
  std::optional<request> listed_;      // since the last message
  std::byte* open_ = nullptr;
  std::ptrdiff_t filled_ = 0;
  std::deque<cpu::memory_block> memory_;
  std::size_t used_ = 0;
  background& background_;
};

/// Of each depth of calls within calls. The thread ends before the memory that it reads.
struct early::calls {
  std::deque<early> of_depth;
  background thread;
};

inline early& early::get() {
  all_groups::get();  // ends after this
  static calls all;
  made() = &all;
  auto const depth = static_cast<std::size_t>(cpu::depth_of_calls());
  while (all.of_depth.size() <= depth) all.of_depth.emplace_back(all.thread);
  return all.of_depth[depth];
}
inline void early::forget_all() noexcept {
  if (made() == nullptr) return;
  auto const depth = static_cast<std::size_t>(cpu::depth_of_calls());
  if (depth < made()->of_depth.size()) made()->of_depth[depth].forget();
  else made()->thread.settle(background::none);
}

}  // namespace kroton::distributed
