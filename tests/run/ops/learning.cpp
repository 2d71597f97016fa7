// Activations and losses against their definitions, at the ends of their range, and their gradients.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <sstream>

using namespace reference;
using I = std::size_t;

namespace {

constexpr auto activations = [](auto x) { return std::tuple(relu(x), relu(x, 0.1), elu(x), elu(x, 0.5), gelu(x), sigmoid(x), softplus(x)); };
constexpr auto activation_gradients = [](kt::dvector x) {
  return std::tuple(grad(sum(relu(x)), x), grad(sum(relu(x, 0.1)), x), grad(sum(elu(x)), x), grad(sum(gelu(x)), x));
};
constexpr auto written_softmax = [](kt::dmatrix x) { return exp(x) / dimshuffle<0, 'x'>(sum(exp(x), kt::axis<1>)); };
constexpr auto losses = [](kt::dmatrix x, kt::lvector y, kt::dmatrix t) {
  auto const p = softmax(x);
  return std::tuple(categorical_crossentropy(p, y), categorical_crossentropy(p, t), categorical_crossentropy(written_softmax(x), y),
                    categorical_crossentropy(p + 0 * x, y), categorical_crossentropy(p + 0 * x, t), multiclass_hinge(x, y), multiclass_hinge(x, y, 0.25));
};
constexpr auto loss_gradients = [](kt::dmatrix x, kt::lvector y) {
  return std::tuple(grad(sum(categorical_crossentropy(softmax(x), y)), x), grad(sum(categorical_crossentropy(written_softmax(x), y)), x),
                    grad(sum(categorical_crossentropy(exp(x), y)), x));
};
constexpr auto binary = [](kt::dvector x, kt::lvector y, kt::dvector p) {
  auto const loss = binary_crossentropy(sigmoid(x), y);
  return std::tuple(loss, grad(sum(loss), x), binary_crossentropy(p, y), binary_crossentropy(p, kt::cast<float>(y)));
};

}  // namespace

TEST_CASE("activations") {
  vec<double> const x{-infinity, -800, -3, -1e-9, -0., 0, 1e-9, 0.5, 3, 800, infinity};
  auto const [r, leaky, e, half, g, s, p] = kt::function<kt::dvector>(activations)(x);
  CHECK(mismatch(r, [&](I i) { return x(i) > 0 ? x(i) : 0; }) == "");
  CHECK(mismatch(leaky, [&](I i) { return x(i) > 0 ? x(i) : 0.1 * x(i); }) == "");
  CHECK(mismatch(e, [&](I i) { return x(i) > 0 ? x(i) : std::expm1(x(i)); }, 1e-15) == "");
  CHECK(mismatch(half, [&](I i) { return x(i) > 0 ? x(i) : 0.5 * std::expm1(x(i)); }, 1e-15) == "");
  CHECK(mismatch(g, [&](I i) { return 0.5 * x(i) * std::erfc(-x(i) / std::sqrt(2.)); }, 1e-14) == "");
  CHECK(mismatch(s, [&](I i) { return 1 / (1 + std::exp(-x(i))); }, 1e-15) == "");
  CHECK(mismatch(p, [&](I i) { return x(i) > 700 ? x(i) : std::log1p(std::exp(x(i))); }, 1e-15) == "");
  // Far out the normal distribution's tail is small, but not 0.
  CHECK(close(std::get<4>(kt::function<kt::dvector>(activations)(vec<double>{-10}))(0), -7.61985302416052606e-23, 1e-13));
  auto const n = kt::function<kt::fvector>(activations)(vec<float>{static_cast<float>(not_a_number)});
  static_assert(std::is_same_v<std::tuple_element_t<4, std::remove_const_t<decltype(n)>>, vec<float>>);
  std::apply([](auto const&... v) { CHECK((std::isnan(v(0)) && ...)); }, n);
  CHECK((kt::function([](kt::bvector v) { return relu(v); })(vec<std::int8_t>{-3, 0, 5}) == vec<std::int8_t>{0, 0, 5}));
}

TEST_CASE("gradients of activations are finite everywhere") {
  auto const [r, leaky, e, g] = kt::function(activation_gradients)(vec<double>{-800, -2, 0, 2, 800});
  CHECK((r == vec<double>{0, 0, 0, 1, 1}));
  CHECK((leaky == vec<double>{0.1, 0.1, 0.1, 1, 1}));
  CHECK(mismatch(e, [](I i) { return i == 0 ? 0 : i == 1 ? std::exp(-2.) : 1; }, 1e-15) == "");
  double const density = std::exp(-2.) / std::sqrt(2 * 3.14159265358979324), below = 0.5 * std::erfc(-std::sqrt(2.));
  CHECK(mismatch(g, [&](I i) { return i == 0 ? 0 : i == 1 ? 1 - below - 2 * density : i == 2 ? 0.5 : i == 3 ? below + 2 * density : 1; }, 1e-14, 1e-15) == "");
}

TEST_CASE("cross-entropy and hinge loss of lines") {
  mat<double> const x{{1, 2, 0.5}, {-1, 0, 3}};
  vec<std::int64_t> const y{1, 0};
  mat<double> const t{{0.2, 0.8, 0}, {0, 0, 1}};
  auto p = [&](I i, I j) { return std::exp(x(i, j)) / (std::exp(x(i, 0)) + std::exp(x(i, 1)) + std::exp(x(i, 2))); };
  auto check = [&](auto const& f) {
    auto const [labels, soft, written, plain, plain_soft, hinge, narrow] = f(x, y, t);
    auto of_label = [&](I i) { return -std::log(p(i, static_cast<I>(y(i)))); };
    auto of_distribution = [&](I i) { return -(t(i, 0) * std::log(p(i, 0)) + t(i, 1) * std::log(p(i, 1)) + t(i, 2) * std::log(p(i, 2))); };
    CHECK(mismatch(labels, of_label, 1e-14) == "");
    CHECK(mismatch(written, of_label, 1e-14) == "");
    CHECK(mismatch(plain, of_label, 1e-14) == "");
    CHECK(mismatch(soft, of_distribution, 1e-14) == "");
    CHECK(mismatch(plain_soft, of_distribution, 1e-14) == "");
    CHECK((hinge == vec<double>{0, 5}));
    CHECK((narrow == vec<double>{0, 4.25}));
  };
  check(kt::function(losses));
  check(kt::function(losses, kt::mode::interpret));
  CHECK_THROWS_AS(kt::function(losses)(x, vec<std::int64_t>{1, 3}, t), kt::value_error);
  CHECK_THROWS_AS(kt::function(losses)(x, vec<std::int64_t>{1, 1, 1}, t), kt::shape_error);
}

TEST_CASE("cross-entropy of a softmax that underflows") {
  mat<double> const x{{1000, 0, -1000}, {-2000, 0, 2000}};
  vec<std::int64_t> const y{2, 0};
  auto check = [&](auto const& f, auto const& g) {
    auto const loss = f(x, y, mat<double>{{0, 0, 1}, {0.5, 0.5, 0}});
    CHECK((std::get<0>(loss) == vec<double>{2000, 4000}));
    CHECK((std::get<1>(loss) == vec<double>{2000, 3000}));
    CHECK((std::get<2>(loss) == vec<double>{2000, 4000}));
    auto const [a, b, c] = g(x, y);
    CHECK((a == mat<double>{{1, 0, -1}, {-1, 0, 1}}));
    CHECK((b == mat<double>{{1, 0, -1}, {-1, 0, 1}}));
  };
  check(kt::function(losses), kt::function(loss_gradients));
  check(kt::function(losses, kt::mode::ieee), kt::function(loss_gradients, kt::mode::ieee));
  CHECK(kt::verify_grad([](kt::dmatrix m) {
    return sum(multiclass_hinge(m, kt::cast<int>(m(kt::slice(), 0)))) + sum(categorical_crossentropy(softmax(m), kt::cast<int>(m(kt::slice(), 0)))) +
           sum(categorical_crossentropy(sqr(m), kt::cast<int>(m(kt::slice(), 0))));
  }, mat<double>{{1.1, 2, 0.5}, {2.3, 0.4, 3}}));
}

TEST_CASE("binary cross-entropy") {
  vec<double> const x{-800, -2, 0, 3, 800, -800}, p{0, 0.25, 0.5, 0.75, 1, 1};
  vec<std::int64_t> const y{1, 0, 1, 1, 0, 0};
  auto check = [&](auto const& f) {
    auto const [loss, gradient, plain, narrow] = f(x, y, p);
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(narrow)>, vec<double>>);
    auto entropy = [](double q, std::int64_t t) { return t == 1 ? -std::log(q) : -std::log1p(-q); };
    CHECK(mismatch(loss, [&](I i) { return i == 0 || i == 4 ? 800 : i == 5 ? 0 : entropy(1 / (1 + std::exp(-x(i))), y(i)); }, 1e-14) == "");
    CHECK(mismatch(gradient, [&](I i) { return 1 / (1 + std::exp(-x(i))) - static_cast<double>(y(i)); }, 1e-14) == "");
    CHECK(mismatch(plain, [&](I i) { return entropy(p(i), y(i)); }, 1e-14) == "");
    CHECK((narrow == plain));
  };
  check(kt::function(binary));
  check(kt::function(binary, kt::mode::ieee));
}

namespace {

template <class T>
int activations_in_a_training_step() {
  constexpr auto step = [](kt::matrix<T> x, kt::lvector y, kt::matrix<T> w, kt::vector<T> b, kt::matrix<T> v) {
    auto const cost = mean(categorical_crossentropy(softmax(dot(tanh(dot(x, w) + b), v)), y));
    return std::tuple(cost, grad(cost, w), grad(cost, b), grad(cost, v));
  };
  std::ostringstream text;
  kt::debugprint(kt::function(step), text);
  std::string const all = text.str(), steps = all.substr(all.rfind("steps"));
  int count = 0;
  for (std::size_t at = 0; (at = steps.find(" tanh", at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("a step of training computes the activation once, whatever order its operands have") {
  CHECK(activations_in_a_training_step<double>() == 1);
  CHECK(activations_in_a_training_step<float>() == 1);
}
