// Arrays of devices as DLPack's tensors, on an emulated device.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/cuda/dlpack.hpp>
#include <kroton/cuda/emulated.hpp>
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

namespace device_dlpack {

namespace kt = kroton;
using device = kt::cuda::emulated<>;
using matrix = xt::xtensor<double, 2>;

// The layout of DLPack's header in version 0.6
struct tensor {
  void* data;
  struct {
    int device_type, device_id;
  } device;
  int ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct managed {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed* self);
};

std::string refusal(tensor const& t) {
  try {
    kt::cuda::from_dlpack<double, 2, device>(t);
  } catch (kt::value_error const& e) { return e.what(); }
  return "";
}

}  // namespace device_dlpack

TEST_CASE("tensors of DLPack in the memory of a device are arguments and targets") {
  using namespace device_dlpack;
  auto const f = kt::cuda::function_on<device>([](kt::dmatrix x) { return x + 1; });
  double elements[] = {9, 0, 1, 2, 3, 4, 5}, results[6]{};
  std::int64_t shape[] = {2, 3}, turned[] = {1, 2};
  tensor const x{elements, {1, 0}, 2, {2, 64, 1}, shape, turned, 8};
  tensor const y{results, {1, 0}, 2, {2, 64, 1}, shape, nullptr, 0};
  CHECK((matrix(f(kt::cuda::from_dlpack<double, 2, device>(x))) == matrix{{1, 3, 5}, {2, 4, 6}}));
  auto target = kt::cuda::from_dlpack<double, 2, device>(y);
  f.into(target, kt::cuda::from_dlpack<double, 2, device>(x));
  CHECK((results[1] == 3 && results[5] == 6));
  CHECK((matrix(f(kt::cuda::from_dlpack<double const, 2, device>(x))) == matrix{{1, 3, 5}, {2, 4, 6}}));
  float numbers[] = {1, 2};
  std::int64_t both[] = {2};
  tensor const floats{numbers, {1, 0}, 1, {2, 32, 1}, both, nullptr, 0}, half{numbers, {1, 0}, 0, {2, 32, 1}, nullptr, nullptr, 4};
  auto const scaled = kt::cuda::function_on<device>([](kt::fvector v, kt::fscalar c) { return c * v; });
  xt::xtensor<float, 1> const twice = scaled(kt::cuda::from_dlpack<float const, 1, device>(floats), kt::cuda::from_dlpack<float const, 0, device>(half));
  CHECK((twice(0) == 2 && twice(1) == 4));

  tensor wrong = x;
  wrong.device.device_type = 2;
  CHECK(refusal(wrong) == "kt::cuda::from_dlpack: the tensor lies in memory of type 2 of device 0, not in that of the current one");
  wrong = x;
  wrong.dtype.bits = 32;
  CHECK(refusal(wrong) == "kt::cuda::from_dlpack: the tensor has elements of float32, not float64");
}

TEST_CASE("results of a device become tensors of DLPack, which own them") {
  using namespace device_dlpack;
  auto const f = kt::cuda::function_on<device>([](kt::dmatrix x) { return 2.0 * x; });
  managed* const made = kt::cuda::to_dlpack<managed>(f(matrix{{1, 2, 3}}));
  tensor const& t = made->dl_tensor;
  CHECK((t.ndim == 2 && t.dtype.code == 2 && t.dtype.bits == 64 && t.dtype.lanes == 1));
  CHECK((t.shape[0] == 1 && t.shape[1] == 3 && t.strides[0] == 3 && t.strides[1] == 1));
  CHECK(static_cast<double*>(t.data)[2] == 6);
  CHECK((matrix(f(kt::cuda::from_dlpack<double, 2, device>(t))) == matrix{{4, 8, 12}}));
  made->deleter(made);
}
