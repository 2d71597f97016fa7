// What an observer is told of the orders of sums and products.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <kroton/rewrite/engine/options.hpp>
#include <kroton/rewrite/passes/price.hpp>

namespace kroton::rewrite {

/// The choices between orders, kept by node until it is known which nodes are needed; nothing where
/// nobody observes.
class order_choices {
 public:
  constexpr order_choices(graph const& from, rewrite_observer* observer)
      : from_(from), observer_(observer) {}

  constexpr void note(int id, price const& written, price const& other, bool may_leave_range) {
    if (observer_ == nullptr || written.is_never() || other.is_never()) return;
    if (written.work() == other.work() && !may_leave_range) return;
    auto const elements = static_cast<double>(price::operation(span_of(from_, id)).operations);
    choices_.extend(from_.size(), {});
    choices_[id] = {from_.written(id), static_cast<double>(written.work()) / elements,
                    static_cast<double>(other.work()) / elements, may_leave_range};
  }
  constexpr void report(int id, bool is_as_written) {
    if (id >= choices_.size() || choices_[id].written < 0) return;
    choices_[id].is_as_written = is_as_written;
    observer_->chose(*observer_, from_, choices_[id]);
  }

 private:
  graph const& from_;
  rewrite_observer* observer_;
  list<order_choice> choices_{};
};

}  // namespace kroton::rewrite
