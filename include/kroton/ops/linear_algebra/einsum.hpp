// Einstein sums: products of tensors whose axes have letters, summed over the letters that the
// result lacks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/linear_algebra/diagonals.hpp>
#include <kroton/ops/linear_algebra/tensor_products.hpp>

#include <tuple>

namespace kroton {
namespace op {

/// Not the op of any node: it names the condition that axes with the same letter have equal
/// extents.
struct einsum : core::named_condition<"einsum"> {};

}  // namespace op

namespace ops {

/// Parsed subscripts such as "ij,jk->ik": the letters of each operand and of the result.
struct subscripts {
  static constexpr int most = 16;
  enum class mistake { none, character, rank, repeated, unknown } error = mistake::none;
  int operands = 1;
  int ranks[most + 1]{};  // of the operands; the last is that of the result
  char letters[most + 1][8]{};

  constexpr int const& rank() const { return ranks[most]; }
  constexpr int count(char letter) const {
    int found = 0;
    for (int k = 0; k < operands; ++k)
      for (int d = 0; d < ranks[k]; ++d) found += letters[k][d] == letter ? 1 : 0;
    return found;
  }
  constexpr bool in_result(char letter) const {
    for (int d = 0; d < rank(); ++d)
      if (letters[most][d] == letter) return true;
    return false;
  }
  constexpr void add(int k, char letter) {
    if (ranks[k] == 8) error = mistake::rank;
    else letters[k][ranks[k]++] = letter;
  }
};

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr subscripts parse_subscripts(std::string_view words) {
  subscripts s;
  // A manual search: with its sanitizers enabled, g++ 12 cannot search a template argument in
  // constant evaluation
  std::size_t arrow = 0;
  while (arrow < words.size() &&
         !(words[arrow] == '-' && arrow + 1 < words.size() && words[arrow + 1] == '>'))
    ++arrow;
  bool const is_explicit = arrow < words.size();
  for (char c : words.substr(0, arrow)) {
    if (c == ',') ++s.operands;
    else if (is_letter(c) && s.operands <= subscripts::most) s.add(s.operands - 1, c);
    else if (c != ' ') s.error = subscripts::mistake::character;
    if (s.operands > subscripts::most) s.error = subscripts::mistake::rank;
  }
  if (s.error != subscripts::mistake::none) return s;
  if (is_explicit) {
    for (char c : words.substr(arrow + 2)) {
      if (c == ' ') continue;
      if (!is_letter(c)) s.error = subscripts::mistake::character;
      else if (s.in_result(c)) s.error = subscripts::mistake::repeated;
      else if (s.count(c) == 0) s.error = subscripts::mistake::unknown;
      else s.add(subscripts::most, c);
    }
  } else {
    for (int c = 'A'; c <= 'z'; ++c)
      if (s.count(static_cast<char>(c)) == 1) s.add(subscripts::most, static_cast<char>(c));
  }
  return s;
}

/// Builds the graph of a sum. Labels are the characters of the subscripts.
class einsum_builder {
 public:
  constexpr einsum_builder(subscripts const& s, list<term> const& operands) {
    for (int d = 0; d < s.rank(); ++d) out_.push_back(s.letters[subscripts::most][d]);
    for (int k = 0; k < operands.size(); ++k) {
      labelled x{operands[k], {}};
      for (int d = 0; d < s.ranks[k]; ++d) x.labels.push_back(s.letters[k][d]);
      all_.push_back(x);
    }
  }

  constexpr term run() {
    for (labelled& x : all_) take_diagonals(x);
    for (labelled& x : all_) drop_broadcasting(x);
    for (labelled& x : all_) sum_alone(x);
    while (all_.size() > 1) {
      pair const next = best();
      labelled const product = multiply(all_[next.first], all_[next.second], all_.size() == 2);
      all_.erase(next.second);
      all_[next.first] = product;
    }
    return arranged(all_[0], out_);
  }

 private:
  // Letters as bits.
  static constexpr std::uint64_t bit(int label) { return std::uint64_t{1} << (label - 'A'); }
  static constexpr std::uint64_t bits(list<int> const& labels) {
    std::uint64_t all = 0;
    for (int label : labels) all |= bit(label);
    return all;
  }

  static constexpr void take_diagonals(labelled& x) {
    for (int j = 1; j < x.labels.size(); ++j)
      for (int i = 0; i < j; ++i) {
        if (x.labels[i] != x.labels[j]) continue;
        int const label = x.labels[i];
        x.value = diagonal(x.value, i, j, 0, true);
        x.labels.erase(j);
        x.labels.erase(i);
        x.labels.push_back(label);
        j = 0;
        break;
      }
  }
  // Drops an axis that broadcasts along an axis of another operand.
  constexpr void drop_broadcasting(labelled& x) {
    list<int> pattern, labels;
    for (int d = 0; d < x.labels.size(); ++d) {
      bool spanned = false;
      for (labelled const& other : all_) {
        int const at = position_of(other.labels, x.labels[d]);
        spanned = spanned || (at >= 0 && !other.value.type().broadcasts(at));
      }
      if (spanned && x.value.type().broadcasts(d)) continue;
      pattern.push_back(d);
      labels.push_back(x.labels[d]);
    }
    x = {permute(x.value, pattern), labels};
  }
  constexpr void sum_alone(labelled& x) const {
    long long axes = 0;
    list<int> labels;
    for (int d = 0; d < x.labels.size(); ++d) {
      int operands = 0;
      for (labelled const& other : all_) operands += other.labels.contains(x.labels[d]) ? 1 : 0;
      if (operands == 1 && !out_.contains(x.labels[d])) axes |= 1ll << d;
      else labels.push_back(x.labels[d]);
    }
    if (axes != 0) x = {sum_over(x.value, axes, false), labels};
  }

  struct pair {
    int first = 0, second = 1;
    double cost = 0;
  };
  // Assumes that all extents are 100: only the number of axes of a product matters.
  static constexpr double cost_of(std::uint64_t letters) {
    double cost = 1;
    for (; letters != 0; letters &= letters - 1) cost *= 100;
    return cost;
  }
  // The first pair of the cheapest order: the best of all orders for few factors, and otherwise the
  // cheapest next product.
  static constexpr pair cheapest(list<std::uint64_t> const& factors, std::uint64_t out) {
    pair best;
    for (int i = 0; i < factors.size(); ++i)
      for (int j = i + 1; j < factors.size(); ++j) {
        std::uint64_t needed = out;
        list<std::uint64_t> rest;
        for (int k = 0; k < factors.size(); ++k) {
          if (k == i || k == j) continue;
          needed |= factors[k];
          rest.push_back(factors[k]);
        }
        std::uint64_t const both = factors[i] | factors[j];
        double cost = cost_of(both) + cost_of(both & needed) / 100;
        if (!rest.empty() && factors.size() <= 5) {
          rest.push_back(both & needed);
          cost += cheapest(rest, out).cost;
        }
        if (best.cost == 0 || cost < best.cost) best = {i, j, cost};
      }
    return best;
  }
  constexpr pair best() const {
    if (all_.size() == 2) return {};
    list<std::uint64_t> factors;
    for (labelled const& x : all_) factors.push_back(bits(x.labels));
    return cheapest(factors, bits(out_));
  }

  constexpr labelled multiply(labelled const& a, labelled const& b, bool is_last) const {
    list<int> kept(out_);
    if (!is_last) {
      // In the order of a product of matrices: common axes, those of a, those of b.
      std::uint64_t needed = bits(out_);
      for (labelled const& x : all_)
        if (&x != &a && &x != &b) needed |= bits(x.labels);
      std::uint64_t const of_a = bits(a.labels), of_b = bits(b.labels);
      kept.clear();
      auto keep = [&](list<int> const& labels, std::uint64_t among) {
        for (int label : labels)
          if ((bit(label) & among & needed) != 0) kept.push_back(label);
      };
      keep(a.labels, of_b);
      keep(a.labels, ~of_b);
      keep(b.labels, ~of_a);
      if (kept.size() > 8)
        a.value.of->fail("kt::einsum: an intermediate product would have more than eight axes");
    }
    match_axes(a, b, identity<op::einsum>());
    return {contraction(a, b, kept).run(), kept};
  }

  list<int> out_{};
  list<labelled> all_{};
};

constexpr term einsum(subscripts const& s, list<term> operands, element common) {
  for (term& x : operands) x.id = x.of->cast(x.id, common);
  return einsum_builder(s, operands).run();
}

template <class... X>
constexpr bool ranks_are_those_of(subscripts const& s) {
  int const ranks[] = {rank_of<X>...};
  for (int k = 0; k < static_cast<int>(sizeof...(X)) && k < s.operands; ++k)
    if (ranks[k] != s.ranks[k]) return false;
  return true;
}

}  // namespace ops

/// The product of tensors whose axes have the given letters, summed over all letters that the
/// result lacks: `einsum<"ij,jk->ik">(a, b)`. A letter twice in one operand selects its diagonal.
/// Without an arrow, the result has the letters that occur once, in alphabetical order. The factors
/// are multiplied in the order that involves the fewest axes, as products of matrices or of batches
/// of them. Element types are promoted; extents that differ throw kt::shape_error. (numpy.einsum)
template <text Subscripts, typed... X>
  requires(sizeof...(X) > 0)
constexpr auto einsum(X const&... x) {
  using ops::subscripts;
  constexpr subscripts s = ops::parse_subscripts(Subscripts.view());
  constexpr bool are_letters = s.error != subscripts::mistake::character,
                 are_few = s.error != subscripts::mistake::rank;
  constexpr bool differ = s.error != subscripts::mistake::repeated,
                 are_known = s.error != subscripts::mistake::unknown;
  constexpr bool are_counted = !are_few || s.operands == static_cast<int>(sizeof...(X));
  constexpr bool fit =
      !are_few || !are_letters || !are_counted || ops::ranks_are_those_of<X...>(s);
  static_assert(are_letters,
                "kt::einsum: write a letter for each axis, a comma between operands, and an arrow "
                "before the result");
  static_assert(are_few, "kt::einsum: at most 16 operands of at most 8 axes");
  static_assert(differ, "kt::einsum: a letter appears twice in the result");
  static_assert(are_known, "kt::einsum: a letter of the result appears in no operand");
  static_assert(are_counted, "kt::einsum: there must be one group of letters for each operand");
  static_assert(fit, "kt::einsum: an operand must have as many axes as its group has letters");
  using value = core::value_t<core::static_element_beside<X...>()>;
  if constexpr (are_letters && are_few && differ && are_known && are_counted && fit)
    return variable<value, s.rank()>(ops::einsum(s, {term(x)...}, core::element_of<value>()));
  else return std::get<0>(std::tie(x...));
}

}  // namespace kroton
