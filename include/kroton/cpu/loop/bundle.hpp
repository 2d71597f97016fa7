// Loops that go together along a short axis: batch by batch, one after the other, each as often as
// the axis has elements where it has it. What they hand on to each other stays in buffers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/loop/loop.hpp>
#include <kroton/freeze/turned.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::cpu {

/// What a loop of a bundle does with a result: it has all elements at once; they are complete
/// behind the short axis; or they accumulate, along rows or over them.
enum class bundled_result : char { element, short_sum, along, over };

/// What has to be known of a loop of a bundle before it runs. Axes are counted from the last, which
/// is the axis of rows.
struct bundled_facts {
  int operands = 0, results = 0;
  int axis = -1;  // the short one, or -1
  bool const* spans_rows = nullptr;
  result_fact const* result = nullptr;
  bundled_result const* kind = nullptr;

  constexpr bool has_axis() const { return axis >= 0; }
  /// Whether a result has an element for each index of the short axis.
  constexpr bool keeps_axis(int k) const { return has_axis() && (result[k].axes >> axis & 1) == 0; }
};

/// A loop of a bundle, whose rows are along the last axis that is not the short one. Axis: the
/// short one, counted from the last; -1 where its space lacks it. Registers: of each operand and
/// result, the number of the batch that holds it between the loops; -1 where it lies in memory.
template <class Expression, int Axis, int... Registers>
struct bundled_loop {
  static constexpr int registers[sizeof...(Registers) + 1]{Registers..., -1};
  static constexpr bool has_axis = Axis >= 0, is_turned = Axis == 0;
  static constexpr int axis = is_turned ? 1 : Axis;
  template <class E, bool Turned>
  struct along {
    using type = E;
  };
  template <class E>
  struct along<E, true> {
    using type = freeze::turned_t<E, 1>;
  };
  using kernel = loop_of<typename along<Expression, is_turned>::type>;
};

/// A row of a bundle: where its arrays lie, by number, and how far from there the next element of
/// the short axis is; the number of each operand and result, loop after loop.
struct bundle_row {
  std::byte* const* at;
  std::ptrdiff_t const* step;
  int const* arrays;
  std::ptrdiff_t length;  // of the short axis
  std::ptrdiff_t n;       // elements: whole batches, or less than one
};

/// The register in which a node of a loop is found; -1 where it is read or computed.
template <class Loop>
constexpr int register_of(node_fact const& node) {
  return node.is_input ? Loop::registers[node.position] : -1;
}

/// The nodes of a loop of a bundle, some of whose operands are in registers; see loop_body.
template <class Loop, auto const* Facts, class Expression, class Indices>
struct bundled_nodes;
template <class Loop, auto const* Facts, class... N, int... I>
struct bundled_nodes<Loop, Facts, expression<N...>, std::integer_sequence<int, I...>> {
  template <class L, class Values>
  static KROTON_INLINE void batch(Values& v, std::byte* const* at, std::ptrdiff_t i,
                                  xsimd::batch<L> const* held) {
    using expand = int[];
    (void)expand{
        0,
        (step<L, typename node_traits<N>::kind, (*Facts)[I].types, register_of<Loop>((*Facts)[I])>(
             v, I, (*Facts)[I], at, i, held),
         0)...};
  }

 private:
  template <class L, class Kind, unsigned Types, int Register, class Values>
  static KROTON_INLINE void step(Values& v, int id, node_fact const& node, std::byte* const* at,
                                 std::ptrdiff_t i, xsimd::batch<L> const* held) {
    if constexpr (Register >= 0) v.v[id] = held[Register];
    else batch_node<L, Kind, Types>::step(v, id, node, at, i);
  }
};

/// A loop of a bundle while a row is computed. Length: of the short axis, over which the loop is
/// written out.
template <class Loop, int Length, class Outputs = typename Loop::kernel::G::outputs>
struct bundled_body;
template <class Loop, int Length, int... O>
struct bundled_body<Loop, Length, std::integer_sequence<int, O...>> {
  using kernel = typename Loop::kernel;
  using lane = typename kernel::lane_or_double;
  using sums = row_sums<lane, kernel::results, 1>;
  using nodes = bundled_nodes<Loop, &kernel::G::facts, typename kernel::G::type,
                              std::make_integer_sequence<int, kernel::G::all>>;
  using expand = int[];
  template <int Node>
  using output = typename kernel::template output<Node>;

  template <int Node>
  static constexpr bundled_result kind_of() {
    using traits = typename output<Node>::traits;
    if constexpr (!traits::is_reduction) return bundled_result::element;
    else if constexpr (Loop::has_axis && traits::axes == 1ll << (Loop::has_axis ? Loop::axis : 0))
      return bundled_result::short_sum;
    else return output<Node>::along_rows ? bundled_result::along : bundled_result::over;
  }
  static constexpr bundled_result kinds[static_cast<std::size_t>(kernel::results) + 1]{
      kind_of<O>()...};
  static constexpr bundled_facts facts{kernel::operands,     kernel::results,
                                       Loop::axis,           kernel::G::spans_rows.data(),
                                       kernel::result_facts, kinds};
  static constexpr bool sums_by_axis = [] {
    for (int k = 0; k < kernel::results; ++k)
      if (kinds[k] == bundled_result::along && facts.keeps_axis(k)) return true;
    return false;
  }();

  static constexpr bool has_distinct_results = [] {
    int const all[]{O..., -1};
    for (int k = 0; k < kernel::results; ++k)
      for (int other = 0; other < k; ++other)
        if (all[k] == all[other]) return false;
    return true;
  }();

  // Totals have the elements of results.
  static constexpr bool adds_wider = [] {
    for (int k = 0; k < kernel::results; ++k)
      if (kernel::result_facts[k].widened) return true;
    return false;
  }();

  std::byte* at[static_cast<std::size_t>(kernel::count)];
  std::ptrdiff_t step[static_cast<std::size_t>(kernel::count)];
  sums along_row;
  sums along_rows[static_cast<std::size_t>(sums_by_axis ? Length : 1)];

  KROTON_INLINE void begin(bundle_row const& row, int const* arrays) {
    for (int k = 0; k < kernel::count; ++k) {
      at[k] = row.at[arrays[k]];
      step[k] = row.step[arrays[k]];
    }
    kernel::start(along_row);
    if constexpr (sums_by_axis)
      written_out<Length>([&](int e) KROTON_INLINE_LAMBDA { kernel::start(along_rows[e]); });
  }
  KROTON_INLINE void batch(std::ptrdiff_t i, [[maybe_unused]] xsimd::batch<lane>* held) {
    if constexpr (!Loop::has_axis) {
      typename kernel::values v;
      kernel::body::template load_invariants<lane>(v, at);
      nodes::template batch<lane>(v, at, i, held);
      int k = 0;
      (void)expand{0, (take<O>(v, k, at, i, along_row, held), ++k)...};
    } else {
      // A copy that does not escape, for registers.
      std::byte* p[static_cast<std::size_t>(kernel::count)];
      for (int k = 0; k < kernel::count; ++k) p[k] = at[k];
      sums over_axis;
      kernel::start(over_axis);
      written_out<Length>([&](int e) KROTON_INLINE_LAMBDA {
        typename kernel::values v;
        kernel::body::template load_invariants<lane>(v, p);
        nodes::template batch<lane>(v, p, i, held);
        int k = 0;
        (void)expand{0, (kind_of<O>() == bundled_result::short_sum
                             ? add<O>(over_axis, k, v)
                             : take<O>(v, k, p, i, along_rows[sums_by_axis ? e : 0], held),
                         ++k)...};
        for (int a = 0; a < kernel::count; ++a) p[a] += step[a];
      });
      int k = 0;
      (void)expand{0,
                   (store_short_sum<O>(over_axis, k, at[kernel::operands + k], i, held), ++k)...};
    }
  }
  /// Adds what accumulated along a row to the results.
  KROTON_INLINE void end(bundle_row const& row) const {
    auto const lanes =
        row.n < kernel::width ? kernel::window::first(row.n) : kernel::window::from(0);
    int k = 0;
    (void)expand{0, (finish<O>(k, lanes), ++k)...};
  }

 private:
  template <int Node, class Values>
  KROTON_INLINE void take(Values& v, int k, std::byte* const* p, std::ptrdiff_t i, sums& of_axis,
                          [[maybe_unused]] xsimd::batch<lane>* held) {
    constexpr int position = position_of<Node>(),
                  number = Loop::registers[kernel::operands + position];
    constexpr bool by_axis = facts.keeps_axis(position);
    if constexpr (kind_of<Node>() == bundled_result::short_sum) return;
    else if constexpr (number >= 0) held[number] = v.v[Node];
    else
      output<Node>::template store<lane>(v, Node, by_axis ? of_axis : along_row, k, p,
                                         p[kernel::operands + k], i, false);
  }
  template <int Node>
  static constexpr int position_of() {
    int const nodes[] = {O...};
    int k = 0;
    while (nodes[k] != Node) ++k;
    return k;
  }
  template <int Node, class Values>
  static KROTON_INLINE void add(sums& to, int k, Values const& v) {
    if constexpr (kind_of<Node>() == bundled_result::short_sum)
      output<Node>::accumulate(to, k, 0, v.v[Node]);
  }
  template <int Node>
  static KROTON_INLINE void store_short_sum(sums const& from, int k, std::byte* to,
                                            std::ptrdiff_t i,
                                            [[maybe_unused]] xsimd::batch<lane>* held) {
    constexpr int number = Loop::registers[kernel::operands + position_of<Node>()];
    if constexpr (kind_of<Node>() != bundled_result::short_sum) return;
    else if constexpr (number >= 0) held[number] = from.batch[k][0];
    else output<Node>::store_columns(from, k, to + i * static_cast<std::ptrdiff_t>(sizeof(lane)));
  }
  template <int Node, class Lanes>
  KROTON_INLINE void finish(int k, Lanes const& lanes) const {
    if constexpr (kind_of<Node>() == bundled_result::along) {
      std::byte* const to = at[kernel::operands + k];
      if constexpr (facts.keeps_axis(position_of<Node>()))
        written_out<Length>([&](int e) KROTON_INLINE_LAMBDA {
          output<Node>::finish_part(along_rows[e], k, to + e * step[kernel::operands + k], lanes);
        });
      else output<Node>::finish_part(along_row, k, to, lanes);
    }
  }
};

/// The loops while a row is computed, without values at first: std::tuple would set them all to 0.
template <int Length, class... Loops>
struct bundled_bodies {
  template <class Visit, class... Bodies>
  KROTON_INLINE void visit(Visit const& use, Bodies&... those) const {
    use(those...);
  }
};
template <int Length, class First, class... Loops>
struct bundled_bodies<Length, First, Loops...> {
  template <class Visit, class... Bodies>
  KROTON_INLINE void visit(Visit const& use, Bodies&... those) const {
    bundled_body<First, Length> body;
    bundled_bodies<Length, Loops...>{}.visit(use, those..., body);
  }
};

/// The rows of a bundle of loops, which compute in batches of the same lanes and hold so many of
/// them in between.
template <int Registers, class... Loops>
struct bundle_kernel {
  using first = typename std::tuple_element_t<0, std::tuple<Loops...>>::kernel;
  // Loops over floats take less time one after the other, in blocks.
  static constexpr bool is_offered =
      std::is_same_v<typename first::lane, double> &&
      ((std::is_same_v<typename Loops::kernel::lane, double> &&
        bundled_body<Loops, machine::max_short_axis>::has_distinct_results &&
        !bundled_body<Loops, machine::max_short_axis>::adds_wider) &&
       ...);
  static constexpr std::ptrdiff_t width = first::width;

  static void run(bundle_row const& row) {
    static_assert(machine::min_short_axis == 2 && machine::max_short_axis == 3);
    row.length == 2 ? run<2>(row) : run<3>(row);
  }
  template <int Length>
  [[gnu::noinline]] static void run(bundle_row const& row) {
    bundled_bodies<Length, Loops...> all;
    int const* arrays = row.arrays;
    all.visit([&](auto&... body) KROTON_INLINE_LAMBDA {
      using expand = int[];
      (void)expand{
          0, (body.begin(row, arrays), arrays += body.facts.operands + body.facts.results, 0)...};
      for (std::ptrdiff_t i = 0, n = row.n; i < n; i += width) {
        xsimd::batch<typename first::lane> held[static_cast<std::size_t>(Registers) + 1];
        (void)expand{0, (body.batch(i, held), 0)...};
      }
      (void)expand{0, (body.end(row), 0)...};
    });
  }
};

}  // namespace kroton::cpu
