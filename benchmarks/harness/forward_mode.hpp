// The peers that carry derivatives forward: Ceres' jets and Eigen's AutoDiffScalar, where they are found.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if defined(BENCH_CERES)
#include <ceres/jet.h>
#endif
#if defined(BENCH_EIGEN)
#include <Eigen/Core>
#include <unsupported/Eigen/AutoDiff>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>

namespace bench {

#if defined(BENCH_CERES)
/// A number's value and derivatives with respect to N numbers, by Ceres.
template <std::size_t N, class F>
auto with_jets(F f) {
  return [f](auto... x) {
    using jet = ceres::Jet<double, static_cast<int>(N)>;
    int k = 0;
    std::array<jet, N> const in{jet(x, k++)...};
    return std::apply(f, in);
  };
}
template <int N>
auto parts(ceres::Jet<double, N> const& j) {
  std::array<double, N + 1> all;
  all[0] = j.a;
  std::copy(j.v.data(), j.v.data() + N, all.data() + 1);
  return all;
}
#endif
#if defined(BENCH_EIGEN)
template <std::size_t N, class F>
auto with_autodiff(F f) {
  return [f](auto... x) {
    using derivatives = Eigen::Matrix<double, static_cast<int>(N), 1>;
    using scalar = Eigen::AutoDiffScalar<derivatives>;
    int k = 0;
    std::array<scalar, N> const in{scalar(x, static_cast<int>(N), k++)...};
    return std::apply(f, in);
  };
}
template <class S>
auto parts(Eigen::AutoDiffScalar<S> const& j) {
  constexpr int n = S::RowsAtCompileTime;
  std::array<double, n + 1> all;
  all[0] = j.value();
  std::copy(j.derivatives().data(), j.derivatives().data() + n, all.data() + 1);
  return all;
}
#endif

}  // namespace bench
