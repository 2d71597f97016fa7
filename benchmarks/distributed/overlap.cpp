// A step of training whose reductions begin early, against one that reduces at its end: mpirun -n 2. Ranks share the machine, so
// the network is imitated: a reduction of n bytes takes n / B longer, and no core does anything for that time. The first argument
// is B in GB/s; 0: memory alone.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/distributed.hpp>
#include <kroton/kroton.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace kt = kroton;

namespace {

using clock_type = std::chrono::steady_clock;
double bandwidth = 0;
clock_type::time_point due;  // of the reduction under way

std::chrono::nanoseconds time_of(int count, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  return std::chrono::nanoseconds(bandwidth > 0 ? static_cast<long>(count * static_cast<double>(size) / bandwidth) : 0);
}

struct mlp : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(mlp, (kt::fmatrix, W1), (kt::fvector, b1), (kt::fmatrix, W2), (kt::fvector, b2), (kt::fmatrix, W3),
                           (kt::fvector, b3));
};
constexpr auto cost_of = [](kt::fmatrix x, kt::fmatrix y, mlp p) {
  auto const hidden = tanh(dot(tanh(dot(x, p.W1) + p.b1), p.W2) + p.b2);
  return -mean(sum(y * log_softmax(dot(hidden, p.W3) + p.b3), kt::axis<1>));
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

template <class Call>
double milliseconds(Call const& call) {
  MPI_Barrier(MPI_COMM_WORLD);
  auto const begin = clock_type::now();
  call();
  return std::chrono::duration<double, std::milli>(clock_type::now() - begin).count();
}

}  // namespace

// MPI lets a program stand before its functions.
extern "C" int MPI_Allreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm ranks) {
  int const code = PMPI_Allreduce(from, to, count, type, op, ranks);
  std::this_thread::sleep_for(time_of(count, type));
  return code;
}
extern "C" int MPI_Iallreduce(void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm ranks, MPI_Request* made) {
  due = clock_type::now() + time_of(count, type);
  return PMPI_Iallreduce(from, to, count, type, op, ranks, made);
}
extern "C" int MPI_Test(MPI_Request* pending, int* done, MPI_Status* status) {
  if (clock_type::now() >= due) return PMPI_Test(pending, done, status);
  int const code = PMPI_Request_get_status(*pending, done, MPI_STATUS_IGNORE);
  *done = 0;
  return code;
}

int main(int count, char** arguments) {
  kt::distributed::communicator const world;
  bandwidth = count > 1 ? std::atof(arguments[1]) : 1;
  std::size_t const pixels = 784, hidden = 1000, classes = 1000, rounds = 60;
  auto small = [](auto... extents) { return xt::eval(0.01f * xt::ones<float>({extents...})); };
  kt::shared<mlp> p(small(pixels, hidden), small(hidden), small(hidden, hidden), small(hidden), small(hidden, classes), small(classes));
  auto const f = kt::function(alone, p);
  auto const g = kt::function(together, p);
  for (std::size_t batch : {std::size_t{100}, std::size_t{300}}) {
    auto const x = small(batch, pixels), y = small(batch, classes);
    std::vector<double> times[3];
    for (std::size_t k = 0; k < rounds; ++k) {
      times[0].push_back(milliseconds([&] { f(x, y); }));
      for (bool overlaps : {false, true}) {
        world.overlap(overlaps);
        times[overlaps ? 2 : 1].push_back(milliseconds([&] { g(x, y); }));
      }
    }
    for (auto& t : times) std::sort(t.begin(), t.end());
    if (world.rank() == 0)
      std::printf("%zu images, %g GB/s, milliseconds, of which one in ten is shorter: no reduction %.1f, at the end %.1f, early %.1f\n", batch,
                  bandwidth, times[0][rounds / 10], times[1][rounds / 10], times[2][rounds / 10]);
  }
}
