// Structs of variables in Jacobians and Hessians: a struct counts as its variables.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/rewrite/scalars.hpp"

#include <boost/hana/define_struct.hpp>

using namespace reference;
using scalar_tests::fixed_array;
using scalar_tests::vec3;

namespace {

struct lens : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(lens, (kt::dscalar, focal), (kt::dscalar, distortion));
};
struct camera : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(camera, (vec3, axis), (lens, inner), (vec3, at));
};
struct line : kt::structure {
  BOOST_HANA_DEFINE_STRUCT(line, (kt::dvector, slope), (kt::dscalar, offset));
};

constexpr auto seen_at = [](auto axis, auto focal, auto distortion, auto at, auto p) {
  auto const cross = kt::stack<0>(axis(1) * p(2) - axis(2) * p(1), axis(2) * p(0) - axis(0) * p(2),
                                  axis(0) * p(1) - axis(1) * p(0));
  auto const q = p + cross + at;
  auto const flat = q(kt::slice(0, 2)) / q(2);
  return focal * (1 + distortion * sum(sqr(flat))) * flat;
};
constexpr auto seen = [](camera c, vec3 p) {
  return seen_at(c.axis, c.inner.focal, c.inner.distortion, c.at, p);
};

fixed_array<3> const axis{0.1, -0.2, 0.05}, at{0.5, 1, 4}, p{0.25, -0.5, 2};
auto const given = std::tuple(axis, std::tuple(500., 0.125), at);

}  // namespace

TEST_CASE("jacobian by a struct is a tuple of those by its variables") {
  auto f = kt::function([](camera c, vec3 p) { return jacobian(seen(c, p), c, p); });
  auto g = kt::function([](vec3 axis, kt::dscalar focal, kt::dscalar distortion, vec3 at, vec3 p) {
    return jacobian(seen_at(axis, focal, distortion, at, p), axis, focal, distortion, at, p);
  });
  CHECK(f(given, p) == g(axis, 500., 0.125, at, p));
  auto h = kt::function(kt::jacobian<0, 1>(seen));
  CHECK(h(given, p) == f(given, p));
  static_assert(std::is_same_v<std::tuple_element_t<0, decltype(f(given, p))>, fixed_array<2, 3>>);
  static_assert(std::is_same_v<std::tuple_element_t<1, decltype(f(given, p))>, fixed_array<2>>);
  scalar_tests::check_calls(f);
  scalar_tests::check_calls(h);
}

TEST_CASE("the value and the gradient by a struct and a vector") {
  constexpr auto cost = [](camera c, vec3 p) { return sum(sqr(seen(c, p))); };
  auto f = kt::function(kt::value_and_grad<0, 1>(cost));
  auto g = kt::function([](camera c, vec3 p) {
    auto const r = seen(c, p);
    auto const [axis, focal, distortion, at, point] = jacobian(r, c, p);
    return std::tuple(sum(sqr(r)), 2 * dot(r, axis), 2 * dot(r, focal), 2 * dot(r, distortion),
                      2 * dot(r, at), 2 * dot(r, point));
  });
  auto const [value, by_camera, by_point] = f(given, p);
  auto const [v, axis, focal, distortion, at, point] = g(given, p);
  CHECK(value == Approx(v).epsilon(1e-14));
  auto const same = [](auto const& a, auto const& b) { return xt::allclose(a, b, 1e-12, 1e-12); };
  CHECK(same(kt::get<&camera::axis>(by_camera), axis));
  CHECK(same(kt::get<&camera::at>(by_camera), at));
  CHECK(same(by_point, point));
  auto const inner = kt::get<&camera::inner>(by_camera);
  CHECK(kt::get<&lens::focal>(inner) == Approx(focal).epsilon(1e-12));
  CHECK(kt::get<&lens::distortion>(inner) == Approx(distortion).epsilon(1e-12));
}

TEST_CASE("hessian by a struct has a row and a column of blocks for each of its variables") {
  auto f = kt::function(
      [](line l, kt::dvector x) { return hessian(sum(exp(l.slope * x + l.offset)), l, x); });
  auto g = kt::function([](kt::dvector slope, kt::dscalar offset, kt::dvector x) {
    return hessian(sum(exp(slope * x + offset)), slope, offset, x);
  });
  auto h = kt::function(
      kt::hessian<0, 1>([](line l, kt::dvector x) { return sum(exp(l.slope * x + l.offset)); }));
  vec<double> const slope{0.5, -1}, x{1, 0.25};
  CHECK(f(std::tuple(slope, 0.5), x) == g(slope, 0.5, x));
  CHECK(h(std::tuple(slope, 0.5), x) == g(slope, 0.5, x));
}

TEST_CASE("a variable of a struct that nothing depends on is an error, or gives 0") {
  auto f = kt::function(
      [](line l, kt::dvector x) { return jacobian(l.slope * x, l, kt::disconnected::zero); });
  vec<double> const slope{0.5, -1}, x{1, 0.25};
  auto const [by_slope, by_offset] = f(std::tuple(slope, 0.5), x);
  CHECK((by_slope == mat<double>{{1, 0}, {0, 0.25}}));
  CHECK((by_offset == vec<double>{0, 0}));
}
