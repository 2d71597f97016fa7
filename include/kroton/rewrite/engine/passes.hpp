// What a graph consists of, and what its normal form does without a rule, by name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/text.hpp>

#include <string_view>

namespace kroton::rewrite {

/// Whether `id` is among ids separated by spaces.
constexpr bool lists(std::string_view ids, std::string_view id) {
  while (!ids.empty()) {
    std::size_t const end = ids.find(' ');
    if (ids.substr(0, end) == id) return true;
    ids = end == std::string_view::npos ? std::string_view{} : ids.substr(end + 1);
  }
  return false;
}

/// A part of the optimizer that is not a rule, as modes and the documentation name it.
struct named_pass {
  std::string_view name, book;
  std::string_view ids{};   // of the catalogue, separated by spaces
  std::string_view says{};  // one line for the documentation
  // Whether a mode can leave it out; the others define the form of a graph
  bool optional = false;
  bool real = false;  // as a rule's: left out by kt::mode::ieee

  constexpr bool has(std::string_view id) const { return lists(ids, id); }
};

inline constexpr named_pass form_passes[] = {
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
     "(zeros to which x is written) * y is zeros to which x times that part of y is "
     "written",
     true, true},
    {"seen_through", "stabilize", "",
     "log(exp(x)[i]) is x[i]: stable forms behind copies, joins and choices of elements", true,
     true},
    {"written_order", "specialize", "accuracy",
     "x*y*z and x/y/z are computed in the order in which they are written, where that takes no "
     "more operations, or little more work",
     true, true},
    {"folding", "specialize", "C2", "functions of literals are literals, after stabilization",
     true},
};

/// The number of a pass in the list.
template <text Name>
inline constexpr int pass_number = [] {
  int number = 0;
  while (form_passes[number].name != Name.view()) ++number;
  return number;
}();

}  // namespace kroton::rewrite
