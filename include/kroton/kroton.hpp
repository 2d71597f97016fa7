// Kroton: expressions compiled while C++ compiles. Include this.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/compile/function.hpp>
#include <kroton/compile/opaque.hpp>
#include <kroton/compile/outputs.hpp>
#include <kroton/compile/shared.hpp>
#include <kroton/grad/check.hpp>
#include <kroton/grad/forward.hpp>
#include <kroton/grad/reverse.hpp>
#include <kroton/grad/transform.hpp>
#include <kroton/ops/allocation.hpp>
#include <kroton/ops/along_axis.hpp>
#include <kroton/ops/arithmetic.hpp>
#include <kroton/ops/conditional.hpp>
#include <kroton/ops/exponential.hpp>
#include <kroton/ops/indexing.hpp>
#include <kroton/ops/learning.hpp>
#include <kroton/ops/linalg.hpp>
#include <kroton/ops/positions.hpp>
#include <kroton/ops/printing.hpp>
#include <kroton/ops/reduction.hpp>
#include <kroton/ops/refused.hpp>
#include <kroton/ops/scans.hpp>
#include <kroton/ops/selection.hpp>
#include <kroton/ops/shape.hpp>
#include <kroton/ops/sorting.hpp>
#include <kroton/ops/special.hpp>
#include <kroton/ops/statistics.hpp>
#include <kroton/ops/trigonometric.hpp>
#include <kroton/compile/types.hpp>
#include <kroton/print/debugprint.hpp>
#include <kroton/print/dotprint.hpp>
