// kt::all_reduce in a function against MPI_Allreduce, and a step of training with it: mpirun -n 2. Ranks share the machine, so
// this is memory, not a network.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/distributed.hpp>
#include <kroton/kroton.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

namespace kt = kroton;

namespace {

struct mlp : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(mlp, (kt::fmatrix, W1), (kt::fvector, b1), (kt::fmatrix, W2), (kt::fvector, b2));
};
constexpr auto cost_of = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  return -mean(sum(y * log_softmax(dot(tanh(dot(x, p.W1) + p.b1), p.W2) + p.b2), kt::axis<1>));
};
constexpr auto alone = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  auto cost = cost_of(x, y, p);
  return kt::outputs(cost).update(p, p - 0.02f * grad(cost, p));
};
constexpr auto together = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  auto own = cost_of(x, y, p);
  auto [cost, gradient] = kt::all_reduce(std::tuple(own, grad(own, p)), kt::mean);
  return kt::outputs(cost).update(p, p - 0.02f * gradient);
};
constexpr auto one_by_one = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  auto cost = cost_of(x, y, p);
  auto const reduced = kt::memberwise([](auto g) { return kt::all_reduce(g, kt::mean); }, grad(cost, p));
  return kt::outputs(kt::all_reduce(cost, kt::mean)).update(p, p - 0.02f * reduced);
};

/// The times of tasks in microseconds, a round of all of them after the other: one in ten is shorter. Medians would measure
/// whatever else runs on the machine.
template <class... Task>
std::array<double, sizeof...(Task)> deciles(int rounds, Task const&... task) {
  std::array<std::vector<double>, sizeof...(Task)> times;
  for (int k = 0; k < rounds; ++k) {
    std::size_t t = 0;
    auto const time = [&](auto const& one) {
      MPI_Barrier(MPI_COMM_WORLD);
      auto const begin = std::chrono::steady_clock::now();
      one();
      times[t++].push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    };
    (time(task), ...);
  }
  std::array<double, sizeof...(Task)> found{};
  for (std::size_t t = 0; t < found.size(); ++t) {
    std::sort(times[t].begin(), times[t].end());
    found[t] = times[t][times[t].size() / 10];
  }
  return found;
}

}  // namespace

int main() {
  kt::distributed::communicator const world;
  bool const prints = world.rank() == 0;
  if (prints) std::printf("%d ranks; microseconds, of which one in ten is shorter\n\n   floats   MPI_Allreduce   kt::all_reduce\n", world.size());
  auto const sum = kt::function([](kt::fvector x) { return kt::all_reduce(x, kt::sum); });
  for (std::size_t n : {std::size_t{1}, std::size_t{1'000}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    xt::xtensor<float, 1> const x = xt::ones<float>({n});
    xt::xtensor<float, 1> y = x, z = x;
    auto const [mpi, kroton] = deciles(
        n > 10'000 ? 300 : 3000,
        [&] { MPI_Allreduce(x.data(), y.data(), static_cast<int>(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); },
        [&] { sum.into(z, x); });
    if (prints) std::printf("%9zu %15.1f %16.1f\n", n, mpi, kroton);
  }

  std::size_t const pixels = 784, hidden = 500, classes = 10, batch = 100;
  auto small = [](auto... extents) { return xt::eval(0.01f * xt::ones<float>({extents...})); };
  kt::shared<mlp> p(small(pixels, hidden), small(hidden), small(hidden, classes), small(classes));
  auto const f = kt::function(alone, p);
  auto const g = kt::function(together, p);
  auto const h = kt::function(one_by_one, p);
  xt::xtensor<float, 2> const x = small(batch, pixels), y = small(batch, classes);
  auto const [without, bucket, separate] = deciles(300, [&] { f(x, y); }, [&] { g(x, y); }, [&] { h(x, y); });
  if (prints)
    std::printf("\na step of a perceptron 784-500-10, 100 images a rank, 397,510 weights\n  without a reduction %9.0f\n"
                "  one op              %9.0f\n  five ops            %9.0f\n", without, bucket, separate);
}
