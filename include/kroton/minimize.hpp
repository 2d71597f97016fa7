// Minimization, nonlinear least squares and systems of equations, with derivatives from the
// compiler. Not part of kroton.hpp.
//
// The algorithms are written here, on BLAS and LAPACK, for want of a library of headers that has
// them all. dlib's L-BFGS takes about as many evaluations, but does not say whether and why it
// converged, takes 2.5 s to compile, and its Debian package depends on X11 and OpenCV. Eigen's
// Levenberg-Marquardt method, a port of MINPACK's, has no robust losses, and Eigen no L-BFGS. NLopt
// and liblbfgs have to be linked, and NLopt's L-BFGS fails on Brown's badly scaled problem.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/minimize/lbfgs.hpp>
#include <kroton/minimize/problem.hpp>
#include <kroton/minimize/refused.hpp>
#include <kroton/minimize/sensitivity.hpp>

#include <initializer_list>

namespace kroton {
namespace minimization {

/// The result, with the value of the parameter.
template <class X>
auto optimum_of(X& x, outcome const& found) {
  x.set(found.x);
  return optimum<typename X::value_type>{
      x.value(),        found.value,       found.gradient_norm,
      found.iterations, found.evaluations, is_converged(found.why),
      found.why};
}

/// The start as a flat vector. Throws kt::value_error if it is empty or not finite.
template <class X>
outcome begin_at(X const& x, char const* name) {
  outcome now;
  now.x = x.flat();
  if (now.x.empty())
    throw value_error(core::message({name, ": the start is empty: there is nothing to vary"}));
  for (std::size_t i = 0; i < now.x.size(); ++i)
    if (!std::isfinite(now.x[i]))
      throw value_error(core::message(
          {name, ": ", x.name(i), " of the start is ", std::isnan(now.x[i]) ? "NaN" : "infinite"}));
  now.gradient.assign(now.x.size(), 0);
  now.evaluations = 1;
  return now;
}
/// Throws kt::value_error unless a value and its derivatives at the start are finite.
template <class X>
void require_finite(X const& x, double value, numbers const& gradient, char const* name) {
  if (!std::isfinite(value))
    throw value_error(core::message(
        {name, ": the value at the start is ", std::isnan(value) ? "NaN" : "infinite"}));
  for (std::size_t i = 0; i < gradient.size(); ++i)
    if (!std::isfinite(gradient[i]))
      throw value_error(core::message({name, ": ", x.name(i), " of the gradient at the start is ",
                                       std::isnan(gradient[i]) ? "NaN" : "infinite"}));
}

template <class F, class Parameters, class S, class... D>
auto minimize(S const& start, std::tuple<D...> const& data, lbfgs const& options) {
  unknowns<std::tuple_element_t<0, Parameters>> x(start);
  outcome now = begin_at(x, "kt::minimize");
  first_order_problem<F, Parameters, D...> problem(x, data);
  now.value = problem.evaluate(now.x, now.gradient);
  require_finite(x, now.value, now.gradient, "kt::minimize");
  now.gradient_norm = largest(now.gradient);
  lbfgs_method(problem, options, now).run();
  return optimum_of(x, now);
}

template <class F, class Parameters, class S, class... D>
auto minimize(S const& start, std::tuple<D...> const& data, newton const& options) {
  unknowns<std::tuple_element_t<0, Parameters>> x(start);
  outcome now = begin_at(x, "kt::minimize");
  second_order_problem<F, Parameters, D...> problem(x, data);
  newton_model model(problem, now.x.size(), options.gradient_tolerance);
  now.value = model.evaluate(now.x);
  require_finite(x, model.cost, model.gradient, "kt::minimize");
  if (!std::isfinite(now.value))
    throw value_error("kt::minimize: the Hessian at the start is not finite");
  model.accept();
  now.gradient_norm = model.gradient_norm();
  trust_region_limits const limits{
      .max_iterations = options.max_iterations,
      .max_evaluations = options.max_evaluations,
      .value_tolerance = options.value_tolerance,
      .step_tolerance = 0,
      .radius = options.radius > 0 ? options.radius : std::max(1., length(now.x)),
      .radius_factor = 1,
      .observe = options.observe};
  trust_region(model, limits, now).run();
  return optimum_of(x, now);
}

/// Evaluates residuals at the start. Throws kt::value_error if there are none or one is not finite.
inline void begin_residuals(residual_model& model, outcome& now, char const* name) {
  now.value = model.evaluate(now.x);
  if (model.residual_count() == 0)
    throw value_error(core::message({name, ": the lambda returns no elements at the start"}));
  if (!std::isfinite(now.value))
    throw value_error(core::message(
        {name, ": a result of the lambda at the start, or a derivative of it, is not finite"}));
}

template <class F, class Parameters, class S, class... D>
auto least_squares(S const& start, std::tuple<D...> const& data,
                   levenberg_marquardt const& options) {
  unknowns<std::tuple_element_t<0, Parameters>> x(start);
  outcome now = begin_at(x, "kt::least_squares");
  residual_problem<F, Parameters, D...> problem(x, data);
  residual_model model(problem, now.x.size(), options.loss, options.gradient_tolerance);
  begin_residuals(model, now, "kt::least_squares");
  model.accept();
  now.gradient_norm = model.gradient_norm();
  trust_region_limits const limits{.max_iterations = options.max_iterations,
                                   .max_evaluations = options.max_evaluations,
                                   .value_tolerance = options.value_tolerance,
                                   .step_tolerance = options.step_tolerance,
                                   .radius = options.radius,
                                   .radius_factor = 100,
                                   .observe = options.observe};
  trust_region(model, limits, now).run();
  return optimum_of(x, now);
}

template <class F, class Parameters, class S, class... D>
auto root(S const& start, std::tuple<D...> const& data, newton_root const& options) {
  unknowns<std::tuple_element_t<0, Parameters>> x(start);
  outcome now = begin_at(x, "kt::root");
  residual_problem<F, Parameters, D...> problem(x, data);
  equation_model model(problem, now.x.size(), options.tolerance);
  begin_residuals(model, now, "kt::root");
  if (model.residual_count() != now.x.size())
    throw shape_error(core::message({"kt::root: the lambda returns ", model.residual_count(),
                                     " elements for ", now.x.size(),
                                     " unknowns; both numbers must be equal: see "
                                     "kt::least_squares"}));
  model.accept();
  now.gradient_norm = model.gradient_norm();
  trust_region_limits const limits{.max_iterations = options.max_iterations,
                                   .max_evaluations = options.max_evaluations,
                                   .value_tolerance = 1e-10,  // towards a root it decreases quickly
                                   .step_tolerance = options.step_tolerance,
                                   .radius = options.radius,
                                   .radius_factor = 100,
                                   .observe = options.observe};
  trust_region method(model, limits, now);
  method.run();
  // A tolerance below rounding is met by Newton's steps that do not lead anywhere.
  bool const is_root =
      now.why == ending::small_residuals || (model.has_full_rank() && method.is_close());
  bool const is_no_root = !is_root && (is_converged(now.why) || now.why == ending::no_decrease);
  if (is_no_root) now.why = ending::no_root;
  now.value = model.largest_residual();
  return optimum_of(x, now);
}

}  // namespace minimization

/// Finds a local minimum of a cost: `kt::minimize(f, start)`. `f` is a lambda without captures that
/// returns a scalar variable. Its first parameter is varied: a floating-point variable of any rank,
/// a kt::fixed, or a struct of such; its further parameters are data, passed as
/// `kt::minimize(f, start, kt::given(x, y))`. The start is a value of the first parameter: an array
/// or a number of its rank, `{1.0, 2.0}` for a vector, a kt::values, a std::tuple of the members'
/// values, or a kt::shared. Options are those of the algorithm: `{.memory = 20}` or kt::lbfgs{...}
/// for the default, or kt::newton{...}. Value and gradient are one compiled function, whose calls
/// do not allocate.
///
/// Returns a kt::optimum, which says whether and why it converged. Throws kt::value_error if the
/// start is empty, or it, the cost or a derivative there is not finite; and what `f` throws, such
/// as kt::shape_error for data that does not fit. Elsewhere a cost that is NaN or infinite is a
/// step too far. (scipy.optimize.minimize)
template <class F, class S = std::initializer_list<double>>
auto minimize(F const& f, S const& start, lbfgs const& options = {}) {
  return minimize(f, start, given(), options);
}
template <class F, class S = std::initializer_list<double>, class... D>
auto minimize(F const&, S const& start, given_data<D...> const& data, lbfgs const& options = {}) {
  if constexpr (minimization::takes<minimization::task::minimize, F, S, D...>())
    return minimization::minimize<F, core::parameters_of<F>>(start, data.all, options);
  else return minimization::refused<F>();
}
template <class F, class S = std::initializer_list<double>, std::same_as<newton> O>
auto minimize(F const& f, S const& start, O const& options) {
  return minimize(f, start, given(), options);
}
template <class F, class S = std::initializer_list<double>, class... D, std::same_as<newton> O>
auto minimize(F const&, S const& start, given_data<D...> const& data, O const& options) {
  if constexpr (minimization::takes<minimization::task::minimize, F, S, D...>())
    return minimization::minimize<F, core::parameters_of<F>>(start, data.all, options);
  else return minimization::refused<F>();
}

/// Finds a local minimum of half the sum of squares, or of another loss, of residuals:
/// `kt::least_squares(r, start, kt::given(t, y), {.loss = kt::loss::huber(0.1)})`. `r` is a lambda
/// as for kt::minimize, but returns the residuals: a floating-point variable of any rank, or
/// several. Each element is a residual of its own. There may be fewer residuals than unknowns; then
/// steps have minimum norm. Residuals and Jacobian are one compiled function.
///
/// Returns a kt::optimum and throws as kt::minimize does. (scipy.optimize.least_squares)
template <class F, class S = std::initializer_list<double>>
auto least_squares(F const& f, S const& start, levenberg_marquardt const& options = {}) {
  return least_squares(f, start, given(), options);
}
template <class F, class S = std::initializer_list<double>, class... D>
auto least_squares(F const&, S const& start, given_data<D...> const& data,
                   levenberg_marquardt const& options = {}) {
  if constexpr (minimization::takes<minimization::task::least_squares, F, S, D...>())
    return minimization::least_squares<F, core::parameters_of<F>>(start, data.all, options);
  else return minimization::refused<F>();
}

/// Solves f(x) = 0: `kt::root(f, start)`. `f` is a lambda as for kt::least_squares that returns as
/// many elements as its first parameter has; also a scalar of a scalar. The value of the
/// kt::optimum is the largest |f(x)|. Where the method meets a minimum of the sum of squares that
/// is not a root, `why` is kt::ending::no_root.
///
/// Throws kt::shape_error if the numbers of equations and unknowns differ, and otherwise as
/// kt::minimize does. (scipy.optimize.root)
template <class F, class S = std::initializer_list<double>>
  requires(!start_is_a_variable_or_a_struct_of_variables<S>)
auto root(F const& f, S const& start, newton_root const& options = {}) {
  return root(f, start, given(), options);
}
template <class F, class S = std::initializer_list<double>, class... D>
auto root(F const&, S const& start, given_data<D...> const& data, newton_root const& options = {}) {
  if constexpr (minimization::takes<minimization::task::root, F, S, D...>())
    return minimization::root<F, core::parameters_of<F>>(start, data.all, options);
  else return minimization::refused<F>();
}

}  // namespace kroton
