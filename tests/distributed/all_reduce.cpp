// kt::all_reduce: its values, gradients and order.
// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/tests.hpp"

#include <boost/hana/define_struct.hpp>
#include <xtensor/xview.hpp>

#include <cmath>
#include <complex>
#include <limits>

namespace {

/// What rank r has.
double element(int r, std::size_t i) { return std::sin(1.0 + 7 * r + 3 * static_cast<double>(i)); }
vector of_rank(int r, std::size_t n = 5) {
  vector x = vector::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) x(i) = element(r, i);
  return x;
}

struct parts : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(parts, (kt::dmatrix, a), (kt::fvector, b), (kt::dscalar, c), (kt::fscalar, d));
};

}  // namespace

TEST_CASE("sums, means and extrema are those over the ranks, on all of them") {
  auto const world = all_ranks();
  auto const f = kt::function([](kt::dvector x) {
    return std::tuple(kt::all_reduce(x, kt::sum), kt::all_reduce(x, kt::mean), kt::all_reduce(x, kt::max),
                      kt::all_reduce(x, kt::min));
  });
  auto const [sum, mean, max, min] = f(of_rank(world.rank()));
  for (std::size_t i = 0; i < 5; ++i) {
    double total = 0, most = -2, least = 2;
    for (int r = 0; r < world.size(); ++r)
      total += element(r, i), most = std::max(most, element(r, i)), least = std::min(least, element(r, i));
    CHECK(sum(i) == Approx(total).epsilon(1e-14));
    CHECK(mean(i) == Approx(total / world.size()).epsilon(1e-14));
    CHECK((max(i) == most && min(i) == least));
  }
  // The same bits on all ranks, with the algorithms for short and for long values: weights must not drift apart.
  for (std::size_t n : {std::size_t{5}, std::size_t{3001}, std::size_t{50'000}}) {
    vector const own = std::get<0>(f(of_rank(world.rank(), n)));
    vector first = own;
    MPI_Bcast(first.data(), static_cast<int>(n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK((own == first));
  }
  // NaN wins, wherever it is; and nothing is added to nothing.
  vector x = of_rank(world.rank());
  if (world.rank() == world.size() - 1) x(2) = std::numeric_limits<double>::quiet_NaN();
  auto const [s, m, largest, smallest] = f(x);
  CHECK((std::isnan(s(2)) && std::isnan(m(2)) && std::isnan(largest(2)) && std::isnan(smallest(2))));
  CHECK((largest(1) == max(1) && smallest(1) == min(1)));
  CHECK(std::get<0>(f(vector::from_shape({0}))).size() == 0);
}

TEST_CASE("other types, strided operands, and what no one reads") {
  auto const world = all_ranks();
  int const n = world.size();
  auto const f = kt::function([](kt::ivector k, kt::zscalar z, kt::dmatrix x) {
    kt::all_reduce(x(0), kt::sum);  // all ranks take part, though the result is not needed
    return std::tuple(kt::all_reduce(k, kt::max), kt::all_reduce(z, kt::mean), kt::all_reduce(x.T(), kt::sum));
  });
  matrix const x{{1, 2, 3}, {4, 5, 6}};
  auto const [k, z, y] = f(xt::xtensor<int, 1>{world.rank(), -world.rank()}, std::complex<double>(1, 2.0 * world.rank()), x);
  CHECK((k == xt::xtensor<int, 1>{n - 1, 0}));
  CHECK(z.real() == 1);
  CHECK(z.imag() == Approx(n - 1));
  CHECK((y == n * xt::transpose(x)));
}

TEST_CASE("a struct is reduced at once, with other values") {
  auto const world = all_ranks();
  double const n = world.size(), mean = (n - 1) / 2, r = world.rank();
  auto const f = kt::function([](kt::dscalar cost, parts p) { return kt::all_reduce(std::tuple(cost, p), kt::mean); });
  auto const [cost, p] = f(r, std::tuple(matrix{{r, 2 * r}}, xt::xtensor<float, 1>{static_cast<float>(3 * r)}, 4 * r, static_cast<float>(5 * r)));
  auto const [a, b, c, d] = p;
  CHECK(cost == mean);
  CHECK((a == matrix{{mean, 2 * mean}}));
  CHECK((b(0) == static_cast<float>(3 * mean) && c == 4 * mean && d == static_cast<float>(5 * mean)));
  // The values of one type are one message.
  constexpr auto of_struct = [](parts p) { return kt::all_reduce(p, kt::sum); };
  kt::graph const g = kt::graph_of(of_struct);
  int ops = 0;
  for (int id = 0; id < g.size(); ++id) ops += g[id].op->is_serial;
  CHECK(ops == 2);
}

TEST_CASE("large values of a struct, also strided ones and those that no one reads, are what small ones are") {
  auto const world = all_ranks();
  auto const f = kt::function([](kt::dmatrix x, kt::dvector v) {
    auto const [a, b, c, d] = kt::all_reduce(std::tuple(x.T(), v, 2 * x, x), kt::mean);
    return std::tuple(a, b, d);
  });
  std::size_t const n = 120;
  matrix x = matrix::from_shape({n, n});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i) * (1 + world.rank());
  auto const [a, b, d] = f(x, vector{1.0 * world.rank()});
  double const mean = (world.size() + 1) / 2.0;
  CHECK((a(3, 5) == Approx(mean * (5 * n + 3)) && a(n - 1, 0) == Approx(mean * (n - 1))));
  CHECK(b(0) == Approx((world.size() - 1) / 2.0));
  CHECK((d(3, 5) == Approx(mean * (3 * n + 5)) && d(n - 1, 0) == Approx(mean * (n * (n - 1)))));
}

TEST_CASE("gradients are those of the sum of the costs of all ranks") {
  auto const world = all_ranks();
  int const ranks = world.size(), own = world.rank();
  auto const f = kt::function([](kt::dvector x, kt::dscalar weight) {
    auto const cost = [&](kt::distributed::reducer how) { return weight * sum(sqr(kt::all_reduce(x, how))); };
    auto const [s, m] = kt::all_reduce(std::tuple(x, 2 * x), kt::sum);
    return std::tuple(grad(cost(kt::sum), x), grad(cost(kt::mean), x), grad(cost(kt::max), x), grad(weight * sum(s), x),
                      rop(kt::all_reduce(x, kt::sum), x, weight * x));
  });
  auto const weight = [](int r) { return 1.5 + r; };
  auto const [sum, mean, max, one, forward] = f(of_rank(own), weight(own));
  double weights = 0;
  for (int r = 0; r < ranks; ++r) weights += weight(r);
  for (std::size_t i = 0; i < 5; ++i) {
    double total = 0, most = -2, pushed = 0;
    for (int r = 0; r < ranks; ++r)
      total += element(r, i), most = std::max(most, element(r, i)), pushed += weight(r) * element(r, i);
    CHECK(sum(i) == Approx(2 * weights * total).margin(1e-13));
    CHECK(mean(i) == Approx(2 * weights * total / ranks / ranks).margin(1e-13));
    CHECK(max(i) == Approx(element(own, i) == most ? 2 * weights * most : 0));
    CHECK(one(i) == Approx(weights));  // only one value of the bucket has a gradient
    CHECK(forward(i) == Approx(pushed).margin(1e-13));
  }
  // Of equals the first one.
  CHECK((std::get<2>(f(vector{1, 1}, 1.0)) == (own == 0 ? 2 * ranks : 0) * vector{1, 1}));
}

TEST_CASE("a branch that only some ranks take computes it on all") {
  auto const world = all_ranks();
  auto const f = kt::function([](kt::dvector x, kt::lscalar rank) {
    return ifelse(rank > 0, kt::all_reduce(2 * x, kt::sum), -x);
  });
  vector const y = f(vector{1, 2}, static_cast<std::int64_t>(world.rank()));
  CHECK((y == (world.rank() > 0 ? vector(2.0 * world.size() * vector{1, 2}) : vector{-1, -2})));
}

TEST_CASE("a gradient from a branch that only some ranks take is that of these ranks, on all") {
  auto const world = all_ranks();
  double const ranks = world.size(), own = world.rank(), total = ranks * (ranks + 3) / 2, taking = ranks - 1;
  auto const f = kt::function([](kt::dscalar x, kt::lscalar rank) {
    auto const [a, b] = kt::all_reduce(std::tuple(x, 2 * x), kt::sum);
    return std::tuple(grad(ifelse(rank > 0, sqr(kt::all_reduce(x, kt::sum)), x), x), grad(ifelse(rank > 0, a * b, 0 * x), x),
                      grad(ifelse(rank > 0, sqr(kt::all_reduce(x, kt::max)), x), x));
  });
  auto const [alone, together, most] = f(2 + own, static_cast<std::int64_t>(own));  // x adds up to `total`
  CHECK(alone == taking * 2 * total + (own == 0 ? 1 : 0));
  CHECK(together == taking * 4 * total);
  CHECK(most == (own == ranks - 1 ? taking * 2 * (ranks + 1) : 0) + (own == 0 ? 1 : 0));
}

TEST_CASE("what cannot be reduced is refused in words") {
  constexpr auto refused = [](auto record) {
    kt::graph g;
    record(g);
    return g.error();
  };
  constexpr auto input = []<class V>(kt::graph& g, std::type_identity<V>) { return V(kt::term{&g, g.input(V::parameter_type, 0)}); };
  using kt::dvector;
  static_assert(refused([=](kt::graph& g) { kt::all_reduce(input(g, std::type_identity<dvector>()), kt::prod); }) ==
                "kt::all_reduce: the second argument is kt::sum, kt::mean, kt::max or kt::min");
  static_assert(refused([=](kt::graph& g) { kt::all_reduce(input(g, std::type_identity<kt::lvector>()), kt::mean); }) ==
                "kt::all_reduce: integers have no mean: cast them to a floating-point type");
  static_assert(refused([=](kt::graph& g) { kt::all_reduce(input(g, std::type_identity<kt::vector<bool>>()), kt::sum); }) ==
                "kt::all_reduce: bools have no sum: cast them to an integer type");
  static_assert(refused([=](kt::graph& g) { kt::all_reduce(input(g, std::type_identity<kt::zvector>()), kt::max); }) ==
                kt::core::no_complex_numbers);
  static_assert(refused([=](kt::graph& g) {
                  auto const x = input(g, std::type_identity<dvector>());
                  kt::vmap([](kt::dscalar one) { return kt::all_reduce(one, kt::sum); })(x);
                }) == "kt::vmap, kt::jacobian, kt::hessian: an op whose calls have an order, such as kt::all_reduce, cannot be mapped");
  static_assert(refused([=](kt::graph& g) {
                  auto const x = input(g, std::type_identity<dvector>());
                  kt::scan([](kt::dscalar one) { return kt::all_reduce(one, kt::sum); }, kt::sequences(x));
                }) == kt::core::no_serial_inside);
  static_assert(refused([=](kt::graph& g) {
                  auto const x = input(g, std::type_identity<dvector>());
                  grad(sum(kt::checkpointed([](dvector v) { return exp(kt::all_reduce(v, kt::sum)); })(x)), x);
                }) == "kt::with_pullback, kt::checkpointed: an op whose calls have an order cannot be inside, where a gradient would "
                      "call it again");
}
