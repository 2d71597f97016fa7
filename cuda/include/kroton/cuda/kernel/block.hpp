// Blocks of threads that go through a space of kept and reduced axes together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/grid.hpp>

namespace kroton::cuda {

/// How a block goes through a space of kept and reduced axes: `lanes` adjacent kept elements, with
/// `depth` threads for each. Where that makes too few blocks to keep the device busy, `splits`
/// blocks share the reduced elements of a tile, and the last one to finish combines what they
/// found.
struct reduction_shape {
  std::int64_t kept = 1, reduced = 1, chunk = 1;  // a chunk: reduced elements of a block
  int unit = 1;  // kept elements that a thread takes together; `kept` counts units
  int lanes = 1, depth = 1, splits = 1;
  bool along_reduced = true;  // neighbouring threads take neighbouring reduced elements

  KROTON_HOST_DEVICE std::int64_t tiles() const { return (kept + lanes - 1) / lanes; }
  KROTON_HOST_DEVICE std::int64_t blocks() const { return tiles() * splits; }
  bool operator==(reduction_shape const&) const = default;
};

/// Where a thread stands in its block.
struct block_place {
  std::int64_t kept;
  int lane, depth, split;
  bool is_inside;
};
KROTON_HOST_DEVICE KROTON_INLINE block_place place_of(reduction_shape const& s, std::int64_t block,
                                                      int thread) {
  std::int64_t const tile = s.splits == 1 ? block : quotient(block, s.splits);
  block_place p;
  p.lane = s.along_reduced ? thread / s.depth : thread % s.lanes;
  p.depth = s.along_reduced ? thread % s.depth : thread / s.lanes;
  p.split = static_cast<int>(block - tile * s.splits);
  p.kept = tile * s.lanes + p.lane;
  p.is_inside = p.kept < s.kept;
  return p;
}
/// The place of one of the kept elements of a unit.
KROTON_HOST_DEVICE KROTON_INLINE block_place place_of_unit(block_place p, int unit, int element) {
  p.kept = p.kept * unit + element;
  return p;
}
/// Its number in the memory of the block.
KROTON_HOST_DEVICE KROTON_INLINE int cell_of(reduction_shape const& s, int lane, int depth) {
  return s.along_reduced ? lane * s.depth + depth : depth * s.lanes + lane;
}

/// Walks blocks on the host, one after the other: threads meet where all of them have done a part.
/// `block(number, each)` does its parts by `each(part)`, which calls part(place) for each thread.
template <class Block>
void walk_blocks(reduction_shape const& s, Block block) {
  for (std::int64_t b = 0; b < s.blocks(); ++b)
    block(b, [&](auto part) {
      for (int t = 0; t < s.lanes * s.depth; ++t) part(place_of(s, b, t));
    });
}

/// The parts of walk_blocks in which half of the threads take over what the others have, until one
/// of each lane has it all.
template <class Thread, class Cell, class Each>
void fold_block(Cell* shared, reduction_shape const& s, Each const& each) {
  for (int half = s.depth / 2; half > 0; half /= 2)
    each([&](auto const& p) { Thread::fold(shared, s, p, half); });
}

}  // namespace kroton::cuda
