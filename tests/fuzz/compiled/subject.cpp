// How the programs that are compiled are made, and written.
// SPDX-License-Identifier: BSD-3-Clause
#include "subject.hpp"

#include "../generate.hpp"
#include "../print.hpp"
#include "../record.hpp"
#include "../variants.hpp"

#include <algorithm>

namespace fuzz {

namespace {

program generated(std::uint64_t seed) {
  int const kind = dice(~seed).below(8);
  if (kind < 2) return generator::of_scalars(seed).run();
  if (kind == 2) return generator::of_integers(seed).run();
  return kind < 5 ? generator::of_loops(seed).run() : generator(seed).run();
}

/// Binds some of the last arguments, and lets values of their types be their new ones.
void add_updates(subject& s, dice& random) {
  program& p = s.program;
  std::size_t const most = 1 + static_cast<std::size_t>(random.below(2));
  // What is bound is a tensor of its parameter's type, none of which broadcasts.
  std::size_t const streams = s.bound;
  while (s.bound < std::min(streams + most, p.arguments.size()) &&
         p.arguments[p.arguments.size() - 1 - s.bound].kind == argument_kind::dense &&
         p.arguments[p.arguments.size() - 1 - s.bound].type.broadcast == 0)
    ++s.bound;
  kt::graph g;
  std::vector<kt::term> const terms = record(g, p);
  if (!g.error().empty()) return;
  int const size = p.size();
  for (std::size_t k = p.arguments.size() - s.bound; k < p.arguments.size() - streams; ++k) {
    if (random.one_in(4)) continue;
    int value = -1;
    for (int tries = 0; tries < 10 && value < 0; ++tries)
      if (int const v = random.below(size);
          !p.is_argument(v) && terms[static_cast<std::size_t>(v)].type() == p.arguments[k].type)
        value = v;
    if (value < 0) {
      int const own = static_cast<int>(k);
      call twice;
      twice.function = function_named("+");
      twice.operands = {{own, 0, false}, {own, 0, false}};
      p.calls.push_back(twice);
      value = p.size() - 1;
    }
    p.outputs.push_back(value);
    s.updated.push_back(static_cast<int>(k));
  }
}

}  // namespace

subject subject_of(std::uint64_t seed) {
  dice random(seed);
  subject s;
  s.seed = seed;
  s.program = generated(seed);
  int const variant = random.below(12);
  if (variant == 0) s.program = with_special_values(s.program, random);
  if (variant == 1) s.program = with_other_shape(s.program, random);
  s.outputs = s.program.outputs.size();
  s.ieee = random.one_in(4);
  s.by_stride = random.one_in(2);
  bool const has_stream = s.program.has(&is_stream);
  s.bound = has_stream ? 1 : 0;
  s.is_debugged = has_stream && random.one_in(3);
  s.ieee = s.ieee && !s.is_debugged;
  if (random.one_in(3)) add_updates(s, random);
  if (has_stream) s.updated.push_back(static_cast<int>(s.program.arguments.size()) - 1);
  return s;
}

std::string as_function(subject const& s) {
  std::string const seed = std::to_string(s.seed),
                    mode = s.is_debugged ? "debug" : s.ieee ? "ieee" : "fast_run";
  std::string how = std::string(s.by_stride ? "true" : "false") + ", " + std::to_string(s.bound);
  for (argument const& a : s.program.arguments)
    if (a.kind == argument_kind::twister) how += ", kt::random_streams";
  return "static fuzz::listed const program_" + seed + "(" + seed + "u, [](fuzz::trial& to) {\n" +
         "auto const f = " + as_lambda(s.program, s.outputs, s.updated) + ";\n" + "fuzz::try_out<" +
         how + ">(to, f, kt::mode::" + mode + ");\n});\n";
}

}  // namespace fuzz
