// A variational autoencoder learns what handwritten digits look like, and draws new ones (Kingma
// and Welling, Auto-Encoding Variational Bayes, 2014). The images are scikit-learn's digits, 1,797
// of 8 x 8 pixels (examples/data).
//
// All random numbers are Kroton's: weights to begin with, dropout, the noise of the code, and the
// codes of new digits. They are the same in every run. The exit code is 0 when the bound has fallen
// far enough and learning once more from the same seed repeats it exactly.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>
#include <xtensor/xcsv.hpp>
#include <xtensor/xview.hpp>

#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace kt = kroton;
using matrix = xt::xtensor<float, 2>;

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::fmatrix, w), (kt::fvector, b));
};
// The encoder says where the code of an image is, and how exactly it is known; the decoder says how
// bright each pixel is. Rows are images.
struct autoencoder : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(autoencoder, (layer, seen), (layer, middle), (layer, spread),
                           (layer, told), (layer, drawn));
};
constexpr auto through = [](kt::fmatrix x, layer l) { return dot(x, l.w) + l.b; };
constexpr auto decode = [](kt::fmatrix code, autoencoder p) {
  return through(tanh(through(code, p.told)), p.drawn);  // log odds
};

// Weights to begin with. Braces: C++ evaluates what stands between them from left to right.
constexpr std::int64_t pixels = 64, hidden = 128, code = 8;
constexpr auto begin = [](kt::rng r) {
  auto made = [&](std::int64_t n, std::int64_t m, double scale) {
    return layer{
        {}, r.normal<float>(0, scale, kt::size(n, m)), r.normal<float>(0, 0.1, kt::size(m))};
  };
  return autoencoder{{},
                     made(pixels, hidden, 0.125),
                     made(hidden, code, 0.1),
                     made(hidden, code, 0.1),
                     made(code, hidden, 0.35),
                     made(hidden, pixels, 0.1)};
};

// cut: bound
// The bound on -log p(x) for a batch: how badly the decoder describes the images, and how far their
// codes are from normal ones. A code is drawn as mean + deviation * noise, through which the
// gradient passes.
constexpr auto bound = [](kt::fmatrix x, autoencoder p, kt::rng r) {
  auto kept = where(r.uniform<float>(x.shape(0), x.shape(1)) < 0.9f, x / 0.9f, 0.f);
  auto h = tanh(through(kept, p.seen));
  auto mu = through(h, p.middle), log_sigma = through(h, p.spread);
  auto logits = decode(mu + exp(log_sigma) * r.normal<float>(mu.shape(0), mu.shape(1)), p);
  auto missed = sum(softplus(logits) - x * logits, kt::axis<1>);
  auto far = sum(0.5f * (sqr(mu) + exp(2 * log_sigma) - 1) - log_sigma, kt::axis<1>);
  return mean(missed + far);
};
// end cut

// A step of Adam.
constexpr auto step = [](kt::fmatrix x, kt::rng r, autoencoder p, autoencoder m, autoencoder v,
                         kt::fscalar count) {
  auto cost = bound(x, p, r);
  auto g = grad(cost, p);
  auto new_m = 0.9f * m + 0.1f * g, new_v = 0.999f * v + 0.001f * (g * g);
  auto rate = 0.003f * sqrt(1 - pow(0.999f, count)) / (1 - pow(0.9f, count));
  auto change =
      kt::memberwise([&](auto m, auto v) { return rate * m / (sqrt(v) + 1e-8f); }, new_m, new_v);
  return kt::outputs(cost)
      .update(p, p - change)
      .update(m, new_m)
      .update(v, new_v)
      .update(count, count + 1);
};

// New digits: codes that are drawn, decoded.
constexpr auto imagine = [](kt::lscalar n, kt::rng r, autoencoder p) {
  return sigmoid(decode(r.normal<float>(n, p.told.w.shape(0)), p));
};

constexpr std::size_t side = 8, batch = 64;

/// Images next to each other, a character for each pixel.
void print(matrix const& images) {
  for (std::size_t row = 0; row < side; ++row) {
    std::string line = "  ";
    for (std::size_t i = 0; i < images.shape(0); ++i) {
      for (std::size_t column = 0; column < side; ++column)
        line +=
            std::string(2, " .:-=+*#%@"[static_cast<int>(9.9f * images(i, row * side + column))]);
      line += "  ";
    }
    std::printf("%s\n", line.c_str());
  }
}

/// The mean of the bound in each epoch; new digits are printed if so asked.
std::vector<double> learn(matrix const& x, int epochs, bool prints) {
  kt::philox_streams stream(1);
  kt::values<autoencoder> const first = kt::function(begin, stream)();
  kt::values<autoencoder> const none = kt::function([](autoencoder p) { return 0.f * p; })(first);
  kt::shared<autoencoder> p(first), m(none), v(none);
  kt::shared<float, 0> count(1.f);
  auto train = kt::function(step, stream, p, m, v, count);
  auto imagined = kt::function(imagine, stream, p);
  auto order = kt::function([](kt::lscalar n, kt::rng r) { return r.permutation(n); }, stream);

  std::vector<double> costs;
  std::size_t const n = x.shape(0);
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    xt::xtensor<std::int64_t, 1> const which = order(static_cast<std::int64_t>(n));
    double cost = 0;
    matrix part(std::array{batch, side * side});
    for (std::size_t i = 0; i + batch <= n; i += batch) {
      for (std::size_t k = 0; k < batch; ++k) std::copy_n(&x(which(i + k), 0), pixels, &part(k, 0));
      cost += static_cast<double>(train(part));
    }
    costs.push_back(cost / static_cast<double>(n / batch));
    if (prints) example::progress(epoch, epochs, "bound", costs.back());
    if (prints && (epoch == 1 || epoch == epochs))
      std::printf("\n"), print(imagined(6)), std::printf("\n");
  }
  return costs;
}

int main() {
  std::ifstream file(KROTON_EXAMPLE_DATA "/digits.csv");
  auto const rows = xt::load_csv<double>(file);
  matrix const x = xt::cast<float>(xt::view(rows, xt::all(), xt::range(0, pixels))) / 16.f;
  example::heading("A variational autoencoder: 64 pixels, a code of 8 numbers, 64 pixels");
  auto const start = std::chrono::steady_clock::now();
  auto const costs = learn(x, 200, true);
  std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - start;
  example::draw(costs, "epochs");
  bool const repeats = learn(x, 1, false).front() == costs.front();
  std::printf("\n  %.1f s; from the same seed the same numbers: %s\n\n", spent.count(),
              repeats ? "yes" : "no");
  return costs.back() < 0.75 * costs.front() && repeats ? 0 : 1;
}
