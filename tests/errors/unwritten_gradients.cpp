// An op that does not say what its gradient is stops every gradient that needs it, also where another path has one.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// A name for each case, since the sentence tells the name.
template <kt::text Name>
struct bare : kt::elementwise<Name, 1> {
  template <class R>
  KROTON_FN static R value(R x) {
    return x;
  }
};
template <kt::text Name, class X>
constexpr auto call(X const& x) {
  return kt::call<bare<Name>>(x);
}

// expect: kt: the gradient of by_one
namespace by_one {
auto f = kt::function([](kt::dvector x) { return grad(sum(call<"by_one">(x) + x), x); });
}

// expect: kt: the gradient of by_several
namespace by_several {
auto f = kt::function([](kt::dvector x, kt::dvector y) { return grad(sum(call<"by_several">(x) + y), x, y); });
}

// expect: kt: the gradient of second_order
namespace second_order {
auto f = kt::function([](kt::dvector x) {
  auto const slope = grad(sum(x * x * x), x);
  return grad(sum(slope * call<"second_order">(slope)), x);
});
}

// expect: kt: the gradient of in_jacobian
namespace in_jacobian {
auto f = kt::function([](kt::dvector x) { return jacobian(call<"in_jacobian">(x) + x, x); });
}

// expect: kt: the gradient of in_hessian
namespace in_hessian {
auto f = kt::function([](kt::dvector x) { return hessian(sum(call<"in_hessian">(x) * x), x); });
}

// expect: kt: the gradient of in_rop
namespace in_rop {
auto f = kt::function([](kt::dvector x, kt::dvector v) { return rop(call<"in_rop">(x) + x, x, v); });
}

// expect: kt: the gradient of in_lop
namespace in_lop {
auto f = kt::function([](kt::dvector x, kt::dvector v) { return lop(call<"in_lop">(x) + x, x, v); });
}

// expect: kt: the gradient of in_vmap
namespace in_vmap {
constexpr auto slope = [](kt::dvector v) { return grad(sum(call<"in_vmap">(v) + v), v); };
auto f = kt::function([](kt::dmatrix x) { return kt::vmap<0>(slope)(x); });
}

// expect: kt: the gradient of behind_a_choice
namespace behind_a_choice {
auto f = kt::function([](kt::dvector x) { return grad(sum(where(x > 0, call<"behind_a_choice">(x), x)), x); });
}

// expect: kt: the gradient of in_opaque
namespace in_opaque {
constexpr auto inner = [](kt::dvector x) { return call<"in_opaque">(x) + x; };
auto f = kt::function([](kt::dvector x) { return grad(sum(kt::opaque(inner)(x)), x); });
}

// expect: kt: the gradient of inside_opaque
namespace inside_opaque {
constexpr auto slope = [](kt::dvector x) { return grad(sum(call<"inside_opaque">(x) + x), x); };
auto f = kt::function([](kt::dvector x) { return kt::opaque(slope)(x) + x; });
}

// An op with a function of its own, one for slices of it, and one with several outputs.
template <kt::text Name>
struct copied : kt::operation<Name, 1> {
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) { return {kt::core::extent_source::dimension, 0, d}; }
  template <class T>
  static void run(kt::core::invocation const&) {}
};
// expect: kt: the gradient of with_a_run
namespace with_a_run {
auto f = kt::function([](kt::dvector x) { return grad(sum(kt::dvector({x.of, x.of->apply<copied<"with_a_run">>({x.id})}) + x), x); });
}

// expect: kt: the gradient of by_slices
namespace by_slices {
constexpr auto of_row = [](kt::dvector v) { return kt::dvector({v.of, v.of->apply<copied<"by_slices">>({v.id})}); };
auto f = kt::function([](kt::dmatrix x) { return grad(sum(kt::vmap<0>(of_row)(x) + x), x); });
}

struct twofold : kt::operation<"twofold", 1> {
  static constexpr int outputs = 2;
  static constexpr kt::tensor_type type(kt::core::application const& a, int) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d, int) { return {kt::core::extent_source::dimension, 0, d}; }
  template <class T>
  static void run(kt::core::invocation const&) {}
};
// expect: kt: the gradient of twofold
namespace of_several_outputs {
auto f = kt::function([](kt::dvector x) {
  kt::term const node{x.of, x.of->apply<twofold>({x.id})};
  return grad(sum(kt::dvector(kt::core::output_of(node, 1)) + x), x);
});
}
