// A fused loop of the interpreter: the body of a group as a list of instructions over blocks that
// fit in the first-level cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/steps.hpp>
#include <kroton/cpu/loop/space.hpp>
#include <kroton/runtime/kernel_library.hpp>
#include <kroton/runtime/thread_list.hpp>

#include <vector>

namespace kroton::runtime {

/// One instruction: a kernel, the registers that it reads, and the one that it writes.
struct block_instruction {
  block_kernel kernel = nullptr;
  core::op_info const* op = nullptr;
  // The types of its operands and its result
  element from = element::float64, to = element::float64;
  int out = 0, in_count = 0;
  int in[3]{};
};

/// A result of the loop.
struct block_result {
  int from = 0;            // the register that holds it or, for a reduction, its operand
  int bytes = 8;
  block_reduction const* reduction = nullptr;
  core::op_info const* op = nullptr;  // of a reduction
  bool computed = false;   // by its own instruction, which may write to its memory
};

class loop_code;

/// The arrays of an interpreted loop; its code determines their number.
struct interpreted_arrays {
  static constexpr bool fixed_rows = false;
  static constexpr int max_arrays = 1;  // none is staged
  template <class T> using per_array = thread_list<T>;
  template <class T>
  static void fit(thread_list<T>& list, int size) { list.fit(size); }
  int operands = 0, results = 0, count = 0;
  bool may_share = true;  // with other threads
  loop_code const* code = nullptr;
};
using interpreted_space = cpu::basic_space<interpreted_arrays>;

/// The code of one fused loop. Registers are numbered: operands, then literals, then computed
/// values.
class loop_code {
 public:
  loop_code(kroton::graph const& body, kernel_library const& kernels);

  /// Runs the loop over the step's space.
  void run(cpu::step_view const& s) const;

  /// The step's space, with its arrays.
  interpreted_space space_of(cpu::step_view const& s) const;
  cpu::loop_facts facts() const { return {.result = facts_.data()}; }

 private:
  static void row(interpreted_space const& s, std::byte* const* at, std::ptrdiff_t);
  void run_row(interpreted_space const& s, std::byte* const* at) const;
  void run_block(std::byte* const* registers, std::ptrdiff_t n) const;
  void find_results(kroton::graph const& body, kernel_library const& kernels,
                    std::vector<int> const& register_of);
  void allocate();

  std::vector<block_instruction> code_;
  std::vector<block_result> results_;
  std::vector<element> types_;   // of the registers
  std::vector<int>
      slots_;  // of the registers in the block memory; used for an operand if it is not dense
  std::vector<cpu::result_fact> facts_;  // of the results
  int operands_ = 0, literals_ = 0, slot_count_ = 0;
  int operands_end_ =
      0;  // the first instruction after which no operand is read; results may reuse their memory
  std::ptrdiff_t block_ = 0;     // elements
  int width_ = 8;                // bytes of an element of a block
  std::vector<std::vector<std::uint64_t>> constants_;  // a block of each literal
};

}  // namespace kroton::runtime
