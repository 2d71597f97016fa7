// Sequences that a cheap operation makes for a loop of numbers are computed in the loop: a number
// in a register costs less than one that is stored and read again.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/loops/merge.hpp>
#include <kroton/rewrite/engine/options.hpp>

namespace kroton::loops {

/// Whether all that a body computes are numbers.
constexpr bool is_of_numbers(graph const& body) {
  list<bool> const live = body.live();
  for (int id = 0; id < body.size(); ++id)
    if (live[id] && body.type(id).rank > 0) return false;
  return true;
}
/// For each node, how many others and outputs read it, apart from what reads its extents.
constexpr list<int> readers_of_elements(graph const& g) {
  list<bool> const live = g.live();
  list<int> readers(g.size());
  for (int id = 0; id < g.size(); ++id)
    if (live[id] && !g.is<op::extent_of>(id))
      for (int in : g.inputs(id)) ++readers[in];
  for (int id : g.results()) ++readers[id];
  for (auto const& u : g.updates()) ++readers[u.value];
  return readers;
}
/// Whether a vector is made element by element, by a cheap operation on vectors and numbers.
constexpr bool is_cheap_vector(graph const& g, int id) {
  op_info const& op = *g[id].op;
  bool cheap = op.elementwise && op.cheap && g.type(id).rank == 1 && g[id].input_count <= 3;
  for (int in : g.inputs(id))
    cheap = cheap && (g.type(in).rank == 0 || !g.type(in).broadcasts(0));
  return cheap;
}

/// A form whose sequence `taken`, node `maker` of the graph around it, is made in the body.
constexpr loop_form with_sequence_inside(loop_form const& form, int taken, graph const& g,
                                         int maker, list<int> const& image) {
  loop_form made;
  made.parts = form.parts;
  made.parts.sequences.clear();
  body_copy copy(form.body, made.body);
  auto input = [&](tensor_type type) {
    return made.body.input(type, made.body.parameters().size());
  };
  auto add = [&](int inner) { copy.set(inner, input(form.body.type(inner))); };
  for (int i = 0; i < form.parts.sequences.size(); ++i)
    if (i != taken) {
      made.parts.sequences.push_back(form.parts.sequences[i]);
      add(form.sequence(i));
    }
  list<int> operands(g[maker].input_count, -1);
  auto add_operands = [&](bool vectors, list<int>& outside) {
    for (int k = 0; k < operands.size(); ++k) {
      int const from = g.input_of(maker, k);
      if ((g.type(from).rank > 0) != vectors) continue;
      if (g.is_literal(from)) {
        operands[k] = made.body.literal_of_bits(g.literal_bits(from), g.type(from).element);
      } else {
        outside.push_back(image[from]);
        operands[k] = input({g.type(from).element, 0, 0});
      }
    }
  };
  add_operands(true, made.parts.sequences);
  for (int t = 0; t < form.parts.tapes.size(); ++t)
    for (int k = 0; k < form.parts.tapes[t].taps.size(); ++k) add(form.tap(t, k));
  for (int i = 0; i < form.parts.constants.size(); ++i) add(form.constant(i));
  add_operands(false, made.parts.constants);
  copy.set(form.sequence(taken), made.body.add(g[maker].op, {g.type(maker).element, 0, 0},
                                               operands, g.attributes(maker)));
  for (int result : form.body.results()) made.body.results().push_back(copy.copy(result));
  copy.copy_conditions();
  return made;
}

constexpr bool take_sequence_in(graph const& g, int id, graph& made) {
  loop_form const before = form_of(g, id);
  if (!is_of_numbers(before.body)) return false;
  list<int> const readers = readers_of_elements(g);
  int taken = 0;
  while (taken < before.parts.sequences.size() &&
         !(readers[before.parts.sequences[taken]] == 1 &&
           is_cheap_vector(g, before.parts.sequences[taken])))
    ++taken;
  if (taken == before.parts.sequences.size()) return false;
  made = with_scans(g, list<int>{id}, [&](graph& to, list<int> const& image) {
    loop_form form = before;
    move_operands(form.parts, image);
    loop_form const inside =
        with_sequence_inside(form, taken, g, before.parts.sequences[taken], image);
    return list<list<int>>{results_of(to, record_scan(to, inside.parts, inside.body))};
  });
  return true;
}
constexpr graph with_cheap_sequences_inside(graph g, rewrite::rewrite_options const&) {
  graph made = with_each_scan(std::move(g), &take_sequence_in);
  return cleaned_scans(std::move(made));
}

}  // namespace kroton::loops
