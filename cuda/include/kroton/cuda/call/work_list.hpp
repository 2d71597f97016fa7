// Work of a device as data: what is to be done, in its order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <vector>

namespace kroton::cuda {

/// Launches, copies and products that can be done later, again, and compared with others. They have
/// their arguments by value: bytes that a growing list copies, as compilers copy such tuples.
class work_list {
 public:
  /// Run: a lambda without captures, called with the arguments.
  template <class Run, class... A>
  void add(Run, A const&... arguments) {
    using one = work<Run, A...>;
    static_assert(alignof(one) <= alignof(block) && std::is_trivially_destructible_v<one> &&
                  (std::is_trivially_copy_constructible_v<A> && ...));
    std::size_t const at = blocks_.size();
    constexpr std::size_t size = (sizeof(one) + sizeof(block) - 1) / sizeof(block);
    blocks_.resize(at + 1 + size);
    new (&blocks_[at]) header{&one::run, &one::is_same, size};
    new (&blocks_[at + 1]) one{{arguments...}};
    ++size_;
  }
  void run() const {
    for (std::size_t at = 0; at < blocks_.size(); at = behind(at)) at_(at).run(&blocks_[at + 1]);
  }
  int size() const { return size_; }
  void clear() {
    blocks_.clear();
    size_ = 0;
  }

  friend bool operator==(work_list const& a, work_list const& b) {
    if (a.blocks_.size() != b.blocks_.size() || a.size_ != b.size_) return false;
    for (std::size_t at = 0; at < a.blocks_.size(); at = a.behind(at))
      if (a.at_(at).run != b.at_(at).run ||
          !a.at_(at).is_same(&a.blocks_[at + 1], &b.blocks_[at + 1]))
        return false;
    return true;
  }

 private:
  struct alignas(32) block {
    std::byte bytes[32];
  };
  struct header {
    void (*run)(void const*);
    bool (*is_same)(void const*, void const*);
    std::size_t size;  // in blocks, of what follows
  };
  static_assert(sizeof(header) <= sizeof(block));
  template <class Run, class... A>
  struct work {
    std::tuple<A...> arguments;
    static void run(void const* p) {
      std::apply([](A const&... a) { Run{}(a...); }, static_cast<work const*>(p)->arguments);
    }
    static bool is_same(void const* a, void const* b) {
      return static_cast<work const*>(a)->arguments == static_cast<work const*>(b)->arguments;
    }
  };
  header const& at_(std::size_t at) const {
    return *std::launder(reinterpret_cast<header const*>(&blocks_[at]));
  }
  std::size_t behind(std::size_t at) const { return at + 1 + at_(at).size; }

  std::vector<block> blocks_;
  int size_ = 0;
};

}  // namespace kroton::cuda
