// Kinds of steps: how a plan takes an op, and what everybody who plans, runs or prints a step has
// to know of its kind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/layers.hpp>

#include <cstdint>

namespace kroton::core {

/// What a step of a plan does. An op names the kind of its steps, `static constexpr auto step =
/// core::step_kind::dot;`, unless it runs a function of its own. Loops are made of fused ops. No op
/// has parts: they are where a result comes to lie in a larger one, see plan/parts.hpp.
enum class step_kind : std::uint8_t {
  loop,
  dimshuffle,
  reshape,
  subtensor,
  written_part,
  joined_part,
  dot,
  chain,
  gemm,
  first_equal,
  inc_subtensor,
  set_subtensor,
  ifelse,
  print,
  assertion,
  after,
  scan,
  own
};

/// How a step may take part in a band, which goes through some rows of its matrices at a time.
enum class band_rule : std::uint8_t { never, loop, product, by_rows, write, view };

/// The facts of a kind of steps.
struct step_traits {
  // A view computes nothing: its result is stored where an operand is. `part`: it has extents and
  // strides of its own; `whole`: it is an operand.
  enum view_kind : std::uint8_t { none, part, whole } view = none;
  // The operands that a view may look into; the second is -1 where there is one only.
  std::int8_t looks_into = 0, or_into = -1;
  // The operands whose elements the step itself reads, as bits; of views alone.
  unsigned reads = 0;
  // A product multiplies its operands, all but the last ones.
  bool is_product = false;
  std::int8_t after_factors = 0;
  // The operands that are arrays, counted from the first; what is 0 or less leaves out as many of
  // the last ones.
  std::int8_t arrays = 0;
  // It may fail on values, after other steps have run.
  bool may_throw = false;
  band_rule in_band = band_rule::never;

  constexpr bool is_view() const { return view != none; }
  constexpr int factors(int operands) const { return is_product ? operands - after_factors : 0; }
  constexpr int array_count(int operands) const { return arrays > 0 ? arrays : operands + arrays; }
};

/// The table of the facts of all kinds.
constexpr step_traits traits_of(step_kind kind) {
  switch (kind) {
    case step_kind::loop: return {.in_band = band_rule::loop};
    case step_kind::dimshuffle: return {.view = step_traits::part, .in_band = band_rule::view};
    case step_kind::reshape: return {.view = step_traits::part};
    case step_kind::subtensor:
    case step_kind::written_part:
    case step_kind::joined_part: return {.view = step_traits::part, .arrays = 1};
    case step_kind::dot: return {.is_product = true, .in_band = band_rule::product};
    case step_kind::chain: return {.is_product = true};
    case step_kind::gemm:  // the factors, what the product is added to, and two scalars
      return {.is_product = true, .after_factors = 3, .arrays = -2, .in_band = band_rule::product};
    case step_kind::first_equal: return {};
    case step_kind::inc_subtensor:
    case step_kind::set_subtensor: return {.arrays = 2, .in_band = band_rule::write};
    case step_kind::ifelse:
      return {.view = step_traits::whole, .looks_into = 1, .or_into = 2, .reads = 1u};
    case step_kind::print: return {.view = step_traits::whole, .reads = 1u};
    case step_kind::assertion: return {.view = step_traits::whole, .reads = 2u, .may_throw = true};
    case step_kind::after: return {.view = step_traits::whole};
    case step_kind::scan: return {.may_throw = true};
    case step_kind::own: return {.may_throw = true, .in_band = band_rule::by_rows};
  }
  return {};
}

constexpr bool is_view(step_kind kind) { return traits_of(kind).is_view(); }
/// Whether a view is what indices and ranges select.
constexpr bool is_selection(step_kind kind) {
  return kind == step_kind::subtensor || kind == step_kind::written_part;
}
/// Whether a view looks into a value that is still to be computed.
constexpr bool places_part(step_kind kind) {
  return kind == step_kind::written_part || kind == step_kind::joined_part;
}
/// How many operands a step multiplies; 0 if it is not a product.
constexpr int factors_of(step_kind kind, int operands) { return traits_of(kind).factors(operands); }

}  // namespace kroton::core
