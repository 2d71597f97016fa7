// Elements of a row that stand apart, copied to where they stand side by side, and back.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/transposition.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace kroton::cpu {

#if defined(__SSE2__) && !defined(__CUDACC__)
/// Every so many elements, as in the columns of a narrow matrix: a register of them is made of all
/// the registers among which they lie.
template <class Word, std::size_t Step>
class every {
  static constexpr std::size_t width = largest_side<Word>;

 public:
  typedef Word row __attribute__((vector_size(width * sizeof(Word))));

  /// A register of them. Reads Step registers from the first one on.
  static KROTON_INLINE row load(std::byte const* from) { return choose<0>(from); }
  /// Copies n elements if they are more than a register holds; returns how many. Reads nothing
  /// before the first one or behind the last.
  static std::ptrdiff_t gather(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t side = width, size = sizeof(Word), step = Step;
    if (n <= side) return 0;
    for (std::ptrdiff_t i = 0; i + side < n; i += side)
      store(to + i * size, choose<0>(from + i * step * size));
    // The last ones end where the registers end.
    std::ptrdiff_t const last = n - side;
    store(to + last * size, choose<Step - 1>(from + (last * step - (step - 1)) * size));
    return n;
  }

 private:
  static KROTON_INLINE void store(std::byte* to, row const& x) { std::memcpy(to, &x, sizeof(row)); }
  static KROTON_INLINE row loaded(std::byte const* from) {
    row x;
    std::memcpy(&x, from, sizeof(row));
    return x;
  }
  template <std::size_t First>
  static KROTON_INLINE row choose(std::byte const* from) {
    return choose<First, 1>(loaded(from), from, std::make_index_sequence<width>());
  }
  /// Those of the registers before are in their places.
  template <std::size_t First, std::size_t Register, std::size_t... Lane>
  static KROTON_INLINE row choose(row const& before, std::byte const* from,
                                  std::index_sequence<Lane...> lanes) {
    row const chosen = __builtin_shufflevector(before, loaded(from + Register * sizeof(row)),
                                               lane(First + Lane * Step, Register, Lane)...);
    if constexpr (Register + 1 < Step) return choose<First, Register + 1>(chosen, from, lanes);
    else return chosen;
  }
  /// Where the element for a lane stands: in the next register, in the first one, or in its place.
  static constexpr int lane(std::size_t element, std::size_t next, std::size_t own) {
    std::size_t const home = element / width, at = element % width;
    return static_cast<int>(home == next ? width + at : next == 1 ? at : own);
  }
};
#endif

// Elements are moved by their size; their type does not matter.
template <class Word>
inline void gather_words(std::byte* to, std::byte const* from, std::ptrdiff_t step,
                         std::ptrdiff_t n, std::ptrdiff_t padded) {
  std::ptrdiff_t i = 0;
#if defined(__SSE2__) && !defined(__CUDACC__)
  if constexpr (sizeof(Word) == 4 || sizeof(Word) == 8) {
    constexpr std::ptrdiff_t size = sizeof(Word);
    i = step == 2 * size   ? every<Word, 2>::gather(to, from, n)
        : step == 3 * size ? every<Word, 3>::gather(to, from, n)
        : step == 4 * size ? every<Word, 4>::gather(to, from, n)
                           : 0;
  }
#endif
  for (; i < padded; ++i)
    std::memcpy(to + i * static_cast<std::ptrdiff_t>(sizeof(Word)),
                from + (i < n ? i : n - 1) * step, sizeof(Word));
}
template <class Word>
inline void scatter_words(std::byte* to, std::byte const* from, std::ptrdiff_t step,
                          std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i)
    std::memcpy(to + i * step, from + i * static_cast<std::ptrdiff_t>(sizeof(Word)), sizeof(Word));
}
inline void gather(std::byte* to, std::byte const* from, std::ptrdiff_t stride, int bytes,
                   std::ptrdiff_t n, std::ptrdiff_t padded) {
  std::ptrdiff_t const step = stride * bytes;
  if (bytes == 16) gather_words<std::complex<double>>(to, from, step, n, padded);
  else if (bytes == 8) gather_words<std::uint64_t>(to, from, step, n, padded);
  else if (bytes == 4) gather_words<std::uint32_t>(to, from, step, n, padded);
  else if (bytes == 2) gather_words<std::uint16_t>(to, from, step, n, padded);
  else gather_words<std::uint8_t>(to, from, step, n, padded);
}
inline void scatter(std::byte* to, std::byte const* from, std::ptrdiff_t stride, int bytes,
                    std::ptrdiff_t n) {
  std::ptrdiff_t const step = stride * bytes;
  if (bytes == 16) scatter_words<std::complex<double>>(to, from, step, n);
  else if (bytes == 8) scatter_words<std::uint64_t>(to, from, step, n);
  else if (bytes == 4) scatter_words<std::uint32_t>(to, from, step, n);
  else if (bytes == 2) scatter_words<std::uint16_t>(to, from, step, n);
  else scatter_words<std::uint8_t>(to, from, step, n);
}

}  // namespace kroton::cpu
