// Takes the steps of a program in their order, those of bands for some rows after the other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/bands/bands.hpp>
#include <kroton/cpu/call/bands/bundles.hpp>
#include <kroton/cpu/call/bands/layout.hpp>
#include <kroton/cpu/call/bands/packing.hpp>
#include <kroton/cpu/call/chain.hpp>
#include <kroton/cpu/call/scan/direct.hpp>
#include <kroton/cpu/call/scan/scalars.hpp>
#include <kroton/cpu/call/step_kinds.hpp>
#include <kroton/cpu/loop/parts.hpp>
#include <kroton/cpu/loop/turning.hpp>
#include <kroton/cpu/op/by_type.hpp>
#include <kroton/cpu/op/kernels.hpp>

#include <array>
#include <utility>

namespace kroton::cpu {
struct target;
}

namespace kroton::cpu {

/// The space of a fused loop: that which the step names, with the arrays that lie over it.
template <class Space>
Space space_of(step_view const& s, loop_facts const& facts) {
  Space space;
  space.operands = s.info.operand_count;
  space.results = s.info.result_count;
  space.count = space.operands + space.results;
  space.rank = s.info.space_rank;
  for (int d = 0; d < space.rank; ++d) space.extents[d] = s.f.extent(s.space(d));
  if (band_pass const now = s.f.bands().now; s.info.band >= 0 && now.rows != band_pass::all) {
    space.extents[0] = now.rows;
    space.begins = now.begins;
    space.ends = now.ends;
    if (s.info.gathers) space.gathered = &s.f.bands().gathered(s.number());
  }
  for (int k = 0; k < space.operands; ++k) space.add(k, s.f.value(s.operand(k)), space.rank);
  for (int k = 0; k < space.results; ++k)
    space.add_result(space.operands + k, s.f.value(s.result(k)), facts.result[k]);
  return space;
}
/// The last axes of a step's space, whatever part of it a band takes.
inline row_choices row_choices_of(step_view const& s) {
  int const rank = s.info.space_rank;
  auto const extent = [&](int d) { return rank < d ? 1 : s.f.extent(s.space(rank - d)); };
  return {extent(1), extent(2), extent(3), extent(4)};
}
/// `ByColumns`: whether the band of the step may go along columns.
template <class Expression, int Rank, bool ByColumns>
void run_loop(step_view const& s) {
  using Kernel = loop_of<Expression>;
  if constexpr (Rank == 0 && !Kernel::G::has_reduction) {
    std::byte* at[static_cast<std::size_t>(Kernel::count)];
    for (int k = 0; k < Kernel::operands; ++k) at[k] = s.f.value(s.operand(k)).data;
    for (int k = 0; k < Kernel::results; ++k)
      at[Kernel::operands + k] = s.f.value(s.result(k)).data;
    Kernel::run_scalars(at);
  } else {
    auto space = space_of<typename Kernel::space>(s, Kernel::facts);
    auto const run = [&]<class Turned>(auto& turned, std::type_identity<Turned>) {
      band_packing<typename Turned::space>::pack(s, turned, Kernel::facts);
      Turned::run(turned);
    };
    if constexpr (ByColumns)
      if (s.f.bands().now.by_columns && space.extents[1] > 1)
        return run_by_columns<Expression>(space, run);
    turning_loop<Expression, Rank>::run(space, row_choices_of(s), run);
  }
}

/// The element type by which a step that is not a loop runs: that of its first operand.
template <class Program, int First>
using step_element = value_t<
    Program::values[static_cast<std::size_t>(Program::pool[static_cast<std::size_t>(First)])].type>;

/// An op's own function.
template <class Own, class T, int Arrays>
void run_own(step_view const& s) {
  array_ref arrays[static_cast<std::size_t>(Arrays)];
  cpu::run_kernel<Own, T>(s.call(arrays), s);
}

/// The same for some rows of a band, where the op selects by indices, or adds to what they select.
template <class Own, class T, int Arrays>
void run_indexed_rows(step_view const& s) {
  array_ref arrays[static_cast<std::size_t>(Arrays)];
  invocation const call = s.call(arrays);
  band_pass const& now = s.f.bands().now;
  if (now.checks) return kernel<Own>::check(call);
  if (now.begins && now.ends) return cpu::run_kernel<Own, T>(call, s);
  if (s.continues()) arrays[0] = call.result();
  kernel<Own>::template run_checked<T>(call);
}

/// Whether a loop reads selected elements or rows where they are: they are not few.
inline bool is_read_in_place(array_ref const& base, array_ref const& index) {
  std::ptrdiff_t size = index.size();
  bool const enough = size >= machine::min_indirect_rows;
  for (int d = 1; d < base.rank; ++d) size *= base.extents[d];
  return enough && size >= machine::min_indirect;
}
/// Selects elements or rows for loops, which read them where they are unless they are few.
template <class Own, class T>
void run_selection(step_view const& s) {
  array_ref const &base = s.array(0), &index = s.array(1);
  indirect_array& elements = s.f.indirect(s.result(0));
  elements.bytes = 0;
  if (!is_read_in_place(base, index)) return run_own<Own, T, 3>(s);
  cpu::check_index(info<Own>.name, index, 0, base.extents[0]);
  elements = selected(base, index);
}
/// Leaves elements that depend on their positions alone to a loop, unless they are few.
template <class Own, class T, int Arrays>
void run_generation(step_view const& s) {
  array_ref const& target = s.target();
  indirect_array& elements = s.f.indirect(s.result(0));
  elements.bytes = 0;
  if (target.size() < machine::min_indirect) return run_own<Own, T, Arrays>(s);
  array_ref arrays[static_cast<std::size_t>(Arrays)];
  elements = kernel<Own>::made(s.call(arrays));
}
/// Whether arrays are joined by the loops that read them: they are not few elements.
inline bool is_left_to_loops(step_view const& s) {
  return s.target().size() >= machine::min_joined &&
         s.info.operand_count - 1 <= joined_arrays::most;
}
/// Leaves arrays that are joined to loops, which read them where they are unless they are few.
template <class Own, class T, int Arrays>
void run_join(step_view const& s) {
  left_to_loops& left = s.f.left(s.result(0));
  left = {is_left_to_loops(s) ? &s.info : nullptr, &run_own<Own, T, Arrays>};
  if (left.step == nullptr) left.run(s);
}
/// Lets the space of a loop have the indices in place of what it reads through them. `arrays` has
/// room for the operands.
template <class Space>
void read_through_indices(step_view const& s, Space& space, indirect_array const** arrays) {
  for (int k = 0; k < space.operands; ++k) {
    indirect_array const& elements = s.f.indirect(s.operand(k));
    arrays[k] = elements.bytes == 0 ? nullptr : &elements;
    if (arrays[k] == nullptr) continue;
    space.indirect = arrays;
    if (elements.behind > 0) space.behind = elements.behind;
    space.add(k, elements.index, space.rank);
  }
}
/// Whether a step of which a loop reads the result has been left to it.
inline bool has_steps_left(step_view const& s) {
  bool has = false;
  for (int k = 0; k < s.info.operand_count; ++k)
    has = has || s.f.left(s.operand(k)).step != nullptr;
  return has;
}
/// Finds the parts of a loop's space that read one array of each join. False if there is one part
/// alone, or if they are small, or take short rows apart.
inline bool find_parts(step_view const& s, loop_facts const& facts, space_parts& parts) {
  std::ptrdiff_t size = 1, least_row = machine::min_row_in_parts;
  for (int d = 0; d < s.info.space_rank; ++d) size *= s.f.extent(s.space(d));
  for (int k = 0; k < s.info.result_count; ++k)
    if (facts.result[k].reduction && !facts.result[k].along_rows)
      least_row = machine::min_added_row_in_parts;
  bool fits = true;
  for (int k = 0; k < s.info.operand_count; ++k) {
    step_info const* const step = s.f.left(s.operand(k)).step;
    if (step == nullptr) continue;
    step_view const join{s.f, *step};
    joined_arrays all{.operand = k,
                      .axis = static_cast<int>(join.attribute(0)),
                      .count = step->operand_count - 1};
    for (int i = 0; i < all.count; ++i) all.arrays[i] = &join.array(i + 1);
    fits = parts.add(all) && fits;
  }
  if (parts.takes_rows_apart() && s.f.extent(s.space(s.info.space_rank - 1)) < least_row)
    return false;
  return fits && parts.count() > 1 && parts.count() * machine::min_joined_part <= size;
}
/// Takes the steps that were left to a loop.
inline void take_steps_left(step_view const& s) {
  for (int k = 0; k < s.info.operand_count; ++k)
    if (left_to_loops& left = s.f.left(s.operand(k)); left.step != nullptr)
      left.run({s.f, *std::exchange(left.step, nullptr)});
}
template <class Kernel>
void run_indirect_loop(step_view const& s) {
  auto space = space_of<typename Kernel::space>(s, Kernel::facts);
  indirect_array const* arrays[static_cast<std::size_t>(Kernel::operands)];
  read_through_indices(s, space, arrays);
  if (!has_steps_left(s)) return Kernel::run(space);
  space_parts parts(space.rank, space.extents);
  if (find_parts(s, Kernel::facts, parts)) space.parts = &parts;
  else take_steps_left(s);
  Kernel::run(space);
}

/// Runs a scan whose body is a part of the program.
template <class Body>
void run_compiled_scan(step_view const& s);

/// The record of the op of a step.
template <class Program, int I>
inline constexpr auto const& info_of_step =
    *Program::value.ops[Program::steps[static_cast<std::size_t>(I)].op];

/// Whether the band of a step may lie by columns, for which a loop over matrices is compiled, too.
template <class Program>
constexpr bool goes_by_columns(step_info const& step) {
  return step.band >= 0 && step.space_rank == 2 &&
         Program::bands[static_cast<std::size_t>(step.band)].by_columns;
}

/// What a step does, on whatever values: equal steps of all programs share it. Unless `Indirect`,
/// it computes what a loop would read through indices, or make, for a loop that is not the CPU's.
using step_function = void (*)(step_view const&);
template <class Program, int I, bool Indirect = true>
constexpr step_function function_of_step() {
  constexpr step_info info = Program::steps[static_cast<std::size_t>(I)];
  constexpr bool is_indirect = Indirect && info.indirect;
  if constexpr (info.kind == step_kind::loop && is_indirect) {
    return &run_indirect_loop<loop_of<lift_t<Program, info.body>>>;
  } else if constexpr (is_indirect && info_of_step<Program, I>.generates) {
    return &run_generation<op_at<Program::value.ops[info.op]>, step_element<Program, info.first>,
                           info.operand_count + info.result_count>;
  } else if constexpr (is_indirect && info_of_step<Program, I>.concatenates) {
    return &run_join<op_at<Program::value.ops[info.op]>, step_element<Program, info.first>,
                     info.operand_count + info.result_count>;
  } else if constexpr (is_indirect) {
    return &run_selection<op_at<Program::value.ops[info.op]>, step_element<Program, info.first>>;
  } else if constexpr (info.kind == step_kind::loop) {
    return &run_loop<lift_t<Program, info.body>, info.space_rank, goes_by_columns<Program>(info)>;
  } else if constexpr (info.kind == step_kind::scan) {
    using body = typename freeze::program_of_body<Program, info.body>::type;
    if constexpr (is_scalar_program<body>()) return &scalar_scan<Program, I, body>::run;
    else if constexpr (is_direct_scan<body>())
      return &direct_scan<Program, I, body>::run;
    else return &run_compiled_scan<body>;
  } else if constexpr (info.checks) {
    return &run_indexed_rows<op_at<Program::value.ops[info.op]>, step_element<Program, info.first>,
                             info.operand_count + info.result_count>;
  } else if constexpr (info.kind == step_kind::own) {
    return &run_own<op_at<Program::value.ops[info.op]>, step_element<Program, info.first>,
                    info.operand_count + info.result_count>;
  } else {
    return &run_step_of<info.kind, step_element<Program, info.first>,
                        (factors_of(info.kind, info.operand_count) > 2), step_view>;
  }
}

/// Whether a step belongs to the prologue, or to what follows. Views that the prologue takes are
/// taken again, since parameters may lie elsewhere by then.
constexpr bool takes_part(step_info const& step, bool prologue) {
  return step.prologue == prologue || (step.prologue && is_view(step.kind));
}

/// Watches nothing. An observer is told of every step and takes it.
struct no_observer {
  template <class Step>
  KROTON_INLINE void step(frame&, int, Step const& take) const {
    take();
  }
};

/// The steps of a program as a list of functions that its calls go through: code for each of its
/// steps would cost the compiler more than the kernels, which equal steps share. Those of the
/// prologue have a list of their own, since not everyone who needs extents runs the rest.
template <class Target, class Program, bool Prologue, std::size_t I>
constexpr step_function listed_step() {
  if constexpr (takes_part(Program::steps[I], Prologue))
    return Target::template step<Program, static_cast<int>(I)>();
  else return nullptr;
}
template <class Target, class Program, bool Prologue, std::size_t... I>
constexpr auto list_steps(std::index_sequence<I...>) {
  return std::array<step_function, sizeof...(I)>{listed_step<Target, Program, Prologue, I>()...};
}
template <class Target, class Program, bool Prologue>
inline constexpr auto listed_steps =
    list_steps<Target, Program, Prologue>(std::make_index_sequence<Program::steps.size()>());

/// Takes a step, unless its guards say that this call does without it.
template <class Observer>
void take_step(frame& f, step_function const* functions, int s, Observer& observer) {
  step_info const& info = f.tables().steps[s];
  observer.step(f, s, [&] {
    if (info.guard_count == 0 || guards_hold(f, info)) functions[s]({f, info});
  });
}
/// The steps of a band for some rows after the other.
template <std::size_t Slices, class Observer>
void run_band(frame& f, step_function const* functions, int band, Observer& observer) {
  band_info const& info = f.tables().bands[band];
  bool moved = false;
  {
    band_walk<Slices> walk(f, band);
    moved = walk.is_parted();
    // Nothing is computed before all indices are known to be right.
    f.bands().now.checks = moved;
    for (int s = info.first; moved && s <= info.last; ++s)
      if (f.tables().steps[s].checks) functions[s]({f, f.tables().steps[s]});
    while (walk.next()) {
      band_layout<Slices> const layout(f, band);
      for (int s = info.first; s <= info.last; ++s) take_step(f, functions, s, observer);
      layout.store();
      moved = moved || layout.has_copies();
    }
  }
  // Views look into the last rows, or into copies; later steps may need them whole.
  if (!moved) return;
  no_observer nobody;
  for (int s = info.first; s <= info.last; ++s)
    if (is_view(f.tables().steps[s].kind)) take_step(f, functions, s, nobody);
}
/// The last step of the bundle that begins with a step, if it has been taken as one; -1 otherwise.
inline int run_bundle(frame& f, bundle_function const* bundles, int s) {
  for (int b = 0; b < f.tables().bundles.size(); ++b)
    if (f.tables().bundles[b].first == s && bundles[b](f, false)) return f.tables().bundles[b].last;
  return -1;
}
/// An observer sees every step, so they run one by one.
template <bool Prologue, std::size_t Slices, class Observer>
void run_list(frame& f, step_function const* functions,
              [[maybe_unused]] bundle_function const* bundles, Observer& observer) {
  for (int s = 0; s < f.tables().steps.size(); ++s) {
    step_info const& info = f.tables().steps[s];
    if constexpr (!Prologue && std::is_same_v<Observer, no_observer>)
      if (int const last = run_bundle(f, bundles, s); last >= 0) {
        s = last;
        continue;
      }
    if (info.band < 0) {
      if (takes_part(info, Prologue)) take_step(f, functions, s, observer);
    } else if (!Prologue && f.tables().bands[info.band].first == s) {
      run_band<Slices>(f, functions, info.band, observer);
    }
  }
}

template <class Program, bool Prologue, class Observer = no_observer>
void run_steps(frame& f, Observer&& observer = {}) {
  bundle_function const* bundles = nullptr;
  if constexpr (!Prologue && std::is_same_v<std::remove_cvref_t<Observer>, no_observer>)
    bundles = listed_bundles<Program>.data();
  run_list<Prologue, Program::slices.size()>(f, listed_steps<cpu::target, Program, Prologue>.data(),
                                             bundles, observer);
}

}  // namespace kroton::cpu
