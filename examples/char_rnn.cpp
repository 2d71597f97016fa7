// A recurrent network that learns to write licences: an LSTM on the characters of the GPL.
//
//   char_rnn [text file] [steps]
//
// The text is /usr/share/common-licenses/GPL-3 unless another one is given. The exit code is 0 when the perplexity, the number
// of characters between which the network wavers, has fallen below 4, and 77 without a text.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>

#include "terminal.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace kt = kroton;

// cut: model
// `in` has a row for each character. Columns are in four blocks: for the input, forget and output gates, and for new values.
struct lstm : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(lstm, (kt::fmatrix, in), (kt::fmatrix, recurrent), (kt::fvector, bias), (kt::fmatrix, out),
                           (kt::fvector, out_bias));
};

// A step: gates let new values in, and let old ones go. The cell c is what the network remembers, and h what it shows of it.
constexpr auto advance = [](auto x, auto h, auto c, lstm const& p) {
  auto [in, forget, out, values] = split<4>(x + dot(h, p.recurrent) + p.bias, kt::axis<-1>);
  auto new_c = sigmoid(forget) * c + sigmoid(in) * tanh(values);
  return std::pair(sigmoid(out) * tanh(new_c), new_c);
};

// A step of Adam on one window of text. Rows of `text` follow each other in time, and each column is a passage of its own.
// The next window goes on from the h and c that this one ends with, but no gradient goes back into the past.
constexpr auto learn = [](kt::lmatrix text, kt::fmatrix h0, kt::fmatrix c0, lstm p, lstm m, lstm v, kt::fscalar count) {
  auto now = text(kt::slice(0, -1)), next = text(kt::slice(1, kt::none));
  auto [h, c] = scan([&](auto x, auto h, auto c) { return advance(x, h, c, p); }, kt::sequences(p.in(now)),
                     kt::outputs_info(h0, c0));
  auto scores = dot(reshape<2>(h, -1, h.shape(2)), p.out) + p.out_bias;
  auto cost = mean(categorical_crossentropy(softmax(scores), flatten(next)));

  auto g = grad(cost, p);
  auto new_m = 0.9f * m + 0.1f * g, new_v = 0.99f * v + 0.01f * (g * g);
  auto rate = 0.003f * sqrt(1 - pow(0.99f, count)) / (1 - pow(0.9f, count));
  auto step = kt::memberwise([&](auto m, auto v) { return rate * m / (sqrt(v) + 1e-8f); }, new_m, new_v);
  return kt::outputs(cost)
      .update(h0, h(-1)).update(c0, c(-1))
      .update(p, p - step).update(m, new_m).update(v, new_v).update(count, count + 1);
};

// The network's own text: each character is drawn from what it expects, and is what it reads next.
constexpr auto compose = [](kt::fvector draws, kt::lscalar first, lstm p) {
  auto silence = zeros<float>(p.recurrent.shape(0));
  auto [h, c, text] = scan(
      [&](auto draw, auto h, auto c, auto last) {
        auto [new_h, new_c] = advance(p.in(last), h, c, p);
        auto chances = softmax(dot(new_h, p.out) + p.out_bias);
        auto chosen = sum(kt::cast<std::int64_t>(cumsum(chances) < draw));
        return std::tuple(new_h, new_c, minimum(chosen, p.out.shape(1) - 1));
      },
      kt::sequences(draws), kt::outputs_info(silence, silence, first));
  return text;
};
// end cut

// ---- the text ------------------------------------------------------------------------------------

struct corpus {
  std::string characters;                // those that occur, in order
  std::vector<std::int64_t> text;        // their positions there

  explicit corpus(std::string const& file) {
    std::ifstream in(file);
    std::string const all{std::istreambuf_iterator<char>(in), {}};
    characters = all;
    std::sort(characters.begin(), characters.end());
    characters.erase(std::unique(characters.begin(), characters.end()), characters.end());
    for (char c : all) text.push_back(static_cast<std::int64_t>(characters.find(c)));
  }
};

// Windows of passages that begin at equal distances: `columns` of them, `steps` characters and the one that follows.
xt::xtensor<std::int64_t, 2> window(corpus const& c, std::size_t begin, std::size_t steps, std::size_t columns) {
  xt::xtensor<std::int64_t, 2> w = xt::xtensor<std::int64_t, 2>::from_shape({steps + 1, columns});
  std::size_t const size = c.text.size();
  for (std::size_t t = 0; t <= steps; ++t)
    for (std::size_t k = 0; k < columns; ++k) w(t, k) = c.text[(begin + t + k * (size / columns)) % size];
  return w;
}

// ---- training ------------------------------------------------------------------------------------

std::mt19937 generator(1);

xt::xtensor<float, 2> noise(std::size_t rows, std::size_t columns, float scale) {
  xt::xtensor<float, 2> x = xt::xtensor<float, 2>::from_shape({rows, columns});
  std::normal_distribution<float> normal(0, scale);
  for (float& v : x) v = normal(generator);
  return x;
}

template <class Writer>
void print_sample(Writer& writer, corpus const& c) {
  xt::xtensor<float, 1> draws = xt::xtensor<float, 1>::from_shape({240});
  std::uniform_real_distribution<float> uniform;
  for (float& v : draws) v = uniform(generator);
  std::string text = "  ";
  for (std::int64_t i : writer(draws, static_cast<std::int64_t>(c.characters.find('\n')))) {
    text += c.characters[static_cast<std::size_t>(i)];
    if (text.back() == '\n') text += "  ";
  }
  std::printf("\n%s\n\n", text.c_str());
}

int main(int argc, char** argv) {
  std::string const file = argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3";
  int const steps = argc > 2 ? std::atoi(argv[2]) : 3000;
  corpus const c(file);
  if (c.text.size() < 10000 || c.characters.find('\n') == std::string::npos) {
    std::printf("%s is missing or too short. Give another text: char_rnn FILE\n", file.c_str());
    return 77;
  }
  std::size_t const kinds = c.characters.size(), n = 128, time = 32, columns = 32;
  example::heading("An LSTM of " + std::to_string(n) + " units reads " + file + ": " + std::to_string(c.text.size()) +
                   " characters, " + std::to_string(kinds) + " different ones");

  // cut: use
  auto zeros = [](auto... extents) { return xt::zeros<float>({extents...}); };
  kt::shared<lstm> p(noise(kinds, 4 * n, 0.1f), noise(n, 4 * n, 0.08f), zeros(4 * n), noise(n, kinds, 0.08f), zeros(kinds));
  kt::shared<lstm> m(zeros(kinds, 4 * n), zeros(n, 4 * n), zeros(4 * n), zeros(n, kinds), zeros(kinds)), v(m.get_value());
  kt::shared<float, 2> h(zeros(columns, n)), cell(zeros(columns, n));
  kt::shared<float, 0> count(1.f);
  auto train = kt::function(learn, h, cell, p, m, v, count);
  auto writer = kt::function(compose, p);
  // end cut

  std::chrono::duration<double> spent{};
  double cost = std::log(static_cast<double>(kinds));
  for (int i = 1; i <= steps; ++i) {
    auto const text = window(c, static_cast<std::size_t>(i - 1) * time, time, columns);
    auto const begin = std::chrono::steady_clock::now();
    double const now = static_cast<double>(train(text));
    spent += std::chrono::steady_clock::now() - begin;
    cost = i == 1 ? now : 0.95 * cost + 0.05 * now;
    example::progress(i, steps, "perplexity", std::exp(cost));
    if (i == steps / 20 || i == steps / 4 || i == steps) print_sample(writer, c);
  }
  std::printf("  %.1f milliseconds a step of %zu characters\n\n", 1e3 * spent.count() / steps, time * columns);
  return std::exp(cost) < 4 ? 0 : 1;
}
