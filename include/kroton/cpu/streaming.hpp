// Stores that bypass the caches: what is larger than they are would only push out what is read next.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/intrinsics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kroton::core {

inline constexpr std::ptrdiff_t cache_line = 64;

/// A result of this many bytes and more is streamed. A store that bypasses the caches spares the read of the line that it
/// replaces, but who reads the result next has to wait for the memory.
inline constexpr std::ptrdiff_t streamed_bytes = std::ptrdiff_t{16} << 20;

/// Copies whole lines past the caches; both addresses are multiples of a line.
inline void stream_lines(std::byte* to, std::byte const* from, std::ptrdiff_t bytes) {
#if defined(__AVX512F__)
  for (std::ptrdiff_t i = 0; i < bytes; i += 64) _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
#elif defined(__AVX__)
  for (std::ptrdiff_t i = 0; i < bytes; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), _mm256_load_si256(reinterpret_cast<__m256i const*>(from + i)));
#elif defined(__SSE2__)
  for (std::ptrdiff_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_load_si128(reinterpret_cast<__m128i const*>(from + i)));
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}
/// Makes what was streamed visible to other threads before anything that is stored later.
inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// A dense row of a result on its way to memory, in parts of at most so many bytes, each a multiple of a line but the last one.
/// A part is computed in a buffer that stays in the first-level cache; the line that it only begins waits for the next part.
template <std::ptrdiff_t Bytes>
class streamed_row {
 public:
  /// Where the values of the part are put that belongs at `to`.
  std::byte* part(std::byte* to) { return buffer_ + begun(to); }

  void write(std::byte* to, std::ptrdiff_t bytes, bool first, bool last) {
    std::ptrdiff_t const offset = begun(to), end = offset + bytes, whole = end / cache_line * cache_line;
    // What stands in the line before the first part is not ours.
    std::ptrdiff_t const head = first && offset > 0 ? std::min(cache_line, end) : 0;
    if (head > 0) std::memcpy(to, buffer_ + offset, static_cast<std::size_t>(head - offset));
    if (whole > head) stream_lines(to - offset + head, buffer_ + head, whole - head);
    std::ptrdiff_t const rest = end - std::max(whole, head);
    if (rest <= 0) return;
    if (last) std::memcpy(to - offset + whole, buffer_ + whole, static_cast<std::size_t>(rest));
    else std::memcpy(buffer_, buffer_ + whole, static_cast<std::size_t>(rest));
  }

 private:
  static std::ptrdiff_t begun(std::byte const* to) { return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) % cache_line); }

  alignas(cache_line) std::byte buffer_[Bytes + cache_line];
};

/// Whether a loop's results are streamed: large ones of long dense rows, none of which lies in an operand.
template <class Space>
bool streams(Space const& s, typename Space::facts_type const& facts) {
  constexpr std::ptrdiff_t long_row = 1024;
  bool any = false;
  if (s.extents[s.rank - 1] < long_row) return false;
  for (int k = 0; k < s.results; ++k) {
    if (facts.result[k].reduction) continue;
    int const at = s.operands + k;
    if (s.strides[s.rank - 1][at] != 1 || s.size() * s.bytes[at] < streamed_bytes) return false;
    std::byte const *const begin = s.data[at], *const end = begin + s.size() * s.bytes[at];
    for (int i = 0; i < s.operands; ++i)
      if (s.data[i] >= begin && s.data[i] < end) return false;
    any = true;
  }
  return any;
}

}  // namespace kroton::core
