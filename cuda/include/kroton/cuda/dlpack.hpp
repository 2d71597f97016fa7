// Arrays of devices as DLPack's tensors, in which PyTorch, JAX and CuPy hand over theirs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/array.hpp>
#include <kroton/dlpack.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace kroton::cuda {

/// The elements of a DLPack tensor in the memory of the current device as an argument or, if they
/// are not const, a target of `into`: read and written where they are, whatever their strides. The
/// tensor keeps its owner.
/// Work on it that is under way in another stream is to be waited for first.
///
///     auto y = f(kt::cuda::from_dlpack<float const, 2>(managed->dl_tensor));
///
/// Throws kt::value_error where the tensor has another number of dimensions, other elements, lies
/// in other memory, or where its elements are not aligned. (cupy.from_dlpack)
template <class T, std::size_t Rank, class Device = gpu, functions::dlpack_tensor Tensor>
array_view<T, static_cast<int>(Rank), Device> from_dlpack(Tensor const& tensor) {
  int const type = static_cast<int>(tensor.device.device_type);
  bool const is_here = type == Device::dlpack_type && tensor.device.device_id == Device::number();
  if (!is_here && type != Device::dlpack_shared_type)
    throw value_error("kt::cuda::from_dlpack: the tensor lies in memory of type " +
                      std::to_string(type) + " of device " +
                      std::to_string(tensor.device.device_id) + ", not in that of the current one");
  auto const seen = functions::view_of_dlpack<T, Rank>(tensor, "kt::cuda::from_dlpack");
  return std::apply(
      [&](auto... strides) {
        return array_view<T, static_cast<int>(Rank), Device>(seen.data, seen.shape)
            .strided(strides...);
      },
      seen.strides);
}

/// A DLPack tensor that owns an array of a device, which is moved into it: `auto* t =
/// kt::cuda::to_dlpack<DLManagedTensor>(f(x))`. Whoever takes it calls `t->deleter(t)` at the end,
/// and uses it in the stream of the call (kt::cuda::on_stream), or after that.
template <functions::dlpack_managed Managed, class T, int Rank, class Device>
Managed* to_dlpack(array<T, Rank, Device>&& moved) {
  using owner = functions::dlpack_owner<Managed, array<T, Rank, Device>>;
  std::unique_ptr<owner> made(new owner{{}, std::move(moved), {}, {}});
  core::array_ref const seen = made->array.ref();
  made->shape.assign(seen.extents, seen.extents + Rank);
  made->strides.assign(seen.strides, seen.strides + Rank);
  T* const data = made->array.data();
  return functions::released_dlpack(std::move(made), data, Device::dlpack_type, Device::number());
}

}  // namespace kroton::cuda
