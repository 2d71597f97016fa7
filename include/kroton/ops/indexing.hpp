// Indexing: slices and new axes as views, elements selected by tensors of integers or bools, and
// writes to indexed parts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/part_writes.hpp>
#include <kroton/ops/indexing/subtensor.hpp>
#include <kroton/ops/indexing/take.hpp>
