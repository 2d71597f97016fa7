// The loops of indexing by tensors: which blocks of a tensor the indices name, checked before any
// is touched.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>

#include <cstdint>
#include <string>

namespace kroton::cpu {

/// Counts through extents, the last axis fastest.
struct odometer {
  int rank = 0;
  std::ptrdiff_t extents[max_rank]{}, at[max_rank]{};

  void add(std::ptrdiff_t extent) { extents[rank++] = extent; }
  /// False after the last index, when it stands at the first again.
  bool next() {
    for (int d = rank - 1; d >= 0; --d) {
      if (++at[d] < extents[d]) return true;
      at[d] = 0;
    }
    return false;
  }
};

/// Whether indices in a row, `stride` apart, are all in [-extent, extent). One is outside if one of
/// two differences is negative, so that a row needs no comparison but the last.
template <class Stride>
bool are_inside(std::int64_t const* row, std::ptrdiff_t n, Stride stride, std::ptrdiff_t extent) {
  auto const size = static_cast<std::uint64_t>(extent);
  std::uint64_t differences = 0;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    auto const i = static_cast<std::uint64_t>(row[j * stride]);
    differences |= (i + size) | (size - 1 - i);
  }
  return static_cast<std::int64_t>(differences) >= 0;
}
/// Throws kt::value_error for an index that is not in [-extent, extent).
inline void check_index(std::string_view op, array_ref const& index, int axis,
                        std::ptrdiff_t extent) {
  if (index.size() == 0) return;
  int const last = index.rank - 1;
  std::ptrdiff_t const n = last < 0 ? 1 : index.extents[last],
                       stride = last < 0 ? 0 : index.strides[last];
  odometer position;
  for (int d = 0; d < last; ++d) position.add(index.extents[d]);
  do {
    std::ptrdiff_t at = 0;
    for (int d = 0; d < last; ++d) at += position.at[d] * index.strides[d];
    auto const* const row = reinterpret_cast<std::int64_t const*>(index.data) + at;
    using one = std::integral_constant<std::ptrdiff_t, 1>;
    if (stride == 1 ? are_inside(row, n, one{}, extent) : are_inside(row, n, stride, extent))
      continue;
    std::ptrdiff_t j = 0;
    while (row[j * stride] >= -extent && row[j * stride] < extent) ++j;
    std::string where;
    for (int d = 0; d < last; ++d) where += message({position.at[d], ", "});
    if (last >= 0) where += std::to_string(j);
    if (last >= 0)
      where = message({" at position ", last > 0 ? "(" : "", where, last > 0 ? ")" : ""});
    throw value_error(message({op, ": index ", row[j * stride], where, " is out of range: extent ",
                               axis, " is ", extent}));
  } while (position.next());
}

/// Rows of a tensor that indices select, and those of an array that belong to them.
struct selected_rows {
  std::ptrdiff_t const* offsets;
  std::ptrdiff_t in_base, in_array, step_of_array, count;
  std::ptrdiff_t n, base_stride, array_stride;  // elements of a row, and the strides along it

  /// Calls f(offset in base, offset in the array) for each.
  template <class F>
  void for_each(F f) const {
    for (std::ptrdiff_t j = 0; j < count; ++j)
      f(offsets[j] + in_base, in_array + j * step_of_array);
  }
  bool are_dense() const { return base_stride == 1 && array_stride == 1; }
};

/// A tensor, `base`, whose axes named by attribute 0 (as bits) are indexed by the operands from
/// `first` on, which broadcast together. In what they select their axes stand behind the first
/// other ones, as many as attribute 1 says.
class taking {
 public:
  /// Reads no element.
  taking(invocation const& call, array_ref const& base, int first)
      : base_(base), part_(base), before_(static_cast<int>(call.attribute(1))) {
    for (int d = 0; d < base.rank; ++d) {
      if ((call.attribute(0) >> d & 1) == 0) {
        rest_[rest_count_++] = d;
        continue;
      }
      index_[count_] = call.operand(first + count_);
      axis_[count_++] = d;
    }
    array_ref over;
    for (int k = 0; k < count_; ++k)
      over.rank = index_[k].rank > over.rank ? index_[k].rank : over.rank;
    for (int d = 0; d < over.rank; ++d) {
      over.extents[d] = 1;
      for (int k = 0; k < count_ && over.extents[d] == 1; ++k)
        if (int const own = d - (over.rank - index_[k].rank); own >= 0)
          over.extents[d] = index_[k].extents[own];
    }
    indices_ = over.rank;
    for (int k = 0; k < count_; ++k) index_[k] = spread(index_[k], over);
    part_.rank = rest_count_ + indices_;
    for (int d = 0; d < part_.rank; ++d) {
      bool const index = d >= before_ && d < before_ + indices_;
      part_.extents[d] =
          index ? over.extents[d - before_] : base.extents[rest_[d < before_ ? d : d - indices_]];
    }
    part_.make_contiguous_strides();
  }
  /// The same. Throws kt::value_error for an index that is out of range.
  taking(std::string_view op, invocation const& call, array_ref const& base, int first)
      : taking(call, base, first) {
    for (int k = 0; k < count_; ++k)
      check_index(op, call.operand(first + k), axis_[k], base.extents[axis_[k]]);
  }

  /// What the indices select, without data; how many indices there are, each of them over the axes
  /// of that; and which axis of the base it names.
  array_ref const& part() const { return part_; }
  int count() const { return count_; }
  array_ref index(int k) const {
    array_ref over = part_;
    over.data = index_[k].data;
    for (int d = 0; d < part_.rank; ++d) {
      bool const is_own = d >= before_ && d < before_ + indices_;
      over.strides[d] = is_own ? index_[k].strides[d - before_] : 0;
    }
    return over;
  }
  int axis(int k) const { return axis_[k]; }
  /// The base over the axes of the part, of which the indices move it along their own.
  array_ref unmoved() const {
    array_ref over = part_;
    over.data = base_.data;
    for (int d = 0; d < part_.rank; ++d) {
      bool const is_index = d >= before_ && d < before_ + indices_;
      over.strides[d] = is_index ? 0 : base_.strides[rest_[d < before_ ? d : d - indices_]];
    }
    return over;
  }

  /// Visits the selected elements, with those of an array that broadcasts to them: as
  /// rows(selected_rows), in which both have one stride; or, where rows have one
  /// element, as points(offsets in base, count, offset in the array, stride of the array).
  template <class Rows, class Points>
  void for_each(array_ref const& array, Rows rows, Points points) const {
    if (part_.size() == 0) return;
    array_ref const part = spread(array, part_);
    // The innermost axes that lie behind each other in both are one row.
    std::ptrdiff_t n = 1, bs = 1, ps = 1;
    int inner = rest_count_ - before_;
    for (; inner > 0; --inner) {
      std::ptrdiff_t const b = base_.strides[rest_[before_ + inner - 1]],
                           p = part.strides[before_ + indices_ + inner - 1];
      std::ptrdiff_t const e = part.extents[before_ + indices_ + inner - 1];
      if (e == 1) continue;
      if (n != 1 && (b != n * bs || p != n * ps)) break;
      if (n == 1) bs = b, ps = p;
      n *= e;
    }
    odometer outer, below;
    int const leading = indices_ == 0 ? 0 : indices_ - 1;
    for (int d = 0; d < before_ + leading; ++d) outer.add(part.extents[d]);
    for (int d = 0; d < inner; ++d) below.add(part.extents[before_ + indices_ + d]);
    std::ptrdiff_t const last = indices_ == 0 ? 1 : part.extents[before_ + leading];
    std::ptrdiff_t const last_stride = indices_ == 0 ? 0 : part.strides[before_ + leading];
    do {
      std::ptrdiff_t b = 0, p = 0;
      for (int d = 0; d < before_; ++d) b += outer.at[d] * base_.strides[rest_[d]];
      for (int d = 0; d < outer.rank; ++d) p += outer.at[d] * part.strides[d];
      std::int64_t const* index[max_rank];
      for (int k = 0; k < count_; ++k) {
        index[k] = reinterpret_cast<std::int64_t const*>(index_[k].data);
        for (int d = 0; d < leading; ++d) index[k] += outer.at[before_ + d] * index_[k].strides[d];
      }
      constexpr std::ptrdiff_t most = cpu::machine::max_gathered;
      std::ptrdiff_t offsets[most];
      for (std::ptrdiff_t first = 0; first < last; first += most) {
        std::ptrdiff_t const count = last - first < most ? last - first : most;
        for (std::ptrdiff_t j = 0; j < count; ++j) offsets[j] = b;
        for (int k = 0; k < count_; ++k) {
          std::ptrdiff_t const extent = base_.extents[axis_[k]], stride = base_.strides[axis_[k]];
          std::ptrdiff_t const is = indices_ == 0 ? 0 : index_[k].strides[leading];
          for (std::ptrdiff_t j = 0; j < count; ++j) {
            std::int64_t const i = index[k][(first + j) * is];
            offsets[j] += (i < 0 ? i + extent : i) * stride;
          }
        }
        std::ptrdiff_t const to = p + first * last_stride;
        if (n == 1 && inner == 0) {
          points(static_cast<std::ptrdiff_t const*>(offsets), count, to, last_stride);
          continue;
        }
        do {
          std::ptrdiff_t in_base = 0, in_array = to;
          for (int d = 0; d < inner; ++d) {
            in_base += below.at[d] * base_.strides[rest_[before_ + d]];
            in_array += below.at[d] * part.strides[before_ + indices_ + d];
          }
          rows(selected_rows{offsets, in_base, in_array, last_stride, count, n, bs, ps});
        } while (below.next());
      }
    } while (outer.next());
  }

 private:
  array_ref base_, part_;
  int before_, count_ = 0, rest_count_ = 0, indices_ = 0;
  array_ref index_[max_rank];
  int axis_[max_rank]{}, rest_[max_rank]{};
};

}  // namespace kroton::cpu
