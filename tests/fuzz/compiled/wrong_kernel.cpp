// A compiled function is found to be wrong where a kernel is. Exits with 1 where it is not.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cpu/simd/math.hpp>
#include <kroton/ops/elementwise/trigonometric.hpp>

// A unit in the tenth digit. Said before the rest of the library, whose books evaluate every op.
template <>
inline double kroton::op::atan::value(double x) {
  return math::atan(x) * (1 + 1e-10);
}
template <>
inline xsimd::batch<double> kroton::op::atan::value(xsimd::batch<double> x) {
  return math::atan(x) * (1 + 1e-10);
}

#include "../record.hpp"
#include "batch.hpp"

#include <cstdio>

namespace kt = kroton;

namespace {

fuzz::subject subject_of(char const* function, int rank, bool by_stride) {
  fuzz::subject s;
  fuzz::argument x{{kt::element::float64, static_cast<std::uint8_t>(rank), 0}, {}, {0.5L}};
  if (rank > 0) x.shape = {5}, x.data.assign(5, 0.5L);
  fuzz::call c;
  c.function = fuzz::function_named(function);
  c.operands = {{0, 0, false}};
  s.program = {{x}, {c}, {1}};
  s.by_stride = by_stride;
  return s;
}

/// Calls a function of a number, of dense arrays and of others; whether it is wrong wherever it is
/// called, or nowhere.
template <int Rank, class F>
bool is_judged(char const* name, F const& f, bool wrong) {
  fuzz::tally all;
  fuzz::trial containers(subject_of(name, Rank, false), all),
      strided(subject_of(name, Rank, true), all);
  fuzz::try_out<false, 0>(containers, f, kt::mode::fast_run);
  fuzz::try_out<true, 0>(strided, f, kt::mode::fast_run);
  long const expected = wrong ? all.calls : 0;
  bool const right = all.calls > 0 && static_cast<long>(all.failures.size()) == expected;
  if (!right)
    std::printf("%s of rank %d: %zu failures of %ld calls\n", name, Rank, all.failures.size(),
                all.calls);
  return right;
}

}  // namespace

int main() {
  bool right = is_judged<0>("atan", [](kt::dscalar x) { return std::tuple(atan(x)); }, true);
  right = is_judged<1>("atan", [](kt::dvector x) { return std::tuple(atan(x)); }, true) && right;
  right = is_judged<0>("asinh", [](kt::dscalar x) { return std::tuple(asinh(x)); }, false) && right;
  right = is_judged<1>("asinh", [](kt::dvector x) { return std::tuple(asinh(x)); }, false) && right;
  return right ? 0 : 1;
}
