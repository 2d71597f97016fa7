// Loops: arguments and bodies of kt::scan.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

namespace kt = kroton;

// mistake scan_unnamed: kt::scan: after the body come kt::sequences(x)
namespace scan_unnamed {
auto f = kt::function([](kt::dvector x) { return scan([](auto e) { return e * e; }, x); });
}

// mistake scan_unnamed_after: kt::scan: after the body come kt::sequences(x)
namespace scan_unnamed_after {
auto f = kt::function([](kt::dmatrix x, kt::dvector h) {
  auto y = scan([](auto e, auto h) { return e * h; }, kt::sequences(x), h);
  return sum(y(-1) + h);
});
}

// mistake scan_twice: are given once each, with everything that belongs there
namespace scan_twice {
auto f = kt::function([](kt::dvector x, kt::dvector y) {
  return scan([](auto a, auto b) { return a * b; }, kt::sequences(x), kt::sequences(y));
});
}

// mistake scan_array: kt::scan: an argument is not a variable
namespace scan_array {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto a, auto b) { return a * b; }, kt::sequences(x),
              kt::non_sequences(std::array{1.0, 2.0}));
});
}

// mistake scan_scalar_sequence: kt::sequences: a scalar has no elements to go through
namespace scan_scalar_sequence {
auto f = kt::function([](kt::dvector x, kt::dscalar s) {
  return scan([](auto a, auto b) { return a * b; }, kt::sequences(x, s));
});
}

// mistake scan_number_sequence: kt::sequences: a scalar has no elements to go through
namespace scan_number_sequence {
auto f = kt::function(
    [](kt::dvector x) { return scan([](auto a, auto b) { return a * b; }, kt::sequences(x, 10)); });
}

// mistake scan_no_taps: kt::taps: name at least one step
namespace scan_no_taps {
auto f = kt::function(
    [](kt::dvector x) { return scan([](auto a) { return a * a; }, kt::sequences(kt::taps<>(x))); });
}

// mistake scan_taps_of_constant: kt::taps: a non-sequence is the same in each step
namespace scan_taps_of_constant {
auto f = kt::function([](kt::dvector x, kt::dvector w) {
  return scan([](auto e, auto a, auto b) { return e * (b - a); }, kt::sequences(x), kt::non_sequences(kt::taps<-1, 0>(w)));
});
}

// mistake scan_no_constant: kt::scan: an argument is not a variable
namespace scan_no_constant {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto a) { return e * a; }, kt::sequences(x), kt::non_sequences(kt::none));
});
}

// mistake scan_taps_without_start: kt::taps: a state that is read in later steps needs a start
namespace scan_taps_without_start {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto s) { return e + s; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-1>(kt::none)));
});
}

// mistake scan_future_state: kt::taps: a state is known of earlier steps alone
namespace scan_future_state {
auto f = kt::function([](kt::dvector x, kt::dvector h) {
  return scan([](auto e, auto s, auto t) { return e + s - t; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-1, 1>(h)));
});
}

// mistake scan_repeated_taps: kt::taps: a tap of a state is named twice
namespace scan_repeated_taps {
auto f = kt::function([](kt::dvector x, kt::dvector h) {
  return scan([](auto e, auto s, auto t) { return e + s - t; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-2, -2>(h)));
});
}

// mistake scan_start_without_rows: kt::taps: the start of a state that is read several steps back
namespace scan_start_without_rows {
auto f = kt::function([](kt::dvector x, kt::dscalar h) {
  return scan([](auto e, auto s, auto t) { return e + s - t; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-2, -1>(h)));
});
}

// mistake scan_number_without_rows: kt::taps: the start of a state that is read several steps back
namespace scan_number_without_rows {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto s) { return e + s; }, kt::sequences(x),
              kt::outputs_info(kt::taps<-2>(0)));
});
}

// mistake scan_floating_steps: kt::n_steps: the number of steps is an integer or an integer scalar
namespace scan_floating_steps {
auto f = kt::function([](kt::dscalar s, kt::dscalar n) {
  return scan([](auto s) { return 2 * s; }, kt::outputs_info(s), kt::n_steps(n))(-1);
});
}

// mistake scan_number_of_steps: kt::n_steps: the number of steps is an integer or an integer scalar
namespace scan_number_of_steps {
auto f = kt::function([](kt::dscalar s) {
  return scan([](auto s) { return 2 * s; }, kt::outputs_info(s), kt::n_steps(2.5));
});
}

// mistake scan_vector_of_steps: kt::n_steps: the number of steps is an integer or an integer scalar
namespace scan_vector_of_steps {
auto f = kt::function([](kt::dscalar s, kt::dmatrix x) {
  return scan([](auto s) { return 2 * s; }, kt::outputs_info(s), kt::n_steps(x.shape()));
});
}

// mistake scan_endless: kt::scan: the number of steps is unknown
namespace scan_endless {
auto f = kt::function(
    [](kt::dscalar s) { return scan([](auto s) { return 2 * s; }, kt::outputs_info(s)); });
}

// mistake scan_nothing_symbolic: kt::scan: none of the arguments is a variable
namespace scan_nothing_symbolic {
auto f = kt::function([](kt::dscalar a) {
  auto y = scan([&](auto s) { return a * s; }, kt::outputs_info(1.0), kt::n_steps(10));
  return a + y;
});
}

// mistake scan_too_few_parameters: kt::scan: the body has another number of parameters than it gets
namespace scan_too_few_parameters {
auto f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto y = scan([](kt::dvector x, kt::dvector h) { return tanh(h) + x; }, kt::sequences(X),
                kt::outputs_info(h), kt::non_sequences(W));
  return grad(sum(y), W);
});
}

// mistake scan_too_many_parameters: kt::scan: the body has another number of parameters than it
// gets
namespace scan_too_many_parameters {
auto f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto [y, z] = scan([](auto x, auto h, auto W) { return std::tuple(tanh(dot(W, h)) + x, h); },
                     kt::sequences(X), kt::outputs_info(h, kt::none));
  return grad(sum(y), W);
});
}

// Two taps are two parameters.
// mistake scan_parameter_for_taps: kt::scan: the body has another number of parameters than it gets
namespace scan_parameter_for_taps {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto s) { return s; }, kt::outputs_info(kt::taps<-2, -1>(x)), kt::n_steps(3));
});
}

// mistake scan_element_rank: a parameter of the body has another type than what it gets, an element
// of a sequence
namespace scan_element_rank {
auto f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto y =
      scan([](kt::dmatrix x, kt::dvector h, kt::dmatrix W) { return tanh(dot(W, h) + sum(x)); },
           kt::sequences(X), kt::outputs_info(h), kt::non_sequences(W));
  return std::tuple(y(-1), grad(sum(y), W));
});
}

// mistake scan_state_rank: a parameter of the body has another type than what it gets, a state
namespace scan_state_rank {
auto f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto y = scan([](kt::dvector x, kt::dmatrix h, kt::dmatrix W) { return tanh(dot(W, h) + x); },
                kt::sequences(X), kt::outputs_info(h), kt::non_sequences(W));
  return y;
});
}

// mistake scan_state_float: a parameter of the body has another type than what it gets, a state
namespace scan_state_float {
auto f = kt::function([](kt::dvector X, kt::fscalar h) {
  return scan([](kt::dscalar x, kt::dscalar h) { return h + x; }, kt::sequences(X),
              kt::outputs_info(h));
});
}

// mistake scan_tap_rank: a parameter of the body has another type than what it gets, a state
namespace scan_tap_rank {
auto f = kt::function([](kt::dmatrix h) {
  return scan([](kt::dvector g, kt::dmatrix h) { return g + h; },
              kt::outputs_info(kt::taps<-2, -1>(h)), kt::n_steps(3));
});
}

// mistake scan_constant_rank: a parameter of the body has another type than what it gets, a
// non-sequence
namespace scan_constant_rank {
auto f = kt::function([](kt::dmatrix X, kt::dvector h, kt::dmatrix W) {
  auto y = scan([](kt::dvector x, kt::dvector h, kt::dvector W) { return W * h + x; },
                kt::sequences(X), kt::outputs_info(h), kt::non_sequences(W));
  return y;
});
}

// mistake scan_parameter_row: a parameter of the body has another type than what it gets, an
// element of a sequence
namespace scan_parameter_row {
auto f = kt::function(
    [](kt::dtensor3 X) { return scan([](kt::drow x) { return x; }, kt::sequences(X)); });
}

// mistake scan_parameter_number: a parameter of the body has another type than what it gets, an
// element of a sequence
namespace scan_parameter_number {
auto f = kt::function([](kt::dvector X, kt::dscalar s) {
  return scan([](double x, kt::dscalar s) { return s * x; }, kt::sequences(X), kt::outputs_info(s));
});
}

// mistake scan_body_number: kt::scan: the body returns a number or nothing
namespace scan_body_number {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto, auto) { return 1.0; }, kt::sequences(x), kt::outputs_info(0.0));
});
}

// mistake scan_body_number_among: kt::scan: the body returns a number or nothing
namespace scan_body_number_among {
auto f = kt::function([](kt::dvector x) {
  auto [y, z] = scan([](auto e, auto s) { return std::tuple(e + s, 0); }, kt::sequences(x),
                     kt::outputs_info(0.0, kt::none));
  return y + z;
});
}

// mistake scan_body_nothing: kt::scan: the body returns a number or nothing
namespace scan_body_nothing {
auto f = kt::function([](kt::dvector x) {
  return scan([](auto e, auto s) { (void)(e + s); }, kt::sequences(x), kt::outputs_info(0.0));
});
}

// mistake scan_fewer_results: kt::scan: the body returns another number of results than
// kt::outputs_info
namespace scan_fewer_results {
auto f = kt::function([](kt::dvector x, kt::dscalar s) {
  auto [y, z] = scan([](auto e, auto a, auto b) { return e + a * b; }, kt::sequences(x),
                     kt::outputs_info(s, s));
  return sum(y) + sum(z);
});
}

// mistake scan_more_results: kt::scan: the body returns another number of results than
// kt::outputs_info
namespace scan_more_results {
auto f = kt::function([](kt::dvector x, kt::dscalar s) {
  auto [y, z] = scan([](auto e, auto a) { return std::tuple(e + a, e); }, kt::sequences(x),
                     kt::outputs_info(s));
  return sum(y) + sum(z);
});
}

// mistake scan_changes_rank: kt::scan: a state changes its rank from one step to the next
namespace scan_changes_rank {
auto f = kt::function([](kt::dmatrix x, kt::dscalar s) {
  auto y = scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(s));
  return y(-1);
});
}

// mistake scan_number_changes_rank: kt::scan: a state changes its rank from one step to the next
namespace scan_number_changes_rank {
auto f = kt::function([](kt::dmatrix x) {
  return scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(0.0));
});
}

// mistake scan_changes_element: kt::scan: a state changes its element type from one step to the
// next
namespace scan_changes_element {
auto f = kt::function([](kt::dvector x, kt::fscalar s) {
  auto y = scan([](auto e, auto s) { return e + s; }, kt::sequences(x), kt::outputs_info(s));
  return y(-1);
});
}

// mistake until_number: kt::until: the condition is one bool
namespace until_number {
auto f = kt::function([](kt::dvector x) { return scan([](auto e) { return kt::until(e, e * e); }, kt::sequences(x)); });
}

// mistake until_rows: kt::until: the condition is one bool
namespace until_rows {
auto f = kt::function([](kt::dmatrix x) {
  return scan([](auto row) { return kt::until(row > 0, row); }, kt::sequences(x));
});
}

// mistake until_result_count: kt::scan: the body returns another number of results
namespace until_result_count {
auto f = kt::function([](kt::dscalar x) {
  return scan([](auto h) { return kt::until(h > 3, h, h); }, kt::outputs_info(x));
});
}

// mistake stream_for_generic_body: kt::scan: a random stream is not passed to the body: the body captures it
namespace stream_for_generic_body {
kt::philox_streams stream(42);
auto f = kt::function(
    [](kt::dvector x, kt::rng r) {
      return scan([](auto e, auto q) { return e * q.uniform(); }, kt::sequences(x), kt::non_sequences(r));
    },
    stream);
}
