// What steps read and write at an index that moves with them are sequences and stacks; counters are known before the loop.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/loops/agreement.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>

namespace kt = kroton;

namespace {

using loop_tests::matrix;
using loop_tests::vector;

/// How many ops of the bodies of a graph select parts of arrays.
int selections_in_bodies(kt::graph const& g) {
  int found = 0;
  for (auto const& body : g.bodies())
    for (int id = 0; id < body->size(); ++id)
      found += body->is<kt::op::subtensor>(id) || body->is<kt::op::inc_subtensor>(id) ||
               body->is<kt::op::set_subtensor>(id);
  return found;
}
template <class F>
int selections_left(F const& f) {
  return selections_in_bodies(kt::optimize(kt::graph_of(f).get(), kt::stage::specialize));
}
constexpr auto without = kt::mode::interpret.excluding<"scan_subscripts", "scan_counters">();

template <class R>
double checksum(R const& r) {
  if constexpr (std::is_arithmetic_v<R>) return r * (r + 1);
  else if constexpr (requires { r.shape(); }) return xt::sum(r * (r + 1))();
  else return std::apply([](auto const&... each) { return (checksum(each) + ...); }, r);
}
/// What a call gives, or says.
template <class F, class... A>
std::string answer(F&& f, A const&... a) {
  try {
    return std::to_string(checksum(f(a...)));
  } catch (kt::error const& e) { return e.what(); }
}
template <class F, class... A>
void agree(F const& f, A const&... a) {
  CHECK(answer(kt::function(f, kt::mode::interpret), a...) == answer(kt::function(f, without), a...));
}
vector some(std::size_t n) { return xt::sin(xt::arange<double>(static_cast<double>(n)) + 1); }

}  // namespace

TEST_CASE("scan_subscripts: taps, backwards, several arrays, and their gradients", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y) {
    auto n = x.shape(0);
    auto s = scan([&](auto i, auto s) { return tanh(s + x(i - 1) * x(i) * y(n - 1 - i) + x(-1 - i)); },
                  kt::sequences(kt::arange(1, n)), kt::outputs_info(0.1));
    return std::tuple(s, grad(sum(s), x, y));
  };
  CHECK(selections_left(f) == 0);
  for (std::size_t n : {0, 1, 2, 6})
    loop_tests::check_agreement(suite::mode.excluding<"scan_subscripts">(), {1e-13, 1e-13}, f,
                                some(n), some(n + 1));
}

TEST_CASE("scan_subscripts: rows, columns, strides, and indices of two loops", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::dvector v) {
    auto rows = x.shape(0), columns = x.shape(1);
    auto nested = map([&](auto i) { return foldl([&](auto j, auto s) { return tanh(s + x(i, j) * v(j)); },
                                                 kt::sequences(kt::arange(columns)), kt::outputs_info(0.1)); },
                      kt::sequences(kt::arange(rows)));
    auto [count, odd] = scan([&](auto i, auto s) { return std::tuple(i + 2, tanh(s + x(kt::slice(), i))); },
                             kt::outputs_info(1, zeros<double>(rows)), kt::n_steps(columns - 2));
    return std::tuple(nested, kt::cast<double>(count), odd, grad(sum(nested) + sum(odd), x));
  };
  CHECK(selections_left(f) == 0);
  agree(f, matrix(xt::reshape_view(some(12), {3, 4})), some(4));
  agree(f, matrix(xt::zeros<double>({0, 4})), some(4));
}

TEST_CASE("scan_subscripts: what steps write", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x) {
    auto n = x.shape(0);
    return std::tuple(
        foldl([&](auto i, auto y) { return set_subtensor(y(n - 1 - i), 2 * x(i)); },
              kt::sequences(kt::arange(n)), kt::outputs_info(ones<double>(n))),
        foldl([&](auto i, auto y) { return inc_subtensor(y(2 * i + 1), x(i)); },
              kt::sequences(kt::arange(n)), kt::outputs_info(ones<double>(2 * n + 2))));
  };
  CHECK(selections_left(f) == 0);
  for (std::size_t n : {0, 1, 5}) agree(f, some(n));
}

TEST_CASE("scan_subscripts: indices that wrap, that a branch asks for, or a loop that stops", "[loops][passes]") {
  constexpr auto wrap = [](kt::dvector x) {
    auto s = scan([&](auto i, auto s) { return tanh(s + x(i - 1)); }, kt::sequences(kt::arange(x.shape(0))), kt::outputs_info(0.1));
    return std::tuple(s, grad(sum(s), x));
  };
  CHECK(selections_left(wrap) > 0);
  agree(wrap, some(4));
  constexpr auto branch = [](kt::dvector x, kt::lscalar n) {
    auto s = scan([&](auto i, auto s) { return s + kt::ifelse(i < x.shape(0), x(i), s); }, kt::sequences(kt::arange(n)), kt::outputs_info(0.1));
    return std::tuple(s);
  };
  agree(branch, some(3), std::int64_t{5});
  constexpr auto stops = [](kt::dvector x, kt::lscalar n) {
    auto s = scan([&](auto i, auto s) { return kt::until(s > 1, s + x(i)); }, kt::sequences(kt::arange(n)), kt::outputs_info(0.1));
    return std::tuple(s, grad(s(-1), x));
  };
  agree(stops, some(3), std::int64_t{9});
}

TEST_CASE("scan_subscripts: an array that is too short is the error of the step that reads behind its end", "[loops][passes]") {
  constexpr auto f = [](kt::dvector x, kt::dvector y) {
    auto s = scan([&](auto i, auto s) { return tanh(s + y(2 * i)); }, kt::sequences(kt::arange(x.shape(0))), kt::outputs_info(0.1));
    return std::tuple(s, grad(sum(s), y));
  };
  CHECK(selections_left(f) == 0);
  auto g = kt::function(f, kt::mode::interpret);
  CHECK(answer(g, some(5), some(7)) == "step 4 of a scan: index 8 is out of range: extent 0 of parameter 2 (dvector) is 7");
  agree(f, some(4), some(7));
  agree(f, some(0), some(0));
  // Steps that nobody needs do not ask
  constexpr auto first = [](kt::dvector x, kt::lscalar n) {
    auto s = scan([&](auto i, auto s) { return sin(s + x(i)); }, kt::sequences(kt::arange(n)), kt::outputs_info(0.1));
    return std::tuple(s(1), s.shape(0));
  };
  agree(first, some(3), std::int64_t{9});
}

TEST_CASE("scan_push_out_seq: a loop without steps asks nothing of what it would compute", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x, kt::lscalar j, kt::lscalar k) {
    return std::tuple(map([&](auto row) { return sin(row(j)); }, kt::sequences(x)),
                      scan([&](auto row, auto s) { return s * sum(reshape<2>(row, k, 2)); }, kt::sequences(x), kt::outputs_info(1.0)));
  };
  auto g = kt::function(f, kt::mode::interpret);
  matrix const none = xt::zeros<double>({0, 2}), two = xt::ones<double>({2, 2});
  CHECK(answer(g, none, std::int64_t{5}, std::int64_t{4}) == "0.000000");
  CHECK(answer(g, two, std::int64_t{5}, std::int64_t{1}) ==
        "step 0 of a scan: index 5 is out of range: extent 1 of parameter 1 (dmatrix) is 2");
  CHECK(answer(g, two, std::int64_t{1}, std::int64_t{4}) ==
        "reshape: an operand of shape (2) has 2 elements, but the requested shape, (4, 2), has 8");
}

TEST_CASE("what steps ask of extents alone names them before the loop", "[loops][passes]") {
  constexpr auto f = [](kt::dmatrix x) { return map([](auto row) { return max(row); }, kt::sequences(x)); };
  matrix const two = xt::zeros<double>({2, 0}), none = xt::zeros<double>({0, 0});
  auto interpreted = kt::function(f, kt::mode::interpret);
  CHECK(answer(interpreted, two) == "max of no elements: extent 1 of parameter 1 (dmatrix) is 0");
  CHECK(answer(interpreted, none) == "0.000000");
  CHECK(answer(kt::function(f), two) == "max of no elements: extent 1 of parameter 1 (dmatrix) is 0");
}
