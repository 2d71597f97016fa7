// kt::all_reduce of arrays on devices by NCCL, where its header is found; otherwise over the host,
// as without this header. Beside <kroton/cuda.hpp>; the program links nccl.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/function.hpp>
#include <kroton/cuda/nccl/reductions.hpp>
#include <kroton/distributed.hpp>
