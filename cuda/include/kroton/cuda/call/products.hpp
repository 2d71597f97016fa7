// Products on a device: matrices by its BLAS, vectors and integers by reductions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/call/chain.hpp>
#include <kroton/cuda/call/launch.hpp>

#include <cstring>

namespace kroton::cuda {

/// Of factors: -0.0 is not 0.0, and a NaN is itself.
template <class T>
bool are_same_bits(T const& a, T const& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// A matrix as BLAS takes it: rows one after the other, `leading` elements apart, or columns.
template <class T>
struct blas_matrix {
  T const* data = nullptr;
  bool is_transposed = false;
  std::int64_t leading = 1;
  bool operator==(blas_matrix const&) const = default;
};
/// c = alpha * a.b + beta * c for row-major matrices; c is contiguous. A batch is as many products,
/// whose matrices lie so many elements apart: 0 repeats a factor.
template <class T>
struct blas_product {
  std::int64_t rows, inner, columns;
  T alpha, beta;
  blas_matrix<T> a, b;
  T* c;
  bool takes_tf32 = false;
  std::int64_t count = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  friend bool operator==(blas_product const& x, blas_product const& y) {
    return x.rows == y.rows && x.inner == y.inner && x.columns == y.columns &&
           are_same_bits(x.alpha, y.alpha) && are_same_bits(x.beta, y.beta) && x.a == y.a &&
           x.b == y.b && x.c == y.c && x.takes_tf32 == y.takes_tf32 && x.count == y.count &&
           x.stride_a == y.stride_a && x.stride_b == y.stride_b && x.stride_c == y.stride_c;
  }
};

/// A matrix as BLAS takes it; without data where neither of its strides is 1.
template <class T>
blas_matrix<T> blas_layout(core::array_ref const& m) {
  std::ptrdiff_t const rows = m.extents[0], columns = m.extents[1];
  auto const* const data = reinterpret_cast<T const*>(m.data);
  if ((m.strides[1] == 1 || columns == 1) && (m.strides[0] >= columns || rows == 1))
    return {data, false, rows == 1 ? columns : m.strides[0]};
  if ((m.strides[0] == 1 || rows == 1) && (m.strides[1] >= rows || columns == 1))
    return {data, true, columns == 1 ? rows : m.strides[1]};
  return {};
}
/// The same for a matrix of a device, packed into memory that `room` gives where it has to be.
template <class Device, class T, class Room>
blas_matrix<T> as_blas_matrix(core::array_ref const& m, Room room) {
  if (blas_matrix<T> const as_it_is = blas_layout<T>(m); as_it_is.data != nullptr) return as_it_is;
  core::array_ref packed = m;
  packed.make_contiguous_strides();
  packed.data = room(static_cast<std::size_t>(m.size()) * sizeof(T));
  copy_on<Device>(packed, m);
  return {reinterpret_cast<T const*>(packed.data), false, m.extents[1]};
}

/// How the sum of a product is stored: alpha * sum + beta * what was there, which is not read where
/// beta is 0.
template <class T>
struct store_scaled {
  T alpha, beta;
  template <class Sum>
  KROTON_HOST_DEVICE KROTON_INLINE void operator()(T* to, Sum sum) const {
    T const scaled = ops::times(alpha, static_cast<T>(sum));
    *to = beta == T(0) ? scaled : ops::plus(scaled, ops::times(beta, *to));
  }
  friend bool operator==(store_scaled const& x, store_scaled const& y) {
    return are_same_bits(x.alpha, y.alpha) && are_same_bits(x.beta, y.beta);
  }
};
template <class T>
using products_summed = expression<input<T, 0, 3, 2>, input<T, 1, 3, 1>, apply<op::mul, 0, 1>,
                                   apply<with<op::sum, 1>, 2>>;

/// c = alpha * a.b + beta * c for every pairing of vectors and matrices on a device; c is
/// contiguous.
template <class T, class Device>
void multiply_on(device_frame<Device>& f, core::array_ref const& a, core::array_ref const& b,
                 core::array_ref const& c, T alpha, T beta) {
  std::ptrdiff_t const inner = a.extents[a.rank - 1];
  std::ptrdiff_t const rows = a.rank == 2 ? a.extents[0] : 1,
                       columns = b.rank == 2 ? b.extents[1] : 1;
  if (rows == 0 || columns == 0) return;
  if constexpr (std::is_floating_point_v<T>) {
    if (rows > 1 && columns > 1 && inner > 0) {
      std::size_t const bytes_of_a = static_cast<std::size_t>(rows * inner) * sizeof(T),
                        bytes_of_b = static_cast<std::size_t>(inner * columns) * sizeof(T);
      // Both may need room.
      std::byte* const room = a.contiguous() && b.contiguous()
                                  ? nullptr
                                  : f.device_scratch(bytes_of_a + bytes_of_b + 256);
      auto const at_start = [&](std::size_t) { return room; };
      auto const behind = [&](std::size_t) { return room + (bytes_of_a + 255) / 256 * 256; };
      return Device::multiply(blas_product<T>{
          rows, inner, columns, alpha, beta, as_blas_matrix<Device, T>(a, at_start),
          as_blas_matrix<Device, T>(b, behind), reinterpret_cast<T*>(c.data), f.takes_tf32()});
    }
  }
  using sums = products_summed<T>;
  auto const over_all = [&](std::byte* data, std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    return core::array_ref{data, 3, static_cast<int>(sizeof(T)), {rows, columns, inner}, {i, j, k}};
  };
  group_space<sums> group;
  group.whole.rank = 3;
  group.whole.extents[0] = rows;
  group.whole.extents[1] = columns;
  group.whole.extents[2] = inner;
  group.add_operand(0, over_all(a.data, a.rank == 2 ? a.strides[0] : 0, 0, a.strides[a.rank - 1]),
                    side::device);
  group.add_operand(1, over_all(b.data, 0, b.rank == 2 ? b.strides[1] : 0, b.strides[0]),
                    side::device);
  group.add_result(0, core::array_ref{c.data, 2, c.bytes, {rows, columns}, {columns, 1}});
  launch_reduction<Device, sums, 1, false>(group, f.reductions(), store_scaled<T>{alpha, beta});
}

/// out = alpha * (the product of the factors) + beta * out, in the order chosen for the extents.
template <class Device, class T>
void multiply_chain_on(cpu::step_view const& s, core::array_ref const& out, T alpha, T beta) {
  if (out.size() == 0) return;
  auto& f = static_cast<device_frame<Device>&>(s.f);
  cpu::chain_choice& c = cpu::chosen<cpu::chain_step>(s);
  std::byte* const memory = f.device_extra(s.result(0), c.slots.back());
  for (cpu::chain_product& p : c.products)
    if (p.slot >= 0) p.result.data = memory + c.slots[static_cast<std::size_t>(p.slot)];
  auto const operand = [&](int k) -> core::array_ref const& {
    return k < c.factors() ? f.at(s.operand(k), side::device)
                           : c.products[static_cast<std::size_t>(k - c.factors())].result;
  };
  for (cpu::chain_product const& p : c.products) {
    if (p.slot >= 0) multiply_on<T>(f, operand(p.left), operand(p.right), p.result, T(1), T(0));
    else multiply_on<T>(f, operand(p.left), operand(p.right), out, alpha, beta);
  }
}

/// A step that multiplies, and may add the product to what it gets.
template <class Device, core::step_kind Kind, class T>
void run_product(cpu::step_view const& s) {
  auto& f = static_cast<device_frame<Device>&>(s.f);
  core::array_ref const& out = f.value(s.result(0));
  int const factors = core::factors_of(s.info.kind, s.info.operand_count);
  T alpha(1), beta(0);
  if constexpr (Kind == core::step_kind::gemm) {
    copy_on<Device>(out, f.at(s.operand(factors), side::device));
    alpha = cpu::factor_in<T>(f.at(s.operand(factors + 1), side::host));
    beta = cpu::factor_in<T>(f.at(s.operand(factors + 2), side::host));
  }
  if constexpr (std::is_floating_point_v<T>)
    if (factors > 2) return multiply_chain_on<Device>(s, out, alpha, beta);
  multiply_on<T>(f, f.at(s.operand(0), side::device), f.at(s.operand(1), side::device), out, alpha,
                 beta);
}

}  // namespace kroton::cuda
