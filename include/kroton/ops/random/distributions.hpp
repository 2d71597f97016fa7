// The distributions of kt::rng as formulas in what the generators draw.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/assertion.hpp>
#include <kroton/ops/elementwise/exponential.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>
#include <kroton/ops/random/rng.hpp>
#include <kroton/ops/shapes/joining.hpp>

#include <numbers>

namespace kroton {
namespace ops {

/// The deviation of a standard normal number that is at most 2 from 0.
inline constexpr double deviation_of_truncated = 0.87962566103423978;

/// Rejects a literal that no distribution has; the kernels of draws look at other parameters.
template <class Holds>
constexpr void require_of_literal(term x, Holds holds, std::string_view message) {
  if (x.of->is_literal(x.id) && !holds(x.of->literal_value(x.id))) x.of->fail(message);
}
constexpr void require_not_negative(term x, std::string_view message) {
  require_of_literal(x, [](double v) { return v >= 0; }, message);
}

/// A parameter that must not be negative.
constexpr term not_negative(term x, std::string_view message) {
  require_not_negative(x, message);
  return x.of->is_literal(x.id) ? x : assert_that(message, call<op::ge>(x, 0), x);
}

inline constexpr std::string_view not_a_probability =
    "kt::rng: a probability is not between 0 and 1";
constexpr void require_probability(term p) {
  require_of_literal(p, [](double v) { return v >= 0 && v <= 1; }, not_a_probability);
}
/// A parameter that must be from 0 to 1, for draws whose own function does not look.
constexpr term probability(term p) {
  require_probability(p);
  if (p.of->is_literal(p.id)) return p;
  return assert_that(not_a_probability, call<op::bit_and>(call<op::ge>(p, 0), call<op::le>(p, 1)),
                     p);
}

/// One draw: the stream, its arguments, and the types of what is drawn and of the result.
template <class T, class Arguments>
struct drawing {
  rng const& stream;
  Arguments const& given;
  graph& g;
  list<int> extents;

  static constexpr int rank = Arguments::rank;
  static constexpr element type = core::element_of<T>();
  using result = variable<T, rank>;

  constexpr drawing(rng const& r, Arguments const& arguments)
      : stream(r), given(arguments), g(*r.of), extents(arguments.extents_in(g)) {}

  template <std::size_t K>
  constexpr term parameter(element e = type) const {
    return given.template parameter<K>(g, e);
  }
  /// A parameter as the generators read it: a scalar, or with the extents of the result.
  template <std::size_t K>
  constexpr int spread(element e) const {
    term const p = parameter<K>(e);
    if (p.rank() == 0) return p.id;
    list<term> all;
    for (int id : extents) all.push_back({&g, id});
    return alloc(p, all).id;
  }
  template <distribution D>
  constexpr term draw(element e, list<int> const& parameters = {}) const {
    return stream.template draw<D>(e, parameters, extents, Arguments::advances);
  }
  /// One number for each element of a vector.
  template <distribution D>
  constexpr term draw_vector(term length, element e) const {
    return stream.template draw<D>(e, {}, {length.id}, Arguments::advances);
  }
  static constexpr int count = Arguments::count;
  static constexpr bool is_sized = Arguments::is_sized, takes_count = Arguments::takes_count;

  constexpr bool is_of_mrg() const { return stream.generator_ == generator::mrg; }
  constexpr result as_result(term x) const { return result(x); }
  constexpr result converted(term x) const { return result(term{&g, g.cast(x.id, type)}); }
  /// The numbers z, of such a deviation, with the mean and the deviation that are given.
  constexpr term moved(term z, double deviation) const {
    term moved = deviation == 1 ? z : z * number(1 / deviation);
    if constexpr (count == 2)
      moved = z * (not_negative(parameter<1>(), "kt::rng: a deviation is negative") *
                   number(1 / deviation));
    if constexpr (count > 0) moved = moved + parameter<0>();
    return moved;
  }
  /// Of mean 1. Numbers of MRG31k3p are never 0, those of the others never 1.
  constexpr term standard_exponential() const {
    switch (stream.generator_) {
      case generator::philox: return -call<op::log1p>(-draw<distribution::uniform>(type));
      case generator::mrg: return -call<op::log>(draw<distribution::uniform>(type));
      case generator::twister: return draw<distribution::exponential>(type);
    }
    return {};
  }
  constexpr term permuted(term n) const {
    return stream.template draw<distribution::permutation>(element::int64, {}, {n.id},
                                                           Arguments::advances);
  }
  constexpr term integer(long long n) const { return {&g, g.literal(n, element::int64)}; }
  constexpr term number(double x) const { return {&g, g.literal(x, type)}; }

  // ---- normal numbers of MRG31k3p, as Theano makes them: pairs by Box and Muller, those of the
  // cosines first ----

  struct normal_halves {
    term length, cosine, sine, radius;
  };
  constexpr normal_halves halves() const {
    term length = integer(1);
    for (int e : extents) length = length * term{&g, e};
    term const even = length + call<op::mod>(length, 2), half = call<op::floordiv>(even, 2);
    term const u = draw_vector<distribution::uniform>(even, type);
    term const first = axis_range(u, 0, integer(0), half, 1),
               second = axis_range(u, 0, half, half, 1);
    term const angle = number(2 * std::numbers::pi) * second;
    return {length, call<op::cos>(angle), call<op::sin>(angle),
            call<op::sqrt>(number(-2) * call<op::log>(first))};
  }
  /// The first `length` of a vector as the result.
  constexpr term shaped(term all, term length) const {
    list<term> shape;
    for (int e : extents) shape.push_back({&g, e});
    return reshape(axis_range(all, 0, integer(0), length, 1), shape);
  }
  constexpr term normal_of_pairs() const {
    normal_halves const h = halves();
    return shaped(join({h.radius * h.cosine, h.radius * h.sine}, 0), h.length);
  }
};

/// Sorts and checks the arguments of a draw of between Least and Most parameters, and calls f with
/// the drawing.
template <class T, int Least, int Most, class F, class... A>
constexpr auto drawn(rng const& r, F const& f, A const&... a) {
  auto const given = sorted_arguments<(Least > 0), true>(std::tuple<A...>(a...));
  using arguments = std::remove_const_t<decltype(given)>;
  if constexpr (takes_arguments<Least, Most, arguments>())
    return f(drawing<T, arguments>(r, given));
  else return core::in_place_of<T, core::is_rank<arguments::rank> ? arguments::rank : 0>(r);
}

template <class T>
constexpr void require_floats() {
  constexpr bool is_real = std::is_floating_point_v<T>;
  static_assert(is_real, "kt::rng: the numbers of a continuous distribution are float or double");
}

}  // namespace ops

template <class T, class... A>
constexpr auto rng::drawn_uniform(A const&... a) const {
  ops::require_floats<T>();
  return ops::drawn<T, 0, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        constexpr bool has_both = Drawing::count != 1;
        static_assert(has_both, "kt::rng: uniform takes low and high, or neither");
        term const u = d.template draw<ops::distribution::uniform>(Drawing::type);
        if constexpr (Drawing::count < 2) {
          return d.as_result(u);
        } else {
          term const low = d.template parameter<0>(), high = d.template parameter<1>();
          return d.as_result(u * (high - low) + low);
        }
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_normal(A const&... a) const {
  ops::require_floats<T>();
  return ops::drawn<T, 0, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        term const z = d.is_of_mrg() ? d.normal_of_pairs()
                                     : d.template draw<ops::distribution::normal>(Drawing::type);
        return d.as_result(d.moved(z, 1));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_truncated_normal(A const&... a) const {
  ops::require_floats<T>();
  return ops::drawn<T, 0, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        term const z = d.template draw<ops::distribution::truncated_normal>(Drawing::type);
        return d.as_result(d.moved(z, ops::deviation_of_truncated));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_exponential(A const&... a) const {
  ops::require_floats<T>();
  return ops::drawn<T, 0, 1>(
      *this,
      []<class Drawing>(Drawing const& d) {
        term const x = d.standard_exponential();
        if constexpr (Drawing::count == 0) return d.as_result(x);
        else
          return d.as_result(
              x * ops::not_negative(d.template parameter<0>(), "kt::rng: a scale is negative"));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_gamma(A const&... a) const {
  ops::require_floats<T>();
  return ops::drawn<T, 1, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        ops::require_not_negative(d.template parameter<0>(kroton::element::float64),
                                  "kt::rng: the shape of a gamma distribution is negative");
        term const x = d.template draw<ops::distribution::gamma>(
            Drawing::type, {d.template spread<0>(kroton::element::float64)});
        if constexpr (Drawing::count == 1) return d.as_result(x);
        else
          return d.as_result(
              x * ops::not_negative(d.template parameter<1>(), "kt::rng: a scale is negative"));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_bernoulli(A const&... a) const {
  return ops::drawn<T, 0, 1>(
      *this,
      []<class Drawing>(Drawing const& d) {
        term const u = d.template draw<ops::distribution::uniform>(element::float64);
        if constexpr (Drawing::count == 0) return d.converted(call<op::lt>(u, 0.5));
        else
          return d.converted(
              call<op::lt>(u, ops::probability(d.template parameter<0>(element::float64))));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_binomial(A const&... a) const {
  return ops::drawn<T, 2, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        term const trials = d.template parameter<0>(element::int64);
        if (d.is_of_mrg() && d.g.is_literal(trials.id, 1))
          return d.converted(
              call<op::lt>(d.template draw<ops::distribution::uniform>(element::float64),
                           ops::probability(d.template parameter<1>(element::float64))));
        ops::require_not_negative(
            trials, "kt::rng: the number of trials of a binomial distribution is negative");
        ops::require_probability(d.template parameter<1>(element::float64));
        return d.converted(d.template draw<ops::distribution::binomial>(
            element::int64,
            {d.template spread<0>(element::int64), d.template spread<1>(element::float64)}));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_poisson(A const&... a) const {
  return ops::drawn<T, 0, 1>(
      *this,
      []<class Drawing>(Drawing const& d) {
        int mean = d.g.literal(1, element::float64);
        if constexpr (Drawing::count == 1) {
          ops::require_not_negative(
              d.template parameter<0>(element::float64),
              "kt::rng: the mean of a Poisson distribution is negative or too large");
          mean = d.template spread<0>(element::float64);
        }
        return d.converted(d.template draw<ops::distribution::poisson>(element::int64, {mean}));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_randint(A const&... a) const {
  return ops::drawn<T, 1, 2>(
      *this,
      []<class Drawing>(Drawing const& d) {
        int low = d.g.literal(0, element::int64), high = d.template spread<0>(element::int64);
        if constexpr (Drawing::count == 2) low = high, high = d.template spread<1>(element::int64);
        if (d.g.is_literal(low) && d.g.is_literal(high) &&
            d.g.literal_bits(low) >= d.g.literal_bits(high))
          d.g.fail("kt::rng: no integer is at least low and less than high");
        return d.converted(
            d.template draw<ops::distribution::randint>(element::int64, {low, high}));
      },
      a...);
}

template <class T, class... A>
constexpr auto rng::drawn_permutation(A const&... a) const {
  return ops::drawn<T, 1, 1>(
      *this,
      []<class Drawing>(Drawing const& d) {
        constexpr bool is_count = Drawing::takes_count && Drawing::rank == 0;
        static_assert(is_count && !Drawing::is_sized,
                      "kt::rng: permutation takes the number of positions alone, an integer");
        term const n = d.template parameter<0>(element::int64);
        ops::require_not_negative(n, "kt: an extent of a tensor must not be negative");
        return variable<T, 1>(d.permuted(n));
      },
      a...);
}

}  // namespace kroton
