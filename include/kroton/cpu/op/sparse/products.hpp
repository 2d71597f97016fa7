// Products of sparse matrices with dense vectors and matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/machine.hpp>
#include <kroton/cpu/op/sparse/lines.hpp>
#include <kroton/cpu/simd/horizontal.hpp>
#include <kroton/ops/sparse/products.hpp>

#include <cstring>
#include <type_traits>

namespace kroton::cpu {

namespace lines {

/// Element types of sparse matrices.
template <class T>
concept number = (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || is_complex_number<T>;

/// sum + a * b, of complex numbers by the textbook formula.
template <class T>
KROTON_INLINE T plus_product(T sum, T a, T b) {
  if constexpr (is_complex_number<T>) return sum + times(a, b);
  else return static_cast<T>(sum + a * b);
}

/// A batch of elements; one element of types that are not computed in batches.
template <class T>
struct single {
  T value{};
  static constexpr std::size_t size = 1;
  static single load(T const* x) { return {*x}; }
  void store(T* x) const { *x = value; }
  void add(single a, single b) { value = plus_product(value, a.value, b.value); }
  static T total(single a, single b) { return static_cast<T>(a.value + b.value); }
};
template <class T>
struct several {
  xsimd::batch<T> value = xsimd::batch<T>(T(0));
  static constexpr std::size_t size = xsimd::batch<T>::size;
  static several load(T const* x) { return {xsimd::batch<T>::load_unaligned(x)}; }
  void store(T* x) const { value.store_unaligned(x); }
  void add(several const& a, several const& b) { value = xsimd::fma(a.value, b.value, value); }
  static T total(several const& a, several const& b) {
    return horizontal<op::sum>(a.value + b.value);
  }
};
template <class B, class T>
B repeated(T x) {
  if constexpr (B::size == 1) return {x};
  else return {xsimd::batch<T>(x)};
}
template <class T>
using widest = std::conditional_t<std::is_floating_point_v<T>, several<T>, single<T>>;

/// Calls run<B, N>(first column) for blocks of columns, of N batches B each: as many as stay in
/// registers, then fewer, then single elements.
template <class T, class Run>
void for_each_block(std::ptrdiff_t columns, Run const& run) {
  using B = widest<T>;
  constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
  std::ptrdiff_t c = 0;
  for (; c + 8 * width <= columns; c += 8 * width) run.template operator()<B, 8>(c);
  if (c + 4 * width <= columns) run.template operator()<B, 4>(c), c += 4 * width;
  if (c + 2 * width <= columns) run.template operator()<B, 2>(c), c += 2 * width;
  if (c + width <= columns) run.template operator()<B, 1>(c), c += width;
  for (; c < columns; ++c) run.template operator()<single<T>, 1>(c);
}

/// The sum of values times the elements of x that indices name, from `begin` to `end`. Long sums
/// are four, so that no addition waits for the one before; those of short lines overlap anyway.
template <bool AreLong, class T>
KROTON_INLINE T line_times_vector(T const* value, std::int32_t const* index, T const* x,
                                  std::ptrdiff_t begin, std::ptrdiff_t end) {
  T sum{};
  std::ptrdiff_t k = begin;
  if constexpr (AreLong) {
    T more[3]{};
    auto const add = [&](T& to, std::ptrdiff_t at) {
      to = plus_product(to, value[at], x[index[at]]);
    };
    for (; k + 4 <= end; k += 4)
      add(sum, k), add(more[0], k + 1), add(more[1], k + 2), add(more[2], k + 3);
    sum = static_cast<T>((sum + more[0]) + (more[1] + more[2]));
  }
  for (; k < end; ++k) sum = plus_product(sum, value[k], x[index[k]]);
  return sum;
}

/// The same for rows of a matrix, `step` elements apart.
template <class T>
KROTON_INLINE void line_times_rows(T const* value, std::int32_t const* index, std::ptrdiff_t begin,
                                   std::ptrdiff_t end, T const* x, std::ptrdiff_t step,
                                   std::ptrdiff_t columns, T* out) {
  for_each_block<T>(columns, [=]<class B, int N>(std::ptrdiff_t c) {
    constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
    T const* const from = x + c;
    B sum[static_cast<std::size_t>(N)]{};
    for (std::ptrdiff_t k = begin; k < end; ++k) {
      B const factor = repeated<B>(value[k]);
      T const* const row = from + index[k] * step;
      for (int j = 0; j < N; ++j) sum[j].add(factor, B::load(row + j * width));
    }
    T* const to = out + c;
    for (int j = 0; j < N; ++j) sum[j].store(to + j * width);
  });
}

/// The number that indices count.
inline std::ptrdiff_t inner_extent(core::array_ref const& scalar) {
  std::int64_t n = 0;
  std::memcpy(&n, scalar.data, sizeof n);
  return static_cast<std::ptrdiff_t>(n);
}

}  // namespace lines

// The loops below read by pointers of their own: stores of batches may overlap any other object,
// whose members would be loaded again after each of them.

struct product_by_lines {
  template <lines::number T>
  static void run(core::invocation const& call, std::string_view name,
                  sparse_lines::has_lines which) {
    sparse_lines pattern(name, call.operand(2), call.operand(3),
                         lines::inner_extent(call.operand(4)), which);
    dense_vector<T> const values(call.operand(0));
    T* const out = reinterpret_cast<T*>(call.result().data);
    core::array_ref vector = call.operand(1);
    if (vector.rank == 1 || vector.extents[1] == 1) {
      vector.rank = 1;  // also a matrix of one column
      return times_vector(pattern, values.data(), vector, out);
    }
    dense_rows<T> const dense(call.operand(1));
    std::ptrdiff_t const columns = dense.columns(), stride = dense.stride();
    pattern.for_each_line([&](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
      lines::line_times_rows(values.data(), pattern.indices(), begin, end, dense(0), stride,
                             columns, out + i * columns);
    });
  }

 private:
  template <class T>
  static void times_vector(sparse_lines& pattern, T const* value, core::array_ref const& vector,
                           T* out) {
    dense_vector<T> const dense(vector);
    T const* const x = dense.data();
    std::int32_t const* const index = pattern.indices();
    if (pattern.entries() < machine::min_split_line * pattern.count()) {
      pattern.for_each_line([=](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
        out[i] = lines::line_times_vector<false>(value, index, x, begin, end);
      });
    } else {
      pattern.for_each_line([=](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
        out[i] = lines::line_times_vector<true>(value, index, x, begin, end);
      });
    }
  }
};
template <>
struct kernel<op::csr_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    product_by_lines::run<T>(call, op::csr_dot::name, sparse_lines::has_lines::all);
  }
};
template <>
struct kernel<op::csr_lines_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    product_by_lines::run<T>(call, op::csr_lines_dot::name, sparse_lines::has_lines::some);
  }
};

template <>
struct kernel<op::csr_transposed_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    sparse_lines pattern(op::csr_transposed_dot::name, call.operand(2), call.operand(3),
                         lines::inner_extent(call.operand(4)));
    dense_vector<T> const values(call.operand(0));
    dense_rows<T> const dense(call.operand(1));
    T* const out = reinterpret_cast<T*>(call.result().data);
    std::fill(out, out + call.result().size(), T{});
    std::ptrdiff_t const columns = dense.columns();
    if (columns == 1) {
      T const *const value = values.data(), *const from = dense(0);
      std::int32_t const* const index = pattern.indices();
      std::ptrdiff_t const step = dense.stride();
      return pattern.for_each_line([=](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
        T const factor = from[i * step];
        for (std::ptrdiff_t k = begin; k < end; ++k)
          out[index[k]] = lines::plus_product(out[index[k]], value[k], factor);
      });
    }
    pattern.for_each_line([&](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
      lines::for_each_block<T>(columns, [&]<class B, int N>(std::ptrdiff_t c) {
        constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
        T const *const value = values.data(), *const from = dense(i) + c;
        std::int32_t const* const index = pattern.indices();
        std::ptrdiff_t const step = columns, last = end;
        T* const first = out + c;
        B row[static_cast<std::size_t>(N)];
        for (int j = 0; j < N; ++j) row[j] = B::load(from + j * width);
        for (std::ptrdiff_t k = begin; k < last; ++k) {
          B const factor = lines::repeated<B>(value[k]);
          T* const to = first + index[k] * step;
          for (int j = 0; j < N; ++j) {
            B sum = B::load(to + j * width);
            sum.add(factor, row[j]);
            sum.store(to + j * width);
          }
        }
      });
    });
  }
};

template <>
struct kernel<op::sampling> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    dense_rows<T> const left(call.operand(0)), right(call.operand(1));
    sparse_lines pattern(op::sampling::name, call.operand(2), call.operand(3),
                         call.operand(1).extents[0]);
    T* const out = reinterpret_cast<T*>(call.result().data);
    std::ptrdiff_t const columns = left.columns(), step = right.stride();
    std::int32_t const* const index = pattern.indices();
    T const *const first = left(0), *const second = right(0);
    std::ptrdiff_t const stride = left.stride();
    if (columns == 1)
      return pattern.for_each_line([=](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
        T const factor = first[i * stride];
        for (std::ptrdiff_t k = begin; k < end; ++k)
          out[k] = static_cast<T>(times(factor, second[index[k] * step]));
      });
    pattern.for_each_line([=](std::ptrdiff_t i, std::ptrdiff_t begin, std::ptrdiff_t end) {
      T const* const row = first + i * stride;
      std::ptrdiff_t k = begin;
      if constexpr (std::is_floating_point_v<T>)
        for (constexpr auto group = static_cast<std::ptrdiff_t>(lines::several<T>::size);
             columns >= group && k + group <= end; k += group)
          inner_products(row, second, index + k, step, columns, out + k);
      for (; k < end; ++k) out[k] = inner_product(row, second + index[k] * step, columns);
    });
  }

 private:
  // Of as many rows as a batch has lanes, whose sums across lanes are then taken together.
  template <class T>
  static KROTON_INLINE void inner_products(T const* a, T const* rows, std::int32_t const* index,
                                           std::ptrdiff_t step, std::ptrdiff_t n, T* out) {
    using B = xsimd::batch<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
    T const* row[B::size];
    B sum[B::size];
    for (std::size_t j = 0; j < B::size; ++j) row[j] = rows + index[j] * step, sum[j] = B(T(0));
    std::ptrdiff_t c = 0;
    for (; c + width <= n; c += width) {
      B const factor = B::load_unaligned(a + c);
      for (std::size_t j = 0; j < B::size; ++j)
        sum[j] = xsimd::fma(factor, B::load_unaligned(row[j] + c), sum[j]);
    }
    T rest[B::size]{};
    for (; c < n; ++c)
      for (std::size_t j = 0; j < B::size; ++j) rest[j] += a[c] * row[j][c];
    (horizontals<op::sum>(sum) + B::load_unaligned(rest)).store_unaligned(out);
  }
  template <class T>
  static KROTON_INLINE T inner_product(T const* a, T const* b, std::ptrdiff_t n) {
    using B = lines::widest<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
    T total{};
    std::ptrdiff_t c = 0;
    if (n >= width) {
      B sum[2]{};
      for (; c + 2 * width <= n; c += 2 * width) {
        sum[0].add(B::load(a + c), B::load(b + c));
        sum[1].add(B::load(a + c + width), B::load(b + c + width));
      }
      if (c + width <= n) sum[0].add(B::load(a + c), B::load(b + c)), c += width;
      total = B::total(sum[0], sum[1]);
    }
    for (; c < n; ++c) total = lines::plus_product(total, a[c], b[c]);
    return total;
  }
};

}  // namespace kroton::cpu
