// Draws of random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/random/mrg_states.hpp>
#include <kroton/cpu/random/philox_fill.hpp>
#include <kroton/math/random/sampling.hpp>
#include <kroton/math/random/twister.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace kroton::cpu {

using ops::generator;
using ops::distribution;

/// A parameter of a draw: a scalar, or an array of which the elements are taken in order.
template <class T>
class drawn_parameter {
 public:
  explicit drawn_parameter(core::array_ref const& a) : a_(a), is_dense_(a.contiguous()) {}
  T at(std::ptrdiff_t i) const {
    if (a_.rank == 0) i = 0;
    else if (!is_dense_) i = offset(i);
    return reinterpret_cast<T const*>(a_.data)[i];
  }

 private:
  std::ptrdiff_t offset(std::ptrdiff_t i) const {
    std::ptrdiff_t sum = 0;
    for (int d = a_.rank - 1; d >= 0; --d) {
      sum += i % a_.extents[d] * a_.strides[d];
      i /= a_.extents[d];
    }
    return sum;
  }
  core::array_ref const& a_;
  bool is_dense_;
};

/// Where the numbers go. A result that nothing reads has no address, but its numbers are drawn.
inline core::array_ref drawn_array(core::invocation const& call) {
  core::array_ref out = call.result(0);
  out.rank = static_cast<int>(call.attribute(ops::draw_attributes::rank));
  int const first = 1 + static_cast<int>(call.attribute(ops::draw_attributes::parameters));
  for (int d = 0; d < out.rank; ++d)
    out.extents[d] = *reinterpret_cast<std::int64_t const*>(call.operand(first + d).data);
  out.make_contiguous_strides();
  return out;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_draw(char const* reason) {
  throw value_error(std::string("kt::rng: ") + reason);
}

/// One number of a law for element i, from a source of uniform numbers.
template <distribution D>
struct sample;
template <>
struct sample<distribution::uniform> {
  explicit sample(core::invocation const&) {}
  template <class Source>
  double next(Source& source, std::ptrdiff_t) const {
    return source.uniform();
  }
};
template <>
struct sample<distribution::normal> {
  explicit sample(core::invocation const&) {}
  template <class Source>
  double next(Source& source, std::ptrdiff_t) const {
    return source.normal();
  }
};
template <>
struct sample<distribution::exponential> {
  explicit sample(core::invocation const&) {}
  template <class Source>
  double next(Source& source, std::ptrdiff_t) const {
    return math::sampling::exponential(source);
  }
};
template <>
struct sample<distribution::truncated_normal> {
  explicit sample(core::invocation const&) {}
  template <class Source>
  double next(Source& source, std::ptrdiff_t) const {
    return math::sampling::truncated_normal(source);
  }
};
template <>
struct sample<distribution::gamma> {
  drawn_parameter<double> shape;
  explicit sample(core::invocation const& call) : shape(call.operand(1)) {}
  template <class Source>
  double next(Source& source, std::ptrdiff_t i) const {
    double const a = shape.at(i);
    if (!(a >= 0)) refuse_draw("the shape of a gamma distribution is negative");
    return math::sampling::gamma(source, a);
  }
};
template <>
struct sample<distribution::poisson> {
  drawn_parameter<double> mean;
  explicit sample(core::invocation const& call) : mean(call.operand(1)) {}
  template <class Source>
  std::int64_t next(Source& source, std::ptrdiff_t i) const {
    double const m = mean.at(i);
    // Beyond, counts do not fit: NumPy's bound
    if (!(m >= 0 && m <= 9.223372006484771e18))
      refuse_draw("the mean of a Poisson distribution is negative or too large");
    return math::sampling::poisson(source, m);
  }
};
template <>
struct sample<distribution::binomial> {
  drawn_parameter<std::int64_t> trials;
  drawn_parameter<double> probability;
  explicit sample(core::invocation const& call)
      : trials(call.operand(1)), probability(call.operand(2)) {}
  template <class Source>
  std::int64_t next(Source& source, std::ptrdiff_t i) const {
    std::int64_t const n = trials.at(i);
    double const p = probability.at(i);
    if (n < 0) refuse_draw("the number of trials of a binomial distribution is negative");
    if (!(p >= 0 && p <= 1)) refuse_draw("a probability is not between 0 and 1");
    return math::sampling::binomial(source, n, p);
  }
};
template <>
struct sample<distribution::randint> {
  drawn_parameter<std::int64_t> low, high;
  explicit sample(core::invocation const& call) : low(call.operand(1)), high(call.operand(2)) {}
  template <class Source>
  std::int64_t next(Source& source, std::ptrdiff_t i) const {
    std::int64_t const first = low.at(i), end = high.at(i);
    if (first >= end) refuse_draw("there are no integers from low up to but excluding high");
    auto const begin = static_cast<std::uint64_t>(first);
    std::uint64_t const most = static_cast<std::uint64_t>(end) - 1 - begin;
    return static_cast<std::int64_t>(begin + math::sampling::bounded(source, most));
  }
};

// ---- laws of whole rows -----------------------------------------------------------------------

/// Counts of categories for one row after the other.
class multinomial_rows {
 public:
  explicit multinomial_rows(core::invocation const& call)
      : trials_(call.operand(1)),
        probabilities_(call.operand(2)),
        one_(call.operand(2).rank == 1),
        out_(drawn_array(call)),
        categories_(out_.extents[out_.rank - 1]) {}
  std::ptrdiff_t rows() const { return categories_ == 0 ? 0 : out_.size() / categories_; }
  template <class Source>
  void next(Source& source, std::ptrdiff_t row) const {
    std::int64_t const n = trials_.at(row);
    if (n < 0) refuse_draw("the number of trials of a multinomial distribution is negative");
    auto probability = [&](std::ptrdiff_t k) {
      return probabilities_.at(one_ ? k : row * categories_ + k);
    };
    double sum = 0;
    for (std::ptrdiff_t k = 0; k < categories_; ++k) {
      double const p = probability(k);
      if (!(p >= 0 && p <= 1)) refuse_draw("a probability is not between 0 and 1");
      if (k + 1 < categories_) sum += p;
    }
    if (sum > 1 + 1e-12) refuse_draw("the probabilities of all categories but the last exceed 1");
    auto* const to = reinterpret_cast<std::int64_t*>(out_.data);
    std::int64_t aside = 0;
    math::sampling::multinomial(source, n, categories_, probability,
                                [&](std::ptrdiff_t k) -> std::int64_t& {
                                  return to == nullptr ? aside : to[row * categories_ + k];
                                });
  }

 private:
  drawn_parameter<std::int64_t> trials_;
  drawn_parameter<double> probabilities_;
  bool one_;
  core::array_ref out_;
  std::ptrdiff_t categories_;
};

/// Where a result goes, or memory of its own if nothing reads it.
template <class T>
class drawn_result {
 public:
  explicit drawn_result(core::array_ref const& out) : to_(reinterpret_cast<T*>(out.data)) {
    if (to_ != nullptr) return;
    aside_.resize(static_cast<std::size_t>(out.size()));
    to_ = aside_.data();
  }
  T* data() const { return to_; }

 private:
  T* to_;
  std::vector<T> aside_;
};

/// The rows of positions along the last axis.
class drawn_rows {
 public:
  explicit drawn_rows(core::invocation const& call) : a_(drawn_array(call)), to_(a_) {}
  std::ptrdiff_t length() const { return a_.extents[a_.rank - 1]; }
  std::ptrdiff_t count() const { return length() == 0 ? 0 : a_.size() / length(); }
  std::int64_t* row(std::ptrdiff_t r) const { return to_.data() + r * length(); }

 private:
  core::array_ref a_;
  drawn_result<std::int64_t> to_;
};

/// The weights of a row, the same for all rows or not.
inline std::vector<double> row_of_weights(core::invocation const& call, std::ptrdiff_t row) {
  core::array_ref const& p = call.operand(1);
  drawn_parameter<double> const given(p);
  std::ptrdiff_t const n = p.extents[p.rank - 1], first = p.rank == 1 ? 0 : row * n;
  std::vector<double> weights(static_cast<std::size_t>(n));
  for (std::ptrdiff_t i = 0; i < n; ++i) weights[static_cast<std::size_t>(i)] = given.at(first + i);
  return weights;
}
inline void check_weights(std::vector<double> const& weights, std::ptrdiff_t wanted,
                          bool must_sum) {
  double sum = 0;
  std::ptrdiff_t chosen = 0;
  for (double w : weights) {
    if (!(w >= 0)) refuse_draw("a weight of choice is negative");
    sum += w;
    chosen += w > 0 ? 1 : 0;
  }
  if (must_sum && !(std::abs(sum - 1) < 1.5e-8))
    refuse_draw("the weights of choice do not add up to 1");
  if (wanted > chosen) refuse_draw("choice of more distinct positions than have a weight");
}

/// Distinct positions by weights: as many as are missing are drawn, and those that were drawn before
/// are dropped. (numpy.random.RandomState.choice)
template <class Source>
void select_positions(Source& source, std::vector<double> weights, std::int64_t* to,
                      std::ptrdiff_t count) {
  check_weights(weights, count, true);
  std::vector<double> sums(weights.size()), u;
  for (std::ptrdiff_t found = 0; found < count;) {
    u.resize(static_cast<std::size_t>(count - found));
    for (double& x : u) x = source.uniform();
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sums[i] = sum += weights[i];
    for (double& s : sums) s /= sum;
    for (double const x : u) {
      auto const at = std::upper_bound(sums.begin(), sums.end(), x) - sums.begin();
      if (weights[static_cast<std::size_t>(at)] == 0) continue;
      weights[static_cast<std::size_t>(at)] = 0;
      to[found++] = at;
    }
  }
}

// ---- streams ------------------------------------------------------------------------------------

inline std::uint32_t* words_of_state(core::array_ref const& state) {
  return reinterpret_cast<std::uint32_t*>(state.data);
}

template <distribution D>
inline constexpr bool is_sampled =
    D != distribution::multinomial && D != distribution::permutation && D != distribution::selection;
template <distribution D>
inline constexpr bool is_continuous_law = D == distribution::uniform || D == distribution::normal ||
                                          D == distribution::exponential || D == distribution::truncated_normal ||
                                          D == distribution::gamma;

/// Calls f with the type of the numbers.
template <distribution D, class F>
void with_drawn_type(core::invocation const& call, F f) {
  if constexpr (is_continuous_law<D>) {
    if (static_cast<element>(call.attribute(ops::draw_attributes::element)) == element::float32)
      f(float{});
    else f(double{});
  } else {
    f(std::int64_t{});
  }
}

/// As float, a number below 1 stays below 1.
template <distribution D, class T, class X>
T rounded_draw(X x) {
  T const result = static_cast<T>(x);
  if constexpr (D == distribution::uniform && std::is_same_v<T, float>)
    return result < 1 ? result : 1 - std::numeric_limits<float>::epsilon() / 2;
  else return result;
}

/// All numbers of a law from sources: `source_of(i)` is that of element or row i.
template <distribution D, class Sources>
void draw_from_sources(core::invocation const& call, Sources source_of) {
  if constexpr (D == distribution::multinomial) {
    multinomial_rows const rows(call);
    for (std::ptrdiff_t r = 0; r < rows.rows(); ++r) {
      auto&& source = source_of(r);
      rows.next(source, r);
    }
  } else if constexpr (D == distribution::permutation) {
    drawn_rows const out(call);
    for (std::ptrdiff_t r = 0; r < out.count(); ++r) {
      auto&& source = source_of(r);
      math::sampling::permutation(source, out.length(), out.row(r));
    }
  } else if constexpr (D == distribution::selection) {
    drawn_rows const out(call);
    for (std::ptrdiff_t r = 0; r < out.count(); ++r) {
      auto&& source = source_of(r);
      select_positions(source, row_of_weights(call, r), out.row(r), out.length());
    }
  } else {
    with_drawn_type<D>(call, [&]<class T>(T) {
      auto* const to = reinterpret_cast<T*>(call.result(0).data);
      sample<D> const sampled(call);
      for (std::ptrdiff_t i = 0, n = drawn_array(call).size(); i < n; ++i) {
        auto&& source = source_of(i);
        T const x = rounded_draw<D, T>(sampled.next(source, i));
        if (to != nullptr) to[i] = x;
      }
    });
  }
}

inline math::philox_place place_of(core::array_ref const& state, long long draws) {
  std::uint32_t const* const s = words_of_state(state);
  return math::philox_place{s[0], s[1], std::uint64_t{s[3]} << 32 | s[2]}.after(
      static_cast<std::uint64_t>(draws));
}

/// Where an element or a row of a draw finds its numbers.
template <distribution D>
math::philox_source source_at(math::philox_place const& place, std::ptrdiff_t i) {
  auto const at = static_cast<std::uint64_t>(i);
  return is_sampled<D> ? math::philox_source::of_element(place, at)
                       : math::philox_source::of_row(place, at);
}

template <distribution D>
struct kernel<op::draw<generator::philox, D>> {
  static void run(core::invocation const& call) {
    auto const place = place_of(call.operand(0), call.attribute(ops::draw_attributes::steps));
    if constexpr (D == distribution::uniform || D == distribution::normal)
      with_drawn_type<D>(call, [&]<class T>(T) {
        philox_fill<D == distribution::normal>(place, 0, call.result().size(),
                                      reinterpret_cast<T*>(call.result().data));
      });
    else
      draw_from_sources<D>(call, [&](std::ptrdiff_t i) { return source_at<D>(place, i); });
  }

  /// The numbers for a loop that makes those that it reads.
  static core::indirect_array made(core::invocation const& call)
    requires op::draw<generator::philox, D>::generates
  {
    auto const place = place_of(call.operand(0), call.attribute(ops::draw_attributes::steps));
    core::indirect_array all{.index = call.result(), .bytes = call.result().bytes};
    with_drawn_type<D>(call, [&]<class T>(T) { all.make = &make<T>; });
    all.from[0] = std::uint64_t{place.key1} << 32 | place.key0;
    all.from[1] = place.draw;
    return all;
  }

 private:
  template <class T>
  static void make(std::uint64_t const* from, std::byte* to, std::ptrdiff_t first,
                   std::ptrdiff_t count) {
    math::philox_place const place{static_cast<std::uint32_t>(from[0]),
                                   static_cast<std::uint32_t>(from[0] >> 32), from[1]};
    philox_fill<D == distribution::normal>(place, first, count, reinterpret_cast<T*>(to));
  }
};

template <distribution D>
struct kernel<op::draw<generator::twister, D>> {
  static void run(core::invocation const& call) {
    math::twister source(words_of_state(call.operand(0)));
    draw_from_sources<D>(call, [&](std::ptrdiff_t) -> math::twister& { return source; });
    if (call.result(1).data != nullptr) source.store(words_of_state(call.result(1)));
  }
};

template <distribution D>
struct kernel<op::draw<generator::mrg, D>> {
  static void run(core::invocation const& call) {
    core::array_ref const &before = call.operand(0), &after = call.result(1);
    std::ptrdiff_t const words =
        *reinterpret_cast<std::int64_t const*>(call.operand(operands_of(call) - 1).data);
    std::vector<std::uint32_t> aside;
    if (after.data == nullptr) aside.resize(static_cast<std::size_t>(words));
    std::uint32_t* const to = after.data == nullptr ? aside.data() : words_of_state(after);
    std::memcpy(to, before.data, static_cast<std::size_t>(before.extents[0]) * sizeof(*to));
    mrg_states const states(to, words);
    states.begin(mrg_states(to, before.extents[0]).groups());
    std::ptrdiff_t const count = D == distribution::permutation ? drawn_rows(call).count()
                                                                : drawn_array(call).size(),
                         most = call.attribute(ops::draw_attributes::steps);
    std::ptrdiff_t const streams = std::min<std::ptrdiff_t>(most, states.groups() * mrg_group);
    if constexpr (D == distribution::uniform) {
      with_drawn_type<D>(call, [&]<class T>(T) {
        drawn_result<T> const out(drawn_array(call));
        for_mrg_numbers(states, streams, count,
                        [&](std::ptrdiff_t first, std::uint32_t const* numbers,
                            std::ptrdiff_t here) {
                          T* const at = out.data() + first;
                          KROTON_INDEPENDENT
                          for (std::ptrdiff_t i = 0; i < here; ++i)
                            at[i] = static_cast<T>(static_cast<std::int32_t>(numbers[i])) *
                                    unit<T>;
                        });
      });
      return;
    }
    std::vector<std::uint32_t> all(static_cast<std::size_t>(count));
    for_mrg_numbers(states, streams, count,
                    [&](std::ptrdiff_t first, std::uint32_t const* numbers, std::ptrdiff_t here) {
                      std::copy(numbers, numbers + here, all.begin() + first);
                    });
    if constexpr (D == distribution::selection) {
      select(call, all);
    } else if constexpr (D != distribution::uniform) {
      // Each element has a source of Philox, with the number of its sub-stream as the key.
      draw_from_sources<D>(call, [&](std::ptrdiff_t i) {
        return source_at<D>({all[static_cast<std::size_t>(i)], 0, 0}, i);
      });
    }
  }

 private:
  // 2^-31, as float rounded as Theano writes it
  template <class T>
  static constexpr T unit = std::is_same_v<T, float> ? T(4.6566126e-10f) : T(0x1p-31);
  static int operands_of(core::invocation const& call) {
    return 2 + static_cast<int>(call.attribute(ops::draw_attributes::parameters) +
                                call.attribute(ops::draw_attributes::rank));
  }
  // One uniform number for each position, and what was chosen gets the weight 0. (Theano's
  // ChoiceFromUniform)
  static void select(core::invocation const& call, std::vector<std::uint32_t> const& numbers) {
    drawn_rows const out(call);
    for (std::ptrdiff_t r = 0; r < out.count(); ++r) {
      std::vector<double> weights = row_of_weights(call, r);
      check_weights(weights, out.length(), false);
      for (std::ptrdiff_t c = 0; c < out.length(); ++c) {
        // Those of the same column are neighbours.
        double const u =
            static_cast<double>(numbers[static_cast<std::size_t>(c * out.count() + r)]) * 0x1p-31;
        out.row(r)[c] = static_cast<std::int64_t>(taken_out(weights, u));
      }
    }
  }
  static std::size_t taken_out(std::vector<double>& weights, double u) {
    double below = 0, rest = 0;
    std::size_t at = 0, last = 0;
    for (; at < weights.size(); ++at) {
      if (weights[at] > 0) last = at;
      if ((below += weights[at]) > u) break;
    }
    if (at == weights.size()) at = last;  // sums that are rounded to less than u
    weights[at] = 0;
    for (double w : weights) rest += w;
    for (double& w : weights) w /= rest;
    return at;
  }
};

template <>
struct kernel<op::advance_stream> {
  static void run(core::invocation const& call) {
    auto const place = place_of(call.operand(0), call.attribute(0));
    std::uint32_t* const to = words_of_state(call.result());
    to[0] = place.key0;
    to[1] = place.key1;
    to[2] = static_cast<std::uint32_t>(place.draw);
    to[3] = static_cast<std::uint32_t>(place.draw >> 32);
  }
};

}  // namespace kroton::cpu
