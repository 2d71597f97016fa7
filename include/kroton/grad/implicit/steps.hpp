// The steps by which unknowns are found, one loop with a condition for each solver. All work on
// unknowns that are one scalar or one vector.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/implicit/options.hpp>
#include <kroton/grad/implicit/unknowns.hpp>
#include <kroton/ops/along_axes/reduction.hpp>
#include <kroton/ops/assertion.hpp>
#include <kroton/ops/linear_algebra/decompositions.hpp>
#include <kroton/ops/linear_algebra/determinants.hpp>
#include <kroton/ops/loop/folds.hpp>

namespace kroton::calculus {

/// The length of a vector, the magnitude of a number.
constexpr term length(term x) { return x.rank() == 0 ? abs(x) : sqrt(sum(sqr(x))); }
constexpr term number_like(term x, double value) {
  return {x.of, x.of->literal(value, x.element())};
}
constexpr term is_finite(term x) {
  return abs(x) < number_like(x, std::numeric_limits<double>::infinity());
}
constexpr term product(term matrix, term x) {
  return x.rank() == 0 ? matrix * x : term(dot(matrix, x));
}

/// Runs steps from a start: `step(x, kept..., solved)` returns kt::until(done, x, kept..., solved).
/// What is given without a solution is an option.
template <class Step, class... Kept>
constexpr term solved_by(Step const& step, solver const& options, std::string_view failure,
                         term start, Kept... kept) {
  graph& g = *start.of;
  if (options.max_iterations < 1)
    g.fail("kt::fixed_point, kt::root, kt::minimizer: max_iterations must be at least 1");
  if (!(options.tolerance >= 0 && options.tolerance < 1))
    g.fail(
        "kt::fixed_point, kt::root, kt::minimizer: the tolerance is relative: 0 or more, and "
        "less than 1");
  term const no{&g, g.literal(false, element::boolean)};
  auto const last =
      foldl(step, outputs_info(start, kept..., no), n_steps(options.max_iterations));
  term const x = std::get<0>(last), ended = std::get<sizeof...(Kept) + 1>(last);
  // A step of infinite numbers is short in relation to them.
  term const solved = ended & is_finite(length(x));
  if (options.unsolved == unsolved::last) return x;
  if (options.unsolved == unsolved::error) return assert_that(failure, solved, x);
  return where(solved, x, number_like(start, std::numeric_limits<double>::quiet_NaN()));
}

/// The radius of the first trust region: so large that Newton's step is tried first, unless it is
/// infinite.
constexpr term first_radius(term start_size) {
  return 1e8 * where(start_size > 0, start_size, 1);
}
/// The units of unknowns before the first step: those of a number remain 1.
constexpr term first_scale(term start) {
  if (start.rank() == 0) return number_like(start, 1);
  return {start.of, ops::zeros_of(start)};
}
/// What a step has changed a length or a cost by, next to what the model has promised. Where they
/// are infinite, or both 0, their ratio is none: they are compared.
struct decrease {
  term before, after, promised;

  constexpr term is_part(double of_promised) const {
    return (after < before) & (before - after >= of_promised * promised);
  }
  /// The radius for the next step from that of this one and the length of the step.
  constexpr term next_radius(term radius, term step) const {
    term const longer = where(is_part(0.75), maximum(radius, 3 * step), radius);
    term const is_far_off = ~(after - before < 20 * promised);
    term const shorter = step * where(is_far_off, number_like(step, 0.01), number_like(step, 0.25));
    return where(is_part(0.25), longer, shorter);
  }
};
/// Whether unknowns and the full step from them are lost in the rounding of a start of that length.
constexpr term are_about_zero(term x, term full, term start_size, double tolerance) {
  return maximum(length(x), full) <= tolerance * start_size;
}
/// Whether a full step is short in relation to the unknowns where rounding hides the decrease: near
/// a double root it hides half of the digits.
constexpr term is_close(term x, term full, term start_size, double tolerance) {
  return (full <= sqrt(number_like(x, tolerance)) * length(x)) |
         are_about_zero(x, full, start_size, tolerance);
}

/// x -> f(x).
struct iteration {
  captured_part f;
  double tolerance;

  constexpr auto operator()(term x, term) const {
    term const next = f.at(x), change = length(next - x);
    term const solved = change <= tolerance * length(next);
    return until(solved | ~is_finite(change), next, solved);
  }
};

/// Newton's step of f(x) = 0 in a trust region of |f|, by the dogleg method (Powell 1970; Nocedal
/// and Wright, Section 11.2): along the steepest descent as far as that goes, then towards Newton's
/// step, or as long as the region is, whichever is shorter. The unknowns of a vector are measured
/// by how much they move f, the most in all steps (Moré 1978), so that those of other orders of
/// magnitude get steps of their own.
struct newton_step {
  captured_part f;
  double tolerance;
  term start_size;  // the length of the start

  /// Before the first step the radius is negative.
  constexpr auto operator()(term x, term last_radius, term last_scale, term) const {
    term const r = f.at(x), j = slope_of(r, x), newton = full_step(j, r), full = length(newton);
    term const moved = x.rank() == 0 ? abs(j) : ops::sum_over(abs(j), 1, false);
    term const scale = x.rank() == 0 ? last_scale : maximum(last_scale, moved),
               units = x.rank() == 0 ? scale : where(scale > 0, scale, 1);
    term const radius = where(last_radius < 0, first_radius(length(units * x)), last_radius);
    term const scaled = within(radius, units * newton, r, j / units), p = scaled / units;
    term const next = x - p, before = length(r), after = length(f.at(next));
    decrease const change{before, after, before - length(r - product(j, p))};
    // By an infinite slope, Newton's step is 0 wherever it is taken.
    term const is_regular = is_finite(length(moved)), exact = eq(before, 0);
    term const accepted = change.is_part(1e-4);
    term const near = is_regular & (full <= tolerance * length(x));
    // Where rounding hides the decrease, steps shrink until they do nothing.
    term const size = length(p), stalls = ~accepted & (size <= tolerance * length(x));
    term const rests = stalls & is_finite(after) & is_close(x, full, start_size, tolerance);
    term const solved = exact | (is_regular & (near | rests));
    term const is_lost = ~is_finite(before) | ~is_regular | ~is_finite(size);
    return until(solved | stalls | is_lost, where(~exact & (accepted | near), next, x),
                 change.next_radius(radius, length(scaled)), scale, solved);
  }

 private:
  static constexpr term full_step(term j, term r) {
    if (r.rank() == 0) return r / j;
    auto const [sign, size] = slogdet(j);
    term const none = expand_like(number_like(r, std::numeric_limits<double>::quiet_NaN()), r);
    return ifelse(neq(sign, 0), ops::solution<op::solve>(j, r, {}), none);
  }
  static constexpr term within(term radius, term newton, term r, term j) {
    term const full = length(newton);
    if (r.rank() == 0) return where(full <= radius, newton, where(newton < 0, -radius, radius));
    term const steepest = dot(ops::flipped(j), r), along = product(j, steepest);
    term const descent = steepest * (sum(sqr(steepest)) / sum(sqr(along))), first = length(descent);
    // Where |descent + t (newton - descent)| is the radius.
    term const rest = newton - descent, a = sum(sqr(rest)), b = sum(descent * rest),
               c = sqr(first) - sqr(radius), t = -c / (b + sqrt(maximum(sqr(b) - a * c, 0)));
    term const is_short = ~is_finite(full) | (first >= radius);
    term const bent = where(is_short, descent * minimum(1, radius / first), descent + t * rest);
    return where(full <= radius, newton, bent);
  }
};

/// Newton's step to a minimum in a trust region. Along an eigenvector of the Hessian it goes down
/// whatever the sign of the eigenvalue, and from a saddle point it goes away. (Dauphin et al.:
/// Identifying and attacking the saddle point problem, NeurIPS 2014)
struct descent_step {
  captured_part cost, gradient;
  double tolerance;
  term start_size;

  constexpr auto operator()(term x, term radius, term) const {
    term const g = gradient.at(x), second = slope_of(g, x), before = cost.at(x);
    term const h = where(is_finite(second), second, 0);  // eigh takes finite elements
    term const scale = maximum(length(x), start_size), leap = 1e-3 * where(scale > 0, scale, 1);
    auto const [full, promised] = full_step(g, h, leap);
    term const size = length(full), part = minimum(1, radius / size);
    term const next = x - part * full, after = cost.at(next);
    decrease const change{before, after, promised * part * (2 - part)};
    // Near a minimum rounding hides the decrease.
    double const rounding = 10 * epsilon_of(x.element());
    term const noise = rounding * abs(before), is_flat = promised <= 10 * noise;
    term const accepted = change.is_part(1e-4) | ((after <= before + noise) & is_flat);
    term const near = (size <= tolerance * length(x)) |
                      (is_flat & are_about_zero(x, size, start_size, rounding));
    term const stalls = ~accepted & (part * size <= tolerance * length(x));
    term const rests = stalls & is_finite(after) & is_close(x, size, start_size, tolerance);
    term const solved = eq(size, 0) | near | rests;
    return until(solved | stalls | ~is_finite(before) | ~is_finite(size),
                 where(accepted | near, next, x), change.next_radius(radius, part * size), solved);
  }

 private:
  // The step, and half of what it would decrease a quadratic cost with these curvatures by.
  static constexpr std::tuple<term, term> full_step(term g, term h, term leap) {
    if (g.rank() == 0) {
      term const step = down(g, abs(h), h < 0, leap);
      return {step, g * step / 2};
    }
    auto const [values, vectors] = eigh(h);
    term const along = dot(ops::flipped(vectors), g), curvature = abs(values),
               largest = max(curvature), least = epsilon_of(g.element()) * largest;
    term const steps =
        down(along, maximum(curvature, least),
             values < -sqrt(number_like(g, epsilon_of(g.element()))) * largest, leap);
    return {dot(vectors, steps), sum(along * steps) / 2};
  }
  static constexpr term down(term slope, term curvature, term is_saddle, term leap) {
    term const most = 1e9 * leap;
    term const step = where(eq(slope, 0), 0, minimum(maximum(slope / curvature, -most), most));
    term const away = maximum(abs(step), leap);
    return where(is_saddle, where(slope < 0, -away, away), step);
  }
};

}  // namespace kroton::calculus
