// Lists whose length is known at the call, in memory that their thread keeps for later ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace kroton::runtime {

/// A list of plain values, which are not initialized. It reuses the memory of a destroyed list: a
/// call that makes the same lists as the previous call allocates nothing.
template <class T>
class thread_list {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::uint64_t));

 public:
  thread_list() = default;
  explicit thread_list(int size) { fit(size); }
  thread_list(thread_list const& other) : thread_list(other.size_) {
    std::copy_n(other.data(), size_, data());
  }
  thread_list& operator=(thread_list const&) = delete;
  ~thread_list() {
    if (size_ > 0) spare().push_back(std::move(words_));
  }

  /// Gives an empty list its size.
  void fit(int size) {
    if (size == 0) return;
    size_ = size;
    if (!spare().empty()) {
      words_.swap(spare().back());
      spare().pop_back();
    }
    std::size_t const words = (static_cast<std::size_t>(size) * sizeof(T) + 7) / 8;
    if (words_.size() < words) words_.resize(words);
  }
  T* data() { return reinterpret_cast<T*>(words_.data()); }
  T const* data() const { return reinterpret_cast<T const*>(words_.data()); }
  // Elements are accessed as in an array.
  T& operator[](std::ptrdiff_t k) { return data()[k]; }
  T const& operator[](std::ptrdiff_t k) const { return data()[k]; }
  operator T const*() const { return data(); }

 private:
  static std::vector<std::vector<std::uint64_t>>& spare() {
    static thread_local std::vector<std::vector<std::uint64_t>> kept;
    return kept;
  }

  std::vector<std::uint64_t> words_;
  int size_ = 0;
};

}  // namespace kroton::runtime
