// NCCL's header, where there is one. KROTON_NCCL says whether it is used: 0 keeps it out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#if !defined(KROTON_NCCL)
#if __has_include(<nccl.h>)
#define KROTON_NCCL 1
#else
#define KROTON_NCCL 0
#endif
#endif

#if KROTON_NCCL
#if !__has_include(<nccl.h>)
#error "KROTON_NCCL is 1, but there is no <nccl.h>"
#endif
#include <nccl.h>

#if NCCL_VERSION_CODE < 21400
#error "<kroton/cuda/nccl.hpp> needs NCCL 2.14 or later, whose calls need not wait; " \
     "-DKROTON_NCCL=0 reduces over the host"
#endif

#include <kroton/core/element.hpp>

#include <cstdint>
#include <type_traits>

namespace kroton::cuda {

/// What NCCL adds up for elements of a type: the parts of complex numbers. It knows no integers of
/// 16 bits.
template <class T>
struct nccl_element {
  static constexpr bool is_known =
      std::is_floating_point_v<T> ||
      (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) != 2);
  static constexpr int count = 1;
  static constexpr ncclDataType_t type() {
    if constexpr (std::is_same_v<T, float>) return ncclFloat32;
    else if constexpr (std::is_same_v<T, double>) return ncclFloat64;
    else if constexpr (std::is_signed_v<T>)
      return sizeof(T) == 1 ? ncclInt8 : sizeof(T) == 4 ? ncclInt32 : ncclInt64;
    else return sizeof(T) == 1 ? ncclUint8 : sizeof(T) == 4 ? ncclUint32 : ncclUint64;
  }
};
template <class T>
  requires core::is_complex_number<T>
struct nccl_element<T> : nccl_element<typename T::value_type> {
  static constexpr int count = 2;
};

}  // namespace kroton::cuda
#endif
