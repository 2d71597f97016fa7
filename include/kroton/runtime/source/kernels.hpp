// Kernels of the run-time stage: every elementwise op, conversion and reduction as a loop over one
// dense block, for every element type, found by the op's key.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/catalogue/ops.hpp>
#include <kroton/cpu/loop/reduce.hpp>
#include <kroton/cpu/simd/math.hpp>
#include <kroton/runtime/kernel_library.hpp>
#include <kroton/runtime/visit.hpp>

#include <array>
#include <span>

namespace kroton::runtime {

struct reduction_kernels {
  std::uint64_t key = 0;
  std::array<block_reduction, core::computed_types> of{};
};

// ---- elementwise --------------------------------------------------------------------------------

struct block_entry {
  std::uint64_t key = 0;
  cpu::kernels_by_type<block_kernel> const* kernels = nullptr;
};

/// The kernels of a list of ops. Each list is a separate instantiation, so that a library can
/// compile them in separate files.
template <class Ops>
struct kernel_family;
template <class... Op>
struct kernel_family<boost::mp11::mp_list<Op...>> {
  static std::span<block_entry const> table() {
    static constexpr block_entry entries[] = {{info<Op>.key, &cpu::kernels<Op>}...};
    return entries;
  }
};

// ---- conversions --------------------------------------------------------------------------------

template <class From, class To>
void convert_block(std::byte* out, std::byte const* const* in, std::ptrdiff_t n) {
  To* const to = reinterpret_cast<To*>(out);
  From const* const from = reinterpret_cast<From const*>(in[0]);
  for (std::ptrdiff_t i = 0; i < n; ++i) to[i] = core::convert<To>(from[i]);
}
template <element From, element To>
constexpr block_kernel conversion_entry() {
  if constexpr (core::is_complex(From) && !core::is_complex(To) && !core::is_bool(To))
    return nullptr;
  else return &convert_block<core::value_t<From>, core::value_t<To>>;
}
using conversion_row = std::array<block_kernel, core::element_types>;
template <std::size_t From, std::size_t... To>
constexpr conversion_row conversions_from(std::index_sequence<To...>) {
  conversion_row row{};
  ((row[To] = conversion_entry<static_cast<element>(From), static_cast<element>(To)>()), ...);
  return row;
}
template <std::size_t... From>
constexpr auto conversions(std::index_sequence<From...> all) {
  std::array<conversion_row, core::element_types> rows{};
  ((rows[From] = conversions_from<From>(all)), ...);
  return rows;
}

// ---- reductions ---------------------------------------------------------------------------------

template <class Op, class T>
struct reduction_kernel {
  using accumulation = cpu::accumulation<kroton::apply<kroton::with<Op, 0>, 0>, T>;
  using A = typename accumulation::type;

  static void fold(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
    T const* const x = reinterpret_cast<T const*>(from);
    A& sum = *reinterpret_cast<A*>(to);
    std::ptrdiff_t i = 0;
    if constexpr (accumulation::widened) {
      // A separate number of chains for each kind of vector.
      constexpr std::ptrdiff_t width = 16;
      if (n >= width) {
        A part[width];
        std::fill_n(part, width, Op::template start<A>());
        for (; i + width <= n; i += width)
          for (int k = 0; k < width; ++k) part[k] = Op::combine(part[k], static_cast<A>(x[i + k]));
        for (A const p : part) sum = Op::combine(sum, p);
      }
    } else if constexpr (std::is_floating_point_v<T>) {
      using batch = xsimd::batch<T>;
      constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
      // Four chains, since a single one would wait for itself.
      if (n >= 4 * width) {
        batch part[4];
        for (batch& p : part) p = batch(Op::template start<T>());
        for (; i + 4 * width <= n; i += 4 * width)
          for (int k = 0; k < 4; ++k)
            part[k] = Op::combine(part[k], batch::load_unaligned(x + i + k * width));
        batch const all = Op::combine(Op::combine(part[0], part[1]), Op::combine(part[2], part[3]));
        sum = Op::combine(sum, static_cast<A>(cpu::horizontal<Op>(all)));
      }
    }
    for (; i < n; ++i) sum = Op::combine(sum, static_cast<A>(x[i]));
  }
  static void accumulate(std::byte* to, std::byte const* from, std::ptrdiff_t n) {
    T const* const x = reinterpret_cast<T const*>(from);
    A* const sums = reinterpret_cast<A*>(to);
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < n; ++i) sums[i] = Op::combine(sums[i], static_cast<A>(x[i]));
  }
  static constexpr block_reduction entry() { return {accumulation::fact(), &fold, &accumulate}; }
};

template <class Op, class T>
constexpr block_reduction reduction_entry() {
  constexpr bool logical = std::is_same_v<Op, op::all> || std::is_same_v<Op, op::any>;
  constexpr bool exists =
      core::is_complex_number<T> ? Op::takes_complex : !logical || std::is_same_v<T, bool>;
  if constexpr (exists && !(logical && core::is_complex_number<T>))
    return reduction_kernel<Op, T>::entry();
  else return {};
}
template <class Op, std::size_t... E>
constexpr reduction_kernels reductions_of(std::index_sequence<E...>) {
  reduction_kernels kernels{info<Op>.key, {}};
  ((kernels.of[E] = reduction_entry<Op, core::value_t<static_cast<element>(E)>>()), ...);
  return kernels;
}
template <class... Op>
constexpr auto reductions(boost::mp11::mp_list<Op...>) {
  std::array<reduction_kernels, sizeof...(Op)> all{};
  std::size_t i = 0;
  ((all[i++] = reductions_of<Op>(std::make_index_sequence<core::computed_types>{})), ...);
  return all;
}

// ---- all of them --------------------------------------------------------------------------------

template <class Reductions, class... Families>
struct kernels_of_families {
  static cpu::kernels_by_type<block_kernel> const* elementwise(std::uint64_t key) {
    for (auto const& table : {kernel_family<Families>::table()...})
      for (block_entry const& k : table)
        if (k.key == key) return k.kernels;
    return nullptr;
  }
  static block_kernel conversion(element from, element to) {
    static constexpr auto table = conversions(std::make_index_sequence<core::element_types>{});
    return table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  static block_reduction const* reduction(std::uint64_t key, element operand) {
    static constexpr auto table = reductions(Reductions{});
    for (reduction_kernels const& k : table)
      if (k.key == key && k.of[static_cast<std::size_t>(operand)].fold != nullptr)
        return &k.of[static_cast<std::size_t>(operand)];
    return nullptr;
  }
  static constexpr kernel_library library{&elementwise, &builtin_own_kernels, &conversion,
                                          &reduction};
};

KROTON_RUNTIME_INLINE kernel_library const& builtin_kernels() {
  return kernels_of_families<op::reduction_ops, op::arithmetic_ops, op::logic_ops,
                             op::exponential_ops, op::trigonometric_ops, op::complex_ops,
                             op::special_ops, op::integer_ops>::library;
}

}  // namespace kroton::runtime
