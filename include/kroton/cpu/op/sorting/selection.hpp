// Elements put where sorting would put them, without sorting the rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kroton::cpu {

/// Moves the elements for which `goes_first` holds to the front, and returns how many they are. No
/// jump depends on an element: half of such jumps would be foreseen wrongly.
template <class T, class Test>
std::ptrdiff_t move_to_front(T* first, std::ptrdiff_t n, Test goes_first) {
  std::ptrdiff_t count = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    T const moved = first[i];
    first[i] = first[count];
    first[count] = moved;
    count += goes_first(moved) ? 1 : 0;
  }
  return count;
}

/// Puts elements where sorting would put them, no later ones before them and no earlier ones
/// behind. A pivot is an element of a sample of some 4 sqrt(n), a little to the far side of the
/// place that is sought, so that two pivots leave a few elements between them. (Floyd and Rivest)
template <class T, class Before>
class selection {
 public:
  explicit selection(Before before) : before_(before) {}

  /// `places` are positions in ascending order, each once; those behind the end are left out.
  void run(T* first, std::ptrdiff_t n, std::vector<std::ptrdiff_t> const& places) {
    std::ptrdiff_t const* const begin = places.data();
    select(first, 0, n, begin, std::lower_bound(begin, begin + places.size(), n));
  }

 private:
  // The elements [from, to) are those that belong there.
  void select(T* first, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t const* place,
              std::ptrdiff_t const* end) {
    for (int rounds = 0; place != end; ++rounds) {
      if (to - from < few || rounds > most_rounds) return finish(first, from, to, place, end);
      T const pivot = pivot_near(first + from, to - from, place[(end - place) / 2] - from);
      std::ptrdiff_t middle = from + move_to_front(first + from, to - from, [&](T const& x) {
                                return before_(x, pivot);
                              });
      if (middle == from) {  // nothing is before it: what is not behind it is the same
        from += move_to_front(first + from, to - from,
                              [&](T const& x) { return !before_(pivot, x); });
        while (place != end && *place < from) ++place;
        continue;
      }
      std::ptrdiff_t const* behind = std::lower_bound(place, end, middle);
      if (behind == end) {
        to = middle;
      } else {
        if (behind != place) select(first, from, middle, place, behind);
        from = middle;
        place = behind;
      }
    }
  }
  void finish(T* first, std::ptrdiff_t from, std::ptrdiff_t to, std::ptrdiff_t const* place,
              std::ptrdiff_t const* end) {
    if (end - place > 3) return std::sort(first + from, first + to, before_);
    for (; place != end; ++place) {
      std::nth_element(first + from, first + *place, first + to, before_);
      from = *place + 1;
    }
  }
  T pivot_near(T const* first, std::ptrdiff_t n, std::ptrdiff_t place) {
    auto const size = static_cast<std::ptrdiff_t>(4 * std::sqrt(static_cast<double>(n)));
    auto const margin = static_cast<std::ptrdiff_t>(std::sqrt(static_cast<double>(size)));
    std::ptrdiff_t const step = n / size;
    sample_.clear();
    for (std::ptrdiff_t i = 0; i < size; ++i) sample_.push_back(first[i * step]);
    std::ptrdiff_t const near = place * size / n + (2 * place < n ? margin : -margin),
                         rank = std::clamp<std::ptrdiff_t>(near, 0, size - 1);
    std::nth_element(sample_.begin(), sample_.begin() + rank, sample_.end(), before_);
    return sample_[static_cast<std::size_t>(rank)];
  }

  static constexpr std::ptrdiff_t few = 600;
  static constexpr int most_rounds = 40;
  Before before_;
  std::vector<T> sample_{};
};

}  // namespace kroton::cpu
