// What has more operands, outputs or parts than there is room for.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake four_operands: kt::elementwise: an op has one to three operands
namespace four_operands {
struct products : kt::elementwise<"products", 4> {
  template <class R>
  static R value(R a, R b, R c, R d) {
    return a * b + c * d;
  }
};
auto f = kt::function([](kt::dvector a, kt::dvector b) { return kt::call<products>(a, b, a, b); });
}

namespace mapped_operands {
struct joined : kt::operation<"joined", -1> {
  static constexpr kt::tensor_type type(kt::core::application const&) { return {kt::element::float64, 0, 0}; }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int) { return {}; }
  static void run(kt::core::invocation const&) {}
};
// mistake mapped_operands: kt::vmap: an op with more than 16
constexpr auto join = [](kt::dscalar x) {
  kt::core::list<int> const operands(70, x.id);
  return kt::dscalar(kt::term{x.of, x.of->apply(kt::core::identity<joined>(), operands)});
};
auto f = kt::function([](kt::dvector x) { return kt::vmap(join)(x); });
}

// mistake rank_in_vmap: kt: with its batch axes an array
namespace rank_in_vmap {
constexpr auto total = [](kt::dscalar v) { return sum(v + kt::zeros<double>(1, 2, 1, 2, 1, 2, 1, 2)); };
auto f = kt::function([](kt::dvector x) { return kt::vmap<0>(total)(x); });
}

// mistake many_ids: kt::rule: a rule has at most eight catalogue ids
namespace many_ids {
auto line = kt::rule<"ids">([](auto x) { return sin(x) >> x; }).id("a", "b", "c", "d", "e", "f", "g", "h", "i");
}
