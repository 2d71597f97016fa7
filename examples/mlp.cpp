// A perceptron with one hidden layer (784-500-10) whose weights travel as one struct: through the gradient, the updates, and a
// file that NumPy reads. The images are made up: ten patterns, with noise.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>
#include <kroton/npz.hpp>

#include <cmath>
#include <cstdio>

namespace kt = kroton;

// cut: model
struct mlp : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(mlp, (kt::fmatrix, W1), (kt::fvector, b1), (kt::fmatrix, W2), (kt::fvector, b2));
};

constexpr auto scores = [](kt::fmatrix x, mlp p) { return dot(tanh(dot(x, p.W1) + p.b1), p.W2) + p.b2; };

// One step of descent with momentum; y has a 1 in each row, at the image's class.
constexpr auto step = [](kt::fmatrix x, kt::fmatrix y, mlp speed, mlp p) {
  auto cost = -mean(sum(y * log_softmax(scores(x, p)), kt::axis<1>));
  auto next = 0.9 * speed - 0.02 * grad(cost, p);              // the gradient is again an mlp
  return kt::outputs(cost).update(speed, next).update(p, p + next);
};

// The share of images whose class has the highest score.
constexpr auto accuracy = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  auto s = scores(x, p);
  return mean(cast<double>(sum(y * s, kt::axis<1>) >= max(s, kt::axis<1>)));
};
// end cut

constexpr std::size_t pixels = 784, hidden = 500, classes = 10, batch = 100;
using matrix = xt::xtensor<float, 2>;

matrix noise(std::size_t rows, std::size_t columns, double scale) {
  return xt::cast<float>(scale * xt::random::randn<double>({rows, columns}));
}

// Images of all classes in turn: the pattern of the class and noise.
matrix images(matrix const& patterns) {
  matrix x = noise(batch, pixels, 3.0);
  for (std::size_t i = 0; i < batch; ++i) xt::view(x, i) += xt::view(patterns, i % classes);
  return x;
}

bool train_and_save() {
  xt::random::seed(1);
  matrix const patterns = noise(classes, pixels, 1.0);
  matrix y = xt::zeros<float>({batch, classes});
  for (std::size_t i = 0; i < batch; ++i) y(i, i % classes) = 1;

  // cut: use
  auto zeros = [](auto... extents) { return xt::zeros<float>({extents...}); };
  kt::shared<mlp> weights(noise(pixels, hidden, 0.03), zeros(hidden), noise(hidden, classes, 0.03), zeros(classes));
  kt::shared<mlp> speed(zeros(pixels, hidden), zeros(hidden), zeros(hidden, classes), zeros(classes));
  auto train = kt::function(step, speed, weights);
  auto test = kt::function(accuracy, weights);
  // end cut

  matrix const unseen = images(patterns);
  double const before = test(unseen, y);
  for (int i = 1; i <= 60; ++i) {
    float const cost = train(images(patterns), y);
    if (i % 20 != 0) continue;
    std::printf("step %2d   cost %6.4f   accuracy on images not seen %.2f\n", i, static_cast<double>(cost), test(unseen, y));
  }
  double const after = test(unseen, y);

  // cut: file
  weights.save("mlp.npz");                                     // NumPy reads it: numpy.load("mlp.npz")["W1"]
  kt::values<mlp> v;
  v.load("mlp.npz");
  auto [W1, b1, W2, b2] = v;                                   // arrays, like kt::get<&mlp::W1>(v)
  kt::shared<mlp> again(v);
  // end cut
  std::remove("mlp.npz");
  bool const same = kt::function(accuracy, again)(unseen, y) == after && W1 == kt::get<&mlp::W1>(weights.get_value());
  return before < 0.4 && after > 0.9 && same && b1.size() == hidden && W2.size() == hidden * classes && b2.size() == classes;
}

int main() {
  if (!train_and_save()) {
    std::puts("FAILED: the perceptron has not learnt the patterns, or has not come back from its file");
    return 1;
  }
}
