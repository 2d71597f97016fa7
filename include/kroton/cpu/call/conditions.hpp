// The conditions of a program on extents, checked for the extents of one call, and the errors if
// they do not hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>
#include <kroton/core/capacity.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/call/tables.hpp>
#include <kroton/ops/signal/windows.hpp>

#include <string>

namespace kroton::cpu {

/// The entries of a condition on a number of elements, from its first one on.
template <class Constraints>
constexpr std::size_t entries_of_count(Constraints const& all, std::size_t first) {
  std::size_t count = 1;
  for (; first + count < static_cast<std::size_t>(all.size()); ++count)
    if (condition const kind = all[first + count].kind;
        kind != condition::extent && kind != condition::factor)
      break;
  return count;
}

/// The conditions, and the scalars of a call that they refer to.
struct call_conditions {
  program_tables const& tables;
  array_ref const* values;

  std::int64_t integer(int v) const {
    std::int64_t i = 0;
    std::memcpy(&i, values[v].data, sizeof(i));
    return i;
  }
  /// Throws kt::shape_error or kt::value_error if condition number `at` does not hold.
  void check(int at) const {
    constraint_info const& c = tables.constraints[at];
    std::int64_t const left = integer(c.left), right = integer(c.right);
    switch (c.kind) {
      case condition::equal: return left == right ? void() : refuse(at, left, right);
      case condition::index: return left >= 0 && left < right ? void() : refuse_index(at);
      case condition::at_least: return left >= right ? void() : refuse_fewer(at, left, right);
      case condition::count: return check_count(at);
      default: return;
    }
  }

 private:
  int size() const { return tables.constraints.size(); }
  void check_count(int at) const {
    shape_count count;
    int const end =
        at + static_cast<int>(entries_of_count(tables.constraints, static_cast<std::size_t>(at)));
    for (int k = at; k < end; ++k)
      count.take(integer(tables.constraints[k].left),
                 tables.constraints[k].kind == condition::factor);
    if (!count.fits()) refuse_count(at, end);
  }
  [[noreturn, gnu::cold]] void refuse_count(int at, int end) const {
    std::string shape;
    std::int64_t extent = 1;
    for (int k = at; k < end; ++k) {
      bool const is_factor = tables.constraints[k].kind == condition::factor;
      std::int64_t const factor = integer(tables.constraints[k].left);
      bool const overflows = __builtin_mul_overflow(is_factor ? extent : 1, factor, &extent);
      bool const is_last = k + 1 == end || tables.constraints[k + 1].kind != condition::factor;
      if (is_last && !overflows && extent < 0)
        throw shape_error(message({tables.constraints[at].op, ": an extent is negative: ", extent,
                                   " (the -1 of reshape must be a literal)"}));
      shape += message({is_factor ? " * " : k == at ? "" : ", ", factor});
    }
    throw shape_error(message({tables.constraints[at].op, ": a result of shape (", shape,
                               ") has more elements than an array can have"}));
  }
  // The extent of a parameter that a scalar in a condition is; null where it is none.
  planned_extent const* extent_of_parameter(int v) const {
    value_info const& info = tables.values[v];
    if (info.where != storage::extent) return nullptr;
    planned_extent const& e = tables.extents[static_cast<int>(info.detail)];
    return e.from == planned_extent::parameter ? &e : nullptr;
  }
  [[gnu::cold]] std::string name_of_parameter(planned_extent const& e) const {
    return describe_parameter(tables.parameters[static_cast<std::size_t>(e.which)]);
  }
  // What to write for an extent of 1 that was meant to be repeated.
  [[gnu::cold]] std::string how_to_broadcast(int v) const {
    planned_extent const* const e = extent_of_parameter(v);
    std::string const rule = "; an extent of 1 broadcasts only where the type says so: ";
    if (e == nullptr || tables.parameters[static_cast<std::size_t>(e->which)].type.rank != 2)
      return rule + "kt::newaxis, kt::keepdims, kt::row, kt::col";
    return message(
        {rule, "declare ", name_of_parameter(*e), " as a ", e->axis == 0 ? "kt::row" : "kt::col"});
  }
  // What an extent in a condition is, in words: `extent 1 of parameter 1 (dmatrix) is 3`.
  [[gnu::cold]] std::string describe(int v) const {
    value_info const& info = tables.values[v];
    if (planned_extent const* const e = extent_of_parameter(v))
      return message({"extent ", e->axis, " of ", name_of_parameter(*e), " is ", integer(v)});
    return message(
        {info.where == storage::literal ? "it must be " : "a computed extent is ", integer(v)});
  }
  bool has_note(int at) const {
    return at + 1 < size() && tables.constraints[at + 1].kind == condition::note;
  }
  // The entry with what condition number `at` compares: its note if it asks of what `where` has
  // chosen, as a condition of a loop's steps does that is asked before the loop.
  constraint_info const& compared(int at) const {
    bool const is_chosen = has_note(at) && tables.constraints[at + 1].op == "where";
    return tables.constraints[is_chosen ? at + 1 : at];
  }
  // A shape in the notes after condition number `at`: the operand's, or the one asked for.
  [[gnu::cold]] std::string noted_shape(int at, int which) const {
    std::string text;
    for (++at; at < size() && tables.constraints[at].kind == condition::note; ++at) {
      constraint_info const& c = tables.constraints[at];
      if (integer(c.right) == which) text += message({text.empty() ? "" : ", ", integer(c.left)});
    }
    return message({"(", text, ")"});
  }
  [[noreturn, gnu::cold]] void refuse_index(int at) const {
    constraint_info const& c = compared(at);
    std::string_view const op = tables.constraints[at].op;
    if (op.ends_with("max") || op.ends_with("min"))
      throw value_error(message({op, " of no elements: ", describe(c.right)}));
    if (op == "sparse_extremum")
      throw value_error(message(
          {"max, min, argmax or argmin of no elements of a sparse matrix: ", describe(c.right)}));
    if (op.find("dft") != std::string_view::npos)
      throw value_error(message({op, " needs at least one element: ", describe(c.right)}));
    if (op == "kron" || op == "sparse_lines")
      throw value_error(message({op, ": int32 cannot count the values or columns of the result: ",
                                 integer(c.left)}));
    throw value_error(misses_element(c));
  }
  // Of an index and an extent; a negative index was counted from the end.
  [[gnu::cold]] std::string misses_element(constraint_info const& c) const {
    std::int64_t const index = integer(c.left),
                       given = index < 0 ? index - integer(c.right) : index;
    return message({"index ", given, " is out of range: ", describe(c.right)});
  }
  // Of windows that move over images: the notes are the shapes of both, and what is required.
  [[gnu::cold]] void refuse_windows(int at, std::int64_t left, std::int64_t right) const {
    constraint_info const& c = tables.constraints[at];
    if (!ops::requires_window(c.op)) return;
    auto const which = static_cast<ops::window_condition>(integer(tables.constraints[at + 1].left));
    std::string const filters = noted_shape(at, 1);
    std::string text = message({c.op, ": images of shape ", noted_shape(at, 0)});
    if (filters != "()") text += " and filters of shape " + filters;
    switch (which) {
      case ops::window_condition::fit:
        throw shape_error(message({text, ": a window of ", right, " elements on an axis of ", left,
                                   ", padding included"}));
      case ops::window_condition::channels:
        throw shape_error(
            message({text, ": the images have ", left, " channels, but the filters need ", right}));
      case ops::window_condition::groups:
        throw shape_error(
            message({text, ": ", right, " filters in groups of the same size would be ", left}));
      case ops::window_condition::size:
        throw shape_error(message({text, ": an extent of the images is ", left,
                                   ", but the requested size makes it ", right}));
      case ops::window_condition::elements:
        throw shape_error(message({text, ": a window of the padding alone has no elements"}));
    }
  }
  // Of a loop: the number of steps is negative, a sequence is too short for it, or a start for the
  // taps of its state.
  [[noreturn, gnu::cold]] void refuse_fewer(int at, std::int64_t left, std::int64_t right) const {
    constraint_info const& c = tables.constraints[at];
    refuse_windows(at, left, right);
    // Of a loop whose steps read elements of an array: how many of them find theirs.
    if (c.op == "subtensor" && has_note(at))
      throw value_error(
          message({"step ", left, " of a scan: ", misses_element(tables.constraints[at + 1])}));
    if (c.op != "scan")
      throw shape_error(message({c.op, ": ", describe(compared(at).left), ", but at least ", right,
                                 right == 1 ? " is needed" : " are needed"}));
    auto counted = [](std::int64_t n, char const* what) {
      return message({n, " ", what, n == 1 ? "" : "s"});
    };
    if (!has_note(at))
      throw value_error(message({c.op, ": n_steps is ", left, ", but must not be negative"}));
    std::string const where = extent_of_parameter(c.left) ? ": " + describe(c.left) : "";
    if (std::int64_t const reader = integer(tables.constraints[at + 1].left); reader > 0)
      throw shape_error(message({c.op, ": n_steps is ", right,
                                 ", but the sequence of the body's "
                                 "parameter ",
                                 reader, " has elements for ", counted(left, "step"), where}));
    else if (reader < 0)
      throw shape_error(message({c.op, ": the taps of a sequence, of which parameter ", -reader,
                                 " of the body is the first, need ", counted(right, "element"),
                                 " besides those of a step, but it has ", left, where}));
    throw shape_error(message({c.op, ": a start has ", counted(left, "row"),
                               ", but the taps of its state need ", right, where}));
  }
  [[noreturn, gnu::cold]] void refuse(int at, std::int64_t left, std::int64_t right) const {
    constraint_info const& c = tables.constraints[at];
    refuse_windows(at, left, right);
    constraint_info const& sides = compared(at);
    if (&sides == &c && has_note(at))
      throw shape_error(
          message({c.op, ": an operand of shape ", noted_shape(at, 0), " has ", left,
                   left == 1 ? " element" : " elements", ", but the requested shape, ",
                   noted_shape(at, 1), ", has ", right}));
    std::string const hint = c.broadcasts && (left == 1) != (right == 1)
                                 ? how_to_broadcast(left == 1 ? sides.left : sides.right)
                                 : "";
    // Of what the body of a loop requires, only the loop is known.
    char const* const what =
        c.op == "scan" ? "what a step reads does not fit, or a state changes its shape: " : "";
    throw shape_error(
        message({c.op, ": ", what, describe(sides.left), ", ", describe(sides.right), hint}));
  }
};

}  // namespace kroton::cpu
