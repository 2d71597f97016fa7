// Which licence is a paragraph from? Logistic regression on the words that occur in it: a sparse
// matrix with a row for each paragraph and a column for each word.
//
//   licence_texts [folder of texts]
//
// The texts are those of /usr/share/common-licenses. Every fifth paragraph is held back, and at
// least 0.75 of these have to be recognized; the exit code is 77 without the texts.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include "terminal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace kt = kroton;

// cut: model
// Counts of words become weights: a word that occurs twice does not say twice as much, and long
// paragraphs have no more to say than short ones. The logarithm keeps the zeros, and so does the
// division of each row by its length.
constexpr auto weights = [](kt::csr<double> counts) {
  auto w = log1p(counts);
  auto length = sqrt(sum(sqr(w), kt::axis<1>));
  return w / kt::dimshuffle<0, 'x'>(length);
};
constexpr auto scores = [](kt::csr<double> words, kt::dmatrix w, kt::dvector b) {
  return dot(words, w) + b;
};

// A step of descent with momentum; y is the number of the licence.
constexpr auto step = [](kt::csr<double> words, kt::lvector y, kt::dmatrix speed_w,
                         kt::dvector speed_b, kt::dmatrix w, kt::dvector b) {
  auto cost = mean(categorical_crossentropy(softmax(scores(words, w, b)), y)) + 1e-5 * sum(sqr(w));
  auto [gw, gb] = grad(cost, w, b);
  auto next_w = 0.9 * speed_w - 2.0 * gw;
  auto next_b = 0.9 * speed_b - 2.0 * gb;
  return kt::outputs(cost)
      .update(speed_w, next_w)
      .update(speed_b, next_b)
      .update(w, w + next_w)
      .update(b, b + next_b);
};
constexpr auto recognize = [](kt::csr<double> words, kt::dmatrix w, kt::dvector b) {
  return argmax(scores(words, w, b), kt::axis<1>);
};
// end cut

constexpr std::array licences{"Apache-2.0", "Artistic", "CC0-1.0", "GFDL-1.3",
                              "GPL-3",      "LGPL-2.1", "MPL-1.1"};

/// Paragraphs as numbers of words, row by row, and the licence that each is from.
struct paragraphs {
  std::vector<double> counts;
  std::vector<int> words, rows{0};
  std::vector<std::int64_t> licence;

  void add(std::map<int, int> const& found, std::size_t from) {
    for (auto const& [word, count] : found) words.push_back(word), counts.push_back(count);
    rows.push_back(static_cast<int>(words.size()));
    licence.push_back(static_cast<std::int64_t>(from));
  }
  kt::csr_array<double> matrix(std::size_t vocabulary) const {
    return {counts, words, rows, {licence.size(), vocabulary}};
  }
};

struct corpus {
  std::map<std::string, int> number;  // of each word that occurs in the paragraphs to learn from
  paragraphs learned, held_back;

  void read(std::string const& file, std::size_t licence) {
    std::ifstream in(file);
    std::string line, text;
    while (std::getline(in, line)) {
      if (line.find_first_not_of(" \t\f") != std::string::npos) text += line + ' ';
      else add(std::exchange(text, ""), licence);
    }
    add(text, licence);
  }

 private:
  void add(std::string const& text, std::size_t licence) {
    bool const is_held_back = count_ % 5 == 4;
    std::map<int, int> found;
    std::string word;
    int total = 0;
    for (char c : text + ' ') {
      if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
        word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        continue;
      }
      if (word.size() > 1) {
        ++total;
        auto const known = is_held_back
                               ? number.find(word)
                               : number.emplace(word, static_cast<int>(number.size())).first;
        if (known != number.end()) ++found[known->second];
      }
      word.clear();
    }
    if (total < 12 || found.empty()) return;  // a heading
    ++count_;
    (is_held_back ? held_back : learned).add(found, licence);
  }
  int count_ = 0;
};

/// The words with the largest weights for a licence.
std::string telling(corpus const& c, xt::xtensor<double, 2> const& w, std::size_t licence) {
  std::vector<std::pair<double, std::string>> all;
  for (auto const& [word, k] : c.number)
    all.emplace_back(-w(static_cast<std::size_t>(k), licence), word);
  std::partial_sort(all.begin(), all.begin() + 6, all.end());
  std::string text;
  for (std::size_t i = 0; i < 6; ++i) text += " " + all[i].second;
  return text;
}

int main(int argc, char** argv) {
  std::string const folder = argc > 1 ? argv[1] : "/usr/share/common-licenses";
  corpus c;
  for (std::size_t k = 0; k < licences.size(); ++k) c.read(folder + "/" + licences[k], k);
  std::size_t const words = c.number.size(), n = c.learned.licence.size(),
                    tests = c.held_back.licence.size();
  if (n < 100) {
    std::printf("%s has no licences. Give another folder: licence_texts FOLDER\n", folder.c_str());
    return 77;
  }

  auto weigh = kt::function(weights);
  kt::csr_array<double> const x = weigh(c.learned.matrix(words)),
                              unseen = weigh(c.held_back.matrix(words));
  kt::shared w(xt::xtensor<double, 2>(xt::zeros<double>({words, licences.size()}))),
      speed_w(w.get_value());
  kt::shared b(xt::xtensor<double, 1>(xt::zeros<double>({licences.size()}))),
      speed_b(b.get_value());
  auto train = kt::function(step, speed_w, speed_b, w, b);
  auto recognized = kt::function(recognize, w, b);

  example::heading(std::to_string(n) + " paragraphs, " + std::to_string(words) +
                   " words: " + std::to_string(x.size()) + " of " + std::to_string(n * words) +
                   " elements stored");
  constexpr int steps = 300;
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 1; i <= steps; ++i) example::progress(i, steps, "cost", train(x, c.learned.licence));
  std::chrono::duration<double> const spent = std::chrono::steady_clock::now() - begin;

  auto const found = recognized(unseen);
  std::size_t right = 0;
  for (std::size_t i = 0; i < tests; ++i) right += found(i) == c.held_back.licence[i];
  std::printf("\n  %.2f milliseconds a step; the words that tell each licence:\n\n",
              1e3 * spent.count() / steps);
  for (std::size_t k = 0; k < licences.size(); ++k)
    std::printf("  %-11s%s\n", licences[k], telling(c, w.get_value(), k).c_str());
  double const share = static_cast<double>(right) / static_cast<double>(tests);
  std::printf("\n  %zu of %zu paragraphs that were held back are recognized: %.3f\n\n", right,
              tests, share);
  return share < 0.75;
}
