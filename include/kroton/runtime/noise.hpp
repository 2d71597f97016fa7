// Stochastic arithmetic: the interpreter perturbs every floating result by a rounding error, so that several runs show how well
// a value is determined. (J. Vignes, "A stochastic arithmetic for reliable scientific computation", 1993)
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace kroton::runtime {

/// While one of these lives, the interpreter of this thread is noisy.
class noise {
 public:
  explicit noise(std::uint64_t seed) : state_(seed * 2 + 1), outer_(current()) { current() = this; }
  ~noise() { current() = outer_; }
  noise(noise const&) = delete;
  noise& operator=(noise const&) = delete;

  /// The noise of this thread, or null.
  static noise*& current() {
    static thread_local noise* now = nullptr;
    return now;
  }

  /// Perturbs n results of an element type by at most one unit in the last place. Zeros stay.
  void perturb(element e, std::byte* values, std::ptrdiff_t n) {
    if (e == element::float64) perturb(reinterpret_cast<double*>(values), n);
    if (e == element::float32) perturb(reinterpret_cast<float*>(values), n);
  }

 private:
  template <class T>
  void perturb(T* x, std::ptrdiff_t n) {
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      int const direction = static_cast<int>(state_ >> 61) % 3 - 1;
      if (direction != 0 && std::isfinite(x[i]) && x[i] != T(0)) x[i] += T(direction) * std::numeric_limits<T>::epsilon() * x[i];
    }
  }

  std::uint64_t state_;
  noise* outer_;
};

}  // namespace kroton::runtime
