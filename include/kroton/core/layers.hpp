// The namespaces of the layers. Each folder has its own, which finds the names of those before it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The order is that of tests/style/layers.txt. A namespace finds the names of the one on the line
// before, and through it those of all before. calculus is the namespace of grad/, functions that of
// function/, minimization that of minimize/, printing that of print/: kt::grad, kt::function,
// kt::minimize and kt::print are functions. math is left out because its functions have the names
// of public ones; runtime and cuda write the namespace of what they use.
namespace kroton {

namespace core {}
namespace ops { using namespace core; }
namespace rewrite { using namespace ops; }
namespace calculus { using namespace rewrite; }
namespace loops { using namespace calculus; }
namespace plan { using namespace loops; }
namespace freeze { using namespace plan; }
namespace cpu { using namespace freeze; }
namespace functions { using namespace cpu; }
namespace files { using namespace functions; }
namespace minimization { using namespace files; }
namespace printing { using namespace minimization; }

}  // namespace kroton
