// A perceptron that several processes train together: mpirun -n 4 distributed_perceptron. Each rank
// has a part of every batch of digits (examples/data); the gradients are averaged over the ranks.
// Rank 0 trains the same perceptron alone, on whole batches, and compares.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/distributed.hpp>
#include <kroton/kroton.hpp>
#include <xtensor/xcsv.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <vector>

namespace kt = kroton;

// cut: model
struct perceptron : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(perceptron, (kt::dmatrix, W1), (kt::dvector, b1), (kt::dmatrix, W2),
                           (kt::dvector, b2));
};
constexpr auto scores = [](kt::dmatrix x, perceptron p) {
  return dot(tanh(dot(x, p.W1) + p.b1), p.W2) + p.b2;
};
constexpr auto cost_of = [](kt::dmatrix x, kt::lvector y, perceptron p) {
  return mean(categorical_crossentropy(softmax(scores(x, p)), y));
};

// One step of descent on the images of all ranks. Cost and gradients are one message.
constexpr auto step = [](kt::dmatrix x, kt::lvector y, perceptron p) {
  auto own = cost_of(x, y, p);
  auto [cost, gradient] = kt::all_reduce(std::tuple(own, grad(own, p)), kt::mean);
  return kt::outputs(cost).update(p, p - 0.5 * gradient);
};
// end cut

// The same in one process.
constexpr auto step_alone = [](kt::dmatrix x, kt::lvector y, perceptron p) {
  auto cost = cost_of(x, y, p);
  return kt::outputs(cost).update(p, p - 0.5 * grad(cost, p));
};
constexpr auto recognize = [](kt::dmatrix x, perceptron p) {
  return argmax(scores(x, p), kt::axis<1>);
};

constexpr std::size_t pixels = 64, hidden = 48, classes = 10, batch = 60, epochs = 30;

struct digits {
  xt::xtensor<double, 2> x;
  xt::xtensor<std::int64_t, 1> y;

  explicit digits(std::size_t count)
      : x(xt::xtensor<double, 2>::from_shape({count, pixels})),
        y(xt::xtensor<std::int64_t, 1>::from_shape({count})) {}
  /// Those with the numbers which[first], which[first + stride] ... before which[last].
  digits some(std::vector<std::size_t> const& which, std::size_t first, std::size_t last,
              std::size_t stride = 1) const {
    digits part((last - first + stride - 1) / stride);
    for (std::size_t k = 0; k < part.y.size(); ++k) {
      std::size_t const i = which[first + k * stride];
      std::copy_n(x.data() + i * pixels, pixels, part.x.data() + k * pixels);
      part.y(k) = y(i);
    }
    return part;
  }
};
/// Each line of the file has the 64 pixels of an image, from 0 to 16, and the digit.
digits read(char const* path) {
  std::ifstream file(path);
  auto const rows = xt::load_csv<double>(file);
  digits all(rows.shape(0));
  for (std::size_t i = 0; i < all.y.size(); ++i) {
    for (std::size_t k = 0; k < pixels; ++k) all.x(i, k) = rows(i, k) / 16;
    all.y(i) = static_cast<std::int64_t>(rows(i, pixels));
  }
  return all;
}

int main() {
  // cut: ranks
  kt::distributed::communicator world;
  auto const rank = static_cast<std::size_t>(world.rank()),
             ranks = static_cast<std::size_t>(world.size());
  // end cut
  if (batch % ranks != 0) {
    if (rank == 0)
      std::printf("FAILED: batches of %zu images cannot be shared by %zu ranks\n", batch, ranks);
    return 1;
  }
  digits const all = read(KROTON_EXAMPLE_DATA "/digits.csv");
  std::vector<std::size_t> order, held_back;
  for (std::size_t i = 0; i < all.y.size(); ++i) (i % 5 == 4 ? held_back : order).push_back(i);
  digits const unseen = all.some(held_back, 0, held_back.size());

  // cut: weights
  auto noise = [seed = rank + 1](double scale, auto... extents) mutable {
    std::mt19937_64 random(seed += 1000);
    std::normal_distribution<double> normal(0, scale);
    auto a = xt::xtensor<double, sizeof...(extents)>::from_shape({extents...});
    for (double& v : a) v = normal(random);
    return a;
  };
  kt::shared<perceptron> weights(noise(0.1, pixels, hidden), noise(0, hidden),
                                 noise(0.1, hidden, classes), noise(0, classes));
  world.broadcast(weights);  // from rank 0: each rank has made up its own
  auto train = kt::function(step, weights);
  // end cut
  kt::shared<perceptron> weights_alone(weights.get_value());
  auto train_alone = kt::function(step_alone, weights_alone);
  auto read_digits = kt::function(recognize, weights);

  std::mt19937 random(1);  // the same order on all ranks
  double largest_difference = 0, share = 0;
  auto const begin = std::chrono::steady_clock::now();
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    double sum = 0;
    std::size_t steps = 0;
    for (std::size_t i = 0; i + batch <= order.size(); i += batch, ++steps) {
      // cut: part
      digits const part = all.some(order, i + rank, i + batch, ranks);
      double const cost = train(part.x, part.y);  // the mean over all ranks, the same on each
      // end cut
      sum += cost;
      if (rank != 0) continue;
      digits const whole = all.some(order, i, i + batch);
      double const alone = train_alone(whole.x, whole.y);
      largest_difference = std::max(largest_difference, std::abs(cost - alone) / alone);
    }
    if (rank != 0 || epoch % 10 != 0) continue;
    auto const found = read_digits(unseen.x);
    std::size_t right = 0;
    for (std::size_t i = 0; i < found.size(); ++i) right += found(i) == unseen.y(i);
    share = static_cast<double>(right) / static_cast<double>(found.size());
    std::printf("epoch %2zu   cost %.6f   right on digits not seen %.4f\n", epoch,
                sum / static_cast<double>(steps), share);
  }
  if (rank != 0) return 0;
  double const seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%zu ranks, %.1f s; the costs differ from those of one process by at most %.1e\n",
              ranks, seconds, largest_difference);
  return share >= 0.95 && largest_difference < 1e-9 ? 0 : 1;
}
