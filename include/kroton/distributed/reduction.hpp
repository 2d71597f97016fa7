// Reductions of the operands of a call over ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/call/memory.hpp>
#include <kroton/distributed/early.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace kroton::distributed {

/// The messages for those operands of a call that were not reduced early: small ones together, so
/// that latency counts once; large ones by themselves. Which are large depends on extents alone, in
/// which ranks agree.
template <class T>
std::vector<message<T>> messages_of(core::invocation const& call, std::vector<int> const& values) {
  std::vector<message<T>> all;
  message<T> small;
  bool has_small = false;
  for (int k : values) {
    bool const is_large = call.operand(k).size() >= large<T>;
    has_small = has_small || !is_large;
    message<T>& to = is_large ? all.emplace_back() : small;
    to.add(call.operand(k), call.result(k));
  }
  if (has_small) all.push_back(std::move(small));
  return all;
}

/// Reduces the operands of a call over the ranks. Attributes: what, and the number of the op in its
/// function. What may fail on one rank comes before the ranks agree.
template <class T>
void reduce_operands(core::invocation const& call, int values) {
  early& before = early::get();
  group& g = all_groups::current();
  auto const what = static_cast<collective>(call.attribute(0));
  request mine(what, core::element_of<T>(), call.attribute(1), values);
  std::vector<int> rest;
  for (int k = 0; k < values; ++k) {
    if (before.has_begun(k)) continue;
    mine.add(k, call.operand(k));
    rest.push_back(k);
  }
  std::vector<message<T>> messages = messages_of<T>(call, rest);
  std::size_t copied = 0;
  for (message<T> const& m : messages) copied += static_cast<std::size_t>(m.copied());
  thread_local cpu::memory_block memory;
  T* at = reinterpret_cast<T*>(memory.room(copied * sizeof(T)));
  for (message<T>& m : messages) {
    if (m.copied() == 0) continue;
    m.pack(at);
    at += m.copied();
  }
  before.finish([&](int value, core::array_ref const& reduced) {
    if (call.result(value).data != nullptr) core::copy(call.result(value), reduced);
  });
  if (g.size() > 1 && !rest.empty()) g.agree(mine);
  for (message<T> const& m : messages) m.reduce(g, what);
}

}  // namespace kroton::distributed
