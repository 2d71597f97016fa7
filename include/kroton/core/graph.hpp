// The graph, and how ops broadcast in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/adoption.hpp>
#include <kroton/core/broadcasting.hpp>
#include <kroton/core/nodes.hpp>
