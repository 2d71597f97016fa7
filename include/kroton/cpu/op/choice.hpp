// Choices: what a step decides once for the extents of its operands, such as an order or an
// algorithm.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/core/array.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kroton::cpu {

/// A step that has something to choose. An op whose `run` takes its choice as a second argument
/// joins by declaring the same:
///
///     struct convolve : operation<"convolve", 2> {
///       struct choice { algorithm best; };             // anything that can be moved
///       static choice choose(step_view const& s);      // from extents: values come later
///       static std::string describe(choice const&);  // for debugprint: what and why
///       static void run(invocation const& call, choice&);
///     };
///
/// A choice may hold work memory, which is then kept from call to call.
template <class Step, class View>
concept chooses = requires(View const& s, typename Step::choice const& c) {
  { Step::choose(s) } -> std::same_as<typename Step::choice>;
  { Step::describe(c) } -> std::convertible_to<std::string>;
};

/// What a frame keeps of a step's choice: for which extents of the operands it was made, and the
/// choice itself.
struct kept_choice {
  std::vector<std::ptrdiff_t> extents;
  std::shared_ptr<void> made;

  /// Visits the extents of a step's operands in order, until `visit` says no.
  template <class View, class Visit>
  static bool all_extents(View const& s, Visit visit) {
    for (int k = 0; k < s.info.operand_count; ++k) {
      array_ref const& a = s.f.value(s.operand(k));
      for (int d = 0; d < a.rank; ++d)
        if (!visit(a.extents[d])) return false;
    }
    return true;
  }
};

/// The choice of a step for the extents that its operands have now. It is made again only when they
/// have changed: repeated calls with the same extents plan nothing and allocate nothing.
template <class Step, class View>
  requires chooses<Step, View>
typename Step::choice& chosen(View const& s) {
  kept_choice& kept = s.f.kept(s.number());
  std::size_t at = 0;
  bool const fits = kept.made && kept_choice::all_extents(
                                     s, [&](std::ptrdiff_t n) { return kept.extents[at++] == n; });
  if (!fits) {
    kept.made.reset();
    kept.extents.clear();
    kept_choice::all_extents(s, [&](std::ptrdiff_t n) { return kept.extents.push_back(n), true; });
    kept.made = std::make_shared<typename Step::choice>(Step::choose(s));
  }
  return *static_cast<typename Step::choice*>(kept.made.get());
}

}  // namespace kroton::cpu
