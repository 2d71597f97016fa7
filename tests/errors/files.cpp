// Values that do not go into files, or do not come out of them.
// errors: at most 3
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>
#include <kroton/npz.hpp>

#include <string>
#include <vector>

namespace kt = kroton;

// expect: kt::entry: a file holds arrays, numbers, kt::values, kt::shared, sparse matrices
void words(std::vector<std::string> const& all) { kt::save("x.npz", kt::entry("x", all)); }

// expect: kt::load: values are read into numbers, xt::xtensor, kt::values, kt::shared, sparse matrices and streams
void constant(kt::csr_array<double> const& a) { kt::load("x.npz", kt::entry("a", a)); }

// expect: matrices and streams that are neither const nor temporary
void temporary() { kt::load("x.npz", kt::entry("x", double{})); }
