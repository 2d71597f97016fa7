// The ops that have a function of their own on devices; the others run on the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/cuda/op/batched.hpp>
#include <kroton/cuda/op/convolution.hpp>
#include <kroton/cuda/op/draws.hpp>
#include <kroton/cuda/op/indexing.hpp>
#include <kroton/cuda/op/moves.hpp>
#include <kroton/cuda/op/planes.hpp>
#include <kroton/cuda/op/pooling.hpp>
#include <kroton/cuda/op/positions.hpp>
