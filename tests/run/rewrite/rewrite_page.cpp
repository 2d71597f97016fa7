// docs/rewrites.md is what this writes: KROTON_WRITE_DOCS=1 ./kroton_tests "the page of rewrites" renews it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <kroton/rewrite/catalogue.hpp>

namespace kt = kroton;

namespace {

std::string joined(kt::core::rule_record const& e) {
  std::string ids;
  for (int i = 0; i < e.id_count; ++i) ids += (i > 0 ? ", " : "") + std::string(e.ids[i]);
  return ids;
}

std::string marks(kt::core::rule_record const& e) {
  return std::string(e.complex ? "*complex*" : "") + (e.complex && e.real ? ", " : "") + (e.real ? "*real*" : "");
}

std::string page() {
  std::ostringstream out;
  out << "# The rewrites\n\n"
         "Written by tests/run/rewrite/rewrite_page.cpp from the books themselves. A mode leaves rules out by their name, by the\n"
         "name of their book, or by an id: `kt::mode::fast_run.excluding<\"softplus\", \"C26\">()`. Rules marked *real* hold for\n"
         "real numbers, but not for every NaN, infinity or zero, or have values where the expression as written overflows:\n"
         "`kt::mode::ieee` leaves them out. Those marked *complex* hold for complex numbers too, which the others leave alone. The ids are those of the catalogue of Theano's and PyTensor's\n"
         "rewrites.\n";
  std::string_view book;
  for (auto const& e : kt::catalogue()) {
    if (e.book != book) {
      book = e.book;
      out << "\n## The book `" << book << "`\n\n| rule | ids | |\n|---|---|---|\n";
    }
    out << "| `" << e.name << "` | " << joined(e) << " | " << marks(e) << " |\n";
  }
  out << "\n## Passes\n\nWhat the normal form of sums and products, lowering and the back end do without a rule. A mode can leave\n"
         "out those marked *optional*; the others are what the form of a graph is.\n\n"
         "| pass | stage | ids | what it does | |\n|---|---|---|---|---|\n";
  for (auto const& p : kt::core::passes)
    out << "| `" << p.name << "` | " << p.book << " | " << p.ids << " | " << p.says << " | " << (p.optional ? "*optional*" : "") << " |\n";
  out << "\n## Not there\n\n| ids | reason |\n|---|---|\n";
  for (auto const& e : kt::core::exceptions) out << "| " << e.ids << " | " << e.reason << " |\n";
  return out.str();
}

/// The page as it lies in the project, found from this file.
std::string path() {
  std::string const here = __FILE__;
  return here.substr(0, here.rfind("tests/run/")) + "docs/rewrites.md";
}

}  // namespace

TEST_CASE("the page of rewrites says what the books say", "[rewrite]") {
  std::string const now = page();
  if (std::getenv("KROTON_WRITE_DOCS") != nullptr) std::ofstream(path()) << now;
  std::ifstream file(path());
  std::string const there{std::istreambuf_iterator<char>(file), {}};
  CHECK(there == now);
}
