// Chooses how blocks go through a space of kept and reduced axes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/kernel/reduction.hpp>

#include <algorithm>
#include <bit>

namespace kroton::cuda {

/// What a device has for a launch: threads of a block, blocks that keep it busy, and memory that a
/// block can share while others keep the device busy, too.
struct device_facts {
  unsigned threads = 256, blocks = 1024;
  std::int64_t bytes_of_block = 100'000;
};

/// The smallest power of two that is not smaller, at most `most`.
constexpr int power_of_two(std::int64_t n, int most) {
  return n >= most ? most : static_cast<int>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// Rows that fit a warp's few passes take a warp each, or some of its threads; longer ones a whole
/// block.
inline constexpr std::int64_t longest_row_of_warp = 1024;
/// What a thread of a warp takes of a row before others share it: what is done once a row is as
/// much work as some packs.
inline constexpr std::int64_t least_packs = 4;
/// A split has at least so many elements for each of its threads.
inline constexpr std::int64_t least_of_split = 8;

/// `along_reduced`: whether operands lie dense along a reduced axis rather than a kept one, and
/// then how many elements of it a thread takes at once.
inline reduction_shape choose_shape(std::int64_t kept, std::int64_t reduced, bool along_reduced,
                                    int pack, device_facts const& device) {
  int const threads = static_cast<int>(device.threads), warp = threads < 32 ? threads : 32;
  std::int64_t const in_packs = (reduced + pack - 1) / pack;
  reduction_shape s;
  s.kept = kept;
  s.reduced = reduced;
  s.along_reduced = along_reduced;
  // A block has one power of two of threads, whatever the extents are.
  if (along_reduced) {
    bool const takes_block = reduced > longest_row_of_warp || kept < 4;
    s.depth =
        takes_block ? threads : power_of_two((in_packs + least_packs - 1) / least_packs, warp);
    // Few rows: more threads are better than less work.
    std::int64_t const busy = std::int64_t{device.blocks} * threads / 2;
    while (s.depth < warp && s.depth < in_packs && kept * s.depth < busy) s.depth *= 2;
  } else {
    s.depth = threads / power_of_two(kept, warp);
  }
  s.lanes = threads / s.depth;
  std::int64_t const tiles = s.tiles(), worth = reduced / (s.depth * least_of_split);
  std::int64_t const wanted = tiles > 0 ? device.blocks / tiles : 1;
  std::int64_t const splits = std::max<std::int64_t>(1, std::min(wanted, worth));
  s.chunk = std::max<std::int64_t>(1, (in_packs + splits - 1) / splits) * pack;
  s.splits = static_cast<int>(std::max<std::int64_t>(1, (reduced + s.chunk - 1) / s.chunk));
  return s;
}

/// Divides a space over all axes into what an output keeps and what it does not.
template <class Whole, class Kept, class Reduced>
void divide_space(Whole const& whole, long long axes, Kept& kept, Reduced& reduced) {
  kept.rank = reduced.rank = 0;
  kept.count = reduced.count = whole.count;
  for (int d = 0; d < whole.rank; ++d) {
    auto const copy = [&](auto& to) {
      to.extents[to.rank] = whole.extents[d];
      for (int k = 0; k < whole.count; ++k) to.strides[to.rank][k] = whole.strides[d][k];
      ++to.rank;
    };
    if ((axes >> (whole.rank - 1 - d) & 1) != 0) copy(reduced);
    else copy(kept);
  }
  for (int k = 0; k < whole.count; ++k) kept.data[k] = whole.data[k];
}
/// Whether operands are dense along the last reduced axis rather than along the last kept one. What
/// moves along both axes is much more to read than what stands still along one.
template <class Kept, class Reduced>
bool lies_along_reduced(Kept const& kept, Reduced const& reduced, int operands) {
  int matrices = 0, others = 0;
  for (int k = 0; k < operands; ++k) {
    std::ptrdiff_t const r = reduced.strides[reduced.rank - 1][k],
                         o = kept.strides[kept.rank - 1][k];
    (r != 0 && o != 0 ? matrices : others) += (r == 1 ? 1 : 0) - (o == 1 ? 1 : 0);
  }
  return matrices != 0 ? matrices > 0 : others >= 0;
}

}  // namespace kroton::cuda
