// Draws: the ops that make random numbers of the state of a stream.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/math/random/mrg.hpp>
#include <kroton/ops/elementwise/arithmetic.hpp>
#include <kroton/ops/random/implicit.hpp>
#include <kroton/ops/shapes/shape.hpp>

namespace kroton {
namespace ops {

/// What makes the numbers of a stream. Its state is a vector of 32-bit words:
/// - philox: the seed and the number of draws so far, two words each;
/// - mrg: of one draw, the state of its first sub-stream at the start, six words, then the states
/// of
///   its sub-streams now, in groups of 16: sixteen of the first numbers, sixteen of the second ...
/// - twister: see math::twister.
enum class generator { philox, mrg, twister };

/// What is drawn before parameters that only shift and scale are applied.
enum class distribution {
  uniform,           // in [0, 1)
  normal,            // of deviation 1
  exponential,       // of mean 1
  truncated_normal,  // normal, but within 2 deviations
  gamma,             // of a shape, of scale 1
  poisson,           // of a mean
  binomial,          // of a number of trials and a probability
  randint,           // from one integer up to but excluding another
  multinomial,       // of a number of trials and a vector of probabilities, the last axis
  permutation,       // of 0, 1 ... n - 1
  selection          // of distinct positions by their weights, a vector
};

/// The groups in which the states of sub-streams of MRG31k3p lie, and their words before these.
inline constexpr int mrg_group = 16, mrg_words = 6;

/// What the attributes of a draw are: the element type, the number of parameters, that of extents,
/// and, of Philox, how many draws the call made before, of MRG31k3p, how many sub-streams it may
/// use.
struct draw_attributes {
  static constexpr int element = 0, parameters = 1, rank = 2, steps = 3;
};

/// The number of parameters between the state and the extents.
constexpr int parameters_of_draw(application const& a) {
  return static_cast<int>(a.attribute(draw_attributes::parameters));
}
constexpr tensor_type type_of_draw(application const& a) {
  int const first = 1 + parameters_of_draw(a);
  tensor_type t{static_cast<element>(a.attribute(draw_attributes::element)),
                static_cast<std::uint8_t>(a.attribute(draw_attributes::rank)), 0};
  for (int d = 0; d < t.rank; ++d)
    if (a.of->is_literal(a.inputs[first + d], 1)) t.broadcast |= 1u << d;
  return t;
}
constexpr extent_source extent_of_draw(application const& a, int d) {
  return {extent_source::value, 1 + parameters_of_draw(a) + d, 0};
}

/// A draw whose numbers depend on the number of the draw and on their position alone.
template <text Name>
struct counted_draw : operation<Name, -1> {
  static constexpr tensor_type type(application const& a) { return type_of_draw(a); }
  static constexpr extent_source extent(application const& a, int d) {
    return extent_of_draw(a, d);
  }
};
/// A draw that makes a new state, its second output.
template <text Name>
struct stepping_draw : operation<Name, -1> {
  static constexpr int outputs = 2;
  static constexpr tensor_type type(application const& a, int output) {
    return output == 0 ? type_of_draw(a) : a.input(0);
  }
  static constexpr extent_source extent(application const& a, int d, int output) {
    if (output == 0) return extent_of_draw(a, d);
    return {extent_source::dimension, 0, 0};
  }
};
/// The same of a state that grows with the numbers drawn; the last operand says how many words it
/// has.
template <text Name>
struct growing_draw : operation<Name, -1> {
  static constexpr int outputs = 2;
  static constexpr tensor_type type(application const& a, int output) {
    return output == 0 ? type_of_draw(a) : a.input(0);
  }
  static constexpr extent_source extent(application const& a, int d, int output) {
    if (output == 0) return extent_of_draw(a, d);
    return {extent_source::value, a.count() - 1, 0};
  }
};

template <text Name, generator G>
using draw_base = std::conditional_t<
    G == generator::philox, counted_draw<Name>,
    std::conditional_t<G == generator::mrg, growing_draw<Name>, stepping_draw<Name>>>;

constexpr std::string_view name_of(generator g) {
  constexpr std::string_view names[] = {"philox", "mrg", "twister"};
  return names[static_cast<int>(g)];
}
constexpr std::string_view name_of(distribution l) {
  constexpr std::string_view names[] = {
      "uniform",  "normal",  "exponential", "truncated_normal", "gamma",    "poisson",
      "binomial", "randint", "multinomial", "permutation",      "selection"};
  return names[static_cast<int>(l)];
}
template <generator G, distribution D>
inline constexpr auto name_of_draw =
    core::joined<name_of(G).size() + name_of(D).size() + 2>({name_of(G), "_", name_of(D)});

}  // namespace ops

namespace ops {

/// A draw as a gradient sees it: numbers that are constant, but those of gamma distributions change
/// with the shape.
template <generator G, distribution D>
struct differentiated_draw : draw_base<name_of_draw<G, D>, G> {
  static constexpr auto pullback = no_gradient;
};
template <generator G>
struct differentiated_draw<G, distribution::gamma>
    : draw_base<name_of_draw<G, distribution::gamma>, G> {
  static constexpr core::any_gradients pullback(term g, term y) { return gradient_by_shape(g, y); }
  static constexpr core::any_gradients pullback(core::several const& g, core::several const& y) {
    if (!g.has(0)) return {};
    return gradient_by_shape(g[0], y[0]);
  }
};

}  // namespace ops

namespace op {

/// Numbers of a law from a stream. Inputs: the state, the parameters of the law, which are scalars
/// or have the extents of the result, and the extents.
template <ops::generator G, ops::distribution D>
struct draw : ops::differentiated_draw<G, D> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr ops::generator stream = G;
  static constexpr ops::distribution drawn = D;
  static constexpr bool generates =
      G == ops::generator::philox &&
      (D == ops::distribution::uniform || D == ops::distribution::normal);
};

/// The state of a Philox stream after so many draws (the attribute).
struct advance_stream : operation<"advance_stream", 1> {
  static constexpr auto own = core::own_function::untyped;
  static constexpr auto pullback = no_gradient;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int) {
    return {core::extent_source::dimension, 0, 0};
  }
};

}  // namespace op
}  // namespace kroton
