// Values of a reduction that are reduced while the function computes the others.
// SPDX-License-Identifier: BSD-3-Clause
#include "distributed/tests.hpp"

#include <kroton/runtime.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace {

// What is ready first is asked for last; the first two are large where x is 100 x 100.
constexpr auto chain = [](kt::dmatrix x, kt::dvector late) {
  auto const a = tanh(dot(x, x)), b = tanh(dot(a, x)), c = tanh(dot(b, x));
  auto const checked = kt::assert_that("late is small", all(late < 10), c);
  auto const [s, n, m, l] = kt::all_reduce(std::tuple(sum(a), checked, b, a.T()), kt::mean);
  return std::tuple(s, n, m, l);
};
// Vectors of 30,000 bytes: three of them fill a message.
constexpr auto vectors = [](kt::dvector v) {
  auto const a = sin(v), b = sin(a + v), c = sin(b + v), d = sin(c + v), e = sin(d + v);
  auto const [p, q, r, s, t] = kt::all_reduce(std::tuple(e, d, c, b, a), kt::sum);
  return std::tuple(p, q, r, s, t);
};
bool is_near(matrix const& a, matrix const& b) {
  bool all = a.shape() == b.shape();
  for (std::size_t i = 0; all && i < a.size(); ++i) all = std::abs(a.data()[i] - b.data()[i]) < 1e-14;
  return all;
}
// The sum over all ranks, by an op whose run calls a function that reduces.
struct reducing : kt::operation<"reducing", 1> {
  static inline bool throws = false;
  static constexpr kt::tensor_type type(kt::core::application const& a) { return a.input(0); }
  static constexpr kt::core::extent_source extent(kt::core::application const&, int d) {
    return {kt::core::extent_source::dimension, 0, d};
  }
  static constexpr auto pullback = kt::no_gradient;
  template <class T>
  static void run(kt::core::invocation const& call) {
    static auto const inner = kt::function([](kt::dmatrix x, kt::dvector late) {
      auto const y = tanh(dot(x, x));
      auto const checked = kt::assert_that("late is small", all(late < 10), tanh(dot(y, x)));
      auto const [p, q, r] = kt::all_reduce(std::tuple(x, y, checked), kt::sum);
      return p + 0 * (q + r);
    });
    kt::core::array_ref const &x = call.operand(0), &y = call.result();
    matrix own = matrix::from_shape({static_cast<std::size_t>(x.extents[0]), static_cast<std::size_t>(x.extents[1])});
    kt::core::array_ref at = x;
    at.data = reinterpret_cast<std::byte*>(own.data());
    at.make_contiguous_strides();
    kt::core::copy(at, x);
    if (throws) CHECK(thrown([&] { inner(own, vector{20}); }) == "late is small");
    matrix sum = inner(own, vector{1});
    // Of one loop, behind which nothing is left to compute: no value is begun early.
    static auto const together = kt::function([](kt::dmatrix x) {
      auto const [p, q] = kt::all_reduce(std::tuple(2 * x, 3 * x), kt::sum);
      return (p + q) / 5;
    });
    CHECK(is_near(matrix(together(own)), sum));
    at.data = reinterpret_cast<std::byte*>(sum.data());
    kt::core::copy(y, at);
  }
};
constexpr kt::dmatrix reduced_inside(kt::dmatrix x) {
  return kt::dmatrix(kt::term{x.of, x.of->template apply<reducing>({x.id})});
}
matrix of_rank(int rank, std::size_t n, std::size_t columns) {
  matrix x = matrix::from_shape({n, columns});
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.0 + 3 * rank + 0.7 * static_cast<double>(i)) / static_cast<double>(n);
  return x;
}
matrix as_row(vector const& v) {
  matrix row = matrix::from_shape({1, v.size()});
  std::copy(v.begin(), v.end(), row.begin());
  return row;
}
template <class X>
bool is_alike_everywhere(X const& own) {
  X first = own;
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return first == own;
}
vector const small{1, 2};

template <class Mode>
void check_values(Mode mode) {
  auto const world = all_ranks();
  auto const f = kt::function(chain, mode);
  for (std::size_t n : {std::size_t{3}, std::size_t{100}}) {
    matrix const x = of_rank(world.rank(), n, n);
    world.overlap(false);
    auto const [s, a, b, c] = f(x, small);
    world.overlap(true);
    for (int k = 0; k < 3; ++k) {
      auto const [t, d, e, g] = f(x, small);
      CHECK(t == Approx(s).margin(1e-14));
      CHECK((is_near(a, d) && is_near(b, e) && is_near(c, g)));
      CHECK((is_alike_everywhere(d) && is_alike_everywhere(e) && is_alike_everywhere(g)));
    }
  }
}

}  // namespace

TEST_CASE("what is reduced early is what is reduced at the end") { check_values(kt::mode::fast_run); }
TEST_CASE("so it is where functions are interpreted, or do not share loops") {
  check_values(kt::mode::interpret);
  check_values(kt::mode::fast_compile);
}

TEST_CASE("a user's op that reduces leaves what is under way to the call around it") {
  auto const world = all_ranks();
  auto const f = kt::function([](kt::dmatrix x) {
    auto const a = tanh(dot(x, x)), b = tanh(dot(a, x)), c = reduced_inside(tanh(dot(b, x)));
    auto const [p, q, r] = kt::all_reduce(std::tuple(a, b, c), kt::sum);
    return std::tuple(p, q, r);
  });
  for (std::size_t n : {std::size_t{3}, std::size_t{100}}) {
    matrix const x = of_rank(world.rank(), n, n);
    world.overlap(false);
    auto const [a, b, c] = f(x);
    world.overlap(true);
    for (int k = 0; k < 3; ++k) {
      reducing::throws = k == 1;  // on all ranks
      auto const [p, q, r] = f(x);
      CHECK((is_near(a, p) && is_near(b, q) && is_near(c, r)));
    }
    reducing::throws = false;
  }
}

TEST_CASE("small values travel together as soon as they fill a message") {
  auto const world = all_ranks();
  std::size_t const n = 3750;
  vector v = vector::from_shape({n});
  for (std::size_t i = 0; i < n; ++i) v(i) = std::cos(static_cast<double>(i) + world.rank());
  auto const f = kt::function(vectors);
  world.overlap(false);
  auto const [a, b, c, d, e] = f(v);
  world.overlap(true);
  auto const [p, q, r, s, t] = f(v);
  CHECK((is_near(as_row(a), as_row(p)) && is_near(as_row(b), as_row(q)) && is_near(as_row(c), as_row(r))));
  CHECK((is_near(as_row(d), as_row(s)) && is_near(as_row(e), as_row(t))));
}

TEST_CASE("in a plan a value begins its reduction directly behind what computes it") {
  std::ostringstream text;
  kt::debugprint(kt::function(chain), text);
  std::string const steps = text.str().substr(text.str().find("\nsteps"));
  auto const at = [&](char const* word, std::size_t from) { return steps.find(word, from); };
  std::size_t const a = at("all_reduce_early{1,1,4,3}", 0), b = at("all_reduce_early{1,1,4,2}", 0);
  REQUIRE((a != std::string::npos && b != std::string::npos));
  CHECK((a < b && at("dot", a) < b && at("dot", b) < at("all_reduce_bucket", 0)));
  CHECK(at("all_reduce_early{1,1,4,1}", 0) == std::string::npos);  // the last one
  CHECK(at("all_reduce_early{1,1,4,0}", 0) == std::string::npos);  // a number
}

TEST_CASE("run-time graphs reduce early, too") {
  auto const world = all_ranks();
  kt::runtime::graph g;
  auto const x = g.input<kt::dmatrix>("x");
  auto const late = g.input<kt::dvector>("late");
  auto const f = g.function({x, late}, std::get<2>(chain(x, late)));
  matrix const own = of_rank(world.rank(), 100, 100);
  matrix const expected = std::get<2>(kt::function(chain)(own, small)), found = f(own, small);
  CHECK(is_near(expected, found));
}

TEST_CASE("a rank that throws when values are under way tells the others, and all go on") {
  auto const world = all_ranks();
  auto const f = kt::function(chain);
  bool const is_last = world.rank() == world.size() - 1;
  std::string const last = "rank " + std::to_string(world.size() - 1);
  matrix const x = of_rank(world.rank(), 100, 100);
  double const right = std::get<0>(f(x, small));
  for (int k = 0; k < 3; ++k) {
    std::string const text = thrown([&] { f(x, is_last ? vector{20} : small); });
    CHECK((is_last ? text == "late is small" : contains(text, last + " has left a call by an error")));
    CHECK(std::get<0>(f(x, small)) == Approx(right).epsilon(1e-12));
  }
  CHECK(thrown([&] { f(x, vector{20}); }) == "late is small");  // all of them
  CHECK(std::get<0>(f(x, small)) == Approx(right).epsilon(1e-12));
}

TEST_CASE("early values of different extents are named on all ranks") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  auto const f = kt::function(chain);
  auto const with = [&](std::size_t n) { return thrown<kt::shape_error>([&] { f(of_rank(world.rank(), n, n), small); }); };
  std::string const large = "kt::all_reduce: value 4 has the extents (100, 100) on rank 0, but (101, 101) on rank 1";
  CHECK(with(world.rank() == 1 ? 101 : 100) == large);
  // On rank 1 nothing begins early.
  std::string const small_there = "kt::all_reduce: value 4 has the extents (100, 100) on rank 0, but (3, 3) on rank 1";
  CHECK(with(world.rank() == 1 ? 3 : 100) == small_there);
  CHECK(with(100).empty());
}

TEST_CASE("ranks of which one does not overlap are told so") {
  auto const world = all_ranks();
  if (world.size() == 1) return;
  auto const f = kt::function(chain);
  matrix const x = of_rank(world.rank(), 100, 100);
  world.overlap(world.rank() != 1);
  CHECK(contains(thrown<kt::distributed::error>([&] { f(x, small); }), "rank 0 and rank 1 do not begin the same values early"));
  world.overlap(true);
  CHECK(thrown([&] { f(x, small); }).empty());
}
