// What loops and calls assume of the machine, in one table: its caches, and where one way of doing
// things becomes faster than another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/layers.hpp>

#include <cstddef>

namespace kroton::cpu {

/// Made for caches of 32 KiB, 1 MiB and 32 MiB. Where a comment gives no reason, the value came
/// from trials; `./dev bench elementwise`, `reductions`, `layouts`, `products` and
/// `small_functions` show what another one costs. Counts are elements unless the name says
/// otherwise.
struct machine {
  using count = std::ptrdiff_t;

  // ---- caches
  static constexpr count first_cache_bytes = 32 << 10;
  static constexpr count line = 64;  // an upper limit: bytes of a line, whatever an element has
  // A quarter of the second cache: the rows of a band that are processed together.
  // KROTON_BAND_BYTES sets it, and a test makes it smaller at run time.
  static inline count band_bytes = KROTON_BAND_BYTES;
  // Narrow rows are copied to columns and back, which the first cache takes much better.
  static count columns_band_bytes() { return band_bytes / 4; }
  // Rows that are added to others begin anywhere, and what crosses the lines of the second cache is
  // stored twice.
  static count written_band_bytes() { return band_bytes / 8; }
  // Two thirds of the third cache. A loop that touches more streams its results: a store that
  // bypasses the caches does not read the line that it overwrites, but the next reader of the
  // result waits for memory. Of 24 MB, three arrays of a million doubles, streaming took from 0.5
  // to 1.1 of the time on two machines; of 16 MB from 1.1 to 1.4.
  static constexpr count streamed_bytes = count{22} << 20;
  // Shorter rows spend their time before their first aligned store.
  static constexpr count min_streamed_row = 1024;

  // ---- threads
  // Elements moved, and functions such as exp, which take as long as `function_cost` moves: about
  // ten microseconds.
  static constexpr count min_shared_work = 200'000;
  static constexpr count function_cost = 8;
  // Of a convolution, which take as long; a test makes it smaller.
  static inline double min_shared_multiplications = 1e6;
  // Rows of a band go through all threads, and each has to find as much work as one alone would.
  static constexpr count band_share_of_thread = 8;

  // ---- operands laid out anew for a loop
  // All blocks together stay in the first cache, as 16 KiB of doubles.
  static constexpr count max_staged = 2048;
  // A block of fewer elements costs more than reading with strides.
  static constexpr count min_block = 128;
  static constexpr count max_tile_columns = 64;  // a few lines of a transposed operand
  static constexpr count tile_side = 16;  // a multiple of the squares that registers transpose
  // Rows of as many elements become one long row, for which operands are copied.
  static constexpr count max_joined_row = 128;

  // Shorter rows whose columns are added up, next to what is stored, become one long row where
  // there are so many. Each element of it has a sum: there are so many of these, if the rows are
  // some times as many; and arrays of which a block stays in the first cache.
  static constexpr count max_folded_row = 64, min_folded_rows = 4, min_folded = 160,
                         max_folded = 512, min_rows_of_folded = 4;
  static constexpr int max_folded_arrays = 16;
  // If rows fill batches by themselves, it pays from so many on.
  static constexpr count min_folded_whole_rows = 32;

  // Arrays whose rows have gaps and so many elements, each visited so often, are copied.
  static constexpr count min_packed_row = 8, min_reads_of_packed = 3;
  // Fewer selected elements are copied before the loop that reads them, and fewer rows.
  static constexpr count min_indirect = 1024, min_indirect_rows = 16;
  // Bytes of a state of a loop from which on it lies where its last value will, aligned or not.
  static constexpr std::size_t min_unaligned_state = 12 << 10;
  // Fewer elements that are joined are copied together before the loop that reads them, and so are
  // those of parts that have fewer on average. A small call copies more along the first axis.
  static constexpr count min_joined = 2048, min_joined_part = 160, min_joined_rows = 6000;
  // Shorter rows are not taken apart, and of those that are added up longer ones neither.
  static constexpr count min_row_in_parts = 32, min_added_row_in_parts = 256;
  // Elements that a loop makes before it reads them: a block of each array stays in the first cache
  static constexpr count max_made = 256;

  // ---- lines of sparse matrices
  // The sums of shorter lines, on average, overlap without being split.
  static constexpr count min_split_line = 32;
  // In multiplications by an element of a dense row: of two values, of which a row of a product is
  // made, and a value that comes to another place when a matrix is turned.
  static constexpr count price_of_sparse_product = 10, price_of_turned_value = 16;
  // Columns and multiplications from which on it pays to look at the patterns of two sparse
  // matrices; the part of these multiplications that a look may cost, and its price for a value.
  static constexpr count min_sparse_pair_width = 12, min_sparse_pair_work = 400'000;
  static constexpr count look_at_sparse_pair = 128, price_of_seen_value = 8;

  // ---- rows, in batches
  // Batches of a chain of sums, without rounding much: of lanes of eight bytes, and of four.
  static constexpr count max_batches_of_chain = 256, max_batches_of_short_chain = 64;
  static constexpr count min_added_row = 16;             // shorter ones are added column by column
  static constexpr count max_batches_of_sums = 128;      // accumulated without rounding much
  static constexpr count batches_moved = 8;              // through a buffer at a time
  static constexpr count min_batches_aligned = 512;      // a row whose stores are worth aligning
  static constexpr count min_batches_read_aligned = 32;  // a reduced row, whose loads are
  static constexpr count max_batches_of_short_row = 4;   // whose lanes are combined with others'

  // ---- sums
  // As many floats are added in their own type with an error of a few units in the last place,
  // since a batch has eight sums or more; longer sums are accumulated in double.
  static constexpr count max_narrow_sum = 256;
  // Elements of a row that cost less one by one than a batch whose lanes are combined.
  static constexpr count max_elementwise_sum = 16;
  static constexpr count rows_fetched_ahead = 8;     // the streams that the prefetcher follows
  static constexpr count max_sums_of_columns = 256;  // batches side by side
  // Rows whose sums are worth another order of the axes: so many elements, and so many rows.
  static constexpr count max_narrow_row = 16, min_narrow_rows = 8;
  // Operands read so often are worth reading again for each sum.
  static constexpr count min_reads_of_small = 16;
  // Rows so narrow that those of another axis are better, if there are so many elements, or so many
  // for a sum along rows; such a sum that is better one over rows; rows that are better of another
  // axis in any case.
  static constexpr count max_turned_row = 8, min_turned_rows = 16, max_turned_sum = 256,
                         min_turned_sums = 8,
                         max_row_of_points = 2, min_rows_of_points = 64;
  // Rows of a band so narrow that its matrices lie better by columns, if there are so many rows.
  static constexpr count max_row_by_columns = 7, min_rows_by_columns = 64;
  // An axis so short that loops over it and without it go together, if rows are so long; so many
  // elements of a row at a time.
  static constexpr count min_short_axis = 2, max_short_axis = 3, min_bundled_row = 16,
                         max_bundled_elements = 512;
  // Fewer elements without that axis take less time in one loop after the other; a test makes it
  // smaller.
  static inline count min_bundled = 40'000;
  // Rows so few that their sum is better taken at once than row by row through memory.
  static constexpr count max_rows_at_once = 16;
  // Rows for which what is added to columns stays in registers, next to sums along them.
  static constexpr count rows_of_mixed_sums = 4;

  // ---- loops without lanes
  // g++ -O2 makes vectors of loops of a known length only.
  static constexpr count block = 32;
  static constexpr int max_nodes_in_blocks = 16;

  // ---- products without BLAS
  static constexpr count small_matrix_bytes = 256 << 10;  // what fits in a part of the second cache
  static constexpr count max_small_slice = 512;           // multiplications of one of a stack
  static constexpr count max_written_slice = 6;           // rows of square ones written out
  static constexpr count min_matrix_columns = 8;          // shorter rows are left to BLAS
  static constexpr count max_tiny_extent = 6;             // of matrices that go without a call
  static constexpr int max_extent_in_lanes = 8;           // of those that lie side by side
  // Multiplications of one product, for each lane, and slices of a batch of them
  static constexpr count max_product_of_lane = 16, min_products_in_lanes = 16;
  static constexpr int min_shared_dot = 10'000;           // OpenBLAS shares longer ones

  // ---- ops of their own
  static constexpr int max_panel_lines = 32;  // what a panel keeps for each stays in registers
  static constexpr count max_gathered = 256;  // offsets that are computed before elements move
  static constexpr std::size_t min_large_pages = std::size_t{4} << 20;  // bytes, as in NumPy

  static constexpr int max_unrolled_steps = 64;  // of a loop of scalars

  // ---- small calls, whose steps are compiled once more for constant ranks and strides; views, and
  // writes of single elements, do not count
  static constexpr int max_small_steps = 12, max_small_steps_of_band = 20,
                       max_small_steps_of_loop = 32, max_small_values = 96;
  // Of all loops, and of those that compute numbers alone, whose code is as long as the formula
  static constexpr int max_small_nodes = 64, max_small_nodes_of_loop = 192, max_small_numbers = 512;
  static constexpr int max_small_rank = 4;
  // What lies between the steps of a call, on the stack, where its extents are numbers.
  static constexpr count max_known_slot_bytes = 4096;
  // Of loops and products whose extents are numbers, written out: elements, elements times nodes,
  // an extent of a product, and its multiplications.
  static constexpr int max_written_elements = 64, max_written_nodes = 512, max_written_extent = 8,
                       max_written_product = 512;
  // No question of threads or of streaming stores arises.
  static constexpr count max_small_elements = 16384;
  static constexpr count max_packed_sequence = 1 << 17;  // elements that a loop copies before it
  static constexpr count max_small_elements_with_gaps = 256;      // which are read one by one
  static constexpr count max_small_product = 4096;                // multiplications
  // What goes through the rows of a band together stays in the first cache: a third of it where
  // that is some rows, so that results and the next rows find room there, too.
  static count small_band_bytes() { return band_bytes * 3 / 16; }
  static constexpr count min_small_band_rows = 24;
  // Row after row is added to memory, or combined across its lanes; the frame's loops take several
  // rows together, which pays where rows are many, or where a loop is all that a program does.
  static constexpr count max_small_added_rows = 32, max_small_added_rows_alone = 8;
  static constexpr count min_small_added_row = 32;
  // Of narrow rows that become one: so few elements are one block; if little is computed, it pays
  // from so many rows on.
  static constexpr count min_small_folded = 64, min_folded_cheap_rows = 12;
  static constexpr count max_small_columns = 4096;  // elements of a matrix that is added by columns
  static constexpr count max_batches_of_small_row = 8;  // of rows that go without preparation
  // In the steps of loops, of a row that goes without batches: of the only one, and of several
  static constexpr count max_only_row_of_elements = 7, max_row_of_elements = 4;
  // Of a row that goes so and ends within a batch, where it only does arithmetic: the rest of it
  // goes in vectors of half a batch, a quarter of one ...
  static constexpr count max_batches_in_pieces = 4;
  // Of inner products without batches: of one, and in loops of one for each of a few rows; of
  // others for a few rows, and for more
  static constexpr count max_inner_of_elements = 7, max_inner_of_few_rows = 4,
                         max_inner_of_many_rows = 3, max_rows_of_elements = 7;
  static constexpr count max_small_short_rows = 32, max_small_short_row = 32;

  // ---- formulas so short that their loops are written out for several batches
  static constexpr int max_short_nodes = 8, max_short_results = 2;
};

}  // namespace kroton::cpu
