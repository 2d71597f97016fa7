// Parts of arrays at an index to which each step adds the same: all of them are a range.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/progressions.hpp>
#include <kroton/ops/indexing.hpp>

namespace kroton::loops {

/// A node of a body that reads or writes a part of an array: along one axis the element at an index
/// that moves from step to step, along the others what is the same in all of them.
struct subscript {
  int node = -1, axis = -1;
  int index = -1;           // of the body
  linear_form counted{};    // the index, of which it is known that it is not counted from the end
  int operands = 1;         // before those of the selection
  bool is_checked = false;  // whether it is not known that the array is long enough
};

/// Finds such parts. `can_ask` says whether the steps may be asked for before the first one whether
/// an array is long enough for all.
class position_finder {
 public:
  constexpr position_finder(graph& around, loop_form& form, bool can_ask)
      : form_(form),
        positions_(around, form),
        bounds_(around, form.parts.steps),
        can_ask_(can_ask),
        always_(always_needed(form.body)) {}

  /// `array` is what an operand of the node, the constant or the state that it selects from, is
  /// around the loop. The axis is -1 where a node is none.
  constexpr subscript find(int node, int operands, int array) {
    graph& body = form_.body;
    subscript found{node, -1, -1, {}, operands};
    int next = operands;
    for (int d = 0; d < body.type(body.input_of(node, 0)).rank; ++d) {
      int const code = static_cast<int>(body.attribute(node, 2 * d));
      for (int k = 0; k < code; ++k, ++next) {
        int const operand = body.input_of(node, next);
        if (!positions_.varies(operand) && positions_.constant(operand) >= 0) continue;
        if (code != 1 || found.axis >= 0) return {};
        found.axis = d;
        found.index = operand;
      }
    }
    if (found.axis >= 0 && !is_within(found, array)) found.axis = -1;
    return found;
  }

 private:
  // What an index is in all steps: one that may be counted from the end of `count` elements is
  // where(i < 0, i + count, i).
  constexpr int from_start(int index, linear_form const& count) {
    graph const& body = form_.body;
    if (!body.is<op::where>(index) || !body.is<op::lt>(body.input_of(index, 0))) return index;
    int const asked = body.input_of(index, 0), start = body.input_of(index, 2);
    linear_form const form = linear_form_of(body, start);
    linear_form difference = linear_form_of(body, body.input_of(asked, 0));
    difference.add(linear_form_of(body, body.input_of(asked, 1)), -1);
    progression const at = positions_.of(form);
    progression rest = positions_.of(linear_form_of(body, body.input_of(index, 1)));
    rest.add(at, -1);
    rest.first.add(count, -1);
    bool const may_count_from_end = difference == form && rest.is_known && rest.stride == 0 &&
                                    bounds_.united(rest.first).is_number(0);
    if (!may_count_from_end) return index;
    linear_form below(-1);  // not negative where all are counted from the end
    below.add(at.first, -1);
    return bounds_.stays_natural(below, -at.stride) ? body.input_of(index, 1) : start;
  }
  constexpr bool is_within(subscript& part, int array) {
    graph& around = positions_.around();
    linear_form const count = linear_form_of(around, extent_node(around, array, part.axis));
    part.counted = linear_form_of(form_.body, from_start(part.index, count));
    progression const at = positions_.of(part.counted);
    if (!at.is_known || at.stride == 0 || !bounds_.stays_natural(at.first, at.stride)) return false;
    linear_form rest = count;
    rest.add(linear_form(-1));
    rest.add(at.first, -1);
    part.is_checked = !bounds_.stays_natural(rest, -at.stride);
    return !part.is_checked || (can_ask_ && always_[part.node]);
  }

  loop_form& form_;
  step_positions positions_;
  step_bounds bounds_;
  bool can_ask_;
  list<bool> always_;
};

/// What is selected for all steps, as operands and attributes of an op around the loop.
struct selected_range {
  list<int> operands{};
  list<long long> attributes{};
  int position = 0;  // of the axis of the steps among those of the part

  /// The part of a stack of the steps, whose first axis is that of the steps.
  constexpr term of_steps(term stack) const {
    list<int> pattern;
    for (int d = 1; d < stack.rank(); ++d) pattern.push_back(d);
    pattern.insert(position, 0);
    return permute(stack, pattern);
  }
  /// The same with the axis of the steps first.
  constexpr term by_steps(term part) const {
    list<int> pattern{position};
    for (int d = 0; d < part.rank(); ++d)
      if (d != position) pattern.push_back(d);
    return permute(part, pattern);
  }
};

/// What a subscript selects at `count` positions from `first` on.
constexpr selected_range range_of(step_positions& positions, subscript const& part,
                                  linear_form const& first, term count) {
  graph const& body = positions.form().body;
  selected_range range;
  int next = part.operands;
  for (int d = 0; d < body[part.node].attribute_count / 2; ++d) {
    int const code = static_cast<int>(body.attribute(part.node, 2 * d));
    range.position += d < part.axis && code != 1 ? 1 : 0;
    if (d == part.axis) {
      range.operands.push_back(recorded(positions.around(), first).id);
      range.operands.push_back(count.id);
    } else {
      for (int k = 0; k < code; ++k)
        range.operands.push_back(positions.constant(body.input_of(part.node, next + k)));
    }
    range.attributes.push_back(d == part.axis ? 2 : code);
    range.attributes.push_back(d == part.axis ? positions.of(part.counted).stride
                                              : body.attribute(part.node, 2 * d + 1));
    next += code;
  }
  return range;
}
constexpr selected_range range_of_steps(step_positions& positions, subscript const& part) {
  return range_of(positions, part, positions.of(part.counted).first,
                  {&positions.around(), positions.form().parts.steps});
}
/// What is read there of an array, by steps.
constexpr term read_at_once(term array, selected_range const& range) {
  list<int> operands{array.id};
  for (int operand : range.operands) operands.push_back(operand);
  graph& g = *array.of;
  return range.by_steps({&g, g.apply(identity<op::subtensor>(), operands, range.attributes)});
}

/// Takes out of a body that an index is within its array.
constexpr void drop_condition(loop_form& form, subscript const& part) {
  graph& body = form.body;
  int const count = extent_node(body, body.input_of(part.node, 0), part.axis);
  auto& all = body.constraints();
  for (int k = all.size() - 1; k >= 0; --k)
    if (all[k].kind == condition::index && all[k].left == part.index && all[k].right == count)
      all.erase(k);
}

/// What has to be asked around a loop of an array that may not have elements for all of its steps;
/// the error is that of the step that would find none.
constexpr list<core::extent_constraint> condition_on_elements(step_positions& positions,
                                                              subscript const& part, int array) {
  graph& g = positions.around();
  progression const at = positions.of(part.counted);
  term const first = recorded(g, at.first), steps{&g, positions.form().parts.steps},
             count{&g, extent_node(g, array, part.axis)}, zero = integer(g, 0);
  // The steps that find one. A loop that goes backwards begins behind the end, or never reads there
  term fit = call<op::where>(call<op::lt>(first, count), steps, zero);
  if (at.stride > 0) {
    term const behind = count - first;
    fit = call<op::maximum>(
        at.stride == 1 ? behind
                       : call<op::floordiv>(behind + (at.stride - 1), integer(g, at.stride)),
        zero);
  }
  op_info const* const op = identity<op::subtensor>();
  return {{fit.id, steps.id, op, condition::at_least},
          {(first + fit * at.stride).id, count.id, op, condition::note}};
}

}  // namespace kroton::loops
