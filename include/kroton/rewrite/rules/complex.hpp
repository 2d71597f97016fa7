// Rules of complex numbers: parts of what has known parts, and conjugates, which move inwards until
// they cancel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/elementwise/complex.hpp>
#include <kroton/rewrite/form/laws.hpp>

namespace kroton::rewrite::rules {

/// Whether a complex node is a conversion of a real one.
constexpr bool is_converted_real(graph const& g, int id) {
  return g.is<op::cast>(id) && !is_complex(g.type(g.input_of(id, 0)).element);
}

/// real(complex(a, b)) is a; the parts of a converted real number are itself and 0; those of a
/// conjugate differ in one sign.
constexpr int part_of_complex(rewriter& r, int id) {
  graph& g = r.g;
  int const z = g.input_of(id, 0);
  bool const is_real_part = g.is<op::real>(id);
  element const e = g.type(id).element;
  if (!is_complex(g.type(z).element)) return is_real_part ? z : r.literal(0, e);
  if (g.is_literal(z)) return is_real_part ? r.cast(z, e) : r.literal(0, e);
  if (g.is<op::complex>(z)) return g.input_of(z, is_real_part ? 0 : 1);
  if (is_converted_real(g, z)) return is_real_part ? r.cast(g.input_of(z, 0), e) : r.literal(0, e);
  if (!g.is<op::conj>(z)) return -1;
  int const part[] = {g.input_of(z, 0)};
  int const same = r.make(g[id].op, part);
  return is_real_part ? same : r.negative(same);
}

/// complex(real(z), imag(z)) is z.
constexpr int complex_of_parts(rewriter& r, int id) {
  graph& g = r.g;
  int const re = g.input_of(id, 0), im = g.input_of(id, 1);
  if (g.is_literal(im, 0) && g.literal_bits(im) == 0) return r.cast(re, g.type(id).element);
  bool const parts =
      g.is<op::real>(re) && g.is<op::imag>(im) && g.input_of(re, 0) == g.input_of(im, 0);
  return parts ? g.input_of(re, 0) : -1;
}

/// The position of abs(z) among factors that are real; -1 where it is not there.
constexpr int find_abs(graph const& g, list<int> const& factors, int z) {
  for (int i = 0; i < factors.size(); ++i)
    if (g.is<op::abs>(factors[i]) && g.input_of(factors[i], 0) == z) return i;
  return -1;
}
/// sgn(z) * abs(z) is z, where abs(z) stands in a real factor: so in the gradient of abs(z)^2.
constexpr int direction_times_abs(rewriter& r, int id) {
  graph& g = r.g;
  list<int> factors = r.inputs(id);
  for (int s = 0; s < factors.size(); ++s) {
    if (!g.is<op::sgn>(factors[s]) || !is_complex(g.type(factors[s]).element)) continue;
    int const z = g.input_of(factors[s], 0);
    for (int c = 0; c < factors.size(); ++c) {
      if (!is_converted_real(g, factors[c])) continue;
      int const x = g.input_of(factors[c], 0);
      list<int> parts{x};
      if (g.is<op::mul>(x)) parts = r.inputs(x);
      int const found = find_abs(g, parts, z);
      if (found < 0) continue;
      parts.erase(found);
      int const rest = parts.empty()       ? r.literal(1, g.type(x).element)
                       : parts.size() == 1 ? parts[0]
                                           : r.make(identity<op::mul>(), parts);
      factors[c] = r.cast(rest, g.type(id).element);
      factors[s] = z;
      return r.make(identity<op::mul>(), factors);
    }
  }
  return -1;
}

/// sgn(z) * conj(z) is abs(z), in a real factor where there is one, which may divide by it: so in
/// the gradient of log(abs(z)).
constexpr int direction_times_conjugate(rewriter& r, int id) {
  graph& g = r.g;
  list<int> factors = r.inputs(id);
  element const e = g.type(id).element;
  for (int s = 0; s < factors.size(); ++s) {
    if (!g.is<op::sgn>(factors[s]) || !is_complex(e)) continue;
    int const z = g.input_of(factors[s], 0);
    int conjugate = -1, real = -1;
    for (int k = 0; k < factors.size(); ++k) {
      if (g.is<op::conj>(factors[k]) && g.input_of(factors[k], 0) == z) conjugate = k;
      else if (is_converted_real(g, factors[k]) &&
               g.type(g.input_of(factors[k], 0)).element == real_of(e))
        real = k;
    }
    if (conjugate < 0) continue;
    int size = r.make<op::abs>({z});
    if (real >= 0) size = r.make<op::mul>({g.input_of(factors[real], 0), size});
    factors[s] = r.cast(size, e);
    for (int k : {conjugate > real ? conjugate : real, conjugate > real ? real : conjugate})
      if (k >= 0) factors.erase(k);
    return factors.size() == 1 ? factors[0] : r.make(identity<op::mul>(), factors);
  }
  return -1;
}

/// The conjugate of a sum, product, power, choice or matrix product is that of conjugates: those of
/// two steps back cancel.
constexpr int conjugate_of_expression(rewriter& r, int id) {
  graph& g = r.g;
  int const z = g.input_of(id, 0);
  if (g.is_literal(z) || is_converted_real(g, z) || !is_complex(g.type(z).element)) return z;
  if (g.is<op::complex>(z)) {
    int const re = g.input_of(z, 0);
    return r.make<op::complex>({re, r.negative(g.input_of(z, 1))});
  }
  bool const is_whole_power = is_power(g, z) && is_whole(split_power(g, z).power.value());
  bool const inwards = g.is<op::mul>(z) || g.is<op::add>(z) || is_whole_power ||
                       g.is<op::where>(z) || g.is<op::dot>(z);
  if (!inwards) return -1;
  list<int> inputs = r.inputs(z);
  for (int& i : inputs)
    if (is_complex(g.type(i).element) && !g.is_literal(i)) i = r.make<op::conj>({i});
  return r.make(g[z].op, inputs);
}

}  // namespace kroton::rewrite::rules
