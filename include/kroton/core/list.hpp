// A growing array for constant evaluation and run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace kroton {
class graph;
}

namespace kroton::core {

/// The growing array of the graph. std::vector is not a literal type under -D_GLIBCXX_DEBUG, and
/// clang with libstdc++ 12 rejects vector<bool> and vector::resize in constant evaluation; this one
/// is a literal type everywhere.
template <class T>
class list {
 public:
  constexpr list() = default;
  constexpr list(std::initializer_list<T> items) {
    assign(items.begin(), static_cast<int>(items.size()));
  }
  constexpr list(int size, T const& value) {
    reserve(size);
    for (int i = 0; i < size; ++i) data_[i] = value;
    size_ = size;
  }
  /// Zeros.
  constexpr explicit list(int size) {
    if (size <= 0) return;
    data_ = new T[static_cast<std::size_t>(size)]{};
    size_ = capacity_ = size;
  }
  constexpr list(list const& other) { assign(other.data_, other.size_); }
  /// The items from `first` on.
  constexpr list(T const* first, int count) { assign(first, count); }
  constexpr list(list&& other) noexcept { swap(other); }
  // Two assignments instead of one by value: clang finds none for a list whose element type
  // contains such a list.
  constexpr list& operator=(list const& other) {
    list copy(other);
    swap(copy);
    return *this;
  }
  constexpr list& operator=(list&& other) noexcept {
    swap(other);
    return *this;
  }
  constexpr ~list() { delete[] data_; }

  // Without std::swap, which costs a constant evaluation four calls per member.
  constexpr void swap(list& other) noexcept {
    T* const data = data_;
    int const size = size_, capacity = capacity_;
    data_ = other.data_;
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.data_ = data;
    other.size_ = size;
    other.capacity_ = capacity;
  }

  constexpr void reserve(int capacity) {
    if (capacity <= capacity_) return;
    // Without an initializer: in a constant evaluation, g++ takes as long to zero one item as for a
    // call.
    T* grown = new T[static_cast<std::size_t>(capacity)];
    for (int i = 0; i < size_; ++i) grown[i] = static_cast<T&&>(data_[i]);
    delete[] data_;
    data_ = grown;
    capacity_ = capacity;
  }
  // By value: the argument may be an element of this list.
  constexpr void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 8 : 2 * capacity_);
    data_[size_++] = static_cast<T&&>(value);
  }
  /// The items must not be those of this list.
  constexpr void append(T const* items, int count) {
    if (count == 0) return;
    if (size_ + count > capacity_) reserve(2 * capacity_ + count);
    T* const end = data_ + size_;
    for (int i = 0; i < count; ++i) end[i] = items[i];
    size_ += count;
  }
  /// Appends a value until there are `size` items.
  constexpr void extend(int size, T const& value) {
    if (size <= size_) return;
    if (size > capacity_) reserve(2 * size);
    for (int i = size_; i < size; ++i) data_[i] = value;
    size_ = size;
  }
  constexpr void pop_back() { --size_; }
  constexpr void insert(int position, T value) {
    push_back(value);
    for (int i = size_ - 1; i > position; --i) std::swap(data_[i], data_[i - 1]);
  }
  constexpr void erase(int position) {
    for (int i = position; i + 1 < size_; ++i) data_[i] = static_cast<T&&>(data_[i + 1]);
    --size_;
  }
  constexpr void clear() { size_ = 0; }
  /// Drops everything after the first `size` items.
  constexpr void shrink(int size) { size_ = size; }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T& operator[](int i) { return data_[i]; }
  constexpr T const& operator[](int i) const { return data_[i]; }
  constexpr T& operator[](std::size_t i) { return data_[i]; }
  constexpr T const& operator[](std::size_t i) const { return data_[i]; }
  constexpr T& back() { return data_[size_ - 1]; }
  constexpr T const& back() const { return data_[size_ - 1]; }
  constexpr T* begin() { return data_; }
  constexpr T* end() { return data_ + size_; }
  constexpr T const* begin() const { return data_; }
  constexpr T const* end() const { return data_ + size_; }
  constexpr T* data() { return data_; }
  constexpr T const* data() const { return data_; }

  constexpr bool contains(T const& value) const {
    for (auto const& item : *this)
      if (item == value) return true;
    return false;
  }

 private:
  // The graph reads its lists directly, because calls are expensive in constant evaluation.
  friend class kroton::graph;

  constexpr void assign(T const* first, int count) {
    reserve(count);
    for (int i = 0; i < count; ++i) data_[i] = first[i];
    size_ = count;
  }

  T* data_ = nullptr;
  int size_ = 0;
  int capacity_ = 0;
};

/// Items that another object owns. (A std::span's iterators and extents cost a constant evaluation
/// ten times as much.)
template <class T>
struct items {
  T const* first = nullptr;
  int count = 0;

  constexpr items() = default;
  constexpr items(T const* from, int n) : first(from), count(n) {}
  template <std::size_t N>
  constexpr items(T const (&array)[N]) : first(array), count(static_cast<int>(N)) {}
  constexpr items(list<T> const& from) : first(from.data()), count(from.size()) {}
  /// A std::vector, std::array ...
  template <class Container>
    requires requires(Container const& c) { static_cast<T const*>(c.data()), c.size(); }
  constexpr items(Container const& from)
      : first(from.data()), count(static_cast<int>(from.size())) {}

  constexpr int size() const { return count; }
  constexpr bool empty() const { return count == 0; }
  constexpr T const& operator[](int i) const { return first[i]; }
  constexpr T const& operator[](std::size_t i) const { return first[i]; }
  constexpr T const* begin() const { return first; }
  constexpr T const* end() const { return first + count; }
  /// Those from the i-th on.
  constexpr items from(int i) const { return {first + i, count - i}; }
};

/// Sorts in place by `before`, with insertion sort, since sequences are short in constant
/// evaluation.
template <class T, class Before>
constexpr void sort(list<T>& items, Before before) {
  T* const data = items.data();
  int const size = items.size();
  for (int i = 1; i < size; ++i)
    for (int j = i; j > 0 && before(data[j], data[j - 1]); --j) {
      T const moved = data[j];
      data[j] = data[j - 1];
      data[j - 1] = moved;
    }
}

}  // namespace kroton::core
