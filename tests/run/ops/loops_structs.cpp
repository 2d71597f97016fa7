// Loops over structs of variables: sequences, states and non-sequences, compiled and interpreted.
// SPDX-License-Identifier: BSD-3-Clause
#include <boost/hana/define_struct.hpp>
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

namespace kt = kroton;

namespace {

using vector = xt::xtensor<double, 1>;
using matrix = xt::xtensor<double, 2>;

struct cell : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(cell, (kt::dvector, h), (kt::dscalar, count));
};
struct layer : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(layer, (kt::dmatrix, W), (kt::dvector, b));
};
struct samples : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(samples, (kt::dmatrix, x), (kt::dvector, weight));
};
struct sample : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(sample, (kt::dvector, x), (kt::dscalar, weight));
};
struct network : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(network, (layer, hidden), (kt::dscalar, scale));
};

matrix const X{{0.1, 0.2}, {0.3, 0.4}, {-0.5, 0.05}}, W{{0.1, 0.2}, {-0.3, 0.4}};
vector const b{0.5, -0.25}, h0{0.5, 0.6}, weight{1, 2, 3};

template <class A, class B>
bool same(A const& a, B const& b) {
  return a.shape() == b.shape() && (a.size() == 0 || xt::amax(xt::abs(a - b))() <= 1e-14);
}

/// Two functions with the same two outputs, in every stage.
template <class F, class G, class... A>
void agree(F const& f, G const& g, A const&... arguments) {
  auto const [a, b] = kt::function(g)(arguments...);
  auto check = [&](auto const& found) {
    CHECK(same(std::get<0>(found), a));
    CHECK(same(std::get<1>(found), b));
  };
  check(kt::function(f)(arguments...));
  check(kt::function(f, kt::mode::interpret)(arguments...));
  check(kt::function(f, kt::mode::debug)(arguments...));
}

constexpr auto separate = [](kt::dmatrix X, kt::dvector h, kt::dscalar c, kt::dmatrix W, kt::dvector b) {
  return scan([](auto x, auto h, auto c, auto W, auto b) { return std::tuple(tanh(dot(W, h) + b * c + x), c + 1); },
              kt::sequences(X), kt::outputs_info(h, c), kt::non_sequences(W, b));
};
constexpr auto whole = [](kt::dmatrix X, kt::dvector h, kt::dscalar c, kt::dmatrix W, kt::dvector b) {
  return scan([](auto x, cell s, layer l) { return cell{{}, tanh(dot(l.W, s.h) + l.b * s.count + x), s.count + 1}; },
              kt::sequences(X), kt::outputs_info(cell{{}, h, c}), kt::non_sequences(layer{{}, W, b}));
};

}  // namespace

TEST_CASE("scan: a struct is a state, and another a non-sequence", "[loops]") {
  agree(whole, separate, X, h0, 0., W, b);
  // Structs that are parameters, and a generic body.
  auto const f = kt::function([](kt::dmatrix X, cell start, layer l) {
    return scan([](auto x, auto s, auto l) { return cell{{}, tanh(dot(l.W, s.h) + l.b * s.count + x), s.count + 1}; },
                kt::sequences(X), kt::outputs_info(start), kt::non_sequences(l));
  });
  auto const [h, c] = f(X, kt::values<cell>(h0, 0.), kt::values<layer>(W, b));
  auto const [separate_h, separate_c] = kt::function(separate)(X, h0, 0., W, b);
  CHECK(same(h, separate_h));
  CHECK(same(c, separate_c));
  CHECK(c == vector{1, 2, 3});
}

TEST_CASE("scan: a struct beside other states and outputs", "[loops]") {
  auto const f = kt::function([](kt::dmatrix X, cell start, kt::dscalar s) {
    auto [norms, cells, sums] = scan(
        [](auto x, cell c, auto s) { return std::tuple(sum(sqr(x)), cell{{}, c.h + x, c.count + 1}, s + c.count); },
        kt::sequences(X), kt::outputs_info(kt::none, start, s));
    auto [h, count] = cells;
    return std::tuple(norms, h, count, sums);
  });
  auto const [norms, h, count, sums] = f(matrix{{1, 2}, {3, 4}}, kt::values<cell>(vector{10, 20}, 5.), 1.);
  CHECK(norms == vector{5, 25});
  CHECK(h == matrix{{11, 22}, {14, 26}});
  CHECK(count == vector{6, 7});
  CHECK(sums == vector{6, 12});
}

TEST_CASE("scan: a struct of sequences", "[loops]") {
  auto const separate = [](kt::dmatrix X, kt::dvector w) {
    return std::tuple(scan([](auto x, auto w, auto s) { return s + w * sum(x); }, kt::sequences(X, w), kt::outputs_info(0.0)), w);
  };
  // The body names the type of an element, or receives its members as a tuple.
  agree([](kt::dmatrix X, kt::dvector w) {
    return std::tuple(scan([](sample e, kt::dscalar s) { return s + e.weight * sum(e.x); }, kt::sequences(samples{{}, X, w}),
                           kt::outputs_info(0)), w);
  }, separate, X, weight);
  agree([](kt::dmatrix X, kt::dvector w) {
    return std::tuple(scan([](auto e, auto s) {
      auto [x, weight] = e;
      return s + weight * sum(x);
    }, kt::sequences(samples{{}, X, w}), kt::outputs_info(0.0)), w);
  }, separate, X, weight);
  // Several elements at a time.
  agree([](kt::dmatrix X, kt::dvector w) {
    return map([](sample before, sample now) { return std::tuple(before.weight * now.x, now.weight - before.weight); },
               kt::sequences(kt::taps<-1, 0>(samples{{}, X, w})));
  }, [](kt::dmatrix X, kt::dvector w) {
    return map([](auto x0, auto x1, auto w0, auto w1) { return std::tuple(w0 * x1, w1 - w0 + 0 * x0(0)); },
               kt::sequences(kt::taps<-1, 0>(X), kt::taps<-1, 0>(w)));
  }, X, weight);
}

TEST_CASE("scan: a struct of states that read several steps", "[loops]") {
  agree([](kt::dmatrix X, kt::dvector w) {
    return scan([](sample before, sample last) { return sample{{}, before.x * last.weight, last.weight + sum(before.x)}; },
                kt::outputs_info(kt::taps<-2, -1>(samples{{}, X, w})), kt::n_steps(4));
  }, [](kt::dmatrix X, kt::dvector w) {
    return scan([](auto x0, auto, auto w0, auto w1) { return std::tuple(x0 * w1, w1 + sum(x0) + 0 * w0); },
                kt::outputs_info(kt::taps<-2, -1>(X), kt::taps<-2, -1>(w)), kt::n_steps(4));
  }, X, weight);
}

TEST_CASE("folds give a struct back", "[loops]") {
  agree([](kt::dmatrix X, kt::dvector h) {
    cell last = foldl([](auto x, cell s) { return cell{{}, s.h * x + s.count, s.count + 1}; }, kt::sequences(X),
                      kt::outputs_info(cell{{}, h, sum(h)}));
    return std::tuple(last.h, full_like(h, last.count));
  }, [](kt::dmatrix X, kt::dvector h) {
    auto [last, count] = foldl([](auto x, auto h, auto c) { return std::tuple(h * x + c, c + 1); }, kt::sequences(X),
                               kt::outputs_info(h, sum(h)));
    return std::tuple(last, full_like(h, count));
  }, X, h0);
  // Beside an output of every step; and a struct that is one.
  auto const f = kt::function([](kt::dmatrix X, cell start) {
    auto [last, all] = foldr([](auto x, cell s) { return std::tuple(cell{{}, s.h + x, s.count + 1}, cell{{}, -x, sum(x)}); },
                             kt::sequences(X), kt::outputs_info(start, kt::none));
    auto [h, sums] = all;
    return std::tuple(last, h, sums);
  });
  auto const [last, h, sums] = f(matrix{{1, 2}, {3, 4}}, kt::values<cell>(vector{10, 20}, 5.));
  CHECK(kt::get<&cell::h>(last) == vector{14, 26});
  CHECK(kt::get<&cell::count>(last) == 7);
  CHECK(h == matrix{{-3, -4}, {-1, -2}});
  CHECK(sums == vector{7, 3});
}

TEST_CASE("scan: a struct that no later step reads", "[loops]") {
  auto const f = kt::function([](kt::dmatrix X, kt::dscalar s) {
    auto [cells, sums] = scan([](auto x, auto s) { return std::tuple(cell{{}, -x, sum(x)}, s + sum(x)); }, kt::sequences(X),
                              kt::outputs_info(kt::none, s));
    auto [h, count] = cells;
    auto [again, twice] = map([](auto x) { return cell{{}, -x, 2 * sum(x)}; }, kt::sequences(X));
    return std::tuple(h, count, sums, again + h, twice);
  });
  auto const [h, count, sums, twice_h, twice] = f(matrix{{1, 2}, {3, 4}}, 10.);
  CHECK(h == matrix{{-1, -2}, {-3, -4}});
  CHECK(count == vector{3, 7});
  CHECK(sums == vector{13, 20});
  CHECK(twice_h == matrix{{-2, -4}, {-6, -8}});
  CHECK(twice == vector{6, 14});
}

TEST_CASE("scan: structs in structs", "[loops]") {
  auto const f = kt::function([](kt::dvector h, network n) {
    return scan([](auto h, network n) { return n.scale * tanh(dot(n.hidden.W, h) + n.hidden.b); }, kt::outputs_info(h),
                kt::non_sequences(n), kt::n_steps(2));
  });
  matrix const hs = f(h0, kt::values<network>(kt::values<layer>(W, b), 2.));
  vector const first = 2 * xt::tanh(vector{0.1 * 0.5 + 0.2 * 0.6 + 0.5, -0.3 * 0.5 + 0.4 * 0.6 - 0.25});
  CHECK(std::abs(hs(0, 0) - first(0)) < 1e-14);
  CHECK(std::abs(hs(0, 1) - first(1)) < 1e-14);
}

TEST_CASE("scan: gradients through structs", "[loops]") {
  CHECK(kt::verify_grad([](kt::dmatrix X, kt::dvector h, kt::dscalar c, kt::dmatrix W, kt::dvector b) {
    auto [hs, counts] = whole(X, h, c, W, b);
    return sum(sqr(hs)) + sum(hs(-1)) * counts(-1);
  }, X, h0, 0.5, W, b));
  CHECK(kt::verify_grad([](kt::dmatrix X, kt::dvector w) {
    return foldl([](sample e, kt::dscalar s) { return s * e.weight + sum(sin(e.x)); }, kt::sequences(samples{{}, X, w}),
                 kt::outputs_info(1));
  }, X, weight));
  // By a struct that is a start.
  auto const f = kt::function([](kt::dmatrix X, cell start) {
    cell last = foldl([](auto x, cell s) { return cell{{}, s.h * x + s.count, s.count * 2}; }, kt::sequences(X), kt::outputs_info(start));
    return grad(sum(last.h) + last.count, start);
  });
  auto const [h, count] = f(matrix{{1, 2}, {3, 4}}, kt::values<cell>(vector{10, 20}, 5.));
  // h1 x0 x1 + c x1 + 2 c, and 4 c
  CHECK(h == vector{3, 8});
  CHECK(count == 3 + 4 + 2 * 2 + 4);
}
