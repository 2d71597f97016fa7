// Products of sparse matrices with dense vectors and matrices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse_lines.hpp>
#include <kroton/ops/sparse/products.hpp>

#include <cstring>
#include <type_traits>

namespace kroton::cpu {

namespace lines {

/// Element types of sparse matrices.
template <class T> concept number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// A batch of elements; one element of types that are not computed in batches.
template <class T>
struct single {
  T value{};
  static constexpr std::size_t size = 1;
  static single load(T const* x) { return {*x}; }
  void store(T* x) const { *x = value; }
  void add(single a, single b) { value = static_cast<T>(value + a.value * b.value); }
  T total() const { return value; }
};
template <class T>
struct several {
  xsimd::batch<T> value = xsimd::batch<T>(T(0));
  static constexpr std::size_t size = xsimd::batch<T>::size;
  static several load(T const* x) { return {xsimd::batch<T>::load_unaligned(x)}; }
  void store(T* x) const { value.store_unaligned(x); }
  void add(several const& a, several const& b) { value = xsimd::fma(a.value, b.value, value); }
  T total() const { return xsimd::hadd(value); }
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

/// sum of value(k) * x(index(k)) for k from `begin` to `end`. Four sums, so that no addition waits
/// for the one before.
template <class T>
T line_times_vector(T const* value, std::int32_t const* index, T const* x, std::ptrdiff_t stride,
                    std::ptrdiff_t begin, std::ptrdiff_t end) {
  T sum[4]{};
  auto const add = [&](int chain, std::ptrdiff_t k) {
    sum[chain] = static_cast<T>(sum[chain] + value[k] * x[index[k] * stride]);
  };
  std::ptrdiff_t k = begin;
  for (; k + 4 <= end; k += 4) add(0, k), add(1, k + 1), add(2, k + 2), add(3, k + 3);
  for (; k < end; ++k) add(0, k);
  return static_cast<T>((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/// The number that indices count.
inline std::ptrdiff_t inner_extent(core::array_ref const& scalar) {
  std::int64_t n = 0;
  std::memcpy(&n, scalar.data, sizeof n);
  return static_cast<std::ptrdiff_t>(n);
}

}  // namespace lines

template <>
struct kernel<op::csr_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    sparse_lines pattern(op::csr_dot::name, call.operand(2), call.operand(3),
                         lines::inner_extent(call.operand(4)));
    dense_vector<T> const value(call.operand(0));
    dense_rows<T> const dense(call.operand(1));
    T* const out = reinterpret_cast<T*>(call.result().data);
    if (call.result().rank == 1) {
      for (std::ptrdiff_t i = 0; i < pattern.count(); ++i) {
        pattern.check(pattern.end(i));
        out[i] = lines::line_times_vector(value.data(), pattern.indices(), dense(0), dense.stride(),
                                          pattern.begin(i), pattern.end(i));
      }
      return;
    }
    std::ptrdiff_t const columns = dense.columns();
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i) {
      pattern.check(pattern.end(i));
      lines::for_each_block<T>(columns, [&]<class B, int N>(std::ptrdiff_t c) {
        constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
        B sum[N]{};
        for (std::ptrdiff_t k = pattern.begin(i); k < pattern.end(i); ++k) {
          B const factor = lines::repeated<B>(value[k]);
          T const* const row = dense(pattern.index(k)) + c;
          for (int j = 0; j < N; ++j) sum[j].add(factor, B::load(row + j * width));
        }
        for (int j = 0; j < N; ++j) sum[j].store(out + i * columns + c + j * width);
      });
    }
  }
};

template <>
struct kernel<op::csr_transposed_dot> {
  template <lines::number T>
  static void run(core::invocation const& call) {
    sparse_lines pattern(op::csr_transposed_dot::name, call.operand(2), call.operand(3),
                         lines::inner_extent(call.operand(4)));
    dense_vector<T> const value(call.operand(0));
    dense_rows<T> const dense(call.operand(1));
    T* const out = reinterpret_cast<T*>(call.result().data);
    std::fill(out, out + call.result().size(), T{});
    std::ptrdiff_t const columns = dense.columns();
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i) {
      pattern.check(pattern.end(i));
      lines::for_each_block<T>(columns, [&]<class B, int N>(std::ptrdiff_t c) {
        constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
        B row[N];
        for (int j = 0; j < N; ++j) row[j] = B::load(dense(i) + c + j * width);
        for (std::ptrdiff_t k = pattern.begin(i); k < pattern.end(i); ++k) {
          B const factor = lines::repeated<B>(value[k]);
          T* const to = out + pattern.index(k) * columns + c;
          for (int j = 0; j < N; ++j) {
            B sum = B::load(to + j * width);
            sum.add(factor, row[j]);
            sum.store(to + j * width);
          }
        }
      });
    }
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
    std::ptrdiff_t const columns = left.columns();
    using B = lines::widest<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(B::size);
    for (std::ptrdiff_t i = 0; i < pattern.count(); ++i) {
      pattern.check(pattern.end(i));
      T const* const a = left(i);
      for (std::ptrdiff_t k = pattern.begin(i); k < pattern.end(i); ++k) {
        T const* const b = right(pattern.index(k));
        T total{};
        std::ptrdiff_t c = 0;
        if (columns >= width) {
          B sum[2]{};
          for (; c + 2 * width <= columns; c += 2 * width) {
            sum[0].add(B::load(a + c), B::load(b + c));
            sum[1].add(B::load(a + c + width), B::load(b + c + width));
          }
          if (c + width <= columns) sum[0].add(B::load(a + c), B::load(b + c)), c += width;
          total = static_cast<T>(sum[0].total() + sum[1].total());
        }
        for (; c < columns; ++c) total = static_cast<T>(total + a[c] * b[c]);
        out[k] = total;
      }
    }
  }
};

}  // namespace kroton::cpu
