// A program of the kinds that users write, compiled with the warnings that some of them turn on: none comes from a header of
// Kroton, nor from the program.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <kroton/kroton.hpp>
#include <kroton/minimize.hpp>
#include <kroton/npz.hpp>
#include <kroton/runtime.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <vector>

namespace kt = kroton;

namespace {

constexpr auto step = [](kt::dmatrix x, kt::lvector y, kt::dvector w, kt::dscalar b) {
  auto p_1 = 1 / (1 + exp(-dot(x, w) - b));
  auto xent = -y * log(p_1) - (1 - y) * log(1 - p_1);
  auto cost = mean(xent) + 0.01 * sum(pow(w, 2));
  auto [gw, gb] = grad(cost, w, b);
  return kt::outputs(p_1 > 0.5, xent).update(w, w - 0.1 * gw).update(b, b - 0.1 * gb);
};

struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::fmatrix, W), (kt::fvector, b));
};

void train() {
  kt::shared w(xt::xtensor<double, 1>{1, 2});
  kt::shared b(0.0);
  auto f = kt::function(step, w, b);
  auto const [prediction, error] =
      f(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, xt::xtensor<std::int64_t, 1>{0, 1});
  std::cout << prediction << error << w.get_value() << b.get_value();
  kt::debugprint(f);
}

void write_into() {
  auto f = kt::function([](kt::dvector x) { return 2 * tanh(x); });
  auto product = kt::function([](kt::dmatrix m, kt::dvector x) { return dot(m, x); });
  std::vector<double> const in{1, 2, 3};
  std::vector<double> out(3);
  auto adapted = xt::adapt(out, std::array<std::size_t, 1>{3});
  f.into(adapted, in);
  auto pointed = xt::adapt(out.data(), 3, xt::no_ownership(), std::array<std::size_t, 1>{3});
  f.into(pointed, in);
  auto dynamic = xt::adapt(out, std::vector<std::size_t>{3});
  f.into(dynamic, in);
  f.into(xt::adapt(out, {3}), in);
  xt::xtensor<double, 2> m = xt::ones<double>({3, 3});
  auto row = xt::view(m, 0, xt::all());
  f.into(row, in);
  product.into(adapted, m, in);
}

void arrays() {
  auto f = kt::function([](kt::fmatrix m, kt::ivector i, kt::fscalar s) {
    auto sorted = sort(m(i), kt::axis<1>);
    return std::tuple(cumsum(sorted, kt::axis<0>), max(m, kt::axis<1>), argmax(m), var(m), s * m + i(0),
                      concatenate<0>(m, sorted), where(m > 0, m, s), log1mexp(-exp(m)), softmax(m),
                      kt::cast<std::uint8_t>(m), kt::cast<double>(i) / 3);
  });
  auto const results = f(xt::xtensor<float, 2>{{1, 2}, {3, 4}}, xt::xtensor<int, 1>{0, 1}, 2.f);
  std::cout << std::get<0>(results) << std::get<2>(results);
  auto g = kt::function([](kt::dmatrix a, kt::dvector b) {
    return std::tuple(solve(a, b), det(a), grad(sum(kt::abs(solve(a, b))), a));
  });
  std::cout << std::get<1>(g(xt::xtensor<double, 2>{{2, 1}, {1, 2}}, xt::xtensor<double, 1>{1, 2}));
}

void structs() {
  kt::shared<layer> weights(xt::xtensor<float, 2>{{1, 2}}, xt::xtensor<float, 1>{3, 4});
  auto f = kt::function(
      [](kt::fmatrix x, layer p) {
        auto cost = sum(sqr(dot(x, p.W) + p.b));
        return kt::outputs(cost).update(p, p - 0.1f * grad(cost, p));
      },
      weights);
  std::cout << f(xt::xtensor<float, 2>{{1}});
  weights.save("weights.npz");
}

constexpr auto misfit = [](kt::dvector p, kt::dvector t, kt::dvector y) { return p(0) * exp(-p(1) * t) - y; };

void minimize() {
  std::vector<double> const t{0, 1, 2}, y{3, 1.1, 0.4};
  auto const fit = kt::least_squares(misfit, {1.0, 1.0}, kt::given(t, y), {.loss = kt::loss::huber(0.1)});
  auto const least = kt::minimize([](kt::dvector x) { return sum(sqr(x - 1)); }, fit.x, kt::newton{});
  std::cout << fit.x << least.value << kt::root([](kt::dscalar x) { return sqr(x) - 2; }, 1.0).x;
}

void at_run_time() {
  kt::runtime::graph g;
  auto const x = g.input<double, 2>("x");
  auto f = g.function({x}, tanh(dot(x, x.T())));
  xt::xtensor<double, 2> const y = f(xt::xtensor<double, 2>{{1, 2}, {3, 4}});
  std::cout << y << kt::runtime::parse("a ** 2 + b")(1., y).size();
  auto h = kt::function([](kt::dvector v) { return sum(exp(v)); }, kt::mode::debug);
  std::cout << h(xt::xtensor<double, 1>{1, 2});
}

}  // namespace

int main() {
  train();
  write_into();
  arrays();
  structs();
  minimize();
  at_run_time();
}
