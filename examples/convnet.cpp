// A convolutional network that reads handwritten digits: two layers of filters, each with a bias,
// an activation and maxima of windows, and a layer of scores. The images are scikit-learn's digits,
// 1,797 of 8 x 8 pixels (examples/data); every fifth is held back, and at least 0.97 of these have
// to be recognized.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>
#include <xtensor/xcsv.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <vector>

namespace kt = kroton;

// cut: model
struct network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(network, (kt::ftensor4, filters1), (kt::fvector, bias1),
                           (kt::ftensor4, filters2), (kt::fvector, bias2), (kt::fmatrix, weights),
                           (kt::fvector, bias3));
};

constexpr auto layer = [](kt::ftensor4 x, kt::ftensor4 filters, kt::fvector bias) {
  return max_pool_2d<2>(
      relu(conv2d(x, filters, kt::border::half) + kt::dimshuffle<'x', 0, 'x', 'x'>(bias)));
};
constexpr auto scores = [](kt::ftensor4 x, network p) {
  auto h = layer(layer(x, p.filters1, p.bias1), p.filters2, p.bias2);
  return dot(kt::reshape<2>(h, x.shape(0), -1), p.weights) + p.bias3;
};

// One step of descent with momentum; y is the digit on each image.
constexpr auto step = [](kt::ftensor4 x, kt::ivector y, kt::fscalar rate, network speed,
                         network p) {
  auto cost = mean(categorical_crossentropy(softmax(scores(x, p)), y));
  auto next = 0.9f * speed - rate * grad(cost, p);
  return kt::outputs(cost).update(speed, next).update(p, p + next);
};
constexpr auto digits = [](kt::ftensor4 x, network p) { return argmax(scores(x, p), kt::axis<1>); };
// end cut

using images = xt::xtensor<float, 4>;
using labels = xt::xtensor<int, 1>;

constexpr std::size_t side = 8, pixels = side * side, batch = 32, epochs = 30;
constexpr std::size_t channels1 = 16, channels2 = 32,
                      features = channels2 * (side / 4) * (side / 4), classes = 10;

struct data {
  images x;
  labels y;

  /// The images with these numbers, from one place in the list to another.
  data some(std::vector<std::size_t> const& which, std::size_t begin, std::size_t end) const {
    data part{images::from_shape({end - begin, 1, side, side}), labels::from_shape({end - begin})};
    for (std::size_t i = begin; i < end; ++i) {
      std::copy_n(x.data() + which[i] * pixels, pixels, part.x.data() + (i - begin) * pixels);
      part.y(i - begin) = y(which[i]);
    }
    return part;
  }
};

/// Each line of the file has the 64 pixels of an image, from 0 to 16, and the digit.
data read(char const* path) {
  std::ifstream file(path);
  auto const rows = xt::load_csv<double>(file);
  std::size_t const count = rows.shape(0);
  data all{images::from_shape({count, 1, side, side}), labels::from_shape({count})};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < pixels; ++k)
      all.x.data()[i * pixels + k] = static_cast<float>(rows(i, k)) / 16;
    all.y(i) = static_cast<int>(rows(i, pixels));
  }
  return all;
}

int main(int count, char** arguments) {
  auto const start = std::chrono::steady_clock::now();
  data const all = read(count > 1 ? arguments[1] : KROTON_EXAMPLE_DATA "/digits.csv");
  std::vector<std::size_t> order, held_back;
  for (std::size_t i = 0; i < all.y.size(); ++i) (i % 5 == 4 ? held_back : order).push_back(i);
  data const unseen = all.some(held_back, 0, held_back.size());

  // cut: use
  std::mt19937 random(1);
  auto noise = [&](float scale, auto... extents) {
    std::normal_distribution<float> normal(0, scale);
    auto a = xt::xtensor<float, sizeof...(extents)>::from_shape({extents...});
    for (float& v : a) v = normal(random);
    return a;
  };
  auto zeros = [&](auto... extents) { return noise(0, extents...); };
  std::size_t const one = 1, three = 3;
  kt::shared<network> p(noise(0.4f, channels1, one, three, three), zeros(channels1),
                        noise(0.1f, channels2, channels1, three, three), zeros(channels2),
                        noise(0.1f, features, classes), zeros(classes));
  kt::shared<network> speed(zeros(channels1, one, three, three), zeros(channels1),
                            zeros(channels2, channels1, three, three), zeros(channels2),
                            zeros(features, classes), zeros(classes));
  auto train = kt::function(step, speed, p);
  auto recognize = kt::function(digits, p);
  // end cut

  auto right = [&](xt::xtensor<std::int64_t, 1> const& found) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < found.size(); ++i) n += found(i) == unseen.y(i) ? 1 : 0;
    return static_cast<double>(n) / static_cast<double>(found.size());
  };
  for (std::size_t epoch = 1; epoch <= epochs; ++epoch) {
    std::shuffle(order.begin(), order.end(), random);
    double cost = 0;
    for (std::size_t i = 0; i + batch <= order.size(); i += batch) {
      data const part = all.some(order, i, i + batch);
      cost += static_cast<double>(train(part.x, part.y, epoch <= epochs / 2 ? 0.05f : 0.01f));
    }
    if (epoch % 5 == 0)
      std::printf("epoch %2zu   cost %.4f   right on digits not seen %.4f\n", epoch,
                  cost / static_cast<double>(order.size() / batch), right(recognize(unseen.x)));
  }

  xt::xtensor<std::int64_t, 1> const found = recognize(unseen.x);
  std::array<std::array<int, classes>, classes> confusion{};
  for (std::size_t i = 0; i < found.size(); ++i)
    ++confusion[static_cast<std::size_t>(unseen.y(i))][static_cast<std::size_t>(found(i))];
  std::printf("\nrows: the digit; columns: what it is taken for\n");
  for (std::size_t digit = 0; digit < classes; ++digit) {
    std::printf("%zu ", digit);
    for (int n : confusion[digit]) n == 0 ? std::printf("    .") : std::printf(" %4d", n);
    std::printf("\n");
  }

  std::printf("\nthe first filters\n");
  auto const filters = kt::get<&network::filters1>(p.get_value());
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < channels1; ++k) {
      for (std::size_t column = 0; column < 3; ++column) {
        float const w = filters(k, 0, row, column);
        std::printf("%s", w > 0.5f     ? "##"
                          : w > 0.15f  ? "++"
                          : w < -0.5f  ? "=="
                          : w < -0.15f ? "--"
                                       : "  ");
      }
      std::printf("  ");
    }
    std::printf("\n");
  }
  double const share = right(found);
  std::printf("\n%.4f right, %.1f s\n", share,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return share >= 0.97 ? 0 : 1;
}
