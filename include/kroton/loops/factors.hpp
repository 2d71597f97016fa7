// A matrix that is the same in every step is factorized before the loop.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/change.hpp>
#include <kroton/rewrite/passes/factor_sharing.hpp>

namespace kroton::loops {

constexpr bool has_factorizations(graph const& g) {
  bool any = false;
  for (int id = 0; !any && id < g.size(); ++id) any = rewrite::factorization_of(g, id).matrix >= 0;
  return any;
}

/// The body with LU factors of the constants among its matrices. As it is where there are none.
constexpr graph with_factors_of_constants(loop_form const& form) {
  graph const& body = form.body;
  list<bool> const always = always_needed(body);
  return rewrite::rebuilt(body, [&](graph& to, int id, list<int> const& image) {
    if (!always[id]) return -1;
    rewrite::factorization const f = rewrite::factorization_of(body, id);
    bool is_constant = false;
    for (int i = 0; i < form.parts.constants.size(); ++i)
      is_constant = is_constant || form.constant(i) == f.matrix;
    return is_constant ? rewrite::recording_by_factors{to, body, image}.record(id, f) : -1;
  });
}

/// Singular matrices have factors too: what is computed before a loop without steps never fails.
constexpr bool factorize_outside(graph const& g, int id, graph& made) {
  loop_form before = form_of(g, id);
  if (!has_factorizations(before.body)) return false;
  before.body = with_factors_of_constants(before);
  list<int> factors;
  for (int inner = 0; inner < before.body.size(); ++inner)
    for (int i = 0; i < before.parts.constants.size(); ++i)
      if (rewrite::are_factors(before.body, inner) &&
          before.body.input_of(inner, 0) == before.constant(i))
        factors.push_back(inner);
  if (factors.empty()) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    loop_change change;
    change.dropped = list<bool>(form.parts.tapes.size());
    outside_copy outside(to, form);
    for (int lu : factors) {
      int const of = outside.copy(lu);
      change.constants.push_back({lu, of});
      for (int inner = 0; inner < form.body.size(); ++inner)
        if (form.body.is<op::item>(inner) && form.body.input_of(inner, 0) == lu)
          change.constants.push_back({inner, output_of({&to, of}, 1).id});
    }
    loop_form const less = changed(form, change);
    return list<list<int>>{results_of(to, record_scan(to, less.parts, less.body))};
  });
  return true;
}
constexpr graph with_factors_outside(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &factorize_outside);
}

}  // namespace kroton::loops
