// The outputs of a fused group that have an element for each element of its space, as a grid of
// threads computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>
#include <kroton/cuda/kernel/group.hpp>
#include <kroton/cuda/kernel/packs.hpp>

namespace kroton::cuda {

/// What a launch passes to each thread: operands, then all outputs, over merged axes.
template <int Operands, int Outputs>
struct map_arguments {
  space_over<Operands + Outputs> space;
  std::int64_t count = 0;  // elements of the space
  bool in_packs = false;   // see map_thread::packed
  scalar_operands<Operands> scalars;

  map_arguments() {
    space.operands = Operands;
    space.results = Outputs;
    space.count = Operands + Outputs;
  }
  /// Whether every operand is read at the element's own number, or always at one place.
  bool flat() const { return space.rank == 1; }
};

/// What one thread does. K numbers the arrays.
template <class Expression, class Arrays>
struct map_thread;
template <class Expression, std::size_t... K>
struct map_thread<Expression, std::index_sequence<K...>> {
  using outputs = group_outputs<Expression>;
  using evaluation = evaluation_of<Expression>;
  using arguments = map_arguments<outputs::operands, outputs::size>;

  /// The bytes of an element of each array: 0 for what is none here.
  static constexpr int bytes(int k) {
    if (k < outputs::operands) return evaluation::operand_bytes[static_cast<std::size_t>(k)];
    int const node = outputs::list::node(k - outputs::operands);
    bool const is_stored = outputs::axes[static_cast<std::size_t>(k - outputs::operands)] == 0;
    return is_stored ? core::bytes_of(outputs::group::elements[static_cast<std::size_t>(node)]) : 0;
  }
  /// How many elements a thread takes at once from arrays that are dense: 16 bytes of the widest.
  static constexpr int pack = [] {
    int widest = 1;
    for (int k = 0; k < outputs::arrays; ++k) widest = bytes(k) > widest ? bytes(k) : widest;
    return 16 / widest;
  }();
  /// Whether all arrays are dense and begin where a pack may.
  static bool takes_packs(arguments const& a) {
    if (a.space.rank != 1 || a.count > 0x7fffffff - 16) return false;
    for (int k = 0; k < outputs::arrays; ++k) {
      if (bytes(k) == 0) continue;
      auto const address = reinterpret_cast<std::uintptr_t>(a.space.data[k]);
      if ((a.space.strides[0][k] != 1 && a.count > 1) ||
          address % static_cast<std::uintptr_t>(bytes(k) * pack) != 0)
        return false;
    }
    return true;
  }

  /// For a space of one axis along which all arrays are dense, from addresses that are multiples of
  /// a pack, and of less than 2^31 elements.
  KROTON_HOST_DEVICE static KROTON_INLINE void packed(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    auto const count = static_cast<std::int32_t>(a.count), packs = count / pack;
    auto const first = static_cast<std::int32_t>(r.first), step = static_cast<std::int32_t>(r.step);
    for (std::int32_t i = first; i < packs; i += step) {
      pack_of_elements all[sizeof...(K) + 1];
      using expand = int[];
      (void)expand{0, (load<static_cast<int>(K)>(all, a, i), 0)...};
      compute_pack(all, scalars, std::make_integer_sequence<int, pack>{});
      (void)expand{0, (store<static_cast<int>(K)>(all, a, i), 0)...};
    }
    // The elements behind the last pack, one a thread.
    if (std::int32_t const i = packs * pack + first; i < count) {
      std::int64_t const at[] = {(static_cast<void>(K), std::int64_t{i})..., 0};
      compute(a, scalars, at);
    }
  }
  /// For a space of one axis.
  KROTON_HOST_DEVICE static KROTON_INLINE void flat(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t const at[] = {i * a.space.strides[0][K]..., 0};
      compute(a, scalars, at);
    }
  }
  /// For any space.
  KROTON_HOST_DEVICE static KROTON_INLINE void strided(arguments const& a, thread_range r) {
    auto scalars = a.scalars;
    evaluation::load(scalars, a.space.data);
    for (std::int64_t i = r.first; i < a.count; i += r.step) {
      std::int64_t at[sizeof...(K) + 1]{};
      add_position(a.space, i, at, std::index_sequence<K...>{});
      compute(a, scalars, at);
    }
  }

 private:
  template <int Array>
  KROTON_HOST_DEVICE static KROTON_INLINE void load(pack_of_elements* all, arguments const& a,
                                                    std::int32_t i) {
    if constexpr (Array < outputs::operands && bytes(Array) > 0)
      load_pack<bytes(Array) * pack>(all[Array], a.space.data[Array], i);
  }
  template <int Array>
  KROTON_HOST_DEVICE static KROTON_INLINE void store(pack_of_elements const* all,
                                                     arguments const& a, std::int32_t i) {
    if constexpr (Array >= outputs::operands && bytes(Array) > 0)
      store_pack<bytes(Array) * pack>(all[Array], a.space.data[Array], i);
  }
  /// The elements with one number of packs.
  struct elements_of_pack {
    pack_of_elements* all;
    int number;
    template <class T, int Position>
    KROTON_HOST_DEVICE KROTON_INLINE T element() const {
      return all[Position].template get<T>(number);
    }
  };
  template <class Scalars, int... E>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute_pack(pack_of_elements* all,
                                                            Scalars const& scalars,
                                                            std::integer_sequence<int, E...>) {
    using expand = int[];
    (void)expand{0, (compute_one(all, scalars, E), 0)...};
  }
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute_one(pack_of_elements* all,
                                                           Scalars const& scalars, int number) {
    typename evaluation::values v;
    evaluation::run(v, scalars, elements_of_pack{all, number});
    using expand = int[];
    (void)expand{0, (keep<static_cast<int>(K)>(v, all, number), 0)...};
  }
  template <int Array, class Values>
  KROTON_HOST_DEVICE static KROTON_INLINE void keep(Values& v, pack_of_elements* all, int number) {
    if constexpr (Array >= outputs::operands && bytes(Array) > 0) {
      constexpr int position = Array - outputs::operands;
      using T = typename outputs::template value<position>;
      all[Array].template set<T>(
          number, v.template at<core::element_of<T>()>(outputs::template node<position>));
    }
  }
  template <class Scalars>
  KROTON_HOST_DEVICE static KROTON_INLINE void compute(arguments const& a, Scalars const& scalars,
                                                       std::int64_t const* at) {
    typename evaluation::values v;
    evaluation::run(v, scalars, a.space.data, at);
    outputs::store(v, a.space.data, at);
  }
};
template <class Expression>
using map_of = map_thread<Expression, std::make_index_sequence<static_cast<std::size_t>(
                                          group_outputs<Expression>::arrays)>>;

}  // namespace kroton::cuda
