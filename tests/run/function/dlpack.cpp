// Arrays as DLPack's tensors, with the layout of its header in version 0.6.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/dlpack.hpp>
#include <kroton/kroton.hpp>

#include "run/reference.hpp"

#include <complex>

#include <xtensor/xadapt.hpp>
#include <xtensor/xview.hpp>

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif

using namespace reference;

namespace {

#if !__has_include(<dlpack/dlpack.h>)
enum DLDeviceType { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3 };
struct DLDevice {
  DLDeviceType device_type;
  int device_id;
};
struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int ndim;
  DLDataType dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};
#endif

// Of DLPack 1.0.
struct versioned {
  struct {
    std::uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(versioned* self);
  std::uint64_t flags;
  DLTensor dl_tensor;
};
template <class A>
concept given_away = requires(A&& a) { kt::to_dlpack<DLManagedTensor>(std::forward<A>(a)); };
static_assert(given_away<xt::xtensor<float, 2>> && !given_away<xt::xtensor<float, 2>&>);
// A view does not own its elements.
static_assert(!given_away<decltype(xt::view(std::declval<xt::xtensor<float, 2>&>(), 0))>);
static_assert(!given_away<decltype(xt::adapt(std::declval<double*>(), std::array{2ul}))>);

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (kt::value_error const& e) { return e.what(); }
  return "";
}

}  // namespace

TEST_CASE("tensors of DLPack are arguments and targets where they are") {
  auto f = kt::function([](kt::dmatrix x, kt::fvector v) { return std::tuple(x + 1, 2 * v); });
  double elements[] = {9, 0, 1, 2, 3, 4, 5};
  float odd[] = {1, -1, 2, -1, 3};
  std::int64_t shape[] = {2, 3}, turned[] = {1, 2}, three[] = {3}, two[] = {2};
  // Columns of a matrix that lie one behind the other, behind one element; every second element.
  DLTensor const x{elements, {kDLCPU, 0}, 2, {2, 64, 1}, shape, turned, 8};
  DLTensor v{odd, {kDLCPU, 0}, 1, {2, 32, 1}, three, two, 0};
  auto const [y, w] = f(kt::from_dlpack<double const, 2>(x), kt::from_dlpack<float const, 1>(v));
  CHECK((y == mat<double>{{1, 3, 5}, {2, 4, 6}}));
  CHECK((w == xt::xtensor<float, 1>{2, 4, 6}));

  mat<double> sums;
  auto target = kt::from_dlpack<float, 1>(v);
  f.into(std::tie(sums, target), kt::from_dlpack<double const, 2>(x),
         xt::xtensor<float, 1>{10, 20, 30});
  CHECK((odd[0] == 20 && odd[1] == -1 && odd[2] == 40 && odd[4] == 60));
}

TEST_CASE("tensors of DLPack that are something else are refused") {
  std::int64_t shape[] = {2, 3}, negative[] = {-1, 3};
  alignas(8) char memory[64]{};
  DLTensor const good{memory, {kDLCPU, 0}, 2, {2, 64, 1}, shape, nullptr, 0};
  auto const with = [&](auto change) {
    DLTensor changed = good;
    change(changed);
    return refusal([&] { kt::from_dlpack<double, 2>(changed); });
  };
  CHECK(with([](DLTensor&) {}) == "");
  CHECK(with([](DLTensor& t) { t.ndim = 3; }) ==
        "kt::from_dlpack: the tensor has 3 dimensions, not 2");
  CHECK(with([](DLTensor& t) { t.dtype.bits = 32; }) ==
        "kt::from_dlpack: the tensor has elements of float32, not float64");
  CHECK(with([](DLTensor& t) { t.dtype.code = 0; }).find("of int64, not") != std::string::npos);
  CHECK(with([](DLTensor& t) { t.dtype.lanes = 4; }).find("vectors of 4") != std::string::npos);
  CHECK(with([](DLTensor& t) { t.device.device_type = kDLCUDA; }).find("(type 2)") !=
        std::string::npos);
  CHECK(with([](DLTensor& t) { t.data = nullptr; }).find("no memory") != std::string::npos);
  CHECK(with([](DLTensor& t) { t.byte_offset = 4; }).find("aligned") != std::string::npos);
  CHECK(with([&](DLTensor& t) { t.shape = negative; }).find("negative") != std::string::npos);
}

TEST_CASE("results become tensors of DLPack, which own them") {
  using complex = std::complex<float>;
  auto* made = kt::to_dlpack<DLManagedTensor>(xt::xtensor<complex, 2>{{1, {2, 3}, 4}});
  DLTensor const& t = made->dl_tensor;
  CHECK((t.ndim == 2 && t.dtype.code == 5 && t.dtype.bits == 64 && t.dtype.lanes == 1));
  CHECK((t.shape[0] == 1 && t.shape[1] == 3 && t.strides[0] == 3 && t.strides[1] == 1));
  CHECK(static_cast<complex const*>(t.data)[1] == complex(2, 3));
  auto const back = kt::from_dlpack<complex const, 2>(t);
  CHECK((back.shape[1] == 3 && back.data[2] == complex(4)));
  made->deleter(made);

  auto* flags = kt::to_dlpack<DLManagedTensor>(xt::xarray<bool>{true, false});
  CHECK((flags->dl_tensor.dtype.code == 6 && flags->dl_tensor.dtype.bits == 8));
  flags->deleter(flags);

  auto* newer = kt::to_dlpack<versioned>(xt::xtensor<double, 1>{1, 2});
  CHECK((newer->version.major == 1 && newer->version.minor == 0 && newer->flags == 0));
  CHECK(kt::from_dlpack<double const, 1>(newer->dl_tensor).data[1] == 2);
  newer->deleter(newer);
}
