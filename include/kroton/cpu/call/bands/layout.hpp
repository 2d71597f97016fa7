// How the matrices of a band lie while its steps go through some rows of them: a copy lies row by
// row, or column by column where rows are narrow, so that loops go along what is long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/frame.hpp>

#include <cstddef>

namespace kroton::cpu {

/// Lets the slices of a band lie as its loops read them best, for the rows that are current: all by
/// columns where rows are narrow, and otherwise what comes from outside with a stride, such as a
/// transposed view, by rows. What is not the band's own is copied before its steps, or behind them.
template <std::size_t Slices>
class band_layout {
 public:
  band_layout(frame& f, int band) : f_(f), band_(band), by_columns_(f.bands().by_columns(band)) {
    f_.bands().now.by_columns = by_columns_;
    if (!choose()) return;
    std::vector<std::byte>& memory = f_.bands().layout(bytes_);  // first what may throw
    changed_ = true;
    for_each_matrix([&](std::size_t i, array_ref& a) {
      matrix& m = matrices_[i];
      if (m.kind == kept) return;
      m.data = a.data;
      for (int d = 0; d < 2; ++d) m.strides[d] = a.strides[d];
      array_ref const original = a;
      a.strides[0] = by_columns_ ? 1 : a.extents[1];
      a.strides[1] = by_columns_ ? a.extents[0] : 1;
      if (m.kind == restrided) return;
      a.data = memory.data() + m.offset;
      if (m.kind == loaded) copy_array(a, original);
    });
  }
  band_layout(band_layout const&) = delete;
  band_layout& operator=(band_layout const&) = delete;
  ~band_layout() {
    for_each_changed([](matrix const& m, array_ref& a) {
      a.data = m.data;
      for (int d = 0; d < 2; ++d) a.strides[d] = m.strides[d];
    });
  }
  /// Whether a view that a step took may look into a copy.
  bool has_copies() const { return changed_; }
  /// Copies what steps computed to where it belongs.
  void store() const {
    for_each_changed([](matrix const& m, array_ref const& a) {
      if (m.kind != stored || m.shared) return;
      array_ref original = a;
      original.data = m.data;
      for (int d = 0; d < 2; ++d) original.strides[d] = m.strides[d];
      copy_array(original, a);
    });
  }

 private:
  enum change : char { kept, restrided, loaded, stored };
  struct matrix {
    change kind = kept;
    bool shared = false;  // with what is written to the same place
    std::size_t offset = 0;
    std::byte* data = nullptr;
    std::ptrdiff_t strides[2]{};
  };

  template <class Visit>
  void for_each_matrix(Visit visit) const {
    for (std::size_t i = 0; i != Slices; ++i) {
      planned_slice const& s = f_.tables().slices[static_cast<int>(i)];
      if (s.band != band_ || s.axis != 0) continue;
      if (array_ref& a = f_.value(s.value); a.rank == 2 && a.extents[1] > 1) visit(i, a);
    }
  }
  template <class Visit>
  void for_each_changed(Visit visit) const {
    if (!changed_) return;
    for_each_matrix([&](std::size_t i, array_ref& a) {
      if (matrices_[i].kind != kept) visit(matrices_[i], a);
    });
  }
  /// Whether anything changes.
  bool choose() {
    bool any = false;
    for_each_matrix([&](std::size_t i, array_ref const& a) {
      planned_slice const& s = f_.tables().slices[static_cast<int>(i)];
      matrix& m = matrices_[i];
      m.kind = kind_of(s, a);
      any = any || m.kind != kept;
      if (m.kind != loaded && m.kind != stored) return;
      m.offset = bytes_;
      // What a result takes the place of lies with it.
      for_each_matrix([&](std::size_t other, array_ref const& b) {
        matrix const& earlier = matrices_[other];
        if (other >= i || b.data != a.data || (earlier.kind != loaded && earlier.kind != stored))
          return;
        m.offset = earlier.offset;
        m.shared = m.shared || earlier.kind == stored;
      });
      if (m.offset == bytes_) bytes_ += static_cast<std::size_t>(a.size() * a.bytes + 63) / 64 * 64;
    });
    return any;
  }
  change kind_of(planned_slice const& s, array_ref const& a) const {
    int const dense = by_columns_ ? 0 : 1;
    if (a.extents[0] < 2 || a.strides[dense] == 1 || a.strides[0] == 0) return kept;
    if (by_columns_) return s.local ? restrided : is_computed(s.value) ? stored : loaded;
    bool const is_loaded =
        a.strides[1] != 0 && !s.local && is_worth_loading(s.value) && !is_computed(s.value);
    return is_loaded ? loaded : kept;
  }
  bool is_computed(int value) const {
    return any_step([&](step_info const& step) {
      return names(step, step.operand_count, step.operand_count + step.result_count, value);
    });
  }
  /// Whether several loops read a value, or one that reduces: one that does not reads it in tiles,
  /// see staging.hpp.
  bool is_worth_loading(int value) const {
    int loops = 0;
    return any_step([&](step_info const& step) {
      if (step.kind != step_kind::loop || !names(step, 0, step.operand_count, value)) return false;
      return ++loops > 1 || reduces(step);
    });
  }
  bool reduces(step_info const& step) const {
    for (int k = 0; k < step.result_count; ++k) {
      long long const v = f_.tables().pool[step.first + step.operand_count + k];
      if (v >= 0 && f_.tables().values[static_cast<int>(v)].rank < step.space_rank) return true;
    }
    return false;
  }
  template <class Holds>
  bool any_step(Holds holds) const {
    band_info const& band = f_.tables().bands[band_];
    for (int s = band.first; s <= band.last; ++s)
      if (holds(f_.tables().steps[s])) return true;
    return false;
  }
  bool names(step_info const& step, int begin, int end, int value) const {
    for (int k = begin; k < end; ++k)
      if (f_.tables().pool[step.first + k] == value) return true;
    return false;
  }

  frame& f_;
  int band_;
  bool by_columns_, changed_ = false;
  std::size_t bytes_ = 0;
  matrix matrices_[Slices + 1];
};

}  // namespace kroton::cpu
