// Communicators: broadcasts, parts of the ranks, streams of random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/tests.hpp"

#include <boost/hana/define_struct.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, weights), (kt::fvector, bias));
};

/// The values of all ranks, one behind the other.
std::vector<double> gathered(vector const& own, int ranks) {
  std::vector<double> all(own.size() * static_cast<std::size_t>(ranks));
  int const count = static_cast<int>(own.size());
  MPI_Allgather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, MPI_COMM_WORLD);
  return all;
}
bool all_differ(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

}  // namespace

TEST_CASE("all ranks are one communicator, and it knows MPI's ranks") {
  auto const world = all_ranks();
  int rank = -1, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(world.rank() == rank);
  CHECK(world.size() == size);
  CHECK(contains(thrown<kt::value_error>([] { kt::distributed::communicator(MPI_Comm{MPI_COMM_NULL}); }), "MPI_COMM_NULL has no ranks"));
}

TEST_CASE("a broadcast gives shared variables the values and extents of rank 0") {
  auto const world = all_ranks();
  bool const first = world.rank() == 0;
  kt::shared a(first ? matrix{{1, 2}, {3, 4}} : matrix::from_shape({0, 0}));
  kt::shared b(first ? 5 : -1);
  kt::shared<layer> c(first ? matrix{{6}} : matrix{{0}}, first ? xt::xtensor<float, 1>{7, 8} : xt::xtensor<float, 1>{0});
  world.broadcast(a, b, c);
  CHECK((a.get_value() == matrix{{1, 2}, {3, 4}}));
  CHECK(b.get_value() == 5);
  CHECK((kt::get<&layer::weights>(c.get_value()) == matrix{{6}}));
  CHECK((kt::get<&layer::bias>(c.get_value()) == xt::xtensor<float, 1>{7, 8}));
}

TEST_CASE("a broadcast of different variables is refused on all ranks, and leaves them") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  kt::shared a(vector{1.0 + world.rank()});
  kt::shared unlike_a(matrix{{1.0 + world.rank()}});
  std::string const text = thrown<kt::error>([&] { world.rank() == 1 ? world.broadcast(unlike_a) : world.broadcast(a); });
  CHECK(contains(text, "kt::distributed::communicator::broadcast: "));
  CHECK(contains(text, "rank 1"));
  CHECK((a.get_value() == vector{1.0 + world.rank()}));
}

TEST_CASE("in a scope ranks reduce over a part of them") {
  auto const world = all_ranks();
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, world.rank(), &part);
  kt::distributed::communicator const half(part);
  MPI_Comm_free(&part);
  auto const sum = kt::function([](kt::dscalar x) { return kt::all_reduce(x, kt::sum); });
  double all = 0, own = 0;
  for (int r = 0; r < world.size(); ++r) all += r, own += r % 2 == world.rank() % 2 ? r : 0;
  {
    kt::distributed::scope const within(half);
    CHECK(sum(world.rank()) == own);
    {
      kt::distributed::scope const again(world);
      CHECK(sum(world.rank()) == all);
    }
    CHECK(sum(world.rank()) == own);
  }
  CHECK(sum(world.rank()) == all);
}

TEST_CASE("streams that are split have numbers of their own on each rank, the first one those of one process") {
  auto const world = all_ranks();
  constexpr auto draw = [](kt::rng r) { return r.uniform(50); };
  auto const check = [&](auto const& make) {
    auto whole = make(), split = make(), late = make();
    world.split(split);
    auto const of_whole = kt::function(draw, whole), of_split = kt::function(draw, split), of_late = kt::function(draw, late);
    vector const alike = of_whole(), own = of_split();
    CHECK(std::memcmp(gathered(alike, world.size()).data(), alike.data(), 50 * sizeof(double)) == 0);
    CHECK(all_differ(gathered(own, world.size())));
    CHECK((world.rank() == 0) == (own == alike));
    // Also after functions were bound and called.
    of_late();
    world.split(late);
    vector const next = of_late();
    CHECK(all_differ(gathered(next, world.size())));
    CHECK((world.rank() == 0) == (next == of_whole()));
  };
  check([] { return kt::philox_streams(42); });
  check([] { return kt::mrg_random_streams(42); });
}
