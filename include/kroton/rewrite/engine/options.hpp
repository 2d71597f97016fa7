// What a mode asks of the optimizer: which rules take part, and whether real numbers are assumed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/passes.hpp>
#include <kroton/rewrite/engine/rule_record.hpp>

namespace kroton {

/// The stages of the optimizer; each includes those before it. The first leaves an expression as it
/// is written.
enum class stage { as_written, canonicalize, stabilize, specialize };

namespace rewrite {

/// The names of the rules and passes that fired, in order, when asked for.
using rewrite_log = list<std::string_view>;

/// The choice between two orders of a sum or product, by what they cost for an element: see
/// passes/written_order.hpp.
struct order_choice {
  int written = -1;  // a node that is computed as it was written
  double work_as_written = 0, work_otherwise = 0;
  bool may_leave_range = false;  // otherwise
  bool is_as_written = false;    // what has been chosen
};

/// Is told of each rule that applies: which node of a graph becomes which; and of each choice of an
/// order.
struct rewrite_observer {
  void (*applied)(rewrite_observer&, graph const&, std::string_view rule, int before, int after);
  void (*chose)(rewrite_observer&, graph const&, order_choice const&);
};

struct rewrite_options {
  bool ieee = false;                   // leave out what holds for real numbers only
  bool values_only = false;            // derivatives may change: nothing asks for them any more
  items<std::string_view> excluded{};  // names of rules, passes, books or catalogue ids
  items<std::string_view> included{};  // ... that take part in spite of being excluded
  items<book_view> extra{};            // the user's own rules
  rewrite_log* log = nullptr;
  rewrite_observer* observer = nullptr;

  template <class Rewrite>
  static constexpr bool names(items<std::string_view> listed, Rewrite const& rewrite) {
    for (auto const& entry : listed)
      if (entry == rewrite.name || entry == rewrite.book || rewrite.has(entry)) return true;
    return false;
  }
  template <class Rewrite>
  constexpr bool is_wanted(Rewrite const& rewrite) const {
    return (!ieee || !rewrite.real) &&
           (excluded.empty() || !names(excluded, rewrite) || names(included, rewrite));
  }
  /// The same for all readings that a stage asks for.
  constexpr rewrite_options up_to(stage s) const {
    rewrite_options made = *this;
    made.values_only = values_only || s == stage::specialize;
    return made;
  }
  constexpr bool is_enabled(rule_record const& rule) const { return is_wanted(rule); }
  constexpr bool is_enabled(named_pass const& pass) const {
    return !pass.optional || is_wanted(pass);
  }
  template <text Pass>
  constexpr bool does() const {
    return is_enabled(form_passes[pass_number<Pass>]);
  }
};

}  // namespace rewrite
}  // namespace kroton
