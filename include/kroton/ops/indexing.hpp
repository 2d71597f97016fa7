// Indexing: slices and new axes as views, elements that tensors of integers or bools name, and
// writes to what is indexed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/ops/indexing/part_writes.hpp>
#include <kroton/ops/indexing/subtensor.hpp>
#include <kroton/ops/indexing/take.hpp>
