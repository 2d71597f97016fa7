// Targets of into: each has memory of its own, which no update of the call writes to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/cpu/call/arrays/containers.hpp>
#include <kroton/cpu/call/arrays/overlap.hpp>
#include <kroton/cpu/call/tables.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace kroton::cpu {

/// Where something lies that a call writes to: the object, and its elements, one array of them or,
/// where they have no strides, each by itself.
struct written_memory {
  void const* object = nullptr;
  array_ref elements{};
  std::vector<array_ref> scattered{};

  bool meets(written_memory const& other) const {
    if (object == other.object) return true;
    if (scattered.empty() && other.scattered.empty())
      return share_elements(elements, other.elements);
    if (scattered.empty()) return other.meets(*this);
    for (array_ref const& one : scattered)
      if (other.has(one)) return true;
    return false;
  }

 private:
  bool has(array_ref const& one) const {
    if (scattered.empty()) return share_elements(one, elements);
    for (array_ref const& own : scattered)
      if (share_elements(one, own)) return true;
    return false;
  }
};

template <class Target>
written_memory memory_of(Target& target) {
  written_memory memory;
  memory.object = std::addressof(target);
  if constexpr (number<std::remove_const_t<Target>>) {
    memory.elements.data =
        reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<Target>*>(&target));
    memory.elements.bytes = static_cast<int>(sizeof(target));
  } else if constexpr (strided_expression<Target>) {
    memory.elements = ref_to(target);
  } else if constexpr (xtensor_expression<Target>) {
    array_ref one;
    one.bytes = static_cast<int>(sizeof(typename Target::value_type));
    memory.elements.rank = 1;  // and no elements: they are among the others
    if constexpr (std::is_lvalue_reference_v<decltype(*target.begin())>)
      for (auto& element : target) {
        one.data = reinterpret_cast<std::byte*>(
            const_cast<typename Target::value_type*>(std::addressof(element)));
        memory.scattered.push_back(one);
      }
  }
  return memory;
}

/// The range of memory that a target spans, or all memory where it does not say so.
template <class Target>
KROTON_INLINE memory_range spanned_range(Target& target) {
  if constexpr (number<std::remove_const_t<Target>>) {
    auto const* const at = reinterpret_cast<std::byte const*>(std::addressof(target));
    return {at, at + sizeof(target)};
  } else if constexpr (is_row_major<std::remove_const_t<Target>>()) {
    auto const* const at = reinterpret_cast<std::byte const*>(target.data());
    return {at, at + target.size() * sizeof(*target.data())};
  } else if constexpr (strided_expression<Target>) {
    return range_of(ref_to(target));
  } else {
    return {nullptr, reinterpret_cast<std::byte const*>(UINTPTR_MAX)};
  }
}

/// Throws kt::value_error where two of the first `targets` share memory, or one of them and what
/// stands behind them, the values of shared variables, if that is updated.
[[gnu::cold]] inline void refuse_shared_memory(written_memory const* all, bool const* is_written,
                                               int targets, int count) {
  for (int i = 0; i < targets; ++i)
    for (int k = i + 1; k < count; ++k) {
      if (!is_written[k] || !all[i].meets(all[k])) continue;
      if (k < targets)
        throw value_error(message({"into: targets ", i + 1, " and ", k + 1, " share memory"}));
      throw value_error(message(
          {"into: target ", i + 1, " shares memory with a shared variable that the call updates"}));
    }
}

/// Asks that targets share memory neither with each other nor with a shared variable that the call
/// updates, which `is_updated` tells by its position.
template <class... Target, class... Shared, class Updates>
KROTON_INLINE void require_memory_of_their_own(std::tuple<Target...>& targets,
                                               std::tuple<Shared...> const& shared,
                                               Updates is_updated) {
  constexpr int count = static_cast<int>(sizeof...(Target)),
                all_count = count + static_cast<int>(sizeof...(Shared));
  if constexpr (count > 0 && all_count > 1) {
    auto with_all = [&](auto use) {
      return std::apply(
          [&](auto&... t) {
            return std::apply([&](auto&... s) { return use(t..., s.storage()...); }, shared);
          },
          targets);
    };
    bool is_written[static_cast<std::size_t>(all_count)];
    for (int k = 0; k < all_count; ++k) is_written[k] = k < count || is_updated(k - count);
    bool const lie_apart = with_all([&](auto&... memory) {
      memory_range const ranges[] = {spanned_range(memory)...};
      void const* const objects[] = {std::addressof(memory)...};
      bool apart = true;
      for (int i = 0; i < count; ++i)
        for (int k = i + 1; k < all_count; ++k)
          apart = apart &&
                  (!is_written[k] || (objects[i] != objects[k] && !ranges[i].meets(ranges[k])));
      return apart;
    });
    if (lie_apart) return;
    with_all([&](auto&... memory) {
      written_memory const all[] = {memory_of(memory)...};
      refuse_shared_memory(all, is_written, count, all_count);
    });
  }
}

/// Throws kt::value_error where parameters that are both updated are bound to one shared variable:
/// one of the new values would be lost, unless they are equal, which Equal says. The error ends
/// with what to do instead.
template <class... Shared, class Tables, class Equal>
void require_updates_of_their_own(std::tuple<Shared...> const& shared, Tables const& tables,
                                  std::string_view instead, Equal) {
  void const* storage[sizeof...(Shared)];
  int count = 0;
  std::apply([&](auto&... s) { ((storage[count++] = std::addressof(s.storage())), ...); }, shared);
  int const first = tables.parameters.size() - count;
  auto const is_bound = [&](int p) { return p >= first && p - first < count; };
  auto const are_same = [&](int p, int q) {
    return is_bound(p) && is_bound(q) && storage[p - first] == storage[q - first];
  };
  auto const name = [&](int p) { return describe_parameter(tables.parameters[p]); };
  for (int k = 0; k < tables.updates.size(); ++k)
    for (int l = 0; l < tables.updates.size(); ++l) {
      int const p = tables.updates[k].parameter, q = tables.updates[l].parameter;
      if (p < q && are_same(p, q) && !Equal::are(k, l, p, q, are_same))
        throw value_error(message({"kt::function: ", name(p), " and ", name(q),
                                   " are both updated, but bound to the same shared variable",
                                   instead}));
    }
}

}  // namespace kroton::cpu
