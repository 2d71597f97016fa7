// What kernels of draws have in common: parameters, results, and one number or row of a
// distribution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/error.hpp>
#include <kroton/core/own.hpp>
#include <kroton/math/random/sampling.hpp>
#include <kroton/ops/random/draw.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace kroton::cpu {

using ops::distribution;
using ops::generator;

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
    if (first >= end) refuse_draw("no integer is at least low and less than high");
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
inline void check_weights(std::vector<double> const& weights, std::ptrdiff_t wanted) {
  if (wanted > std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; }))
    refuse_draw("choice of more distinct positions than have a weight");
}

/// Distinct positions by weights: as many as are missing are drawn, and those that were drawn
/// before are dropped. (numpy.random.RandomState.choice)
template <class Source>
void select_positions(Source& source, std::vector<double> weights, std::int64_t* to,
                      std::ptrdiff_t count) {
  check_weights(weights, count);
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

}  // namespace kroton::cpu
