// A thread that exchanges data with other ranks while a call computes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace kroton::distributed {

/// Does what it is given in that order, in one thread, which begins with the first task. After a
/// task that throws it drops the others. Used by one thread at a time.
class background {
 public:
  static constexpr long long none = std::numeric_limits<long long>::max();

  background() = default;
  background(background const&) = delete;
  background& operator=(background const&) = delete;
  ~background() {
    {
      std::scoped_lock const lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  /// Returns the number of the task.
  long long add(std::function<void()> task) {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    {
      std::scoped_lock const lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
    return ++added_;
  }
  /// Until this task and those before it are done. Throws what one of them has thrown.
  void wait(long long task) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= task; });
    if (error_ && failed_ <= task) std::rethrow_exception(error_);
  }
  /// The same for all tasks.
  void wait() {
    if (added_ > 0) wait(added_);
  }
  /// Until all are done, and forgets that one has failed unless it came before this one.
  void settle(long long first) noexcept {
    if (added_ == 0) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_ >= added_; });
    if (failed_ >= first) error_ = nullptr;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::function<void()> const task = std::move(tasks_.front());
      tasks_.pop_front();
      bool const is_dropped = error_ != nullptr;
      lock.unlock();
      std::exception_ptr const failed = is_dropped ? nullptr : fault_of(task);
      lock.lock();
      ++done_;
      if (failed) error_ = failed, failed_ = done_;
      changed_.notify_all();
    }
  }
  static std::exception_ptr fault_of(std::function<void()> const& task) {
    try {
      task();
    } catch (...) {
      return std::current_exception();
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::exception_ptr error_;
  long long added_ = 0, done_ = 0, failed_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace kroton::distributed
