// Patterns of sparse matrices: lines of the other kind, sums and products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse/products.hpp>
#include <kroton/ops/sparse/patterns.hpp>

#include <numeric>

namespace kroton::cpu {

namespace lines {

template <class T>
T* target(core::invocation const& call, int output = 0) {
  return reinterpret_cast<T*>(call.result(output).data);
}
inline std::int32_t as_bound(std::string_view op, std::ptrdiff_t n) {
  if (n > std::numeric_limits<std::int32_t>::max())
    throw value_error(core::message({op, ": the result has more values than int32 can count"}));
  return static_cast<std::int32_t>(n);
}

/// Two patterns with ascending indices, line by line.
struct two_patterns {
  sparse_lines a, b;

  two_patterns(std::string_view op, core::invocation const& call)
      : a(op, call.operand(0), call.operand(1), std::numeric_limits<std::int32_t>::max()),
        b(op, call.operand(2), call.operand(3), std::numeric_limits<std::int32_t>::max()) {}
  void check() const {
    for (sparse_lines const* x : {&a, &b}) {
      x->check_bounds();
      x->check_order();
    }
  }
};

/// Which of `count` places are taken by the line that is looked at, without clearing them for the
/// next one.
class marks {
 public:
  explicit marks(std::ptrdiff_t count) : line_(static_cast<std::size_t>(count), -1) {}
  bool take(std::ptrdiff_t place, std::ptrdiff_t line) {
    std::ptrdiff_t& last = line_[static_cast<std::size_t>(place)];
    bool const is_new = last != line;
    last = line;
    return is_new;
  }

 private:
  std::vector<std::ptrdiff_t> line_;
};

}  // namespace lines

template <>
struct kernel<op::line_numbers> {
  static void run(core::invocation const& call) {
    sparse_lines const pattern(op::line_numbers::name, call.operand(0), call.operand(1), 0);
    auto* const out = lines::target<std::int64_t>(call);
    pattern.check_bounds();
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i)
      std::fill(out + pattern.begin(i), out + pattern.end(i), std::int64_t{i});
  }
};

template <>
struct kernel<op::checked_indices> {
  static void run(core::invocation const& call) {
    auto* const out = lines::target<std::int32_t>(call);
    std::ptrdiff_t const inner = lines::inner_extent(call.operand(2));
    core::array_ref index = call.operand(0);
    bool const is_wide = index.bytes == sizeof(std::int64_t);
    if (is_wide) {
      narrow(index, inner, out);
      index = call.result();
    }
    sparse_lines pattern(op::checked_indices::name, index, call.operand(1), inner);
    pattern.check_all();
    pattern.check_order();
    if (!is_wide) std::copy_n(pattern.indices(), pattern.size(), out);
  }

 private:
  static void narrow(core::array_ref const& wide, std::ptrdiff_t inner, std::int32_t* out) {
    dense_vector<std::int64_t> const index(wide);
    for (std::ptrdiff_t k = 0; k < index.size(); ++k) {
      out[k] = static_cast<std::int32_t>(index[k]);
      if (out[k] != index[k])
        throw value_error(core::message({op::checked_indices::name, ": index ", index[k],
                                         " at position ", k, " is out of range: the extent is ",
                                         inner}));
    }
  }
};

template <>
struct kernel<op::turned_pattern> {
  static void run(core::invocation const& call) {
    std::ptrdiff_t const inner = lines::inner_extent(call.operand(2));
    sparse_lines pattern(op::turned_pattern::name, call.operand(0), call.operand(1), inner);
    pattern.check_all();
    if (pattern.count() > std::numeric_limits<std::int32_t>::max())
      throw value_error("turned_pattern: the matrix has more lines than int32 can count");
    std::vector<std::int32_t> next(static_cast<std::size_t>(inner) + 1);
    for (std::ptrdiff_t k = 0; k < pattern.size(); ++k)
      ++next[static_cast<std::size_t>(pattern.index(k)) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    if (auto* const bounds = lines::target<std::int32_t>(call, 0))
      std::copy(next.begin(), next.end(), bounds);
    auto* const index = lines::target<std::int32_t>(call, 1);
    auto* const place = lines::target<std::int64_t>(call, 2);
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i)
      for (std::ptrdiff_t k = pattern.begin(i); k < pattern.end(i); ++k) {
        std::int32_t const to = next[static_cast<std::size_t>(pattern.index(k))]++;
        if (index != nullptr) index[to] = static_cast<std::int32_t>(i);
        if (place != nullptr) place[to] = k;
      }
  }
};

template <>
struct kernel<op::joined_bounds> {
  static void run(core::invocation const& call) {
    dense_vector<std::int32_t> const first(call.operand(0)), second(call.operand(1));
    if (first.size() == 0 || second.size() == 0)
      throw value_error("joined_bounds: indptr is empty; it has one element more than lines");
    auto* out = std::copy_n(first.data(), first.size(), lines::target<std::int32_t>(call));
    std::ptrdiff_t const before = first[first.size() - 1];
    for (std::ptrdiff_t i = 1; i < second.size(); ++i)
      *out++ = lines::as_bound(op::joined_bounds::name, before + second[i]);
  }
};

namespace lines {

/// Two factors of a product: the indices of the first count the lines of the second.
struct factors {
  sparse_lines b, a;

  factors(std::string_view op, core::invocation const& call, int first, int inner)
      : b(op, call.operand(first + 2), call.operand(first + 3), inner_extent(call.operand(inner))),
        a(op, call.operand(first), call.operand(first + 1), b.count()) {
    a.check_all();
    b.check_all();
  }
  /// Calls visit(k, l) for the values k of line i of the first and those of the second that they
  /// are multiplied with.
  template <class Visit>
  void for_each(std::ptrdiff_t i, Visit const& visit) const {
    for (std::ptrdiff_t k = a.begin(i); k < a.end(i); ++k)
      for (std::ptrdiff_t l = b.begin(a.index(k)); l < b.end(a.index(k)); ++l) visit(k, l);
  }
};

}  // namespace lines

template <>
struct kernel<op::product_bounds> {
  static void run(core::invocation const& call) {
    lines::factors const of(op::product_bounds::name, call, 0, 4);
    lines::marks found(of.b.inner());
    auto* const out = lines::target<std::int32_t>(call);
    std::ptrdiff_t n = out[0] = 0;
    for (std::ptrdiff_t i = 0; i < of.a.count(); ++i) {
      of.for_each(i, [&](auto, std::ptrdiff_t l) { n += found.take(of.b.index(l), i); });
      out[i + 1] = lines::as_bound(op::product_bounds::name, n);
    }
  }
};

template <>
struct kernel<op::product_indices> {
  static void run(core::invocation const& call) {
    lines::factors const of(op::product_indices::name, call, 0, 4);
    lines::marks found(of.b.inner());
    auto* out = lines::target<std::int32_t>(call);
    for (std::ptrdiff_t i = 0; i < of.a.count(); ++i) {
      auto* const first = out;
      of.for_each(i, [&](auto, std::ptrdiff_t l) {
        std::ptrdiff_t const j = of.b.index(l);
        if (found.take(j, i)) *out++ = static_cast<std::int32_t>(j);
      });
      std::sort(first, out);
    }
  }
};

template <>
struct kernel<op::sparse_product> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    dense_vector<T> const a(call.operand(0)), b(call.operand(1));
    lines::factors const of(op::sparse_product::name, call, 2, 8);
    sparse_lines places(op::sparse_product::name, call.operand(6), call.operand(7), of.b.inner());
    places.check_all();
    // For each column its place in the line that is looked at, or -1.
    std::vector<std::ptrdiff_t> place(static_cast<std::size_t>(of.b.inner()), -1);
    T* const out = lines::target<T>(call);
    std::fill(out, out + places.size(), T{});
    for (std::ptrdiff_t i = 0; i < places.count(); ++i) {
      for (std::ptrdiff_t k = places.begin(i); k < places.end(i); ++k)
        place[static_cast<std::size_t>(places.index(k))] = k;
      of.for_each(i, [&](std::ptrdiff_t k, std::ptrdiff_t l) {
        std::ptrdiff_t const to = place[static_cast<std::size_t>(of.b.index(l))];
        if (to >= 0) out[to] = lines::plus_product(out[to], a[k], b[l]);
      });
      for (std::ptrdiff_t k = places.begin(i); k < places.end(i); ++k)
        place[static_cast<std::size_t>(places.index(k))] = -1;
    }
  }
};

}  // namespace kroton::cpu
