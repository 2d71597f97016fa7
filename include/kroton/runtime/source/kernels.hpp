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

// States that a result is not an operand of another element. clang checks this itself.
#if defined(__clang__)
#define KROTON_INDEPENDENT
#else
#define KROTON_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace kroton::runtime {

/// The kernels of an op by the element type of its operands (for `where`, of the operands it
/// selects from). Null if it has none.
struct op_kernels {
  std::uint64_t key = 0;
  std::array<block_kernel, element_count> of{};
};

struct reduction_kernels {
  std::uint64_t key = 0;
  std::array<block_reduction, element_count> of{};
};

// ---- elementwise --------------------------------------------------------------------------------

/// Whether Op has a kernel for operands of type T, and its result type.
template <class Op, class T>
struct kernel_types {
  static constexpr bool selects = std::is_same_v<Op, op::where>;
  static constexpr element e = core::element_of<T>();
  static constexpr bool makes_complex = std::is_same_v<Op, op::complex>;  // which folds no literals
  static constexpr bool exists =
      selects || (core::is_complex(e) ? Op::takes_complex
                  : core::is_float(e) ? Op::types::takes_floats || makes_complex
                                      : Op::types::takes_integers);
  static constexpr element operands[] = {selects ? element::boolean : e, e, e};
  using result = core::value_t<Op::types::of(operands, Op::arity).result>;
  static constexpr bool batched =
      std::is_floating_point_v<T> && std::is_same_v<result, T> && !selects;
};

template <class Op, class T>
struct elementwise_kernel {
  using types = kernel_types<Op, T>;
  using R = typename types::result;

  static void run(std::byte* out, std::byte const* const* in, std::ptrdiff_t n) {
    run(reinterpret_cast<R*>(out), in, n,
        std::make_index_sequence<static_cast<std::size_t>(Op::arity)>{});
  }

 private:
  template <std::size_t... K>
  static void run(R* out, std::byte const* const* in, std::ptrdiff_t n, std::index_sequence<K...>) {
    if constexpr (types::selects) {
      select(out, reinterpret_cast<bool const*>(in[0]), reinterpret_cast<T const*>(in[1]),
             reinterpret_cast<T const*>(in[2]), n);
    } else if constexpr (types::batched) {
      batches(out, n, reinterpret_cast<T const*>(in[K])...);
    } else {
      elements(out, n, reinterpret_cast<T const*>(in[K])...);
    }
  }
  template <class... In>
  static void elements(R* out, std::ptrdiff_t n, In const*... in) {
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = Op::value(in[i]...);
  }
  static void select(R* out, bool const* condition, T const* a, T const* b, std::ptrdiff_t n) {
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = condition[i] ? a[i] : b[i];
  }
  template <class... In>
  static void batches(T* out, std::ptrdiff_t n, In const*... in) {
    using batch = xsimd::batch<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
    std::ptrdiff_t i = 0;
    for (; i + width <= n; i += width)
      Op::value(batch::load_unaligned(in + i)...).store_unaligned(out + i);
    if (i == n) return;
    // The last elements use the same arithmetic.
    std::size_t const rest = static_cast<std::size_t>(n - i) * sizeof(T);
    alignas(64) T padded[sizeof...(In)][static_cast<std::size_t>(width)];
    int k = 0;
    auto pad = [&](T const* from) {
      T* const to = padded[k++];
      for (std::ptrdiff_t j = 0; j < width; ++j) to[j] = from[i + j < n ? i + j : i];
      return batch::load_aligned(to);
    };
    alignas(64) T result[static_cast<std::size_t>(width)];
    apply(result, batch_list<sizeof...(In)>{pad(in)...}, std::make_index_sequence<sizeof...(In)>{});
    std::memcpy(out + i, result, rest);
  }
  template <std::size_t N>
  struct batch_list {
    xsimd::batch<T> of[N];
  };
  template <std::size_t N, std::size_t... K>
  static void apply(T* result, batch_list<N> const& in, std::index_sequence<K...>) {
    Op::value(in.of[K]...).store_aligned(result);
  }
};

template <class Op, class T>
constexpr block_kernel elementwise_entry() {
  if constexpr (kernel_types<Op, T>::exists) return &elementwise_kernel<Op, T>::run;
  else return nullptr;
}
template <class Op, std::size_t... E>
constexpr op_kernels kernels_of(std::index_sequence<E...>) {
  op_kernels kernels{info<Op>.key, {}};
  ((kernels.of[E] = elementwise_entry<Op, core::value_t<static_cast<element>(E)>>()), ...);
  return kernels;
}

/// The kernels of a list of ops. Each list is a separate instantiation, so that a library can
/// compile them in separate files.
template <class Ops>
struct kernel_family;
template <class... Op>
struct kernel_family<boost::mp11::mp_list<Op...>> {
  static std::span<op_kernels const> table() {
    static constexpr op_kernels entries[] = {
        kernels_of<Op>(std::make_index_sequence<element_count>{})...};
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
using conversion_row = std::array<block_kernel, element_count>;
template <std::size_t From, std::size_t... To>
constexpr conversion_row conversions_from(std::index_sequence<To...>) {
  conversion_row row{};
  ((row[To] = conversion_entry<static_cast<element>(From), static_cast<element>(To)>()), ...);
  return row;
}
template <std::size_t... From>
constexpr std::array<conversion_row, element_count> conversions(std::index_sequence<From...> all) {
  std::array<conversion_row, element_count> rows{};
  ((rows[From] = conversions_from<From>(all)), ...);
  return rows;
}

// ---- reductions ---------------------------------------------------------------------------------

template <class Op, class T>
struct reduction_kernel {
  using accumulation = core::accumulation<kroton::apply<kroton::with<Op, 0>, 0>, T>;
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
        sum = Op::combine(sum, static_cast<A>(core::horizontal<Op>(all)));
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
  ((all[i++] = reductions_of<Op>(std::make_index_sequence<element_count>{})), ...);
  return all;
}

// ---- all of them --------------------------------------------------------------------------------

template <class Reductions, class... Families>
struct kernels_of_families {
  static block_kernel elementwise(std::uint64_t key, element operand) {
    for (auto const& table : {kernel_family<Families>::table()...})
      for (op_kernels const& k : table)
        if (k.key == key) return k.of[static_cast<std::size_t>(operand)];
    return nullptr;
  }
  static block_kernel conversion(element from, element to) {
    static constexpr auto table = conversions(std::make_index_sequence<element_count>{});
    return table[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  static block_reduction const* reduction(std::uint64_t key, element operand) {
    static constexpr auto table = reductions(Reductions{});
    for (reduction_kernels const& k : table)
      if (k.key == key && k.of[static_cast<std::size_t>(operand)].fold != nullptr)
        return &k.of[static_cast<std::size_t>(operand)];
    return nullptr;
  }
  static constexpr kernel_library library{&elementwise, &conversion, &reduction,
                                          &builtin_own_kernel};
};

KROTON_RUNTIME_INLINE kernel_library const& builtin_kernels() {
  return kernels_of_families<op::reduction_ops, op::arithmetic_ops, op::logic_ops,
                             op::exponential_ops, op::trigonometric_ops, op::complex_ops,
                             op::special_ops>::library;
}

}  // namespace kroton::runtime

#undef KROTON_INDEPENDENT
