// The run-time part of a plan: extents, checks and memory of one call, driven by the program's
// tables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/call/bands/state.hpp>
#include <kroton/cpu/call/conditions.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/cpu/call/step_observer.hpp>
#include <kroton/cpu/op/choice.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace kroton::cpu {

/// Room for a scalar of any type: only complex128 needs the second word.
struct scalar_words {
  std::int64_t first = 0, second = 0;
};

template <class Target, class Value>
class output_slot;

struct step_view;
/// A step that a call has not taken, since loops may do without it, and how it is taken.
struct left_to_loops {
  step_info const* step = nullptr;
  void (*run)(step_view const&) = nullptr;
};

/// The values of one call, and the arena that outlives it. One thread at a time.
class frame {
 public:
  /// How an output gets to its target.
  template <class Target, class Value>
  using slot = output_slot<Target, Value>;

  explicit frame(program_tables const& tables)
      : tables_(&tables),
        values_(static_cast<std::size_t>(tables.values.size())),
        extents_(static_cast<std::size_t>(tables.extents.size())),
        scalars_(static_cast<std::size_t>(tables.values.size())) {
    for (std::size_t v = 0; v < values_.size(); ++v) {
      value_info const& info = tables.values[v];
      values_[v].rank = info.rank;
      values_[v].bytes = bytes_of(info.type);
      if (info.rank == 0) values_[v].data = reinterpret_cast<std::byte*>(&scalars_[v].first);
      if (info.where == storage::literal) store_literal(v, info);
      if (info.companion >= 0) companions_.push_back(static_cast<int>(v));
    }
  }

  array_ref& value(int v) { return values_[static_cast<std::size_t>(v)]; }
  array_ref const* values() const { return values_.data(); }
  std::ptrdiff_t extent(int e) const {
    return core::as_extent(extents_[static_cast<std::size_t>(e)]);
  }
  program_tables const& tables() const { return *tables_; }

  /// Binds a parameter to the data of this call.
  void bind(int parameter, array_ref const& given) {
    array_ref& value = values_[static_cast<std::size_t>(parameter)];
    value.data = given.data;
    for (int d = 0; d < given.rank; ++d) {  // the caller's rank is a constant for the compiler
      if (value.extents[d] != given.extents[d]) laid_out_ = false;
      value.extents[d] = given.extents[d];
      value.strides[d] = given.strides[d];
    }
  }
  /// Whether lay_out has checked and laid out these extents of the parameters.
  bool is_laid_out() const { return laid_out_; }

  /// After the parameters are bound: reads the extents that need no computation. The prologue
  /// computes the others.
  void read_extents() {
    for (std::size_t e = 0; e < extents_.size(); ++e) {
      planned_extent const& from = tables_->extents[e];
      bool const is_given =
          from.from == planned_extent::value &&
          tables_->values[static_cast<int>(from.which)].where == storage::parameter;
      extents_[e] = from.from == planned_extent::number ? from.which
                    : from.from == planned_extent::parameter
                        ? values_[static_cast<std::size_t>(from.which)].extents[from.axis]
                    : is_given ? computed_extent(static_cast<int>(from.which))
                               : not_computed;
    }
    for (auto const& c : tables_->constraints)
      for (int v : {c.left, c.right})
        if (is_computed(v)) {
          auto& own = scalars_[static_cast<std::size_t>(v)].first;
          own = not_computed;
          // A view looks elsewhere when it is taken
          values_[static_cast<std::size_t>(v)].data = reinterpret_cast<std::byte*>(&own);
        }
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (tables_->values[v].where == storage::extent)
        scalars_[v].first = extents_[static_cast<std::size_t>(tables_->values[v].detail)];
  }
  /// Runs the steps of the prologue, which compute further extents: `run` calls the observer that
  /// it receives with each step.
  template <class Run>
  void find_extents(Run run) {
    read_extents();
    in_prologue_ = true;
    run(prologue{*this});
    in_prologue_ = false;
  }
  bool is_in_prologue() const { return in_prologue_; }
  /// Then checks every condition and lays out memory.
  void lay_out() {
    place(arena_.room(measure(memory_of_machine())));
    has_been_laid_out();
  }
  void has_been_laid_out() { laid_out_ = true; }
  /// The first half of lay_out, for an arena elsewhere: returns its size in bytes, of which
  /// `memory` is the limit.
  std::size_t measure(std::size_t memory) {
    check_declared();
    for (int c = 0; c < tables_->constraints.size(); ++c) conditions().check(c);
    check_signs();
    check_counts();
    std::vector<std::size_t>& sizes = slot_sizes_;
    sizes.assign(static_cast<std::size_t>(tables_->slots), 0);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      value_info const& info = tables_->values[v];
      if (info.where == storage::buffer ||
          (info.where == storage::parameter && static_cast<int>(v) >= tables_->parameters.size()))
        shape(static_cast<int>(v));
    }
    bands_.find_rows(*tables_, [this](int e) { return extent(e); });
    for (auto const& s : tables_->slices)
      if (s.local) {
        array_ref& a = value(s.value);
        a.extents[s.axis] = bands_.rows(s.band);
        a.make_contiguous_strides();
      }
    for (std::size_t v = 0; v < values_.size(); ++v) {
      value_info const& info = tables_->values[v];
      if (info.slot < 0) continue;
      array_ref const& a = values_[v];
      auto& size = sizes[static_cast<std::size_t>(info.slot)];
      size = std::max(size, (bytes_that_fit(a, memory) + 63) / 64 * 64);
    }
    std::size_t total = 0;
    for (auto& size : sizes) {
      total += std::exchange(size, total);
      if (total > memory) refuse_memory(total);
    }
    return total;
  }
  /// The second half: assigns the values of the arena their addresses.
  void place(std::byte* arena) {
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (tables_->values[v].slot >= 0)
        values_[v].data = arena + slot_sizes_[static_cast<std::size_t>(tables_->values[v].slot)];
  }

  band_state& bands() { return bands_; }
  /// Whether bands go through some rows at a time; see band_state.
  void part_bands(bool in_parts) { laid_out_ = !bands_.part(in_parts) && laid_out_; }

  /// After outputs have been assigned their memory: values that are computed where others come to
  /// lie are stored there, too.
  void join_companions() {
    for (int const v : companions_) {
      int last = v;
      while (tables_->values[last].companion >= 0) last = tables_->values[last].companion;
      value(v).data = value(last).data;
    }
  }

  std::int64_t integer(int v) const { return conditions().integer(v); }
  /// A scalar as double, whatever its floating-point type.
  double real(int v) const {
    array_ref const& a = values_[static_cast<std::size_t>(v)];
    if (a.bytes == 4) {
      float f = 0;
      std::memcpy(&f, a.data, sizeof(f));
      return f;
    }
    double d = 0;
    std::memcpy(&d, a.data, sizeof(d));
    return d;
  }
  /// Memory of a value that is stored nowhere else: a reshape of data that is not contiguous.
  std::byte* extra(int v, std::size_t bytes) {
    if (extra_.size() < values_.size()) extra_.resize(values_.size());
    return extra_[static_cast<std::size_t>(v)].room(bytes);
  }
  /// What is read in place of a value, see plan/indirect.hpp.
  indirect_array& indirect(int v) {
    if (indirect_.empty()) indirect_.resize(values_.size());
    return indirect_[static_cast<std::size_t>(v)];
  }
  /// The step that has not been taken to compute a value.
  left_to_loops& left(int v) {
    if (left_.empty()) left_.resize(values_.size());
    return left_[static_cast<std::size_t>(v)];
  }
  /// Memory for the duration of one step.
  std::byte* scratch(std::size_t bytes) { return scratch_.room(bytes); }
  /// The choice of a step for the extents of an earlier call; see cpu/op/choice.hpp.
  kept_choice& kept(std::size_t step) {
    if (choices_.empty()) choices_.resize(static_cast<std::size_t>(tables_->steps.size()));
    return choices_[step];
  }
  /// Who watches the steps; null for nobody.
  step_observer* observer() const { return observer_; }
  void observe(step_observer* by) { observer_ = by; }

 private:
  // Observes the steps of a prologue.
  struct prologue {
    frame& of;
    template <class Step>
    void step(frame&, int number, Step const& take) const {
      step_info const& info = of.tables_->steps[number];
      bool const scalars = info.kind == step_kind::loop && info.space_rank == 0;
      if (!scalars) of.make_room(info);
      take();
      of.take_extents(info);
    }
  };
  int result(step_info const& step, int k) const {
    return static_cast<int>(tables_->pool[step.first + step.operand_count + k]);
  }
  // Before a step of the prologue that computes more than scalars: checks that its operands match,
  // as far as extents are known, and allocates separate memory for its results.
  void make_room(step_info const& step) {
    check_declared();
    for (int c = 0; c < tables_->constraints.size(); ++c)
      if (is_known_condition(c)) conditions().check(c);
    check_signs();
    for (int k = 0; k < step.result_count; ++k) {
      int const v = result(step, k);
      if (v < 0 || tables_->values[v].where != storage::early) continue;
      check_count(v);
      array_ref& a = shape(v);
      a.data = extra(v, bytes_that_fit(a));
    }
  }
  void take_extents(step_info const& step) {
    for (int k = 0; k < step.result_count; ++k)
      for (std::size_t e = 0; e < extents_.size(); ++e) {
        planned_extent const& from = tables_->extents[e];
        if (from.from == planned_extent::value && from.which == result(step, k))
          extents_[e] = computed_extent(result(step, k));
      }
  }
  static constexpr std::int64_t not_computed = std::numeric_limits<std::int64_t>::min();
  // Whether a scalar in a condition is one that a step computes.
  bool is_computed(int v) const {
    return tables_->values[v].where == storage::scalar || tables_->values[v].where == storage::view;
  }
  bool is_known(int v) const { return !is_computed(v) || integer(v) != not_computed; }
  bool is_known_condition(int c) const {
    items<constraint_info> const& all = tables_->constraints;
    std::size_t const first = static_cast<std::size_t>(c),
                      entries = all[c].kind == condition::count ? entries_of_count(all, first) : 1;
    for (int k = c; k < c + static_cast<int>(entries); ++k)
      if (!is_known(all[k].left) || !is_known(all[k].right)) return false;
    return true;
  }
  // No extent is taken for one that is still to be computed: both numbers are refused alike.
  std::int64_t computed_extent(int v) const { return std::max(integer(v), not_computed + 1); }
  call_conditions conditions() const { return {*tables_, values_.data()}; }
  // Sets the extents of a contiguous value.
  array_ref& shape(int v) {
    array_ref& a = values_[static_cast<std::size_t>(v)];
    for (int d = 0; d < a.rank; ++d)
      a.extents[d] = extent(tables_->values[v].extents[d]);
    a.make_contiguous_strides();
    return a;
  }
  void store_literal(std::size_t v, value_info const& info) {
    scalars_[v].first = stored_bits(info.detail, info.type);
  }
  void check_signs() const {
    for (std::int64_t e : extents_)
      if (e < 0 && e != not_computed)
        throw shape_error(
            message({"an extent is negative: ", e, " (the -1 of reshape must be a literal)"}));
  }
  // Checks the number of elements of every value and every loop, even of loops that store none of
  // them.
  void check_counts() const {
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (values_[v].rank > 0) check_count(static_cast<int>(v));
    for (step_info const& step : tables_->steps) {
      if (step.kind != step_kind::loop || step.space_rank < 2) continue;
      std::ptrdiff_t extents[max_rank + 1];
      for (int d = 0; d < step.space_rank; ++d)
        extents[d] = extent(static_cast<int>(
            tables_->pool[step.first + step.operand_count + step.result_count + d]));
      require_count(extents, step.space_rank, 1);
    }
  }
  void check_count(int v) const {
    array_ref const& a = values_[static_cast<std::size_t>(v)];
    value_info const& info = tables_->values[v];
    if (info.where == storage::grown) return;
    std::ptrdiff_t extents[max_rank];
    for (int d = 0; d < a.rank; ++d)
      extents[d] = v < tables_->parameters.size() ? a.extents[d] : extent(info.extents[d]);
    require_count(extents, a.rank, a.bytes);
  }
  // Checks the extents that rows and columns declare; the type of the expression depends on them.
  void check_declared() const {
    for (std::size_t p = 0; parameter_info const& declared : tables_->parameters) {
      for (int d = 0; d < declared.type.rank; ++d)
        if (declared.type.broadcasts(d) && values_[p].extents[d] != 1)
          throw shape_error(message({"extent ", d, " of ", describe_parameter(declared), " is ",
                                     values_[p].extents[d], ", but it must be 1"}));
      ++p;
    }
  }
  program_tables const* tables_;
  std::vector<array_ref> values_;
  std::vector<std::int64_t> extents_;
  std::vector<scalar_words> scalars_;
  std::vector<std::size_t> slot_sizes_;
  memory_block arena_;
  bool laid_out_ = false, in_prologue_ = false;
  band_state bands_;
  std::vector<int> companions_;
  std::vector<memory_block> extra_;
  memory_block scratch_;
  std::vector<indirect_array> indirect_;
  std::vector<left_to_loops> left_;
  std::vector<kept_choice> choices_;
  step_observer* observer_ = nullptr;
};

}  // namespace kroton::cpu
