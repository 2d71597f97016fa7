// Rewriting that would go on and on ends in words, with a rule and without one.
// SPDX-License-Identifier: BSD-3-Clause
#include <kroton/kroton.hpp>

#include <catch2/catch.hpp>

namespace kt = kroton;
namespace rewrite = kt::rewrite;

namespace {

int sine_of_sine(rewrite::rewriter& r, int raw) { return r.g.is<kt::op::input>(raw) ? raw : r.make<kt::op::sin>({raw}); }
constexpr rewrite::engine_parts endless{&sine_of_sine, &rewrite::factored, &rewrite::apply_rule, &rewrite::seen_through};

constexpr auto growing = kt::rules(kt::rule<"growing">([](auto x) { return sin(x) >> sin(sin(x)); }));

std::string_view error_after(rewrite::rewriter& r) {
  int const x = r.mark(r.g.input({kt::element::float64, 0, 0}, 0));
  r.make<kt::op::sin>({x});
  return r.g.error();
}

}  // namespace

TEST_CASE("rewriting that does not end is an error", "[rewrite]") {
  rewrite::rewriter with_form(endless, {});
  CHECK(error_after(with_form) == "kt: rewriting did not terminate: the normal form");
  rewrite::rewriter with_rule(rewrite::engine, {});
  with_rule.use(growing);
  CHECK(error_after(with_rule) == "kt::rule: rewriting did not terminate: growing");
}
