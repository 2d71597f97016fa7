// Bands at run time: the number of rows that are processed together, and the walk through them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/frame.hpp>

namespace kroton::cpu {

/// Walks through the rows of a band: lets its slices lie in the next rows, and in the end where
/// they lay before. With all rows in one part nothing moves. `Slices`: how many the program has.
template <std::size_t Slices>
class band_walk {
 public:
  band_walk(frame& f, int band)
      : f_(f),
        band_(band),
        rows_(f.extent(f.tables().bands[band].rows)),
        part_(f.bands().rows(band)) {
    if (is_parted())
      for_each_slice(
          [&](std::size_t i, planned_slice const& s) { start_[i] = f_.value(s.value).data; });
  }
  band_walk(band_walk const&) = delete;
  band_walk& operator=(band_walk const&) = delete;
  ~band_walk() {
    f_.bands().now = {};
    f_.bands().unpack([this](int v) -> array_ref& { return f_.value(v); });
    if (is_parted())
      for_each_slice([&](std::size_t i, planned_slice const& s) {
        array_ref& a = f_.value(s.value);
        a.data = start_[i];
        a.extents[s.axis] = s.local ? part_ : rows_;
      });
  }

  /// Whether there is more than one part.
  bool is_parted() const { return part_ < rows_; }
  /// Moves to the next rows; false after the last ones. A band of no rows runs once.
  bool next() {
    if (begun_ && begin_ >= rows_) return false;
    begun_ = true;
    std::ptrdiff_t const n = rows_ - begin_ < part_ ? rows_ - begin_ : part_;
    f_.bands().now = {n, begin_, begin_ == 0, begin_ + n >= rows_};
    if (is_parted())
      for_each_slice([&](std::size_t i, planned_slice const& s) {
        array_ref& a = f_.value(s.value);
        a.data = start_[i] + (s.local ? 0 : begin_ * a.strides[s.axis] * a.bytes);
        a.extents[s.axis] = n;
      });
    begin_ += n > 0 ? n : 1;
    return true;
  }

 private:
  template <class Visit>
  void for_each_slice(Visit visit) const {
    for (std::size_t i = 0; i != Slices; ++i)
      if (planned_slice const& s = f_.tables().slices[static_cast<int>(i)]; s.band == band_)
        visit(i, s);
  }

  frame& f_;
  int band_;
  std::ptrdiff_t rows_, part_, begin_ = 0;
  bool begun_ = false;
  std::byte* start_[Slices + 1];
};

}  // namespace kroton::cpu
