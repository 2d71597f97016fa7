// kt::all_reduce of arrays on devices, by NCCL: what it gives on two and on four ranks, against the same on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include "nccl/device.hpp"

#include <xtensor/xview.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <latch>
#include <set>
#include <thread>
#include <vector>

namespace nccl_tests {

matrix of_rank(int r, std::size_t rows = 3, std::size_t columns = 4) {
  matrix x = matrix::from_shape({rows, columns});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) x(i, j) = std::sin(1.0 + 7 * r + 3.0 * static_cast<double>(i) + static_cast<double>(j));
  return x;
}
bool are_near(matrix const& a, matrix const& b) {
  return a.shape() == b.shape() && xt::amax(xt::abs(a - b))() <= 1e-14;
}
/// NaN is equal to NaN.
template <class A>
bool are_same(A const& a, A const& b) {
  return a.shape() == b.shape() && xt::all(xt::equal(a, b) || (xt::not_equal(a, a) && xt::not_equal(b, b)));
}

constexpr auto all_kinds = [](kt::dmatrix x) {
  return std::tuple(kt::all_reduce(x, kt::sum), kt::all_reduce(x, kt::mean), kt::all_reduce(x, kt::max),
                    kt::all_reduce(x, kt::min));
};
constexpr auto extrema = [](kt::fvector x) {
  return std::tuple(kt::all_reduce(x, kt::max), kt::all_reduce(x, kt::min));
};

}  // namespace nccl_tests

TEST_CASE("sums, means and extrema of arrays on devices stay there") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  auto const f = kt::cuda::function_on<device>(all_kinds);
  STATIC_REQUIRE(kt::cuda::transfers(f).to_host == 0);
  STATIC_REQUIRE(kt::cuda::transfers(f).to_device == 0);
  nccl_stand_in::now().reductions = 0;
  matrix const x = of_rank(world.rank());
  auto const [sum, mean, most, least] = f(x);
  CHECK(nccl_stand_in::now().reductions == (world.size() > 1 ? 4 : 0));
  auto const [sum_there, mean_there, most_there, least_there] = kt::function(all_kinds)(x);
  CHECK(are_near(matrix(sum), sum_there));
  CHECK(are_near(matrix(mean), mean_there));
  CHECK((matrix(most) == most_there));
  CHECK((matrix(least) == least_there));
  CHECK(matrix(std::get<0>(f(matrix::from_shape({0, 4})))).size() == 0);
}

TEST_CASE("NaN, infinities and zeros of both signs in extrema by NCCL") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  using floats = xt::xtensor<float, 1>;
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN(),
              tiny = std::numeric_limits<float>::denorm_min(), largest = std::numeric_limits<float>::max();
  bool const is_last = world.rank() == world.size() - 1;
  floats const x = is_last ? floats{nan, -inf, -1, -tiny, -largest, inf, 2, -nan} : floats{1, -3, -2, tiny, largest, 0, nan, 5};
  auto const [most, least] = kt::cuda::function_on<device>(extrema)(x);
  auto const [most_there, least_there] = kt::function(extrema)(x);
  CHECK(are_same(floats(most), most_there));
  CHECK(are_same(floats(least), least_there));
}

TEST_CASE("several values are one launch, those that are strided, of no elements or of rank 0 among them") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  constexpr auto both = [](kt::dmatrix x, kt::dvector none) {
    auto [cost, y, z] = kt::all_reduce(std::tuple(sum(x), x.T(), none), kt::mean);
    return std::tuple(cost * y, z);
  };
  auto const f = kt::cuda::function_on<device>(both);
  matrix const x = of_rank(world.rank());
  nccl_stand_in::now().launches = 0;
  auto const [y, z] = f(x, vector::from_shape({0}));
  CHECK(nccl_stand_in::now().launches == (world.size() > 1 ? 1 : 0));
  auto const [y_there, z_there] = kt::function(both)(x, vector::from_shape({0}));
  CHECK(are_near(matrix(y), y_there));
  CHECK(vector(z).size() == 0);
  // Large arrays, which begin early on the host
  constexpr auto large = [](kt::dmatrix a) {
    auto b = exp(a);
    auto [p, q] = kt::all_reduce(std::tuple(b, exp(-sin(b))), kt::sum);
    return p + q;
  };
  matrix const a = of_rank(world.rank(), 120, 110);
  CHECK(xt::amax(xt::abs(matrix(kt::cuda::function_on<device>(large)(a)) - kt::function(large)(a)))() <= 1e-12);
}

TEST_CASE("integers and complex numbers by NCCL; integers of 16 bits over the host") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  int const n = world.size();
  auto const integers = kt::cuda::function_on<device>(
      [](kt::lvector k) { return std::tuple(kt::all_reduce(k, kt::sum), kt::all_reduce(k, kt::max)); });
  auto const [total, most] = integers(xt::xtensor<std::int64_t, 1>{world.rank(), -world.rank()});
  CHECK((xt::xtensor<std::int64_t, 1>(total) == xt::xtensor<std::int64_t, 1>{n * (n - 1) / 2, -n * (n - 1) / 2}));
  CHECK((xt::xtensor<std::int64_t, 1>(most) == xt::xtensor<std::int64_t, 1>{n - 1, 0}));
  auto const complex = kt::cuda::function_on<device>([](kt::zvector z) { return kt::all_reduce(z, kt::mean); });
  using numbers = xt::xtensor<std::complex<double>, 1>;
  CHECK((numbers(complex(numbers{{1, 2.0 * world.rank()}})) == numbers{{1, n - 1.0}}));
  auto const short_ones = kt::cuda::function_on<device>([](kt::wvector k) { return kt::all_reduce(k, kt::sum); });
  STATIC_REQUIRE(kt::cuda::transfers(short_ones).to_host == 1);
  CHECK((xt::xtensor<std::int16_t, 1>(short_ones(xt::xtensor<std::int16_t, 1>{3})) == xt::xtensor<std::int16_t, 1>{static_cast<std::int16_t>(3 * n)}));
}

TEST_CASE("gradients through reductions by NCCL are those through MPI's") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  constexpr auto costs = [](kt::dmatrix x) {
    auto s = grad(sum(sqr(kt::all_reduce(x, kt::sum))), x), m = grad(sum(exp(kt::all_reduce(x, kt::mean))), x);
    return std::tuple(s, m, grad(sum(sqr(kt::all_reduce(x.T(), kt::max))), x), grad(sum(sqr(kt::all_reduce(x, kt::min))), x));
  };
  auto const f = kt::cuda::function_on<device>(costs);
  STATIC_REQUIRE(kt::cuda::transfers(f).to_host == 0);
  matrix x = of_rank(world.rank());
  x(1, 1) = 3;  // a tie: to the first rank
  auto const [s, m, most, least] = f(x);
  auto const [s_there, m_there, most_there, least_there] = kt::function(costs)(x);
  CHECK(are_near(matrix(s), s_there));
  CHECK(are_near(matrix(m), m_there));
  CHECK(are_near(matrix(most), most_there));
  CHECK(are_near(matrix(least), least_there));
}

TEST_CASE("a step of training on devices is that on the host") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
    auto own = mean(sqr(dot(x, w) + b - y));
    auto [gw, gb] = grad(own, w, b);
    auto [cost, dw, db] = kt::all_reduce(std::tuple(own, gw, gb), kt::mean);
    return kt::outputs(cost).update(w, w - 0.1 * dw).update(b, b - 0.1 * db);
  };
  kt::cuda::shared<double, 1, device> w(vector{0.1, 0.2, 0.3, 0.4});
  kt::cuda::shared<double, 0, device> b(0.5);
  kt::shared w_there(vector{0.1, 0.2, 0.3, 0.4});
  kt::shared b_there(0.5);
  auto const train = kt::cuda::function_on<device>(step, w, b);
  auto const train_there = kt::function(step, w_there, b_there);
  matrix const x = of_rank(world.rank(), 6, 4);
  vector const y = xt::sin(xt::arange<double>(6));
  for (int i = 0; i < 5; ++i) CHECK(static_cast<double>(train(x, y)) == Approx(train_there(x, y)).epsilon(1e-13));
  CHECK(xt::amax(xt::abs(vector(w.get_value()) - w_there.get_value()))() <= 1e-14);
}

TEST_CASE("ranks of another communicator reduce by one of their own") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  if (world.size() < 4) return;
  MPI_Comm pairs;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, world.rank(), &pairs);
  kt::distributed::communicator const half(pairs);
  auto const f = kt::cuda::function_on<device>([](kt::dvector x) { return kt::all_reduce(x, kt::sum); });
  vector const x{1.0 + world.rank()};
  {
    kt::distributed::scope const within(half);
    CHECK(vector(f(x))(0) == (world.rank() % 2 == 0 ? 4 : 6));
  }
  CHECK(vector(f(x))(0) == 10);
}

TEST_CASE("threads find what is known of the groups of their own at the same time") {
  using namespace nccl_tests;
  all_ranks();
  constexpr std::size_t count = 64, at_once = 4;
  std::vector<kt::distributed::group*> groups(count);
  for (auto& g : groups) g = kt::distributed::all_groups::get().add(MPI_COMM_SELF).get();
  std::vector<kt::cuda::device_ranks*> found(count);
  std::vector<std::thread> threads;
  std::latch begin(at_once);
  for (std::size_t t = 0; t < at_once; ++t)
    threads.emplace_back([&, t] {
      begin.arrive_and_wait();
      for (std::size_t k = t; k < count; k += at_once) found[k] = &kt::cuda::device_ranks::of(*groups[k]);
    });
  for (std::thread& t : threads) t.join();
  CHECK(std::set<void*>(found.begin(), found.end()).size() == count);
  for (std::size_t k = 0; k < count; ++k) CHECK(&kt::cuda::device_ranks::of(*groups[k]) == found[k]);
}

TEST_CASE("a rank that calls on the host while another does on a device is an error on all") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  if (world.size() == 1) return;
  constexpr auto total = [](kt::dvector x) { return kt::all_reduce(x, kt::sum); };
  constexpr auto largest = [](kt::dvector x) { return grad(sum(kt::all_reduce(x, kt::max)), x); };
  constexpr auto several = [](kt::dvector x, kt::dvector y) { return kt::all_reduce(std::tuple(exp(x), sum(y)), kt::sum); };
  bool const is_on_host = world.rank() == 1;
  auto const both = [&](auto const& here, auto const& there, auto const&... x) {
    auto const call = [&] {
      if (is_on_host) (void)here(x...);
      else (void)there(x...);
    };
    CHECK(thrown<kt::distributed::error>(call) == "kt::all_reduce: rank 0 reduces on a device, by NCCL, but rank 1 on the host, by MPI");
  };
  vector const x{1, 2}, large = xt::ones<double>({100'000});
  auto const on_device = kt::cuda::function_on<device>(total);
  both(kt::function(total), on_device, x);
  both(kt::function(largest), kt::cuda::function_on<device>(largest), x);
  both(kt::function(several), kt::cuda::function_on<device>(several), large, x);  // begins early on the host
  CHECK(vector(on_device(x))(1) == 2 * world.size());
}

TEST_CASE("ranks that differ, or fail before they agree, are an error on all") {
  using namespace nccl_tests;
  auto const world = all_ranks();
  if (world.size() == 1) return;
  auto const f = kt::cuda::function_on<device>([](kt::dvector x) { return kt::all_reduce(x, kt::sum); });
  std::string const text = thrown<kt::shape_error>([&] { f(vector::from_shape({std::size_t(world.rank() == 1 ? 4 : 3)})); });
  CHECK(contains(text, "the value has the extents (3) on rank 0, but (4) on rank 1"));
  vector const x{1};
  f(x);
  device::current = world.rank();
  std::string const moved = thrown([&] { f(x); });
  device::current = 0;
  if (world.rank() == 1) CHECK(moved == "kt::all_reduce: rank 1 of " + std::to_string(world.size()) + " reduces on device 0, but device 1 is the current one");
  if (world.rank() == 0) CHECK(contains(moved, "has left a call by an error"));
  CHECK(vector(f(x))(0) == world.size());
}
