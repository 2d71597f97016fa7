// The union of two patterns of sparse matrices: marks of each place, which are found once, and what
// is read by them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/copy.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>

#include <bit>
#include <cstring>

namespace kroton::cpu {

namespace lines {

/// Of 64 places how many values of each matrix stand before them, and a bit for each place that it
/// has.
struct place_marks {
  static constexpr std::ptrdiff_t places = 64;
  std::int64_t before[2]{};
  std::uint64_t has[2]{};
};
static_assert(sizeof(place_marks) == 4 * sizeof(std::int64_t));

/// The lowest n bits, at most 64.
KROTON_INLINE std::uint64_t low_bits(std::ptrdiff_t n) {
  return n == 0 ? 0 : ~std::uint64_t{} >> (place_marks::places - n);
}

/// Writes marks, some places at a time.
class marked_places {
 public:
  explicit marked_places(std::int64_t* to) : to_(reinterpret_cast<place_marks*>(to)) {}

  std::ptrdiff_t count() const { return count_; }
  /// At most 64 places, with a bit for each that the first and that the second has.
  KROTON_INLINE void add(std::uint64_t first, std::uint64_t second, std::ptrdiff_t places) {
    std::ptrdiff_t const at = count_ % place_marks::places;
    now_.has[0] |= first << at;
    now_.has[1] |= second << at;
    count_ += places;
    if (at + places < place_marks::places) return;
    if (to_ != nullptr) *to_++ = now_;
    for (std::uint64_t* rest : {&first, &second}) *rest = at == 0 ? 0 : *rest >> (64 - at);
    for (int k = 0; k < 2; ++k) now_.before[k] += std::popcount(now_.has[k]);
    now_.has[0] = first, now_.has[1] = second;
  }
  /// So many places that are alike.
  KROTON_INLINE void add_all(bool first, bool second, std::ptrdiff_t places) {
    for (; places > 0; places -= place_marks::places) {
      std::ptrdiff_t const here = std::min(places, place_marks::places);
      add(first ? low_bits(here) : 0, second ? low_bits(here) : 0, here);
    }
  }
  void finish() {
    if (to_ != nullptr && count_ % place_marks::places != 0) *to_ = now_;
  }

 private:
  place_marks* to_;
  place_marks now_{};
  std::ptrdiff_t count_ = 0;
};

/// Adds the places of a line of two patterns. Lines that are equal, or lie behind each other, are
/// seen at their ends.
inline void mark_line(two_patterns const& of, std::ptrdiff_t i, marked_places& to) {
  std::ptrdiff_t const m = of.a.end(i) - of.a.begin(i), n = of.b.end(i) - of.b.begin(i);
  std::int32_t const *a = of.a.indices() + of.a.begin(i), *b = of.b.indices() + of.b.begin(i);
  std::int32_t const *const a_end = a + m, *const b_end = b + n;
  if (m > 0 && n > 0) {
    if (a_end[-1] < b[0]) return to.add_all(true, false, m), to.add_all(false, true, n);
    if (b_end[-1] < a[0]) return to.add_all(false, true, n), to.add_all(true, false, m);
    if (m == n && a[0] == b[0] && a_end[-1] == b_end[-1] && std::equal(a, a_end, b))
      return to.add_all(true, true, m);
  }
  // Without branches: which index is the less is not to be foreseen.
  while (a < a_end && b < b_end) {
    std::uint64_t first = 0, second = 0;
    std::ptrdiff_t k = 0;
    for (; a < a_end && b < b_end && k < place_marks::places; ++k) {
      std::int32_t const x = *a, y = *b;
      bool const in_a = x <= y, in_b = y <= x;
      first |= std::uint64_t{in_a} << k;
      second |= std::uint64_t{in_b} << k;
      a += in_a, b += in_b;
    }
    to.add(first, second, k);
  }
  to.add_all(true, false, a_end - a);
  to.add_all(false, true, b_end - b);
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
/// Spreads the values of one of two matrices, of which `from` is the first, to the places from
/// `first` on.
template <int Bytes>
void spread_range(place_marks const* marks, int which, word<Bytes> const* from,
                  std::ptrdiff_t first, std::ptrdiff_t count, word<Bytes>* to) {
  while (count > 0) {
    place_marks const& m = marks[first / place_marks::places];
    std::ptrdiff_t const skipped = first % place_marks::places,
                         here = std::min(count, place_marks::places - skipped);
    std::uint64_t const before = m.has[which] & ((std::uint64_t{1} << skipped) - 1);
    spread_words<Bytes>(m.has[which] >> skipped, here,
                        from + m.before[which] + std::popcount(before), to);
    first += here;
    to += here;
    count -= here;
  }
}

inline place_marks const* marks_of(core::array_ref const& marks) {
  return reinterpret_cast<place_marks const*>(marks.data);
}
/// Calls run(marks, places) for every 64 places.
template <class Run>
KROTON_INLINE void for_each_mark(core::array_ref const& marks, std::ptrdiff_t count,
                                 Run const& run) {
  place_marks const* const all = marks_of(marks);
  for (std::ptrdiff_t k = 0; k < count; k += place_marks::places)
    run(all[k / place_marks::places], k, std::min(count - k, place_marks::places));
}

}  // namespace lines

template <>
struct kernel<op::united_bounds> {
  static void run(core::invocation const& call) {
    lines::two_patterns const of(op::united_bounds::name, call);
    if (of.a.size() + of.b.size() > lines::inner_extent(call.operand(4)))
      throw value_error("united_bounds: a matrix has fewer values than indices");
    of.check();
    lines::marked_places places(lines::target<std::int64_t>(call, 1));
    auto* const out = lines::target<std::int32_t>(call);
    out[0] = 0;
    for (std::ptrdiff_t i = 0; i < of.a.count(); ++i) {
      lines::mark_line(of, i, places);
      out[i + 1] = static_cast<std::int32_t>(places.count());
    }
    places.finish();
    (void)lines::as_bound(op::united_bounds::name, places.count());
  }
};

// What has been counted is not checked again.
template <>
struct kernel<op::united_indices> {
  static void run(core::invocation const& call) {
    using word = lines::word<4>;
    dense_vector<std::int32_t> const a(call.operand(0)), b(call.operand(2));
    auto const *const of_a = reinterpret_cast<word const*>(a.data()),
                      *const of_b = reinterpret_cast<word const*>(b.data());
    std::ptrdiff_t const count = call.result().extents[0];
    auto* const index = lines::target<word>(call);
    std::int64_t* const place[] = {lines::target<std::int64_t>(call, 1),
                                   lines::target<std::int64_t>(call, 2)};
    lines::for_each_mark(call.operand(5), count,
                         [=](lines::place_marks const& m, std::ptrdiff_t k, std::ptrdiff_t here) {
                           for (int which : {0, 1})
                             if (place[which] != nullptr) {
                               std::int64_t* to = place[which] + m.before[which];
                               for (std::uint64_t bits = m.has[which]; bits != 0; bits &= bits - 1)
                                 *to++ = k + std::countr_zero(bits);
                             }
                           if (index == nullptr) return;
                           word other[lines::place_marks::places], *const to = index + k;
                           lines::spread_words<4>(m.has[0], here, of_a + m.before[0], to);
                           lines::spread_words<4>(m.has[1], here, of_b + m.before[1], other);
                           // Where both have a place, the index is the same.
                           for (std::ptrdiff_t j = 0; j < here; ++j) to[j] |= other[j];
                         });
  }
};

template <>
struct kernel<op::united_values> {
  static void run(core::invocation const& call) {
    core::array_ref const &values = call.operand(0), &out = call.result();
    core::with_bytes(values.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      lines::words<Bytes> const given(values);
      lines::spread_range<Bytes>(lines::marks_of(call.operand(1)),
                                 static_cast<int>(call.attribute(0)), given.data(), 0,
                                 out.extents[0], reinterpret_cast<lines::word<Bytes>*>(out.data));
    });
  }

  /// The values for a loop that makes those that it reads; values that stand apart are copied.
  static core::indirect_array made(core::invocation const& call) {
    core::array_ref const& values = call.operand(0);
    if (values.strides[0] != 1 && values.extents[0] > 1) return run(call), core::indirect_array{};
    core::indirect_array all{.index = call.result(), .bytes = values.bytes};
    core::with_bytes(values.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      all.make = call.attribute(0) == 0 ? &make<Bytes, 0> : &make<Bytes, 1>;
    });
    all.from[0] = reinterpret_cast<std::uintptr_t>(values.data);
    all.from[1] = reinterpret_cast<std::uintptr_t>(call.operand(1).data);
    return all;
  }

 private:
  template <int Bytes, int Which>
  static void make(std::uint64_t const* from, std::byte* to, std::ptrdiff_t first,
                   std::ptrdiff_t count) {
    lines::spread_range<Bytes>(
        reinterpret_cast<lines::place_marks const*>(static_cast<std::uintptr_t>(from[1])), Which,
        reinterpret_cast<lines::word<Bytes> const*>(static_cast<std::uintptr_t>(from[0])), first,
        count, reinterpret_cast<lines::word<Bytes>*>(to));
  }
};

template <>
struct kernel<op::values_of_united> {
  static void run(core::invocation const& call) {
    core::array_ref const &values = call.operand(0), &out = call.result();
    core::with_bytes(values.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      using word = lines::word<Bytes>;
      lines::words<Bytes> const given(values);
      auto const which = static_cast<std::size_t>(call.attribute(0));
      auto* const to = reinterpret_cast<word*>(out.data);
      lines::for_each_mark(call.operand(1), values.extents[0],
                           [&](lines::place_marks const& m, std::ptrdiff_t k, std::ptrdiff_t here) {
                             lines::gather_words<Bytes>(m.has[which], here, given.data() + k,
                                                        to + m.before[which]);
                           });
    });
  }
};

}  // namespace kroton::cpu
