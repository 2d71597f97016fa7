// The outputs of a fused group that have an element for each element of its space, as a grid of
// threads computes them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>
#include <kroton/cuda/kernel/group.hpp>

namespace kroton::cuda {

/// What a launch passes to each thread: operands, then all outputs, over merged axes.
template <int Operands, int Outputs>
struct map_arguments {
  space_over<Operands + Outputs> space;
  std::int64_t count = 0;  // elements of the space
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
