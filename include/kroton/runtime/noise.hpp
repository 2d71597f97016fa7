// Stochastic arithmetic: every floating-point result is perturbed by a rounding error, so that
// several runs show how well a value is determined. (J. Vignes, "A stochastic arithmetic for
// reliable scientific computation", 1993)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/selection.hpp>
#include <kroton/runtime/observer.hpp>
#include <kroton/runtime/visit.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

namespace kroton::runtime {

/// Perturbs the interpreter's results by at most one unit in the last place: for a sum or a
/// difference, that of the larger operand; for a complex number, that of its modulus; and for an
/// element of a product of matrices, that of the norms of its row and column, as another order of
/// summation may. Zeros that are not such sums are not perturbed. A result out of range has no
/// value in real arithmetic, so an overflow gives NaN, a product that vanishes a subnormal number,
/// and a comparison with NaN either answer.
class noise final : public observer {
 public:
  /// With `ieee`, results out of range are intended, and are kept.
  explicit noise(std::uint64_t seed, bool ieee = false) : state_(seed), ieee_(ieee) {}

  void see(computed_block const& block) override {
    if (block.to == element::float64) perturb<double>(block);
    if (block.to == element::float32) perturb<float>(block);
    if (block.to == element::complex128) perturb<std::complex<double>>(block);
    if (block.to == element::complex64) perturb<std::complex<float>>(block);
    if (block.to == element::boolean && !ieee_ && compares(block))
      visit_element(block.from, [&]<class T>(std::type_identity<T>) { decide<T>(block); });
  }
  void see_whole(whole_result const& result) override {
    if (result.in_count != 2) return;  // a reduction, whose operand was perturbed
    if (result.type == element::float64) perturb<double>(result);
    if (result.type == element::float32) perturb<float>(result);
    if (result.type == element::complex128) perturb<std::complex<double>>(result);
    if (result.type == element::complex64) perturb<std::complex<float>>(result);
  }

 private:
  template <class T>
  using part_of = decltype(std::real(T()));
  template <class... Op>
  static bool is_one_of(core::op_info const* op) {
    return (core::is_op<Op>(op) || ...);
  }
  static bool compares(computed_block const& block) {
    return core::is_continuous(block.from) &&
           is_one_of<op::eq, op::neq, op::lt, op::le, op::gt, op::ge>(block.op);
  }
  /// SplitMix64, whose streams of neighbouring seeds are not correlated.
  std::uint64_t random() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  template <class T>
  void err(T& x, double size) {
    int const to = static_cast<int>(random() % 3) - 1;
    if (to == 0 || size == 0 || !std::isfinite(x) || !std::isfinite(size)) return;
    // A subnormal number has fewer digits: its last place is the smallest positive number.
    double const unit = std::max(static_cast<double>(std::numeric_limits<T>::epsilon()) * size,
                                 static_cast<double>(std::numeric_limits<T>::denorm_min()));
    x += static_cast<T>(to * unit);
  }
  template <class T>
  void err(std::complex<T>& z, double size) {
    T parts[] = {z.real(), z.imag()};
    for (T& x : parts) err(x, size);
    z = {parts[0], parts[1]};
  }
  template <class T>
  void perturb(computed_block const& block) {
    T* const x = reinterpret_cast<T*>(block.out);
    bool const alike =
        block.in_count != 0 && block.from == block.to && !core::is_op<op::where>(block.op);
    bool const sum = block.in_count == 2 && alike && is_one_of<op::add, op::sub>(block.op);
    bool const product =
        alike && is_one_of<op::mul, op::div, op::sqr, op::inv, op::pow, op::exp>(block.op);
    auto in = [&](int k, std::ptrdiff_t i) {
      return static_cast<double>(std::abs(reinterpret_cast<T const*>(block.in[k])[i]));
    };
    auto each_operand = [&](std::ptrdiff_t i, auto holds) {
      bool all = true;
      for (int k = 0; k < block.in_count; ++k) all = all && holds(in(k, i));
      return all;
    };
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      auto const size = static_cast<double>(std::abs(x[i]));
      if (!ieee_ && alike && !std::isfinite(size) &&
          each_operand(i, [](double v) { return std::isfinite(v); }))
        x[i] = std::numeric_limits<part_of<T>>::quiet_NaN();
      bool const vanishes = !ieee_ && product && size == 0 &&
                            each_operand(i, [](double v) { return std::isfinite(v) && v != 0; });
      err(x[i], vanishes ? static_cast<double>(std::numeric_limits<part_of<T>>::denorm_min())
                : sum    ? std::max(in(0, i), in(1, i))
                         : size);
    }
  }
  template <class T>
  void decide(computed_block const& block) {
    for (std::ptrdiff_t i = 0; i < block.n; ++i) {
      bool undefined = false;
      for (int k = 0; k < block.in_count; ++k) {
        T const x = reinterpret_cast<T const*>(block.in[k])[i];
        undefined = undefined || !(x == x);
      }
      if (undefined) reinterpret_cast<bool*>(block.out)[i] = random() % 2 != 0;
    }
  }
  /// The norms of the rows of a matrix, or of its columns; a vector has one for either.
  template <class T>
  static std::vector<double> norms(core::array_ref const& a, bool rows) {
    int const along = a.rank == 1 || rows ? a.rank - 1 : 0;
    std::ptrdiff_t const count = a.rank == 1 ? 1 : a.extents[1 - along],
                         step = a.rank == 1 ? 0 : a.strides[1 - along];
    std::vector<double> result;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      double sum = 0;
      for (std::ptrdiff_t m = 0; m < a.extents[along]; ++m) {
        auto const x = static_cast<double>(
            std::abs(reinterpret_cast<T const*>(a.data)[i * step + m * a.strides[along]]));
        sum += x * x;
      }
      result.push_back(std::sqrt(sum));
    }
    return result;
  }
  template <class T>
  void perturb(whole_result const& product) {
    std::vector<double> const rows = norms<T>(product.in[0], true),
                              columns = norms<T>(product.in[1], false);
    T* x = reinterpret_cast<T*>(product.to.data);
    for (double row : rows)
      for (double column : columns) err(*x++, row * column);
  }

  std::uint64_t state_;
  bool ieee_;
};

}  // namespace kroton::runtime
