// The largest and the smallest elements of sparse matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse/patterns.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/ops/sparse/extrema.hpp>

#include <cmath>

namespace kroton::cpu {

namespace lines {

/// How elements compare, as those of dense tensors: NaN wins.
template <class Op, class T>
struct extremum_of_values {
  static bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    else return (void)x, false;
  }
  static bool wins(T x, T over) {
    if (is_nan(x) || is_nan(over)) return is_nan(x) && !is_nan(over);
    return std::is_same_v<Op, op::max> ? x > over : x < over;
  }
  static KROTON_INLINE T of(T const* x, std::ptrdiff_t n) {
    if constexpr (std::is_floating_point_v<T>) {
      constexpr auto width = static_cast<std::ptrdiff_t>(xsimd::batch<T>::size);
      if (n >= width) return of_batches(x, n);
    }
    // A comparison drops NaN, which is looked for apart: the loop has no branch.
    T best = Op::template start<T>();
    bool has_nan = false;
    for (std::ptrdiff_t k = 0; k < n; ++k) {
      if constexpr (std::is_same_v<Op, op::max>) best = x[k] > best ? x[k] : best;
      else best = x[k] < best ? x[k] : best;
      has_nan |= x[k] != x[k];
    }
    if constexpr (std::is_floating_point_v<T>)
      if (has_nan) return std::numeric_limits<T>::quiet_NaN();
    return best;
  }
  static KROTON_INLINE T of_batches(T const* x, std::ptrdiff_t n) {
    using batch = xsimd::batch<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
    auto const combine = [](batch const& a, batch const& b) {
      if constexpr (std::is_same_v<Op, op::max>) return xsimd::max(a, b);
      else return xsimd::min(a, b);
    };
    // The last one may have elements of the one before again.
    batch const first = batch::load_unaligned(x), last = batch::load_unaligned(x + n - width);
    batch found[4] = {first, last, first, last};
    auto unordered = xsimd::isnan(first) | xsimd::isnan(last);
    std::ptrdiff_t k = width;
    for (; k + 4 * width < n; k += 4 * width)
      for (int c = 0; c < 4; ++c) {
        batch const next = batch::load_unaligned(x + k + c * width);
        unordered = unordered | xsimd::isnan(next);
        found[c] = combine(found[c], next);
      }
    for (; k + width < n; k += width) {
      batch const next = batch::load_unaligned(x + k);
      unordered = unordered | xsimd::isnan(next);
      found[0] = combine(found[0], next);
    }
    if (xsimd::any(unordered)) return std::numeric_limits<T>::quiet_NaN();
    return horizontal<Op>(combine(combine(found[0], found[1]), combine(found[2], found[3])));
  }
  static std::ptrdiff_t place(T const* x, std::ptrdiff_t n, T found) {
    std::ptrdiff_t k = 0;
    while (k < n && !(x[k] == found || (is_nan(found) && is_nan(x[k])))) ++k;
    return k;
  }
};

}  // namespace lines

template <>
struct kernel<op::sparse_extremum> {
  template <lines::number T>
    requires(!is_complex_number<T>)
  static void run(core::invocation const& call) {
    if (call.attribute(0) == 0) run_as<op::max, T>(call);
    else run_as<op::min, T>(call);
  }

 private:
  template <class Op, class T>
  static void run_as(core::invocation const& call) {
    sparse_lines pattern(op::sparse_extremum::name, call.operand(1), call.operand(2),
                         lines::inner_extent(call.operand(3)));
    dense_vector<T> const values(call.operand(0));
    switch (static_cast<ops::extrema_of>(call.attribute(1))) {
      case ops::extrema_of::lines: return of_lines<Op>(call, pattern, values.data());
      case ops::extrema_of::indices: return of_indices<Op>(call, pattern, values.data());
      case ops::extrema_of::everything: return of_all<Op>(call, pattern, values.data());
    }
  }
  struct targets {
    std::int64_t *position, *place;
    explicit targets(core::invocation const& call)
        : position(lines::target<std::int64_t>(call, 1)),
          place(lines::target<std::int64_t>(call, 2)) {}
    void store(std::ptrdiff_t i, std::ptrdiff_t at, std::ptrdiff_t value) const {
      if (position != nullptr) position[i] = at;
      if (place != nullptr) place[i] = value;
    }
  };

  template <class Op, class T>
  static void of_lines(core::invocation const& call, sparse_lines& pattern, T const* value) {
    using extremum = lines::extremum_of_values<Op, T>;
    T* const out = lines::target<T>(call);
    targets const to(call);
    std::int32_t const* const index = pattern.indices();
    bool const finds = to.position != nullptr || to.place != nullptr;
    pattern.for_each_line([=, inner = pattern.inner()](std::ptrdiff_t i, std::ptrdiff_t begin,
                                                       std::ptrdiff_t end) {
      std::ptrdiff_t const n = end - begin;
      T best = extremum::of(value + begin, n);
      bool const has_zero = n < inner;
      if (!finds) {
        if (out != nullptr) out[i] = has_zero && extremum::wins(T(0), best) ? T(0) : best;
        return;
      }
      std::ptrdiff_t const k = extremum::place(value + begin, n, best);
      std::ptrdiff_t zero = 0;  // the first index that is not stored
      while (has_zero && zero < n && index[begin + zero] == zero) ++zero;
      bool const is_zero = has_zero && (n == 0 || extremum::wins(T(0), best) ||
                                        (best == T(0) && zero < index[begin + k]));
      if (out != nullptr) out[i] = is_zero ? T(0) : best;
      if (is_zero) to.store(i, zero, -1);
      else to.store(i, index[begin + k], begin + k);
    });
  }
  template <class Op, class T>
  static void of_indices(core::invocation const& call, sparse_lines& pattern, T const* value) {
    using extremum = lines::extremum_of_values<Op, T>;
    auto const inner = static_cast<std::size_t>(pattern.inner());
    std::vector<T> kept;
    T* best = lines::target<T>(call);
    if (best == nullptr) kept.resize(inner), best = kept.data();
    targets const to(call);
    std::fill(best, best + inner, Op::template start<T>());
    std::vector<std::int32_t> counts(inner);
    std::int32_t* const count = counts.data();
    std::int32_t const* const index = pattern.indices();
    bool const finds = to.position != nullptr || to.place != nullptr;
    if (!finds) {
      pattern.for_each_line([=](std::ptrdiff_t, std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (std::ptrdiff_t k = begin; k < end; ++k) {
          std::int32_t const j = index[k];
          best[j] = Op::template combine<T>(best[j], value[k]);
          ++count[j];
        }
      });
      for (std::size_t j = 0; j < inner; ++j)
        if (counts[j] < pattern.count()) best[j] = Op::template combine<T>(best[j], T(0));
      return;
    }
    struct found {
      std::int64_t line = -1, place = -1, zero = 0;  // zero: the first line without the index
    };
    std::vector<found> all(inner);
    pattern.for_each_line([&](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t k = begin; k < end; ++k) {
        std::int32_t const j = index[k];
        found& f = all[static_cast<std::size_t>(j)];
        if (f.place < 0 || extremum::wins(value[k], best[j]))
          best[j] = value[k], f.line = i, f.place = k;
        f.zero += f.zero == i;
      }
    });
    for (std::size_t j = 0; j < inner; ++j) {
      found const& f = all[j];
      bool const is_zero =
          f.zero < pattern.count() && (f.place < 0 || extremum::wins(T(0), best[j]) ||
                                       (best[j] == T(0) && f.zero < f.line));
      if (is_zero) best[j] = T(0);
      to.store(static_cast<std::ptrdiff_t>(j), is_zero ? f.zero : f.line, is_zero ? -1 : f.place);
    }
  }
  template <class Op, class T>
  static void of_all(core::invocation const& call, sparse_lines const& pattern, T const* value) {
    using extremum = lines::extremum_of_values<Op, T>;
    std::ptrdiff_t const n = pattern.size(), inner = pattern.inner();
    T best = extremum::of(value, n);
    bool const has_zero = n / inner < pattern.count();  // no line has more values than elements
    bool const is_zero = has_zero && (n == 0 || extremum::wins(T(0), best));
    if (T* const out = lines::target<T>(call)) *out = is_zero ? T(0) : best;
    targets const to(call);
    if (to.position == nullptr && to.place == nullptr) return;
    std::ptrdiff_t const place = is_zero ? -1 : extremum::place(value, n, best);
    to.store(0, place, place);
  }
};

}  // namespace kroton::cpu
