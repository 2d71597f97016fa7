// Ops without a gradient: by nature it is 0, else a gradient that needs it is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/catalogue/table.hpp>
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

using namespace reference;
namespace core = kt::core;
namespace mp11 = boost::mp11;

namespace {

struct step : kt::elementwise<"step", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return kt::math::select(kt::math::gt(x, R(0)), R(1), R(0));
  }
  static constexpr auto pullback = kt::no_gradient;
};
constexpr auto heaviside = [](auto x) { return kt::call<step>(x); };

/// x - 1, of which nobody says what its gradient is.
struct less : kt::elementwise<"less", 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x - R(1);
  }
};
constexpr auto bare = [](auto x) { return kt::call<less>(x); };

/// The position of the first element of each vector, an op that runs slice by slice.
struct first_row : kt::operation<"first_row", 1> {
  static constexpr kt::tensor_type type(core::application const& a) { return a.input(0); }
  static constexpr core::extent_source extent(core::application const&, int d) { return {core::extent_source::dimension, 0, d}; }
  static constexpr auto pullback = kt::no_gradient;
  static void run(core::invocation const& call) {
    for (std::ptrdiff_t i = 0; i < call.result().extents[0]; ++i) reinterpret_cast<double*>(call.result().data)[i] = 7;
  }
};
constexpr auto sevens = [](kt::dvector x) { return kt::dvector({x.of, x.of->apply<first_row>({x.id})}); };

constexpr auto pair_of = [](kt::dscalar a, kt::dscalar b) {
  int const inputs[] = {a.of->literal(2, kt::element::int64), a.id, b.id};
  return kt::dvector({a.of, a.of->apply(core::identity<kt::op::make_vector>(), inputs)});
};
constexpr auto weighed_pair = [](kt::dscalar a, kt::dscalar b) {
  auto const both = pair_of(a * b, sin(b));
  return sum(both * both * both) + both(1);
};

}  // namespace

TEST_CASE("an op that has no gradient by nature counts as constant", "[grad]") {
  auto const f = kt::function([](kt::dvector x) {
    return std::tuple(grad(sum(heaviside(x) + x * x), x), grad(sum(heaviside(x)), x), grad(sum(x * heaviside(x)), x), jacobian(heaviside(x) * x, x),
                      grad(sum(sevens(x) * x), x), rop(heaviside(x) + x, x, x));
  });
  auto const [both, alone, product, matrix, own, forward] = f(vec<double>{-1, 0.5, 2});
  CHECK((both == vec<double>{-2, 1, 4}));
  CHECK((alone == vec<double>{0, 0, 0}));
  CHECK((product == vec<double>{0, 1, 1}));
  CHECK((matrix == mat<double>{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  CHECK((own == vec<double>{7, 7, 7}));
  CHECK((forward == vec<double>{-1, 0.5, 2}));
}

TEST_CASE("slices of an op without a gradient have none", "[grad]") {
  auto const f = kt::function([](kt::dmatrix x) { return grad(sum(kt::vmap<0>(sevens)(x) * x), x); });
  CHECK((f(mat<double>{{1, 2}, {3, 4}}) == mat<double>{{7, 7}, {7, 7}}));
}

TEST_CASE("rounding and signs have the gradient 0 next to infinite ones", "[grad]") {
  auto const f = kt::function(
      [](kt::dvector x) {
        return std::tuple(grad(sum(sqrt(floor(x))), x), grad(sum(log(sgn(x))), x), grad(sum(sqrt(pow(x, 0) - 1)), x), grad(sum(log(angle(x))), x));
      },
      kt::mode::ieee);
  auto const [rounded, sign, power, angle] = f(vec<double>{0.25, 0.0});
  CHECK((rounded == vec<double>{0, 0}));
  CHECK((sign == vec<double>{0, 0}));
  CHECK((power == vec<double>{0, 0}));
  CHECK((angle == vec<double>{0, 0}));
}

TEST_CASE("an op without a gradient does no harm where none is needed", "[grad]") {
  auto const f = kt::function([](kt::dvector x, kt::dvector y) {
    auto const through_integers = cast<double>(cast<std::int64_t>(bare(x)));
    return std::tuple(grad(sum(bare(y) * x), x), grad(sum(stop_gradient(bare(x)) * x), x), grad(sum(where(bare(x) > 0, x, 2 * x)), x),
                      grad(sum(through_integers * x), x), grad(sum(bare(x)), bare(x)));
  });
  auto const [constant, stopped, condition, integers, itself] = f(vec<double>{1.5, 0.5}, vec<double>{3, 4});
  CHECK((constant == vec<double>{2, 3}));
  CHECK((stopped == vec<double>{0.5, -0.5}));
  CHECK((condition == vec<double>{1, 2}));
  CHECK((integers == vec<double>{0, 0}));
  CHECK((itself == vec<double>{1, 1}));
}

TEST_CASE("recorded at run time, a gradient that is not written is an error that names the op", "[grad]") {
  kt::runtime::graph g;
  auto x = g.input<double, 1>("x");
  std::string said;
  try {
    auto f = g.function({x}, kt::grad(sum(bare(x) + x), x));
  } catch (kt::error const& e) {
    said = e.what();
  }
  CHECK(said.find("the gradient of less is needed but not defined") != std::string::npos);
}

TEST_CASE("the gradient of a vector of scalars goes to each of them", "[grad]") {
  CHECK(kt::verify_grad(weighed_pair, 0.7, -1.2));
}

TEST_CASE("every built-in op says what its gradient is", "[grad]") {
  using namespace kt::op;
  using all = mp11::mp_append<elementwise_ops, reduction_ops, view_ops, indexing_ops, creation_ops, normalizing_ops, order_ops, product_ops, diagonal_ops,
                              linear_algebra_ops, mp11::mp_list<alloc, item, extent_of, first_equal, whole, lane>>;
  mp11::mp_for_each<all>([]<class Op>(Op) {
    INFO(Op::name);
    CHECK(kt::info<Op>.unwritten_gradient.empty());
  });
}
