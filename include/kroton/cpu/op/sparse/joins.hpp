// Two sparse matrices in one: lines side by side, Kronecker products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse/pieces.hpp>

namespace kroton::cpu {

namespace lines {

/// Throws kt::value_error if bounds do not ascend from 0 to the number of values.
inline void check_bounds(std::string_view op, core::array_ref const& bounds, std::ptrdiff_t size) {
  core::array_ref indices = bounds;  // whose number alone is looked at
  indices.extents[0] = size;
  indices.strides[0] = 1;
  sparse_lines(op, indices, bounds, any_index).check_bounds();
}

/// The lines of two matrices that stand side by side: line i of the first is followed by that of
/// the second.
struct lines_beside {
  dense_vector<std::int32_t> a, b;

  /// Throws kt::value_error if bounds do not ascend from 0 to the number of values.
  lines_beside(std::string_view op, core::array_ref const& bounds_of_a, std::ptrdiff_t size_of_a,
               core::array_ref const& bounds_of_b, std::ptrdiff_t size_of_b)
      : a(bounds_of_a), b(bounds_of_b) {
    check_bounds(op, bounds_of_a, size_of_a);
    check_bounds(op, bounds_of_b, size_of_b);
  }
  /// Calls first(to, end, from) and second(to, end, from) for the values of each line, which lie in
  /// the whole from `to` to `end`.
  template <class First, class Second>
  void for_each(First const& first, Second const& second) const {
    std::int32_t const *const of_a = a.data(), *const of_b = b.data();
    std::ptrdiff_t const count = a.size() - 1;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      std::ptrdiff_t const p = of_a[i], q = of_b[i], p_end = of_a[i + 1], q_end = of_b[i + 1];
      first(p + q, p_end + q, p);
      second(p_end + q, p_end + q_end, q);
    }
  }
};

}  // namespace lines

template <>
struct kernel<op::beside_bounds> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const a(call.operand(0)), b(call.operand(1));
    auto* const out = lines::target<std::int32_t>(call);
    if (a.size() == 0) return;
    (void)lines::as_bound(op::beside_bounds::name,
                          std::ptrdiff_t{a[a.size() - 1]} + b[b.size() - 1]);
    for (std::ptrdiff_t i = 0; i < a.size(); ++i)
      out[i] = static_cast<std::int32_t>(std::int64_t{a[i]} + b[i]);
  }
};

template <>
struct kernel<op::beside_places> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const a(call.operand(0)), b(call.operand(3));
    lines::lines_beside const both(op::beside_places::name, call.operand(1), a.size(),
                                   call.operand(4), b.size());
    auto const shift = static_cast<std::int32_t>(lines::inner_extent(call.operand(2)));
    auto* const index = lines::target<std::int32_t>(call, 0);
    auto* const place = lines::target<std::int64_t>(call, 1);
    auto* const first = lines::target<std::int64_t>(call, 2);
    auto* const second = lines::target<std::int64_t>(call, 3);
    using at = std::ptrdiff_t;
    auto const places_of = [](std::int64_t* part) {
      return [=](at to, at end, at from) {
        for (at k = to; part != nullptr && k < end; ++k) part[from + (k - to)] = k;
      };
    };
    std::ptrdiff_t const total = a.size() + b.size();
    if (index != nullptr)
      both.for_each(lines::copied_indices(a, index, total, 0),
                    lines::copied_indices(b, index, total, shift));
    if (place != nullptr)
      both.for_each(lines::numbered_places(place, total, 0),
                    lines::numbered_places(place, total, a.size()));
    if (first != nullptr || second != nullptr) both.for_each(places_of(first), places_of(second));
  }
};

template <>
struct kernel<op::beside_values> {
  static void run(core::invocation const& call) {
    core::array_ref const &a = call.operand(0), &b = call.operand(2);
    lines::lines_beside const both(op::beside_values::name, call.operand(1), a.extents[0],
                                   call.operand(3), b.extents[0]);
    both.for_each(lines::copied_values(a, call.result()), lines::copied_values(b, call.result()));
  }
};

template <>
struct kernel<op::kron_bounds> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const a(call.operand(0)), b(call.operand(1));
    for (int side : {0, 1}) {
      dense_vector<std::int32_t> const& bounds = side == 0 ? a : b;
      lines::check_bounds(op::kron_bounds::name, call.operand(side),
                          bounds.size() == 0 ? 0 : bounds[bounds.size() - 1]);
    }
    auto* const out = lines::target<std::int32_t>(call);
    std::ptrdiff_t n = 0, line = 0;
    out[0] = 0;
    for (std::ptrdiff_t i = 0; i + 1 < a.size(); ++i)
      for (std::ptrdiff_t k = 0; k + 1 < b.size(); ++k) {
        n += std::ptrdiff_t{a[i + 1] - a[i]} * (b[k + 1] - b[k]);
        out[++line] = lines::as_bound(op::kron_bounds::name, n);
      }
  }
};

template <>
struct kernel<op::kron_places> {
  static void run(core::invocation const& call) {
    sparse_lines a(op::kron_places::name, call.operand(0), call.operand(1), lines::any_index),
        b(op::kron_places::name, call.operand(2), call.operand(3), lines::any_index);
    a.check_all();
    b.check_all();
    auto const width = static_cast<std::int32_t>(lines::inner_extent(call.operand(4)));
    auto* const index = lines::target<std::int32_t>(call, 0);
    auto* const first = lines::target<std::int64_t>(call, 1);
    auto* const second = lines::target<std::int64_t>(call, 2);
    std::ptrdiff_t n = 0;
    for (std::ptrdiff_t i = 0; i < a.count(); ++i)
      for (std::ptrdiff_t k = 0; k < b.count(); ++k)
        for (std::ptrdiff_t p = a.begin(i); p < a.end(i); ++p) {
          std::ptrdiff_t const size = b.end(k) - b.begin(k), from = b.begin(k);
          auto const shift = static_cast<std::int32_t>(a.index(p) * width);
          if (index != nullptr)
            for (std::ptrdiff_t q = 0; q < size; ++q)
              index[n + q] = shift + static_cast<std::int32_t>(b.index(from + q));
          if (first != nullptr) std::fill(first + n, first + n + size, std::int64_t{p});
          if (second != nullptr) std::iota(second + n, second + n + size, std::int64_t{from});
          n += size;
        }
  }
};

}  // namespace kroton::cpu
