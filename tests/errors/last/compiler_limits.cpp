// A program for which the compiler's limits on constant evaluation are too low: a short one, with limits to match.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// flags g++: -fconstexpr-ops-limit=2000000
// flags clang: -fconstexpr-steps=300000
// mistake network, after others: a long program may need larger limits: -fconstexpr-steps (clang), -fconstexpr-ops-limit
#if defined(MISTAKE_network)
auto f = kt::function([](kt::dmatrix x, kt::dvector w, kt::dvector y) {
  auto h = w;
  for (int layer = 0; layer < 12; ++layer) h = tanh(dot(x, h) + y);
  return grad(sum(sqr(h - y)), w);
});
#endif
