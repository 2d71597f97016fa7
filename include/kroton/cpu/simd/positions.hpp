// Where the largest or smallest elements stand: of lines side by side, each in a lane of its own,
// and of one dense line of integers. Compiled with the vectors of the compiler, for any element.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/simd/short_vectors.hpp>
#include <kroton/ops/along_axes/reduction.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

namespace kroton::cpu {

/// Whether a number takes the place of the extremum so far: it is larger, or smaller, or the first
/// NaN.
template <class Extreme, class T>
KROTON_INLINE bool takes_place(T value, T best) {
  constexpr bool is_max = std::is_same_v<Extreme, op::max>;
  if constexpr (std::is_floating_point_v<T>)
    return bool(!(is_max ? value <= best : value >= best) & (best == best));
  else return is_max ? value > best : value < best;
}

/// W lines side by side: the extremum of each so far, and its position, counted in integers of the
/// size of an element.
template <class Extreme, class T, int W>
struct extremum_lanes {
  using position = std::conditional_t<
      sizeof(T) == 8, std::int64_t,
      std::conditional_t<sizeof(T) == 4, std::int32_t,
                         std::conditional_t<sizeof(T) == 2, std::int16_t, std::int8_t>>>;
  using values = typename short_vector<T, W>::lanes;
  using positions = typename short_vector<position, W>::lanes;
  values best;
  positions at{};

  static KROTON_INLINE short_vector<T, W> load(T const* x, std::ptrdiff_t across) {
    return short_vector<T, W>::load(x, across);
  }
  KROTON_INLINE void start(T const* x, std::ptrdiff_t across) {
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < W; ++k) best[k] = x[k * across];
#else
    best = load(x, across).v;
#endif
  }
  KROTON_INLINE void forget_positions() {
    for (int k = 0; k < W; ++k) at[k] = -1;
  }
  KROTON_INLINE void look(T const* x, std::ptrdiff_t across, position i) {
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < W; ++k) {
      bool const takes = takes_place<Extreme>(x[k * across], best[k]);
      best[k] = takes ? x[k * across] : best[k];
      at[k] = takes ? i : at[k];
    }
#else
    values const v = load(x, across).v;
    constexpr bool is_max = std::is_same_v<Extreme, op::max>;
    positions takes;
    if constexpr (!std::is_floating_point_v<T>) takes = is_max ? v > best : v < best;
    else if constexpr (is_max) takes = ~(v <= best) & (best == best);
    else takes = ~(v >= best) & (best == best);
    best = takes ? v : best;
    at = takes ? at - at + i : at;
#endif
  }
};

/// W lines side by side, whose elements are numbers: the extremum of each so far, and its position.
/// `may_have_nan` tells where one was not; of infinities of both signs it is true, too.
template <class Extreme, class T, int W>
class number_lanes {
 public:
  using position = typename extremum_lanes<Extreme, T, 2>::position;

  KROTON_INLINE void start(short_vector<T, W> const& first) {
    best_ = sum_ = wide(first);
    at_ = short_vector<position, lanes>(0);
  }
  KROTON_INLINE void look(short_vector<T, W> const& next, position i) {
    short_vector<T, lanes> const x = wide(next);
    sum_ = sum_ + x;
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < lanes; ++k) {
      bool const takes = is_max ? x.v[k] > best_.v[k] : x.v[k] < best_.v[k];
      best_.v[k] = takes ? x.v[k] : best_.v[k];
      at_.v[k] = takes ? i : at_.v[k];
    }
#else
    // Two comparisons: the extremum is one instruction then, and the next one waits for it alone.
    auto const stays = is_max ? best_.v >= x.v : best_.v <= x.v;
    at_.v = stays ? at_.v : short_vector<position, lanes>(i).v;
    if constexpr (is_max) best_.v = x.v > best_.v ? x.v : best_.v;
    else best_.v = x.v < best_.v ? x.v : best_.v;
#endif
  }
  KROTON_INLINE bool may_have_nan() const {
    short_vector<position, lanes> is;
#if defined(KROTON_VECTORS_ARE_ARRAYS)
    for (int k = 0; k < lanes; ++k) is.v[k] = sum_.v[k] != sum_.v[k];
#else
    is.v = sum_.v != sum_.v;
#endif
    // Words of several lanes: of each lane alone, compilers ask one by one.
    using word = std::conditional_t<sizeof is % 8 == 0, std::uint64_t, std::uint8_t>;
    word words[sizeof is / sizeof(word)], any = 0;
    std::memcpy(words, &is.v, sizeof is);
    for (word w : words) any |= w;
    return any != 0;
  }
  KROTON_INLINE void store(T* to) const { std::memcpy(to, &best_.v, W * sizeof(T)); }
  KROTON_INLINE void store_positions(std::int64_t* to) const {
    position of[static_cast<std::size_t>(lanes)];
    std::memcpy(of, &at_.v, sizeof of);
    for (int k = 0; k < W; ++k) to[k] = of[k];
  }

 private:
  // One line has two lanes: of two numbers compilers branch on the comparison, which no
  // processor predicts.
  static constexpr int lanes = W == 1 ? 2 : W;
  static constexpr bool is_max = std::is_same_v<Extreme, op::max>;

  static KROTON_INLINE short_vector<T, lanes> wide(short_vector<T, W> const& x) {
    if constexpr (W == 1) return short_vector<T, lanes>(x.v);
    else return x;
  }

  short_vector<T, lanes> best_, sum_;
  short_vector<position, lanes> at_;
};

/// In K times W lines of n elements, which are one behind the other at a distance of `along`. Lines
/// are side by side, or `across` from each other.
template <class Extreme, int W, int K, class T>
KROTON_INLINE void find_in_lanes(T const* x, std::ptrdiff_t along, std::ptrdiff_t n,
                                 std::int64_t* out, std::ptrdiff_t step,
                                 std::ptrdiff_t across = 1) {
  using lanes = extremum_lanes<Extreme, T, W>;
  using position = typename lanes::position;
  constexpr auto longest = static_cast<std::int64_t>(std::numeric_limits<position>::max());
  constexpr auto groups = static_cast<std::size_t>(K), width = static_cast<std::size_t>(W);
  lanes all[groups];
  std::int64_t found[groups][width]{};
  for (int k = 0; k < K; ++k) all[k].start(x + k * W * across, across);
  for (std::int64_t begin = 1; begin < n;) {
    std::int64_t const count = n - begin < longest ? n - begin : longest;
    for (int k = 0; k < K; ++k) all[k].forget_positions();
    T const* row = x + begin * along;
    for (std::int64_t i = 0; i < count; ++i, row += along)
      for (int k = 0; k < K; ++k)
        all[k].look(row + k * W * across, across, static_cast<position>(i));
    for (int k = 0; k < K; ++k)
      for (int j = 0; j < W; ++j)
        found[k][j] = all[k].at[j] >= 0 ? begin + all[k].at[j] : found[k][j];
    begin += count;
  }
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < W; ++j) out[(k * W + j) * step] = found[k][j];
}

/// In a line of n elements. First which one, then where: each goes without branches, which no
/// processor would predict.
template <class Extreme, class T>
KROTON_INLINE std::int64_t find_in_line(T const* x, std::ptrdiff_t along, std::ptrdiff_t n) {
  constexpr bool is_max = std::is_same_v<Extreme, op::max>;
  T best = x[0];
  bool are_numbers = best == best;
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    T const v = x[i * along];
    best = (is_max ? v > best : v < best) ? v : best;
    are_numbers &= v == v;
  }
  std::int64_t found = 0;
  if (are_numbers)
    for (std::ptrdiff_t i = n - 1; i >= 0; --i) found = x[i * along] == best ? i : found;
  else
    for (std::ptrdiff_t i = n - 1; i >= 0; --i) found = x[i * along] != x[i * along] ? i : found;
  return found;
}
/// In any lines, a few of them together.
template <class Extreme, class T>
void find_in_any_lines(T const* x, std::ptrdiff_t along, std::ptrdiff_t n, std::ptrdiff_t across,
                       std::ptrdiff_t lines, std::int64_t* out, std::ptrdiff_t step) {
  constexpr int together = 4;
  std::ptrdiff_t j = 0;
  if constexpr (sizeof(T) >= 4)
    for (; j + together <= lines; j += together)
      find_in_lanes<Extreme, together, 1>(x + j * across, along, n, out + j * step, step, across);
  for (; j < lines; ++j) out[j * step] = find_in_line<Extreme>(x + j * across, along, n);
}

/// In lines that lie side by side, whose results are `step` apart.
template <class Extreme, class T, int W = 64 / static_cast<int>(sizeof(T))>
void find_side_by_side(T const* x, std::ptrdiff_t along, std::ptrdiff_t n, std::ptrdiff_t lines,
                       std::int64_t* out, std::ptrdiff_t step) {
  if (lines >= W) {
    std::ptrdiff_t j = 0;
    for (; j + 2 * W <= lines; j += 2 * W)
      find_in_lanes<Extreme, W, 2>(x + j, along, n, out + j * step, step);
    for (; j + W <= lines; j += W)
      find_in_lanes<Extreme, W, 1>(x + j, along, n, out + j * step, step);
    if (j < lines)  // some of them once more
      find_in_lanes<Extreme, W, 1>(x + lines - W, along, n, out + (lines - W) * step, step);
  } else if constexpr (W > 2 && W * static_cast<int>(sizeof(T)) > 8) {
    find_side_by_side<Extreme, T, W / 2>(x, along, n, lines, out, step);
  } else {
    find_in_any_lines<Extreme>(x, along, n, 1, lines, out, step);
  }
}

/// In a dense line of n integers: in each column of a matrix of W columns, as which the line is
/// read, then among these.
template <class Extreme, class T, int W = 64 / static_cast<int>(sizeof(T))>
std::int64_t find_in_integers(T const* x, std::ptrdiff_t n) {
  std::int64_t rows[static_cast<std::size_t>(W)], found = 0;
  std::ptrdiff_t const count = n / W;
  if (count < 4) {
    if constexpr (W > 2 && W * static_cast<int>(sizeof(T)) > 16)
      return find_in_integers<Extreme, T, W / 2>(x, n);
    return find_in_line<Extreme>(x, 1, n);
  }
  find_in_lanes<Extreme, W, 1>(x, W, count, rows, 1);
  T best = x[found = rows[0] * W];
  for (int k = 1; k < W; ++k) {
    std::int64_t const at = rows[k] * W + k;
    bool const takes = takes_place<Extreme>(x[at], best) | ((x[at] == best) & (at < found));
    best = takes ? x[at] : best;
    found = takes ? at : found;
  }
  for (std::ptrdiff_t i = count * W; i < n; ++i) {
    bool const takes = takes_place<Extreme>(x[i], best);
    best = takes ? x[i] : best;
    found = takes ? i : found;
  }
  return found;
}

}  // namespace kroton::cpu
