// The programs of docs/scan.md, in their order; each checks what the page says.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

void check(bool holds, char const* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) std::exit(1);
}

// cut: recurrent
// A state h_t = tanh(W h_(t-1) + x_t), and the length of each.
constexpr auto step = [](kt::dvector x, kt::dvector before, kt::dmatrix w) {
  auto h = tanh(dot(w, before) + x);
  return std::tuple(h, norm(h));
};
constexpr auto recurrent = [](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
  return scan(step, kt::sequences(x), kt::outputs_info(h0, kt::none), kt::non_sequences(w));
};
// end cut

void loops() {
  // cut: recurrent call
  auto f = kt::function(recurrent);
  matrix x{{1, 0}, {0, 1}, {1, 1}};
  auto [h, length] = f(x, vector{0, 0}, matrix{{0.5, 0.1}, {0.1, 0.5}});
  // h is a matrix with a row for each row of x, length a vector with an element for each
  // end cut
  check(h.shape(0) == 3 && length.size() == 3 && std::abs(h(0, 0) - std::tanh(1)) < 1e-15, "a sequence, a state, an output");

  // cut: power
  auto power = kt::function([](kt::dvector a, kt::lscalar k) {
    return scan([&](auto p) { return p * a; }, kt::outputs_info(ones_like(a)), kt::n_steps(k))(-1);
  });
  vector cubes = power(vector{1, 2, 3}, 3);                     // 1, 8, 27
  // end cut
  check(cubes == vector{1, 8, 27}, "a number of steps");

  // cut: horner
  // c0 + at (c1 + at (c2 + ...)), from the last coefficient on.
  auto polynomial = kt::function([](kt::dvector coefficients, kt::dscalar at) {
    return foldr([&](auto c, auto sum) { return c + at * sum; }, kt::sequences(coefficients), kt::outputs_info(0));
  });
  double value = polynomial(vector{1, 2, 3}, 10.0);             // 321
  // end cut
  check(value == 321, "a fold");
}

void taps() {
  // cut: fibonacci
  auto fibonacci = kt::function([](kt::lvector start, kt::lscalar n) {
    return scan([](auto before_last, auto last) { return before_last + last; },
                kt::outputs_info(kt::taps<-2, -1>(start)), kt::n_steps(n));
  });
  xt::xtensor<std::int64_t, 1> numbers = fibonacci(std::vector<std::int64_t>{1, 1}, 5);  // 2, 3, 5, 8, 13
  // end cut
  check(numbers == xt::xtensor<std::int64_t, 1>{2, 3, 5, 8, 13}, "a state two steps back");

  // cut: smooth
  auto smooth = kt::function([](kt::dvector x) {
    return map([](auto before, auto now, auto after) { return (before + 2 * now + after) / 4; },
               kt::sequences(kt::taps<-1, 0, 1>(x)));
  });
  vector smoothed = smooth(vector{0, 0, 4, 0, 0});              // 1, 2, 1
  // end cut
  check(smoothed == vector{1, 2, 1}, "past and future elements of a sequence");
}

void captures() {
  // cut: captures
  auto damped = kt::function([](kt::dvector push, kt::dscalar damping) {
    auto keep = exp(-damping);                                  // outside of the loop: computed once
    return scan([&](auto p, auto speed) { return keep * speed + p; }, kt::sequences(push), kt::outputs_info(0));
  });
  vector speed = damped(vector{1, 0, 0}, std::log(2));          // 1, 0.5, 0.25
  // end cut
  check(xt::allclose(speed, vector{1, 0.5, 0.25}), "captured variables");

  // cut: nested
  // How often each element of x occurs in y.
  auto occurrences = kt::function([](kt::lvector x, kt::lvector y) {
    return map([&](auto a) { return foldl([&](auto b, auto count) { return count + kt::cast<std::int64_t>(eq(a, b)); },
                                          kt::sequences(y), kt::outputs_info(0)); },
               kt::sequences(x));
  });
  xt::xtensor<std::int64_t, 1> counts = occurrences(std::vector<std::int64_t>{1, 2, 3}, std::vector<std::int64_t>{3, 1, 3});
  // end cut
  check(counts == xt::xtensor<std::int64_t, 1>{1, 0, 2}, "loops in loops");
}

// cut: struct
struct motion : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(motion, (kt::dvector, position), (kt::dvector, speed));
};
// end cut

void structs() {
  // cut: structs
  auto fall = kt::function([](motion start, kt::dvector gravity, kt::dscalar dt, kt::lscalar n) {
    auto [positions, speeds] = scan(
        [&](motion m) {
          auto speed = m.speed + dt * gravity;
          return motion{{}, m.position + dt * speed, speed};
        },
        kt::outputs_info(start), kt::n_steps(n));
    return positions;
  });
  matrix positions = fall(kt::values<motion>(vector{0, 0}, vector{1, 0}), vector{0, -10}, 0.5, 2);  // 0.5, -2.5; 1, -7.5
  // end cut
  check(positions == matrix{{0.5, -2.5}, {1, -7.5}}, "structs");
}

void updates() {
  // cut: updates
  kt::shared average(0.0);
  auto deviations = kt::function(
      [](kt::dvector x, kt::dscalar average) {
        return scan([&](auto e) { return kt::outputs(e - average).update(average, 0.5 * (average + e)); }, kt::sequences(x));
      },
      average);
  vector found = deviations(vector{8, 8});                      // 8, 4; the average is 6
  // end cut
  check(found == vector{8, 4} && average.get_value() == 6, "updates");
}

void until() {
  // cut: until
  // x -> (x + a / x) / 2, until it hardly changes.
  auto root = kt::function([](kt::dscalar a) {
    auto x = scan(
        [&](auto x) {
          auto next = (x + a / x) / 2;
          return kt::until(abs(next - x) < 1e-12 * x, next);
        },
        kt::outputs_info(a));
    return std::tuple(x(-1), x.shape(0));
  });
  auto [value, steps] = root(2.0);                              // 1.41421356..., after 6 steps
  // end cut
  check(std::abs(value - std::sqrt(2.0)) < 1e-15 && steps == 6, "until");
}

void filled() {
  // cut: filled
  // The first n squares.
  auto squares = kt::function([](kt::lscalar n) {
    return foldl([](auto i, auto x) { return set_subtensor(x(i), kt::cast<double>(i * i)); }, kt::sequences(kt::arange(n)),
                 kt::outputs_info(zeros<double>(n)));
  });
  vector first_squares = squares(5);                            // 0, 1, 4, 9, 16
  // end cut
  check(first_squares == vector{0, 1, 4, 9, 16}, "an array that a loop fills");
}

void empty() {
  // cut: empty
  auto f = kt::function(recurrent);
  auto [h, length] = f(matrix(std::array<std::size_t, 2>{0, 2}), vector{3, 4}, matrix{{1, 0}, {0, 1}});
  // h has the shape (0, 2), length the shape (0)
  // end cut
  check(h.shape(0) == 0 && h.shape(1) == 2 && length.size() == 0, "no steps");
}

void gradients() {
  // cut: grad
  auto slopes = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
    auto [h, length] = recurrent(x, h0, w);
    return grad(sum(sqr(h(-1))) + mean(length), x, h0, w);
  });
  auto [dx, dh0, dw] = slopes(matrix{{1, 0}, {0, 1}}, vector{0, 0}, matrix{{0.5, 0.1}, {0.1, 0.5}});
  // end cut
  check(dx.shape(0) == 2 && dh0.size() == 2 && dw.shape(1) == 2, "gradients");
  check(bool(kt::verify_grad([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) { return sum(std::get<0>(recurrent(x, h0, w))); },
                        matrix{{1, 0}, {0, 1}}, vector{0.1, 0.2}, matrix{{0.5, 0.1}, {0.1, 0.5}})),
        "gradients against differences");

  // cut: second
  auto curvature = kt::function([](kt::dvector x, kt::dscalar a) {
    auto y = scan([&](auto e, auto s) { return a * s + e; }, kt::sequences(x), kt::outputs_info(0));
    return grad(grad(y(-1), a), a);                             // y(-1) is x0 a^2 + x1 a + x2
  });
  double two = curvature(vector{1, 5, 7}, 3.0);
  // end cut
  check(two == 2, "a gradient of a gradient");

  // cut: truncated
  auto truncated = kt::function([](kt::dvector x, kt::dscalar start) {
    auto y = scan([](auto e, auto s) { return 2 * s + e; }, kt::sequences(x), kt::outputs_info(start), kt::truncate_gradient(2));
    return grad(y(-1), x, start);
  });
  auto [of_x, of_start] = truncated(vector{1, 1, 1, 1}, 1.0);   // 0, 0, 2, 1 and 0
  // end cut
  check(of_x == vector{0, 0, 2, 1} && of_start == 0, "a truncated gradient");

  // cut: checkpoint
  // How the end of a long simulation depends on its parameter. Some 2,000 states are stored, not a million.
  auto far = kt::function([](kt::dscalar rate, kt::lscalar n) {
    auto x = scan([&](auto x) { return x + 1e-5 * rate * x * (1 - x); }, kt::outputs_info(0.1), kt::n_steps(n), kt::checkpoint);
    return grad(x(-1), rate);
  });
  double by_rate = far(0.5, 1000000);
  // end cut
  double const grown = std::exp(0.5 * 10) / 9, exact = 10 * grown / std::pow(1 + grown, 2);
  check(std::abs(by_rate - exact) < 1e-4, "checkpoints");

  // cut: snapshots
  // The same, with 20 states at a time.
  auto farther = kt::function([](kt::dscalar rate, kt::lscalar n) {
    auto x = scan([&](auto x) { return x + 1e-5 * rate * x * (1 - x); }, kt::outputs_info(0.1), kt::n_steps(n), kt::snapshots(20));
    return grad(x(-1), rate);
  });
  double also_by_rate = farther(0.5, 1000000);
  // end cut
  check(std::abs(also_by_rate - exact) < 1e-4, "snapshots");
}

void batches() {
  // cut: batch
  auto all = kt::function(kt::vmap<0, 1>(recurrent));
  xt::xtensor<double, 3> x{{{1, 0}, {0, 1}}, {{1, 1}, {2, 0}}, {{0, 0}, {0, 2}}};  // three sequences
  auto [h, length] = all(x, matrix{{0, 0}, {1, 0}, {0, 1}}, matrix{{0.5, 0.1}, {0.1, 0.5}});
  // h has the shape (3, 2, 2), length the shape (3, 2)
  // end cut
  check(h.shape(0) == 3 && h.shape(1) == 2 && h.shape(2) == 2 && length.shape(0) == 3 && length.shape(1) == 2, "a batch");

  // cut: jacobian
  auto sensitivity = kt::function([](kt::dmatrix x, kt::dvector h0, kt::dmatrix w) {
    auto [h, length] = recurrent(x, h0, w);
    return std::tuple(jacobian(h(-1), h0), hessian(sum(length), h0));
  });
  auto [first, second] = sensitivity(matrix{{1, 0}, {0, 1}}, vector{0, 0}, matrix{{0.5, 0.1}, {0.1, 0.5}});
  // end cut
  check(first.shape(0) == 2 && first.shape(1) == 2 && std::abs(second(0, 1) - second(1, 0)) < 1e-14, "derivatives of tensors");

  // cut: forward
  // The population after n steps, and how fast it grows with the rate.
  auto growth = kt::function([](kt::dscalar rate, kt::dscalar start, kt::lscalar n) {
    auto population = scan([&](auto p) { return p + rate * p * (1 - p); }, kt::outputs_info(start), kt::n_steps(n))(-1);
    return std::tuple(population, rop(population, rate, ones_like(rate)));
  });
  auto [population, slope] = growth(0.5, 0.1, 10);
  // end cut
  auto other = std::get<0>(growth(0.5 + 1e-6, 0.1, 10));
  check(std::abs((other - population) / 1e-6 - slope) < 1e-5, "forward mode");
}

void errors() {
  // cut: errors
  auto f = kt::function([](kt::dvector x, kt::lscalar n) {
    return scan([](auto e, auto s) { return s + e; }, kt::sequences(x), kt::outputs_info(0), kt::n_steps(n));
  });
  std::string text;
  try {
    f(vector{1, 2}, 3);
  } catch (kt::shape_error const& e) {
    text = e.what();
  }
  // "scan: n_steps is 3, but the sequence of the body's parameter 1 has elements for 2 steps: extent 0 of parameter 1 (dvector)
  // is 2"
  // end cut
  check(text == "scan: n_steps is 3, but the sequence of the body's parameter 1 has elements for 2 steps: extent 0 of "
                "parameter 1 (dvector) is 2", "errors");
}

void parts() {
  // cut: parts
  auto g = kt::graph_of([](kt::dvector x, kt::dscalar s, kt::dscalar a) {
    return scan([&](auto e, auto s) { return s + a * e; }, kt::sequences(x), kt::outputs_info(s));
  });
  kt::scan_args loop(g.outputs()[0].owner());
  auto start = loop.outer_in_sit_sot()[0];                      // the parameter s
  auto before = loop.inner_in_sit_sot()[0];                     // what stands for it in the body
  auto table = loop.var_mappings().outer_inp_from_inner_inp;    // 0: 1, 1: 2, 2: 3
  auto reaches = loop.connection_pattern();                     // by outer input and output
  // end cut
  check(start.is_input() && before.is_input() && table == std::map<int, int>{{0, 1}, {1, 2}, {2, 3}} && !reaches[0][0] && reaches[3][0],
        "parts");
}

int main() {
  loops();
  taps();
  captures();
  structs();
  updates();
  until();
  filled();
  empty();
  gradients();
  batches();
  errors();
  parts();
}
