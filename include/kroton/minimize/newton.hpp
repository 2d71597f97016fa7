// The model of Newton's method: gradient and Hessian.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/lapack.hpp>
#include <kroton/minimize/options.hpp>
#include <kroton/minimize/trust_region.hpp>

namespace kroton::minimization {

/// A cost with its gradient and its Hessian, whose lower triangle is enough.
class second_order_objective {
 public:
  virtual ~second_order_objective() = default;
  virtual double evaluate(numbers const& x, numbers& gradient, numbers& hessian) = 0;
  virtual double precision() const = 0;
};

class newton_model final : public modelled_objective {
 public:
  newton_model(second_order_objective& f, std::size_t n, double tolerance)
      : f_(f), tolerance_(tolerance), n_(cpu::blas_int(static_cast<std::ptrdiff_t>(n))) {
    model.slope.resize(n);
    model.curvature.resize(n);
    model.scale.assign(n, 1);
    gradient.resize(n);
    hessian_.resize(n * n);
  }

  double evaluate(numbers const& x) override {
    double const value = cost = f_.evaluate(x, gradient, hessian_);
    if (value == -std::numeric_limits<double>::infinity()) return value;
    bool const is_usable = all_finite(gradient) && all_finite(hessian_);
    return is_usable ? value : std::numeric_limits<double>::infinity();
  }
  double gradient_norm() const override { return largest(gradient); }
  double precision() const override { return f_.precision(); }

  void accept() override {
    namespace lapack = cpu::lapack;
    model.basis = hessian_;
    int integer_count = 3 + 5 * n_, info = 0;
    int* const integers = lapack::work<int, 0>(integer_count);
    lapack::with_work<double>([&](double* work, int const* count) {
      // The lower triangle of a row-major matrix is the upper one of what LAPACK sees.
      lapack::syevd<double>("V", "U", &n_, model.basis.data(), &n_, model.curvature.data(), work,
                            count, integers, &integer_count, &info, 1, 1);
    });
    if (info != 0)
      throw linalg_error("kt::minimize: the eigenvalues of the Hessian did not converge");
    double const rounding = std::numeric_limits<double>::epsilon() * largest(model.curvature);
    auto const n = gradient.size();
    for (std::size_t k = 0; k < n; ++k) {
      if (std::abs(model.curvature[k]) <= rounding) model.curvature[k] = 0;
      model.slope[k] = 0;
      for (std::size_t i = 0; i < n; ++i) model.slope[k] += model.basis[k * n + i] * gradient[i];
    }
    // What rounding leaves of slopes would hide that the hard case is one.
    double const none = std::numeric_limits<double>::epsilon() * length(model.slope);
    for (double& s : model.slope)
      if (std::abs(s) <= none) s = 0;
  }

  std::optional<ending> finished(outcome const& now) const override {
    if (now.gradient_norm > tolerance_ * std::max(1., std::abs(now.value))) return {};
    // At a saddle point or a maximum the least curvature says where to go.
    double const least = *std::min_element(model.curvature.begin(), model.curvature.end());
    if (least < -std::sqrt(f_.precision()) * std::max(1e-300, largest(model.curvature))) return {};
    return ending::small_gradient;
  }

  numbers
      gradient;  // of the last evaluation, like the cost, which may be finite where they are not
  double cost = 0;

 private:
  second_order_objective& f_;
  double tolerance_;
  int n_;
  numbers hessian_;
};

}  // namespace kroton::minimization
