// A hidden Markov model as a loop: a casino that changes dice, found out by the gradients of the likelihood.
//
//   hidden_markov
//
// The exit code is 0 when every probability is found within 0.03, and the die in use is known in four rolls of five.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "terminal.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

namespace kt = kroton;
using matrix = xt::xtensor<double, 2>;
using vector = xt::xtensor<double, 1>;
using rolls = xt::xtensor<std::int64_t, 1>;

// cut: model
// The logarithm of the likelihood of what was seen. A row of `seen` says how likely one observation is in each state, and
// `before` how likely all earlier ones are, with each state as the last. All are logarithms, so nothing underflows.
constexpr auto log_likelihood = [](kt::dmatrix seen, kt::dmatrix log_moves) {
  auto forward = scan(
      [&](kt::dvector now, kt::dvector before) { return now + logsumexp(dimshuffle<0, 'x'>(before) + log_moves, kt::axis<0>); },
      kt::sequences(seen(kt::slice(1, kt::none))), kt::outputs_info(seen(0) - log(seen.shape(1))));
  return logsumexp(forward(-1));
};

// The derivative by the logarithm of a probability is how often its event is expected to have happened. So this is a step of
// the method of Baum and Welch: new probabilities are shares of the expected counts. A row of log_faces is a face of each die.
constexpr auto learn = [](kt::lvector rolls, kt::dmatrix log_moves, kt::dmatrix log_faces) {
  auto likelihood = log_likelihood(log_faces(rolls), log_moves);
  auto [moves, faces] = grad(likelihood, log_moves, log_faces);
  return kt::outputs(likelihood)
      .update(log_moves, log(moves / sum(moves, kt::axis<1>, kt::keepdims)))
      .update(log_faces, log(faces / sum(faces, kt::axis<0>)));
};

// Of one observation, the expected counts are the probabilities of each state at that time.
constexpr auto posterior = [](kt::lvector rolls, kt::dmatrix log_moves, kt::dmatrix log_faces) {
  auto seen = log_faces(rolls);
  return grad(log_likelihood(seen, log_moves), seen);
};
// end cut

// ---- the casino ----------------------------------------------------------------------------------

// Durbin, Eddy, Krogh, Mitchison: Biological sequence analysis. A fair die, and one that shows a six every other time.
matrix const moves{{0.95, 0.05}, {0.10, 0.90}};
matrix const faces{{1 / 6., 0.1}, {1 / 6., 0.1}, {1 / 6., 0.1}, {1 / 6., 0.1}, {1 / 6., 0.1}, {1 / 6., 0.5}};

struct evening {
  rolls faces, dice;
};

evening play(std::size_t count) {
  std::mt19937 random(7);
  auto draw = [&](auto const& probabilities) {
    return std::discrete_distribution<std::int64_t>(probabilities.begin(), probabilities.end())(random);
  };
  evening e{rolls::from_shape({count}), rolls::from_shape({count})};
  std::int64_t die = 0;
  for (std::size_t t = 0; t < count; ++t) {
    e.dice(t) = die;
    e.faces(t) = draw(xt::col(faces, die));
    die = draw(xt::row(moves, die));
  }
  return e;
}

// ---- what it prints ------------------------------------------------------------------------------

void print_evening(evening const& e, matrix const& known, std::size_t first, std::size_t count) {
  static char const* const eighths[] = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string shown, dice, loaded;
  for (std::size_t t = first; t < first + count; ++t) {
    shown += static_cast<char>('1' + e.faces(t));
    dice += e.dice(t) == 1 ? "█" : "·";
    loaded += eighths[std::lround(8 * known(t, 1))];
  }
  std::printf("  rolls    %s\n  loaded   %s   in truth\n           %s   probability, from the rolls alone\n\n", shown.c_str(),
              dice.c_str(), loaded.c_str());
}

bool print_parameter(std::string const& what, double found, double truth) {
  bool const is_near = std::abs(found - truth) < 0.03;
  char text[80];
  std::snprintf(text, sizeof text, "  %-26s %6.3f   in truth %5.3f", what.c_str(), found, truth);
  std::printf("%s\n", (is_near ? example::green(text) : example::red(text)).c_str());
  return is_near;
}

int main() {
  auto const e = play(10000);
  example::heading("A casino with two dice, of which one is loaded: 10000 rolls");

  // A guess: either die tends to stay, and the second one shows more sixes.
  kt::shared log_moves(matrix(xt::log(matrix{{0.8, 0.2}, {0.2, 0.8}})));
  kt::shared log_faces(matrix(
      xt::log(matrix{{1 / 6., 0.15}, {1 / 6., 0.15}, {1 / 6., 0.15}, {1 / 6., 0.15}, {1 / 6., 0.15}, {1 / 6., 0.25}})));
  auto train = kt::function(learn, log_moves, log_faces);
  int const steps = 150;
  std::chrono::duration<double, std::milli> spent{};
  for (int i = 1; i <= steps; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    double const likelihood = train(e.faces);
    spent += std::chrono::steady_clock::now() - begin;
    example::progress(i, steps, "log likelihood", likelihood);
  }
  matrix const seen = xt::log(xt::view(faces, xt::keep(e.faces)));
  double const in_truth = kt::function(log_likelihood)(seen, matrix(xt::log(moves)));
  std::printf("\n  %.1f milliseconds a step; the true model has %.4f\n\n", spent.count() / steps, in_truth);

  matrix const known = kt::function(posterior, log_moves, log_faces)(e.faces);
  print_evening(e, known, 120, 80);

  matrix const found_moves = xt::exp(log_moves.get_value()), found_faces = xt::exp(log_faces.get_value());
  bool good = print_parameter("from fair to loaded", found_moves(0, 1), moves(0, 1));
  good = print_parameter("from loaded to fair", found_moves(1, 0), moves(1, 0)) && good;
  for (std::size_t die : {0u, 1u})
    for (std::size_t face = 0; face < 6; ++face)
      good = print_parameter((die == 0 ? "fair: " : "loaded: ") + std::to_string(face + 1), found_faces(face, die),
                             faces(face, die)) && good;

  std::size_t right = 0;
  for (std::size_t t = 0; t < e.dice.size(); ++t) right += (known(t, 1) > 0.5) == (e.dice(t) == 1);
  double const share = static_cast<double>(right) / static_cast<double>(e.dice.size());
  std::printf("\n  the die in use is known in %.1f %% of the rolls\n\n", 100 * share);
  return good && share > 0.8 ? 0 : 1;
}
