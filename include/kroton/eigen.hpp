// Results in Eigen's matrices and vectors. No part of kroton.hpp; it needs Eigen. Arguments and
// targets of into are Eigen's without it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/function/function.hpp>

#if __has_include(<Eigen/Core>)
#include <Eigen/Core>
#else
#include <eigen3/Eigen/Core>
#endif

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton {
namespace functions {

/// Eigen's type for a result: numbers stay, a vector is a column. Void for more dimensions.
template <class R>
struct eigen_result {
  using type = std::conditional_t<number<R>, R, void>;
};
template <class T>
struct eigen_result<xt::xtensor<T, 1>> {
  using type = Eigen::Matrix<T, Eigen::Dynamic, 1>;
};
template <class T>
struct eigen_result<xt::xtensor<T, 2>> {
  using type = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
};
template <class T, std::size_t N>
struct eigen_result<xt::xtensor_fixed<T, xt::xshape<N>>> {
  using type = Eigen::Matrix<T, static_cast<int>(N), 1>;
};
// A type with one row or column is a vector to Eigen, and not a matrix of rank 2.
constexpr int eigen_extent(std::size_t n) { return n == 1 ? Eigen::Dynamic : static_cast<int>(n); }
template <class T, std::size_t N, std::size_t M>
struct eigen_result<xt::xtensor_fixed<T, xt::xshape<N, M>>> {
  using type = Eigen::Matrix<T, eigen_extent(N), eigen_extent(M)>;
};
template <class R>
using eigen_result_t = typename eigen_result<R>::type;

template <class R>
struct eigen_results {
  static constexpr bool exist = !std::is_void_v<eigen_result_t<R>>;
  template <class F, class... A>
  static auto of(F& f, A const&... arguments) {
    eigen_result_t<R> y{};
    f.into(y, arguments...);
    return y;
  }
};
template <class... R>
struct eigen_results<std::tuple<R...>> {
  static constexpr bool exist = (!std::is_void_v<eigen_result_t<R>> && ...);
  template <class F, class... A>
  static auto of(F& f, A const&... arguments) {
    std::tuple<eigen_result_t<R>...> y{};
    f.into(std::apply([](auto&... one) { return std::tie(one...); }, y), arguments...);
    return y;
  }
};

/// The result of kt::eigen.
template <class F>
class eigen_function {
 public:
  explicit eigen_function(F f) : f_(std::move(f)) {}

  template <class... A>
  auto operator()(A const&... arguments) {
    using results = eigen_results<std::remove_cvref_t<decltype(f_(arguments...))>>;
    static_assert(results::exist,
                  "kt::eigen: a result has more dimensions than a matrix; take it "
                  "from the function itself, or by into");
    if constexpr (results::exist) return results::of(f_, arguments...);
  }
  /// The function itself.
  F& function() { return f_; }

 private:
  F f_;
};

}  // namespace functions

/// A function whose results are Eigen's: numbers stay numbers, vectors are Eigen::VectorXd and
/// matrices Eigen::MatrixXd, or those of the element type; where the extents are known by
/// `kt::fixed`, the fixed-size ones. Several are a std::tuple:
///
///     auto f = kt::eigen(kt::function([](kt::dmatrix a, kt::dvector x) { return dot(a, x); }));
///     Eigen::VectorXd y = f(a, x);
template <class F>
  requires requires(F& f) { f.executor(); }
auto eigen(F f) {
  return functions::eigen_function<F>(std::move(f));
}

}  // namespace kroton
