// Bodies: one for equal graphs, found by its address in every graph that takes over a node which owns it.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/core/splice.hpp>
#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

/// An op that owns a body: its first attribute is the address. Type and extents are those of the body's result.
struct applied : kt::operation<"applied", 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) {
    kt::graph const& body = a.of->body(a.attribute(0));
    return body.type(body.results()[0]);
  }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static constexpr void write_out(kt::graph& g, kt::core::application const& a, kt::core::list<int>& outputs) {
    outputs.push_back(kt::core::splice(g, g.body(a.attribute(0)), a.inputs.begin())[0]);
  }
};

template <class F>
constexpr kt::graph traced(F record) {
  kt::graph g;
  kt::dvector x(kt::term{&g, g.input(kt::dvector::parameter_type, 0)});
  g.results().push_back(record(x).id);
  return g;
}
template <class F>
constexpr kt::core::body body_of(F record) {
  return kt::core::body(traced(record));
}
/// record's body, applied to x.
template <class F>
constexpr kt::dvector apply(kt::dvector x, F record) {
  long long const address = x.of->intern(body_of(record));
  return kt::dvector(kt::term{x.of, x.of->apply<applied>({x.id}, {address})});
}

constexpr auto square_sum = [](kt::dvector x) { return sqr(x) + exp(x); };
constexpr auto recorded_otherwise = [](kt::dvector x) {
  sin(x);  // nothing needs it
  auto const e = exp(named(x, "x"));
  return sqr(x) + e;
};
constexpr auto other = [](kt::dvector x) { return sqr(x) - exp(x); };

// Neither names, nor the order of recording, nor nodes that nothing needs are part of an address.
static_assert(body_of(square_sum).address() == body_of(recorded_otherwise).address());
static_assert(body_of(square_sum) == body_of(recorded_otherwise));
static_assert(body_of(square_sum).address() != body_of(other).address());
static_assert(!(body_of(square_sum) == body_of(other)));
// Conditions are.
static_assert([] {
  kt::graph g = traced(square_sum);
  long long const without = kt::core::address_of(g);
  int const x = g.parameters()[0], n = g.apply<kt::op::extent_of>({x}, {0}), two = g.literal(2, kt::element::int64);
  g.constraints().push_back({n, two, kt::core::identity<kt::op::exp>(), kt::core::condition::equal});
  return kt::core::address_of(g) != without && !kt::core::computes_the_same(g, traced(square_sum));
}());

// A body that occurs both in another body and on its own is rewritten once.
static_assert([] {
  constexpr auto outer = [](kt::dvector x) { return apply(exp(x), square_sum); };
  kt::graph const g = traced([=](kt::dvector x) { return apply(x, outer) + apply(x, square_sum); });
  kt::rewrite::known_bodies known;
  int count = 0;
  auto rewritten = [&](kt::graph const& body) {
    auto again = [&](kt::graph const& inner) {
      ++count;
      return inner;
    };
    ++count;
    kt::graph made = kt::rewrite::with_bodies(body, again, known);
    return made;
  };
  kt::graph const made = kt::rewrite::with_bodies(g, rewritten, known);
  return count == 2 && kt::core::computes_the_same(g, made);
}());

// Equal bodies are one, and equal nodes that own them are one node.
static_assert([] {
  kt::graph const g = traced([](kt::dvector x) {
    auto const first = apply(x, square_sum), second = apply(x, recorded_otherwise), third = apply(x, other);
    return first + second + third;
  });
  int nodes = 0;
  for (int id = 0; id < g.size(); ++id) nodes += g.is<applied>(id) ? 1 : 0;
  return g.bodies().size() == 2 && nodes == 2 && g.error().empty();
}());

// Copies share the graph of a body and outlive the one that they were taken from.
static_assert([] {
  kt::core::body copy;
  {
    kt::graph const g = traced([](kt::dvector x) { return apply(x, square_sum); });
    kt::graph const again = g;
    if (&*g.bodies()[0] != &*again.bodies()[0]) return false;
    copy = again.bodies()[0];
  }
  return copy->size() > 2 && copy == body_of(square_sum);
}());

// A body may own bodies; its address tells them apart.
constexpr auto outer = [](kt::dvector x) { return 2 * apply(x, square_sum); };
constexpr auto outer_of_other = [](kt::dvector x) { return 2 * apply(x, other); };
static_assert(body_of(outer) == body_of(outer));
static_assert(body_of(outer).address() != body_of(outer_of_other).address());
static_assert([] {
  kt::graph const g = traced([](kt::dvector x) { return apply(x, outer); });
  kt::graph const& body = g.body(g.bodies()[0].address());
  return g.bodies().size() == 1 && body.bodies().size() == 1 && body.bodies()[0] == body_of(square_sum);
}());

// An error inside is an error.
static_assert(traced([](kt::dvector x) {
                return apply(x, [](kt::dvector y) {
                  y.of->fail("wrong inside");
                  return exp(y);
                });
              }).error() == "wrong inside");

// Graphs that are made from others have their bodies: here through every pass of the optimizer, which makes of the body what it makes of
// it alone, ...
constexpr bool keeps_body(kt::graph const& g) {
  kt::graph const alone = kt::rewrite::optimize(traced(square_sum), kt::stage::specialize);
  for (int id = 0; id < g.size(); ++id)
    if (g.is<applied>(id)) return g.bodies().size() == 1 && kt::core::computes_the_same(g.body(g.attribute(id, 0)), alone);
  return false;
}
constexpr auto softplus_of_body = [](kt::dvector x) { return log(1 + exp(apply(x + 0.0, square_sum))); };
static_assert(keeps_body(kt::rewrite::optimize(traced(softplus_of_body), kt::stage::specialize)));
// ... until the program is planned, ...
static_assert([] {
  kt::graph const g = kt::functions::prepare(traced(softplus_of_body), kt::stage::specialize, {});
  return g.bodies().empty() && !g.has<applied>() && g.has<kt::op::softplus>() && g.error().empty();
}());
// ... into a graph that has others, and with all results.
static_assert([] {
  kt::graph g = traced([](kt::dvector x) { return apply(x, other); });
  kt::graph inner = traced([](kt::dvector x) { return apply(x, square_sum); });
  inner.results().push_back(inner.parameters()[0]);
  int const argument[] = {g.results()[0]};
  kt::core::list<int> const results = kt::core::splice(g, inner, argument);
  return g.bodies().size() == 2 && results.size() == 2 && g.is<applied>(results[0]) && results[1] == argument[0] &&
         *g[results[0]].op == kt::info<applied> && g.attribute(results[0], 0) == body_of(square_sum).address();
}());

}  // namespace
