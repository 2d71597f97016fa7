// Structs with sparse members: their gradients, updates and values.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include <boost/hana/define_struct.hpp>

#include "run/reference.hpp"

using namespace reference;
using I = std::size_t;

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::csr<double>, w), (kt::dvector, b));
};

}  // namespace

TEST_CASE("structs with sparse members", "[sparse]") {
  kt::csr_array<double> const w(std::vector{1., 2., -1.}, std::vector{0, 2, 1},
                                std::vector{0, 2, 3}, {2, 3});
  kt::shared<layer> weights(w, vec<double>{0.5, 1});
  auto step = kt::function(
      [](kt::dvector x, layer p) {
        auto cost = sum(sqr(dot(p.w, x) + p.b));
        auto g = grad(cost, p);
        return kt::outputs(cost, g).update(p, p - 0.1 * g);
      },
      weights, kt::mode::interpret);
  vec<double> const x{1, -1, 2};
  // y = (5, 1) + (0.5, 1)
  auto const [cost, g] = step(x);
  CHECK(cost == 5.5 * 5.5 + 2 * 2);
  auto const [by_w, by_b] = g;
  CHECK((by_w.data() == vec<double>{11, 22, -4}));
  CHECK((by_w.indices() == w.indices()));
  CHECK((by_b == vec<double>{11, 4}));
  auto const next = weights.get_value();
  CHECK(mismatch(kt::get<&layer::w>(next).data(),
                 [&, &by = by_w](I k) { return w.data()(k) - 0.1 * by.data()(k); }, 1e-15) == "");
  CHECK(kt::get<&layer::w>(next).shape() == w.shape());
}
