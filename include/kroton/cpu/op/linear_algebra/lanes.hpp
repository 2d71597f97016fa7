// Slices of a batch side by side, one in each lane of vectors: for ops on small matrices, which
// take longer to call than to compute.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/each.hpp>
#include <kroton/cpu/blas/tiny_lanes.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/cpu/op/kernel.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace kroton::cpu {

/// How an op computes as many slices as a vector has lanes: `run(slices_in_lanes<T, N>)` gives
/// whether it did; slices for which it did not are left to the op's kernel, with its errors.
/// `integers` is the array, among operands and then results, whose elements are int32.
template <class Op>
struct lane_kernel;
struct without_integers {
  static constexpr int integers = -1;
};

template <class Op, class T>
concept runs_in_lanes = (std::is_same_v<T, float> || std::is_same_v<T, double>) &&
                        requires { lane_kernel<Op>::integers; };

/// An array of slices, element by element: the slices' values of one lie side by side.
template <class T>
struct lane_array {
  T* data = nullptr;  // none if nothing reads the result
  int rows = 1, columns = 1;
  int size() const { return rows * columns; }
};

/// What an op sees of some slices: the arrays at one vector of lanes. N is the last extent of the
/// first operand, or 0 if only the call knows it.
template <class T, int N>
struct slices_in_lanes {
  using vector = tiny::lanes<T>;
  lane_array<T> const* arrays;
  std::ptrdiff_t slices, first;
  items<long long> attributes;

  tiny::side<N> side() const { return {arrays[0].columns}; }
  bool is_read(int array) const { return arrays[array].data != nullptr; }
  int rows(int array) const { return arrays[array].rows; }
  int columns(int array) const { return arrays[array].columns; }
  KROTON_INLINE vector load(int array, int element) const {
    return vector::load_aligned(arrays[array].data + element * slices + first);
  }
  KROTON_INLINE void store(int array, int element, vector const& value) const {
    value.store_aligned(arrays[array].data + element * slices + first);
  }
  KROTON_INLINE void load_column(int array, int column, vector* to) const {
    tiny::count<N>(0, side()(), [&](int i) KROTON_INLINE_LAMBDA {
      to[i] = load(array, i * columns(array) + column);
    });
  }
  KROTON_INLINE void store_column(int array, int column, vector const* from) const {
    tiny::count<N>(0, side()(), [&](int i) KROTON_INLINE_LAMBDA {
      store(array, i * columns(array) + column, from[i]);
    });
  }
  KROTON_INLINE void load_matrix(int array, vector* to) const {
    tiny::count<N>(0, side()(), [&](int i) KROTON_INLINE_LAMBDA {
      tiny::count<N>(0, side()(), [&](int j) KROTON_INLINE_LAMBDA {
        to[i * side()() + j] = load(array, i * side()() + j);
      });
    });
  }
  KROTON_INLINE void store_matrix(int array, vector const* from) const {
    if (!is_read(array)) return;
    tiny::count<N>(0, side()(), [&](int i) KROTON_INLINE_LAMBDA {
      tiny::count<N>(0, side()(), [&](int j) KROTON_INLINE_LAMBDA {
        store(array, i * side()() + j, from[i * side()() + j]);
      });
    });
  }
};

/// Runs an op on all slices of a batch, whose axes are merged where all arrays allow it.
template <class Op, class T>
class batch_in_lanes {
 public:
  static constexpr int operands = Op::arity, results = info<Op>.outputs,
                       arrays = operands + results;

  /// With leading axes of those operands whose bit is set, and the op's own attributes.
  batch_in_lanes(core::invocation const& call, int axes, long long with_axes,
                 items<long long> attributes)
      : attributes_(attributes) {
    array_ref const* batches[static_cast<std::size_t>(arrays)]{};
    for (int k = 0; k < arrays; ++k) {
      array_ref const& a = k < operands ? call.operand(k) : call.result(k - operands);
      bool const has_axes = k >= operands || (with_axes >> k & 1) != 0;
      is_read_[k] = k < operands || a.rank >= axes;
      if (!is_read_[k]) continue;
      slices_[k] = has_axes ? without_axes(a, axes) : a;
      if (has_axes) batches[k] = &a;
    }
    for (int d = 0; d < axes; ++d) add_axis(batches, d);
  }

  bool is_tiny() const {
    for (int k = 0; k < arrays; ++k)
      for (int d = 0; is_read_[k] && d < slices_[k].rank; ++d)
        if (slices_[k].rank > 2 || slices_[k].extents[d] < 1 ||
            slices_[k].extents[d] > machine::max_extent_in_lanes)
          return false;
    return rank_ > 0 && axes_[rank_ - 1].extent > 1;
  }
  void run() {
    std::ptrdiff_t elements = 0;
    for (int k = 0; k < arrays; ++k) {
      lane_array<T>& a = lanes_[k];
      if (!is_read_[k]) continue;
      a.rows = slices_[k].rank > 0 ? static_cast<int>(slices_[k].extents[0]) : 1;
      a.columns = slices_[k].rank > 1 ? static_cast<int>(slices_[k].extents[1]) : 1;
      elements += a.size();
    }
    // All blocks together stay in the first cache.
    most_ = std::max(width, room / elements / width * width);
    T* at = memory_;
    for (int k = 0; k < arrays; ++k)
      if (is_read_[k]) {
        lanes_[k].data = at;
        at += lanes_[k].size() * most_;
      }
    switch (lanes_[0].columns) {
      case 2: return run_axis<2>(0);
      case 3: return run_axis<3>(0);
      case 4: return run_axis<4>(0);
      case 5: return run_axis<5>(0);
      case 6: return run_axis<6>(0);
      default: return run_axis<0>(0);
    }
  }

 private:
  static constexpr auto width = static_cast<std::ptrdiff_t>(tiny::lanes<T>::size);
  static constexpr std::ptrdiff_t room = std::max(
      std::ptrdiff_t{machine::first_cache_bytes / 2 / sizeof(T)},
      std::ptrdiff_t{arrays} * machine::max_extent_in_lanes * machine::max_extent_in_lanes * width);
  struct batch_axis {
    std::ptrdiff_t extent, strides[static_cast<std::size_t>(arrays)];
  };

  static array_ref without_axes(array_ref a, int axes) {
    a.rank -= axes;
    for (int d = 0; d < a.rank; ++d) {
      a.extents[d] = a.extents[d + axes];
      a.strides[d] = a.strides[d + axes];
    }
    return a;
  }
  void add_axis(array_ref const* const* batches, int d) {
    batch_axis axis{1, {}};
    for (int k = 0; k < arrays; ++k) {
      if (batches[k] == nullptr || batches[k]->extents[d] == 1) continue;
      axis.extent = batches[k]->extents[d];
      axis.strides[k] = batches[k]->strides[d];
    }
    if (axis.extent == 1) return;
    bool merges = rank_ > 0;
    for (int k = 0; k < arrays && merges; ++k)
      merges = axes_[rank_ - 1].strides[k] == axis.strides[k] * axis.extent;
    if (merges) {
      axis.extent *= axes_[rank_ - 1].extent;
      axes_[rank_ - 1] = axis;
    } else {
      axes_[rank_++] = axis;
    }
  }
  template <int N>
  void run_axis(int d) {
    batch_axis const& axis = axes_[d];
    if (d < rank_ - 1) {
      for (std::ptrdiff_t i = 0; i < axis.extent; ++i, move(d, 1)) run_axis<N>(d + 1);
      move(d, -axis.extent);
      return;
    }
    for (std::ptrdiff_t i = 0; i < axis.extent; i += most_) {
      std::ptrdiff_t const count = std::min(most_, axis.extent - i);
      run_block<N>(axis, count);
      move(d, count);
    }
    move(d, -axis.extent);
  }
  void move(int d, std::ptrdiff_t steps) {
    for (int k = 0; k < arrays; ++k)
      if (is_read_[k]) slices_[k].data += steps * axes_[d].strides[k] * slices_[k].bytes;
  }

  template <int N>
  void run_block(batch_axis const& axis, std::ptrdiff_t count) {
    for (int k = 0; k < operands; ++k) load(k, axis, count);
    for (std::ptrdiff_t first = 0; first < count; first += width)
      if (!lane_kernel<Op>::run(slices_in_lanes<T, N>{lanes_, most_, first, attributes_}))
        return run_one_by_one(axis, count);
    for (int k = operands; k < arrays; ++k) store(k, axis, count);
  }
  void run_one_by_one(batch_axis const& axis, std::ptrdiff_t count) const {
    array_ref one[static_cast<std::size_t>(arrays)];
    std::copy(slices_, slices_ + arrays, one);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      kernel_of<Op>::template run<T>(core::invocation{one, one + operands, attributes_});
      for (int k = 0; k < arrays; ++k)
        if (is_read_[k]) one[k].data += axis.strides[k] * one[k].bytes;
    }
  }

  /// The slices of an array as they lie in memory, the axis of the batch behind their own, and the
  /// block of them.
  array_ref in_memory(int k, batch_axis const& axis, std::ptrdiff_t count) const {
    array_ref a = slices_[k];
    a.extents[a.rank] = count;
    a.strides[a.rank++] = axis.strides[k];
    return a;
  }
  array_ref in_block(int k, array_ref a) const {
    a.data = reinterpret_cast<std::byte*>(lanes_[k].data);
    std::ptrdiff_t stride = most_;
    for (int d = a.rank - 2; d >= 0; --d) {
      a.strides[d] = stride;
      stride *= a.extents[d];
    }
    a.strides[a.rank - 1] = 1;
    return a;
  }
  static constexpr bool are_integers(int k) { return k == lane_kernel<Op>::integers; }
  void load(int k, batch_axis const& axis, std::ptrdiff_t count) {
    array_ref const from = in_memory(k, axis, count), to = in_block(k, from);
    if (are_integers(k)) convert<T, std::int32_t>(to, from);
    else copy_array(to, from);
    // The last vector has the last slice in the rest of its lanes.
    std::ptrdiff_t const rest = (width - count % width) % width;
    T* row = lanes_[k].data + count;
    for (int e = 0; e < lanes_[k].size(); ++e, row += most_) std::fill_n(row, rest, row[-1]);
  }
  void store(int k, batch_axis const& axis, std::ptrdiff_t count) const {
    if (!is_read_[k]) return;
    array_ref const to = in_memory(k, axis, count), from = in_block(k, to);
    if (are_integers(k)) convert<std::int32_t, T>(to, from);
    else copy_array(to, from);
  }
  template <class To, class From>
  static void convert(array_ref const& to, array_ref const& from) {
    core::for_each_row(to, from, [&](std::ptrdiff_t t, std::ptrdiff_t f) {
      int const last = to.rank - 1;
      for (std::ptrdiff_t i = 0; i < to.extents[last]; ++i)
        reinterpret_cast<To*>(to.data)[t + i * to.strides[last]] =
            static_cast<To>(reinterpret_cast<From const*>(from.data)[f + i * from.strides[last]]);
    });
  }

  items<long long> attributes_;
  array_ref slices_[static_cast<std::size_t>(arrays)];
  bool is_read_[static_cast<std::size_t>(arrays)]{};
  batch_axis axes_[core::max_rank];
  int rank_ = 0;
  std::ptrdiff_t most_ = 0;
  lane_array<T> lanes_[static_cast<std::size_t>(arrays)];
  alignas(64) T memory_[static_cast<std::size_t>(room)];
};

}  // namespace kroton::cpu
