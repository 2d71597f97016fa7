// Extents that are known outside of a loop, in the plan of its body, and chains whose order they
// tell, seen in the compiler.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

template <class F, class... P>
constexpr kt::graph prepared() {
  kt::graph g = kt::freeze::trace<F, P...>();
  kt::ops::collect_constraints(g);
  return kt::mode::fast_run.prepare(g);
}
template <class Op>
constexpr int count(kt::graph const& g) {
  auto const live = g.live();
  int found = 0;
  for (int id = 0; id < g.size(); ++id) found += live[id] && g.is<Op>(id) ? 1 : 0;
  return found;
}
/// The body of the first loop.
constexpr kt::graph body_of(kt::graph const& g) {
  int scan = 0;
  while (!g.is<kt::op::scan>(scan)) ++scan;
  return kt::graph(g.body(g.attribute(scan, 0)));
}
/// How many axes of the parameters of a body are numbers.
constexpr int known_axes(kt::graph body) {
  kt::ops::extent_classes classes;
  for (auto const& c : body.constraints())
    if (c.kind == kt::core::condition::equal) classes.unite(body, c.left, c.right);
  int known = 0;
  for (int p : body.parameters())
    for (int d = 0; d < body.type(p).rank; ++d)
      known += body.is_literal(classes.find(kt::ops::extent_node(body, p, d))) ? 1 : 0;
  return known;
}

using M3 = kt::fixed<double, 3, 3>;
using V3 = kt::fixed<double, 3>;

// ---- what is known of a start, of a non-sequence, of the rows of a sequence, and of what follows
// from them
struct stepped {
  constexpr auto operator()(auto x, auto w, auto s) const {
    return scan([&](auto e, auto s) { return dot(w, s) + e; }, kt::sequences(x),
                kt::outputs_info(s));
  }
};
static_assert(known_axes(body_of(prepared<stepped, kt::dmatrix, kt::dmatrix, kt::dvector>())) == 0);
// The matrix is nine numbers in the body then.
static_assert(known_axes(body_of(prepared<stepped, kt::dmatrix, M3, kt::dvector>())) == 2);
static_assert(known_axes(body_of(prepared<stepped, kt::dmatrix, kt::dmatrix, V3>())) == 2);
static_assert(known_axes(body_of(
                  prepared<stepped, kt::fixed<double, 1000, 3>, kt::dmatrix, kt::dvector>())) == 2);

struct from_zeros {
  constexpr auto operator()(kt::dmatrix x) const {
    return scan([](auto e, auto s) { return tanh(s) + e; }, kt::sequences(x),
                kt::outputs_info(kt::zeros<double>(3)));
  }
};
static_assert(known_axes(body_of(prepared<from_zeros, kt::dmatrix>())) == 2);

struct nested {
  constexpr auto operator()(kt::dmatrix x, V3 s) const {
    return scan(
        [](auto e, auto s) {
          return scan([](auto s) { return tanh(s) / 2; }, kt::outputs_info(s),
                      kt::n_steps(cast<std::int64_t>(sum(e))))(-1);
        },
        kt::sequences(x), kt::outputs_info(s));
  }
};
static_assert(known_axes(body_of(body_of(prepared<nested, kt::dmatrix, V3>()))) == 1);

// ---- chains
struct spread {
  constexpr auto operator()(auto F, auto P) const { return dot(F, dot(P, F.T())); }
};
// Both orders take as long: m x n, n x n, n x m.
static_assert(count<kt::op::product_chain>(prepared<spread, kt::dmatrix, kt::dmatrix>()) == 0);
struct through {
  constexpr auto operator()(auto F, auto P, auto G) const { return dot(F, dot(P, G)); }
};
static_assert(
    count<kt::op::product_chain>(prepared<through, kt::dmatrix, kt::dmatrix, kt::dmatrix>()) == 1);
using M8 = kt::fixed<double, 8, 8>;
static_assert(count<kt::op::dot>(prepared<spread, M8, M8>()) == 2);
struct square {
  constexpr auto operator()(kt::dmatrix F, kt::dmatrix P) const {
    return dot(F, dot(P, F.T())) + P;
  }
};
static_assert(count<kt::op::product_chain>(prepared<square, kt::dmatrix, kt::dmatrix>()) == 0);
struct to_vector {
  constexpr auto operator()(kt::dmatrix a, kt::dmatrix b, kt::dmatrix c, kt::dvector v) const {
    return dot(dot(dot(a, b), c), v);
  }
};
static_assert(count<kt::op::dot>(
                  prepared<to_vector, kt::dmatrix, kt::dmatrix, kt::dmatrix, kt::dvector>()) == 3);
struct from_vector {
  constexpr auto operator()(kt::dmatrix a, kt::dmatrix b, kt::dvector v) const {
    return dot(v, dot(a, b));
  }
};
static_assert(count<kt::op::dot>(prepared<from_vector, kt::dmatrix, kt::dmatrix, kt::dvector>()) ==
              2);
struct between_vectors {
  constexpr auto operator()(kt::dmatrix a, kt::dmatrix b, kt::dvector v, kt::dvector w) const {
    return dot(dot(v, a), dot(b, w));
  }
};
static_assert(count<kt::op::product_chain>(prepared<between_vectors, kt::dmatrix, kt::dmatrix,
                                                    kt::dvector, kt::dvector>()) == 1);
struct rectangles {
  constexpr auto operator()(auto a, auto b, auto c) const { return dot(dot(a, b), c); }
};
// (2 x 24) (24 x 3) (3 x 24): from the left, 144 + 144 multiplications instead of 1728 + 1152
constexpr bool is_from_left = [] {
  kt::graph const g = prepared<rectangles, kt::fixed<double, 2, 24>, kt::fixed<double, 24, 3>,
                               kt::fixed<double, 3, 24>>();
  return g.is<kt::op::dot>(g.input_of(g.results()[0], 0));
}();
static_assert(is_from_left);
constexpr bool is_from_right = [] {
  kt::graph const g = prepared<rectangles, kt::fixed<double, 24, 3>, kt::fixed<double, 3, 24>,
                               kt::fixed<double, 24, 2>>();
  return g.is<kt::op::dot>(g.input_of(g.results()[0], 1));
}();
static_assert(is_from_right);

}  // namespace
