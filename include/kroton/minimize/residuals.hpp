// The model of Levenberg and Marquardt's method: residuals and their Jacobian, which robust losses
// weigh.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/lapack.hpp>
#include <kroton/minimize/loss.hpp>
#include <kroton/minimize/singular_values.hpp>
#include <kroton/minimize/trust_region.hpp>

namespace kroton::minimization {

/// Residuals with their Jacobian.
class residual_function {
 public:
  virtual ~residual_function() = default;
  /// Writes a row for each residual: its derivatives by each unknown, then the residual.
  virtual void evaluate(numbers const& x, numbers& table) = 0;
  virtual double precision() const = 0;
};

class residual_model : public modelled_objective {
 public:
  residual_model(residual_function& f, std::size_t n, robust_loss const& loss, double tolerance)
      : f_(f), loss_(loss), tolerance_(tolerance), n_(n) {
    model.scale.assign(n, 0);
    gradient.resize(n);
  }

  std::size_t residual_count() const { return table_.size() / (n_ + 1); }
  double largest_residual() const { return largest_; }
  bool has_full_rank() const { return rank_ == n_; }
  double precision() const override { return f_.precision(); }
  double gradient_norm() const override { return largest(gradient); }

  double evaluate(numbers const& x) override {
    f_.evaluate(x, table_);
    std::fill(gradient.begin(), gradient.end(), 0.);
    double sum = 0;
    trial_largest_ = 0;
    for (double* row = table_.data(); row != table_.data() + table_.size(); row += n_ + 1) {
      double const r = row[n_];
      trial_largest_ = std::max(trial_largest_, std::abs(r));
      robust_loss::values const loss = loss_(r * r);
      sum += loss.value;
      for (std::size_t i = 0; i < n_; ++i) gradient[i] += row[i] * (loss.slope * r);
    }
    // An element that is not finite makes these so.
    bool const is_finite = std::isfinite(sum) && all_finite(gradient);
    return is_finite ? 0.5 * sum : std::numeric_limits<double>::infinity();
  }

  void accept() override {
    largest_ = trial_largest_;
    accepted_ = gradient;
    std::size_t const m = residual_count();
    if (!loss_.is_squared()) {
      scale_columns(table_, m);
      weigh();
    }
    triangularize();
    std::size_t const k = std::min(m, n_);
    if (loss_.is_squared()) scale_columns(stack_, k);
    decompose(k);
  }

  std::optional<ending> finished(outcome const& now) const override {
    if (now.value == 0) return ending::small_residuals;
    if (first_value_ == 0) first_value_ = now.value;
    // Nothing is left of the digits of the start.
    if (now.value <= 1e-60 * first_value_) return ending::small_residuals;
    return is_stationary(now.value) ? std::optional(ending::small_gradient) : std::nullopt;
  }

  numbers gradient;

 protected:
  /// Whether the residuals are orthogonal to every column of the Jacobian.
  bool is_stationary(double value) const {
    double const norm = std::sqrt(2 * value);
    for (std::size_t j = 0; j < n_; ++j)
      if (std::abs(accepted_[j]) > tolerance_ * norm * column_norms_[j]) return false;
    return true;
  }

 private:
  // Scales the rows so that least squares has the gradient of the losses, and a curvature that is
  // not less than theirs (iteratively reweighted least squares). The curvature of the losses would
  // be nearly 0 in directions that outliers determine, and steps there too long.
  void weigh() {
    for (double* row = table_.data(); row != table_.data() + table_.size(); row += n_ + 1) {
      double const weight = std::sqrt(loss_(row[n_] * row[n_]).slope);
      for (std::size_t i = 0; i <= n_; ++i) row[i] *= weight;
    }
  }

  // The triangle of the table has the same columns, and products of them: what is left to decompose
  // does not depend on the number of residuals. By blocks of rows that stay in the cache, each
  // below the triangle of those before.
  void triangularize() {
    std::size_t const m = residual_count(), width = n_ + 1;
    std::size_t const block = std::min(m, std::max<std::size_t>(256, 8 * width));
    stack_.resize((width + block) * width);
    std::size_t kept = 0;
    for (std::size_t first = 0; first < m; first += block) {
      std::size_t const count = std::min(block, m - first);
      std::copy_n(table_.data() + first * width, count * width, stack_.data() + kept * width);
      factorize(kept + count);
      kept = std::min(kept + count, width);
    }
  }
  void factorize(std::size_t height) {
    namespace lapack = cpu::lapack;
    std::size_t const width = n_ + 1;
    int const rows = cpu::blas_int(static_cast<std::ptrdiff_t>(height)),
              columns = cpu::blas_int(static_cast<std::ptrdiff_t>(width));
    tau_.resize(std::min(height, width));
    int info = 0;
    lapack::with_work<double>([&](double* work, int const* count) {
      lapack::gelqf<double>(&columns, &rows, stack_.data(), &columns, tau_.data(), work, count,
                            &info);
    });
    // Below the diagonal it leaves what makes up Q.
    for (std::size_t i = 1; i < std::min(height, width); ++i)
      std::fill_n(stack_.data() + i * width, i, 0.);
  }

  // The scale of an unknown is the largest norm that its column has had, whatever the weights.
  void scale_columns(numbers const& of, std::size_t rows) {
    column_norms_.assign(n_, 0);
    for (std::size_t j = 0; j < n_; ++j) {
      column_.clear();
      for (std::size_t i = 0; i < rows; ++i) column_.push_back(of[i * (n_ + 1) + j]);
      column_norms_[j] = length(column_);
      model.scale[j] = std::max(model.scale[j], column_norms_[j]);
      if (model.scale[j] == 0) model.scale[j] = 1;
    }
  }

  // The singular values of the scaled triangle are the roots of the curvatures.
  void decompose(std::size_t k) {
    triangle_.assign(k * n_, 0);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = i; j < n_; ++j)
        triangle_[i * n_ + j] = stack_[i * (n_ + 1) + j] / model.scale[j];
    svd_.compute(triangle_, k, n_, stack_.data() + n_, n_ + 1);
    model.basis = svd_.vectors;
    model.slope = svd_.products;
    model.curvature = svd_.values;
    double const least = std::numeric_limits<double>::epsilon() * static_cast<double>(n_) *
                         *std::max_element(svd_.values.begin(), svd_.values.end());
    rank_ = 0;
    for (std::size_t c = 0; c < model.curvature.size(); ++c) {
      bool const counts = svd_.values[c] > least;
      rank_ += counts ? 1 : 0;
      if (!counts) model.slope[c] = 0;
      model.curvature[c] = counts ? svd_.values[c] * svd_.values[c] : 0;
    }
  }

  residual_function& f_;
  robust_loss loss_;
  double tolerance_;
  std::size_t n_, rank_ = 0;
  singular_values svd_;
  numbers table_, stack_, triangle_, tau_, column_, column_norms_, accepted_;
  double largest_ = 0, trial_largest_ = 0;
  mutable double first_value_ = 0;
};

/// The same for equations: every residual is to be 0.
class equation_model final : public residual_model {
 public:
  equation_model(residual_function& f, std::size_t n, double tolerance)
      : residual_model(f, n, {}, 1e-8), tolerance_(tolerance) {}

  std::optional<ending> finished(outcome const& now) const override {
    if (largest_residual() <= tolerance_) return ending::small_residuals;
    return is_stationary(now.value) ? std::optional(ending::no_root) : std::nullopt;
  }

 private:
  double tolerance_;
};

}  // namespace kroton::minimization
