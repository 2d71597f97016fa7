// kroton_fuzz_write N SEED FILES: N programs as C++ in that many files, of those that the
// interpreter computes as written.
// SPDX-License-Identifier: BSD-3-Clause
#include "../check.hpp"
#include "../print.hpp"
#include "subject.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

/// Whether a program can be judged; a failure of its own is said.
bool is_worth_compiling(fuzz::subject const& s) {
  fuzz::truth known(s.program);
  if (known.is_unknown()) return false;
  if (auto const found = fuzz::check(s.program)) {
    std::fprintf(stderr, "seed %llu, interpreted: %s: %s\n%s",
                 static_cast<unsigned long long>(s.seed), found->kind.c_str(), found->text.c_str(),
                 fuzz::as_cpp(s.program).c_str());
    return false;
  }
  long compared = 0;
  known.set_written(fuzz::run_as_written(known.graph(), s.program.arguments), compared);
  return !known.is_refused();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "kroton_fuzz_write N SEED FILES...\n");
    return 2;
  }
  long const programs = std::atol(argv[1]);
  std::uint64_t seed = std::strtoull(argv[2], nullptr, 0);
  int const files = argc - 3;
  for (int k = 0; k < files; ++k) {
    std::ofstream file(argv[3 + k]);
    file << "#include \"fuzz/compiled/batch.hpp\"\n\nnamespace kt = kroton;\n";
    for (long n = programs * k / files; n < programs * (k + 1) / files; ++seed) {
      fuzz::subject const s = fuzz::subject_of(seed);
      if (!is_worth_compiling(s)) continue;
      file << '\n' << fuzz::as_function(s);
      ++n;
    }
    if (!file.flush()) {
      std::fprintf(stderr, "%s cannot be written\n", argv[3 + k]);
      return 1;
    }
  }
  return 0;
}
