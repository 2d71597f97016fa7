// Words of 64 places: bits that say which places are taken, and values moved to these or from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/op/sparse/products.hpp>
#include <kroton/cpu/simd/intrinsics.hpp>

#include <bit>

namespace kroton::cpu::lines {

/// The lowest n bits, at most 64.
KROTON_INLINE std::uint64_t low_bits(std::ptrdiff_t n) {
  return n == 0 ? 0 : ~std::uint64_t{} >> (64 - n);
}

/// The bits at the places of a mask, side by side.
KROTON_INLINE std::uint64_t extracted(std::uint64_t bits, std::uint64_t mask) {
#if defined(__BMI2__)
  return _pext_u64(bits, mask);
#else
  std::uint64_t found = 0;
  for (int k = 0; mask != 0; mask &= mask - 1, ++k)
    found |= (bits >> std::countr_zero(mask) & 1) << k;
  return found;
#endif
}
/// Of the bits that are set so many, without the first ones.
KROTON_INLINE std::uint64_t some_bits(std::uint64_t bits, std::ptrdiff_t skipped,
                                      std::ptrdiff_t count) {
  if (skipped == 0 && count == std::popcount(bits)) return bits;
  std::uint64_t found = 0;
  for (; skipped > 0; --skipped) bits &= bits - 1;
  for (; count > 0; --count, bits &= bits - 1) found |= bits & ~(bits - 1);
  return found;
}

// Values are moved by their size; their type does not matter.
struct [[gnu::may_alias]] two_words {
  std::uint64_t first, second;
};
template <int Bytes>
struct word_of_bytes;
template <>
struct word_of_bytes<1> {
  typedef std::uint8_t type [[gnu::may_alias]];
};
template <>
struct word_of_bytes<2> {
  typedef std::uint16_t type [[gnu::may_alias]];
};
template <>
struct word_of_bytes<4> {
  typedef std::uint32_t type [[gnu::may_alias]];
};
template <>
struct word_of_bytes<8> {
  typedef std::uint64_t type [[gnu::may_alias]];
};
template <>
struct word_of_bytes<16> {
  using type = two_words;
};
template <int Bytes>
using word = typename word_of_bytes<Bytes>::type;

/// A vector of words without gaps; a copy if it has some.
template <int Bytes>
class words {
 public:
  explicit words(core::array_ref const& x) : first_(reinterpret_cast<word<Bytes> const*>(x.data)) {
    std::ptrdiff_t const n = x.extents[0];
    if (x.strides[0] == 1 || n <= 1) return;
    copy_.resize(static_cast<std::size_t>(n * Bytes));
    core::copy_row(copy_.data(), 1, x.data, x.strides[0], n, Bytes);
    first_ = reinterpret_cast<word<Bytes> const*>(copy_.data());
  }
  word<Bytes> const* data() const { return first_; }

 private:
  word<Bytes> const* first_;
  std::vector<std::byte> copy_;
};

#if defined(__AVX512F__)
/// A register of words of which a mask selects some.
template <int Bytes>
struct selected_words {
  static constexpr std::ptrdiff_t width = 64 / Bytes;
  using mask = std::conditional_t<width == 8, __mmask8, __mmask16>;

  std::uint64_t bits;

  explicit selected_words(std::uint64_t of) : bits(of & (~std::uint64_t{} >> (64 - width))) {}
  std::ptrdiff_t count() const { return std::popcount(bits); }
  /// So many from `from` on to the places that are selected, zeros to the others.
  void spread(void const* from, void* to) const {
    if constexpr (width == 8)
      _mm512_storeu_si512(
          to, _mm512_maskz_expand_epi64(all(), _mm512_maskz_loadu_epi64(first(), from)));
    else
      _mm512_storeu_si512(
          to, _mm512_maskz_expand_epi32(all(), _mm512_maskz_loadu_epi32(first(), from)));
  }
  /// Those that are selected, side by side.
  void gather(void const* from, void* to) const {
    __m512i const x = _mm512_loadu_si512(from);
    if constexpr (width == 8)
      _mm512_mask_storeu_epi64(to, first(), _mm512_maskz_compress_epi64(all(), x));
    else _mm512_mask_storeu_epi32(to, first(), _mm512_maskz_compress_epi32(all(), x));
  }

 private:
  mask all() const { return static_cast<mask>(bits); }
  mask first() const { return static_cast<mask>((1u << count()) - 1); }
};
#endif

/// Copies words to the places with a bit in `bits`, of which there are `places`; the others become
/// 0. Reads no more words than there are bits.
template <int Bytes>
KROTON_INLINE void spread_words(std::uint64_t bits, std::ptrdiff_t places, word<Bytes> const* from,
                                word<Bytes>* to) {
  std::ptrdiff_t k = 0;
#if defined(__AVX512F__)
  if constexpr (Bytes == 8 || Bytes == 4)
    for (; k + selected_words<Bytes>::width <= places; k += selected_words<Bytes>::width) {
      selected_words<Bytes> const some(bits >> k);
      some.spread(from, to + k);
      from += some.count();
    }
#endif
  word<Bytes> const zero{};
  for (; k < places; ++k) {
    bool const has = (bits >> k & 1) != 0;
    to[k] = *(has ? from : &zero);
    from += has;
  }
}
/// The words at the places with a bit, side by side.
template <int Bytes>
KROTON_INLINE void gather_words(std::uint64_t bits, [[maybe_unused]] std::ptrdiff_t places,
                                word<Bytes> const* from, word<Bytes>* to) {
#if defined(__AVX512F__)
  if constexpr (Bytes == 8 || Bytes == 4)
    for (; places >= selected_words<Bytes>::width; places -= selected_words<Bytes>::width) {
      selected_words<Bytes> const some(bits);
      some.gather(from, to);
      to += some.count();
      from += selected_words<Bytes>::width;
      bits = selected_words<Bytes>::width < 64 ? bits >> selected_words<Bytes>::width : 0;
    }
#endif
  for (; bits != 0; bits &= bits - 1) *to++ = from[std::countr_zero(bits)];
}

}  // namespace kroton::cpu::lines
