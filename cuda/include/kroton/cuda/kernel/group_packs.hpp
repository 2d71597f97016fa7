// The nodes of a fused group for elements that lie side by side, a pack at a time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/group.hpp>
#include <kroton/cuda/kernel/packs.hpp>

namespace kroton::cuda {

/// Which arrays of a group move along a row of elements, as bits; the others stand still. Groups of
/// more arrays are not taken in packs: a thread has no registers for so many.
using moving_arrays = std::uint64_t;
inline constexpr int most_packed_arrays = 64;
KROTON_HOST_DEVICE constexpr bool has_array(moving_arrays arrays, int k) {
  return k < most_packed_arrays && (arrays >> k & 1) != 0;
}

/// Packs of a group's arrays. Those that move along a row are loaded and stored at once; the
/// element of an operand that stands still is spread over all of a pack. K numbers the arrays.
template <class Expression, class Arrays>
struct group_packs;
template <class Expression, std::size_t... K>
struct group_packs<Expression, std::index_sequence<K...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using expand = int[];

  /// The bytes of an element of each array: 0 for what has no element for each of the space.
  static constexpr int bytes(int k) {
    if (k < outputs::operands) return evaluation::operand_bytes[static_cast<std::size_t>(k)];
    int const node = outputs::list::node(k - outputs::operands);
    bool const is_stored = outputs::axes[static_cast<std::size_t>(k - outputs::operands)] == 0;
    return is_stored ? core::bytes_of(outputs::group::elements[static_cast<std::size_t>(node)]) : 0;
  }
  /// The same, also for outputs that are reduced.
  static constexpr int bytes_of_any(int k) {
    if (k < outputs::operands) return bytes(k);
    return core::bytes_of(outputs::group::elements[static_cast<std::size_t>(
        outputs::list::node(k - outputs::operands))]);
  }
  /// How many elements a thread takes at once: 16 bytes of the widest.
  static constexpr int size = [] {
    int widest = 1;
    for (int k = 0; k < outputs::arrays; ++k) widest = bytes(k) > widest ? bytes(k) : widest;
    return 16 / widest;
  }();

  /// All arrays that have elements here.
  static constexpr moving_arrays all_arrays = [] {
    moving_arrays all = 0;
    for (int k = 0; k < outputs::arrays && k < most_packed_arrays; ++k)
      if (bytes(k) > 0) all |= moving_arrays{1} << k;
    return all;
  }();
  /// Which arrays move along these axes, by their types.
  static constexpr moving_arrays moving_along(std::uint64_t axes) {
    moving_arrays moving = all_arrays;
    for (int k = 0; k < outputs::operands && k < most_packed_arrays; ++k)
      if ((evaluation::operand_axes[static_cast<std::size_t>(k)] & axes) == 0)
        moving &= ~(moving_arrays{1} << k);
    return moving;
  }

  /// Which arrays move along axis `along` of a space; whether all others stand still, and each row
  /// begins where a pack may: each of the given spaces says how the rows lie. Outputs that a launch
  /// leaves out stand still.
  template <class Space, class... Rows>
  static bool find_moving(moving_arrays& moving, Space const& space, int along,
                          Rows const&... rows) {
    moving = 0;
    if (outputs::arrays > most_packed_arrays) return false;
    for (int k = 0; k < outputs::arrays; ++k) {
      if (bytes(k) == 0) continue;
      std::ptrdiff_t const stride = space.strides[along][k];
      if (stride == 0) continue;
      if (stride != 1 || reinterpret_cast<std::uintptr_t>(space.data[k]) %
                                 static_cast<std::uintptr_t>(bytes(k) * size) !=
                             0)
        return false;
      bool begins_with_pack = true;
      auto const look = [&](auto const& outer, int axes) {
        for (int d = 0; d < axes; ++d)
          if (outer.strides[d][k] % size != 0) begins_with_pack = false;
      };
      look(space, along);
      (look(rows, rows.rank), ...);
      if (!begins_with_pack) return false;
      moving |= moving_arrays{1} << k;
    }
    return moving != 0;
  }

  /// How many packs a thread asks for before it waits for the first, so that enough bytes are on
  /// their way: fewer of groups of many operands, which need the registers.
  static constexpr int at_once = [] {
    int arrays = 0;
    for (int k = 0; k < outputs::operands; ++k) arrays += bytes(k) > 0 ? 1 : 0;
    return arrays <= 2 ? 4 : arrays <= 4 ? 2 : 1;
  }();

  pack_of_elements all[sizeof...(K) + 1];

  /// Operands that stand still along a row; `rows`: where the row begins in each array. `moving`
  /// is best known to the compiler.
  KROTON_HOST_DEVICE KROTON_INLINE void spread(std::byte* const* rows, moving_arrays moving) {
    (void)expand{0, (spread_one<static_cast<int>(K)>(rows, moving), 0)...};
  }
  /// The pack with this number of each operand that moves.
  KROTON_HOST_DEVICE KROTON_INLINE void load(std::byte* const* rows, moving_arrays moving,
                                             std::int32_t i) {
    (void)expand{0, (load_one<static_cast<int>(K)>(rows, moving, i), 0)...};
  }
  KROTON_HOST_DEVICE KROTON_INLINE void store(std::byte* const* rows, std::int32_t i) const {
    (void)expand{0, (store_one<static_cast<int>(K)>(rows, i), 0)...};
  }
  /// Computes every element of the pack: `each(values)`, after which what is stored for it is kept.
  template <class Scalars, class Each>
  KROTON_HOST_DEVICE KROTON_INLINE void compute(Scalars const& scalars, Each& each) {
    compute_all(scalars, each, std::make_integer_sequence<int, size>{});
  }

 private:
  template <int Array>
  KROTON_HOST_DEVICE KROTON_INLINE void spread_one(std::byte* const* rows, moving_arrays moving) {
    if constexpr (Array < outputs::operands && bytes(Array) > 0)
      if (!has_array(moving, Array)) spread_element<bytes(Array)>(all[Array], rows[Array]);
  }
  template <int Array>
  KROTON_HOST_DEVICE KROTON_INLINE void load_one(std::byte* const* rows, moving_arrays moving,
                                                 std::int32_t i) {
    if constexpr (Array < outputs::operands && bytes(Array) > 0)
      if (has_array(moving, Array)) load_pack<bytes(Array) * size>(all[Array], rows[Array], i);
  }
  template <int Array>
  KROTON_HOST_DEVICE KROTON_INLINE void store_one(std::byte* const* rows, std::int32_t i) const {
    if constexpr (Array >= outputs::operands && bytes(Array) > 0)
      store_pack<bytes(Array) * size>(all[Array], rows[Array], i);
  }
  /// The elements with one number of packs.
  struct elements_of_pack {
    pack_of_elements const* all;
    int number;
    template <class T, int Position>
    KROTON_HOST_DEVICE KROTON_INLINE T element() const {
      return all[Position].template get<T>(number);
    }
  };
  template <class Scalars, class Each, int... E>
  KROTON_HOST_DEVICE KROTON_INLINE void compute_all(Scalars const& scalars, Each& each,
                                                    std::integer_sequence<int, E...>) {
    (void)expand{0, (compute_one(scalars, each, E), 0)...};
  }
  template <class Scalars, class Each>
  KROTON_HOST_DEVICE KROTON_INLINE void compute_one(Scalars const& scalars, Each& each,
                                                    int number) {
    typename evaluation::values v;
    evaluation::run(v, scalars, elements_of_pack{all, number});
    each(v);
    (void)expand{0, (keep<static_cast<int>(K)>(v, number), 0)...};
  }
  template <int Array, class Values>
  KROTON_HOST_DEVICE KROTON_INLINE void keep(Values& v, int number) {
    if constexpr (Array >= outputs::operands && bytes(Array) > 0) {
      constexpr int position = Array - outputs::operands;
      using T = typename outputs::template value<position>;
      all[Array].template set<T>(
          number, v.template at<core::element_of<T>()>(outputs::template node<position>));
    }
  }
};
/// So many bytes further. An empty array has no address, which a device need not know.
KROTON_HOST_DEVICE KROTON_INLINE std::byte* moved_by(std::byte* data, std::int64_t bytes) {
#if defined(__CUDA_ARCH__)
  return data + bytes;
#else
  return data == nullptr ? nullptr : data + bytes;
#endif
}
/// Where the arrays of a group have the elements at these positions.
template <class Packs, class Arrays>
struct array_rows;
template <class Packs, std::size_t... K>
struct array_rows<Packs, std::index_sequence<K...>> {
  std::byte* at[sizeof...(K) + 1];

  // Bytes as constants: a device has no table of them.
  KROTON_HOST_DEVICE KROTON_INLINE array_rows(std::byte* const* data, std::int64_t const* positions)
      : at{moved_by(data[K], positions[K] *
                                 std::integral_constant<int, Packs::bytes_of_any(K)>::value)...} {}
};
template <class Expression>
using packs_of = group_packs<Expression, std::make_index_sequence<static_cast<std::size_t>(
                                             group_outputs<Expression>::arrays)>>;

}  // namespace kroton::cuda
