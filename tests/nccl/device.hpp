// An emulated device whose stream has the reductions of the NCCL that stands in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/emulated.hpp>

#include "distributed/tests.hpp"
#include <nccl.h>

#include <kroton/cuda/nccl.hpp>

namespace nccl_tests {

class device : public kt::cuda::emulated_on<kt::cuda::host_memory, 32, 12> {
 public:
  static inline int current = 0;
  static int number() { return current; }
  static bool is_idle() {
    if (nccl_stand_in::fails("cudaStreamQuery")) throw kt::error("cudaStreamQuery: an illegal memory access");
    return nccl_stand_in::progress();
  }
};

}  // namespace nccl_tests
