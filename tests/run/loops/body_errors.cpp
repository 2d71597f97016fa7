// Errors in a step name what the user knows: parameters of the function, by their names or numbers, elements of sequences
// and states.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime.hpp>

#include <string>

namespace kt = kroton;
using vector = xt::xtensor<double, 1>;
using indices = xt::xtensor<std::int64_t, 1>;
using matrix = xt::xtensor<double, 2>;

namespace {

/// What a compiled function and an interpreted one say.
template <class F, class... A>
std::string error_of(F const& f, A const&... arguments) {
  auto const caught = [&](auto const& function) {
    try {
      function(arguments...);
    } catch (kt::error const& e) { return std::string(e.what()); }
    return std::string();
  };
  std::string const text = caught(kt::function(f));
  CHECK(text == caught(kt::function(f, kt::mode::interpret)));
  return text;
}

}  // namespace

TEST_CASE("an error in a step names a captured variable as the function does", "[loops][errors]") {
  indices const steps{0, 1, 9};
  CHECK(error_of([](kt::lvector x, kt::lscalar start, kt::dscalar, kt::lvector table) {
          return scan([&](auto e, auto s) { return table(e + s); }, kt::sequences(x), kt::outputs_info(start));
        }, steps, 0, 0.5, indices{0, 1, 2}) == "step 2 of a scan: index 10 is out of range: extent 0 of parameter 4 (lvector) is 3");
  CHECK(error_of([](kt::lvector x, kt::lscalar start, kt::lvector table) {
          kt::named(table, "table");
          return scan([&](auto e, auto s) { return table(e + s); }, kt::sequences(x), kt::outputs_info(start));
        }, steps, 0, indices{0, 1, 2}) == "step 2 of a scan: index 10 is out of range: extent 0 of table is 3");
  CHECK(error_of([](kt::lvector x, kt::lscalar start, kt::lvector table) {
          auto const squares = sqr(table);
          return scan([&](auto e, auto s) { return squares(e + s); }, kt::sequences(x), kt::outputs_info(start));
        }, steps, 0, indices{0, 1, 2}) ==
        "step 2 of a scan: index 10 is out of range: extent 0 of a variable (lvector) from outside of the loop is 3");
}

TEST_CASE("an error in a step names elements of sequences, and states", "[loops][errors]") {
  CHECK(error_of([](kt::dmatrix x, kt::lscalar start) {
          kt::named(x, "rows");
          return scan([](auto e, auto s) { return kt::cast<std::int64_t>(e(s)) + s; }, kt::sequences(x), kt::outputs_info(start));
        }, matrix{{1, 1, 1}, {2, 2, 2}, {1, 1, 1}}, 1) ==
        "step 2 of a scan: index 4 is out of range: extent 0 of an element (dvector) of rows is 3");
  CHECK(error_of([](kt::dvector x, kt::dvector start) {
          return scan([](auto e, auto s) { return set_subtensor(s(kt::cast<std::int64_t>(e + s(0))), 1.); }, kt::sequences(x),
                      kt::outputs_info(start));
        }, vector{1, 5}, vector{1, 2, 3}) ==
        "step 1 of a scan: index 6 is out of range: extent 0 of a state (dvector) that starts as parameter 2 is 3");
}

TEST_CASE("an error in a loop in a loop names the function's parameters, too", "[loops][errors]") {
  CHECK(error_of([](kt::lmatrix x, kt::lvector start, kt::lvector table) {
          kt::named(table, "table");
          return scan(
              [&](auto row, auto s) {
                return s + foldl([&](auto e, auto at) { return table(e + at + s(0)); }, kt::sequences(row),
                                 kt::outputs_info(std::int64_t{0}));
              },
              kt::sequences(x), kt::outputs_info(start));
        }, xt::xtensor<std::int64_t, 2>{{0, 1}, {1, 5}}, indices{0, 0}, indices{0, 1, 2})
            .find("is out of range: extent 0 of table is 3") != std::string::npos);
}
