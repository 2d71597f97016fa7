// The state of streams while a function is recorded: each draw finds the state that the draw before
// it left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/loop/formal.hpp>
#include <kroton/ops/random/draw.hpp>

namespace kroton::ops {

// While a function is recorded, the updates of the graph are those of its streams: of each the
// parameter, and the state that the next draw starts from.

/// The entry of a stream, which its variable makes.
constexpr core::update& stream_entry(graph& g, int parameter) {
  for (core::update& u : g.updates())
    if (u.parameter == parameter) return u;
  g.updates().push_back({parameter, g.parameters()[parameter]});
  return g.updates().back();
}

/// Once a function is recorded: streams that it does not draw from are not updated.
constexpr void drop_unused_streams(graph& g) {
  list<core::update> used;
  for (core::update const& u : g.updates())
    if (u.value != g.parameters()[u.parameter]) used.push_back(u);
  g.updates().swap(used);
}

/// The parameters of a function that hold the states of a stream. Of MRG31k3p each draw has a state
/// of its own: the first draw that of the parameter `first`, the others those of `count` parameters
/// from `others` on. `others` is -1 where their number is still to be found.
struct stream_parameters {
  int first, others = -1, count = 0;
};

/// The words of a state of MRG31k3p with so many sub-streams, of which each group begins whole.
constexpr term words_of_substreams(term count) {
  term const groups = call<op::floordiv>(count + (mrg_group - 1), mrg_group);
  return groups * (mrg_group * mrg_words) + mrg_words;
}

/// How many sub-streams of MRG31k3p a draw may use, and how many words its new state has then, an
/// int64 scalar.
struct substreams {
  long long most;
  int words;
};
constexpr substreams substreams_of_draw(graph& g, distribution of, int state,
                                        list<int> const& extents) {
  // Permutations need one number a row.
  int const axes = extents.size() - (of == distribution::permutation ? 1 : 0);
  // Theano does not know the extents of selections.
  long long known = of == distribution::selection ? -1 : 1;
  term count{&g, g.literal(1, element::int64)};
  for (int d = 0; d < axes; ++d) {
    known = g.is_literal(extents[d]) && known >= 0 ? known * g.literal_bits(extents[d]) : -1;
    count = count * term{&g, extents[d]};
  }
  long long const most = known >= 0 ? math::substreams_of(known) : math::max_substreams;
  term const words = call<op::maximum>(words_of_substreams(call<op::minimum>(count, most)),
                                       extent({&g, state}, 0));
  return {most, words.id};
}

/// How many numbers a draw takes at a time from a stream of MRG31k3p, given a state that the body
/// of a loop makes: -1 if the compiler cannot tell, 0 for what is not the state of such a stream.
constexpr long long most_drawn(graph const& body, int state) {
  bool const is_item = body.is<op::item>(state);
  int const made = is_item ? body.input_of(state, 0) : state,
            output = is_item ? static_cast<int>(body.attribute(state, 0)) : 0;
  if (body[made].op->has_body) {
    graph const& inner = body.body(body.attribute(made, 0));
    return most_drawn(inner, inner.results()[output]);
  }
  if (!is_item || !body[made].op->is_draw) return 0;
  int const first = 1 + static_cast<int>(body.attribute(made, draw_attributes::parameters)),
            rank = static_cast<int>(body.attribute(made, draw_attributes::rank));
  bool const grows = body[made].input_count > first + rank;
  if (!grows) return 0;
  long long drawn = 1;
  for (int d = 0; d < rank; ++d) {
    int const n = body.input_of(made, first + d);
    if (!body.is_literal(n)) return -1;
    drawn *= static_cast<long long>(body.literal_bits(n));
  }
  long long const before = most_drawn(body, body.input_of(made, 0));
  return before < 0 || before > drawn ? before : drawn;
}

/// Records draws from one stream.
class stream_recording {
 public:
  constexpr stream_recording(graph& g, generator kind, stream_parameters const& stream)
      : g_(g), kind_(kind), stream_(stream) {}

  template <distribution D>
  constexpr term draw(element e, list<int> const& parameters, list<int> const& extents,
                      bool advances) {
    switch (kind_) {
      case generator::philox: return counted<D>(e, parameters, extents, advances);
      case generator::mrg: return growing<D>(e, parameters, extents, advances);
      case generator::twister: return stepping<D>(e, parameters, extents, advances);
    }
    return {};
  }

 private:
  static constexpr list<int> inputs_of(int state, list<int> const& parameters,
                                       list<int> const& extents) {
    list<int> inputs{state};
    for (int p : parameters) inputs.push_back(p);
    for (int e : extents) inputs.push_back(e);
    return inputs;
  }
  template <generator G, distribution D>
  constexpr int record(element e, int parameters, int rank, list<int> const& inputs,
                       long long steps) {
    long long const attributes[] = {static_cast<long long>(e), parameters, rank, steps};
    return g_.apply(identity<op::draw<G, D>>(), inputs, attributes);
  }

  // A double takes a word of two draws.
  static constexpr long long draws_of(distribution l, element e) {
    bool const is_of_doubles = l == distribution::uniform || l == distribution::normal;
    return is_of_doubles && e == element::float64 ? 2 : 1;
  }
  template <distribution D>
  constexpr term counted(element e, list<int> const& parameters, list<int> const& extents,
                         bool advances) {
    int state = stream_entry(g_, stream_.first).value;
    long long before = 0;
    if (g_.is<op::advance_stream>(state)) {
      before = g_.attribute(state, 0);
      state = g_.input_of(state, 0);
    }
    int const node = record<generator::philox, D>(e, parameters.size(), extents.size(),
                                                  inputs_of(state, parameters, extents), before);
    if (advances)
      stream_entry(g_, stream_.first).value =
          g_.apply<op::advance_stream>({state}, {before + draws_of(D, e)});
    return {&g_, node};
  }
  template <distribution D>
  constexpr term stepping(element e, list<int> const& parameters, list<int> const& extents,
                          bool advances) {
    int const state = stream_entry(g_, stream_.first).value;
    term const node{&g_, record<generator::twister, D>(e, parameters.size(), extents.size(),
                                                       inputs_of(state, parameters, extents), 0)};
    if (advances) stream_entry(g_, stream_.first).value = output_of(node, 1).id;
    return node;
  }
  template <distribution D>
  constexpr term growing(element e, list<int> const& parameters, list<int> const& extents,
                         bool advances) {
    int const number = stream_entry(g_, stream_.first).draws++;
    bool const is_counted = stream_.others < 0;
    int const place = is_counted || number == 0 ? stream_.first : stream_.others + number - 1;
    int const state = stream_entry(g_, place).value;
    substreams const own = substreams_of_draw(g_, D, state, extents);
    list<int> inputs = inputs_of(state, parameters, extents);
    inputs.push_back(own.words);
    // Where only the number of draws is asked, they have one state and must still differ.
    long long const steps = is_counted ? own.most + number * math::max_substreams : own.most;
    term const node{&g_,
                    record<generator::mrg, D>(e, parameters.size(), extents.size(), inputs, steps)};
    if (advances) stream_entry(g_, place).value = output_of(node, 1).id;
    return node;
  }

  graph& g_;
  generator kind_;
  stream_parameters stream_;
};

}  // namespace kroton::ops
