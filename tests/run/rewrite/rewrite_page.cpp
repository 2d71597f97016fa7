// docs/rewrites.md is what this writes: KROTON_WRITE_DOCS=1 ./kroton_tests "the page of rewrites" renews it.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include <kroton/function/catalogue.hpp>

namespace kt = kroton;

namespace {

std::string joined(kt::rewrite::rule_record const& e) {
  std::string ids;
  for (int i = 0; i < e.id_count; ++i) ids += (i > 0 ? ", " : "") + std::string(e.ids[i]);
  return ids;
}

std::string joined(std::initializer_list<std::pair<bool, std::string_view>> marks) {
  std::string all;
  for (auto const& [is_there, mark] : marks)
    if (is_there) all += (all.empty() ? "*" : ", *") + std::string(mark) + "*";
  return all;
}
std::string marks(kt::rewrite::rule_record const& e) { return joined({{e.complex, "complex"}, {e.real, "real"}}); }
std::string marks(kt::rewrite::named_pass const& p) { return joined({{p.optional, "optional"}, {p.real, "real"}}); }

/// What a pass cannot do without: one of these ops, and one of those.
std::string needed(kt::rewrite::graph_pass const& p) {
  std::string all;
  for (auto const& set : p.needs) {
    std::string any;
    for (auto const* op : set.all()) any += (any.empty() ? "" : " or ") + std::string(op->name);
    if (!any.empty()) all += (all.empty() ? "" : ", and ") + any;
  }
  return all;
}

void print(std::ostream& out, kt::core::items<kt::rewrite::named_pass> passes) {
  out << "\n| pass | stage | ids | what it does | |\n|---|---|---|---|---|\n";
  for (auto const& p : passes)
    out << "| `" << p.name << "` | " << p.book << " | " << p.ids << " | " << p.says << " | " << marks(p) << " |\n";
}
void print(std::ostream& out, kt::core::items<kt::rewrite::graph_pass> passes) {
  for (auto const& p : passes)
    out << "| `" << p.name << "` | " << p.book << " | " << p.ids << " | " << p.says << " | " << needed(p) << " | " << p.because << " | "
        << marks(p) << " |\n";
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
  out << "\n## Relations between functions\n\nWhat a function is where others are computed anyway. "
         "A pass of the name of the book finds it in the whole graph.\n\n"
         "| relation | book |\n|---|---|\n";
  for (auto const& b : kt::functions::books_of_relations())
    for (auto const& line : b.lines) out << "| `" << line.name << "` | `" << line.book << "` |\n";
  out << "\n## What is not a rule\n\nThe normal form of sums and products, folding, and the plan. A mode can leave out what is marked *optional*; the\n"
         "rest defines the form of a graph.\n";
  print(out, kt::rewrite::form_passes);
  print(out, kt::plan::plan_forms);
  out << "\n## Passes\n\nWhat goes before the books, or follows them, in the order in which it runs. A pass runs where the graph has the ops that it needs. A mode\n"
         "can leave out what is marked *optional*.\n\n"
         "| pass | stage | ids | what it does | needs | why it stands here | |\n|---|---|---|---|---|---|---|\n";
  print(out, kt::rewrite::first_passes);
  print(out, kt::loops::first_scan_passes);
  print(out, kt::loops::scan_passes);
  print(out, kt::loops::last_scan_passes);
  print(out, kt::rewrite::specialize_passes);
  print(out, kt::loops::lowered_scan_passes);
  print(out, kt::plan::compile_passes);
  out << "\n## Not there\n\n| ids | reason |\n|---|---|\n";
  for (auto const& e : kt::functions::exceptions) out << "| " << e.ids << " | " << e.reason << " |\n";
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
