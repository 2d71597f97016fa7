// Loops of a band that one launch takes row by row, compiled for the GPU: without spills always, and
// compared with the CPU where there is a GPU.
// SPDX-License-Identifier: BSD-3-Clause
#include "compare.hpp"

namespace kt = kroton;
using namespace kroton;
using namespace gpu_tests;

namespace {

constexpr auto normalized = [](auto x) {
  auto centred = x - mean(x, kt::axis<1>, kt::keepdims);
  return centred / sqrt(mean(sqr(centred), kt::axis<1>, kt::keepdims) + 1e-5f);
};

void rows() {
  for (std::size_t n : {1, 7, 3000})
    for (std::size_t m : {1, 5, 36, 128, 1000, 8192}) {
      if (n * m > 4000000) continue;
      agree(
          "softmax", [](kt::fmatrix x) { return std::tuple(softmax(x), log_softmax(x)); },
          xt::xtensor<float, 2>(xt::cast<float>(grid(n, m))));
      agree(
          "layer normalization", [](kt::dmatrix x) { return normalized(x); }, grid(n, m));
    }
  // A bias is the same for all rows.
  agree(
      "softmax of a layer",
      [](kt::fmatrix x, kt::fmatrix w, kt::fvector b) { return softmax(dot(x, w) + b); },
      xt::xtensor<float, 2>(xt::cast<float>(grid(2000, 20))),
      xt::xtensor<float, 2>(xt::cast<float>(grid(20, 100))),
      xt::xtensor<float, 1>(xt::cast<float>(ramp(100))));
  agree(
      "rows by their first half",
      [](kt::dmatrix x) {
        auto half = x(kt::slice(), kt::slice(0, 64));
        return x / sum(exp(half), kt::axis<1>, kt::keepdims);
      },
      grid(3000, 128));
  agree(
      "softmax of three axes", [](kt::dtensor3 x) { return softmax(x); },
      xt::xtensor<double, 3>(xt::reshape_view(grid(60, 20), {20, 3, 20})));
  agree(
      "gradient of softmax",
      [](kt::dmatrix x, kt::dmatrix g) { return lop(softmax(x), x, g); }, grid(700, 36),
      grid(700, 36));
}

}  // namespace

int main() { return run_all({rows}, {}); }
