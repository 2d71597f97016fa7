// Draws of random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cpu/op/kernel.hpp>
#include <kroton/cpu/random/distributions.hpp>
#include <kroton/cpu/random/mrg_states.hpp>
#include <kroton/cpu/random/philox_fill.hpp>
#include <kroton/math/random/twister.hpp>

#include <limits>
#include <vector>

namespace kroton::cpu {

// ---- streams ------------------------------------------------------------------------------------

inline std::uint32_t* words_of_state(core::array_ref const& state) {
  return reinterpret_cast<std::uint32_t*>(state.data);
}

template <distribution D>
inline constexpr bool is_sampled = D != distribution::multinomial &&
                                   D != distribution::permutation && D != distribution::selection;
template <distribution D>
inline constexpr bool is_continuous_law =
    D == distribution::uniform || D == distribution::normal || D == distribution::exponential ||
    D == distribution::truncated_normal || D == distribution::gamma;

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
    else draw_from_sources<D>(call, [&](std::ptrdiff_t i) { return source_at<D>(place, i); });
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
    mrg_states const states(to, words),
        old = mrg_states(words_of_state(before), before.extents[0]).begun();
    std::memcpy(to, before.data, mrg_words * sizeof(*to));
    states.begin(old.groups());
    std::ptrdiff_t const count = D == distribution::permutation ? drawn_rows(call).count()
                                                                : drawn_array(call).size(),
                         most = call.attribute(ops::draw_attributes::steps);
    std::ptrdiff_t const streams = std::min<std::ptrdiff_t>(most, states.groups() * mrg_group);
    if constexpr (D == distribution::uniform) {
      with_drawn_type<D>(call, [&]<class T>(T) {
        drawn_result<T> const out(drawn_array(call));
        bool const is_far = count * static_cast<std::ptrdiff_t>(sizeof(T)) >= philox_far;
        for_mrg_numbers(
            old, states, streams, count,
            [&](std::ptrdiff_t first, std::uint32_t const* numbers, std::ptrdiff_t here) {
              T* const at = out.data() + first;
              if (is_far)  // the memory of the next ones
                for (std::ptrdiff_t i = here; i < 2 * here; i += 64 / std::ptrdiff_t{sizeof(T)})
                  __builtin_prefetch(at + i, 1);
              KROTON_INDEPENDENT
              for (std::ptrdiff_t i = 0; i < here; ++i)
                at[i] = static_cast<T>(static_cast<std::int32_t>(numbers[i])) * unit<T>;
            });
      });
      return;
    }
    std::vector<std::uint32_t> all(static_cast<std::size_t>(count));
    for_mrg_numbers(old, states, streams, count,
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
      check_weights(weights, out.length());
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
