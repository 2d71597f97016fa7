// Device code without a device: what CUDA threads compute, walked on the host, is what the CPU's loops compute.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/cuda/agree.hpp"

#include <string>
#include <vector>

namespace kt = kroton;
using namespace kroton;

using namespace testing;

TEST_CASE("cuda: a formula for every size around the edges of blocks and grids") {
  auto const f = [](kt::dvector x, kt::dvector y, kt::dscalar a) { return a * exp(-x * x) + tanh(y) / (1 + x * x); };
  auto on_device = kt::cuda::function_on<device>(f);
  auto on_cpu = kt::function(f);
  for (std::size_t n : {0, 1, 2, 31, 32, 33, 63, 64, 65, 95, 96, 97, 191, 192, 193, 1000}) {
    INFO("size " << n);
    require_same(on_device(ramp(n), xt::eval(ramp(n) + 0.5), 1.5),
                 on_cpu(ramp(n), xt::eval(ramp(n) + 0.5), 1.5), 8);
  }
}

TEST_CASE("cuda: the shape of a grid") {
  CHECK(kt::cuda::grid_for(1, 256, 4096).blocks == 1);
  CHECK(kt::cuda::grid_for(256, 256, 4096).blocks == 1);
  CHECK(kt::cuda::grid_for(257, 256, 4096).blocks == 2);
  CHECK(kt::cuda::grid_for(std::int64_t{1} << 40, 256, 4096).blocks == 4096);
}

TEST_CASE("cuda: several outputs of several element types share one launch") {
  agree([](kt::dvector x, kt::fvector y, kt::lvector n) {
    auto s = x + y;
    return std::tuple(s, s > 0, n * 2 + 1, cast<float>(s) * y, where(x > 0, n, -n));
  }, ramp(300), ramp<float>(300), ramp<std::int64_t>(300));
}

TEST_CASE("cuda: element types") {
  agree([](kt::bvector a, kt::wvector b, kt::ivector c) { return std::tuple(a + b, b * c, a / c, pow(c, 2), a & c, c > b); },
        xt::eval(ramp<std::int8_t>(100)), ramp<std::int16_t>(100), xt::eval(ramp<std::int32_t>(100) + 100));
  agree([](kt::vector<std::uint8_t> a, kt::vector<bool> m) { return std::tuple(a + 250, ~m, m | (a > 3), where(m, a, 1)); },
        xt::xtensor<std::uint8_t, 1>{1, 5, 200}, xt::xtensor<bool, 1>{true, false, true});
}

TEST_CASE("cuda: broadcasts are strides") {
  agree([](kt::dmatrix x, kt::dvector v) { return x * v + v; }, grid(13, 37), ramp(37));
  agree([](kt::dmatrix x, kt::dcol c, kt::drow r) { return std::tuple(x + c * r, c - r); }, grid(13, 37), grid(13, 1), grid(1, 37));
  agree([](kt::dtensor3 t, kt::dmatrix x, kt::dscalar a) { return a * t / (2 + x); },
        xt::eval(xt::reshape_view(grid(15, 20), {std::size_t{3}, std::size_t{5}, std::size_t{20}})), grid(5, 20), 0.25);
  // Different spaces are different launches, with the smaller one's value kept on the device between them.
  agree([](kt::dmatrix x, kt::dvector v) { return std::tuple(x * exp(v), exp(v) + 1); }, grid(13, 37), ramp(37));
}

TEST_CASE("cuda: views are strides") {
  agree([](kt::dmatrix x, kt::dmatrix y) { return x.T() + y; }, grid(13, 37), grid(37, 13));
  agree([](kt::dmatrix x) { return x(kt::slice(1, 9, 2), kt::slice(kt::none, kt::none, -1)) * 2; }, grid(13, 37));
  agree([](kt::dmatrix x) { return x.T(); }, grid(13, 37));
  agree([](kt::dvector x) { return std::tuple(x, x + 1, x); }, ramp(40));
  agree([](kt::dmatrix x) { return reshape<1>(x, -1) + 1; }, grid(4, 5));
}

TEST_CASE("cuda: extents of zero and one") {
  agree([](kt::dmatrix x, kt::dvector v) { return x + v; }, grid(0, 5), ramp(5));
  agree([](kt::dmatrix x, kt::dvector v) { return x + v; }, grid(5, 0), ramp(0));
  agree([](kt::dmatrix x, kt::dvector v) { return x + v; }, grid(1, 1), ramp(1));
}

TEST_CASE("cuda: scalars stay on the host") {
  agree([](kt::dscalar a, kt::dvector x) { return std::tuple(exp(a) * x, a * a, x.shape(0)); }, 0.5, ramp(10));
  agree([](kt::lscalar n, kt::dvector x) { return x * n; }, 3, ramp(10));
}

TEST_CASE("cuda: packs along the rows of broadcast operands, and rows that have none") {
  constexpr auto f = [](kt::fmatrix x, kt::fvector row, kt::fcol column, kt::matrix<double> y) {
    return std::tuple(x * row + column, tanh(x + y) * row, row * 2, column * row);
  };
  for (std::size_t n : {1, 2, 7})
    for (std::size_t m : {1, 2, 4, 6, 64, 1000})
      agree(f, grid<float>(n, m), ramp<float>(m), grid<float>(n, 1), grid(n, m));
  auto const x = grid<float>(8, 64);
  agree([](kt::fmatrix x) { return x(kt::slice(), kt::slice(4, 60)) * 2; }, x);
  agree([](kt::fmatrix x) { return x(kt::slice(), kt::slice(1, 61)) * 2; }, x);
  agree([](kt::fmatrix x) { return x(kt::slice(kt::none, kt::none, -1)) + x; }, x);
  agree([](kt::ftensor3 x, kt::fmatrix m) { return x + m; },
        xt::eval(xt::cast<float>(cube(3, 5, 8))), grid<float>(5, 8));
}

TEST_CASE("cuda: loops over transposed and other operands") {
  for (auto const& [n, m] :
       {std::pair<std::size_t, std::size_t>{32, 32}, {33, 70}, {100, 31}, {64, 129}}) {
    INFO(n << " x " << m);
    agree([](kt::fmatrix x, kt::fmatrix t,
             kt::fvector r) { return std::tuple(x + t.T() * r, x * 2); },
          grid<float>(n, m), grid<float>(m, n), ramp<float>(m));
    agree([](kt::dmatrix x, kt::matrix<std::int8_t> t, kt::fmatrix u,
             kt::dscalar a) { return std::tuple(x * t.T() + u.T() * a, x > u.T()); },
          grid(n, m), grid<std::int8_t>(m, n), grid<float>(m, n), 0.5);
  }
  agree([](kt::dtensor3 x, kt::dtensor3 y) { return x + dimshuffle<0, 2, 1>(y); }, cube(3, 40, 50),
        cube(3, 50, 40));
  agree([](kt::dtensor3 x, kt::dtensor3 y) { return x + dimshuffle<2, 1, 0>(y); }, cube(40, 3, 50),
        cube(50, 3, 40));
  agree([](kt::dtensor3 x, kt::dtensor3 y) { return x + y.T(); }, cube(40, 33, 50),
        cube(50, 33, 40));
}

TEST_CASE("cuda: gradients are elementwise programs too") {
  agree([](kt::dvector x, kt::dvector s) { return lop(tanh(x) * sigmoid(x * x), x, s); }, ramp(50), ramp(50));
}

TEST_CASE("cuda: arrays of the device are used in place and chain") {
  auto f = kt::cuda::function_on<device>([](kt::fmatrix x, kt::fvector v) { return x * v + 1; });
  xt::xtensor<float, 2> const x{{1, 2, 3}, {4, 5, 6}};
  xt::xtensor<float, 1> const v{1, 0, 2};
  device_array<float, 2> const on_device(x);
  CHECK(on_device.shape() == std::array<std::size_t, 2>{2, 3});
  xt::xtensor<float, 2> y;
  y = f(f(on_device, v), device_array<float, 1>(v));
  CHECK((y == xt::xtensor<float, 2>{{3, 1, 15}, {6, 1, 27}}));
  auto copy = f;
  CHECK((copy(x, v).get_value() == xt::eval(x * v + 1)));
  // A strided view is packed on its way.
  auto const columns = xt::view(x, xt::all(), xt::range(0, 3, 2));
  CHECK((device_array<float, 2>(columns).get_value() == xt::xtensor<float, 2>{{1, 3}, {4, 6}}));
  device_array<float, 2> other;
  other = on_device;
  CHECK((other.get_value() == x));
  CHECK((device_array<float, 1>(std::vector<float>{1, 2}).get_value() == xt::xtensor<float, 1>{1, 2}));
}

TEST_CASE("cuda: extents are refused as on the CPU") {
  auto f = kt::cuda::function_on<device>([](kt::dmatrix x, kt::dvector v) { return x + v; });
  CHECK_THROWS_AS(f(grid(3, 4), ramp(5)), kt::shape_error);
  auto g = kt::function([](kt::dmatrix x, kt::dvector v) { return x + v; });
  std::string of_device, of_cpu;
  try {
    f(grid(3, 4), ramp(1));
  } catch (kt::shape_error const& e) {
    of_device = e.what();
  }
  try {
    g(grid(3, 4), ramp(1));
  } catch (kt::shape_error const& e) {
    of_cpu = e.what();
  }
  CHECK(!of_cpu.empty());
  CHECK(of_device == of_cpu);
}
