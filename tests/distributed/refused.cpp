// What data-parallel programs cannot do.
// errors: at most 2
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <boost/hana/define_struct.hpp>
#include <kroton/distributed.hpp>

namespace kt = kroton;

// expect: kt::distributed::communicator::split: kt::random_streams cannot be split; give it a seed of its own on each rank, or use kt::philox_streams
namespace splits_twister {
void f(kt::distributed::communicator const& world, kt::random_streams& numpy) { world.split(numpy); }
}

// expect: kt::all_reduce: sparse matrices are not reduced: reduce a.value, where all ranks have one pattern
namespace reduces_sparse {
auto f = kt::function([](kt::csr<double> a) { return kt::all_reduce(a, kt::sum); });
}
