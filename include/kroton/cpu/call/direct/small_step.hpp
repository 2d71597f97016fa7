// A step of a small call in the words of general steps: its arrays, with what the compiler knows of
// them as constants.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/chain.hpp>
#include <kroton/cpu/call/direct/band.hpp>
#include <kroton/cpu/call/scan/scalars.hpp>
#include <kroton/cpu/call/step_kinds.hpp>
#include <kroton/cpu/op/kernels.hpp>

namespace kroton::cpu {

/// The operands, results and attributes of step S.
template <class Program, int S>
class small_step {
  using tables = direct_tables<Program>;
  using state = direct_state<Program>;
  using expand = int[];

 public:
  static constexpr step_info info = Program::steps[static_cast<std::size_t>(S)];

  KROTON_INLINE small_step(state& s, memory_block& memory)
      : memory_(memory) {
    if (direct_band<Program>::adds_to_part(S) && s.all_rows >= 0) first_row_ = s.first_row;
    place(s, std::make_integer_sequence<int, info.operand_count + info.result_count>{});
  }
  array_ref const& array(int k) const { return arrays_[k]; }
  array_ref const& target() const { return arrays_[info.operand_count]; }
  std::int64_t integer(int k) const {
    return *reinterpret_cast<std::int64_t const*>(arrays_[k].data);
  }
  static constexpr long long attribute(int i) { return first_attribute()[i]; }
  std::byte* data_of_result(int k) const { return arrays_[info.operand_count + k].data; }
  std::byte* scratch(std::size_t bytes) const { return memory_.room(bytes); }
  /// Whether it writes some rows after the other to a part; what they are written to was copied
  /// before the first ones.
  bool takes_some_rows() const { return first_row_ >= 0; }
  bool continues() const { return takes_some_rows(); }
  array_ref rows_of(array_ref part) const {
    if (!takes_some_rows()) return part;
    part.data += first_row_ * part.strides[0] * part.bytes;
    part.extents[0] = arrays_[1].extents[0];
    return part;
  }
  invocation call() const {
    return {arrays_, arrays_ + info.operand_count, {first_attribute(), info.attribute_count}};
  }

 private:
  static constexpr long long const* first_attribute() {
    return Program::pool.data() + info.first + info.operand_count + info.result_count +
           info.space_rank;
  }
  template <int... K>
  KROTON_INLINE void place(state& s, std::integer_sequence<int, K...>) {
    (void)expand{0, (place_array<K>(s), 0)...};
  }
  template <int K>
  KROTON_INLINE void place_array(state& s) {
    constexpr int v = tables::pool(info.first + K);
    if constexpr (v >= 0) {
      constexpr value_info value = tables::value(v);
      array_ref& a = arrays_[K];
      a.data = s.template address<v>();
      a.rank = value.rank;
      a.bytes = bytes_of(value.type);
      place_axes<v>(a, s, std::make_integer_sequence<int, value.rank>{});
    }
  }
  template <int V, int... D>
  static KROTON_INLINE void place_axes([[maybe_unused]] array_ref& a,
                                       [[maybe_unused]] state const& s,
                                       std::integer_sequence<int, D...>) {
    (void)expand{0, (a.extents[D] = s.extents[tables::value(V).extents[D]],
                     a.strides[D] = s.template stride<V, D>(), 0)...};
  }

  array_ref arrays_[static_cast<std::size_t>(info.operand_count + info.result_count)];
  memory_block& memory_;
  std::ptrdiff_t first_row_ = -1;  // of those that a band takes together, unless these are all
};

/// Small calls have no monitor that counts steps.
template <class Program, int S>
KROTON_INLINE void count_steps(small_step<Program, S> const&, std::ptrdiff_t) {}

/// The program of the body of step S.
template <class Program, int S>
using body_of_step = typename freeze::program_of_body<
    plain_program<Program>, Program::steps[static_cast<std::size_t>(S)].body>::type;
/// Whether a step is a loop of numbers that takes all its steps, which keeps no memory.
template <class Program, int S>
constexpr bool is_loop_of_scalars() {
  if constexpr (Program::steps[static_cast<std::size_t>(S)].kind != step_kind::scan) return false;
  else
    return is_scalar_program<body_of_step<Program, S>>() &&
           !scan_step<Program, S, body_of_step<Program, S>>::stops;
}

/// Copies the first operand of step S to its result, unless it lies there already.
template <class Program, int S>
[[gnu::noinline]] void copy_first_operand(direct_state<Program>& state, memory_block& memory) {
  small_step<Program, S> const s(state, memory);
  copy_array(s.target(), spread(s.array(0), s.target()));
}
/// Takes a step as the frame takes it.
template <class Program, int S>
[[gnu::noinline]] void take_small_step(direct_state<Program>& state, memory_block& memory) {
  small_step<Program, S> const s(state, memory);
  constexpr step_info info = small_step<Program, S>::info;
  constexpr int first = direct_tables<Program>::operand(S, 0);
  using T = value_t<Program::values[static_cast<std::size_t>(first)].type>;
  if constexpr (info.kind == step_kind::scan)
    scalar_scan<Program, S, body_of_step<Program, S>>::run_step(s);
  else if constexpr (info.kind == step_kind::own)
    cpu::run_kernel<op_at<Program::value.ops[info.op]>, T>(s.call(), s);
  else
    run_step_of<info.kind, T, (factors_of(info.kind, info.operand_count) > 2)>(s);
}

}  // namespace kroton::cpu
