// The ops that exchange data with other ranks, with their gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/item.hpp>
#include <kroton/distributed/reduction.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/elementwise/selection.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

namespace kroton::distributed {

/// Of an op that other ranks wait in: they are told when a call of a function that contains it ends
/// by an error.
struct exchange {
  static void abandon() noexcept {
    try {
      early::forget_all();
      all_groups::fail();
    } catch (error const&) {  // without MPI there is nobody to tell
    }
  }
};

/// The number of the next op whose place among others of its function counts, from 1.
constexpr long long number_of_next(graph const& g) {
  long long number = 1;
  for (int id = 0; id < g.size(); ++id) number += g[id].op->is_serial;
  return number;
}

/// Attributes: what, and the number of the op in its function.
struct all_reduction : operation<"all_reduce", 1>, exchange {
  static constexpr bool is_serial = true, takes_complex = true;
  static constexpr tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr core::gradient_list<1> pullback(term g, term y, term x);
  template <class T>
    requires(!std::same_as<T, bool>)
  static void run(core::invocation const& call) {
    reduce_operands<T>(call, 1);
  }
};

/// Lets the reduction of a value begin before the others of its bucket are there. Attributes: what,
/// the number of the bucket in its function, how many values it has, and which one this is.
struct early_reduction : operation<"all_reduce_early", 1>, exchange {
  static constexpr bool is_serial = true, is_eager = true, takes_complex = true;
  static constexpr tensor_type type(core::application const&) { return {element::int64, 0, 0}; }
  static constexpr auto pullback = no_gradient;
  template <class T>
    requires(!std::same_as<T, bool>)
  static void run(core::invocation const& call) {
    request const whole(static_cast<collective>(call.attribute(0)), core::element_of<T>(),
                        call.attribute(1), static_cast<int>(call.attribute(2)));
    early::get().begin<T>(whole, static_cast<int>(call.attribute(3)), call.operand(0));
    if (call.result().data != nullptr) *reinterpret_cast<std::int64_t*>(call.result().data) = 0;
  }
};

/// How many nodes have to be computed one after the other for each of some nodes.
constexpr core::list<int> heights_of(graph const& g, core::items<int> nodes) {
  core::list<int> height(g.size()), found;
  for (int id = 0; id < g.size(); ++id)
    for (int in : g.inputs(id)) height[id] = std::max(height[id], height[in] + 1);
  for (int k = 0; k < nodes.count; ++k) found.push_back(height[nodes.first[k]]);
  return found;
}

/// The same as all_reduction of several values of one type. In a plan, each array that is there
/// before the last one is reduced early.
template <std::size_t Values>
struct bucket : operation<"all_reduce_bucket", static_cast<int>(Values)>, exchange {
  static constexpr bool is_serial = true, takes_complex = true, has_body = false;
  static constexpr int outputs = static_cast<int>(Values);
  static constexpr tensor_type type(core::application const& a, int k) { return a.input(k); }
  static constexpr core::extent_source extent(core::application const&, int d, int k) {
    return {core::extent_source::dimension, k, d};
  }
  static constexpr void write_out(graph& g, core::application const& a,
                                  core::list<int>& made);
  template <class... X>
  static constexpr core::gradient_list<Values> pullback(core::several const& g,
                                                        core::several const& y, X... x);
  template <class T>
    requires(!std::same_as<T, bool>)
  static void run(core::invocation const& call) {
    reduce_operands<T>(call, outputs);
  }
};

template <std::size_t Values>
constexpr void bucket<Values>::write_out(graph& g, core::application const& a,
                                         core::list<int>& made) {
  core::items<int> const values{a.inputs.first, outputs};
  int const before = a.inputs.first[outputs];
  bool const is_done = g.is<early_reduction>(before) && g.attribute(before, 1) == a.attribute(1);
  core::list<int> const height = heights_of(g, values);
  core::list<int> order;
  for (int k = 0; k < outputs; ++k) order.push_back(k);
  core::sort(order, [&](int p, int q) { return height[p] < height[q]; });
  for (int k : order) {
    if (is_done || height[k] == height[order.back()] || g.type(values.first[k]).rank == 0) continue;
    int const inputs[] = {values.first[k]};
    long long const attributes[] = {a.attribute(0), a.attribute(1), outputs, k};
    g.apply(core::identity<early_reduction>(), inputs, attributes);
  }
  int const node = g.apply(core::identity<bucket>(), values, a.attributes);
  for (int k = 0; k < outputs; ++k) made.push_back(core::output_of({&g, node}, k).id);
}

/// Of an extremum y over the ranks: whether this rank is the first one whose x is y.
struct is_first_rank : operation<"first_rank", 2>, exchange {
  static constexpr bool is_serial = true;
  static constexpr tensor_type type(core::application const& a) {
    tensor_type t = a.input(0);
    t.element = element::boolean;
    return t;
  }
  static constexpr core::extent_source extent(core::application const&, int d) {
    return {core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback = no_gradient;
  template <class T>
    requires(!std::same_as<T, bool>)
  static void run(core::invocation const& call) {
    group& g = all_groups::current();
    request mine(collective::first_rank, core::element_of<T>(), call.attribute(0), 1);
    mine.add(0, call.operand(0));
    std::vector<T> const x = elements_of<T>(call.operand(0)), y = elements_of<T>(call.operand(1));
    std::vector<std::int32_t> first(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      first[i] = x[i] == y[i] || x[i] != x[i] ? g.rank() : g.size();
    if (g.size() > 1) {
      g.agree(mine);
      reduce_elements(g, first.data(), first.data(), std::ssize(first), MPI_MIN);
    }
    if (call.result().data == nullptr) return;
    for (std::size_t i = 0; i < x.size(); ++i)
      reinterpret_cast<bool*>(call.result().data)[i] = first[i] == g.rank();
  }

 private:
  template <class T>
  static std::vector<T> elements_of(core::array_ref const& from) {
    std::vector<T> all(static_cast<std::size_t>(from.size()));
    core::array_ref to = from;
    to.data = reinterpret_cast<std::byte*>(all.data());
    to.make_contiguous_strides();
    core::copy(to, from);
    return all;
  }
};

/// Values of one element type, reduced by one op.
template <std::size_t N>
constexpr std::array<term, N> reduced(std::array<term, N> const& x, collective what) {
  graph& g = *x[0].of;
  long long const attributes[] = {static_cast<long long>(what), number_of_next(g)};
  if constexpr (N == 1) {
    int const inputs[] = {x[0].id};
    return {term{&g, g.apply(core::identity<all_reduction>(), inputs, attributes)}};
  } else {
    int inputs[N]{};
    for (std::size_t k = 0; k < N; ++k) inputs[k] = x[k].id;
    term const first{&g, g.apply(core::identity<bucket<N>>(), inputs, attributes)};
    std::array<term, N> all{};
    for (std::size_t k = 0; k < N; ++k) all[k] = core::output_of(first, static_cast<int>(k));
    return all;
  }
}

/// The gradients of y, reduced values of x, with respect to x: the cost is the sum of those of all
/// ranks. Gradients of extrema go to the first rank that has them.
template <std::size_t N>
constexpr std::array<term, N> reduced_gradients(std::array<term, N> const& g,
                                                std::array<term, N> const& y,
                                                std::array<term, N> const& x, collective what) {
  bool const is_extremum = what == collective::max || what == collective::min;
  std::array<term, N> all = reduced(g, is_extremum ? collective::sum : what);
  for (std::size_t k = 0; is_extremum && k < N; ++k) {
    graph& of = *x[k].of;
    long long const attributes[] = {number_of_next(of)};
    int const inputs[] = {x[k].id, y[k].id};
    term const is_first{&of, of.apply(core::identity<is_first_rank>(), inputs, attributes)};
    all[k] = call<op::where>(is_first, all[k], 0);
  }
  return all;
}

constexpr collective collective_of(term y) {
  return static_cast<collective>(y.of->attribute(y.id, 0));
}
constexpr core::gradient_list<1> all_reduction::pullback(term g, term y, term x) {
  return {{reduced_gradients<1>({g}, {y}, {x}, collective_of(y))[0]}};
}
template <std::size_t Values>
template <class... X>
constexpr core::gradient_list<Values> bucket<Values>::pullback(core::several const& g,
                                                               core::several const& y, X... x) {
  std::array<term, Values> gradients{}, results{};
  for (std::size_t at = 0; at < Values; ++at) {
    int const k = static_cast<int>(at);
    results[at] = y[k];
    gradients[at] = g.has(k) ? g[k] : term{y[k].of, ops::zeros_of(y[k])};
  }
  auto const found = reduced_gradients<Values>(gradients, results, {x...}, collective_of(y[0]));
  core::gradient_list<Values> list{};
  std::copy(found.begin(), found.end(), list.terms);
  return list;
}

}  // namespace kroton::distributed
