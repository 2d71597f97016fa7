// Stochastic arithmetic: every floating result is perturbed by a rounding error, so that several runs show how well a value is
// determined. (J. Vignes, "A stochastic arithmetic for reliable scientific computation", 1993)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/arithmetic.hpp>
#include <kroton/runtime/observer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace kroton::runtime {

/// Perturbs what the interpreter computes by at most one unit in the last place: of a sum or a difference, that of the larger
/// operand, and of an element of a product, that of the norms of its row and column, as another order of summation may. Zeros that
/// are not such sums stay.
class noise final : public observer {
 public:
  explicit noise(std::uint64_t seed) : state_(seed * 2 + 1) {}

  void see(computed_block const& block) override {
    if (block.to == element::float64) perturb<double>(block);
    if (block.to == element::float32) perturb<float>(block);
    if (!core::is_complex(block.to)) return;
    computed_block parts = block;  // a complex number is two real ones
    parts.n *= 2;
    if (block.to == element::complex128) perturb<double>(parts);
    else perturb<float>(parts);
  }
  void see_whole(whole_result const& result) override {
    if (result.in_count != 2) return;  // a reduction, of which the operand was perturbed
    if (result.type == element::float64) perturb<double>(result);
    if (result.type == element::float32) perturb<float>(result);
  }

 private:
  int direction() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>(state_ >> 61) % 3 - 1;
  }
  template <class T>
  void err(T& x, double size) {
    int const to = direction();
    if (to != 0 && std::isfinite(x) && std::isfinite(size)) x += static_cast<T>(to * static_cast<double>(std::numeric_limits<T>::epsilon()) * size);
  }
  template <class T>
  void perturb(computed_block const& block) {
    T* const x = reinterpret_cast<T*>(block.out);
    bool const sum = block.in_count == 2 && block.from == block.to && (core::is_op<op::add>(block.op) || core::is_op<op::sub>(block.op));
    auto in = [&](int k, std::ptrdiff_t i) { return static_cast<double>(std::abs(reinterpret_cast<T const*>(block.in[k])[i])); };
    for (std::ptrdiff_t i = 0; i < block.n; ++i)
      err(x[i], sum ? std::max(in(0, i), in(1, i)) : static_cast<double>(x[i]));
  }
  /// The norms of the rows of a matrix, or of its columns; a vector has one of either.
  template <class T>
  static std::vector<double> norms(core::array_ref const& a, bool rows) {
    int const along = a.rank == 1 || rows ? a.rank - 1 : 0;
    std::ptrdiff_t const count = a.rank == 1 ? 1 : a.extents[1 - along], step = a.rank == 1 ? 0 : a.strides[1 - along];
    std::vector<double> result;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::ptrdiff_t m = 0; m < a.extents[along]; ++m) {
        auto const x = static_cast<double>(reinterpret_cast<T const*>(a.data)[i * step + m * a.strides[along]]);
        sum += x * x;
      }
      result.push_back(std::sqrt(sum));
    }
    return result;
  }
  template <class T>
  void perturb(whole_result const& product) {
    std::vector<double> const rows = norms<T>(product.in[0], true), columns = norms<T>(product.in[1], false);
    T* x = reinterpret_cast<T*>(product.to.data);
    for (double row : rows)
      for (double column : columns) err(*x++, row * column);
  }

  std::uint64_t state_;
};

}  // namespace kroton::runtime
