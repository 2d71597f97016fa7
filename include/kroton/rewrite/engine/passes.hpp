// What the optimizer does outside its books: the normal form, folding, lowering and the passes of
// the back end, by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/text.hpp>

#include <string_view>

namespace kroton::core {

/// Whether `id` is among ids separated by spaces.
constexpr bool lists(std::string_view ids, std::string_view id) {
  while (!ids.empty()) {
    std::size_t const end = ids.find(' ');
    if (ids.substr(0, end) == id) return true;
    ids = end == std::string_view::npos ? std::string_view{} : ids.substr(end + 1);
  }
  return false;
}

/// An entry of the catalogue that has no rule of its own.
struct named_pass {
  std::string_view name, book;
  std::string_view ids;   // separated by spaces
  std::string_view says;  // one line for the documentation
  // Whether a mode can leave it out; the others are what the form of a graph is
  bool optional = false;

  constexpr bool has(std::string_view id) const { return lists(ids, id); }
};

inline constexpr named_pass passes[] = {
    {"merge", "graph", "C1",
     "equal applications are one node, since the graph finds what is there before it adds"},
    {"literal_types", "graph", "C7",
     "a literal takes the element type of what it stands next to when it is recorded"},
    {"like_terms", "canonicalize", "C19 S8 S11", "2*x + y - x is x + y; x - x is zeros", true},
    {"signs_as_coefficients", "canonicalize", "C20 S10",
     "-x is -1 * x inside, and written as a minus again at the end"},
    {"like_factors", "canonicalize", "C10 C11 C12 C13 C14 C15 C16 C21",
     "x*y/x is y; x/y/z is x/(y*z); x^a * x^b is x^(a+b)"},
    {"coefficients", "canonicalize", "C17 C23 C24",
     "(2*x)/(4*y) is 0.5*x/y; 0*x is zeros of the shape of x"},
    {"power_of_power", "canonicalize", "C36", "sqrt(x*x) is abs(x)", true},
    {"exponentials", "canonicalize", "S15", "exp(a)*exp(b) is exp(a+b); a/exp(b) is a*exp(-b)",
     true},
    {"abs_factors", "canonicalize", "", "x/abs(x) is sgn(x)", true},
    {"common_factor", "canonicalize", "", "a*b + a*c is a*(b+c)", true},
    {"binomials", "canonicalize", "", "a**2 + 2*a*b + b**2 is (a+b)**2", true},
    {"odd", "canonicalize", "", "f(-x) is -f(x) for odd f", true},
    {"even", "canonicalize", "", "f(-x) is f(x) for even f", true},
    {"bare_operands", "canonicalize", "C46 C49 C50 S13",
     "elementwise ops take what an alloc spreads, without axes that a dimshuffle adds in front; "
     "both move to the output"},
    {"written_products", "canonicalize", "",
     "(zeros to which x is written) * y is zeros to which x times that part of y is written; not "
     "in ieee",
     true},
    {"seen_through", "stabilize", "",
     "log(exp(x)[i]) is x[i]: stable forms behind copies, joins and choices of elements; not in "
     "ieee",
     true},
    {"related_exponentials", "specialize", "",
     "exp(a) next to exp(b) is a multiple of it where a - b, multiplied out, is a sum of "
     "logarithms; not in ieee",
     true},
    {"folding", "specialize", "C2", "functions of literals are literals, after stabilization",
     true},
    {"lowering", "specialize", "S1 S2 S3 S4 S7 S9",
     "products as one quotient, powers as squarings and square roots, binary sums, of numbers in "
     "the order in which the terms are there, "
     "any and all as counts"},
    {"reciprocals", "specialize", "",
     "three quotients of one denominator are products with its reciprocal; not in ieee", true},
    {"related_functions", "specialize", "",
     "expm1(x) next to exp(x), and sin(x/2)**2 next to sin(x) and cos(x), come from these; not in "
     "ieee",
     true},
    {"shared_exponentials", "specialize", "",
     "sigmoid and softplus of one argument, or of its negative, share exp(-|x|); not in ieee",
     true},
    {"shared_products", "specialize", "",
     "a*b*c and a*b*d multiply a*b once, a*c/b and a*d/b divide once; not in ieee", true},
    {"shared_sums", "specialize", "", "a + 10*b and 2*a + 20*b + c add a + 10*b once; not in ieee",
     true},
    {"assumed_means", "specialize", "", "sum((x - mean(x))**2) reads a long x once; not in ieee",
     true},
    {"shared_factors", "specialize", "L8",
     "solutions, inverses and determinants of one matrix share its LU factors; not in ieee", true},
    {"hoisting", "specialize", "F3", "f(view(x)) is view(f(x)) where f(x) is computed anyway",
     true},
    {"chains", "compile", "",
     "dot(dot(a, b), c) is one product, whose order each call takes from its extents; not in ieee",
     true},
    {"blas", "compile", "B1 B2 B3 B4 B5 B6",
     "scaled and transposed products and sums become GEMM, GEMV and GER calls; not in ieee", true},
    {"fusion", "compile", "F1 F2 F4 F5 F6 F8 S17",
     "elementwise ops and reductions of them are one loop, of any size, with several outputs"},
    {"lazy_branches", "compile", "K1 I7",
     "what one branch of an ifelse alone needs runs where it is taken; the result is a view of it"},
    {"planning", "compile", "I1 I2 I3",
     "buffers from liveness: results reuse dead operands, products accumulate into theirs, writes "
     "to parts touch only them"},
};

/// The number of a pass in the list.
template <text Name>
inline constexpr int pass_number = [] {
  int number = 0;
  while (passes[number].name != Name.view()) ++number;
  return number;
}();

/// An entry of the catalogue that is not there, and why.
struct named_exception {
  std::string_view ids, reason;
};

inline constexpr named_exception exceptions[] = {
    {"C8", "holds by construction: a scalar is a tensor of rank 0"},
    {"C9", "later: there is no assertion op yet"},
    {"C56", "holds by construction: which dimensions broadcast is part of the type"},
    {"C58",
     "holds by construction: what is tiled once or split in one part is itself when it is "
     "recorded"},
    {"C59", "later: sets"},
    {"C66", "left out: fusion computes the sum of squares of products in one loop"},
    {"C69 L6", "later: block-diagonal matrices and Kronecker products"},
    {"C86", "left out: an index out of range is an error, where a slice is cut off"},
    {"C87", "holds by construction: indices are counted from the front when they are recorded"},
    {"T18 S16", "later: Bessel and polygamma functions"},
    {"T19", "holds by construction: the canonical book is read in every stage"},
    {"T20", "left out: approximations that lose digits"},
    {"S12", "left out: inside a fused loop a second abs costs nothing that can be measured"},
    {"U1", "holds by construction: the maximum and its position are ops of their own"},
    {"B8", "later: convolutions"},
    {"B9", "later: products of stacks of matrices"},
    {"L5", "holds by construction: vectors that nobody asks for are not computed"},
    {"L9", "later: exponentials of matrices"},
    {"B11 Z1 Z2 Z3 Z4 Z5 Z6 Z7", "later: sparse"},
    {"I4 Q1 Q2 Q3 Q4", "later: random numbers"},
    {"I5 I6 N1 N2 N3 N4 N5 N6 N7 N8 N9 N10 N11 N12 N13 N14 N15 N16", "later: scan"},
    {"K2",
     "left out: an ifelse that is lifted over other ops, or merged with others, is less lazy"},
    {"I8",
     "holds by construction: results are moved out, and f.into writes into the caller's array"},
    {"F7", "later: loops that gather"},
    {"G1 G2 G3 G4 G5 G6 G7 G8 G9", "later: the GPU back end"},
};

}  // namespace kroton::core
