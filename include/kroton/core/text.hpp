// A string as a template argument: names of ops and rules, error messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace kroton {

/// A string literal as a template argument: `elementwise<"exp", 1>`, `rule<"softplus">`.
template <std::size_t N>
struct text {
  char characters[N]{};

  constexpr text() = default;
  constexpr text(char const (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) characters[i] = literal[i];
  }
  constexpr std::string_view view() const { return {characters, N - 1}; }
  template <std::size_t M>
  constexpr bool operator==(text<M> const& other) const {
    return view() == other.view();
  }
};

namespace core {

/// Concatenates texts; N is the sum of their lengths plus a terminating zero.
template <std::size_t N>
constexpr text<N> joined(std::initializer_list<std::string_view> parts) {
  text<N> all;
  std::size_t size = 0;
  for (std::string_view part : parts)
    for (char c : part) all.characters[size++] = c;
  return all;
}

/// Mixes `value` into a running hash. Equal sequences give equal hashes on every compiler; the
/// canonical order depends on this.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
  hash *= 0xBF58476D1CE4E5B9ull;
  return hash ^ (hash >> 31);
}

constexpr std::uint64_t hash_of(std::string_view characters) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (char c : characters) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace core
}  // namespace kroton
