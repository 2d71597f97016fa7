// The algorithms and their options, as aggregates: kt::lbfgs{.memory = 20}.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/minimize/loss.hpp>
#include <kroton/minimize/result.hpp>

namespace kroton {

/// Limited-memory BFGS with a line search for the strong Wolfe conditions (Nocedal and Wright,
/// Algorithms 7.5, 3.5 and 3.6, with the approximate conditions of Hager and Zhang 2005 where
/// rounding hides the decrease). For any number of unknowns. The default of kt::minimize.
struct lbfgs {
  int memory = 10;  ///< how many steps the approximation of the Hessian is made of
  int max_iterations = 10000;
  int max_evaluations = 100000;
  double gradient_tolerance = 1e-8;  ///< of max |gradient|, relative to max(1, |value|)
  double value_tolerance = 0;        ///< of the decrease in one step, relative to |value|
  observer observe = {};             ///< called after each step; false ends
};

/// Newton's method in a trust region, whose steps are exact: the Hessian, by kt::hessian, is
/// decomposed into eigenvalues (Nocedal and Wright, Algorithm 4.1 and Section 4.3, with the hard
/// case). For up to a few hundred unknowns; each step costs O(n^3). Leaves saddle points.
struct newton {
  int max_iterations = 1000;
  int max_evaluations = 10000;
  double gradient_tolerance = 1e-8;  ///< of max |gradient|, relative to max(1, |value|)
  double value_tolerance = 0;        ///< of the decrease in one step, relative to |value|
  double radius = 0;                 ///< of the first trust region; 0: max(1, |start|)
  observer observe = {};
};

/// Levenberg and Marquardt's method as a trust region (Moré 1978; Nocedal and Wright, Section
/// 10.3), with the scaling of MINPACK and the loss functions of SciPy and Ceres.
struct levenberg_marquardt {
  robust_loss loss = {};  ///< of each squared residual: kt::loss::huber(0.1)
  int max_iterations = 1000;
  int max_evaluations = 10000;
  double gradient_tolerance = 1e-10;  ///< of the cosine of residuals and a column of the Jacobian
  double value_tolerance = 1e-14;     ///< of the actual and the predicted decrease, relative
  double step_tolerance = 1e-12;      ///< of the scaled step, relative to the scaled unknowns
  double radius = 0;  ///< of the first trust region, scaled; 0: 100 times the scaled start
  observer observe = {};
};

/// Newton's method for equations in a trust region of the sum of squares: the steps are those of
/// levenberg_marquardt, near a regular root Newton's.
struct newton_root {
  int max_iterations = 1000;
  int max_evaluations = 10000;
  double tolerance = 1e-12;       ///< of every |f(x)|
  double step_tolerance = 1e-14;  ///< of the scaled step, relative to the scaled unknowns
  double radius = 0;  ///< of the first trust region, scaled; 0: 100 times the scaled start
  observer observe = {};
};

}  // namespace kroton
