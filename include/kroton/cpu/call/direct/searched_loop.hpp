// A loop of a direct call whose elements are only searched for the extrema over its rows: they stay
// in registers, and so do the extrema and their positions so far.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/blas/written_products.hpp>
#include <kroton/cpu/call/direct/loop.hpp>
#include <kroton/cpu/call/direct/positions.hpp>

#include <array>

namespace kroton::cpu {

/// What of an expression can be computed in short vectors: all nodes but reductions. Operands have
/// an element for each lane, or one for all, whichever the axis is along which lanes lie.
template <class L, auto const* Facts, class Expression, class Indices>
struct short_elements;
template <class L, auto const* Facts, class... N, int... I>
struct short_elements<L, Facts, expression<N...>, std::integer_sequence<int, I...>> {
  using expand = int[];
  template <class Node, int Id>
  static constexpr bool fits() {
    if constexpr (node_traits<Node>::is_reduction) return true;
    else return fits_short_vectors<L, typename node_traits<Node>::kind, (*Facts)[Id].types>;
  }
  static constexpr bool exist = (fits<N, I>() && ...);

  /// Those of W lanes from number j on; SpansLanes says which operands have an element for each.
  template <auto const& SpansLanes, int W>
  static KROTON_INLINE void compute(short_values<L, W, static_cast<int>(sizeof...(N))>& v,
                                    std::byte* const* at, std::ptrdiff_t const* strides,
                                    std::ptrdiff_t j) {
    (void)expand{0, (compute_one<SpansLanes, N, I>(v, at, strides, j), 0)...};
  }

 private:
  template <auto const& SpansLanes, class Node, int Id, class Values>
  static KROTON_INLINE void compute_one(Values& v, std::byte* const* at,
                                        std::ptrdiff_t const* strides, std::ptrdiff_t j) {
    using traits = node_traits<Node>;
    constexpr node_fact fact = (*Facts)[Id];
    if constexpr (traits::is_input)
      short_node<L, operand_kind<traits::position, SpansLanes[traits::position]>,
                 fact.types>::step(v, Id, fact, at, strides, j);
    else if constexpr (!traits::is_reduction)
      short_node<L, typename traits::kind, fact.types>::step(v, Id, fact, at, strides, j);
  }
};

/// Loop S of a program, if a later step searches what it computes for positions along an axis, and
/// nothing else reads that but a reduction of the loop that gives the extrema themselves. Lines lie
/// side by side along the other axis.
template <class Program, int S>
class searched_loop {
  using tables = direct_tables<Program>;
  using loop = direct_loop<Program, S>;
  using G = typename loop::G;
  using L = typename loop::kernel::lane_or_double;
  using state = direct_state<Program>;
  using expand = int[];
  using elements = short_elements<L, &G::facts, typename G::type,
                                  std::make_integer_sequence<int, G::all>>;
  static constexpr step_info info = loop::info;

  /// The result that is searched: the one with elements.
  static constexpr int searched() {
    int found = -1, count = 0;
    for (int k = 0; k < info.result_count; ++k)
      if (loop::kind_of(k) == direct_result::elements) found = k, ++count;
    return count == 1 ? found : -1;
  }
  /// The step that reads a value of the program, if there is only one.
  static constexpr int only_reader(int v) {
    if (tables::value(v).output >= 0 || tables::value(v).slot < 0) return -1;
    for (int other = 0; other < tables::value_count; ++other)
      if (tables::value(other).shows(v) || tables::value(other).companion == v) return -1;
    for (int k : Program::outputs)
      if (k == v) return -1;
    for (auto const& u : Program::updates)
      if (u.value == v) return -1;
    int reader = -1;
    for (int s = 0; s < tables::step_count; ++s)
      for (int k = 0; k < tables::step(s).operand_count; ++k) {
        if (tables::operand(s, k) != v) continue;
        if (reader >= 0) return -1;
        reader = s;
      }
    return reader;
  }
  static constexpr int finder = [] {
    if (info.kind != step_kind::loop || loop::rank != 2 || info.prologue ||
        info.guard_count > 0 || Program::bands.size() > 0 || searched() < 0)
      return -1;
    return only_reader(tables::result(S, searched()));
  }();
  /// Whether an array may lie where the positions come to lie: in their slot, or in a parameter of
  /// their type, which the caller may have given away.
  static constexpr bool may_meet_positions(int v) {
    while (tables::value(v).where == storage::view && tables::step_of(v) >= 0)
      v = tables::operand(tables::step_of(v), 0);
    value_info const &to = tables::value(tables::result(finder, 0)), &x = tables::value(v);
    return to.slot >= 0 ? x.slot == to.slot : x.rank > 0 && x.type == to.type;
  }
  /// Whether the positions can be written when this loop runs.
  static constexpr bool positions_lie_apart() {
    value_info const& to = tables::value(tables::result(finder, 0));
    if (to.companion >= 0 || to.where == storage::view) return false;
    for (int s = S; s < finder; ++s)
      for (int k = 0; k < tables::step(s).operand_count + tables::step(s).result_count; ++k)
        if (may_meet_positions(tables::operand(s, k))) return false;
    return true;
  }
  template <int Finder>
  static constexpr auto extremum_of() {
    if constexpr (Finder >= 0) {
      if constexpr (direct_positions<Program>::template finds<Finder>())
        return found_extremum<op_at<Program::value.ops[tables::step(Finder).op]>>{};
      else return found_extremum<void>{};
    } else {
      return found_extremum<void>{};
    }
  }
  using extremum = typename decltype(extremum_of<finder>())::type;
  template <int... O>
  static constexpr bool gives_extrema(std::integer_sequence<int, O...>) {
    return (gives_extremum<O>() && ...);
  }
  // Other steps may have no attributes.
  static constexpr int axis =
      std::is_void_v<extremum> ? 0 : static_cast<int>(tables::attribute(finder, 0));
  static constexpr int node_of(int k) { return node_of(k, typename G::outputs{}); }
  template <int... O>
  static constexpr int node_of(int k, std::integer_sequence<int, O...>) {
    int const nodes[] = {O...};
    return nodes[k];
  }
  /// Whether output node O is what is searched, or the extremum of it over the rows.
  template <int O>
  static constexpr bool gives_extremum() {
    using traits = node_traits<typename G::template node<O>>;
    if constexpr (!traits::is_reduction) return true;
    else
      return std::is_same_v<typename traits::op_type, extremum> &&
             traits::axes == (axis == 0 ? 2 : 1) && G::facts[O].in[0] == node_of(searched());
  }
  static constexpr bool goes() {
    if constexpr (std::is_void_v<extremum> || !loop::in_batches) return false;
    else if constexpr (!std::is_same_v<L, float> && !std::is_same_v<L, double>) return false;
    else
      return tables::step(finder).guard_count == 0 &&
             !tables::step(finder).prologue && info.result_count <= 2 && elements::exist &&
             gives_extrema(typename G::outputs{}) && positions_lie_apart();
  }

 public:
  static constexpr bool exists = goes();
  static constexpr bool is_of(int step) { return exists && finder == step; }
  /// Whether lines are rows of a matrix that it reads.
  static constexpr bool searches_rows_of(int v) {
    return exists && axis == 1 && loop::spans(v, 0) && loop::spans(v, 1);
  }

  static KROTON_INLINE void take(state& s) {
    take(s, std::make_integer_sequence<int, info.operand_count>{});
  }

 private:
  static constexpr auto operands = static_cast<std::size_t>(info.operand_count);
  static constexpr int width = static_cast<int>(xsimd::batch<L>::size);
  static constexpr std::ptrdiff_t
      known_rows = exists ? tables::known_extent(tables::space(S, axis)) : -1,
      known_lines = exists ? tables::known_extent(tables::space(S, 1 - axis)) : -1;
  /// Of which operands each line has elements of its own.
  static constexpr auto spans_lines = [] {
    std::array<bool, operands + 1> spans{};
    for (int k = 0; exists && k < info.operand_count; ++k)
      spans[static_cast<std::size_t>(k)] = loop::spans(tables::operand(S, k), 1 - axis);
    return spans;
  }();
  /// The stride of an operand along an axis of the space, in elements.
  template <int K, int Axis>
  static KROTON_INLINE std::ptrdiff_t stride(state const& s) {
    constexpr int v = tables::operand(S, K), own = Axis - 2 + tables::value(v).rank;
    if constexpr (loop::spans(v, Axis)) return s.template stride<v, own>();
    else return 0;
  }

  /// Where the loop reads and writes.
  struct arrays {
    std::byte* at[operands + 1];
    // From line to line, in elements, and along each, in bytes
    std::ptrdiff_t strides[operands + 1], to_next[operands + 1], rows;
    L* best;  // nothing where only the positions are asked for
    std::int64_t* found;
  };
  template <int... K>
  static KROTON_INLINE void take(state& s, std::integer_sequence<int, K...> all) {
    arrays a{{s.template address<tables::operand(S, K)>()...},
             {stride<K, 1 - axis>(s)...},
             {stride<K, axis>(s) * static_cast<std::ptrdiff_t>(sizeof(L))...},
             s.template extent<tables::space(S, axis)>(),
             nullptr,
             reinterpret_cast<std::int64_t*>(s.template address<tables::result(finder, 0)>())};
    if constexpr (info.result_count == 2)
      a.best = reinterpret_cast<L*>(s.template address<tables::result(S, 1 - searched())>());
    std::ptrdiff_t const lines = s.template extent<tables::space(S, 1 - axis)>();
    bool may_have_nan = false;
    if constexpr (known_lines >= 0 && known_lines <= machine::max_written_elements)
      may_have_nan = known<static_cast<int>(known_lines), 0>(a, all);
    else may_have_nan = any(a, lines, all);
    if (may_have_nan) [[unlikely]]
      search_one_by_one(a, lines, all);
  }
  // Stores do not overlap, so that what loads the same vectors next gets them before they reach the
  // cache.
  template <int Lines, int Begin, int... K>
  static KROTON_INLINE bool known(arrays const& a, std::integer_sequence<int, K...> all) {
    if constexpr (Begin < Lines) {
      constexpr int w = lanes_of_next<L>(Lines - Begin);
      bool const here = search<w, 1>(a, Begin, all);
      return known<Lines, Begin + w>(a, all) | here;
    } else {
      return false;
    }
  }
  template <int... K>
  static KROTON_INLINE bool any(arrays const& a, std::ptrdiff_t lines,
                                std::integer_sequence<int, K...> all) {
    bool may_have_nan = false;
    std::ptrdiff_t j = 0;
    for (; j + 4 * width <= lines; j += 4 * width) may_have_nan |= search<width, 4>(a, j, all);
    return rest<width>(a, j, lines, all) | may_have_nan;
  }
  template <int W, int... K>
  static KROTON_INLINE bool rest(arrays const& a, std::ptrdiff_t j, std::ptrdiff_t lines,
                                 std::integer_sequence<int, K...> all) {
    bool may_have_nan = false;
    for (; j + W <= lines; j += W) may_have_nan |= search<W, 1>(a, j, all);
    if constexpr (W > 1)
      if (j < lines) may_have_nan |= rest<W / 2>(a, j, lines, all);
    return may_have_nan;
  }
  /// Searches so many groups of W lines from line j on. Returns whether one may hold a NaN.
  template <int W, int Groups, int... K>
  static KROTON_INLINE bool search(arrays const& a, std::ptrdiff_t j,
                                   std::integer_sequence<int, K...>) {
    using lanes = number_lanes<extremum, L, W>;
    constexpr auto groups = static_cast<std::size_t>(Groups);
    std::byte* row[]{a.at[K]..., nullptr};
    short_values<L, W, G::all> v;
    lanes of[groups];
    for (int g = 0; g < Groups; ++g) {
      elements::template compute<spans_lines, W>(v, row, a.strides, j + g * W);
      of[g].start(v.v[node_of(searched())]);
    }
    auto const look = [&](std::ptrdiff_t i) KROTON_INLINE_LAMBDA {
      (void)expand{0, (row[K] += a.to_next[K], 0)...};
      for (int g = 0; g < Groups; ++g) {
        elements::template compute<spans_lines, W>(v, row, a.strides, j + g * W);
        of[g].look(v.v[node_of(searched())], static_cast<typename lanes::position>(i));
      }
    };
    if constexpr (known_rows > 0 && known_rows <= machine::max_written_extent)
      small::for_each_of<static_cast<int>(known_rows) - 1>(
          [&](auto i) KROTON_INLINE_LAMBDA { look(i + 1); });
    else
      for (std::ptrdiff_t i = 1; i < a.rows; ++i) look(i);
    bool may_have_nan = false;
    for (int g = 0; g < Groups; ++g) {
      if (info.result_count == 2) of[g].store(a.best + j + g * W);
      of[g].store_positions(a.found + j + g * W);
      may_have_nan |= of[g].may_have_nan();
    }
    return may_have_nan;
  }
  /// The same of lines in which there may be NaN. Not apart from the caller, which would keep the
  /// arrays in memory.
  template <int... K>
  static KROTON_INLINE void search_one_by_one(arrays const& a, std::ptrdiff_t lines,
                                              std::integer_sequence<int, K...>) {
    for (std::ptrdiff_t j = 0; j < lines; ++j) {
      std::byte* row[]{a.at[K]..., nullptr};
      L best{};
      std::int64_t found = 0;
      for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
        short_values<L, 1, G::all> v;
        elements::template compute<spans_lines, 1>(v, row, a.strides, j);
        L const x = v.v[node_of(searched())].v;
        if (i == 0 || takes_place<extremum>(x, best)) best = x, found = i;
        (void)expand{0, (row[K] += a.to_next[K], 0)...};
      }
      if (info.result_count == 2) a.best[j] = best;
      a.found[j] = found;
    }
  }
};

template <class Program, int S>
constexpr bool is_searched_loop() {
  if constexpr (Program::steps[static_cast<std::size_t>(S)].kind == step_kind::loop)
    return searched_loop<Program, S>::exists;
  else return false;
}
template <class Program, int... S>
constexpr bool is_search_of_loop(int step, std::integer_sequence<int, S...>) {
  [[maybe_unused]] auto const is_of = [&]<int I>(std::integral_constant<int, I>) {
    if constexpr (Program::steps[static_cast<std::size_t>(I)].kind == step_kind::loop)
      return searched_loop<Program, I>::is_of(step);
    else return false;
  };
  return (false || ... || is_of(std::integral_constant<int, S>{}));
}
/// Whether a loop has found the positions that a step searches for.
template <class Program, int S>
constexpr bool is_search_done_before() {
  if constexpr (direct_positions<Program>::template finds<S>())
    return is_search_of_loop<Program>(S, std::make_integer_sequence<int, S>{});
  else return false;
}

}  // namespace kroton::cpu
