// A plan as tables: what is left of it for calls, whoever runs it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/plan/storage.hpp>

#include <string_view>

namespace kroton::plan {

// Each entry lists its fields once, for those who write them as words and those who read them.

/// A value of a program, as the running function sees it.
struct value_info {
  storage where = storage::buffer;
  element type = element::float64;
  int rank = 0;
  int extents[max_rank]{};  // numbers in the table of extents
  long long detail = 0;     // see planned_value
  int slot = -1;            // in the arena
  int output = -1;          // in whose memory it is computed
  int companion = -1;       // a value that takes its place

  /// Whether it is a view of a value.
  constexpr bool shows(int base) const { return where == storage::view && detail == base; }

  template <class Self, class Each>
  static constexpr void fields(Self& v, Each& each) {
    each(v.where, v.type, v.rank, v.detail, v.slot, v.output, v.companion);
    for (auto& extent : v.extents) each(extent);
  }
};

/// A step of a program.
struct step_info {
  step_kind kind = step_kind::loop;
  bool prologue = false;
  int body = 0;  // the word at which that of a loop is frozen; the number of that of a scan
  int operand_count = 0, result_count = 0, space_rank = 0, attribute_count = 0;
  int first = 0;  // operands, results, space, attributes and guards stand here in the pool
  int op = 0;     // number of the op of a step that is not a loop
  int guard_count = 0;  // after the attributes: conditions without which the step is not taken
  int band = -1;
  bool gathers = false;
  bool indirect = false;  // see plan/indirect.hpp
  bool checks = false;    // see planned_step

  template <class Self, class Each>
  static constexpr void fields(Self& s, Each& each) {
    each(s.kind, s.prologue, s.body, s.operand_count, s.result_count, s.space_rank,
         s.attribute_count, s.first, s.op, s.guard_count, s.band, s.gathers, s.indirect,
         s.checks);
  }
};

/// A band of a program: its steps, and the number of the extent that is taken in parts.
struct band_info {
  int first = 0, last = 0, rows = 0;
  // Whether its matrices may lie by columns: there are only loops over them and their columns
  bool by_columns = false;

  template <class Self, class Each>
  static constexpr void fields(Self& b, Each& each) {
    each(b.first, b.last, b.rows, b.by_columns);
  }
};

/// A bundle of a program: its steps, the number of the extent that has to be short, and the axis of
/// its larger space that has it, counted from the last. From `facts` on, the pool says of each of
/// its loops whether that has the axis, and of each of its results whether nothing else reads it.
struct bundle_info {
  int first = 0, last = 0, extent = 0, axis_from_last = 0, facts = 0;

  template <class Self, class Each>
  static constexpr void fields(Self& b, Each& each) {
    each(b.first, b.last, b.extent, b.axis_from_last, b.facts);
  }
};

/// A condition on two int64 scalars, and the name of the op that asks for it.
struct constraint_info {
  int left = 0, right = 0;
  condition kind = condition::equal;
  // Whether the op repeats operands along axes of which its types tell that they have one element
  bool broadcasts = false;
  std::string_view op;
};

/// A parameter of a function, or of the body of a loop: then it is one from outside of the body, an
/// element of a sequence, a state, or something that is computed outside.
struct parameter_info {
  enum class role : std::uint8_t { own, element, state, computed };

  tensor_type type{};
  role is = role::own;
  // Which parameter of the function it is, or is an element of, or starts as; -1: none
  int number = -1;
  std::string_view name;  // of that one

  template <class Self, class Each>
  static constexpr void fields(Self& p, Each& each) {
    each(p.type.element, p.type.rank, p.type.broadcast, p.is, p.number);
  }
};

/// What the parameters of a loop's body are, from those of the graph that has the loop.
constexpr list<parameter_info> parameters_of_body(graph const& g, int scan,
                                                  list<parameter_info> const& outside) {
  ops::scan_layout const at = ops::layout_of(g, scan);
  list<parameter_info> all;
  for (int p = 0; p < at.inputs(); ++p) {
    bool const is_constant = p >= at.non_sequence_input(0), is_element = p < at.sequences();
    int from = g.input_of(scan, ops::operand_of_input(at, p).operand);
    // The rows that taps leave
    while (is_element && g.is<op::subtensor>(from) &&
           g.type(g.input_of(from, 0)).rank == g.type(from).rank)
      from = g.input_of(from, 0);
    parameter_info is;
    is.is = is_constant  ? parameter_info::role::computed
            : is_element ? parameter_info::role::element
                         : parameter_info::role::state;
    for (int q = 0; q < g.parameters().size(); ++q) {
      parameter_info const& of = outside[q];
      if (g.parameters()[q] != from) continue;
      if (!is_constant && of.is != parameter_info::role::own) continue;
      is.number = of.number;
      is.name = of.name;
      if (is_constant) is.is = of.is;
    }
    all.push_back(is);
  }
  return all;
}

/// The tables of a program without its type.
struct program_tables {
  items<value_info> values;
  items<step_info> steps;
  items<long long> pool;  // what differs in number from step to step
  items<planned_extent> extents;
  items<constraint_info> constraints;
  items<planned_update> updates;
  items<parameter_info> parameters;
  items<band_info> bands;
  items<planned_slice> slices;
  items<bundle_info> bundles;
  int slots = 0;
};

/// The same, made from a plan. Conditions keep their ops, and steps are those of the plan: whoever
/// takes the tables says how ops and bodies are found.
class tabulation {
 public:
  constexpr tabulation(graph const& g, planner const& plan, storage_plan const& memory) {
    tabulate_values(plan, memory);
    for (planned_step const& step : plan.steps) tabulate_step(g, step);
    for (extent_constraint const& c : g.constraints())
      constraints.push_back({plan.value_of[c.left], plan.value_of[c.right], c.op, c.kind});
    for (int id : g.results()) outputs.push_back(plan.value_of[id]);
    for (int id : g.parameters())
      parameters.push_back(
          {g.type(id), parameter_info::role::own, parameters.size(), g.name(id)});
    extents = plan.extents;
    updates = memory.updates;
    slices = memory.slices;
    for (planned_band const& b : plan.bands)
      bands.push_back({b.first, b.last, b.extent, may_lie_by_columns(b, bands.size())});
    for (planned_bundle const& b : plan.bundles) tabulate_bundle(plan, b);
    slots = memory.slot_count;
  }

  list<value_info> values{};
  list<step_info> steps{};
  list<long long> pool{};
  list<planned_extent> extents{};
  list<extent_constraint> constraints{};  // about values
  list<int> outputs{};
  list<planned_update> updates{};
  /// Says that the graph is the body of a loop with such parameters.
  constexpr void be_body(list<parameter_info> const& of_body) {
    for (int p = 0; p < parameters.size(); ++p) {
      tensor_type const type = parameters[p].type;
      parameters[p] = of_body[p];
      parameters[p].type = type;
    }
  }

  list<parameter_info> parameters{};
  list<band_info> bands{};
  list<planned_slice> slices{};
  list<bundle_info> bundles{};
  int slots = 0;

  /// Every step takes all rows.
  constexpr void leave_bands() {
    bands.clear();
    slices.clear();
    for (step_info& step : steps) step.band = -1, step.gathers = step.checks = false;
  }

 private:
  constexpr bool may_lie_by_columns(planned_band const& band, int number) const {
    int loops = 0;  // one alone takes less than to select columns, and to add to them
    bool checks = false;
    for (int s = band.first; s <= band.last; ++s) {
      step_info const& step = steps[s];
      checks = checks || step.checks;
      loops += step.kind == step_kind::loop && step.space_rank == 2 ? 1 : 0;
      bool const is_plain_loop =
          step.kind == step_kind::loop && step.space_rank <= 2 && !step.indirect;
      if (!is_plain_loop && !step.checks && !adds_to_part(step) &&
          step.kind != step_kind::dimshuffle)
        return false;
    }
    for (planned_slice const& slice : slices)
      if (slice.band == number && (slice.axis != 0 || values[slice.value].rank > 2)) return false;
    return !checks || loops > 1;
  }
  constexpr void tabulate_values(planner const& plan, storage_plan const& memory) {
    values.reserve(plan.values.size());
    for (int v = 0; v < plan.values.size(); ++v) {
      planned_value const& value = plan.values[v];
      value_info info{value.where, value.type.element, value.type.rank};
      for (int d = 0; d < value.extents.size(); ++d) info.extents[d] = value.extents[d];
      info.detail = value.detail;
      info.slot = memory.slots[v];
      info.output = memory.outputs[v];
      info.companion = value.where == storage::view ? -1 : memory.companions[v];
      values.push_back(info);
    }
  }
  constexpr void tabulate_bundle(planner const& plan, planned_bundle const& b) {
    bundles.push_back({b.first, b.last, b.extent, b.axis_from_last, pool.size()});
    for (int s = b.first; s <= b.last; ++s) {
      planned_step const& step = plan.steps[s];
      if (step.kind != step_kind::loop) continue;
      pool.push_back(b.has_axis(step));
      for (int v : step.results)
        pool.push_back(plan.values[v].where == storage::buffer && values[v].output < 0 &&
                       plan.values[v].last_read <= b.last);
    }
  }
  constexpr void tabulate_step(graph const& g, planned_step const& step) {
    bool const is_loop = step.kind == step_kind::loop;
    items<long long> attributes{};
    if (places_part(step.kind)) attributes = {step.attributes.data(), step.attributes.size()};
    else if (!is_loop) attributes = g.attributes(step.node);
    step_info info{step.kind, step.prologue};
    info.operand_count = step.operands.size();
    info.result_count = step.results.size();
    info.space_rank = step.space.size();
    info.attribute_count = attributes.size();
    info.guard_count = step.guards.size();
    info.first = pool.size();
    info.band = step.band;
    info.gathers = step.gathers;
    info.indirect = step.indirect;
    info.checks = step.checks;
    for (int v : step.operands) pool.push_back(v);
    for (int v : step.results) pool.push_back(v);
    for (int e : step.space) pool.push_back(e);
    for (long long a : attributes) pool.push_back(a);
    for (int guard : step.guards) pool.push_back(guard);
    steps.push_back(info);
  }
};

/// A condition as calls see it.
constexpr constraint_info described(extent_constraint const& c) {
  return {c.left, c.right, c.kind, repeats_operands(c.op), c.op->name};
}

}  // namespace kroton::plan
