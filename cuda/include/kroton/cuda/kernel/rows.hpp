// Several fused groups, one after the other, for each row of a matrix: what a row needs of the
// groups before is there when the next one begins, and no launch lies between.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/reduction_shape.hpp>

namespace kroton::cuda {

/// A group whose outputs are reduced over all of a row, `Axes`, or have an element for each of the
/// space. Axes is 0 where none is reduced.
template <class Expression, long long Axes>
struct row_step {
  using expression = Expression;
  using outputs = group_outputs<Expression>;
  static constexpr int reduced = Axes == 0 ? 0 : outputs::count(Axes);
  using thread =
      reduction_thread<Expression, Axes, 0, true,
                       std::make_index_sequence<static_cast<std::size_t>(outputs::arrays)>,
                       std::make_index_sequence<static_cast<std::size_t>(reduced)>>;
};

/// What a launch passes to each thread: the arguments of each step.
template <class... Step>
struct row_arguments {};
template <class First, class... Rest>
struct row_arguments<First, Rest...> {
  typename First::thread::arguments first;
  row_arguments<Rest...> rest;
};
/// The steps of a launch.
template <class... Step>
struct row_steps {
  using arguments = row_arguments<Step...>;
  /// The bytes that a block of so many threads shares.
  static constexpr std::int64_t bytes_for(std::int64_t threads) {
    std::int64_t most = 8;
    ((most = Step::thread::bytes_for(threads) > most ? Step::thread::bytes_for(threads) : most),
     ...);
    return most;
  }
};

/// Calls visit(step, its arguments) for each step.
template <class Visit>
KROTON_HOST_DEVICE KROTON_INLINE void each_row_step(row_steps<>, row_arguments<> const&,
                                                    Visit const&) {}
template <class First, class... Rest, class Visit>
KROTON_HOST_DEVICE KROTON_INLINE void each_row_step(row_steps<First, Rest...>,
                                                    row_arguments<First, Rest...> const& a,
                                                    Visit const& visit) {
  visit(First{}, a.first);
  each_row_step(row_steps<Rest...>{}, a.rest, visit);
}

/// One step of a block on the host.
template <class Step, class Each>
void walk_row_step(typename Step::thread::arguments const& a, [[maybe_unused]] std::byte* shared,
                   Each const& each) {
  using thread = typename Step::thread;
  if constexpr (Step::reduced == 0) {
    each([&](auto const& p) { (void)thread::accumulate(a, p); });
  } else {
    each([&](auto const& p) { thread::put(shared, a.shape, p, thread::accumulate(a, p)); });
    fold_block<thread>(shared, a.shape, each);
    each([&](auto const& p) {
      thread::put_results(a, thread::get(shared, a.shape, p), p, store_value{});
    });
  }
}
/// Walks the blocks on the host.
template <class... Step>
void walk_rows(row_steps<Step...> steps, row_arguments<Step...> const& a, std::byte* shared) {
  reduction_shape const shape = a.first.shape;
  walk_blocks(shape, [&](std::int64_t, auto const& each) {
    each_row_step(steps, a, [&]<class S>(S, auto const& of_step) {
      walk_row_step<S>(of_step, shared, each);
    });
  });
}

}  // namespace kroton::cuda
