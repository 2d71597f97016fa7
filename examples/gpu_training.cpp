// One source for the CPU and the GPU: a perceptron that learns to tell which of two spirals a point
// lies on. As gpu_training.cpp it is compiled for the CPU, as gpu_training.cu, which includes this
// file, for the GPU; three lines differ.
//
//   gpu_training
//
// The exit code is 0 when it tells more than 95 % of the points.
// SPDX-License-Identifier: BSD-3-Clause
#if defined(__CUDACC__)
#include <kroton/cuda.hpp>
namespace target = kroton::cuda;
#else
#include <kroton/kroton.hpp>
namespace target = kroton;
#endif

#include <cmath>
#include <cstdio>
#include <random>

namespace kt = kroton;
using matrix = xt::xtensor<float, 2>;
using vector = xt::xtensor<float, 1>;

namespace {

constexpr auto hidden = [](kt::fmatrix x, kt::fmatrix w, kt::fvector b) {
  return tanh(dot(x, w) + b);
};

// cut: both
constexpr auto scores = [](kt::fmatrix x, kt::fmatrix w1, kt::fvector b1, kt::fmatrix w2,
                           kt::fvector b2,
                           kt::fvector w3) { return dot(hidden(hidden(x, w1, b1), w2, b2), w3); };
constexpr auto step = [](kt::fmatrix x, kt::fvector y, kt::fmatrix w1, kt::fvector b1,
                         kt::fmatrix w2, kt::fvector b2, kt::fvector w3) {
  auto cost = mean(softplus(-y * scores(x, w1, b1, w2, b2, w3)));  // y is 1 or -1
  auto [g1, h1, g2, h2, g3] = grad(cost, w1, b1, w2, b2, w3);
  auto down = [](auto w, auto g) { return w - 0.3f * g; };
  return kt::outputs(cost)
      .update(w1, down(w1, g1))
      .update(b1, down(b1, h1))
      .update(w2, down(w2, g2))
      .update(b2, down(b2, h2))
      .update(w3, down(w3, g3));
};
// end cut

std::mt19937 generator(5);
matrix random(std::size_t n, std::size_t m) {
  std::normal_distribution<float> normal(0, 1 / std::sqrt(static_cast<float>(n)));
  matrix w(std::array<std::size_t, 2>{n, m});
  for (float& element : w) element = normal(generator);
  return w;
}

}  // namespace

int main() {
  constexpr std::size_t points = 400, units = 24;
  matrix x(std::array<std::size_t, 2>{points, 2});
  vector y(std::array<std::size_t, 1>{points});
  std::normal_distribution<float> noise(0, 0.02f);
  for (std::size_t i = 0; i < points; ++i) {
    float const along = static_cast<float>(i / 2) / 200,
                angle = 6 * along + (i % 2 == 0 ? 0 : 3.14159f);
    x(i, 0) = (0.2f + along) * std::cos(angle) + noise(generator);
    x(i, 1) = (0.2f + along) * std::sin(angle) + noise(generator);
    y(i) = i % 2 == 0 ? 1.f : -1.f;
  }

  // cut: calls
  target::shared<float, 2> w1(3 * random(2, units)), w2(random(units, units));
  target::shared<float, 1> b1(vector(xt::zeros<float>({units}))),
      b2(vector(xt::zeros<float>({units})));
  target::shared<float, 1> w3(vector(xt::row(random(1, units), 0)));
  auto train = target::function(step, w1, b1, w2, b2, w3);
  auto classify = target::function(
      [](kt::fmatrix x, kt::fvector y, kt::fmatrix w1, kt::fvector b1, kt::fmatrix w2,
         kt::fvector b2,
         kt::fvector w3) { return mean(cast<float>(y * scores(x, w1, b1, w2, b2, w3) > 0)); },
      w1, b1, w2, b2, w3);
  float share = 0;
  for (int i = 0; i <= 1000; ++i) {
    auto const cost = train(x, y);
    if (i % 250 != 0) continue;
    share = classify(x, y);
    std::printf("step %4d: cost %.4f, %5.1f %% told apart\n", i,
                static_cast<double>(static_cast<float>(cost)), 100 * static_cast<double>(share));
  }
  // end cut
  return share > 0.95f ? 0 : 1;
}
