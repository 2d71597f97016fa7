// What the compiler knows of a program's arrays: which are dense, their strides, and which programs
// are simple.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/program.hpp>

#include <string_view>

namespace kroton::cpu {

/// A stride that only the call tells.
inline constexpr long long unknown_stride = -0x4000'0000;

/// Why calls of a program go through the frame, and the step that needs it, -1 where it is no
/// single one. Empty where small calls bypass the frame.
struct frame_reason {
  std::string_view why{};
  int step = -1;
  constexpr bool empty() const { return why.empty(); }
};

/// A program without what is known of some of its calls, see cpu/call/scan.
template <class Program>
struct plain {
  using type = Program;
};
template <class Program>
  requires requires { typename Program::general; }
struct plain<Program> : plain<typename Program::general> {};
template <class Program>
using plain_program = typename plain<Program>::type;

/// How the arrays of a program lie in memory when all parameters are dense and row-major, as far as
/// constants tell.
template <class Program>
struct direct_tables {
  static constexpr value_info const& value(int v) {
    return Program::values[static_cast<std::size_t>(v)];
  }
  static constexpr step_info const& step(int s) {
    return Program::steps[static_cast<std::size_t>(s)];
  }
  static constexpr int step_count = static_cast<int>(Program::steps.size());
  static constexpr int value_count = static_cast<int>(Program::values.size());
  static constexpr int extent_count = static_cast<int>(Program::extents.size());
  static constexpr int parameter_count = static_cast<int>(Program::parameters.size());

  static constexpr int pool(int i) {
    return static_cast<int>(Program::pool[static_cast<std::size_t>(i)]);
  }
  static constexpr int operand(int s, int k) { return pool(step(s).first + k); }
  static constexpr int result(int s, int k) {
    return pool(step(s).first + step(s).operand_count + k);
  }
  static constexpr int space(int s, int d) {
    return pool(step(s).first + step(s).operand_count + step(s).result_count + d);
  }
  static constexpr int attribute(int s, int i) { return space(s, step(s).space_rank + i); }
  static constexpr int guard(int s, int i) { return attribute(s, step(s).attribute_count + i); }

  /// Whether a step of a band adds rows to a part of a value, or writes them there.
  static constexpr bool adds_to_part(int s) {
    return plan::adds_to_part(step(s));
  }
  /// The band of most steps, or -1.
  static constexpr int longest_band = [] {
    int most = -1, steps = 0, b = 0;
    for (plan::band_info const& band : Program::bands) {
      if (int const own = band.last - band.first + 1; own > steps) {
        steps = own;
        most = b;
      }
      ++b;
    }
    return most;
  }();
  /// Whether an extent is the number of its rows, of which it may take some at a time.
  static constexpr bool is_taken_in_parts(int e) {
    if constexpr (longest_band < 0) return false;
    else return Program::bands[static_cast<std::size_t>(longest_band)].rows == e;
  }
  /// The last value that is computed in the place of a value.
  static constexpr int last_companion(int v) {
    while (value(v).companion >= 0) v = value(v).companion;
    return v;
  }
  /// The step that takes a view.
  static constexpr int step_of(int v) {
    for (int s = 0; s < step_count; ++s)
      if (is_view(step(s).kind) && result(s, 0) == v) return s;
    return -1;
  }
  /// The loop that makes the first operand of a write to a part from nothing, for this write alone;
  /// -1 where there is none.
  static constexpr int maker_of_old(int s) {
    if (!writes_vector(s)) return -1;  // other writes leave the loop to fill it
    int const old = operand(s, 0);
    int maker = -1;
    for (int t = 0; t < step_count; ++t) {
      for (int k = 0; k < step(t).operand_count; ++k)
        if (operand(t, k) == old && !(t == s && k == 0)) return -1;
      if (step(t).kind == step_kind::loop && step(t).operand_count == 0 &&
          step(t).result_count == 1 && result(t, 0) == old)
        maker = t;
    }
    return maker >= 0 && value(old).rank == 1 && value(old).output < 0 ? maker : -1;
  }
  /// The write for which alone a loop makes something from nothing, or -1.
  static constexpr int write_of(int loop) {
    for (int s = loop + 1;
         s < step_count && step(loop).operand_count == 0 && step(loop).result_count == 1; ++s)
      if ((step(s).kind == step_kind::inc_subtensor || step(s).kind == step_kind::set_subtensor) &&
          maker_of_old(s) == loop)
        return s;
    return -1;
  }
  /// Whether what a step writes to a part has been computed there.
  static constexpr bool is_written_in_place(int s) {
    int const v = operand(s, 1);
    return value(v).where == storage::view &&
           step(step_of(v)).kind == step_kind::written_part &&
           operand(step_of(v), 0) == result(s, 0);
  }
  /// Whether an extent is the number 1 in every call.
  static constexpr bool is_one(int e) {
    planned_extent const& from = Program::extents[static_cast<std::size_t>(e)];
    return from.from == planned_extent::number && from.which == 1;
  }
  /// The number that an extent is in every call, or -1.
  static constexpr long long known_extent(int e) {
    planned_extent const& from = Program::extents[static_cast<std::size_t>(e)];
    return from.from == planned_extent::number ? from.which : -1;
  }
  /// The number of elements of a value in every call, or -1.
  static constexpr long long known_size(int v) {
    long long n = 1;
    for (int d = 0; d < value(v).rank; ++d) {
      long long const extent = known_extent(value(v).extents[d]);
      if (extent < 0 || extent > machine::max_small_elements) return -1;
      n *= extent;
    }
    return n;
  }
  /// Axis `d` of a subtensor's or dimshuffle's result as an axis of its base, -1 where it is a new
  /// one.
  static constexpr int axis_of_base(int s, int d) {
    if (step(s).kind == step_kind::dimshuffle) return attribute(s, d);
    if (step(s).kind == step_kind::joined_part)
      return d + value(operand(s, 0)).rank - value(result(s, 0)).rank;
    int kept = 0;
    for (int b = 0; 2 * b < step(s).attribute_count; ++b)
      if (attribute(s, 2 * b) != 1 && kept++ == d) return b;
    return -1;
  }
  /// Whether a value is a matrix of the caller that lies column by column.
  static constexpr bool lies_by_columns(int v) {
    if constexpr (requires { Program::columns; })
      return v < parameter_count && v < 64 && (Program::columns >> v & 1) != 0;
    else return false;
  }
  /// The stride along the last axis, in elements.
  static constexpr long long last_stride(int v) {
    return value(v).rank == 0 ? 0 : stride_of(v, value(v).rank - 1);
  }
  static constexpr long long stride_of(int v, int d) {
    int const s = value(v).where == storage::view ? step_of(v) : -1;
    if (lies_by_columns(v)) return d == 0 ? 1 : unknown_stride;
    if (s < 0 || is_without_gaps(s)) {
      long long stride = 1;
      for (int behind = d + 1; behind < value(v).rank; ++behind) {
        long long const extent = known_extent(value(v).extents[behind]);
        if (extent < 0 || extent > machine::max_small_elements) return unknown_stride;
        stride *= extent;
      }
      return stride;
    }
    int const axis = axis_of_base(s, d);
    if (axis < 0) return 0;
    long long const own = stride_of(operand(s, 0), axis);
    return own == unknown_stride || !is_selection(step(s).kind) ? own : own * scale_of(s, axis);
  }
  /// By what a subtensor's step multiplies the stride of an axis of its base.
  static constexpr int scale_of(int s, int axis) {
    return attribute(s, 2 * axis) == 2 ? attribute(s, 2 * axis + 1) : 1;
  }
  /// Whether a view has no gaps whatever it looks into.
  static constexpr bool is_without_gaps(int s) {
    return step(s).kind == step_kind::reshape || step(s).kind == step_kind::ifelse;
  }
  /// Whether a value lies without gaps, row by row.
  static constexpr bool is_dense(int v) {
    if (value(v).where != storage::view) return !lies_by_columns(v);
    int const s = step_of(v), base = operand(s, 0);
    if (step(s).kind == step_kind::ifelse)
      return is_dense(operand(s, 1)) && is_dense(operand(s, 2));
    if (!is_dense(base)) return value(v).rank == 0 || (value(v).rank == 1 && last_stride(v) == 1);
    if (step(s).kind == step_kind::reshape || value(v).rank == 0 ||
        (value(v).rank == 1 && last_stride(v) == 1))
      return true;
    if (step(s).kind == step_kind::joined_part) return attribute(s, 0) == 0;
    if (is_selection(step(s).kind)) {
      // Leading axes may be cut.
      bool whole = true;
      for (int d = value(base).rank - 1; d >= 0; --d) {
        int const code = attribute(s, 2 * d);
        if (code != 0 && !(whole && d == 0 && (code == 1 || scale_of(s, 0) == 1))) return false;
        whole = whole && code == 0;
      }
      return true;
    }
    int next = 0;  // axes in their order, with new ones between them
    for (int d = 0; d < value(v).rank; ++d) {
      int const axis = attribute(s, d);
      if (axis < 0) continue;
      if (axis != next++) return false;
    }
    return next == value(base).rank;
  }

  /// Whether output k is an array that is computed in the memory of its target.
  static constexpr bool is_computed_in_target(int k) {
    value_info const& v = value(Program::outputs[static_cast<std::size_t>(k)]);
    return v.rank > 0 && v.where == storage::buffer && v.output == k;
  }
  /// What keeps calls in the frame because of the outputs, each of which goes to its own target;
  /// nothing where small ones may bypass it.
  static constexpr std::string_view outputs_need_frame() {
    for (int k = 0; k < static_cast<int>(Program::outputs.size()); ++k) {
      value_info const& v = value(Program::outputs[static_cast<std::size_t>(k)]);
      if (v.where == storage::view || (v.rank > 0 && !is_computed_in_target(k)))
        return "an output is a view, a parameter or another output";
    }
    return {};
  }
  static constexpr std::string_view size_needs_frame(int most_steps) {
    if (step_count == 0) return "it has no steps";
    int counted = 0;
    for (int s = 0; s < step_count; ++s) counted += is_counted(s) ? 1 : 0;
    if (counted > most_steps || value_count > machine::max_small_values)
      return "it has too many steps";
    return {};
  }
  /// What else keeps calls in the frame; nothing where small ones may bypass it.
  static constexpr frame_reason needs_frame(int most_steps) {
    if (std::string_view const reason = size_needs_frame(most_steps); !reason.empty())
      return {reason};
    for (int v = 0; v < value_count; ++v)
      if (std::string_view const reason = value_needs_frame(v); !reason.empty()) return {reason};
    for (auto const& c : Program::constraints)
      if (c.kind != condition::note && (!is_known_early(c.left) || !is_known_early(c.right)))
        return {"a condition depends on what the steps compute"};
    for (auto const& e : Program::extents)
      if (e.from == planned_extent::value && !is_known_early(static_cast<int>(e.which)))
        return {"an extent depends on what the steps compute"};
    for (auto const& u : Program::updates) {
      value_info const& v = value(u.value);
      if (u.in_place ? v.rank == 0 : may_lie_elsewhere(v) || value(u.parameter).rank != v.rank)
        return {"a new value may lie in another array"};
    }
    for (int s = 0; s < step_count; ++s)
      if (std::string_view const reason = step_needs_frame(s); !reason.empty())
        return {reason, s};
    return {};
  }

 private:
  /// Views need no code, and a write of one element takes a line.
  static constexpr bool is_counted(int s) {
    step_kind const kind = step(s).kind;
    bool const writes = kind == step_kind::inc_subtensor || kind == step_kind::set_subtensor;
    return !traits_of(kind).is_view() && !(writes && value(operand(s, 1)).rank == 0);
  }
  static constexpr bool may_lie_elsewhere(value_info const& v) {
    return v.where == storage::parameter || v.where == storage::view;
  }
  static constexpr bool is_known_early(int v) {
    if (value(v).rank != 0 || value(v).where == storage::buffer) return false;
    if (value(v).where != storage::scalar && value(v).where != storage::view) return true;
    for (int s = 0; s < step_count; ++s)
      for (int k = 0; k < step(s).result_count; ++k)
        if (result(s, k) == v) return step(s).prologue;
    return false;
  }
  static constexpr std::string_view value_needs_frame(int v) {
    if (value(v).rank > machine::max_small_rank) return "an array has too many axes";
    if (is_complex(value(v).type)) return "it computes with complex numbers";
    if (value(v).where == storage::view && step_of(v) < 0) return "a view changes with the call";
    return {};
  }
  static constexpr std::string_view step_needs_frame(int s) {
    step_info const& i = step(s);
    if (i.kind == step_kind::loop) return "";
    if (i.operand_count == 0) return "a step has no operands";
    // The order of longer products is a choice that the frame keeps.
    if (traits_of(i.kind).is_product)
      return factors_of(i.kind, i.operand_count) <= 3 ? ""
                                                      : "a chain of products has to be ordered";
    if (i.kind == step_kind::reshape)
      return is_dense(operand(s, 0)) ? "" : "a reshape copies an array with gaps";
    if (i.kind == step_kind::ifelse)
      return is_dense(operand(s, 1)) && is_dense(operand(s, 2)) ? "" : "a branch has gaps";
    return traits_of(i.kind).view != step_traits::whole ? "" : "a view changes with the call";
  }

 public:
  /// Whether elements one after the other are written, or every k-th of a vector, from an array or
  /// one number.
  static constexpr bool writes_vector(int s) {
    value_info const &to = value(result(s, 0)), &old = value(operand(s, 0)),
                     &added = value(operand(s, 1));
    if (!is_float(to.type) && !is_integer(to.type)) return false;
    if (to.rank > 1) return writes_block(s);
    return to.rank == 1 && old.rank <= 1 && added.rank <= 1 &&
           (old.rank == 0 || last_stride(operand(s, 0)) == 1) &&
           (added.rank == 0 || last_stride(operand(s, 1)) != unknown_stride);
  }
  /// Of an array of more axes: whether all that the first indices leave is written.
  static constexpr bool writes_block(int s) {
    int const v = result(s, 0), old = operand(s, 0), added = operand(s, 1), rank = value(v).rank;
    if (value(old).rank != rank || !is_dense(v) || !is_dense(old) || !is_dense(added))
      return false;
    int indices = 0;
    while (indices < rank && attribute(s, 2 * indices) == 1) ++indices;
    bool fits = indices > 0 && (value(added).rank == 0 || value(added).rank == rank - indices);
    for (int d = 0; d < rank; ++d)
      fits = fits && value(old).extents[d] == value(v).extents[d] &&
             (d < indices || attribute(s, 2 * d) == 0);
    for (int d = 0; d < value(added).rank && fits; ++d)
      fits = is_one(value(added).extents[d]) == is_one(value(v).extents[indices + d]);
    return fits;
  }
  /// Whether a product reads rows or columns whose strides are constants.
  static constexpr bool is_inline_product(int s) {
    int const a = operand(s, 0), b = operand(s, 1);
    if (!is_float(value(a).type) || factors_of(step(s).kind, step(s).operand_count) > 2)
      return false;
    int const c = step(s).kind == step_kind::gemm ? operand(s, 2) : result(s, 0);
    if (value(a).rank == 0 || value(b).rank == 0 || value(a).rank > 2 || value(b).rank > 2)
      return false;
    if (value(c).rank != value(a).rank + value(b).rank - 2 || !is_dense(c) ||
        value(result(s, 0)).where == storage::view)
      return false;
    return product_way(s) != direct_product::none;
  }
  /// How a product reads its second factor: row by row, or, where it is a transpose, column by
  /// column.
  enum class direct_product { none, inner, rows, columns, rows_of_transposed };
  static constexpr direct_product product_way(int s) {
    int const a = operand(s, 0), b = operand(s, 1);
    bool const rows_of_a = last_stride(a) == 1, rows_of_b = last_stride(b) == 1;
    bool const columns_of_a = value(a).rank == 2 && stride_of(a, 0) == 1,
               columns_of_b = value(b).rank == 2 && stride_of(b, 0) == 1;
    if (value(b).rank == 1) {
      if (value(a).rank == 1)
        return rows_of_a && rows_of_b ? direct_product::inner : direct_product::none;
      if (rows_of_a && rows_of_b) return direct_product::columns;
      return columns_of_a && last_stride(b) != unknown_stride ? direct_product::rows_of_transposed
                                                              : direct_product::none;
    }
    if (rows_of_b) return direct_product::rows;
    return columns_of_b && rows_of_a ? direct_product::columns : direct_product::none;
  }
};

}  // namespace kroton::cpu
