// A row in whole batches: directly where data is dense, through a small buffer where it is strided, streamed, or the row ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/space.hpp>
#include <kroton/cpu/streaming.hpp>

#include <complex>
#include <cstdint>
#include <cstring>

namespace kroton::core {

// Elements are moved by their size; their type does not matter.
template <class Word>
inline void gather_words(std::byte* to, std::byte const* from, std::ptrdiff_t step, std::ptrdiff_t n, std::ptrdiff_t padded) {
  for (std::ptrdiff_t i = 0; i < padded; ++i)
    std::memcpy(to + i * static_cast<std::ptrdiff_t>(sizeof(Word)), from + (i < n ? i : n - 1) * step, sizeof(Word));
}
template <class Word>
inline void scatter_words(std::byte* to, std::byte const* from, std::ptrdiff_t step, std::ptrdiff_t n) {
  for (std::ptrdiff_t i = 0; i < n; ++i)
    std::memcpy(to + i * step, from + i * static_cast<std::ptrdiff_t>(sizeof(Word)), sizeof(Word));
}
inline void gather(std::byte* to, std::byte const* from, std::ptrdiff_t stride, int bytes, std::ptrdiff_t n, std::ptrdiff_t padded) {
  std::ptrdiff_t const step = stride * bytes;
  if (bytes == 16) gather_words<std::complex<double>>(to, from, step, n, padded);
  else if (bytes == 8) gather_words<std::uint64_t>(to, from, step, n, padded);
  else if (bytes == 4) gather_words<std::uint32_t>(to, from, step, n, padded);
  else if (bytes == 2) gather_words<std::uint16_t>(to, from, step, n, padded);
  else gather_words<std::uint8_t>(to, from, step, n, padded);
}
inline void scatter(std::byte* to, std::byte const* from, std::ptrdiff_t stride, int bytes, std::ptrdiff_t n) {
  std::ptrdiff_t const step = stride * bytes;
  if (bytes == 16) scatter_words<std::complex<double>>(to, from, step, n);
  else if (bytes == 8) scatter_words<std::uint64_t>(to, from, step, n);
  else if (bytes == 4) scatter_words<std::uint32_t>(to, from, step, n);
  else if (bytes == 2) scatter_words<std::uint16_t>(to, from, step, n);
  else scatter_words<std::uint8_t>(to, from, step, n);
}

/// Walks a row in parts of whole batches. The last elements are padded with the last one to a whole batch, so that every
/// element of a row goes through the same arithmetic, and there is one copy of it.
template <class Space, int Width>
struct row_parts {
  static constexpr int count = Space::count;
  static constexpr std::ptrdiff_t long_part = 32 * Width;  // what accumulates in the lane type without rounding much
  static constexpr std::ptrdiff_t moved_part = 8 * Width;
  static constexpr std::ptrdiff_t streamed_part = 64 * Width;

  std::byte* at[static_cast<std::size_t>(count) + 1];  // of the part
  std::ptrdiff_t size = 0;                             // in elements, a multiple of Width, or less than it

  row_parts(Space const& s, typename Space::facts_type const& facts, std::byte* const* row)
      : s_(s), facts_(facts), row_(row), n_(s.extents[s.rank - 1]), strides_(s.strides[s.rank - 1]) {
    for (int k = 0; k < count; ++k) {
      spans_[k] = k < Space::operands ? facts.spans_rows[k] : !facts.result[k - Space::operands].along_rows;
      at[k] = row[k];
      all_dense_ = all_dense_ && (!spans_[k] || strides_[k] == 1);
      if (k >= Space::operands) any_reduction_ = any_reduction_ || facts.result[k - Space::operands].reduction;
    }
    streams_ = s.streams && all_dense_;
  }
  std::ptrdiff_t lanes() const { return size < Width ? size : Width; }
  bool next() {
    if (size != 0 && moved_) store();
    else if (size != 0 && streams_) stream();
    begin_ += size;
    std::ptrdiff_t const rest = n_ - begin_;
    if (rest <= 0) return false;
    moved_ = !all_dense_ || rest < Width;
    std::ptrdiff_t const whole = rest < Width ? rest : rest - rest % Width;
    std::ptrdiff_t const most = !all_dense_ ? moved_part : any_reduction_ ? long_part : streams_ ? streamed_part : whole;
    size = whole < most ? whole : most;
    for (int k = 0; k < count; ++k) {
      if (!spans_[k]) continue;
      std::byte* const from = row_[k] + begin_ * strides_[k] * s_.bytes[k];
      at[k] = moves(k) ? buffer_[k] : streams(k) ? row_of_[k - Space::operands].part(from) : from;
      bool const reads = k < Space::operands || facts_.result[k - Space::operands].reduction;
      if (moves(k) && reads) gather(buffer_[k], from, strides_[k], s_.bytes[k], size, size < Width ? Width : size);
    }
    return true;
  }

 private:
  bool moves(int k) const { return size < Width || strides_[k] != 1; }
  void store() const {
    for (int k = Space::operands; k < count; ++k)
      if (spans_[k] && moves(k))
        scatter(row_[k] + begin_ * strides_[k] * s_.bytes[k], buffer_[k], strides_[k], s_.bytes[k], size);
  }

  bool streams(int k) const { return streams_ && k >= Space::operands && !facts_.result[k - Space::operands].reduction; }
  void stream() {
    for (int k = Space::operands; k < count; ++k)
      if (streams(k))
        row_of_[k - Space::operands].write(row_[k] + begin_ * s_.bytes[k], size * s_.bytes[k], begin_ == 0, n_ - begin_ - size < Width);
  }

  Space const& s_;
  typename Space::facts_type const& facts_;
  std::byte* const* row_;
  std::ptrdiff_t n_, begin_ = 0;
  std::ptrdiff_t const* strides_;
  bool spans_[static_cast<std::size_t>(count) + 1];
  bool all_dense_ = true, any_reduction_ = false, moved_ = false, streams_ = false;
  alignas(64) std::byte buffer_[static_cast<std::size_t>(count) + 1][static_cast<std::size_t>(moved_part) * 8];
  streamed_row<streamed_part * 8> row_of_[static_cast<std::size_t>(Space::results) + 1];
};

}  // namespace kroton::core
