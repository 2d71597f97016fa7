// The programs of docs/tutorial.md, in their order; each checks what the page says.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace kt = kroton;

void check(bool holds, char const* what) {
  std::printf("%s %s\n", holds ? "ok    " : "FAILED", what);
  if (!holds) std::exit(1);
}

void first() {
  // cut: first
  auto add = kt::function([](kt::dscalar x, kt::dscalar y) { return x + y; });
  double five = add(2.0, 3.0);
  // end cut
  check(five == 5, "a first function");
}

void arrays() {
  // cut: arrays
  auto f = kt::function([](kt::dmatrix m, kt::dvector v) {
    auto difference = m - v;                                    // v is subtracted from every row
    return std::tuple(difference, abs(difference), sum(sqr(difference), kt::axis<1>));
  });
  xt::xtensor<double, 2> m{{1, 2}, {3, 4}, {5, 6}};
  std::vector<double> v{1, 4};
  auto [difference, distance, squares] = f(m, v);               // squares is {4, 4, 20}
  // end cut
  check(difference(0, 1) == -2 && distance(0, 1) == 2 && squares(2) == 20, "arrays, broadcasting, several outputs");
}

void state() {
  // cut: shared
  kt::shared state(0);                                          // an int32 scalar that lives between calls
  auto accumulate = kt::function(
      [](kt::iscalar increment, kt::iscalar total) { return kt::outputs(total).update(total, total + increment); }, state);
  accumulate(1);                                                // returns 0, the value before the update
  accumulate(300);                                              // returns 1
  int now = state.get_value();                                  // 301
  // end cut
  check(now == 301, "a shared variable");

  // cut: copies
  kt::shared other(1000);
  auto elsewhere = accumulate.copy(kt::swap(state, other));     // or accumulate.copy(other): other in place of all that is bound
  elsewhere(1);                                                 // returns 1000; state is as before
  auto look = accumulate.copy(kt::delete_updates);              // only returns the value
  // end cut
  check(other.get_value() == 1001 && look(5) == 301 && state.get_value() == 301, "copies");

  // cut: default update
  kt::shared count(std::int64_t{0});
  auto counted = kt::with_default_update(count, [](kt::lscalar n) { return n + 1; });
  auto decayed = kt::function([](kt::dvector x, kt::lscalar n) { return x / (1 + n); }, counted);
  decayed(std::vector<double>{6, 12});                          // {6, 12}
  decayed(std::vector<double>{6, 12});                          // {3, 6}; count is 2 now
  // end cut
  check(decayed(std::vector<double>{6, 12})(1) == 4 && count.get_value() == 3, "a default update");
}

// cut: grad
constexpr auto logistic = [](kt::dvector x) { return 1 / (1 + exp(-x)); };
constexpr auto total = [](kt::dvector x) { return sum(logistic(x)); };
constexpr auto slopes = [](kt::dvector x) { return grad(total(x), x); };  // inside an expression, or ...
constexpr auto also_slopes = kt::grad(total);                             // ... of a whole function
// end cut

void gradients() {
  // cut: grad call
  auto f = kt::function(slopes);
  auto g = kt::function(also_slopes);
  xt::xtensor<double, 1> at{0, 1, -1, 2};
  // f(at) and g(at) are {0.25, 0.19661193, 0.19661193, 0.10499359}
  // end cut
  check(xt::allclose(f(at), xt::xtensor<double, 1>{0.25, 0.19661193, 0.19661193, 0.10499359}) && f(at) == g(at), "gradients");

  // cut: second
  constexpr auto cube = [](kt::dscalar x) { return x * x * x; };
  auto second = kt::function(kt::grad(kt::grad(cube)));
  double twelve = second(2.0);
  // end cut
  check(twelve == 12, "a gradient of a gradient");
}

// cut: jacobian
constexpr auto layer = [](kt::dvector x, kt::dmatrix w) { return tanh(dot(w, x)); };
constexpr auto energy = [](kt::dvector x) { return sum(x * x * x); };
constexpr auto loss = [](kt::dvector x, kt::dscalar y, kt::dvector w) { return sqr(dot(x, w) - y); };
// end cut

void tensors() {
  // cut: jacobian call
  auto f = kt::function([](kt::dvector x, kt::dmatrix w) {
    auto y = layer(x, w);
    return std::tuple(jacobian(y, x), jacobian(y, w));          // axes of y, then those of what it is differentiated by
  });
  auto h = kt::function(kt::hessian(energy));
  std::vector<double> x{1, 2, 3};
  auto [by_x, by_w] = f(x, xt::ones<double>({2, 3}));           // of shape {2, 3} and {2, 2, 3}
  auto curvature = h(x);                                        // {{6, 0, 0}, {0, 12, 0}, {0, 0, 18}}
  // end cut
  check(by_x.shape(0) == 2 && by_x.shape(1) == 3 && by_w.dimension() == 3 && by_w(0, 1, 0) == 0 && curvature(1, 1) == 12 && curvature(0, 1) == 0,
        "Jacobians and Hessians");
}

void slices() {
  // cut: vmap
  auto layers = kt::function(kt::vmap<0>(layer));               // parameter 0 becomes a matrix, w is the same for its rows
  auto gradients = kt::function(kt::vmap<0, 1>(kt::grad<2>(loss)));
  xt::xtensor<double, 2> x{{1, 0}, {0, 1}, {1, 1}};
  auto y = layers(x, xt::eye<double>(2));                       // tanh(dot(x, w.T())): one product
  auto each = gradients(x, std::vector<double>{1, 1, 1}, std::vector<double>{2, 0});  // {{2, 0}, {0, -2}, {2, 2}}
  // end cut
  check(y.shape(0) == 3 && std::abs(y(2, 1) - std::tanh(1)) < 1e-15 && each == xt::xtensor<double, 2>{{2, 0}, {0, -2}, {2, 2}}, "vmap");

  // cut: pairs
  auto distances = kt::function([](kt::dmatrix a, kt::dmatrix b) {
    return kt::vmap<0>([&](auto p) { return kt::vmap<0>([&](auto q) { return sqrt(sum(sqr(p - q))); })(b); })(a);
  });
  auto d = distances(x, x);                                     // of shape {3, 3}
  // end cut
  check(d(0, 0) == 0 && std::abs(d(0, 1) - std::sqrt(2)) < 1e-15 && d(2, 0) == 1, "vmap inside of vmap");
}

void stable() {
  // cut: stable
  auto f = kt::function([](kt::dscalar x) { return log(1 + exp(x)); });
  double a = f(800.0);                                          // 800; the formula as written overflows
  double b = f(-40.0);                                          // 4.248354255291589e-18; as written: 0
  // end cut
  check(a == 800 && std::abs(b / 4.248354255291589e-18 - 1) < 1e-14, "formulas that stay accurate");
}

// cut: equal
constexpr auto written = [](kt::dscalar a, kt::dscalar b, kt::dscalar c, kt::dscalar d) { return a / (((a * b) / c) / d); };
constexpr auto simple = [](kt::dscalar, kt::dscalar b, kt::dscalar c, kt::dscalar d) { return (c * d) / b; };
static_assert(std::is_same_v<kt::canonical<written>, kt::canonical<simple>>);
// end cut

void choices() {
  // cut: choices
  auto f = kt::function([](kt::dvector x, kt::dmatrix m, kt::dscalar level) {
    auto positive = where(x > 0, x, 0);                         // element by element; both operands are computed
    return ifelse(level > 0, dot(m, positive), x);              // one branch as a whole; the product runs where it is taken
  });
  std::vector<double> x{1, -1};
  xt::xtensor<double, 2> m{{1, 2}, {3, 4}};
  auto product = f(x, m, 1.0);                                // {1, 3}
  auto same = f(x, m, -1.0);                                  // {1, -1}
  // end cut
  check(product(1) == 3 && same(1) == -1, "choices");
}

void into() {
  // cut: into
  auto scale = kt::function([](kt::dvector x, kt::dscalar a) { return a * x; });
  xt::xtensor<double, 1> y;
  scale.into(y, std::vector<double>{1, 2, 3}, 10.0);            // y is resized, and then holds {10, 20, 30}

  xt::xtensor<double, 2> m{{1, 2}, {3, 4}};
  auto column = xt::view(m, xt::all(), 1);
  scale.into(column, column, 10.0);                             // m is now {{1, 20}, {3, 40}}
  // end cut
  check(y(2) == 30 && m(1, 1) == 40 && m(1, 0) == 3, "results in your own arrays, strided views");

  // cut: given_away
  xt::xtensor<double, 1> state = y;
  for (int i = 0; i < 3; ++i) state = scale(std::move(state), 0.5);   // every result lies where the argument did
  // end cut
  check(state(2) == 3.75, "arguments that are given away");
}

void errors() {
  std::string text;
  // cut: errors
  auto add = kt::function([](kt::dvector a, kt::dvector b) { return kt::named(a, "a") + kt::named(b, "b"); });
  try {
    add(std::vector<double>{1, 2, 3}, std::vector<double>{1, 2});
  } catch (kt::shape_error const& e) {
    text = e.what();
  }
  // end cut
  std::cout << "== error\n" << text << "\n== ok\n";
  check(text.find('3') != std::string::npos && text.find('2') != std::string::npos, "errors in words");
}

void looking() {
  std::cout << "== debugprint\n";
  // cut: debugprint
  kt::debugprint(kt::function(slopes));
  // end cut
  std::cout << "== ok\n";
}

// cut: sgd
constexpr auto predicted = [](kt::dmatrix x, kt::dvector w, kt::dscalar b) { return dot(x, w) + b; };
constexpr auto step = [](kt::dmatrix x, kt::dvector y, kt::dvector w, kt::dscalar b) {
  auto cost = mean(sqr(predicted(x, w, b) - y));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(cost).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};
// end cut

void learning() {
  // cut: sgd call
  xt::xtensor<double, 2> x{{1, 0}, {0, 1}, {1, 1}, {2, 1}};
  xt::xtensor<double, 1> y{3, 0, 2, 4};                         // 2 * x0 - x1 + 1
  kt::shared w(xt::xtensor<double, 1>{0, 0});
  kt::shared b(0.0);
  auto train = kt::function(step, w, b);
  double cost = 0;
  for (int i = 0; i < 2000; ++i) cost = train(x, y);
  auto predict = kt::function(predicted, w, b);
  auto fitted = predict(x);
  // end cut
  // cut: givens
  kt::shared all_x(x);
  kt::shared all_y(y);
  auto train_batch = kt::function(step, kt::givens<0, 1>([](kt::lscalar i, kt::dmatrix x, kt::dvector y) {
    auto rows = kt::slice(2 * i, 2 * i + 2);
    return std::tuple(x(rows), y(rows));                        // what x and y of step are
  }, all_x, all_y), w, b);
  train_batch(0);                                               // the first two rows
  train_batch(1);
  // end cut
  check(cost < 1e-9 && xt::allclose(fitted, y) && std::abs(b.get_value() - 1) < 1e-3, "learning");
}

int main() {
  first();
  arrays();
  state();
  gradients();
  tensors();
  slices();
  stable();
  choices();
  into();
  errors();
  looking();
  learning();
}
