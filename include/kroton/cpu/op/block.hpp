// An elementwise op as a loop over one dense block, for elements of one type: the instructions of
// the interpreter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/config.hpp>
#include <kroton/core/op.hpp>
#include <kroton/cpu/simd/math.hpp>

#include <array>
#include <cstring>
#include <utility>

namespace kroton::cpu {

/// Computes n elements of a dense block. The block may be an operand's.
using block_kernel = void (*)(std::byte* out, std::byte const* const* in, std::ptrdiff_t n);

/// The types of an elementwise op whose last operand has elements of type T, and whether it has a
/// kernel for them.
template <class Op, class T>
struct block_types {
  using rule = typename Op::types;
  static constexpr element e = core::element_of<T>();
  static constexpr core::signature all = [] {
    element const given[] = {e, e, e};
    return rule::of(given, Op::arity);
  }();
  template <std::size_t K>
  using operand = core::value_t<all.operand[K]>;
  using result = core::value_t<all.result>;

  // Signatures of mixed types fold no literals, so they do not say what they take.
  static constexpr bool is_mixed = !rule::takes_floats && !rule::takes_integers;
  static constexpr bool is_taken = core::is_complex(e) ? Op::takes_complex
                                   : is_mixed          ? true
                                   : core::is_float(e) ? rule::takes_floats
                                                       : rule::takes_integers;
  static constexpr bool exists = is_taken && all.operand[Op::arity - 1] == e;
  static constexpr bool same_floats =
      std::is_floating_point_v<T> && std::is_same_v<result, T> && !is_mixed;
};

template <class Op, class T, class Operands>
struct block_loop;
template <class Op, class T, std::size_t... K>
struct block_loop<Op, T, std::index_sequence<K...>> {
  using types = block_types<Op, T>;
  using R = typename types::result;
  template <std::size_t I>
  using operand = typename types::template operand<I>;

  static void run(std::byte* out, std::byte const* const* in, std::ptrdiff_t n) {
    auto* const to = reinterpret_cast<R*>(out);
    if constexpr (is_batched()) batches(to, n, reinterpret_cast<operand<K> const*>(in[K])...);
    else elements(to, n, reinterpret_cast<operand<K> const*>(in[K])...);
  }

 private:
  static constexpr bool is_batched() {
    if constexpr (!types::same_floats) return false;
    else return requires(xsimd::batch<operand<K>>... x) { Op::value(x...); };
  }
  static void elements(R* out, std::ptrdiff_t n, operand<K> const*... in) {
    KROTON_INDEPENDENT
    for (std::ptrdiff_t i = 0; i < n; ++i) out[i] = Op::value(in[i]...);
  }
  static void batches(T* out, std::ptrdiff_t n, operand<K> const*... in) {
    using batch = xsimd::batch<T>;
    constexpr auto width = static_cast<std::ptrdiff_t>(batch::size);
    std::ptrdiff_t i = 0;
    for (; i + width <= n; i += width)
      Op::value(batch::load_unaligned(in + i)...).store_unaligned(out + i);
    if (i == n) return;
    // The last elements use the same arithmetic.
    alignas(64) T padded[sizeof...(K)][static_cast<std::size_t>(width)];
    auto pad = [&](T* to, T const* from) {
      for (std::ptrdiff_t j = 0; j < width; ++j) to[j] = from[i + j < n ? i + j : i];
      return batch::load_aligned(to);
    };
    alignas(64) T result[static_cast<std::size_t>(width)];
    Op::value(pad(padded[K], in)...).store_aligned(result);
    std::memcpy(out + i, result, static_cast<std::size_t>(n - i) * sizeof(T));
  }
};

}  // namespace kroton::cpu
