// The union of two patterns of sparse matrices and the places that both have: marks of each place,
// which are found once, and what is read by them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/sparse/moved_words.hpp>
#include <kroton/cpu/op/sparse/patterns.hpp>

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

/// Writes marks, some places at a time.
class marked_places {
 public:
  explicit marked_places(std::int64_t* to) : head_(reinterpret_cast<place_marks*>(to)) {
    if (head_ != nullptr) to_ = head_ + 1;
  }

  std::ptrdiff_t count() const { return count_; }
  /// How many places both have.
  std::ptrdiff_t common() const { return common_; }
  /// At most 64 places, with a bit for each that the first and that the second has.
  KROTON_INLINE void add(std::uint64_t first, std::uint64_t second, std::ptrdiff_t places) {
    std::ptrdiff_t const at = count_ % place_marks::places;
    now_.has[0] |= first << at;
    now_.has[1] |= second << at;
    count_ += places;
    common_ += std::popcount(first & second);
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
    if (to_ == nullptr) return;
    if (count_ % place_marks::places != 0) *to_++ = now_;
    *head_ = {{to_ - head_ - 1, 0}, {}};
  }

 private:
  place_marks *head_, *to_ = nullptr;
  place_marks now_{};
  std::ptrdiff_t count_ = 0, common_ = 0;
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

/// Values of one of two matrices, of which `from` is the first, at the places from `first` on; 0
/// where it has none.
struct united_range {
  template <int Bytes>
  static void read(place_marks const* marks, int which, word<Bytes> const* from,
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
};
/// The same where `first` and `count` count the places that both matrices have.
struct common_range {
  template <int Bytes>
  static void read(place_marks const* marks, int which, word<Bytes> const* from,
                   std::ptrdiff_t first, std::ptrdiff_t count, word<Bytes>* to) {
    if (count == 0) return;
    std::ptrdiff_t k = group_of(marks, first), skipped = first - before(marks, k);
    for (; count > 0; ++k, skipped = 0) {
      place_marks const& m = marks[k];
      std::uint64_t const own = extracted(m.has[0] & m.has[1], m.has[which]);
      std::ptrdiff_t const here = std::min<std::ptrdiff_t>(count, std::popcount(own) - skipped);
      gather_words<Bytes>(some_bits(own, skipped, here), std::popcount(m.has[which]),
                          from + m.before[which], to);
      to += here;
      count -= here;
    }
  }

 private:
  // How many of these places stand before a group: the values of both without those of the union.
  static std::ptrdiff_t before(place_marks const* marks, std::ptrdiff_t k) {
    return marks[k].before[0] + marks[k].before[1] - k * place_marks::places;
  }
  static std::ptrdiff_t group_of(place_marks const* marks, std::ptrdiff_t place) {
    std::ptrdiff_t k = place / place_marks::places, end = marks[-1].before[0];
    while (end - k > 1) {
      std::ptrdiff_t const middle = k + (end - k) / 2;
      (before(marks, middle) <= place ? k : end) = middle;
    }
    return k;
  }
};

inline place_marks const* marks_of(core::array_ref const& marks) {
  return reinterpret_cast<place_marks const*>(marks.data) + 1;
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

namespace lines {

/// Writes marks, and the bounds of the lines whose places `counted` counts.
inline void mark_lines(std::string_view op, core::invocation const& call,
                       std::ptrdiff_t (marked_places::*counted)() const) {
  two_patterns const of(op, call);
  if (of.a.size() + of.b.size() > inner_extent(call.operand(4)))
    throw value_error(core::message({op, ": a matrix has fewer values than indices"}));
  of.check();
  marked_places places(target<std::int64_t>(call, 1));
  auto* const out = target<std::int32_t>(call);
  out[0] = 0;
  for (std::ptrdiff_t i = 0; i < of.a.count(); ++i) {
    mark_line(of, i, places);
    out[i + 1] = static_cast<std::int32_t>((places.*counted)());
  }
  places.finish();
  (void)as_bound(op, (places.*counted)());
}

}  // namespace lines

template <>
struct kernel<op::united_bounds> {
  static void run(core::invocation const& call) {
    lines::mark_lines(op::united_bounds::name, call, &lines::marked_places::count);
  }
};
template <>
struct kernel<op::common_bounds> {
  static void run(core::invocation const& call) {
    lines::mark_lines(op::common_bounds::name, call, &lines::marked_places::common);
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

// What has been counted is not checked again.
template <>
struct kernel<op::common_indices> {
  static void run(core::invocation const& call) {
    using word = lines::word<4>;
    dense_vector<std::int32_t> const a(call.operand(0));
    auto const* const of_a = reinterpret_cast<word const*>(a.data());
    auto* const index = lines::target<word>(call);
    std::int64_t* const place[] = {lines::target<std::int64_t>(call, 1),
                                   lines::target<std::int64_t>(call, 2)};
    lines::place_marks const* m = lines::marks_of(call.operand(5));
    for (std::ptrdiff_t n = 0, count = call.result().extents[0]; n < count; ++m) {
      std::uint64_t const both = m->has[0] & m->has[1];
      if (index != nullptr)
        lines::gather_words<4>(lines::extracted(both, m->has[0]), std::popcount(m->has[0]),
                               of_a + m->before[0], index + n);
      for (int which : {0, 1})
        if (place[which] != nullptr) {
          std::int64_t* to = place[which] + n;
          for (std::uint64_t bits = lines::extracted(both, m->has[which]); bits != 0;
               bits &= bits - 1)
            *to++ = m->before[which] + std::countr_zero(bits);
        }
      n += std::popcount(both);
    }
  }
};

namespace lines {

/// Values at the places that marks describe, which `Range` reads, also for a loop that makes those
/// that it reads; values that stand apart are copied.
template <class Range>
struct values_by_marks {
  static void run(core::invocation const& call) {
    core::array_ref const &values = call.operand(0), &out = call.result();
    core::with_bytes(values.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      words<Bytes> const given(values);
      Range::template read<Bytes>(marks_of(call.operand(1)), static_cast<int>(call.attribute(0)),
                                  given.data(), 0, out.extents[0],
                                  reinterpret_cast<word<Bytes>*>(out.data));
    });
  }
  static core::indirect_array made(core::invocation const& call) {
    core::array_ref const& values = call.operand(0);
    if (values.strides[0] != 1 && values.extents[0] > 1) return run(call), core::indirect_array{};
    core::indirect_array all{.index = call.result(), .bytes = values.bytes};
    core::with_bytes(values.bytes, [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      all.make = call.attribute(0) == 0 ? &make<Bytes, 0> : &make<Bytes, 1>;
    });
    all.from[0] = reinterpret_cast<std::uintptr_t>(values.data);
    all.from[1] = reinterpret_cast<std::uintptr_t>(marks_of(call.operand(1)));
    return all;
  }

 private:
  template <int Bytes, int Which>
  static void make(std::uint64_t const* from, std::byte* to, std::ptrdiff_t first,
                   std::ptrdiff_t count) {
    Range::template read<Bytes>(
        reinterpret_cast<place_marks const*>(static_cast<std::uintptr_t>(from[1])), Which,
        reinterpret_cast<word<Bytes> const*>(static_cast<std::uintptr_t>(from[0])), first, count,
        reinterpret_cast<word<Bytes>*>(to));
  }
};

}  // namespace lines

template <>
struct kernel<op::united_values> : lines::values_by_marks<lines::united_range> {};
template <>
struct kernel<op::common_values> : lines::values_by_marks<lines::common_range> {};

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
