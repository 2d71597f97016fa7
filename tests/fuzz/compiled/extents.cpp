// How extents are replaced.
// SPDX-License-Identifier: BSD-3-Clause
#include "extents.hpp"

#include "../evaluate.hpp"
#include "../record.hpp"

#include <algorithm>

namespace fuzz {

namespace {

/// The elements of all of a program's values together; -1 where its shapes do not fit.
long elements_of(program const& p) {
  kt::graph g;
  record(g, p);
  try {
    std::vector<argument> const inputs = inputs_for_reference(p.arguments);
    evaluator const values(g, inputs, false);
    long count = 0;
    for (int id = 0; id < g.size(); ++id) count += values[id].count();
    return count;
  } catch (std::domain_error const&) { return -1; }
}

}  // namespace

program with_extent(program p, long from, long to) {
  for (argument& a : p.arguments) {
    if (is_stream(a.kind)) continue;
    for (std::size_t d = 0; d < a.shape.size(); ++d)
      if (a.shape[d] == from && !a.type.broadcasts(static_cast<int>(d))) a.shape[d] = to;
    std::size_t count = 1;
    for (long e : a.shape) count *= static_cast<std::size_t>(e);
    std::size_t const given = a.data.size();
    a.data.resize(count, 1);
    for (std::size_t i = given; i < count && given > 0; ++i) a.data[i] = a.data[i - given];
    if (is_sparse(a.kind)) a.stored.resize(count, 1);
  }
  return p;
}

std::optional<program> with_long_axis(program const& p) {
  // For reference, each step of a loop rounds all numbers of 16 bits that it reads.
  bool has_loops = false, has_short = false;
  for (call const& c : p.calls) has_loops = has_loops || c.kind == call_kind::loop;
  for (argument const& a : p.arguments) has_short = has_short || kt::core::is_short(a.type.element);
  if (has_loops && has_short) return {};
  constexpr long most = 400'000, least = 17'000;
  std::vector<long> extents;
  for (argument const& a : p.arguments)
    for (long e : a.shape)
      if (e > 1 && std::find(extents.begin(), extents.end(), e) == extents.end())
        extents.push_back(e);
  for (long from : extents) {
    long const shorter = elements_of(with_extent(p, from, 20)),
               longer = elements_of(with_extent(p, from, 40));
    if (shorter <= 0 || longer <= 0 || longer > 2 * shorter) continue;
    long widest = 1;
    for (argument const& a : p.arguments) {
      long others = 1;
      bool has = false;
      for (long e : a.shape) {
        has = has || e == from;
        others *= e == from ? 1 : e;
      }
      if (has) widest = std::max(widest, others);
    }
    // The widest argument is beyond a direct call; the evaluation should take a second at most.
    long const to = least / widest + 1;
    if (longer / 40 * to > most) continue;
    return with_extent(p, from, to);
  }
  return {};
}

}  // namespace fuzz
