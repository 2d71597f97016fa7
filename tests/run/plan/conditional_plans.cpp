// Plans of random graphs with ifelse, taken step by step: whatever the conditions are, what a step reads has been computed and
// still lies where it was put.
// SPDX-License-Identifier: BSD-3-Clause
#include <catch2/catch.hpp>

#include <kroton/kroton.hpp>
#include <kroton/plan/storage.hpp>
#include <kroton/function/catalogue.hpp>

#include "run/seed.hpp"

#include <vector>

namespace kt = kroton;

namespace {

using kt::plan::storage;

kt::graph random_graph(std::mt19937& random) {
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  kt::graph g;
  std::vector<kt::dvector> vectors;
  std::vector<kt::dscalar> scalars;
  for (int p = 0; p < 3; ++p) vectors.emplace_back(kt::term{&g, g.input({kt::element::float64, 1, 0}, p)});
  for (int p = 3; p < 5; ++p) scalars.emplace_back(kt::term{&g, g.input({kt::element::float64, 0, 0}, p)});
  auto vector = [&] { return vectors[below(vectors.size())]; };
  auto scalar = [&] { return scalars[below(scalars.size())]; };
  for (int i = 0; i < 25; ++i) {
    auto const x = vector(), y = vector();
    auto const s = scalar(), t = scalar(), c = scalars[below(5 < scalars.size() ? 5 : scalars.size())];
    switch (below(9)) {
      case 0: vectors.push_back(exp(x)); break;
      case 1: vectors.push_back(x * y + s); break;
      case 2: vectors.push_back(x(kt::slice(kt::none, kt::none, -1))); break;
      case 3: scalars.push_back(sum(x)); break;
      case 4: scalars.push_back(x(1) - s * t); break;
      case 5: scalars.push_back(ifelse(c > 0, s, t)); break;
      default: vectors.push_back(ifelse(c > 0, x, y)); break;
    }
  }
  g.results().push_back(vectors.back().id);
  g.results().push_back(scalars.back().id);
  if (below(2) == 0) g.results().push_back(vector().id);
  if (below(2) == 0) g.updates().push_back({0, vector().id});
  return g;
}

/// Takes the steps of a plan with conditions of its own choice; counts those that were not taken.
class walk {
 public:
  walk(kt::graph& g, std::mt19937& random)
      : plan_(g), memory_(g, plan_), lies_in_(values(), -1), holder_(values() + slots(), -1) {
    for (int v = 0; v < plan_.values.size(); ++v) {
      holds_.push_back(random() % 2 == 0);
      auto const where = plan_.values[v].where;
      if (g.is<kt::op::input>(plan_.values[v].node) || where == storage::literal || where == storage::extent) store(v);
    }
    for (auto const& step : plan_.steps) take(step);
    for (int id : g.results()) CHECK(is_there(plan_.value_of[id]));
    for (auto const& u : memory_.updates) CHECK(is_there(u.value));
  }
  int skipped = 0;

 private:
  std::size_t values() const { return static_cast<std::size_t>(plan_.values.size()); }
  std::size_t slots() const { return static_cast<std::size_t>(memory_.slot_count); }
  // Every value has a place of its own, except for those in slots and those in parameters.
  std::size_t place(int v) const {
    auto const& value = plan_.values[v];
    if (memory_.slots[v] >= 0) return values() + static_cast<std::size_t>(memory_.slots[v]);
    return static_cast<std::size_t>(value.where == storage::parameter ? value.detail : v);
  }
  void store(int v) {
    lies_in_[static_cast<std::size_t>(v)] = v;
    holder_[place(v)] = v;
  }
  /// Whether a value has been computed, and the memory that it lies in is still its.
  bool is_there(int v) const {
    int const base = lies_in_[static_cast<std::size_t>(v)];
    return base >= 0 && holder_[place(base)] == base;
  }
  void take(kt::plan::planned_step const& step) {
    for (int guard : step.guards) {
      CHECK(is_there(guard / 2));
      if (holds_[static_cast<std::size_t>(guard / 2)] == (guard % 2 != 0)) continue;
      ++skipped;
      return;
    }
    bool const is_choice = step.kind == kt::core::step_kind::ifelse;
    int const chosen = is_choice ? step.operands[holds_[static_cast<std::size_t>(step.operands[0])] ? 1 : 2] : -1;
    for (int v : step.operands)
      if (!is_choice || v == chosen || v == step.operands[0]) CHECK(is_there(v));
    for (int v : step.results) {
      if (plan_.values[v].where == storage::view)
        lies_in_[static_cast<std::size_t>(v)] = lies_in_[static_cast<std::size_t>(is_choice ? chosen : step.operands[0])];
      else store(v);
    }
  }

  kt::plan::planner plan_;
  kt::plan::storage_plan memory_;
  std::vector<int> lies_in_;  // of each value, the one in whose memory it lies, or -1
  std::vector<int> holder_;   // of each place, the value that was stored there last
  std::vector<bool> holds_;   // what each value is as a condition
};

}  // namespace

TEST_CASE("plans with ifelse read only what has been computed", "[conditional]") {
  std::mt19937 random = seeded_generator();
  int skipped = 0;
  for (int round = 0; round < 200; ++round) {
    kt::graph written = random_graph(random);
    kt::ops::collect_constraints(written);
    for (bool optimized : {false, true}) {
      kt::graph g = optimized ? kt::rewrite::optimize(written, kt::stage::specialize) : kt::rewrite::cleaner(written).run();
      REQUIRE(g.error() == "");
      CAPTURE(round, optimized);
      for (int assignment = 0; assignment < 10; ++assignment) {
        skipped += walk(g, random).skipped;
        REQUIRE(g.error() == "");
      }
    }
  }
  CHECK(skipped > 1000);
}
