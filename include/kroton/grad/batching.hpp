// Batching: rebuilds a part of a graph with leading axes, as if it were computed once for each of
// their indices.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/grad/batching/each.hpp>
#include <kroton/grad/batching/pass.hpp>
#include <kroton/grad/batching/rules.hpp>
#include <kroton/grad/batching/segments.hpp>
