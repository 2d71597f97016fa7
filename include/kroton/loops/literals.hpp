// Constants of a loop that are literals are literals of its body.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/rebuilding.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// A form without the constants that are literals of the graph around it. `image` are its nodes in
/// the graph that the form is recorded in.
constexpr loop_form with_literals_inside(loop_form const& form, graph const& g,
                                         list<int> const& image) {
  loop_form made;
  made.parts = form.parts;
  made.parts.constants.clear();
  move_operands(made.parts, image);
  body_copy copy(form.body, made.body);
  auto add = [&](int inner) {
    copy.set(inner, made.body.input(form.body.type(inner), made.body.parameters().size()));
  };
  int const first_constant = form.first_tap(form.parts.tapes.size());
  for (int p = 0; p < first_constant; ++p) add(form.body.parameters()[p]);
  for (int i = 0; i < form.parts.constants.size(); ++i) {
    int const outside = form.parts.constants[i], inner = form.constant(i);
    if (g.is_literal(outside)) {
      copy.set(inner, made.body.literal_of_bits(g.literal_bits(outside), g.type(outside).element));
    } else {
      made.parts.constants.push_back(image[outside]);
      add(inner);
    }
  }
  for (int result : form.body.results()) made.body.results().push_back(copy.copy(result));
  copy.copy_conditions();
  return made;
}

constexpr bool take_literals_in(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  bool any = false;
  for (int outside : before.parts.constants) any = any || g.is_literal(outside);
  if (!any) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form const form = with_literals_inside(before, g, image);
    return list<list<int>>{results_of(to, record_scan(to, form.parts, form.body))};
  });
  return true;
}
constexpr graph with_literals_in_bodies(graph g, rewrite::rewrite_options const&) {
  return with_each_scan(std::move(g), &take_literals_in);
}

}  // namespace kroton::loops
