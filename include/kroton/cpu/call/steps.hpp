// The steps of a plan other than loops: views, products, and the few ops that have loops of their
// own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/blas.hpp>
#include <kroton/cpu/call/addition.hpp>
#include <kroton/cpu/call/frame.hpp>
#include <kroton/cpu/loop/transposition.hpp>
#include <kroton/ops/assertion.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kroton::cpu {

/// The operands, results and attributes of a step.
struct step_view {
  frame& f;
  step_info const& info;

  long long pool(int i) const { return f.tables().pool[info.first + i]; }
  int operand(int k) const { return static_cast<int>(pool(k)); }
  int result(int k) const { return static_cast<int>(pool(info.operand_count + k)); }
  int space(int d) const {
    return static_cast<int>(pool(info.operand_count + info.result_count + d));
  }
  long long attribute(int i) const {
    return pool(info.operand_count + info.result_count + info.space_rank + i);
  }
  std::byte* data_of_result(int k) const { return f.value(result(k)).data; }
  /// The call of an op's own function, on arrays that are collected in `arrays`, which has room for
  /// operands and results.
  invocation call(array_ref* arrays) const {
    for (int k = 0; k < info.operand_count; ++k) arrays[k] = f.value(operand(k));
    array_ref* const results = arrays + info.operand_count;
    for (int k = 0; k < info.result_count; ++k)
      results[k] = result(k) < 0 ? array_ref{} : f.value(result(k));
    int const first = info.first + info.operand_count + info.result_count + info.space_rank;
    return {arrays, results, {f.tables().pool.first + first, info.attribute_count}};
  }
  /// The arrays and the indices of a step, in whose words steps are written: see small_step.hpp for
  /// another one that has them.
  array_ref const& array(int k) const { return f.value(operand(k)); }
  array_ref const& target() const { return f.value(result(0)); }
  std::int64_t integer(int k) const { return f.integer(operand(k)); }
  std::byte* scratch(std::size_t bytes) const { return f.scratch(bytes); }
  /// Whether it adds to what it gave for other rows of its band.
  bool continues() const { return info.gathers && !f.bands().now.begins; }
  /// Whether its band takes some rows after the other.
  bool takes_some_rows() const {
    band_pass const& now = f.bands().now;
    return info.gathers && now.rows != band_pass::all && !(now.begins && now.ends);
  }
  /// The current rows of a part to which those of the band are written.
  array_ref rows_of(array_ref part) const {
    if (!takes_some_rows()) return part;
    part.data += f.bands().now.first * part.strides[0] * part.bytes;
    part.extents[0] = f.bands().now.rows;
    return part;
  }
  /// The step's position among the steps of its program.
  std::size_t number() const { return static_cast<std::size_t>(&info - f.tables().steps.first); }
};

/// Applies subtensor's attributes to a base: the part that they select, without copying.
template <class Step>
array_ref select(Step const& s, array_ref const& base, int next, int rank) {
  array_ref part = base;
  part.rank = rank;
  int position = 0;
  for (int d = 0; d < base.rank; ++d) {
    long long const code = s.attribute(2 * d), step = s.attribute(2 * d + 1);
    if (code == 0) {
      part.extents[position] = base.extents[d];
      part.strides[position++] = base.strides[d];
      continue;
    }
    std::ptrdiff_t const begin = s.integer(next++);
    if (code == 2) {
      part.extents[position] = s.integer(next++);
      part.strides[position++] = base.strides[d] * step;
    }
    // No data: only planned
    if (base.extents[d] > 0 && base.data != nullptr)
      part.data += begin * base.strides[d] * base.bytes;
  }
  return part;
}

/// Whether a step is taken: whether all conditions of its guard are as they have to be. Outer ones
/// stand first; an inner one has been computed only where those are.
inline bool guards_hold(frame& f, step_info const& info) {
  step_view const s{f, info};
  int const first = info.operand_count + info.result_count + info.space_rank + info.attribute_count;
  for (int k = 0; k < info.guard_count; ++k) {
    long long const guard = s.pool(first + k);
    if ((f.value(static_cast<int>(guard / 2)).data[0] != std::byte{0}) != (guard % 2 != 0))
      return false;
  }
  return true;
}

/// Binds a view to the value that it looks into.
inline void run_dimshuffle(step_view const& s) {
  array_ref const& base = s.f.value(s.operand(0));
  array_ref& view = s.f.value(s.result(0));
  view.data = base.data;
  for (int d = 0; d < view.rank; ++d) {
    long long const from = s.attribute(d);
    view.extents[d] = from < 0 ? 1 : base.extents[from];
    view.strides[d] = from < 0 ? 0 : base.strides[from];
  }
}
inline void run_reshape(step_view const& s) {
  value_info const& info = s.f.tables().values[s.result(0)];
  array_ref const& base = s.f.value(s.operand(0));
  array_ref& view = s.f.value(s.result(0));
  view.data = base.data;
  for (int d = 0; d < view.rank; ++d) view.extents[d] = s.f.extent(info.extents[d]);
  view.make_contiguous_strides();
  if (base.contiguous()) return;
  array_ref packed = base;
  packed.make_contiguous_strides();
  view.data = packed.data = s.f.extra(s.result(0), bytes_that_fit(base));
  copy_array(packed, base);
}
inline void run_subtensor(step_view const& s) {
  array_ref& view = s.f.value(s.result(0));
  view = select(s, s.f.value(s.operand(0)), 1, view.rank);
}
/// What is joined to others along an axis: behind those whose extents are the step's space. It may
/// lack the first axis of the whole, along which it has one element.
inline void run_joined_part(step_view const& s) {
  array_ref const& whole = s.f.value(s.operand(0));
  array_ref& part = s.f.value(s.result(0));
  auto const axis = static_cast<int>(s.attribute(0));
  std::ptrdiff_t before = 0;
  for (int d = 0; d < s.info.space_rank; ++d) before += s.f.extent(s.space(d));
  for (int d = 0; d < part.rank; ++d) {
    part.extents[d] = s.f.extent(s.f.tables().values[s.result(0)].extents[d]);
    part.strides[d] = whole.strides[d + whole.rank - part.rank];
  }
  part.data = whole.data;
  if (whole.data != nullptr) part.data += before * whole.strides[axis] * whole.bytes;
}
/// The branch that is taken, without copying.
inline void run_ifelse(step_view const& s) {
  bool const holds = s.f.value(s.operand(0)).data[0] != std::byte{0};
  s.f.value(s.result(0)) = s.f.value(s.operand(holds ? 1 : 2));
}

/// Of int64 positions of which one is outside of an axis: the first negative one, or the largest.
[[gnu::cold]] inline std::int64_t position_outside(array_ref const& x) {
  std::int64_t largest = 0;
  for (std::ptrdiff_t i = 0; i < x.size(); ++i) {
    std::ptrdiff_t at = 0, rest = i;
    for (int d = x.rank - 1; d >= 0; rest /= x.extents[d--])
      at += rest % x.extents[d] * x.strides[d];
    std::int64_t position = 0;
    std::memcpy(&position, x.data + at * x.bytes, sizeof position);
    if (position < 0) return position;
    largest = std::max(largest, position);
  }
  return largest;
}
/// The result is a view of the first operand, if the second holds.
inline void run_assertion(step_view const& s) {
  if (s.f.value(s.operand(1)).data[0] == std::byte{0})
    ops::refuse_assertion([&](int i) { return s.attribute(i); }, s.info.attribute_count,
                          [&] { return position_outside(s.f.value(s.operand(0))); });
  s.f.value(s.result(0)) = s.f.value(s.operand(0));
}

/// The result is a view of the first operand; the others had to be computed before.
inline void run_after(step_view const& s) { s.f.value(s.result(0)) = s.f.value(s.operand(0)); }

/// Visits the elements of x with the number of the slice they are in, and where the slice's
/// extremum and the mark stand.
template <class Visit>
void for_each_in_slice(array_ref const& x, array_ref const& m, array_ref const& out, Visit visit) {
  std::ptrdiff_t index[max_rank]{};
  for (std::ptrdiff_t i = 0, n = x.size(); i < n; ++i) {
    std::ptrdiff_t at = 0, slice = 0, number = 0, to = 0;
    for (int d = 0; d < x.rank; ++d) {
      std::ptrdiff_t const in_slice = m.extents[d] == 1 ? 0 : index[d];
      at += index[d] * x.strides[d];
      slice += in_slice * m.strides[d];
      number = number * m.extents[d] + in_slice;
      to += index[d] * out.strides[d];
    }
    visit(at, slice, number, to);
    for (int d = x.rank - 1; d >= 0; --d) {
      if (++index[d] < x.extents[d]) break;
      index[d] = 0;
    }
  }
}

/// Marks the first element of each reduced slice that equals the slice's extremum; where rounding
/// has set both apart, since they were not computed in the same way, the element that is nearest to
/// it.
template <class T, class Step>
void run_first_equal(Step const& s) {
  array_ref const &x = s.array(0), &m = s.array(1), &out = s.target();
  if (x.size() == 0) return;
  std::memset(out.data, 0, static_cast<std::size_t>(out.size()));
  auto const slices = static_cast<std::size_t>(m.size());
  // For each slice: whether its mark is set.
  std::byte* const met = s.scratch(slices);
  std::memset(met, 0, slices);
  std::size_t left = slices;
  auto mark = [&](auto fits) {
    for_each_in_slice(
        x, m, out,
        [&](std::ptrdiff_t at, std::ptrdiff_t slice, std::ptrdiff_t number, std::ptrdiff_t to) {
          if (met[number] != std::byte{0}) return;
          if (!fits(reinterpret_cast<T const*>(x.data)[at],
                    reinterpret_cast<T const*>(m.data)[slice], static_cast<std::size_t>(number)))
            return;
          met[number] = std::byte{1};
          reinterpret_cast<bool*>(out.data)[to] = true;
          --left;
        });
  };
  // NaN is the extremum of a slice that holds one, and equals itself here.
  mark([](T value, T extremum, std::size_t) {
    return value == extremum || (value != value && extremum != extremum);
  });
  if (left == 0) return;
  std::vector<double> nearest(slices, std::numeric_limits<double>::infinity());
  auto distance = [](T value, T extremum) {
    return std::abs(static_cast<double>(value) - static_cast<double>(extremum));
  };
  for_each_in_slice(
      x, m, out,
      [&](std::ptrdiff_t at, std::ptrdiff_t slice, std::ptrdiff_t number, std::ptrdiff_t) {
        double& best = nearest[static_cast<std::size_t>(number)];
        best = std::min(best, distance(reinterpret_cast<T const*>(x.data)[at],
                                       reinterpret_cast<T const*>(m.data)[slice]));
      });
  mark([&](T value, T extremum, std::size_t number) {
    return distance(value, extremum) == nearest[number];
  });
}

/// The part of the result that a step writes into; in a band the current rows of it.
template <class Step>
array_ref written_part(Step const& s) {
  int rank = 0;
  for (int d = 0; d < s.target().rank; ++d) rank += s.attribute(2 * d) == 1 ? 0 : 1;
  return s.rows_of(select(s, s.target(), 2, rank));
}
/// The same, after the first operand was copied to the result, unless it lies there already.
template <class Step>
array_ref part_to_write(Step const& s) {
  if (!s.continues()) copy_array(s.target(), spread(s.array(0), s.target()));
  return written_part(s);
}

/// A copy of the first operand, with the second added to a part of it.
template <class T, class Step>
void run_inc_subtensor(Step const& s) {
  array_ref const part = part_to_write(s);
  add_array<T>(part, spread(s.array(1), part));
}
/// Whether an array is a part itself, where it has been computed; see plan/parts.hpp.
inline bool lies_in_part(array_ref const& a, array_ref const& part) {
  bool same = a.data == part.data && a.rank == part.rank;
  for (int d = 0; same && d < part.rank; ++d)
    same = a.extents[d] == part.extents[d] &&
           (a.extents[d] == 1 || a.strides[d] == part.strides[d]);
  return same;
}
/// Some rows along an axis.
inline array_ref rows_along(array_ref a, int axis, std::ptrdiff_t begin, std::ptrdiff_t count) {
  a.extents[axis] = count;
  a.data += begin * a.strides[axis] * a.bytes;
  return a;
}
/// Copies an array of the same extents to what the result has around the part, unless it lies there
/// already.
template <class Step, class Copy>
void copy_around_part(Step const& s, array_ref old, Copy const& copy) {
  array_ref out = s.target();
  if (old.data == out.data) return;
  int next = 2;
  for (int d = 0; d < out.rank; ++d) {
    if (s.attribute(2 * d) == 0) continue;
    std::ptrdiff_t const begin = s.integer(next++),
                         count = s.attribute(2 * d) == 2 ? s.integer(next++) : 1,
                         end = begin + count, behind = out.extents[d] - end;
    copy(rows_along(out, d, 0, begin), rows_along(old, d, 0, begin));
    copy(rows_along(out, d, end, behind), rows_along(old, d, end, behind));
    out = rows_along(out, d, begin, count);
    old = rows_along(old, d, begin, count);
  }
}
/// A copy of the first operand, with the second in place of a part of it.
template <class Step>
void run_set_subtensor(Step const& s) {
  if (lies_in_part(s.array(1), written_part(s)))
    return copy_around_part(s, spread(s.array(0), s.target()), copy_array);
  array_ref const part = part_to_write(s);
  copy_array(part, spread(s.array(1), part));
}

}  // namespace kroton::cpu
