// Arrays as DLPack's tensors, in which NumPy, PyTorch, JAX and CuPy hand over theirs. No part of
// kroton.hpp; it works on whichever version of DLPack's header a program includes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/element.hpp>
#include <kroton/core/error.hpp>
#include <kroton/cpu/call/arrays/standard_arrays.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kroton {
namespace functions {

/// What DLPack's header declares as DLTensor, by the names of its members.
template <class A>
concept dlpack_tensor = requires(A& a) {
  { a.data };
  { a.device.device_type };
  { a.ndim };
  { a.dtype.code };
  { a.dtype.bits };
  { a.dtype.lanes };
  { a.shape };
  { a.strides };
  { a.byte_offset };
};
/// DLManagedTensor, or DLManagedTensorVersioned: a tensor with what frees it.
template <class A>
concept dlpack_managed = requires(A& a) {
  { a.dl_tensor } -> dlpack_tensor;
  { a.manager_ctx };
  { a.deleter };
};

/// DLPack's number of a family of element types.
template <class T>
constexpr int dlpack_code() {
  if constexpr (std::is_same_v<T, bool>) return 6;
  else if constexpr (core::is_complex_number<T>) return 5;
  else if constexpr (std::is_same_v<T, bfloat16>) return 4;
  else if constexpr (!std::numeric_limits<T>::is_integer) return 2;
  else return std::is_unsigned_v<T> ? 1 : 0;
}
inline std::string dlpack_name(int code, int bits) {
  constexpr char const* families[] = {"int", "uint", "float", "", "bfloat", "complex", "bool"};
  bool const is_known = code >= 0 && code < 7 && code != 3;
  return (is_known ? families[code] : "type " + std::to_string(code) + " of ") +
         std::to_string(bits);
}
/// Memory that the CPU reads: its own, and that which CUDA or ROCm pins or shares.
constexpr bool is_dlpack_memory_of_host(int device) {
  return device == 1 || device == 3 || device == 11 || device == 13;
}

/// Where the elements of a tensor lie, in whichever memory that is: what it has to say itself is
/// for the caller. Throws kt::value_error with the caller's name.
template <class T, std::size_t Rank, dlpack_tensor Tensor>
array_view<T, Rank> view_of_dlpack(Tensor const& tensor, std::string const& caller) {
  using value = std::remove_const_t<T>;
  auto const refuse = [&](std::string const& what) {
    throw value_error(caller + ": the tensor " + what);
  };
  int const code = static_cast<int>(tensor.dtype.code), bits = static_cast<int>(tensor.dtype.bits);
  if (tensor.ndim != static_cast<int>(Rank))
    refuse("has " + std::to_string(tensor.ndim) + " dimensions, not " + std::to_string(Rank));
  if (code != dlpack_code<value>() || bits != 8 * static_cast<int>(sizeof(value)))
    refuse("has elements of " + dlpack_name(code, bits) + ", not " +
           dlpack_name(dlpack_code<value>(), 8 * static_cast<int>(sizeof(value))));
  if (tensor.dtype.lanes != 1)
    refuse("has vectors of " + std::to_string(tensor.dtype.lanes) + " numbers as elements");
  array_view<T, Rank> made;
  std::ptrdiff_t next = 1;
  std::size_t count = 1;
  for (std::size_t d = Rank; d-- > 0;) {
    if (tensor.shape[d] < 0) refuse("has a negative extent");
    made.shape[d] = static_cast<std::size_t>(tensor.shape[d]);
    made.strides[d] = tensor.strides ? static_cast<std::ptrdiff_t>(tensor.strides[d]) : next;
    next *= static_cast<std::ptrdiff_t>(made.shape[d]);
    count *= made.shape[d];
  }
  auto* const first = static_cast<char*>(tensor.data) + (tensor.data ? tensor.byte_offset : 0);
  if (count > 0 && tensor.data == nullptr) refuse("has no memory");
  if (reinterpret_cast<std::uintptr_t>(first) % alignof(value) != 0)
    refuse("has elements that are not aligned");
  made.data = reinterpret_cast<T*>(first);
  return made;
}

/// A tensor with the array that owns its elements.
template <class Managed, class A>
struct dlpack_owner {
  Managed managed{};
  A array;
  std::vector<std::int64_t> shape, strides;
};
/// The tensor of an owner whose extents and strides are set.
template <class T, class Managed, class A>
Managed* released_dlpack(std::unique_ptr<dlpack_owner<Managed, A>> made, T* data, int device,
                         int number) {
  auto& tensor = made->managed.dl_tensor;
  tensor.data = data;
  tensor.device.device_type = static_cast<decltype(tensor.device.device_type)>(device);
  tensor.device.device_id = number;
  tensor.ndim = static_cast<int>(made->shape.size());
  tensor.dtype.code = static_cast<decltype(tensor.dtype.code)>(dlpack_code<T>());
  tensor.dtype.bits = static_cast<decltype(tensor.dtype.bits)>(8 * sizeof(T));
  tensor.dtype.lanes = 1;
  tensor.shape = made->shape.data();
  tensor.strides = made->strides.data();
  if constexpr (requires { made->managed.version.major; }) made->managed.version.major = 1;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](Managed* self) {
    delete static_cast<dlpack_owner<Managed, A>*>(self->manager_ctx);
  };
  return &made.release()->managed;
}

}  // namespace functions

/// The elements of a DLPack tensor as an argument, or, if they are not const, a target of `into`:
/// read and written where they are, whatever their strides. The tensor keeps its owner.
///
///     auto y = f(kt::from_dlpack<double const, 2>(managed->dl_tensor));
///     managed->deleter(managed);
///
/// Throws kt::value_error where the tensor has another number of dimensions, other elements, lies
/// in a device's memory, or where its elements are not aligned. (numpy.from_dlpack)
template <class T, std::size_t Rank, functions::dlpack_tensor Tensor>
array_view<T, Rank> from_dlpack(Tensor const& tensor) {
  if (int const device = static_cast<int>(tensor.device.device_type);
      !functions::is_dlpack_memory_of_host(device))
    throw value_error("kt::from_dlpack: the tensor lies in the memory of a device (type " +
                      std::to_string(device) + "): kt::cuda::from_dlpack takes those of CUDA");
  return functions::view_of_dlpack<T, Rank>(tensor, "kt::from_dlpack");
}

/// A DLPack tensor that owns an array, which is moved into it: `auto* t =
/// kt::to_dlpack<DLManagedTensor>(f(x))`. Whoever takes it calls `t->deleter(t)` at the end. The
/// array is a container of xtensor with its own elements, not a view; a DLManagedTensorVersioned
/// is of version 1.0, which has all that is told here.
template <functions::dlpack_managed Managed, class A>
  requires(!std::is_lvalue_reference_v<A> &&
           requires(A& a) {
             { a.data() } -> std::same_as<typename A::value_type*>;
             a.shape();
             a.strides();
             requires std::same_as<typename A::temporary_type, A>;
           })
Managed* to_dlpack(A&& array) {
  auto made = std::unique_ptr<functions::dlpack_owner<Managed, A>>(
      new functions::dlpack_owner<Managed, A>{{}, std::move(array), {}, {}});
  for (auto n : made->array.shape()) made->shape.push_back(static_cast<std::int64_t>(n));
  // xtensor has strides of 0 for extents of 1; others want those of an array in row-major order.
  made->strides.resize(made->shape.size());
  std::int64_t next = 1;
  for (std::size_t d = made->shape.size(); d-- > 0; next *= made->shape[d]) {
    auto const own = static_cast<std::int64_t>(made->array.strides()[d]);
    made->strides[d] = made->shape[d] == 1 ? next : own;
  }
  auto* const data = made->array.data();
  return functions::released_dlpack(std::move(made), data, 1, 0);
}

}  // namespace kroton
