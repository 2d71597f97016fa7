// Eigen's Levenberg-Marquardt method with residuals and Jacobian from two functions.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cstdio>
#include <unsupported/Eigen/NonLinearOptimization>

namespace kt = kroton;

constexpr auto residuals = [](kt::dvector p, kt::dvector t, kt::dvector y) {
  return p(0) * exp(-p(1) * t) - y;
};
constexpr auto transposed = [](kt::dvector p, kt::dvector t, kt::dvector y) {
  return jacobian(residuals(p, t, y), p).T();
};

struct problem {
  std::vector<double> t{}, y{};
  decltype(kt::function(residuals)) value = kt::function(residuals);
  decltype(kt::function(transposed)) slopes = kt::function(transposed);

  int values() const { return static_cast<int>(t.size()); }
  int operator()(Eigen::VectorXd const& p, Eigen::VectorXd& r) const {
    value.into(kt::into_pointer(r.data(), t.size()), p, t, y);
    return 0;
  }
  // Eigen's matrices lie by columns, so the rows written here are the columns of the Jacobian.
  int df(Eigen::VectorXd const& p, Eigen::MatrixXd& j) const {
    slopes.into(kt::into_pointer(j.data(), 2, t.size()), p, t, y);
    return 0;
  }
};

int main() {
  problem fit;
  for (int i = 0; i < 50; ++i) {
    fit.t.push_back(0.1 * i);
    fit.y.push_back(2.5 * std::exp(-0.8 * fit.t.back()));
  }
  Eigen::VectorXd p{{1, 1}};
  Eigen::LevenbergMarquardt<problem> method(fit);
  method.minimize(p);
  std::printf("%.6f %.6f after %d evaluations\n", p[0], p[1], static_cast<int>(method.nfev));
  return std::abs(p[0] - 2.5) + std::abs(p[1] - 0.8) < 1e-8 ? 0 : 1;
}
