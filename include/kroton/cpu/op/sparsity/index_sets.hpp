// Sets of indices, one for each element of an array, and how they are united.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace kroton::cpu::sparsity {

using count = std::ptrdiff_t;
constexpr std::size_t as_size(count n) { return static_cast<std::size_t>(n); }

/// The sets of elements 0, 1, ..., each in ascending order, one behind the other.
struct index_sets {
  std::vector<count> start{0};
  std::vector<std::int32_t> index{};

  count size() const { return static_cast<count>(start.size()) - 1; }
  count total() const { return start.back(); }
  count size(count i) const { return start[as_size(i) + 1] - start[as_size(i)]; }
  std::int32_t const* begin(count i) const { return index.data() + start[as_size(i)]; }
  std::int32_t const* end(count i) const { return index.data() + start[as_size(i) + 1]; }
  void close() { start.push_back(static_cast<count>(index.size())); }

  /// Each element's set has that element alone.
  static index_sets of_themselves(count n) {
    index_sets all;
    all.index.resize(as_size(n));
    for (count i = 0; i < n; ++i) {
      all.index[as_size(i)] = static_cast<std::int32_t>(i);
      all.start.push_back(i + 1);
    }
    return all;
  }
};

using shared_sets = std::shared_ptr<index_sets const>;

/// More entries than int32 can count are refused before memory is taken.
inline void require_countable(count entries) {
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw value_error(core::message(
        {"kt::sparse_jacobian: the pattern has more than 2147483647 elements; where all elements "
         "depend on all others, use kt::jacobian"}));
}

/// The union of two ascending sets, appended to `to`.
inline void append_union(std::vector<std::int32_t>& to, std::int32_t const* a,
                         std::int32_t const* a_end, std::int32_t const* b,
                         std::int32_t const* b_end) {
  while (a < a_end && b < b_end) {
    std::int32_t const next = std::min(*a, *b);
    to.push_back(next);
    a += *a == next;
    b += *b == next;
  }
  to.insert(to.end(), a, a_end);
  to.insert(to.end(), b, b_end);
}

/// Collects which sets of which arrays each element of a new array unites. What is out of range is
/// left out: the program whose structure this is reports it.
class set_union {
 public:
  explicit set_union(count elements) : elements_(elements) {}

  /// Element `to` gets what element `from` of an array has.
  void add(count to, shared_sets const& of, count from) {
    bool const exists = to >= 0 && to < elements_ && from >= 0 && from < of->size();
    if (exists && of->size(from) > 0) links_.push_back({to, of.get(), from});
  }
  /// Drops what an element has got so far.
  void drop(count to) {
    if (to >= 0 && to < elements_) links_.push_back({to, nullptr, 0});
  }

  shared_sets run() {
    sort_by_element();
    index_sets all;
    all.start.reserve(as_size(elements_) + 1);
    std::vector<std::int32_t> united, next;
    std::size_t at = 0;
    for (count i = 0; i < elements_; ++i) {
      std::size_t first = at;
      for (; at < links_.size() && links_[at].to == i; ++at)
        if (links_[at].of == nullptr) first = at + 1;
      if (at - first == 2) {
        link const &a = links_[first], &b = links_[first + 1];
        append_union(all.index, a.begin(), a.end(), b.begin(), b.end());
      } else if (at - first > 8) {
        unite_many(all.index, united, first, at);
      } else if (at > first) {
        united.assign(links_[first].begin(), links_[first].end());
        for (std::size_t k = first + 1; k < at; ++k) {
          next.clear();
          append_union(next, united.data(), united.data() + united.size(), links_[k].begin(),
                       links_[k].end());
          united.swap(next);
        }
        all.index.insert(all.index.end(), united.begin(), united.end());
      }
      all.close();
      require_countable(all.total());
    }
    return std::make_shared<index_sets const>(std::move(all));
  }

 private:
  struct link {
    count to;
    index_sets const* of;
    count from;

    std::int32_t const* begin() const { return of->begin(from); }
    std::int32_t const* end() const { return of->end(from); }
  };

  // Most steps add links in the order of elements already. Those of an element keep their order.
  void sort_by_element() {
    auto const before = [](link const& a, link const& b) { return a.to < b.to; };
    if (std::is_sorted(links_.begin(), links_.end(), before)) return;
    std::vector<std::size_t> next(as_size(elements_) + 1);
    for (link const& l : links_) ++next[as_size(l.to) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<link> sorted(links_.size());
    for (link const& l : links_) sorted[next[as_size(l.to)]++] = l;
    links_.swap(sorted);
  }
  void unite_many(std::vector<std::int32_t>& to, std::vector<std::int32_t>& united,
                  std::size_t first, std::size_t end) {
    united.clear();
    for (std::size_t k = first; k < end; ++k)
      united.insert(united.end(), links_[k].begin(), links_[k].end());
    std::sort(united.begin(), united.end());
    to.insert(to.end(), united.begin(), std::unique(united.begin(), united.end()));
  }

  count elements_;
  std::vector<link> links_{};
};

}  // namespace kroton::cpu::sparsity
