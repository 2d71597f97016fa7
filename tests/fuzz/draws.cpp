// Draws by number, and states.
// SPDX-License-Identifier: BSD-3-Clause
#include "draws.hpp"

namespace fuzz {

namespace {

kt::ops::generator generator_of(argument_kind kind) {
  return kind == argument_kind::philox ? kt::ops::generator::philox : kt::ops::generator::twister;
}

/// Calls f with the extents of a draw.
template <class F>
kt::term with_extents(call const& c, std::vector<kt::term> const& values, F f) {
  if (c.operands.size() == 1) {
    if (c.axes.empty()) return f(kt::size());
    return c.axes.size() == 1 ? f(kt::size(c.axes[0])) : f(kt::size(c.axes[0], c.axes[1]));
  }
  kt::term const x = values[static_cast<std::size_t>(c.operands[1].value)];
  kt::lscalar const first(kt::ops::extent(x, 0));
  return x.rank() == 1 ? f(kt::size(first))
                       : f(kt::size(first, kt::lscalar(kt::ops::extent(x, 1))));
}

#define DRAW(...)                                                                            \
  [](kt::rng const& r, call const& c, std::vector<kt::term> const& values) {                 \
    return with_extents(c, values, [&](auto const& size) { return kt::term(__VA_ARGS__); }); \
  }

std::vector<draw_function> make_functions() {
  return {
      {"$0.uniform(#)", DRAW(r.uniform(size))},
      {"$0.uniform(#)", DRAW(r.uniform(size))},
      {"$0.uniform<float>(#)", DRAW(r.uniform<float>(size))},
      {"$0.uniform(#, kt::no_default_update)", DRAW(r.uniform(size, kt::no_default_update))},
      {"$0.normal(#)", DRAW(r.normal(size))},
      {"$0.normal(1., 2., #)", DRAW(r.normal(1., 2., size))},
      {"$0.exponential(0.5, #)", DRAW(r.exponential(0.5, size))},
      {"$0.truncated_normal(#)", DRAW(r.truncated_normal(size))},
      {"$0.gamma(2., #)", DRAW(r.gamma(2., size))},
      {"$0.bernoulli(0.25, #)", DRAW(r.bernoulli(0.25, size))},
      {"$0.randint(-3, 5, #)", DRAW(r.randint(-3, 5, size))},
      {"$0.poisson(2., #)", DRAW(r.poisson(2., size))},
      {"$0.binomial(4, 0.5, #)", DRAW(r.binomial(4, 0.5, size))},
  };
}

#undef DRAW

}  // namespace

std::vector<draw_function> const& draw_functions() {
  static std::vector<draw_function> const functions = make_functions();
  return functions;
}

kt::term record_draw(kt::graph& g, call const& c, std::vector<kt::term> const& values,
                     recorded_arguments const& of) {
  int const v = c.operands[0].value, parameter = of.nodes.at(v)[0];
  draw_function const& f = draw_functions()[static_cast<std::size_t>(c.function)];
  auto state = [&] {
    return kt::ops::stream_entry(g, static_cast<int>(g.attribute(parameter, 0))).value;
  };
  int const before = state();
  kt::term const drawn =
      f.record(kt::rng({&g, parameter}, generator_of(of.kinds.at(v))), c, values);
  bool const stays = f.text.find("no_default_update") != std::string_view::npos;
  if ((state() == before) != stays && g.error().empty())
    throw std::logic_error("a draw that does not leave the state that it has to");
  return drawn;
}

void record_states(kt::graph& g, recorded_arguments const& of) {
  for (auto const& [v, kind] : of.kinds)
    if (is_stream(kind))
      g.results().push_back(
          kt::ops::stream_entry(g, static_cast<int>(g.attribute(of.nodes.at(v)[0], 0))).value);
  g.updates() = {};
}

argument stream_of(argument_kind kind, std::uint32_t seed) {
  argument a{{kt::element::uint32, 1, 0}, {}, {}};
  a.kind = kind;
  auto const state = kind == argument_kind::philox ? kt::philox_streams(seed).get_state()
                                                   : kt::random_streams(seed).get_state();
  a.shape = {static_cast<long>(state.size())};
  a.data.assign(state.begin(), state.end());
  return a;
}

}  // namespace fuzz
