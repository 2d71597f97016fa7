// Arguments of a call.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <string>
#include <vector>

namespace kt = kroton;

// mistake argument_std_string: kt::function: an argument is neither an array nor a number
namespace argument_std_string {
auto f = kt::function([](kt::dvector x) { return x * 2; });
auto y = f(std::string("1 2 3"));
}

// mistake argument_nested_vector: kt::function: an argument is neither an array nor a number
namespace argument_nested_vector {
auto f = kt::function([](kt::dmatrix x) { return x * 2; });
auto y = f(std::vector<std::vector<double>>{{1., 2.}, {3., 4.}});
}

// mistake argument_eigen: kt::function: an argument is neither an array nor a number
namespace argument_eigen {
struct MatrixXd { double* data(); long rows(); long cols(); };
auto f = kt::function([](kt::dmatrix x) { return x * 2; });
auto y = f(MatrixXd{});
}

// mistake argument_shared: kt::function: a kt::shared is not an argument: bind it
namespace argument_shared {
kt::shared w(xt::xtensor<double, 1>{1., 2.});
auto f = kt::function([](kt::dvector x) { return x * 2; });
auto y = f(w);
}

// mistake argument_braces: kt::function: an argument in braces has no type: write std::vector
namespace argument_braces {
auto f = kt::function([](kt::dvector x) { return x * 2; });
auto y = f({1.0, 2.0});
}

// mistake argument_braces_matrix: kt::function: an argument in braces has no type
namespace argument_braces_matrix {
auto f = kt::function([](kt::dmatrix x, kt::dscalar s, kt::dscalar t) { return x * s * t; });
auto y = f({{1.0, 2.0}, {3., 4.}}, 2.0, 3.0);
}

// mistake argument_braces_second: kt::function: an argument in braces has no type
namespace argument_braces_second {
auto f = kt::function([](kt::dscalar s, kt::dvector x) { return s * x; });
auto y = f(2.0, {1.0, 2.0});
}

// mistake argument_rank: kt::function: an argument's rank differs from that of its parameter
namespace argument_rank {
auto f = kt::function([](kt::dscalar s, kt::dvector x) { return s * x; });
auto y = f(1.0, xt::xtensor<double, 2>{{1., 2.}});
}

// mistake argument_number_for_vector: kt::function: an argument's rank differs from that of its parameter
namespace argument_number_for_vector {
auto f = kt::function([](kt::dvector x) { return x * 2; });
auto y = f(1.0);
}

// mistake argument_narrowed: kt::function: an argument's element type would be narrowed
namespace argument_narrowed {
auto f = kt::function([](kt::dscalar s, kt::fvector x) { return s * x; });
auto y = f(1.0, xt::xtensor<double, 1>{1., 2.});
}

// mistake argument_count: kt::function: the number of arguments differs from the number of parameters
namespace argument_count {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return x + y; });
auto y = f(xt::xtensor<double, 1>{1., 2.});
}

// mistake argument_shared_given: kt::function: the number of arguments differs from the number of parameters
namespace argument_shared_given {
kt::shared w(1.0);
auto f = kt::function([](kt::dvector x, kt::dscalar w) { return w * x; }, w);
auto y = f(xt::xtensor<double, 1>{1., 2.}, 2.0);
}

// mistake load_typed: kt::load: to read NumPy's files #include <kroton/npz.hpp>
namespace load_typed {
auto w = kt::load<double, 2>("w.npy");
}

// mistake save: kt::save: to write NumPy's files #include <kroton/npz.hpp>
namespace save {
void g() { xt::xtensor<double, 1> x{1., 2.}; kt::save("x.npy", x); }
}
