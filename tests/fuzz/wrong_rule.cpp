// The fuzzer finds rules that are wrong, and names them. Exits with 1 where it does not.
// SPDX-License-Identifier: BSD-3-Clause
#include "session.hpp"

#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

constexpr auto wrong_sign = kt::rules(kt::rule<"wrong_sign">([](auto a, auto b) { return exp(a) * exp(b) >> exp(a - b); }));
constexpr auto wrong_factor = kt::rules(kt::rule<"wrong_factor">([](auto a) { return tanh(a) >> (2 * sigmoid(a) - 1); }));
constexpr auto wrong_branch = kt::rules(kt::rule<"wrong_branch">([](auto c, auto a, auto b) { return where(c, a, b) >> where(c, b, a); }));

/// Whether a session with a wrong rule finds it within some thousand programs.
bool finds(kt::rewrite::book_view book, std::string_view name) {
  constexpr long part = 100, parts = 50;
  kt::rewrite::book_view const books[] = {book};
  for (long k = 0; k < parts; ++k) {
    fuzz::session s;
    s.seed = 20 + static_cast<std::uint64_t>(k * part);
    s.programs = part;
    s.failures = 20;  // another rule is to blame where the wrong one needs what that one makes
    s.options.extra = books;
    s.run();
    for (auto const& text : s.reports)
      if (text.find("the rule '" + std::string(name) + "'") != std::string::npos) {
        std::printf("found after at most %ld graphs:\n%s\n", (k + 1) * part, text.c_str());
        return true;
      }
  }
  std::printf("%s was not found\n", std::string(name).c_str());
  return false;
}

}  // namespace

int main() {
  bool found = finds(wrong_sign, "wrong_sign");
  found = finds(wrong_factor, "wrong_factor") && found;
  found = finds(wrong_branch, "wrong_branch") && found;
  return found ? 0 : 1;
}
