// kt::rng, the parameter of a lambda that draws random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/random/arguments.hpp>
#include <kroton/ops/random/streams.hpp>

namespace kroton {
namespace ops {

template <class T, class Arguments>
struct drawing;

}  // namespace ops

/// A stream of random numbers as a parameter of a lambda, which kt::function binds to a
/// kt::philox_streams, kt::mrg_random_streams or kt::random_streams as it binds shared variables.
///
/// Each member function draws from one distribution: `(parameters..., kt::size(n, m))`, or extents
/// alone, which are integers or integer scalars. Parameters are numbers or tensors that broadcast
/// to these extents; without extents a draw has the shape of its parameters together. The element
/// type is the template argument, `r.uniform<float>(n)`; by default it is double for a continuous
/// distribution, int64 for counts and positions, bool for `bernoulli`.
///
/// Each draw that is written is a draw: two are never merged. Draws advance the stream in the order
/// in which they are written, whether or not their values are used; `kt::no_default_update` as the
/// last argument of a draw leaves the stream where it is. Gradients take what is drawn as constant;
/// those with respect to the parameters of `uniform`, `normal`, `truncated_normal`, `exponential`
/// and `gamma` are those of a formula in numbers that do not depend on them, by the shape of
/// `gamma` by implicit differentiation.
struct rng : variable<std::uint32_t, 1> {
  constexpr explicit rng(term t) : rng(t, ops::generator::philox) {}
  constexpr rng(term t, ops::generator generator, int others = -1, int further = 0)
      : variable<std::uint32_t, 1>(t), generator_(generator), others_(others), further_(further) {
    if (t.of == nullptr) return;
    if (t.of->is<op::input>(t.id)) {
      ops::stream_entry(*t.of, position());
      for (int k = 0; k < further; ++k) ops::stream_entry(*t.of, others + k);
    } else {
      t.of->fail(
          "kt::rng: a stream is a parameter of the function; lambdas inside of it, such as "
          "the body of a kt::scan, capture it: [=] or [r]");
    }
  }

  /// Uniform in [low, high), by default in [0, 1). (numpy.random.RandomState.uniform)
  template <class T = double, class... A>
  constexpr auto uniform(A const&... a) const {
    return drawn_uniform<T>(a...);
  }
  /// Normal of a mean, by default 0, and a deviation, by default 1. A negative deviation throws
  /// kt::value_error. (numpy.random.RandomState.normal)
  template <class T = double, class... A>
  constexpr auto normal(A const&... a) const {
    return drawn_normal<T>(a...);
  }
  /// Normal, but without what is more than 2 deviations from the mean, and then widened so that the
  /// deviation is the one given. (theano.sandbox.rng_mrg.MRG_RandomStreams.truncated_normal, which
  /// draws again with the same angle what is too far away, so that its variance is 2 % too large)
  template <class T = double, class... A>
  constexpr auto truncated_normal(A const&... a) const {
    return drawn_truncated_normal<T>(a...);
  }
  /// Exponential of a scale, which is the mean, by default 1. A negative scale throws
  /// kt::value_error. (numpy.random.RandomState.exponential)
  template <class T = double, class... A>
  constexpr auto exponential(A const&... a) const {
    return drawn_exponential<T>(a...);
  }
  /// The gamma distribution of a shape and a scale, by default 1. A negative one throws
  /// kt::value_error. (numpy.random.RandomState.gamma)
  template <class T = double, class... A>
  constexpr auto gamma(A const&... a) const {
    return drawn_gamma<T>(a...);
  }
  /// True with a probability, by default 1/2; kt::value_error if it is not within [0, 1]. (theano's
  /// binomial of one trial)
  template <class T = bool, class... A>
  constexpr auto bernoulli(A const&... a) const {
    return drawn_bernoulli<T>(a...);
  }
  /// The number of successes among n trials of probability p; kt::value_error if n is negative or p
  /// not within [0, 1]. (numpy.random.RandomState.binomial)
  template <class T = std::int64_t, class... A>
  constexpr auto binomial(A const&... a) const {
    return drawn_binomial<T>(a...);
  }
  /// The Poisson distribution of a mean, by default 1; a negative one throws kt::value_error.
  /// (numpy.random.RandomState.poisson)
  template <class T = std::int64_t, class... A>
  constexpr auto poisson(A const&... a) const {
    return drawn_poisson<T>(a...);
  }
  /// Integers from the first parameter up to but excluding the second, or from 0 up to but
  /// excluding a single one. None between them throws kt::value_error.
  /// (numpy.random.RandomState.randint)
  template <class T = std::int64_t, class... A>
  constexpr auto randint(A const&... a) const {
    return drawn_randint<T>(a...);
  }
  /// How many of n trials fall into each of some categories, by their probabilities, the last axis
  /// of the second parameter, which becomes the last axis of the result. The last probability is
  /// taken from the others; if these add up to more than 1, kt::value_error is thrown.
  /// (numpy.random.RandomState.multinomial)
  template <class T = std::int64_t, class... A>
  constexpr auto multinomial(A const&... a) const {
    return drawn_multinomial<T>(a...);
  }
  /// 0, 1 ... n - 1 in random order. (numpy.random.RandomState.permutation)
  template <class T = std::int64_t, class... A>
  constexpr auto permutation(A const&... a) const {
    return drawn_permutation<T>(a...);
  }
  /// Positions among 0, 1 ... n - 1: `choice(n, kt::size(k))`, `choice(n, kt::size(k), p)` with
  /// weights p, a vector of n; `kt::replace<false>` behind the extents for distinct ones, k at most
  /// n, or kt::value_error is thrown. (numpy.random.RandomState.choice)
  template <class T = std::int64_t, class N, class... A>
  constexpr auto choice(N const& n, A const&... a) const {
    return drawn_choice<T>(n, a...);
  }

 private:
  template <class T, class Arguments>
  friend struct ops::drawing;

  // What the functions above do. (nvcc repeats the default of T where those are defined elsewhere.)
  template <class T, class... A>
  constexpr auto drawn_uniform(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_normal(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_truncated_normal(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_exponential(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_gamma(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_bernoulli(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_binomial(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_poisson(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_randint(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_multinomial(A const&... a) const;
  template <class T, class... A>
  constexpr auto drawn_permutation(A const&... a) const;
  template <class T, class N, class... A>
  constexpr auto drawn_choice(N const& n, A const&... a) const;

  constexpr int position() const { return static_cast<int>(of->attribute(id, 0)); }
  template <ops::distribution D>
  constexpr term draw(kroton::element e, core::list<int> const& parameters,
                      core::list<int> const& extents, bool advances) const {
    return ops::stream_recording(*of, generator_, {position(), others_, further_})
        .template draw<D>(e, parameters, extents, advances);
  }

  ops::generator generator_;
  int others_, further_;
};

}  // namespace kroton
