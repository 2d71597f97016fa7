// Stochastic arithmetic: every floating result is perturbed by a rounding error, so that several runs show how well a value is
// determined. (J. Vignes, "A stochastic arithmetic for reliable scientific computation", 1993)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/runtime/observer.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace kroton::runtime {

/// Perturbs what the interpreter computes by at most one unit in the last place. Zeros stay.
class noise final : public observer {
 public:
  explicit noise(std::uint64_t seed) : state_(seed * 2 + 1) {}

  void see(computed_block const& block) override {
    // A complex number is two real ones.
    std::ptrdiff_t const n = core::is_complex(block.to) ? 2 * block.n : block.n;
    if (core::real_of(block.to) == element::float64) perturb(reinterpret_cast<double*>(block.out), n);
    if (core::real_of(block.to) == element::float32) perturb(reinterpret_cast<float*>(block.out), n);
  }

 private:
  template <class T>
  void perturb(T* x, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      int const direction = static_cast<int>(state_ >> 61) % 3 - 1;
      if (direction != 0 && std::isfinite(x[i])) x[i] += T(direction) * std::numeric_limits<T>::epsilon() * x[i];
    }
  }

  std::uint64_t state_;
};

}  // namespace kroton::runtime
