// Values of the host that are no tensors, carried through a graph as numbers that name them.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/runtime.hpp>

#include "run/reference.hpp"

#include <map>
#include <vector>

using namespace reference;
namespace core = kt::core;

namespace {

/// The values, each under its number. They live as long as the host wants them to.
using table = std::map<double, std::int64_t>;
std::vector<table> tables;

template <class T>
T element_at(core::array_ref const& a, std::ptrdiff_t i) {
  return reinterpret_cast<T const*>(a.data)[i * (a.rank == 0 ? 0 : a.strides[0])];
}

/// Where each value of a vector stands first; the result is the number of the table.
struct make_table : kt::operation<"make_table", 1> {
  static constexpr kt::tensor_type type(core::application const&) { return {kt::element::int64, 0, 0}; }
  static constexpr auto pullback = kt::no_gradient;
  template <class T>
    requires std::floating_point<T>
  static void run(core::invocation const& call) {
    table made;
    for (std::ptrdiff_t i = 0; i < call.operand(0).extents[0]; ++i) made.emplace(element_at<T>(call.operand(0), i), i);
    tables.push_back(made);
    *reinterpret_cast<std::int64_t*>(call.result().data) = static_cast<std::int64_t>(tables.size()) - 1;
  }
};
/// The positions of the values of a vector in a table, or -1.
struct look_up : kt::operation<"look_up", 2> {
  static constexpr kt::tensor_type type(core::application const& a) { return {kt::element::int64, 1, a.input(0).broadcast}; }
  static constexpr core::extent_source extent(core::application const&, int) { return {core::extent_source::dimension, 0, 0}; }
  static constexpr auto pullback = kt::no_gradient;
  template <class T>
    requires std::floating_point<T>
  static void run(core::invocation const& call) {
    table const& in = tables.at(static_cast<std::size_t>(element_at<std::int64_t>(call.operand(1), 0)));
    for (std::ptrdiff_t i = 0; i < call.operand(0).extents[0]; ++i) {
      auto const found = in.find(element_at<T>(call.operand(0), i));
      reinterpret_cast<std::int64_t*>(call.result().data)[i] = found == in.end() ? -1 : found->second;
    }
  }
};

constexpr auto table_of = [](kt::dvector x) { return kt::lscalar(kt::term{x.of, x.of->apply<make_table>({x.id})}); };
constexpr auto positions = [](kt::dvector q, kt::lscalar t) { return kt::lvector(kt::term{q.of, q.of->apply<look_up>({q.id, t.id})}); };

}  // namespace

TEST_CASE("a number that names a value of the host is made, kept and read", "[own]") {
  tables.clear();
  // Within one call: one table serves both.
  constexpr auto twice = [](kt::dvector x, kt::dvector q) { return std::tuple(positions(q, table_of(x)), positions(2 * q, table_of(x))); };
  vec<double> const x{3, 1, 4, 2}, q{1, 2, 5};
  auto const [once, doubled] = kt::function(twice)(x, q);
  CHECK((once == vec<std::int64_t>{1, 3, -1}));
  CHECK((doubled == vec<std::int64_t>{3, 2, -1}));
  CHECK(tables.size() == 1);
  // Between calls: the number is shared.
  kt::shared t(std::int64_t{-1});
  auto build = kt::function([](kt::dvector x, kt::lscalar t) { return kt::outputs().update(t, table_of(x)); }, t);
  auto read = kt::function(positions, t);
  CHECK_THROWS_AS(read(q), std::out_of_range);
  build(x);
  CHECK((read(q) == vec<std::int64_t>{1, 3, -1}));
  build(vec<double>{5, 1});
  CHECK((read(q) == vec<std::int64_t>{1, -1, 0}));
  CHECK(tables.size() == 3);
  CHECK((kt::function(positions, t, kt::mode::interpret)(q) == vec<std::int64_t>{1, -1, 0}));
}
