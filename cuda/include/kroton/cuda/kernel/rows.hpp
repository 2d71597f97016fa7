// Several fused groups, one after the other, for each row of a matrix: no launch lies between, and
// what only they need of a row stays with the block.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/reduction_shape.hpp>

namespace kroton::cuda {

/// What a step of a launch is passed.
template <int Operands, int Outputs>
struct row_step_arguments {
  reduction_arguments<Operands, Outputs> of_group;
  /// The arrays of which a block has the rows that it is at: their addresses are those in the
  /// memory of a lane.
  moving_arrays near = 0;
  /// Operands whose packs are copied to where later steps find them, and where that is.
  moving_arrays copied = 0;
  std::uint32_t copies[Operands + 1]{};
  bool operator==(row_step_arguments const&) const = default;
};

/// A group whose outputs are reduced over all of a row, `Axes`, or have an element for each of the
/// space. Axes is 0 where a row has one element.
template <class Expression, long long Axes>
struct row_step {
  using expression = Expression;
  using outputs = group_outputs<Expression>;
  static constexpr int reduced = Axes == 0 ? 0 : outputs::count(Axes);
  using thread =
      reduction_thread<Expression, Axes, 0, true,
                       std::make_index_sequence<static_cast<std::size_t>(outputs::arrays)>,
                       std::make_index_sequence<static_cast<std::size_t>(reduced)>>;
  using arguments = row_step_arguments<outputs::operands, outputs::size>;
};

/// What a launch passes to each thread: the arguments of each step.
template <class... Step>
struct all_row_arguments {
  bool operator==(all_row_arguments const&) const = default;
};
template <class First, class... Rest>
struct all_row_arguments<First, Rest...> {
  typename First::arguments first;
  all_row_arguments<Rest...> rest;
  bool operator==(all_row_arguments const&) const = default;
};
template <class... Step>
struct row_arguments {
  all_row_arguments<Step...> steps;
  std::uint32_t bytes_of_lane = 0;  // of the memory of a block
  bool in_packs = false;            // wherever a row has more than one element
  KROTON_HOST_DEVICE reduction_shape const& shape() const { return steps.first.of_group.shape; }
  bool operator==(row_arguments const&) const = default;
};
/// The steps of a launch.
template <class... Step>
struct row_steps {
  using arguments = row_arguments<Step...>;
  static constexpr bool are_light = (is_light_group<typename Step::expression> && ...);
  /// The bytes that a block of so many threads shares to fold what they found.
  static constexpr std::int64_t bytes_for(std::int64_t threads) {
    std::int64_t most = 8;
    ((most = Step::thread::bytes_for(threads) > most ? Step::thread::bytes_for(threads) : most),
     ...);
    return most;
  }
};

/// The arrays of a step where a lane has them.
template <class Step>
struct near_arrays {
  std::byte* data[Step::outputs::arrays + 1];

  KROTON_HOST_DEVICE KROTON_INLINE near_arrays(typename Step::arguments const& a,
                                               std::byte* memory) {
    for (int k = 0; k < Step::outputs::arrays; ++k) {
      std::byte* const given = a.of_group.kept.data[k];
      data[k] = has_array(a.near, k) ? memory + reinterpret_cast<std::uintptr_t>(given) : given;
    }
  }
};
/// Copies packs of operands to the memory of a lane.
template <class Step, class Operands>
struct copy_packs;
template <class Step, std::size_t... K>
struct copy_packs<Step, std::index_sequence<K...>> {
  typename Step::arguments const& a;
  std::byte* memory;

  template <class Packs>
  KROTON_HOST_DEVICE KROTON_INLINE void operator()(Packs const& p, std::int32_t i) const {
    using expand = int[];
    (void)expand{0, (copy<static_cast<int>(K)>(p, i), 0)...};
  }
  template <int Operand, class Packs>
  KROTON_HOST_DEVICE KROTON_INLINE void copy(Packs const& p, std::int32_t i) const {
    if constexpr (Packs::bytes(Operand) > 0)
      if (has_array(a.copied, Operand))
        store_pack<Packs::bytes(Operand) * Packs::size>(p.all[Operand], memory + a.copies[Operand],
                                                        i);
  }
};
template <class Step>
using copy_packs_of =
    copy_packs<Step, std::make_index_sequence<static_cast<std::size_t>(Step::outputs::operands)>>;

/// What a thread finds in its elements of a step. Rows of one element, or of none, are
/// never in packs.
template <class Step, bool InPacks>
KROTON_HOST_DEVICE KROTON_INLINE typename Step::thread::sums find_in_row(
    typename Step::arguments const& a, typename Step::thread::rows const& rows,
    block_place const& p, std::byte* memory) {
  using thread = typename Step::thread;
  typename thread::sums found[1];
  std::byte* const* const data = a.of_group.kept.data;
  if constexpr (!InPacks) {
    thread::template accumulate<taking::elements>(found, a.of_group, data, rows, p);
  } else if (a.of_group.how == taking::packs) {
    thread::template accumulate<taking::packs>(found, a.of_group, data, rows, p,
                                               copy_packs_of<Step>{a, memory});
  } else {
    thread::accumulate_one(found, a.of_group, data, rows, p);
  }
  return found[0];
}
/// The arrays of a step where a lane has its row.
template <class Step>
KROTON_HOST_DEVICE KROTON_INLINE typename Step::thread::rows rows_of_lane(
    typename Step::arguments const& a, block_place const& p, std::byte* memory) {
  return Step::thread::rows_at(a.of_group, near_arrays<Step>(a, memory).data, p.kept);
}

/// One step of a block on the host.
template <class Step, bool InPacks, class Each>
void walk_row_step(typename Step::arguments const& a, std::byte* shared, std::byte* memory,
                   std::uint32_t bytes_of_lane, Each const& each) {
  using thread = typename Step::thread;
  reduction_shape const& shape = a.of_group.shape;
  auto const of_lane = [&](auto const& p) {
    return memory + static_cast<std::size_t>(p.lane) * bytes_of_lane;
  };
  each([&](auto const& p) {
    [[maybe_unused]] auto const found =
        find_in_row<Step, InPacks>(a, rows_of_lane<Step>(a, p, of_lane(p)), p, of_lane(p));
    if constexpr (Step::reduced > 0) thread::put(shared, shape, p, found);
  });
  if constexpr (Step::reduced > 0) {
    fold_block<thread>(shared, shape, each);
    each([&](auto const& p) {
      thread::put_results(rows_of_lane<Step>(a, p, of_lane(p)), thread::get(shared, shape, p), p,
                          store_value{});
    });
  }
}
template <bool InPacks, class Each>
void walk_row_steps(row_steps<>, all_row_arguments<> const&, std::byte*, std::byte*, std::uint32_t,
                    Each const&) {}
template <bool InPacks, class First, class... Rest, class Each>
void walk_row_steps(row_steps<First, Rest...>, all_row_arguments<First, Rest...> const& a,
                    std::byte* shared, std::byte* memory, std::uint32_t bytes_of_lane,
                    Each const& each) {
  walk_row_step<First, InPacks>(a.first, shared, memory, bytes_of_lane, each);
  walk_row_steps<InPacks>(row_steps<Rest...>{}, a.rest, shared, memory, bytes_of_lane, each);
}
/// Walks the blocks on the host.
template <class... Step>
void walk_rows(row_steps<Step...> steps, row_arguments<Step...> const& a, std::byte* shared,
               std::byte* memory) {
  walk_blocks(a.shape(), [&](std::int64_t, auto const& each) {
    if (a.in_packs) walk_row_steps<true>(steps, a.steps, shared, memory, a.bytes_of_lane, each);
    else walk_row_steps<false>(steps, a.steps, shared, memory, a.bytes_of_lane, each);
  });
}

}  // namespace kroton::cuda
