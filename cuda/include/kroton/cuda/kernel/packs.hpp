// Packs: elements that lie side by side and that a thread loads and stores at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace kroton::cuda {

/// Up to 16 bytes, in registers of a thread.
struct pack_of_elements {
  std::uint32_t words[4];

  template <class T>
  KROTON_HOST_DEVICE KROTON_INLINE T get(int i) const {
    T value;
    std::memcpy(&value, reinterpret_cast<std::byte const*>(words) + i * sizeof(T), sizeof(T));
    return value;
  }
  template <class T>
  KROTON_HOST_DEVICE KROTON_INLINE void set(int i, T value) {
    std::memcpy(reinterpret_cast<std::byte*>(words) + i * sizeof(T), &value, sizeof(T));
  }
};

/// What one instruction moves: so many words from an address that is a multiple of all of them.
template <int Words>
struct alignas(4 * Words) moved_words {
  std::uint32_t words[Words];
};
template <int Bytes>
KROTON_HOST_DEVICE KROTON_INLINE void load_pack(pack_of_elements& to, std::byte const* data,
                                                std::int32_t number) {
  if constexpr (Bytes >= 4) {
    using moved = moved_words<Bytes / 4>;
    moved const read = reinterpret_cast<moved const*>(data)[number];
    for (int w = 0; w < Bytes / 4; ++w) to.words[w] = read.words[w];
  } else {
    using moved = std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>;
    to.words[0] = reinterpret_cast<moved const*>(data)[number];
  }
}
template <int Bytes>
KROTON_HOST_DEVICE KROTON_INLINE void store_pack(pack_of_elements const& from, std::byte* data,
                                                 std::int32_t number) {
  if constexpr (Bytes >= 4) {
    using moved = moved_words<Bytes / 4>;
    moved written;
    for (int w = 0; w < Bytes / 4; ++w) written.words[w] = from.words[w];
    reinterpret_cast<moved*>(data)[number] = written;
  } else {
    using moved = std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>;
    reinterpret_cast<moved*>(data)[number] = static_cast<moved>(from.words[0]);
  }
}

/// The bits of an element. A device copies bytes one by one where it does not know that they are
/// aligned.
template <int Bytes>
using element_bits = std::conditional_t<
    Bytes == 8, std::uint64_t,
    std::conditional_t<Bytes == 4, std::uint32_t,
                       std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;
/// One element, again and again.
template <int Bytes>
KROTON_HOST_DEVICE KROTON_INLINE void spread_element(pack_of_elements& to, std::byte const* from) {
  auto const element = *reinterpret_cast<element_bits<Bytes> const*>(from);
  for (int i = 0; i < 16 / Bytes; ++i) to.set(i, element);
}

}  // namespace kroton::cuda
